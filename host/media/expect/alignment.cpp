// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/expect/alignment.hpp"

#include <optional>

#include "host/media/expect/finder.hpp"

namespace mediarig::media {
namespace {

using detail::bytes_text;
using detail::Rule;

constexpr const char* source =
    "SD Physical Layer Simplified Specification, section 4.13: speed classes count in whole "
    "allocation units";
constexpr Rule start_off{Severity::warning, "every allocation unit of the volume lies across two of the card's", source,
                         Certainty::specification};
constexpr Rule heap_off{Severity::warning, "files written in whole units of the volume lie across two of the card's",
                        source, Certainty::specification};
constexpr Rule fat_off{Severity::note, "the FAT shares an allocation unit with what lies before it", source,
                       Certainty::specification};

const Rule& rule_of(const std::string& name) {
    if (name == "start") return start_off;
    return name == "fat_offset" ? fat_off : heap_off;
}

} // namespace

std::vector<AlignmentPoint> alignment_points(const InspectReport& report) {
    std::vector<AlignmentPoint> points;
    for (std::size_t i = 0; i < report.volumes.size(); ++i) {
        const InspectedVolume& volume = report.volumes[i];
        const std::string subject = detail::subject_of(i);
        points.push_back({subject, "start", volume.start});
        for (const char* name : {"fat_offset", "cluster_heap_offset", "data_offset"}) {
            const auto offset = detail::number(volume, name);
            // What lies beyond the volume is damage, and no place.
            if (offset && Bytes{*offset} < volume.length)
                points.push_back({subject, name, volume.start + Bytes{*offset}});
        }
    }
    return points;
}

std::vector<Deviation> deviations_against_unit(const InspectReport& report, Bytes allocation_unit) {
    std::vector<Deviation> found;
    if (allocation_unit == 0_B) return found;
    detail::Finder finder(found);
    for (const AlignmentPoint& point : alignment_points(report)) {
        if (point.at % allocation_unit == 0_B) continue;
        finder.add(point.subject, point.name, bytes_text(point.at),
                   fmt::format("a whole multiple of {}, the card's allocation unit", bytes_text(allocation_unit)),
                   rule_of(point.name));
    }
    return found;
}

} // namespace mediarig::media
