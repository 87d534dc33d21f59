// SPDX-License-Identifier: GPL-3.0-or-later
/// What is on a medium, as `mediarig inspect --json` says it. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::gui {

/// Of a media::Deviation, each member safe to show.
struct ShownDeviation {
    std::string severity; ///< "error", "warning", "note"
    std::string subject;  ///< "volume 1"
    std::string name, found, expected, reason, source;
};

struct Inspected {
    std::vector<ShownDeviation> deviations; ///< errors first, as the command lists those of one severity
    bool compared{};                        ///< it was asked for what the medium should be
    media::InspectReport content;
};

/// Fails with bad_format.
[[nodiscard]] Result<Inspected> inspected_from_json(std::string_view text);

/// One parameter of a table or a volume, each member safe to show.
struct ShownParameter {
    std::string name;
    std::string value;       ///< with its unit: "4096 B"
    std::optional<Bytes> at; ///< on the medium; unset for what is computed
    std::string hex;         ///< the first 64 bytes
};
/// `parameters` and `places` of media::InspectReport or media::InspectedVolume.
[[nodiscard]] std::vector<ShownParameter> shown_parameters(
    const std::vector<std::pair<std::string, std::string>>& parameters, const media::Places& places);
/// Those of the partition table and of all volumes that stand there, in the order of the medium.
[[nodiscard]] std::vector<ShownParameter> parameters_at(const media::InspectReport& content, Bytes start, Bytes length);

} // namespace mediarig::gui
