// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
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
    ContentBarrier barrier{};
};

using namespace std::string_view_literals;
constexpr ContentBarrier encrypted = ContentBarrier::encrypted, container = ContentBarrier::container;
/// BitLocker must be first: its volumes look like NTFS, or like FAT32 on removable media.
constexpr std::array magics{
    Magic{"luks", 0, "LUKS\xBA\xBE"sv, encrypted},
    Magic{"bitlocker", 3, "-FVE-FS-"sv, encrypted},
    Magic{"bitlocker", 424, "\x3B\xD6\x67\x49\x29\x2E\xD8\x4A\x83\x99\xF6\xA3\x39\xE3\xD0\x01"sv, encrypted},
    // Source: QEMU, docs/interop/qcow2.txt; Microsoft, MS-VHDX, section 2.2.1; the headers of the virtual machines.
    Magic{"qcow2", 0, "QFI\xFB\0\0\0\2"sv, container},
    Magic{"qcow2", 0, "QFI\xFB\0\0\0\3"sv, container},
    Magic{"qcow", 0, "QFI\xFB\0\0\0\1"sv, container},
    Magic{"vhdx", 0, "vhdxfile"sv, container},
    Magic{"vhd", 0, "conectix"sv, container}, // a dynamic disk begins with a copy of its footer
    Magic{"vdi", 0x40, "\x7F\x10\xDA\xBE"sv, container},
    Magic{"vmdk", 0, "KDMV"sv, container},
    Magic{"vmdk", 0, "COWD"sv, container},
    Magic{"vmdk", 0, "# Disk DescriptorFile"sv, container},
    Magic{"qed", 0, "QED\0"sv, container},
    Magic{"parallels", 0, "WithoutFreeSpace"sv, container},
    Magic{"parallels", 0, "WithouFreSpacExt"sv, container},
    Magic{"dmg", 0, "encrcdsa"sv, encrypted}, // encrypted, version 2
    Magic{"dmg", 0, "sprs"sv, container},     // sparse image
    Magic{"ewf", 0, "EVF\x09\x0D\x0A\xFF\0"sv, container},
    Magic{"ewf", 0, "EVF2\x0D\x0A\x81\0"sv, container},
    Magic{"ntfs", 3, "NTFS    "sv},
    Magic{"refs", 3, "ReFS\0\0\0\0"sv},
    Magic{"xfs", 0, "XFSB"sv},
    Magic{"f2fs", 1024, "\x10\x20\xF5\xF2"sv},
    Magic{"lvm", 512, "LABELONE"sv},
    Magic{"btrfs", 0x10040, "_BHRfS_M"sv},
    // The signature includes the following major version. Version 1.1 is at the start of the device, 1.2 at 4 KiB.
    Magic{"md_raid", 0, "\xFC\x4E\x2B\xA9\x01\0\0\0"sv},
    Magic{"md_raid", 4096, "\xFC\x4E\x2B\xA9\x01\0\0\0"sv},
};
std::optional<ContentSignature> core_storage(Raw head) {
    constexpr std::size_t signature_at = 88;
    if (!is_core_storage(head)) return std::nullopt;
    return ContentSignature{.file_system = "core_storage",
                            .at = {signature_at},
                            .length = 2_B,
                            .barrier = ContentBarrier::possibly_encrypted};
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

/// Source: swap(8) of util-linux and libblkid. A hibernated system replaces the signature.
std::optional<ContentSignature> swap_area(Raw head) {
    constexpr std::array names{"SWAPSPACE2"sv, "SWAP-SPACE"sv, "S1SUSPEND"sv,
                               "S2SUSPEND"sv,  "ULSUSPEND"sv,  "LINHIB0001"sv};
    constexpr Bytes from_end{10};
    for (const Bytes page : swap_pages)
        for (const std::string_view name : names)
            if (holds(head, (page - from_end).count, name))
                return ContentSignature{.file_system = "swap", .at = page - from_end, .length = {name.size()}};
    return std::nullopt;
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

std::string barrier_text(const ContentSignature& signature, Bytes at) {
    switch (signature.barrier) {
        case ContentBarrier::none:
            return {};
        case ContentBarrier::encrypted:
            return fmt::format("encrypted: {} by its signature at byte {}, its contents cannot be read",
                               signature.file_system, at.count);
        case ContentBarrier::possibly_encrypted:
            return fmt::format("possibly encrypted: {} by its signature at byte {}, its contents cannot be read",
                               signature.file_system, at.count);
        case ContentBarrier::container:
            return fmt::format(
                "container: an image file of the format {} by its signature at byte {}; convert it to a "
                "raw image to read its contents",
                signature.file_system, at.count);
    }
    return {};
}

bool is_barrier_text(std::string_view problem) {
    return problem.starts_with("encrypted: ") || problem.starts_with("possibly encrypted: ") ||
           problem.starts_with("container: ");
}

/// Source: libyal, "FileVault Drive Encryption (FVDE)", physical volume header.
bool is_core_storage(Raw head) {
    constexpr std::size_t version_at = 8, block_type_at = 10, size_at = 72, signature_at = 88;
    constexpr std::uint16_t header_version = 1, header_type = 0x10;
    return holds(head, signature_at, "CS") && load_le<std::uint16_t>(head, version_at) == header_version &&
           load_le<std::uint16_t>(head, block_type_at) == header_type && load_le<std::uint64_t>(head, size_at) != 0;
}

const std::array<Bytes, swap_pages.size() + most_optical_descriptors>& signature_places() {
    static constexpr auto places = [] {
        std::array<Bytes, swap_pages.size() + most_optical_descriptors> all{4_KiB};
        std::size_t next = 1;
        for (const Bytes page : swap_pages)
            if (page > 4_KiB) all[next++] = page - 16_B;
        for (std::size_t i = 0; i < most_optical_descriptors; ++i)
            all[next++] = optical_descriptors + optical_descriptor * i;
        std::ranges::sort(all);
        return all;
    }();
    return places;
}

namespace {

/// Source: Microsoft, "Virtual Hard Disk Image Format Specification", hard disk footer. The image of a fixed disk
/// consists of the contents and this footer.
bool is_vhd_footer(Raw footer, Bytes length) {
    constexpr std::size_t size_at = 48, sum_at = 64;
    if (!holds(footer, 0, "conectix")) return false;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < container_footer.count; ++i)
        if (i < sum_at || i >= sum_at + sizeof sum) sum += std::to_integer<std::uint32_t>(footer[i]);
    return load_be<std::uint32_t>(footer, sum_at) == ~sum &&
           load_be<std::uint64_t>(footer, size_at) == (length - container_footer).count;
}

/// Source: file(1): version 4, a trailer of 512 bytes; the data and the XML of macOS precede it.
bool is_udif_trailer(Raw trailer, Bytes length) {
    constexpr std::size_t data_at = 24, data_length_at = 32, list_at = 216, list_length_at = 224;
    if (!holds(trailer, 0, "koly\0\0\0\4\0\0\2\0"sv)) return false;
    const std::uint64_t before = (length - container_footer).count;
    const auto precedes = [&](std::size_t start_at, std::size_t length_at) {
        const auto start = load_be<std::uint64_t>(trailer, start_at);
        return start <= before && load_be<std::uint64_t>(trailer, length_at) <= before - start;
    };
    return precedes(data_at, data_length_at) && precedes(list_at, list_length_at);
}

} // namespace

std::optional<ContentSignature> recognise_container_footer(Raw footer, Bytes length) {
    if (footer.size() != container_footer.count || length < container_footer) return std::nullopt;
    constexpr std::string_view encrypted_v1 = "cdsaencr"; // macOS, encrypted image of version 1
    const Bytes at = length - container_footer, last = length - Bytes{encrypted_v1.size()};
    if (is_udif_trailer(footer, length))
        return ContentSignature{.file_system = "dmg", .at = at, .length = 4_B, .barrier = container};
    if (holds(footer, footer.size() - encrypted_v1.size(), encrypted_v1))
        return ContentSignature{
            .file_system = "dmg", .at = last, .length = {encrypted_v1.size()}, .barrier = encrypted};
    if (is_vhd_footer(footer, length))
        return ContentSignature{.file_system = "vhd", .at = at, .length = 8_B, .barrier = container};
    return std::nullopt;
}

std::vector<ContentSignature> recognise_signatures(Raw head) {
    std::vector<ContentSignature> found;
    for (const Magic& magic : magics)
        if (holds(head, magic.at, magic.bytes))
            found.push_back({.file_system = magic.file_system,
                             .at = {magic.at},
                             .length = {magic.bytes.size()},
                             .barrier = magic.barrier});
    if (auto locked = core_storage(head)) found.insert(found.begin(), *locked);
    if (auto swap = swap_area(head)) found.push_back(*swap);
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
