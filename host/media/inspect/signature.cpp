// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/signature.hpp"

#include <array>
#include <string_view>

#include "host/media/inspect/apple_map.hpp"
#include "host/media/inspect/superblock_copies.hpp"

namespace mediarig::media {
namespace {

struct Magic {
    const char* file_system;
    std::size_t at;
    std::string_view bytes;
    bool encrypted{};
    bool container{};
};

using namespace std::string_view_literals;
/// BitLocker must be first: its volumes look like NTFS, or like FAT32 on removable media.
constexpr std::array magics{
    Magic{"luks", 0, "LUKS\xBA\xBE"sv, true},
    Magic{"bitlocker", 3, "-FVE-FS-"sv, true},
    Magic{"bitlocker", 424, "\x3B\xD6\x67\x49\x29\x2E\xD8\x4A\x83\x99\xF6\xA3\x39\xE3\xD0\x01"sv, true},
    // Source: QEMU, docs/interop/qcow2.txt; Microsoft, MS-VHDX, section 2.2.1; the headers of the virtual machines.
    Magic{"qcow2", 0, "QFI\xFB\0\0\0\2"sv, false, true},
    Magic{"qcow2", 0, "QFI\xFB\0\0\0\3"sv, false, true},
    Magic{"qcow", 0, "QFI\xFB\0\0\0\1"sv, false, true},
    Magic{"vhdx", 0, "vhdxfile"sv, false, true},
    Magic{"vhd", 0, "conectix"sv, false, true}, // a dynamic disk begins with a copy of its footer
    Magic{"vdi", 0x40, "\x7F\x10\xDA\xBE"sv, false, true},
    Magic{"vmdk", 0, "KDMV"sv, false, true},
    Magic{"vmdk", 0, "COWD"sv, false, true},
    Magic{"vmdk", 0, "# Disk DescriptorFile"sv, false, true},
    Magic{"qed", 0, "QED\0"sv, false, true},
    Magic{"parallels", 0, "WithoutFreeSpace"sv, false, true},
    Magic{"parallels", 0, "WithouFreSpacExt"sv, false, true},
    Magic{"dmg", 0, "encrcdsa"sv, true, true}, // encrypted, version 2
    Magic{"dmg", 0, "sprs"sv, false, true},    // sparse image
    Magic{"ewf", 0, "EVF\x09\x0D\x0A\xFF\0"sv, false, true},
    Magic{"ewf", 0, "EVF2\x0D\x0A\x81\0"sv, false, true},
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
std::optional<ContentSignature> core_storage(Raw head) {
    constexpr std::size_t signature_at = 88;
    if (!is_core_storage(head)) return std::nullopt;
    return ContentSignature{.file_system = "core_storage", .at = {signature_at}, .length = 2_B, .encrypted = true};
}

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

std::optional<ContentSignature> apple_partition_map(Raw head) {
    constexpr std::size_t map_at = 512;
    if (head.size() < 2 * map_at || !is_apple_map_entry(head.subspan(map_at))) return std::nullopt;
    return ContentSignature{.file_system = "apple_partition_map", .at = {map_at}, .length = 2_B};
}

/// Descriptors that belong to neither standard, or are empty, may be between the others.
void add_optical(Raw head, std::vector<ContentSignature>& found) {
    std::optional<ContentSignature> iso, udf;
    for (std::size_t i = 0; i < most_optical_descriptors; ++i) {
        const std::size_t at = (optical_descriptors + optical_descriptor * i).count + 1;
        if (!udf && (holds(head, at, "NSR02") || holds(head, at, "NSR03")))
            udf = {.file_system = "udf", .at = {at}, .length = 5_B};
        if (!iso && holds(head, at, "CD001")) iso = {.file_system = "iso9660", .at = {at}, .length = 5_B};
    }
    if (udf) found.push_back(*udf);
    if (iso) found.push_back(*iso);
}

} // namespace

/// Source: libyal, "Core Storage (CS) logical volume manager format", physical volume header.
bool is_core_storage(Raw head) {
    constexpr std::size_t version_at = 8, block_type_at = 10, size_at = 72, signature_at = 88;
    constexpr std::uint16_t header_version = 1, header_type = 0x10;
    return holds(head, signature_at, "CS") && load_le<std::uint16_t>(head, version_at) == header_version &&
           load_le<std::uint16_t>(head, block_type_at) == header_type && load_le<std::uint64_t>(head, size_at) != 0;
}

const std::array<Bytes, 1 + most_optical_descriptors>& signature_places() {
    static constexpr auto places = [] {
        std::array<Bytes, 1 + most_optical_descriptors> all{4_KiB};
        for (std::size_t i = 0; i < most_optical_descriptors; ++i)
            all[i + 1] = optical_descriptors + optical_descriptor * i;
        return all;
    }();
    return places;
}

/// Source: Microsoft, "Virtual Hard Disk Image Format Specification"; the trailers "koly" (UDIF) and "cdsaencr"
/// (encrypted, version 1) of macOS.
std::optional<ContentSignature> recognise_container_footer(Raw footer, Bytes length) {
    if (footer.size() < container_footer.count) return std::nullopt;
    constexpr std::size_t cdsa_length = 8;
    const Bytes at = length - container_footer;
    const std::size_t last = footer.size() - cdsa_length;
    if (holds(footer, 0, "koly"))
        return ContentSignature{.file_system = "dmg", .at = at, .length = 4_B, .container = true};
    if (holds(footer, last, "cdsaencr"))
        return ContentSignature{.file_system = "dmg",
                                .at = length - Bytes{cdsa_length},
                                .length = {cdsa_length},
                                .encrypted = true,
                                .container = true};
    if (holds(footer, 0, "conectix"))
        return ContentSignature{.file_system = "vhd", .at = at, .length = 8_B, .container = true};
    return std::nullopt;
}

std::vector<ContentSignature> recognise_signatures(Raw head) {
    std::vector<ContentSignature> found;
    for (const Magic& magic : magics)
        if (holds(head, magic.at, magic.bytes))
            found.push_back({.file_system = magic.file_system,
                             .at = {magic.at},
                             .length = {magic.bytes.size()},
                             .encrypted = magic.encrypted,
                             .container = magic.container});
    if (auto locked = core_storage(head)) found.insert(found.begin(), *locked);
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
