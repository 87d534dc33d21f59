// SPDX-License-Identifier: GPL-3.0-or-later
/// Lines of a device log, and the lines expected for a store's view.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::store {

/// Every line that is a JSON object, in order. Empty if the file is missing. Omits lines that a crash truncated, and
/// the lines that report the crash. A line with other damage is returned as "damaged: …".
[[nodiscard]] std::vector<std::string> logged_lines(const std::filesystem::path& file);

/// One line for each record of `device` in `view`. Omits raw logs, which are not in a view, and lines about devices,
/// because the findings of a device are not repeated when the device is stored again.
[[nodiscard]] std::vector<std::string> lines_for(const CampaignView& view, const DeviceView& device);

/// Lines of `wanted` that are missing in `lines`.
[[nodiscard]] std::vector<std::string> missing(const std::vector<std::string>& wanted,
                                               const std::vector<std::string>& lines);

} // namespace mediarig::store
