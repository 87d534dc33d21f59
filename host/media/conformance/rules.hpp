// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements for every medium, and for the hosts SD device, Windows, macOS and Linux. Properties that are not
/// publicly documented are not flagged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/format/profiles.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

using mediarig::name_of;

BOOST_DEFINE_FIXED_ENUM_CLASS(ConformanceStandard, std::uint8_t, sound, sd, windows, macos, linux)
/// "sd", "windows", "macos", "linux"; "sound" selects only the general requirements. Fails with bad_request and lists
/// the choices.
[[nodiscard]] Result<ConformanceStandard> standard_from(std::string_view name);

/// Rules for every medium: damage, contradictions, stale signatures, alignment.
[[nodiscard]] std::vector<Deviation> general_deviations(const InspectReport& report);
/// True if a volume records that it was not cleanly unmounted, or that a driver found bad sectors.
[[nodiscard]] bool has_fault_mark(const InspectReport& report);

/// A property that a profile decides, and its value on the medium.
struct ProfileProperty {
    std::string subject, name; ///< as in Deviation
    std::string found, expected;
    bool met{};
    bool operator==(const ProfileProperty&) const = default;
};
/// All properties that `format --profile` of that name decides on this medium, from the same list: spec_for(). Only
/// those of the table if the profile does not make the file system that was found. Fails with bad_request and the
/// refusal of the format if the profile has no format for the medium.
[[nodiscard]] Result<std::vector<ProfileProperty>> profile_properties(const InspectReport& report,
                                                                      FormatProfile profile);
/// Properties that are not met; a format that the profile refuses; and a file system that the system does not mount.
[[nodiscard]] std::vector<Deviation> profile_deviations(const InspectReport& report, FormatProfile profile);
/// True if the medium contains the FAT12 or FAT16 of its SD layout: in that layout the data area is on a boundary unit,
/// and the start of the partition depends on the data area.
[[nodiscard]] bool is_aligned_by_data_area(const InspectReport& report);

/// True if no deviation is above a note.
[[nodiscard]] bool has_no_warning(const std::vector<Deviation>& deviations);

/// All applicable deviations in descending severity; within one severity, deviations from the general rules come first.
/// One property gives at most one deviation: that of the profile, unless the general rule is more severe.
[[nodiscard]] std::vector<Deviation> deviations_from(ConformanceStandard standard, const InspectReport& report);

} // namespace mediarig::media
