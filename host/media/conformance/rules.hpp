// SPDX-License-Identifier: GPL-3.0-or-later
/// Requirements for every medium, and for the hosts SD device, Windows, macOS and Linux. Properties that are not
/// publicly documented are not flagged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/base/result.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
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
/// Rules of the SD layout for the medium's capacity: MBR, start, boundary unit, cluster size, file system.
[[nodiscard]] std::vector<Deviation> sd_deviations(const InspectReport& report);
/// True if the medium contains the FAT12 or FAT16 of its SD layout: in that layout the data area is on a boundary unit,
/// and the start of the partition depends on the data area.
[[nodiscard]] bool is_aligned_by_data_area(const InspectReport& report);
/// Default values of an operating system's formatters, as far as they are publicly documented.
[[nodiscard]] std::vector<Deviation> system_deviations(const InspectReport& report, ConformanceStandard system);

/// All applicable deviations in descending severity; within one severity, deviations from the general rules come first.
[[nodiscard]] std::vector<Deviation> deviations_from(ConformanceStandard standard, const InspectReport& report);

} // namespace mediarig::media
