// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/inspect/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/media/format_options.hpp"
#include "host/media/inspect/fingerprint.hpp"
#include "host/media/inspect/inspect_values.hpp"
#include "host/media/inspect/medium_reader.hpp"
#include "host/media/inspect/read_table.hpp"
#include "host/media/inspect/recognise.hpp"
#include "host/media/inspect/signature.hpp"
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
    // The specification defines that "NO NAME" in the boot sector means no label.
    const std::string in_boot = fat->boot.label == "NO NAME" ? "" : fat->boot.label;
    volume.label = fat->root_label.value_or(in_boot);
    take_over(*fat, volume);
}

void name_signature(const ContentSignature& signature, InspectedVolume& volume) {
    const Bytes at = volume.start + signature.at;
    volume.file_system = signature.file_system;
    volume.parameters.emplace_back("signature", signature.file_system);
    volume.places.push_back(
        {.name = "signature", .field = "signature", .unit = {}, .at = at, .length = signature.length, .hex = {}});
    if (signature.encrypted)
        add_problem(volume.problem,
                    fmt::format("encrypted: {} by its signature at byte {}, its contents cannot be read",
                                signature.file_system, at.count));
}

/// The first 4 KiB, with zeros for unreadable sectors. Enough to recognise the contents; the readers read and report
/// these bytes again.
Result<std::vector<std::byte>> readable_head(const MediumReader& medium, Bytes start) {
    auto head = medium.read(start, 4_KiB);
    if (head || head.error().code != Errc::io_failed) return head;
    std::vector<std::byte> patched;
    bool any = false;
    for (Bytes done{}; done < 4_KiB; done += 512_B) {
        const auto sector = medium.read(start + done, 512_B);
        any = any || sector.has_value();
        patched.resize((done + 512_B).count);
        if (sector) std::ranges::copy(*sector, patched.begin() + static_cast<std::ptrdiff_t>(done.count));
    }
    if (!any) return head;
    return patched;
}

/// Bytes at the positions of signatures with larger offsets, with zeros for all other bytes. Reads only these
/// positions, because a medium may have a thousand partitions with unknown contents.
Result<std::vector<std::byte>> far_signatures(const MediumReader& medium, const InspectedVolume& volume) {
    std::vector<std::byte> excerpt(std::min(volume.length, signature_excerpt).count);
    for (const Bytes at : signature_places) {
        if (volume.length < at + signature_place_length) break;
        const auto piece = medium.read(volume.start + at, signature_place_length);
        if (!piece) return piece;
        std::ranges::copy(*piece, excerpt.begin() + static_cast<std::ptrdiff_t>(at.count));
    }
    return excerpt;
}

/// Recognises the contents of a range; leaves `file_system` empty if they are unknown.
void inspect_file_system(const MediumReader& medium, InspectedVolume& volume) {
    if (volume.length < 4_KiB) return;
    const auto head = readable_head(medium, volume.start);
    if (!head) return add_problem(volume.problem, "the beginning of the volume: " + head.error().detail);
    if (is_exfat(*head)) return inspect_exfat(medium, volume);
    if (is_apfs(*head)) return inspect_apfs(medium, volume);
    if (is_hfs_plus(Raw(*head).subspan(hfs_plus_header_offset.count))) return inspect_hfs_plus(medium, volume);
    // An encrypted volume may look like FAT or NTFS. The magic of an earlier format may survive after a FAT boot
    // sector.
    const auto near = recognise_signature(*head);
    if (near && near->encrypted) return name_signature(*near, volume);
    volume.file_system = recognise_boot_sector(*head);
    if (is_fat(volume.file_system)) return inspect_fat(medium, volume);
    if (near) return name_signature(*near, volume);
    const auto more = far_signatures(medium, volume);
    if (!more) return add_problem(volume.problem, "signatures in the volume: " + more.error().detail);
    if (const auto far = recognise_signature(*more)) name_signature(*far, volume);
}

/// True if the medium is partitioned, regardless of remains of an earlier format. A boot sector of exFAT, FAT or NTFS
/// also ends with the signature of an MBR; only a GPT with a protective MBR overrides it.
bool is_partitioned(const MediumReader& medium, Bytes sector) {
    const auto head = readable_head(medium, {});
    if (!head) return false;
    const TableEvidence evidence = look_for_table(medium, sector, *head);
    const auto near = recognise_signature(*head);
    // An encrypted volume looks like FAT or NTFS, and partitioning tools do not change the first bytes of the sector.
    const bool boot_sector = is_exfat(*head) || (!recognise_boot_sector(*head).empty() && !(near && near->encrypted));
    if (boot_sector) return evidence.valid_gpt && evidence.protective_mbr;
    return evidence.valid_gpt || evidence.partition_inside;
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
        report.volumes.push_back(std::move(volume));
    }
}

constexpr Bytes longest_shown = 64_B;
/// Bytes read at each end of a medium with unknown contents.
constexpr Bytes looked_at_when_unknown = 1_MiB;

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
    report.stale_signatures = find_stale_signatures(medium, sector, report.scheme, explained);
}

/// Describes a medium with unknown contents.
void say_what_is_there(const MediumReader& medium, InspectReport& report) {
    const Bytes length = std::min(medium.size(), looked_at_when_unknown);
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

Result<InspectReport> inspect(MediumReader medium, std::uint32_t sector_size) {
    const Bytes sector{sector_size}, size = medium.size();
    InspectReport report{.size = size, .scheme = "none", .volumes = {}, .sector_size = sector_size};
    if (sector_size < 512 || size < 4_KiB)
        return fail(Errc::bad_format, fmt::format("a medium of {} bytes in sectors of {} has nothing to inspect",
                                                  size.count, sector_size));
    medium.limit_to(most_read_by_inspect);
    InspectedVolume whole{.start = {}, .length = size};
    if (!is_partitioned(medium, sector)) inspect_file_system(medium, whole);
    if (!whole.file_system.empty()) {
        report.volumes.push_back(std::move(whole));
    } else {
        auto table = read_partition_table(medium, sector);
        if (!table) return fail(table.error());
        inspect_partitions(medium, std::move(*table), report);
        if (report.scheme == "none" && report.problem.empty()) say_what_is_there(medium, report);
    }
    search_stale_signatures(medium, sector, report);
    fetch_bytes(medium, report.places);
    for (InspectedVolume& volume : report.volumes) fetch_bytes(medium, volume.places);
    report.read = medium.bytes_read();
    report.unread = medium.unread();
    return report;
}

} // namespace mediarig::media
