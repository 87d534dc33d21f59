// SPDX-License-Identifier: GPL-3.0-or-later
/// What a signature found on a medium means for erasing it. Pure.
#pragma once

#include <optional>
#include <string>

#include "host/media/medium.hpp"

namespace mediarig::media {

/// A magic found on a device, in the words of libblkid and of udev's ID_FS_* properties.
struct Signature {
    std::string type;  ///< "LVM2_member", "crypto_LUKS", "exfat"
    std::string usage; ///< "raid", "crypto", "filesystem", "other"; empty where unknown
    std::string label;
    Bytes offset;             ///< of the part that carries it: 0 for the whole device, else a partition's start
    std::uint64_t devices{1}; ///< how many devices the file system spans, where the superblock says so (btrfs)
    bool operator==(const Signature&) const = default;
};

/// A member of a RAID, pool or volume group, and anything encrypted, is somebody's data even when nothing uses it now:
/// the other members are of no use without it. A plain file system is no reason.
/// `carrier` is what people call the part that carries it: "partition sdb1".
[[nodiscard]] std::optional<Refusal> refusal_for(const Signature& signature, const std::string& carrier);

} // namespace mediarig::media
