// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/finder.hpp"
#include "host/media/conformance/rules.hpp"
#include "host/media/format/layouts/partition_types.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Finder;
using detail::FormatRule;

constexpr const char* table_source = "manual page of mkfs.exfat; SdFat; dumps of formatted cards";

constexpr FormatRule scheme_rule{DeviationSeverity::warning, "cameras and players expect an MBR on a card",
                                 table_source, Certainty::published};
constexpr FormatRule count_rule{DeviationSeverity::warning, "cameras and players use the first partition alone",
                                table_source, Certainty::published};
constexpr FormatRule file_system_rule{DeviationSeverity::warning,
                                      "the SD classes name their file system; a camera may refuse another",
                                      table_source, Certainty::published};
constexpr FormatRule start_rule{DeviationSeverity::warning,
                                "a partition that does not begin on a boundary unit shares erase blocks", table_source,
                                Certainty::published};
constexpr FormatRule heap_rule{DeviationSeverity::warning,
                               "clusters that straddle allocation units make each write a read-modify-write of two",
                               table_source, Certainty::published};
constexpr FormatRule fat_rule{DeviationSeverity::warning, "a FAT that shares its allocation unit with data wears both",
                              table_source, Certainty::published};
constexpr FormatRule cluster_rule{DeviationSeverity::warning,
                                  "the speed class is promised for writes of this cluster size", table_source,
                                  Certainty::published};
constexpr FormatRule type_rule{DeviationSeverity::warning, "the type that the SD layout gives this file system",
                               table_source, Certainty::published};
constexpr FormatRule unknown_rule{DeviationSeverity::note,
                                  "the SDUC layout above 2 TiB is not public: nothing was compared", table_source,
                                  Certainty::published};

std::string expected_type(const InspectedVolume& volume) {
    const auto fs = file_system_from(volume.file_system);
    return fs ? std::string(mbr_type_of(*fs, volume.start, volume.length).value_or("")) : "";
}

void check_alignment(const InspectedVolume& volume, const SdLayout& layout, Finder& finder) {
    const std::string subject = detail::subject_of(0);
    const Bytes unit = layout.boundary_unit;
    // FAT12 and FAT16 put the data area on a boundary unit, which determines the start of the partition.
    const bool starts_on_unit = volume.file_system == "exfat" || volume.file_system == "fat32";
    if (starts_on_unit && (volume.start % unit != 0_B || volume.start == 0_B))
        finder.add(
            subject, "start", bytes_text(volume.start),
            (volume.start == 0_B ? "after a partition table, at a multiple of " : "a multiple of ") + bytes_text(unit),
            start_rule);
    const char* heap = volume.file_system == "exfat" ? "cluster_heap_offset" : "data_offset";
    if (const auto offset = detail::number(volume, heap)) {
        const Bytes on_medium = volume.start + Bytes{*offset};
        if (on_medium % unit != 0_B)
            finder.add(subject, heap, fmt::format("{} on the medium", bytes_text(on_medium)),
                       "a multiple of " + bytes_text(unit), heap_rule);
    }
    // In the SD layout of exFAT the FAT occupies the second half of a boundary unit.
    if (const auto fat = detail::number(volume, "fat_offset"); fat && volume.file_system == "exfat") {
        const Bytes half{unit.count / 2};
        if (Bytes{*fat} != half) finder.add(subject, "fat_offset", bytes_text({*fat}), bytes_text(half), fat_rule);
    }
}

} // namespace

bool is_aligned_by_data_area(const InspectReport& report) {
    const auto layout = sd_layout_for(report.size);
    if (!layout || report.volumes.empty() || report.volumes.front().file_system != name_of(layout->file_system))
        return false;
    return layout->file_system == FileSystem::fat12 || layout->file_system == FileSystem::fat16;
}

std::vector<Deviation> sd_deviations(const InspectReport& report) {
    std::vector<Deviation> found;
    Finder finder(found);
    const auto layout = sd_layout_for(report.size);
    if (!layout) {
        finder.add("medium", "size", bytes_text(report.size), "2 TiB or less", unknown_rule);
        return found;
    }
    finder.compare(detail::table_subject, "scheme", report.scheme, "mbr", scheme_rule);
    if (report.volumes.size() != 1)
        finder.add(detail::table_subject, "partitions", std::to_string(report.volumes.size()), "1", count_rule);
    if (report.volumes.empty()) return found;

    const InspectedVolume& volume = report.volumes.front();
    const std::string subject = detail::subject_of(0);
    finder.compare(subject, "file_system", volume.file_system.empty() ? "none known" : volume.file_system,
                   std::string(name_of(layout->file_system)), file_system_rule);
    if (volume.file_system != name_of(layout->file_system)) return found;
    check_alignment(volume, *layout, finder);
    if (const auto cluster = detail::number(volume, "cluster_size"); cluster && Bytes{*cluster} != layout->cluster_size)
        finder.add(subject, "cluster_size", bytes_text({*cluster}), bytes_text(layout->cluster_size), cluster_rule);
    const auto type = parameter(volume, "partition_type");
    if (const std::string expected = expected_type(volume); type && !expected.empty())
        finder.compare(subject, "partition_type", *type, expected, type_rule);
    return found;
}

} // namespace mediarig::media
