// SPDX-License-Identifier: GPL-3.0-or-later
/// Decides whether a medium may be erased, from its signatures and from the ranges that could not be searched. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

/// A signature found on a device, in the terms of libblkid and of udev's ID_FS_* properties.
struct Signature {
    std::string type;  ///< "LVM2_member", "crypto_LUKS", "exfat"
    std::string usage; ///< "raid", "crypto", "filesystem", "other", "unknown"; empty if unset
    std::string label;
    Bytes offset; ///< start of the part that contains the signature: 0 for the whole device, else a partition's start
    std::uint64_t devices{1}; ///< number of devices in the file system, if the superblock has it (btrfs)
    bool ambivalent{};        ///< there is another signature, and libblkid cannot decide which one is valid
    bool without_node{};      ///< in a partition that only mediarig reads from its table, so it has no device node
    bool operator==(const Signature&) const = default;
};

/// A range of bytes of a device.
struct DeviceExtent {
    Bytes start, length;
    bool operator==(const DeviceExtent&) const = default;
};

/// Signatures found, and ranges with read errors where signatures are searched for.
struct SignatureScan {
    std::vector<Signature> found;
    std::vector<DeviceExtent> unreadable; ///< in ascending order within a part, adjacent ranges merged
    /// Found at places that no valid table lists: in damaged or overruled tables, and at the usual starts of volumes.
    std::vector<Signature> remains{};
    bool operator==(const SignatureScan&) const = default;
};

/// Decides by the class that libblkid gives the signature. Refuses data that others may need even if nothing uses it
/// now, because the other parts are useless without it: a member of a RAID, pool, cluster or volume group, a journal,
/// log or cache of another device, a hibernated system, anything encrypted; also types without a class and ambivalent
/// signatures. A standalone file system and plain swap cause no refusal. `carrier` is the display name of the part with
/// the signature: "partition sdb1".
[[nodiscard]] std::optional<Refusal> refusal_for(const Signature& signature, const std::string& carrier);

/// Refusal for the remains of a scan, if one of them is a part of something larger or encrypted. `contents` may permit
/// them on the media on which it permits unreadable ranges.
[[nodiscard]] std::optional<Refusal> refusal_for_remains(const std::vector<Signature>& remains, const Medium& medium,
                                                         Contents contents);

/// Refusal for the unreadable ranges of a scan. Empty if there are no ranges, or if `contents` permits erasing on this
/// medium: a removable bus (USB, SD), or a loop device on an image. For disks on other buses unreadable contents always
/// cause a refusal.
[[nodiscard]] std::optional<Refusal> refusal_for(const std::vector<DeviceExtent>& unreadable, const Medium& medium,
                                                 Contents contents);

} // namespace mediarig::media
