// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/read_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace mediarig::media {
namespace {

void append(std::string& problem, const std::string& found) {
    if (found.empty()) return;
    problem += problem.empty() ? found : "; " + found;
}

/// Keeps parameters and places in step.
class Listing {
public:
    Listing(Parameters& parameters, Places& places) : parameters_(parameters), places_(places) {}
    void add(const char* name, std::string value, const char* field, const char* unit, Bytes at, Bytes length) {
        parameters_.emplace_back(name, std::move(value));
        places_.push_back({.name = name, .field = field, .unit = unit, .at = at, .length = length});
    }
    void add_computed(const char* name, std::string value, const char* unit = "") {
        parameters_.emplace_back(name, std::move(value));
        places_.push_back({.name = name, .field = {}, .unit = unit, .at = {}, .length = {}});
    }

private:
    Parameters& parameters_;
    Places& places_;
};

ListedPartition cut_to(Bytes medium, Bytes start, Bytes length) {
    ListedPartition partition{.start = start, .length = length};
    if (start >= medium || length > medium - start) {
        partition.problem = fmt::format("the partition of {} bytes at byte {} reaches beyond the medium of {} bytes",
                                        length.count, start.count, medium.count);
        partition.length = start < medium ? medium - start : Bytes{0};
    }
    return partition;
}

void note_overlaps(std::vector<ListedPartition>& partitions) {
    for (std::size_t i = 0; i < partitions.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const ListedPartition& other = partitions[k];
            ListedPartition& mine = partitions[i];
            if (mine.start < other.start + other.length && other.start < mine.start + mine.length)
                append(mine.problem, fmt::format("it overlaps the partition at byte {}", other.start.count));
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

void read_mbr(const MediumReader& medium, Raw sector0, const std::vector<MbrEntry>& entries, Bytes sector,
              PartitionTable& table) {
    table.scheme = "mbr";
    Listing(table.parameters, table.places)
        .add("disk_signature", fmt::format("{:08x}", load_le<std::uint32_t>(sector0, 0x1B8)), "disk signature", "",
             0x1B8_B, 4_B);
    for (const MbrEntry& entry : entries) {
        ListedPartition partition = cut_to(medium.size(), byte_offset(entry.first, sector), sector * entry.sectors);
        const Bytes at = mbr_entries + mbr_entry_length * (entry.number - 1u);
        const Chs chs = decode_chs(sector0.subspan(at.count + 1, 3));
        Listing listing(partition.parameters, partition.places);
        listing.add("partition_type", fmt::format("0x{:02x}", entry.type), "type", "", at + 4_B, 1_B);
        listing.add("partition_start", std::to_string(byte_offset(entry.first, sector).count), "start LBA", "B",
                    at + 8_B, 4_B);
        listing.add("partition_length", std::to_string((sector * entry.sectors).count), "sectors", "B", at + 12_B, 4_B);
        listing.add("partition_active", entry.active ? "yes" : "no", "status", "", at, 1_B);
        listing.add("partition_chs_start", fmt::format("{}/{}/{}", chs.cylinder, chs.head, chs.sector), "CHS first", "",
                    at + 1_B, 3_B);
        table.partitions.push_back(std::move(partition));
    }
}

struct GptCopy {
    GptHeader header;
    std::vector<GptEntry> entries;
};

Result<GptCopy> read_gpt_copy(const MediumReader& medium, Lba where, Bytes sector) {
    const auto raw = medium.read(byte_offset(where, sector), sector);
    if (!raw) return fail(raw.error());
    const auto header = parse_gpt_header(*raw, where);
    if (!header)
        return fail(Errc::bad_format, fmt::format("GPT header in sector {}: {}", where.index, header.error().detail));
    if (header->entries.index > medium.size() / sector) return fail(Errc::bad_format, "GPT header: PartitionEntryLBA");
    const auto array = medium.read(byte_offset(header->entries, sector), header->entries_length());
    if (!array) return fail(array.error());
    const auto entries = parse_gpt_entries(*array, *header);
    if (!entries)
        return fail(Errc::bad_format, fmt::format("GPT of sector {}: {}", where.index, entries.error().detail));
    return GptCopy{*header, *entries};
}

void list_gpt(const GptCopy& copy, bool backup_at_end, Bytes sector, PartitionTable& table) {
    const Bytes at = byte_offset(copy.header.mine, sector);
    Listing listing(table.parameters, table.places);
    listing.add("disk_guid", copy.header.disk_guid, "DiskGUID", "", at + 0x38_B, 16_B);
    listing.add("first_usable", std::to_string(byte_offset(copy.header.first_usable, sector).count), "FirstUsableLBA",
                "B", at + 0x28_B, 8_B);
    listing.add("last_usable", std::to_string(copy.header.last_usable.index), "LastUsableLBA", "sectors", at + 0x30_B,
                8_B);
    listing.add("alternate_header", std::to_string(copy.header.alternate.index), "AlternateLBA", "sectors", at + 0x20_B,
                8_B);
    listing.add("entry_count", std::to_string(copy.header.entry_count), "NumberOfPartitionEntries", "", at + 0x50_B,
                4_B);
    listing.add_computed("backup_at_end", backup_at_end ? "yes" : "no");
}

void add_gpt_partition(const MediumReader& medium, const GptHeader& header, const GptEntry& entry, Bytes sector,
                       PartitionTable& table) {
    const std::uint64_t sectors = medium.size() / sector;
    // What lies outside is cut before it is multiplied: the numbers are the medium's and may be anything.
    const Lba first = std::min(entry.first, Lba{sectors}), last = std::min(entry.last, Lba{sectors});
    ListedPartition partition =
        cut_to(medium.size(), byte_offset(first, sector), sector * (last.index - first.index + 1));
    const Bytes at = byte_offset(header.entries, sector) + Bytes{header.entry_size} * (entry.number - 1u);
    Listing listing(partition.parameters, partition.places);
    listing.add("partition_type", entry.type, "PartitionTypeGUID", "", at, 16_B);
    listing.add("partition_guid", entry.guid, "UniquePartitionGUID", "", at + 16_B, 16_B);
    if (!entry.name.empty()) listing.add("partition_name", entry.name, "PartitionName", "", at + 56_B, 72_B);
    listing.add("partition_start", std::to_string(byte_offset(first, sector).count), "StartingLBA", "B", at + 32_B,
                8_B);
    listing.add("partition_length", std::to_string((sector * (last.index - first.index + 1)).count), "EndingLBA", "B",
                at + 40_B, 8_B);
    listing.add("partition_attributes", fmt::format("{:#x}", entry.attributes), "Attributes", "", at + 48_B, 8_B);
    table.partitions.push_back(std::move(partition));
}

void read_gpt(const MediumReader& medium, Bytes sector, PartitionTable& table) {
    table.scheme = "gpt";
    const Lba end{medium.size() / sector - 1};
    auto copy = read_gpt_copy(medium, Lba{1}, sector);
    const auto backup = read_gpt_copy(medium, end, sector);
    if (!copy) append(table.problem, copy.error().detail);
    // An image restored to a larger medium has its backup somewhere in the middle.
    if (!backup) append(table.problem, "backup: " + backup.error().detail);
    if (copy && backup && copy->entries != backup->entries)
        append(table.problem, "the backup GPT lists other partitions");
    if (copy && copy->header.alternate != end)
        append(table.problem, fmt::format("the backup GPT belongs into sector {}, the last one is {}",
                                          copy->header.alternate.index, end.index));
    if (!copy && backup) copy = backup;
    if (!copy) return;
    list_gpt(*copy, backup.has_value(), sector, table);
    for (const GptEntry& entry : copy->entries) add_gpt_partition(medium, copy->header, entry, sector, table);
}

/// A protective MBR has one entry of type EE and nothing else.
void note_hybrid(const std::vector<MbrEntry>& entries, PartitionTable& table) {
    const auto others = std::ranges::count_if(entries, [](const MbrEntry& entry) { return entry.type != 0xEE; });
    Listing(table.parameters, table.places)
        .add("hybrid_mbr", others > 0 ? "yes" : "no", "MBR entries", "", mbr_entries, mbr_entry_length * 4);
}

} // namespace

Result<PartitionTable> read_partition_table(const MediumReader& medium, Bytes sector) {
    const auto head = medium.read({}, 512_B);
    if (!head) return fail(head.error());
    PartitionTable table{.scheme = "none"};
    const auto mbr = parse_mbr(*head);
    const auto second = medium.read(sector, 512_B);
    if ((second && is_gpt(*second)) || (mbr && is_protective(*mbr))) {
        read_gpt(medium, sector, table);
        if (mbr)
            note_hybrid(*mbr, table);
        else
            append(table.problem, "no protective MBR: " + mbr.error().detail);
    } else if (mbr) {
        read_mbr(medium, *head, *mbr, sector, table);
    } else if (load_le<std::uint16_t>(*head, 510) == 0xAA55) {
        table.problem = "partition table in sector 0: " + mbr.error().detail;
    }
    note_overlaps(table.partitions);
    return table;
}

std::string partition_type_title(const std::string& type) {
    using Title = std::pair<const char*, const char*>;
    static constexpr std::array titles{
        Title{"0x01", "FAT12"},
        Title{"0x04", "FAT16 below 32 MiB"},
        Title{"0x06", "FAT16"},
        Title{"0x07", "exFAT, NTFS or HPFS"},
        Title{"0x0b", "FAT32, CHS"},
        Title{"0x0c", "FAT32, LBA"},
        Title{"0x0e", "FAT16, LBA"},
        Title{"0x83", "Linux"},
        Title{"0xaf", "HFS or HFS+"},
        Title{"0xee", "protective, GPT"},
        Title{"0xef", "EFI system"},
        Title{"ebd0a0a2-b9e5-4433-87c0-68b6b72699c7", "Microsoft basic data"},
        Title{"48465300-0000-11aa-aa11-00306543ecac", "Apple HFS+"},
        Title{"7c3457ef-0000-11aa-aa11-00306543ecac", "Apple APFS"},
        Title{"c12a7328-f81f-11d2-ba4b-00a0c93ec93b", "EFI system"},
        Title{"e3c9e316-0b5c-4db8-817d-f92df00215ae", "Microsoft reserved"},
        Title{"0fc63daf-8483-4772-8e79-3d69d8477de4", "Linux data"},
        Title{"4a6f7572-6e61-11aa-aa11-00306543ecac", "HFS+ external journal"},
    };
    const auto found = std::ranges::find(titles, std::string_view(type),
                                         [](const Title& title) { return std::string_view(title.first); });
    return found != titles.end() ? found->second : "";
}

} // namespace mediarig::media
