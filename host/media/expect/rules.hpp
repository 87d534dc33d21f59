// SPDX-License-Identifier: GPL-3.0-or-later
/// What is expected of every medium, and of one for an SD card's host, Windows, macOS or Linux. What is not publicly
/// known is not flagged. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/format/layouts/sd_layout.hpp"
#include "host/media/identity/deviation.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::media {

enum class Expectation : std::uint8_t { sound, sd, windows, macos, linux };
/// "sd", "windows", "macos", "linux"; "sound" is what is always asked for. Fails with bad_request, naming the choices.
[[nodiscard]] Result<Expectation> expectation_from(std::string_view name);
[[nodiscard]] std::vector<std::string> expectation_names();

/// Damage, contradictions, stale signatures, alignment: of any medium.
[[nodiscard]] std::vector<Deviation> general_deviations(const InspectReport& report);
/// The SD layout for the medium's capacity: MBR, start, boundary unit, cluster size, file system.
[[nodiscard]] std::vector<Deviation> sd_deviations(const InspectReport& report);
/// Whether the medium holds the FAT12 or FAT16 of its SD layout: there the data area lies on a boundary unit, and the
/// partition begins wherever that puts it.
[[nodiscard]] bool begins_by_its_data_area(const InspectReport& report);
/// Defaults of the formatters of an operating system, as far as they are publicly known.
[[nodiscard]] std::vector<Deviation> system_deviations(const InspectReport& report, Expectation system);

/// All that apply: the general ones first, by severity within each volume.
[[nodiscard]] std::vector<Deviation> deviations_from(Expectation expectation, const InspectReport& report);

} // namespace mediarig::media
