// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/listing.hpp"

namespace mediarig::media {
namespace {

bool lies_within(Bytes medium, Bytes start, Bytes length) {
    return start < medium && length <= medium - start;
}

ListedPartition cut_to(Bytes medium, Bytes start, Bytes length) {
    const Bytes from = std::min(start, medium);
    return {.start = from, .length = std::min(length, medium - from)};
}

std::string reaches_beyond(Bytes medium, Bytes start, Bytes length) {
    return fmt::format("the partition of {} bytes at byte {} reaches beyond the medium of {} bytes", length.count,
                       start.count, medium.count);
}

void note_overlaps(std::vector<ListedPartition>& partitions) {
    for (std::size_t i = 0; i < partitions.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const ListedPartition& other = partitions[k];
            ListedPartition& mine = partitions[i];
            if (mine.start < other.start + other.length && other.start < mine.start + mine.length) {
                add_problem(mine.problem, fmt::format("it overlaps the partition at byte {}", other.start.count));
                break; // limits a table of a thousand overlapping partitions to one problem each
            }
        }
}

struct Chs {
    std::uint32_t cylinder{}, head{}, sector{};
};

Chs decode_chs(Raw three_bytes) {
    const auto middle = load_le<std::uint8_t>(three_bytes, 1);
    return {.cylinder = static_cast<std::uint32_t>((middle & 0xC0) << 2 | load_le<std::uint8_t>(three_bytes, 2)),
            .head = load_le<std::uint8_t>(three_bytes, 0),
            .sector = static_cast<std::uint32_t>(middle & 0x3F)};
}

void take_over(const Listing& listing, ListedPartition& partition) {
    partition.parameters = listing.parameters();
    partition.places = listing.places();
}

void read_mbr(const MediumReader& medium, Raw sector0, const std::vector<MbrEntry>& entries, Bytes sector,
              PartitionTable& table, Listing& listing) {
    table.scheme = "mbr";
    listing.add("disk_signature", fmt::format("{:08x}", load_le<std::uint32_t>(sector0, 0x1B8)),
                {"disk signature", 0x1B8, 4});
    for (const MbrEntry& entry : entries) {
        const Bytes start = byte_offset(entry.first, sector), length = sector * entry.sectors;
        ListedPartition partition = cut_to(medium.size(), start, length);
        if (!lies_within(medium.size(), start, length))
            partition.problem = reaches_beyond(medium.size(), start, length);
        const Bytes at = mbr_entries + mbr_entry_length * (entry.number - 1u);
        const Chs chs = decode_chs(sector0.subspan(at.count + 1, 3));
        Listing of_entry;
        of_entry.structure(at);
        of_entry.add_computed("partition_number", std::to_string(entry.number));
        of_entry.add("partition_type", fmt::format("0x{:02x}", entry.type), {"type", 4, 1});
        of_entry.add("partition_start", start, {"start LBA", 8, 4});
        of_entry.add("partition_length", length, {"sectors", 12, 4});
        of_entry.add_flag("partition_active", entry.active, {"status", 0, 1});
        of_entry.add("partition_chs_start", fmt::format("{}/{}/{}", chs.cylinder, chs.head, chs.sector),
                     {"CHS first", 1, 3});
        take_over(of_entry, partition);
        table.partitions.push_back(std::move(partition));
    }
}

struct GptCopy {
    GptHeader header;
    std::vector<GptEntry> entries;
};

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

void list_gpt(const GptCopy& copy, bool backup_at_end, Bytes sector, Listing& listing) {
    const GptHeader& header = copy.header;
    listing.structure(byte_offset(header.mine, sector));
    listing.add("disk_guid", header.disk_guid, {"DiskGUID", 0x38, 16});
    listing.add("first_usable", byte_offset(header.first_usable, sector), {"FirstUsableLBA", 0x28, 8});
    listing.add("last_usable", header.last_usable.index, {"LastUsableLBA", 0x30, 8}, "sectors");
    listing.add("alternate_header", header.alternate.index, {"AlternateLBA", 0x20, 8}, "sectors");
    listing.add("entries_start", byte_offset(header.entries, sector), {"PartitionEntryLBA", 0x48, 8});
    listing.add("entry_count", header.entry_count, {"NumberOfPartitionEntries", 0x50, 4});
    listing.add("entry_size", Bytes{header.entry_size}, {"SizeOfPartitionEntry", 0x54, 4});
    listing.add("header_checksum", fmt::format("{:#010x}", header.checksum), {"HeaderCRC32", 0x10, 4});
    listing.add("entries_checksum", fmt::format("{:#010x}", header.entries_checksum),
                {"PartitionEntryArrayCRC32", 0x58, 4});
    listing.add_computed("backup_at_end", Listing::yes_no(backup_at_end));
    listing.add_computed("table_sector_size", std::to_string(sector.count), "B");
}

/// Lists the position in a GPT entry. Uses sectors unless the position fits into bytes: the numbers may be arbitrary.
void list_span(const GptEntry& entry, Bytes sector, bool counts_in_bytes, Listing& listing) {
    const Field start{"StartingLBA", 32, 8}, end{"EndingLBA", 40, 8};
    if (counts_in_bytes) {
        listing.add("partition_start", byte_offset(entry.first, sector), start);
        listing.add("partition_length", sector * (entry.last.index - entry.first.index + 1), end);
        return;
    }
    const std::uint64_t less_one = entry.last.index - entry.first.index;
    listing.add("partition_start", entry.first.index, start, "sectors");
    // The full range of sectors is one more than 64 bits can represent.
    listing.add("partition_length",
                less_one == std::numeric_limits<std::uint64_t>::max() ? std::string("18446744073709551616")
                                                                      : std::to_string(less_one + 1),
                end, "sectors");
}

ListedPartition place_gpt_partition(Bytes medium, const GptEntry& entry, Bytes sector, bool counts_in_bytes) {
    if (counts_in_bytes) {
        const Bytes start = byte_offset(entry.first, sector);
        const Bytes length = sector * (entry.last.index - entry.first.index + 1);
        ListedPartition partition = cut_to(medium, start, length);
        if (!lies_within(medium, start, length)) partition.problem = reaches_beyond(medium, start, length);
        return partition;
    }
    // Only its end is too large; the start may be on the medium.
    const Lba first = std::min(entry.first, Lba{medium / sector});
    ListedPartition partition = cut_to(medium, byte_offset(first, sector), medium);
    partition.problem = fmt::format("the partition from sector {} to sector {} reaches beyond the medium of {} bytes",
                                    entry.first.index, entry.last.index, medium.count);
    return partition;
}

void add_gpt_partition(const MediumReader& medium, const GptHeader& header, const GptEntry& entry, Bytes sector,
                       PartitionTable& table) {
    const bool counts_in_bytes = entry.last.index < Bytes{std::numeric_limits<std::uint64_t>::max()} / sector;
    ListedPartition partition = place_gpt_partition(medium.size(), entry, sector, counts_in_bytes);
    if (entry.first < header.first_usable)
        add_problem(partition.problem, fmt::format("its StartingLBA {} is below FirstUsableLBA {}", entry.first.index,
                                                   header.first_usable.index));
    if (entry.last > header.last_usable)
        add_problem(partition.problem, fmt::format("its EndingLBA {} is above LastUsableLBA {}", entry.last.index,
                                                   header.last_usable.index));
    Listing listing;
    listing.structure(byte_offset(header.entries, sector) + Bytes{header.entry_size} * (entry.number - 1u));
    listing.add_computed("partition_number", std::to_string(entry.number));
    listing.add("partition_type", entry.type, {"PartitionTypeGUID", 0, 16});
    listing.add("partition_guid", entry.guid, {"UniquePartitionGUID", 16, 16});
    if (!entry.name.empty()) listing.add("partition_name", entry.name, {"PartitionName", 56, 72});
    list_span(entry, sector, counts_in_bytes, listing);
    listing.add("partition_attributes", fmt::format("{:#x}", entry.attributes), {"Attributes", 48, 8});
    take_over(listing, partition);
    table.partitions.push_back(std::move(partition));
}

/// Checks the fields that must be equal in both copies.
void compare_copies(const GptCopy& copy, const GptCopy& backup, PartitionTable& table) {
    const auto differs = [&](const char* field) {
        add_problem(table.problem, fmt::format("{} of the backup GPT in sector {} differs from that of sector {}",
                                               field, backup.header.mine.index, copy.header.mine.index));
    };
    if (copy.header.disk_guid != backup.header.disk_guid) differs("DiskGUID");
    if (copy.header.first_usable != backup.header.first_usable) differs("FirstUsableLBA");
    if (copy.header.last_usable != backup.header.last_usable) differs("LastUsableLBA");
    if (backup.header.alternate != copy.header.mine) differs("AlternateLBA");
    const std::size_t common = std::min(copy.entries.size(), backup.entries.size());
    for (std::size_t i = 0; i < common; ++i)
        if (copy.entries[i] != backup.entries[i])
            return differs(fmt::format("entry {}", copy.entries[i].number).c_str());
    if (copy.entries.size() != backup.entries.size()) differs("the number of entries");
}

void read_gpt(const MediumReader& medium, Bytes sector, PartitionTable& table, Listing& listing) {
    table.scheme = "gpt";
    const Lba end{medium.size() / sector - 1};
    auto copy = read_gpt_copy(medium, Lba{1}, sector);
    auto backup = read_gpt_copy(medium, end, sector);
    const bool backup_at_end = backup.has_value();
    if (!copy) add_problem(table.problem, copy.error().detail);
    if (!backup) add_problem(table.problem, "backup: " + backup.error().detail);
    if (copy && copy->header.alternate != end) {
        // After an image was restored to a larger medium, its backup GPT is not at the end.
        add_problem(table.problem,
                    fmt::format("AlternateLBA: the backup GPT belongs into sector {}, the last one is {}",
                                copy->header.alternate.index, end.index));
        if (!backup && copy->header.alternate < end) backup = read_gpt_copy(medium, copy->header.alternate, sector);
    }
    if (copy && backup) compare_copies(*copy, *backup, table);
    if (!copy && backup) copy = backup;
    if (!copy) return;
    list_gpt(*copy, backup_at_end, sector, listing);
    for (const GptEntry& entry : copy->entries) add_gpt_partition(medium, copy->header, entry, sector, table);
}

/// A protective MBR has exactly one entry, of type EE, from sector 1.
void note_hybrid(const std::vector<MbrEntry>& entries, PartitionTable& table, Listing& listing) {
    const auto others = std::ranges::count_if(entries, [](const MbrEntry& entry) { return entry.type != 0xEE; });
    listing.structure({});
    listing.add_flag("hybrid_mbr", others > 0, {"MBR entries", mbr_entries.count, (mbr_entry_length * 4).count});
    for (const MbrEntry& entry : entries)
        if (entry.type == 0xEE && entry.first != Lba{1})
            add_problem(table.problem, fmt::format("protective MBR: StartingLBA of entry {} is {}, 1 expected",
                                                   entry.number, entry.first.index));
}

bool is_gpt_at(const MediumReader& medium, Bytes sector) {
    const auto raw = medium.read(sector, 512_B);
    return raw && is_gpt(*raw);
}

/// Sector size used by the table: that of the medium, unless the GPT is at the position for the other size.
Bytes sector_of_table(const MediumReader& medium, Bytes sector, PartitionTable& table) {
    const Bytes other = sector == 512_B ? 4_KiB : 512_B;
    if (is_gpt_at(medium, sector) || !is_gpt_at(medium, other)) return sector;
    add_problem(table.problem, fmt::format("the GPT at byte {} counts in sectors of {} bytes, the medium in {}",
                                           other.count, other.count, sector.count));
    return other;
}

} // namespace

TableEvidence look_for_table(const MediumReader& medium, Bytes sector, Raw head) {
    TableEvidence evidence;
    for (const Bytes counted_in : {sector, sector == 512_B ? 4_KiB : 512_B})
        evidence.valid_gpt = evidence.valid_gpt ||
                             (is_gpt_at(medium, counted_in) && read_gpt_copy(medium, Lba{1}, counted_in).has_value());
    const auto mbr = parse_mbr(head);
    if (!mbr) return evidence;
    evidence.protective_mbr = is_protective(*mbr);
    const std::uint64_t sectors = medium.size() / sector;
    evidence.partition_inside = std::ranges::any_of(*mbr, [sectors](const MbrEntry& entry) {
        return entry.first.index < sectors && (entry.type == 0xEE || entry.sectors <= sectors - entry.first.index);
    });
    return evidence;
}

Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector) {
    PartitionTable table{.scheme = "none"};
    Listing listing;
    const auto head = medium.read({}, 512_B);
    if (!head) add_problem(table.problem, "sector 0: " + head.error().detail);
    const auto mbr = head ? parse_mbr(*head) : Result<std::vector<MbrEntry>>(fail(head.error()));
    const Bytes counted_in = sector_of_table(medium, sector, table);
    if (is_gpt_at(medium, counted_in) || (mbr && is_protective(*mbr))) {
        read_gpt(medium, counted_in, table, listing);
        if (mbr)
            note_hybrid(*mbr, table, listing);
        else if (head)
            add_problem(table.problem, "no protective MBR: " + mbr.error().detail);
    } else if (mbr) {
        read_mbr(medium, *head, *mbr, sector, table, listing);
    } else if (head && load_le<std::uint16_t>(*head, 510) == 0xAA55) {
        add_problem(table.problem, "partition table in sector 0: " + mbr.error().detail);
    } else if (!head) {
        // Fallback: the backup of a GPT may still describe the partitions.
        const auto backup = read_gpt_copy(medium, Lba{medium.size() / sector - 1}, sector);
        if (!backup) return fail(head.error());
        read_gpt(medium, sector, table, listing);
    }
    note_overlaps(table.partitions);
    table.parameters = listing.parameters();
    table.places = listing.places();
    return table;
}

} // namespace mediarig::media
