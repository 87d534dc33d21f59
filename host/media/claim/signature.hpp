// SPDX-License-Identifier: GPL-3.0-or-later
/// What a signature found on a medium, and a place where none could be looked for, mean for erasing it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// A magic found on a device, in the words of libblkid and of udev's ID_FS_* properties.
struct Signature {
    std::string type;  ///< "LVM2_member", "crypto_LUKS", "exfat"
    std::string usage; ///< "raid", "crypto", "filesystem", "other", "unknown"; empty where nobody said
    std::string label;
    Bytes offset;             ///< of the part that carries it: 0 for the whole device, else a partition's start
    std::uint64_t devices{1}; ///< how many devices the file system spans, where the superblock says so (btrfs)
    bool ambivalent{};        ///< another one stands beside it, and libblkid does not know which of them counts
    bool operator==(const Signature&) const = default;
};

/// A stretch of a device.
struct Range {
    Bytes start, length;
    bool operator==(const Range&) const = default;
};

/// What was found where signatures are looked for, and where the device answered read errors.
struct SignatureScan {
    std::vector<Signature> found;
    std::vector<Range> unreadable; ///< in ascending order within a part, neighbours joined
    bool operator==(const SignatureScan&) const = default;
};

/// Decided by libblkid's class. Somebody's data even when nothing uses it now, because the other parts are of no use
/// without it: a member of a RAID, pool, cluster or volume group, a journal, log or cache of another device, a
/// hibernated system, anything encrypted; what libblkid has no class for, and what it cannot tell apart. A file system
/// by itself and plain swap are no reason.
/// `carrier` is what people call the part that carries it: "partition sdb1".
[[nodiscard]] std::optional<Refusal> refusal_for(const Signature& signature, const std::string& carrier);

/// About the ranges of a scan; none where there are none, and where `contents` permits it on this medium: a removable
/// bus (USB, SD), or a loop device on an image. Disks behind other buses are never taken for worthless.
[[nodiscard]] std::optional<Refusal> refusal_for(const std::vector<Range>& unreadable, const Medium& medium,
                                                 Contents contents);

} // namespace mediarig::media
