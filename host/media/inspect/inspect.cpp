// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "host/media/format_options.hpp"
#include "host/media/inspect/contents.hpp"
#include "host/media/inspect/fingerprint.hpp"
#include "host/media/inspect/free_space.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/read_table.hpp"
#include "host/media/inspect/recognise.hpp"
#include "host/media/inspect/recorded_length.hpp"
#include "host/media/inspect/stale_signatures.hpp"

namespace mediarig::media {
namespace {

/// Copies the members that the results of all volume readers contain.
template <class Contents>
void take_over(const Contents& contents, InspectedVolume& volume) {
    const Listing listing = listing_of(contents, volume.start);
    std::ranges::copy(listing.parameters(), std::back_inserter(volume.parameters));
    std::ranges::copy(listing.places(), std::back_inserter(volume.places));
    add_problem(volume.problem, contents.problem);
    volume.usable = contents.free();
    volume.fingerprint = fingerprint_of(contents);
}

void inspect_exfat(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "exfat";
    const auto exfat = read_exfat(medium, volume.start, volume.length);
    if (!exfat) return add_problem(volume.problem, exfat.error().detail);
    volume.label = exfat->root ? exfat->root->label.value_or("") : "";
    take_over(*exfat, volume);
    volume.free_space = sample_free_space(medium, volume.start, *exfat);
    add_problem(volume.problem, exfat->leaks);
}

void inspect_apfs(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "apfs";
    const auto apfs = read_apfs(medium, volume.start, volume.length);
    if (!apfs) return add_problem(volume.problem, apfs.error().detail);
    volume.label = apfs->volumes.empty() ? "" : apfs->volumes.front().name;
    take_over(*apfs, volume);
}

void inspect_hfs_plus(const MediumReader& medium, InspectedVolume& volume) {
    volume.file_system = "hfs+";
    const auto hfs = read_hfs_plus(medium, volume.start, volume.length);
    if (!hfs) return add_problem(volume.problem, hfs.error().detail);
    volume.file_system = name_of(hfs->header);
    volume.label = hfs->name.value_or("");
    take_over(*hfs, volume);
}

void inspect_fat(const MediumReader& medium, InspectedVolume& volume) {
    const auto fat = read_fat(medium, volume.start, volume.length);
    if (!fat) return add_problem(volume.problem, fat.error().detail);
    volume.file_system = fmt::format("fat{}", fat->boot.bits);
    // Systems read and change only the label in the root directory; the label in the boot sector may be an old one.
    volume.label = fat->root_label.value_or("");
    take_over(*fat, volume);
    volume.free_space = sample_free_space(medium, volume.start, *fat);
}

void name_signature(const ContentSignature& signature, InspectedVolume& volume) {
    const Bytes at = volume.start + signature.at;
    volume.file_system = signature.file_system;
    volume.parameters.emplace_back("signature", signature.file_system);
    volume.places.push_back(
        {.name = "signature", .field = "signature", .unit = {}, .at = at, .length = signature.length, .hex = {}});
    add_problem(volume.problem, barrier_text(signature, at));
}

/// Recognises the contents of a range; leaves `file_system` empty if they are unknown.
void inspect_file_system(const MediumReader& medium, InspectedVolume& volume) {
    const auto contents = recognise_contents(medium, volume.start, volume.length);
    if (!contents) return add_problem(volume.problem, contents.error().detail);
    if (contents->signature) {
        name_signature(*contents->signature, volume);
        return add_problem(volume.problem, truncation_of(medium, volume.start, volume.length, volume.file_system));
    }
    volume.file_system = contents->file_system;
    if (volume.file_system == "exfat") return inspect_exfat(medium, volume);
    if (volume.file_system == "apfs") return inspect_apfs(medium, volume);
    if (is_fat(volume.file_system)) return inspect_fat(medium, volume);
    if (is_hfs(volume.file_system)) return inspect_hfs_plus(medium, volume);
    const auto sector = medium.read(volume.start, std::min(volume.length, 512_B));
    if (const std::string field = sector ? damage_of_boot_sector(*sector) : ""; !field.empty())
        add_problem(volume.problem,
                    fmt::format("boot sector at byte {}: {}: no file system is recognised", volume.start.count, field));
}

bool is_optical(const InspectedVolume& volume) {
    return volume.file_system == "iso9660" || volume.file_system == "udf";
}

/// The descriptors of a hybrid optical image count from its beginning, and are in one of its partitions.
void inspect_hybrid(const MediumReader& medium, InspectedVolume& volume) {
    const bool contains_them =
        volume.start <= optical_descriptors && volume.start + volume.length > optical_descriptors;
    if (!volume.file_system.empty() || !contains_them) return;
    const auto whole = recognise_contents(medium, {}, medium.size());
    if (!whole || !whole->signature) return;
    InspectedVolume named;
    name_signature(*whole->signature, named);
    if (!is_optical(named)) return;
    volume.file_system = named.file_system;
    std::ranges::move(named.parameters, std::back_inserter(volume.parameters));
    std::ranges::move(named.places, std::back_inserter(volume.places));
}

void inspect_partitions(const MediumReader& medium, PartitionTable table, InspectReport& report) {
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
        inspect_file_system(medium, volume);
        inspect_hybrid(medium, volume);
        report.volumes.push_back(std::move(volume));
    }
}

constexpr Bytes longest_shown = 64_B;

/// Unreadable ranges are skipped; the readers have reported them.
void fetch_bytes(const MediumReader& medium, Places& places) {
    for (FieldLocation& place : places) {
        if (place.length == 0_B) continue;
        const auto raw = medium.read(place.at, std::min(place.length, longest_shown));
        if (!raw) continue;
        static constexpr std::string_view digits = "0123456789abcdef";
        place.hex.reserve(2 * raw->size());
        for (const std::byte byte : *raw) {
            place.hex += digits[std::to_integer<std::size_t>(byte >> 4)];
            place.hex += digits[std::to_integer<std::size_t>(byte & std::byte{15})];
        }
    }
}

void search_stale_signatures(const MediumReader& medium, Bytes sector, InspectReport& report) {
    std::vector<KnownVolume> explained;
    for (const InspectedVolume& volume : report.volumes)
        explained.push_back({.start = volume.start, .length = volume.length, .file_system = volume.file_system});
    // The descriptors of a hybrid image belong to the image and to one of its partitions.
    for (const InspectedVolume& volume : report.volumes)
        if (is_optical(volume) && volume.start != 0_B && volume.start <= optical_descriptors)
            explained.push_back({.start = {}, .length = {}, .file_system = volume.file_system});
    report.stale_signatures = find_stale_signatures(medium, sector, report.scheme, explained);
}

/// Describes a medium with unknown contents.
void say_what_is_there(const MediumReader& medium, InspectReport& report) {
    const Bytes length = std::min(medium.size(), inspected_if_unknown);
    const auto first = medium.read({}, length), last = medium.read(medium.size() - length, length);
    const auto both = [&](unsigned value) {
        return first && last && all_equal(*first, std::byte(value)) && all_equal(*last, std::byte(value));
    };
    report.blank = both(0x00) || both(0xFF);
    const char* found = both(0x00) ? "zeros" : both(0xFF) ? "bytes of FF" : first && last ? "nothing known" : nullptr;
    if (found == nullptr) {
        add_problem(report.problem, "unknown: " + (first ? last : first).error().detail);
    } else {
        add_problem(
            report.problem,
            fmt::format(
                "{}: no partition table and no known file system was found; the first and the last {} bytes contain {}",
                report.blank ? "empty" : "unknown", length.count, found));
    }
}

} // namespace

Result<InspectReport> inspect(int descriptor, Bytes size, std::uint32_t sector_size) {
    return inspect(MediumReader(descriptor, size), sector_size);
}

namespace {

/// Sector size that the table counts in, or that the volume on the whole medium records.
std::optional<std::uint32_t> recorded_sector_size(const InspectReport& report) {
    const auto in = [](const Parameters& parameters, std::string_view name) -> std::optional<std::uint32_t> {
        for (const auto& [key, value] : parameters)
            if (key == name) return value == "4096" ? std::optional(4096U) : std::nullopt;
        return std::nullopt;
    };
    if (auto of_table = in(report.parameters, "table_sector_size")) return of_table;
    if (report.scheme != "none" || report.volumes.empty()) return std::nullopt;
    return in(report.volumes.front().parameters, "sector_size");
}

} // namespace

Result<InspectReport> inspect_image(int descriptor, Bytes size) {
    constexpr std::uint32_t usual = 512;
    auto report = inspect(descriptor, size, usual);
    const auto recorded = report ? recorded_sector_size(*report) : std::nullopt;
    return recorded ? inspect(descriptor, size, *recorded) : report;
}

Result<InspectReport> inspect(MediumReader medium, std::uint32_t sector_size) {
    const Bytes sector{sector_size}, size = medium.size();
    InspectReport report{.size = size, .scheme = "none", .volumes = {}, .sector_size = sector_size};
    if (sector_size < 512 || size < 4_KiB)
        return fail(Errc::bad_format, fmt::format("a medium of {} bytes in sectors of {} has nothing to inspect",
                                                  size.count, sector_size));
    medium.limit_to(most_read_by_inspect);
    InspectedVolume whole{.start = {}, .length = size};
    const TableSectors sectors = read_table_sectors(medium, sector);
    const auto container = recognise_container(medium);
    if (container)
        name_signature(*container, whole);
    else if (sectors.scheme == PartitionScheme::none)
        inspect_file_system(medium, whole);
    if (!whole.file_system.empty()) {
        report.volumes.push_back(std::move(whole));
    } else {
        auto table = read_partition_table(medium, sector, sectors);
        if (!table) return fail(table.error());
        inspect_partitions(medium, std::move(*table), report);
        const bool had_volume = sectors.head && !damage_of_boot_sector(*sectors.head).empty();
        if (report.scheme == "none" && had_volume) add_problem(report.problem, whole.problem);
        if (report.scheme == "none" && report.problem.empty()) say_what_is_there(medium, report);
    }
    // The structures in a container belong to the image that it contains.
    if (!container) search_stale_signatures(medium, sector, report);
    fetch_bytes(medium, report.places);
    for (InspectedVolume& volume : report.volumes) fetch_bytes(medium, volume.places);
    report.read = medium.bytes_read();
    report.unread = medium.unread();
    return report;
}

} // namespace mediarig::media
