// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/alignment.hpp"

#include <algorithm>
#include <iterator>

#include "host/media/conformance/finder.hpp"
#include "host/media/format/layouts/partition_types.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/format/layouts/system_layouts.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::FormatRule;

constexpr const char* source =
    "SD Physical Layer Simplified Specification, section 4.13: speed classes count in whole "
    "allocation units";
constexpr FormatRule start_off{DeviationSeverity::warning,
                               "structures aligned to the start of the volume are not aligned to the card's units",
                               source, Certainty::specification};
constexpr FormatRule heap_off{DeviationSeverity::warning, "files written in whole units span two units of the card",
                              source, Certainty::specification};
constexpr FormatRule fat_off{DeviationSeverity::note, "the FAT shares an allocation unit with the preceding data",
                             source, Certainty::specification};
constexpr FormatRule by_layout{DeviationSeverity::note,
                               "the layout determines this position, regardless of the card's unit", source,
                               Certainty::specification};
constexpr FormatRule of_efi{DeviationSeverity::note, "part of an EFI partition, which is not written after the format",
                            source, Certainty::specification};

std::vector<AlignmentPoint> points_of(const InspectedVolume& volume, std::size_t index) {
    const std::string subject = detail::subject_of(index);
    std::vector<AlignmentPoint> points{{subject, "start", volume.start}};
    for (const char* name : {"fat_offset", "cluster_heap_offset", "data_offset"}) {
        const auto offset = detail::number(volume, name);
        // An offset after the end of the volume is damage, not an alignment point.
        if (offset && Bytes{*offset} < volume.length) points.push_back({subject, name, volume.start + Bytes{*offset}});
    }
    return points;
}

bool holds_data(const AlignmentPoint& point) {
    return point.name == "cluster_heap_offset" || point.name == "data_offset";
}

bool begins_as_on_a_mac(const InspectReport& report, const InspectedVolume& volume) {
    const auto fs = file_system_from(volume.file_system);
    return report.scheme == "gpt" && fs && volume.start == macos_start_of(*fs);
}

/// Windows, macOS and Linux ignore the card's allocation unit, so the volume start that they choose determines the
/// offsets that follow from it.
bool begins_as(ConformanceStandard expected, const InspectReport& report, const InspectedVolume& volume) {
    if (expected == ConformanceStandard::macos) return begins_as_on_a_mac(report, volume);
    const bool plain = expected == ConformanceStandard::windows || expected == ConformanceStandard::linux;
    return plain && volume.start == usual_start;
}

/// The boundary unit of the SD layout depends only on the capacity. It may be smaller than the card's unit, or not a
/// multiple of the card's unit.
bool on_sd_boundary(const InspectReport& report, const AlignmentPoint& point) {
    const auto layout = sd_layout_for(report.size);
    return layout && report.scheme == "mbr" && report.volumes.front().file_system == name_of(layout->file_system) &&
           point.at % layout->boundary_unit == 0_B;
}

const FormatRule& rule_of(const AlignmentPoint& point, const InspectReport& report, std::size_t index,
                          ConformanceStandard expected) {
    const InspectedVolume& volume = report.volumes[index];
    if (point.name == "fat_offset") return fat_off;
    if (parameter(volume, "partition_type") == gpt_efi_system) return of_efi;
    if (begins_as(expected, report, volume) || (index == 0 && on_sd_boundary(report, point))) return by_layout;
    if (point.name != "start") return heap_off;
    return begins_as_on_a_mac(report, volume) ? by_layout : start_off;
}

} // namespace

std::vector<AlignmentPoint> alignment_points(const InspectReport& report) {
    std::vector<AlignmentPoint> points;
    for (std::size_t i = 0; i < report.volumes.size(); ++i)
        std::ranges::move(points_of(report.volumes[i], i), std::back_inserter(points));
    return points;
}

std::vector<Deviation> deviations_against_unit(const InspectReport& report, Bytes allocation_unit,
                                               ConformanceStandard expected) {
    std::vector<Deviation> found;
    if (allocation_unit == 0_B) return found;
    detail::Finder finder(found);
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const auto points = points_of(report.volumes[i], i);
        const auto is_off = [&](const AlignmentPoint& point) { return point.at % allocation_unit != 0_B; };
        const bool data_is_aligned =
            std::ranges::any_of(points, [&](const auto& point) { return holds_data(point) && !is_off(point); });
        const bool start_is_free = data_is_aligned || (i == 0 && is_aligned_by_data_area(report));
        for (const AlignmentPoint& point : points) {
            if (!is_off(point) || (point.name == "start" && start_is_free)) continue;
            finder.add(point.subject, point.name, bytes_text(point.at),
                       fmt::format("a whole multiple of {}, the card's allocation unit", bytes_text(allocation_unit)),
                       rule_of(point, report, i, expected));
        }
    }
    return found;
}

} // namespace mediarig::media
