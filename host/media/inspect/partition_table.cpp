// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/partition_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

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

Result<GptCopy> read_gpt_copy(const MediumReader& medium, Lba where, Bytes sector) {
    const Bytes at = byte_offset(where, sector);
    const auto raw = medium.read(at, sector);
    if (!raw)
        return fail(raw.error().code, fmt::format("GPT header in sector {}: {}", where.index, raw.error().detail));
    const auto header = parse_gpt_header(*raw, where);
    const auto wrong = [&](const char* what, const std::string& detail) {
        return fail(Errc::bad_format, fmt::format("{} sector {} (byte {}): {}", what, where.index, at.count, detail));
    };
    if (!header) return wrong("GPT header in", header.error().detail);
    if (header->entries.index > medium.size() / sector) return wrong("GPT header in", "PartitionEntryLBA");
    const auto array = medium.read(byte_offset(header->entries, sector), header->entries_length());
    if (!array)
        return fail(array.error().code,
                    fmt::format("entries of the GPT of sector {}: {}", where.index, array.error().detail));
    const auto entries = parse_gpt_entries(*array, *header);
    if (!entries) return wrong("GPT of", entries.error().detail);
    return GptCopy{*header, *entries};
}

bool is_gpt_at(const MediumReader& medium, Bytes sector) {
    const auto raw = medium.read(sector, 512_B);
    return raw && is_gpt(*raw);
}

namespace {

GptCopies read_gpt_copies(const MediumReader& medium, Bytes sector) {
    const Lba end{medium.size() / sector - 1};
    GptCopies copies{.first = read_gpt_copy(medium, Lba{1}, sector), .last = read_gpt_copy(medium, end, sector)};
    // After an image was restored to a larger medium, its backup GPT is not at the end.
    if (copies.first && !copies.last && copies.first->header.alternate < end)
        if (auto backup = read_gpt_copy(medium, copies.first->header.alternate, sector))
            copies.between = std::move(*backup);
    return copies;
}

VolumeSpan limited(Bytes medium, Bytes start, Bytes length, std::uint32_t number) {
    const Bytes from = std::min(start, medium);
    return {.start = from, .length = std::min(length, medium - from), .partition = number};
}

} // namespace

TableSectors read_table_sectors(const MediumReader& medium, Bytes sector) {
    TableSectors found{.head = medium.read({}, 512_B), .mbr = {}, .gpt_sector = sector, .gpt = {}};
    if (found.head)
        found.mbr = parse_mbr(*found.head);
    else
        found.mbr = fail(found.head.error());
    const Bytes other = sector == 512_B ? 4_KiB : 512_B;
    bool has_header = is_gpt_at(medium, sector);
    if (!has_header && is_gpt_at(medium, other)) {
        has_header = true;
        found.gpt_sector = other;
    }
    if (has_header || (found.mbr && is_protective(*found.mbr))) {
        found.gpt = read_gpt_copies(medium, found.gpt_sector);
    } else if (!found.head) {
        auto copies = read_gpt_copies(medium, sector);
        if (copies.last) found.gpt = std::move(copies);
    }
    return found;
}

VolumeSpan span_on(Bytes medium, const MbrEntry& entry, Bytes sector) {
    return limited(medium, byte_offset(entry.first, sector), sector * entry.sectors, entry.number);
}

VolumeSpan span_on(Bytes medium, const GptEntry& entry, Bytes sector) {
    if (fits_into_bytes(entry, sector))
        return limited(medium, byte_offset(entry.first, sector), sector * (entry.last.index - entry.first.index + 1),
                       entry.number);
    // Only the end of the partition is too large; the start may be on the medium.
    const Lba first = std::min(entry.first, Lba{medium / sector});
    return limited(medium, byte_offset(first, sector), medium, entry.number);
}

bool fits_into_bytes(const GptEntry& entry, Bytes sector) {
    return entry.last.index < Bytes{std::numeric_limits<std::uint64_t>::max()} / sector;
}

std::vector<VolumeSpan> partition_spans(const MediumReader& medium, Bytes sector) {
    const TableSectors found = read_table_sectors(medium, sector);
    std::vector<VolumeSpan> spans;
    if (found.gpt) {
        if (const GptCopy* const valid = found.gpt->valid())
            for (const GptEntry& entry : valid->entries)
                spans.push_back(span_on(medium.size(), entry, found.gpt_sector));
    } else if (found.mbr) {
        for (const MbrEntry& entry : *found.mbr) spans.push_back(span_on(medium.size(), entry, sector));
    }
    return spans;
}

} // namespace mediarig::media
