// SPDX-License-Identifier: GPL-3.0-or-later
/// File systems that are told apart but not taken to pieces: HFS+, the FAT family, NTFS. Pure; trusts no byte.
#pragma once

#include <cstdint>
#include <string>

#include "common/units.hpp"
#include "host/media/inspect/load.hpp"
#include "host/result.hpp"

namespace mediarig::media {

/// Volume header of HFS+ and HFSX, 1024 bytes into the volume. Source: Apple, Technical Note TN1150.
struct HfsPlusHeader {
    bool case_sensitive{}; ///< HFSX
    bool journaled{};
    bool unmounted{}; ///< put away properly
    std::uint16_t version{};
    Bytes block_size;
    std::uint32_t total_blocks{}, free_blocks{};
    std::string last_mounted_by; ///< "10.0", "HFSJ", "fsck", …
    bool operator==(const HfsPlusHeader&) const = default;
};

[[nodiscard]] bool is_hfs_plus(Raw volume_header);
/// Needs at least 512 bytes. Fails with bad_format, naming the field.
[[nodiscard]] Result<HfsPlusHeader> parse_hfs_plus(Raw volume_header);
/// "hfs+", "hfs+j", "hfsx" or "hfsx+j".
[[nodiscard]] std::string name_of(const HfsPlusHeader& header);

/// "fat12", "fat16", "fat32" or "ntfs" for a boot sector that says so consistently, else "".
/// The FAT's width follows from the count of clusters alone (ECMA-107 and Microsoft's FAT specification).
[[nodiscard]] std::string recognise_boot_sector(Raw sector);

} // namespace mediarig::media
