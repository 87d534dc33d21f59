// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/partition/linux/find_volume.hpp"

#include "host/media/claim/linux/kernel/node_lock.hpp"
#include "host/media/inspect/inspect.hpp"

namespace mediarig::media {

Result<FoundVolume> find_volume(const ErasableMedium& medium, const VolumeRequest& request) {
    const Medium& is = medium.medium();
    if (medium.descriptor() < 0) return fail(Errc::no_medium, is.node + " is not held any more: claim it again");
    if (auto fresh = drop_cached(medium.descriptor()); !fresh) return fail(fresh.error());
    const auto found = inspect(medium.descriptor(), is.size, is.logical_sector);
    if (!found) return fail(found.error());
    return choose_volume(*found, request, is.node);
}

VolumeSpan whole_of(const ErasableMedium& medium) {
    return {.start = {}, .length = medium.medium().size};
}

} // namespace mediarig::media
