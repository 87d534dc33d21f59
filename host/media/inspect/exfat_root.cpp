// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <bit>

#include "host/media/inspect/exfat.hpp"

namespace mediarig::media {
namespace {

constexpr std::size_t entry_size = 32;

ExfatExtent extent_of(Raw entry) {
    return {.first_cluster = load_le<std::uint32_t>(entry, 20), .length = {load_le<std::uint64_t>(entry, 24)}};
}

/// Whether the extent starts and, taken as contiguous, ends in the cluster heap.
bool fits(const ExfatExtent& extent, const ExfatBoot& boot) {
    if (!boot.holds_cluster(extent.first_cluster) || extent.length.count == 0) return false;
    const std::uint64_t clusters_left = std::uint64_t{boot.cluster_count} + 2 - extent.first_cluster;
    return extent.length <= boot.cluster_size * clusters_left;
}

/// SetChecksum of section 6.3.3, for a set of one entry; skips itself.
std::uint16_t set_checksum(Raw entry) {
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i < entry.size(); ++i)
        if (i != 2 && i != 3)
            sum = static_cast<std::uint16_t>(std::rotr(sum, 1) + std::to_integer<std::uint16_t>(entry[i]));
    return sum;
}

} // namespace

bool exfat_directory_ends(Raw entries) {
    for (std::size_t at = 0; at + entry_size <= entries.size(); at += entry_size)
        if (entries[at] == std::byte{0}) return true;
    return false;
}

Result<ExfatRoot> parse_exfat_root(Raw entries, const ExfatBoot& boot) {
    ExfatRoot root;
    bool has_bitmap = false, has_upcase = false;
    for (std::size_t at = 0; at + entry_size <= entries.size(); at += entry_size) {
        const Raw entry = entries.subspan(at, entry_size);
        const auto type = load_le<std::uint8_t>(entry, 0);
        if (type == 0x00) break;
        switch (type) {
            case 0x81:
                // Flag bit 0 marks the second bitmap, which TexFAT has.
                if ((load_le<std::uint8_t>(entry, 1) & 1) != 0) {
                    root.second_bitmap = extent_of(entry);
                    break;
                }
                if (has_bitmap) break;
                root.bitmap = extent_of(entry);
                root.bitmap_entry = {at};
                has_bitmap = true;
                break;
            case 0x82:
                root.upcase = extent_of(entry);
                root.upcase_entry = {at};
                root.upcase_checksum = load_le<std::uint32_t>(entry, 4);
                has_upcase = true;
                break;
            case 0x83: {
                const auto characters = load_le<std::uint8_t>(entry, 1);
                if (characters > 11)
                    return fail(Errc::bad_format, fmt::format("volume label of {} characters", characters));
                if (characters > 0) root.label = text_from_utf16(entry.subspan(2, characters * std::size_t{2}));
                break;
            }
            case 0xA0:
                root.volume_guid = guid_text(entry.subspan(6, 16));
                root.guid_entry = {at};
                root.guid_checksum_valid = set_checksum(entry) == load_le<std::uint16_t>(entry, 2);
                break;
            case 0x85:
                ++root.files;
                break;
            default:
                break;
        }
    }
    if (!has_bitmap) return fail(Errc::bad_format, "no allocation bitmap in the root directory");
    if (!has_upcase) return fail(Errc::bad_format, "no up-case table in the root directory");
    if (!fits(root.bitmap, boot) || root.bitmap.length.count < (std::uint64_t{boot.cluster_count} + 7) / 8)
        return fail(Errc::bad_format, fmt::format("allocation bitmap: cluster {}, {} bytes", root.bitmap.first_cluster,
                                                  root.bitmap.length.count));
    // One UTF-16 unit for each character is the largest table there can be.
    if (!fits(root.upcase, boot) || root.upcase.length > 128_KiB)
        return fail(Errc::bad_format, fmt::format("up-case table: cluster {}, {} bytes", root.upcase.first_cluster,
                                                  root.upcase.length.count));
    return root;
}

} // namespace mediarig::media
