// SPDX-License-Identifier: GPL-3.0-or-later
/// compare --media: compares media by the campaigns in the store.
#pragma once

#include <string>
#include <vector>

#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"

namespace mediarig::cli {

/// `media`: "CAMPAIGN" selects all media of a campaign, "CAMPAIGN/DEVICE" one medium by name, key or serial. `margin`:
/// 0.05 for 5 %. Measures nothing. Returns the exit status.
[[nodiscard]] int compare_media(const Console& console, const std::string& store, const std::vector<std::string>& media,
                                double margin, const Facts& facts);

} // namespace mediarig::cli
