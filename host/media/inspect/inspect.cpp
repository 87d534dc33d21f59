// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/partition_table.hpp"
#include "host/media/inspect/read_apfs.hpp"
#include "host/media/inspect/read_exfat.hpp"
#include "host/media/inspect/read_hfsplus.hpp"
#include "host/media/inspect/recognise.hpp"

namespace mediarig::media {
namespace {

void add_problem(std::string& problem, const std::string& found) {
    if (found.empty()) return;
    problem += problem.empty() ? found : "; " + found;
}

void look_at_exfat(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "exfat";
    const auto exfat = read_exfat(medium, volume.start, volume.length);
    if (!exfat) return add_problem(volume.problem, exfat.error().detail);
    volume.label = exfat->root ? exfat->root->label.value_or("") : "";
    std::ranges::copy(parameters_of(*exfat), std::back_inserter(volume.parameters));
    add_problem(volume.problem, exfat->problem);
}

void look_at_apfs(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "apfs";
    const auto apfs = read_apfs(medium, volume.start, volume.length);
    if (!apfs) return add_problem(volume.problem, apfs.error().detail);
    volume.label = apfs->volumes.empty() ? "" : apfs->volumes.front().name;
    std::ranges::copy(parameters_of(*apfs), std::back_inserter(volume.parameters));
    add_problem(volume.problem, apfs->problem);
}

void look_at_hfs_plus(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "hfs+";
    const auto hfs = read_hfs_plus(medium, volume.start, volume.length);
    if (!hfs) return add_problem(volume.problem, hfs.error().detail);
    volume.file_system = name_of(hfs->header);
    volume.label = hfs->name.value_or("");
    std::ranges::copy(parameters_of(*hfs), std::back_inserter(volume.parameters));
    add_problem(volume.problem, hfs->problem);
}

/// Finds out what a span holds; leaves `file_system` empty where it is nothing known.
void look_at(const MediumReader& medium, InspectedVolume& volume) {
    if (volume.length < 4_KiB) return;
    const auto head = medium.read(volume.start, 4_KiB);
    if (!head) return add_problem(volume.problem, head.error().detail);
    if (is_exfat(*head)) return look_at_exfat(medium, volume);
    if (is_apfs(*head)) return look_at_apfs(medium, volume);
    if (is_hfs_plus(Raw(*head).subspan(hfs_plus_header_offset.count))) return look_at_hfs_plus(medium, volume);
    volume.file_system = recognise_boot_sector(*head);
}

/// A partition as the table tells it, cut to what the medium has.
InspectedVolume partition(Bytes start, Bytes length, Bytes medium) {
    InspectedVolume volume{.start = start, .length = length};
    if (start >= medium || length > medium - start) {
        volume.problem = fmt::format("the partition of {} bytes at byte {} reaches beyond the medium of {} bytes",
                                     length.count, start.count, medium.count);
        volume.length = start < medium ? medium - start : Bytes{0};
    }
    return volume;
}

void add_mbr_partitions(const MediumReader& medium, const std::vector<MbrEntry>& entries, Bytes sector,
                        InspectReport& report) {
    report.scheme = "mbr";
    for (const MbrEntry& entry : entries) {
        InspectedVolume volume = partition(byte_offset(entry.first, sector), sector * entry.sectors, medium.size());
        volume.parameters.emplace_back("partition_type", fmt::format("0x{:02x}", entry.type));
        look_at(medium, volume);
        report.volumes.push_back(std::move(volume));
    }
}

Result<std::vector<GptEntry>> gpt_entries(const MediumReader& medium, Lba where, Bytes sector) {
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
    return *entries;
}

void add_gpt_partitions(const MediumReader& medium, Bytes sector, InspectReport& report) {
    report.scheme = "gpt";
    const Lba last{medium.size() / sector - 1};
    auto entries = gpt_entries(medium, Lba{1}, sector);
    const auto backup = gpt_entries(medium, last, sector);
    std::string problem = entries ? "" : entries.error().detail;
    // An image restored to a larger medium has its backup somewhere in the middle.
    if (!backup) add_problem(problem, "backup: " + backup.error().detail);
    if (!entries && backup) entries = backup;
    if (entries) {
        if (backup && *entries != *backup) add_problem(problem, "the backup GPT lists other partitions");
        for (const GptEntry& entry : *entries) {
            const std::uint64_t sectors = medium.size() / sector;
            // What lies outside is cut before it is multiplied: the numbers are the medium's and may be anything.
            const Lba first = std::min(entry.first, Lba{sectors}), end = std::min(entry.last, Lba{sectors});
            InspectedVolume volume =
                partition(byte_offset(first, sector), sector * (end.index - first.index + 1), medium.size());
            volume.parameters.emplace_back("partition_type", entry.type);
            volume.parameters.emplace_back("partition_guid", entry.guid);
            if (!entry.name.empty()) volume.parameters.emplace_back("partition_name", entry.name);
            look_at(medium, volume);
            report.volumes.push_back(std::move(volume));
        }
    }
    if (!problem.empty()) {
        if (report.volumes.empty()) report.volumes.push_back({.start = {}, .length = medium.size()});
        add_problem(report.volumes.front().problem, problem);
    }
}

} // namespace

Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size) {
    const Bytes sector{sector_size};
    InspectReport report{.size = size, .scheme = "none", .volumes = {}};
    if (sector_size < 512 || size < 4_KiB)
        return fail(Errc::bad_format, fmt::format("a medium of {} bytes in sectors of {} holds nothing to look at",
                                                  size.count, sector_size));
    const MediumReader medium(descriptor, size);
    const auto head = medium.read({}, 4_KiB);
    if (!head) return fail(head.error());

    // A file system on the bare medium first: its boot sector ends with the signature of an MBR, too.
    InspectedVolume whole{.start = {}, .length = size};
    look_at(medium, whole);
    if (!whole.file_system.empty()) {
        report.volumes.push_back(std::move(whole));
        return report;
    }
    const auto mbr = parse_mbr(*head);
    const auto second = medium.read(sector, 512_B);
    if ((second && is_gpt(*second)) || (mbr && is_protective(*mbr)))
        add_gpt_partitions(medium, sector, report);
    else if (mbr)
        add_mbr_partitions(medium, *mbr, sector, report);
    else if (load_le<std::uint16_t>(*head, 510) == 0xAA55) {
        whole.problem = "partition table in sector 0: " + mbr.error().detail;
        report.volumes.push_back(std::move(whole));
    }
    return report;
}

} // namespace mediarig::media
