// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/format/layouts/partition_types.hpp"

namespace mediarig::media {
namespace {

/// 1024 cylinders of 255 heads of 63 sectors.
constexpr Bytes end_of_chs{16'450'560ULL * 512};
/// Number of sectors that fit into 16 bits.
constexpr Bytes small_fat16{65536ULL * 512};

} // namespace

std::optional<std::string_view> mbr_type_of(FileSystem fs, Bytes start, Bytes length) {
    const bool addressable = start + length <= end_of_chs;
    switch (fs) {
        case FileSystem::exfat:
            return "0x07";
        case FileSystem::fat32:
            return addressable ? "0x0b" : "0x0c";
        case FileSystem::fat16:
            if (length < small_fat16 && addressable) return "0x04";
            return addressable ? "0x06" : "0x0e";
        case FileSystem::fat12:
            return "0x01";
        case FileSystem::hfs_plus_journaled:
        case FileSystem::hfs_plus:
        case FileSystem::hfsx_journaled:
            return "0xaf";
        case FileSystem::apfs:
            break;
    }
    return std::nullopt;
}

std::string_view gpt_type_of(FileSystem fs) {
    switch (fs) {
        case FileSystem::apfs:
            return "7c3457ef-0000-11aa-aa11-00306543ecac";
        case FileSystem::hfs_plus_journaled:
        case FileSystem::hfs_plus:
        case FileSystem::hfsx_journaled:
            return "48465300-0000-11aa-aa11-00306543ecac";
        case FileSystem::exfat:
        case FileSystem::fat32:
        case FileSystem::fat16:
        case FileSystem::fat12:
            break;
    }
    return "ebd0a0a2-b9e5-4433-87c0-68b6b72699c7";
}

} // namespace mediarig::media
