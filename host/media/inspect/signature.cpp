// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/signature.hpp"

#include <array>
#include <string_view>

#include "host/media/inspect/superblock_copies.hpp"

namespace mediarig::media {
namespace {

struct Magic {
    const char* file_system;
    std::size_t at;
    std::string_view bytes;
    bool encrypted{};
};

using namespace std::string_view_literals;
/// BitLocker must be first: its volumes look like NTFS, or like FAT32 on removable media.
constexpr std::array magics{
    Magic{"luks", 0, "LUKS\xBA\xBE"sv, true},
    Magic{"bitlocker", 3, "-FVE-FS-"sv, true},
    Magic{"bitlocker", 424, "\x3B\xD6\x67\x49\x29\x2E\xD8\x4A\x83\x99\xF6\xA3\x39\xE3\xD0\x01"sv, true},
    Magic{"ntfs", 3, "NTFS    "sv},
    Magic{"refs", 3, "ReFS\0\0\0\0"sv},
    Magic{"xfs", 0, "XFSB"sv},
    Magic{"f2fs", 1024, "\x10\x20\xF5\xF2"sv},
    Magic{"lvm", 512, "LABELONE"sv},
    Magic{"swap", 4086, "SWAPSPACE2"sv},
    Magic{"btrfs", 0x10040, "_BHRfS_M"sv},
    // The signature includes the following major version. Version 1.1 is at the start of the device, 1.2 at 4 KiB.
    Magic{"md_raid", 0, "\xFC\x4E\x2B\xA9\x01\0\0\0"sv},
    Magic{"md_raid", 4096, "\xFC\x4E\x2B\xA9\x01\0\0\0"sv},
};
/// Descriptors of 2048 bytes from byte 32768 on; those of UDF follow those of ISO 9660.
constexpr std::size_t descriptors = 32768, descriptor = 2048, most_descriptors = 4;

std::optional<ContentSignature> ext(Raw head) {
    constexpr std::size_t superblock_at = 1024, magic_at = 0x438;
    if (head.size() < 2 * superblock_at) return std::nullopt;
    const std::string_view name = ext_of_superblock(head.subspan(superblock_at));
    if (name.empty()) return std::nullopt;
    return ContentSignature{.file_system = std::string(name), .at = {magic_at}, .length = 2_B};
}

/// Source: Inside Macintosh, Files, "Master Directory Blocks". An HFS wrapper of an HFS+ volume is included.
std::optional<ContentSignature> hfs(Raw head) {
    constexpr std::size_t block_at = 1024, blocks_at = 0x12, block_size_at = 0x14, embedded_at = 0x7C;
    if (head.size() < block_at + 512) return std::nullopt;
    const Raw block = head.subspan(block_at);
    const auto block_size = load_be<std::uint32_t>(block, block_size_at);
    const bool sound = load_be<std::uint16_t>(block, blocks_at) != 0 && block_size != 0 && block_size % 512 == 0;
    if (!holds(block, 0, "BD") || !sound) return std::nullopt;
    const bool wraps = holds(block, embedded_at, "H+") || holds(block, embedded_at, "HX");
    return ContentSignature{.file_system = wraps ? "hfs_wrapper" : "hfs", .at = {block_at}, .length = 2_B};
}

/// The map follows the driver sector; its first entry is the map itself. Source: Inside Macintosh, Devices, "The
/// Partition Map".
std::optional<ContentSignature> apple_partition_map(Raw head) {
    constexpr std::size_t map_at = 512, type_at = 0x30;
    if (head.size() < 2 * map_at || !holds(head, map_at, "PM") ||
        !holds(head, map_at + type_at, "Apple_partition_map"sv))
        return std::nullopt;
    return ContentSignature{.file_system = "apple_partition_map", .at = {map_at}, .length = 2_B};
}

void add_optical(Raw head, std::vector<ContentSignature>& found) {
    std::optional<ContentSignature> iso, udf;
    for (std::size_t i = 0; i < most_descriptors; ++i) {
        const std::size_t at = descriptors + i * descriptor + 1;
        if (!udf && (holds(head, at, "NSR02") || holds(head, at, "NSR03")))
            udf = {.file_system = "udf", .at = {at}, .length = 5_B};
        if (!iso && holds(head, at, "CD001")) iso = {.file_system = "iso9660", .at = {at}, .length = 5_B};
    }
    if (udf) found.push_back(*udf);
    if (iso) found.push_back(*iso);
}

} // namespace

std::vector<ContentSignature> recognise_signatures(Raw head) {
    std::vector<ContentSignature> found;
    for (const Magic& magic : magics)
        if (holds(head, magic.at, magic.bytes))
            found.push_back({.file_system = magic.file_system,
                             .at = {magic.at},
                             .length = {magic.bytes.size()},
                             .encrypted = magic.encrypted});
    if (auto superblock = ext(head)) found.push_back(*superblock);
    if (auto classic = hfs(head)) found.push_back(*classic);
    add_optical(head, found);
    // Bootable optical images for Macs have a partition map in addition to the optical descriptors.
    if (auto map = apple_partition_map(head)) found.push_back(*map);
    return found;
}

std::optional<ContentSignature> recognise_signature(Raw head) {
    const std::vector<ContentSignature> found = recognise_signatures(head);
    return found.empty() ? std::nullopt : std::optional(found.front());
}

} // namespace mediarig::media
