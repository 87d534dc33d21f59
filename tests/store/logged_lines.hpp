// SPDX-License-Identifier: GPL-3.0-or-later
/// Lines of a device log, and the lines expected for a store's view.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::store {

/// Every line that is one JSON object, in order. Empty without a file. Truncated lines of a crash and their terminators
/// are omitted. A line with other damage is returned as "damaged: …".
[[nodiscard]] std::vector<std::string> logged_lines(const std::filesystem::path& file);

/// One line for each record of `device` in `view`. Raw logs are not in a view, and the findings of a device are not
/// repeated when it is put again: lines of devices are omitted.
[[nodiscard]] std::vector<std::string> lines_for(const CampaignView& view, const DeviceView& device);

/// Lines of `wanted` that `lines` lack.
[[nodiscard]] std::vector<std::string> missing(const std::vector<std::string>& wanted,
                                               const std::vector<std::string>& lines);

} // namespace mediarig::store
