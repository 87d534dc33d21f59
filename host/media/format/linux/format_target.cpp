// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/linux/format_target.hpp"

#include "host/media/claim/linux/kernel/node_lock.hpp"

namespace mediarig::media {

FormatTarget whole(const ErasableMedium& medium) {
    return {.descriptor = medium.descriptor(),
            .start = {},
            .length = medium.medium().size,
            .sector = medium.medium().logical_sector,
            .node = medium.medium().node};
}

Result<void> drop_cached(const FormatTarget& target) {
    // The upper device comes first: its write-back fills the cache of the lower device.
    if (auto dropped = drop_cached(target.descriptor); !dropped) return dropped;
    return target.medium_descriptor < 0 ? Result<void>{} : drop_cached(target.medium_descriptor);
}

} // namespace mediarig::media
