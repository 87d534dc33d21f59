// SPDX-License-Identifier: GPL-3.0-or-later
/// Contents of a medium, parsed from `mediarig inspect --json`. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.hpp"
#include "host/media/inspect/inspect_values.hpp"

namespace mediarig::gui {

/// A media::Deviation with printable members.
struct ShownDeviation {
    std::string severity; ///< "error", "warning", "note"
    std::string subject;  ///< "volume 1"
    std::string name, found, expected, reason, source;
};

struct InspectionView {
    std::vector<ShownDeviation> deviations; ///< errors first, then in the order of the command
    bool compared{};                        ///< the contents were compared with a standard
    media::InspectReport content;
};

/// Fails with bad_format.
[[nodiscard]] Result<InspectionView> inspected_from_json(std::string_view text);

/// One parameter of a table or a volume, with printable members.
struct ShownParameter {
    std::string name;
    std::string value;       ///< with its unit: "4096 B"
    std::optional<Bytes> at; ///< offset on the medium; unset for computed parameters
    std::string hex;         ///< the first 64 bytes
};
/// `parameters` and `places` are members of a media::InspectReport or media::InspectedVolume.
[[nodiscard]] std::vector<ShownParameter> shown_parameters(
    const std::vector<std::pair<std::string, std::string>>& parameters, const media::Places& places);
/// Returns the parameters of the partition table and of all volumes at this offset, in the order of the medium.
[[nodiscard]] std::vector<ShownParameter> parameters_at(const media::InspectReport& content, Bytes start, Bytes length);

} // namespace mediarig::gui
