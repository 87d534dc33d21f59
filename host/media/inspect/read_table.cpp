// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/listing.hpp"

namespace mediarig::media {
namespace {

bool lies_within(Bytes medium, Bytes start, Bytes length) {
    return start < medium && length <= medium - start;
}

ListedPartition partition_at(const VolumeSpan& span) {
    return {.start = span.start, .length = span.length};
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
                add_problem(mine.problem,
                            fmt::format("the partition overlaps the partition at byte {}", other.start.count));
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
        ListedPartition partition = partition_at(span_on(medium.size(), entry, sector));
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

/// Lists the position in a GPT entry. Uses sectors as unit unless the position can be expressed in bytes: the numbers
/// may be arbitrary.
void list_span(const GptEntry& entry, Bytes sector, Listing& listing) {
    const Field start{"StartingLBA", 32, 8}, end{"EndingLBA", 40, 8};
    if (fits_into_bytes(entry, sector)) {
        listing.add("partition_start", byte_offset(entry.first, sector), start);
        listing.add("partition_length", sector * (entry.last.index - entry.first.index + 1), end);
        return;
    }
    const std::uint64_t less_one = entry.last.index - entry.first.index;
    listing.add("partition_start", entry.first.index, start, "sectors");
    // The count of sectors from 0 to the largest number needs 65 bits.
    listing.add("partition_length",
                less_one == std::numeric_limits<std::uint64_t>::max() ? std::string("18446744073709551616")
                                                                      : std::to_string(less_one + 1),
                end, "sectors");
}

ListedPartition place_gpt_partition(Bytes medium, const GptEntry& entry, Bytes sector) {
    ListedPartition partition = partition_at(span_on(medium, entry, sector));
    if (fits_into_bytes(entry, sector)) {
        const Bytes start = byte_offset(entry.first, sector);
        const Bytes length = sector * (entry.last.index - entry.first.index + 1);
        if (!lies_within(medium, start, length)) partition.problem = reaches_beyond(medium, start, length);
    } else {
        partition.problem =
            fmt::format("the partition from sector {} to sector {} reaches beyond the medium of {} bytes",
                        entry.first.index, entry.last.index, medium.count);
    }
    return partition;
}

void add_gpt_partition(const MediumReader& medium, const GptHeader& header, const GptEntry& entry, Bytes sector,
                       PartitionTable& table) {
    ListedPartition partition = place_gpt_partition(medium.size(), entry, sector);
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
    list_span(entry, sector, listing);
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

void read_gpt(const MediumReader& medium, const GptCopies& copies, Bytes sector, PartitionTable& table,
              Listing& listing) {
    table.scheme = "gpt";
    const auto& [first, last, between] = copies;
    if (!first) add_problem(table.problem, first.error().detail);
    if (!last) add_problem(table.problem, "backup: " + last.error().detail);
    const Lba end{medium.size() / sector - 1};
    if (first && first->header.alternate != end)
        add_problem(table.problem,
                    fmt::format("AlternateLBA: the backup GPT must be in sector {}, the last sector is {}",
                                first->header.alternate.index, end.index));
    if (first && copies.backup() != nullptr) compare_copies(*first, *copies.backup(), table);
    const GptCopy* const valid = copies.valid();
    if (valid == nullptr) return;
    list_gpt(*valid, last.has_value(), sector, listing);
    for (const GptEntry& entry : valid->entries) add_gpt_partition(medium, valid->header, entry, sector, table);
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
    const auto [head, mbr, gpt_sector, gpt] = read_table_sectors(medium, sector);
    if (!head && !gpt) return fail(head.error());
    PartitionTable table{.scheme = "none"};
    Listing listing;
    if (!head) add_problem(table.problem, "sector 0: " + head.error().detail);
    if (gpt_sector != sector)
        add_problem(table.problem, fmt::format("the GPT at byte {} counts in sectors of {} bytes, the medium in {}",
                                               gpt_sector.count, gpt_sector.count, sector.count));
    if (gpt) {
        read_gpt(medium, *gpt, gpt_sector, table, listing);
        if (mbr)
            note_hybrid(*mbr, table, listing);
        else if (head)
            add_problem(table.problem, "no protective MBR: " + mbr.error().detail);
    } else if (mbr) {
        read_mbr(medium, *head, *mbr, sector, table, listing);
    } else if (load_le<std::uint16_t>(*head, 510) == 0xAA55) {
        add_problem(table.problem, "partition table in sector 0: " + mbr.error().detail);
    }
    note_overlaps(table.partitions);
    table.parameters = listing.parameters();
    table.places = listing.places();
    return table;
}

} // namespace mediarig::media
