// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/media/identity/medium.hpp"

namespace mediarig::media {

Result<std::vector<MbrEntry>> parse_mbr(Raw sector) {
    if (sector.size() < 512 || load_le<std::uint16_t>(sector, 510) != 0xAA55)
        return fail(Errc::bad_format, "BootSignature");
    std::vector<MbrEntry> used;
    for (std::size_t i = 0; i < 4; ++i) {
        const Raw raw = sector.subspan(446 + 16 * i, 16);
        if (all_equal(raw, std::byte{0})) continue;
        const auto status = load_le<std::uint8_t>(raw, 0);
        if (status != 0x00 && status != 0x80)
            return fail(Errc::bad_format, fmt::format("entry {} has status {:#04x}", i + 1, status));
        const MbrEntry entry{.number = static_cast<std::uint8_t>(i + 1),
                             .type = load_le<std::uint8_t>(raw, 4),
                             .active = status == 0x80,
                             .first = {load_le<std::uint32_t>(raw, 8)},
                             .sectors = load_le<std::uint32_t>(raw, 12)};
        if (entry.type == 0) continue;
        if (entry.sectors == 0) return fail(Errc::bad_format, fmt::format("entry {} is empty", i + 1));
        if (entry.first.index == 0) return fail(Errc::bad_format, fmt::format("entry {} starts at sector 0", i + 1));
        used.push_back(entry);
    }
    return used;
}

bool is_protective(const std::vector<MbrEntry>& entries) {
    return std::any_of(entries.begin(), entries.end(), [](const MbrEntry& entry) { return entry.type == 0xEE; });
}

bool is_gpt(Raw sector) {
    return sector.size() >= 512 && std::memcmp(sector.data(), "EFI PART", 8) == 0;
}

Result<GptHeader> parse_gpt_header(Raw sector, Lba where) {
    if (!is_gpt(sector)) return fail(Errc::bad_format, "Signature");
    const auto size = load_le<std::uint32_t>(sector, 0x0C);
    if (size < 92 || size > sector.size()) return fail(Errc::bad_format, "HeaderSize");
    std::vector<std::byte> header(sector.begin(), sector.begin() + static_cast<std::ptrdiff_t>(size));
    std::fill_n(header.begin() + 0x10, 4, std::byte{0});
    if (crc32(header) != load_le<std::uint32_t>(sector, 0x10)) return fail(Errc::bad_format, "HeaderCRC32");

    GptHeader parsed{.mine = {load_le<std::uint64_t>(sector, 0x18)},
                     .alternate = {load_le<std::uint64_t>(sector, 0x20)},
                     .first_usable = {load_le<std::uint64_t>(sector, 0x28)},
                     .last_usable = {load_le<std::uint64_t>(sector, 0x30)},
                     .disk_guid = guid_text(sector.subspan(0x38, 16)),
                     .entries = {load_le<std::uint64_t>(sector, 0x48)},
                     .entry_count = load_le<std::uint32_t>(sector, 0x50),
                     .entry_size = load_le<std::uint32_t>(sector, 0x54),
                     .checksum = load_le<std::uint32_t>(sector, 0x10),
                     .entries_checksum = load_le<std::uint32_t>(sector, 0x58)};
    if (load_le<std::uint32_t>(sector, 0x08) != 0x00010000) return fail(Errc::bad_format, "Revision");
    if (load_le<std::uint32_t>(sector, 0x14) != 0) return fail(Errc::bad_format, "Reserved");
    if (parsed.mine != where) return fail(Errc::bad_format, "MyLBA");
    if (parsed.first_usable > parsed.last_usable) return fail(Errc::bad_format, "FirstUsableLBA and LastUsableLBA");
    if (parsed.entry_size < 128 || parsed.entry_size > 4096 || parsed.entry_size % 8 != 0)
        return fail(Errc::bad_format, "SizeOfPartitionEntry");
    if (parsed.entry_count > highest_partition) return fail(Errc::bad_format, "NumberOfPartitionEntries");
    return parsed;
}

Result<std::vector<GptEntry>> parse_gpt_entries(Raw entries, const GptHeader& header) {
    if (entries.size() != header.entries_length().count || crc32(entries) != header.entries_checksum)
        return fail(Errc::bad_format, "PartitionEntryArrayCRC32");
    std::vector<GptEntry> used;
    for (std::size_t i = 0; i < header.entry_count; ++i) {
        const Raw raw = entries.subspan(i * header.entry_size, header.entry_size);
        if (all_equal(raw.first(16), std::byte{0})) continue;
        GptEntry entry{.number = static_cast<std::uint32_t>(i + 1),
                       .type = guid_text(raw.first(16)),
                       .guid = guid_text(raw.subspan(16, 16)),
                       .first = {load_le<std::uint64_t>(raw, 32)},
                       .last = {load_le<std::uint64_t>(raw, 40)},
                       .name = text_from_utf16(raw.subspan(56, 72)),
                       .attributes = load_le<std::uint64_t>(raw, 48)};
        if (entry.last < entry.first)
            return fail(Errc::bad_format, fmt::format("entry {} ends before it begins (EndingLBA)", i + 1));
        used.push_back(std::move(entry));
    }
    return used;
}

} // namespace mediarig::media
