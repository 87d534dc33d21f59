// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/media/conformance/rules.hpp"

#include <algorithm>

#include "host/media/conformance/finder.hpp"
#include "host/media/format/layouts/sd_layout.hpp"

namespace mediarig::media {
namespace {

std::optional<FormatProfile> profile_of(ConformanceStandard standard) {
    const auto profile = from_name<FormatProfile>(name_of(standard));
    return profile ? std::optional(*profile) : std::nullopt;
}

/// True if the start of this volume is that of the expected layout, so that the general rule about starts does not
/// apply. The data area of FAT12 and FAT16 determines the start in the SD layout.
bool start_is_of_its_layout(ConformanceStandard standard, const InspectReport& report, const std::string& subject) {
    const auto profile = profile_of(standard);
    if (is_aligned_by_data_area(report) && subject == detail::subject_of(0)) {
        if (profile == FormatProfile::sd) return true;
        if (!profile) return has_no_warning(profile_deviations(report, FormatProfile::sd));
    }
    if (!profile) return false;
    const auto properties = profile_properties(report, *profile);
    return properties && std::ranges::any_of(*properties, [&](const ProfileProperty& property) {
               return property.name == "start" && property.subject == subject && property.met;
           });
}

bool same_property(const Deviation& a, const Deviation& b) {
    return a.subject == b.subject && a.name == b.name;
}

} // namespace

bool has_no_warning(const std::vector<Deviation>& deviations) {
    return std::ranges::none_of(
        deviations, [](const Deviation& deviation) { return deviation.severity > DeviationSeverity::note; });
}

bool is_aligned_by_data_area(const InspectReport& report) {
    const auto layout = sd_layout_for(report.size);
    if (!layout || report.volumes.empty() || report.volumes.front().file_system != name_of(layout->file_system))
        return false;
    return layout->file_system == FileSystem::fat12 || layout->file_system == FileSystem::fat16;
}

Result<ConformanceStandard> standard_from(std::string_view name) {
    auto known = from_word<ConformanceStandard>(name, "standard");
    if (!known) known.error().detail += ", or the path of a profile";
    return known;
}

std::vector<Deviation> deviations_from(ConformanceStandard standard, const InspectReport& report) {
    std::vector<Deviation> found = general_deviations(report);
    std::erase_if(found, [&](const Deviation& deviation) {
        return deviation.name == "start" && start_is_of_its_layout(standard, report, deviation.subject);
    });
    if (const auto profile = profile_of(standard)) {
        for (Deviation& deviation : profile_deviations(report, *profile)) {
            const auto general =
                std::ranges::find_if(found, [&](const Deviation& other) { return same_property(deviation, other); });
            if (general == found.end())
                found.push_back(std::move(deviation));
            else if (general->severity <= deviation.severity)
                *general = std::move(deviation);
        }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, &Deviation::severity);
    return found;
}

} // namespace mediarig::media
