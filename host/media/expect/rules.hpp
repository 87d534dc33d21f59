// SPDX-License-Identifier: GPL-3.0-or-later
/// What is expected of every medium, and of one for an SD card's host, Windows, macOS or Linux. What is not publicly
/// known is not flagged. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "host/media/expect/deviation.hpp"
#include "host/media/inspect/inspect.hpp"
#include "host/result.hpp"

namespace mediarig::media {

enum class Expectation : std::uint8_t { sound, sd, windows, macos, linux };
/// "sd", "windows", "macos", "linux"; "sound" is what is always asked for. Fails with bad_request, naming the choices.
[[nodiscard]] Result<Expectation> expectation_from(std::string_view name);

/// Damage, contradictions, leftovers, alignment: of any medium.
[[nodiscard]] std::vector<Deviation> general_deviations(const InspectReport& report);
/// The SD layout for the medium's capacity: MBR, start, boundary unit, cluster size, file system.
[[nodiscard]] std::vector<Deviation> sd_deviations(const InspectReport& report);
/// Defaults of the formatters of an operating system, as far as they are publicly known.
[[nodiscard]] std::vector<Deviation> system_deviations(const InspectReport& report, Expectation system);

/// All that apply: the general ones first, by severity within each volume.
[[nodiscard]] std::vector<Deviation> deviations_from(Expectation expectation, const InspectReport& report);

/// A card's capacity class as the SD layout sees it. Table as printed in the manual page of mkfs.exfat and in SdFat;
/// edges are binary.
struct SdLayout {
    Bytes up_to; ///< capacity, inclusive
    Bytes cluster_size, boundary_unit;
    std::string_view file_system;
};
/// Nothing above 2 TiB: what SDUC expects is not public.
[[nodiscard]] std::optional<SdLayout> sd_layout_for(Bytes capacity);

} // namespace mediarig::media
