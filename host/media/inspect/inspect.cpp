// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/media/inspect/fingerprint.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/places.hpp"
#include "host/media/inspect/read_table.hpp"
#include "host/media/inspect/recognise.hpp"

namespace mediarig::media {
namespace {

void add_problem(std::string& problem, const std::string& found) {
    if (found.empty()) return;
    problem += problem.empty() ? found : "; " + found;
}

/// What all readers of volumes give in one way.
template <class Contents>
void take_over(const Contents& contents, InspectedVolume& volume) {
    std::ranges::copy(parameters_of(contents), std::back_inserter(volume.parameters));
    std::ranges::copy(places_of(contents, volume.start), std::back_inserter(volume.places));
    add_problem(volume.problem, contents.problem);
    volume.usable = contents.free();
    volume.fingerprint = fingerprint_of(contents);
}

void look_at_exfat(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "exfat";
    const auto exfat = read_exfat(medium, volume.start, volume.length);
    if (!exfat) return add_problem(volume.problem, exfat.error().detail);
    volume.label = exfat->root ? exfat->root->label.value_or("") : "";
    take_over(*exfat, volume);
}

void look_at_apfs(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "apfs";
    const auto apfs = read_apfs(medium, volume.start, volume.length);
    if (!apfs) return add_problem(volume.problem, apfs.error().detail);
    volume.label = apfs->volumes.empty() ? "" : apfs->volumes.front().name;
    take_over(*apfs, volume);
}

void look_at_hfs_plus(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "hfs+";
    const auto hfs = read_hfs_plus(medium, volume.start, volume.length);
    if (!hfs) return add_problem(volume.problem, hfs.error().detail);
    volume.file_system = name_of(hfs->header);
    volume.label = hfs->name.value_or("");
    take_over(*hfs, volume);
}

void look_at_fat(const MediumReader& medium, InspectedVolume& volume) {
    const auto fat = read_fat(medium, volume.start, volume.length);
    if (!fat) return add_problem(volume.problem, fat.error().detail);
    volume.file_system = fmt::format("fat{}", fat->boot.bits);
    // "NO NAME" in the boot sector is how the specification writes that there is none.
    const std::string in_boot = fat->boot.label == "NO NAME" ? "" : fat->boot.label;
    volume.label = fat->root_label.value_or(in_boot);
    take_over(*fat, volume);
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
    if (volume.file_system.starts_with("fat")) look_at_fat(medium, volume);
}

void look_at_partitions(const MediumReader& medium, PartitionTable table, InspectReport& report) {
    report.scheme = std::move(table.scheme);
    report.parameters = std::move(table.parameters);
    report.places = std::move(table.places);
    report.problem = std::move(table.problem);
    for (ListedPartition& partition : table.partitions) {
        InspectedVolume volume{.start = partition.start,
                               .length = partition.length,
                               .parameters = std::move(partition.parameters),
                               .problem = std::move(partition.problem),
                               .places = std::move(partition.places)};
        look_at(medium, volume);
        report.volumes.push_back(std::move(volume));
    }
}

constexpr Bytes longest_shown = 64_B;

/// A place that cannot be read keeps no bytes: the readers told of it.
void fetch_bytes(const MediumReader& medium, Places& places) {
    for (Place& place : places) {
        if (place.length == 0_B) continue;
        const auto raw = medium.read(place.at, std::min(place.length, longest_shown));
        if (!raw) continue;
        for (const std::byte byte : *raw) place.hex += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
    }
}

void look_for_leftovers(const MediumReader& medium, Bytes sector, InspectReport& report) {
    std::vector<Explained> explained;
    for (const InspectedVolume& volume : report.volumes)
        explained.push_back({.start = volume.start, .length = volume.length, .file_system = volume.file_system});
    report.leftovers = find_leftovers(medium, sector, report.scheme, explained);
}

} // namespace

Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size) {
    const Bytes sector{sector_size};
    InspectReport report{.size = size, .scheme = "none", .volumes = {}, .sector_size = sector_size};
    if (sector_size < 512 || size < 4_KiB)
        return fail(Errc::bad_format, fmt::format("a medium of {} bytes in sectors of {} holds nothing to look at",
                                                  size.count, sector_size));
    const MediumReader medium(descriptor, size);
    // A file system on the bare medium first: its boot sector ends with the signature of an MBR, too.
    InspectedVolume whole{.start = {}, .length = size};
    if (const auto head = medium.read({}, 4_KiB); !head) return fail(head.error());
    look_at(medium, whole);
    if (!whole.file_system.empty()) {
        report.volumes.push_back(std::move(whole));
    } else {
        auto table = read_partition_table(medium, sector);
        if (!table) return fail(table.error());
        look_at_partitions(medium, std::move(*table), report);
    }
    look_for_leftovers(medium, sector, report);
    fetch_bytes(medium, report.places);
    for (InspectedVolume& volume : report.volumes) fetch_bytes(medium, volume.places);
    report.read = medium.bytes_read();
    return report;
}

} // namespace mediarig::media
