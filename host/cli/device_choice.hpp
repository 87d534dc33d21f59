// SPDX-License-Identifier: GPL-3.0-or-later
/// --device, of the commands that show a campaign.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::cli {

void add_device_option(CLI::App& command, std::string& device);

/// Which of the campaign's devices `word` means: by key, name in the plan or serial; all where it is empty. Indices in
/// the campaign's order. Fails with bad_request: none of them.
[[nodiscard]] Result<std::vector<std::size_t>> chosen_devices(const store::CampaignView& campaign,
                                                              const std::string& word);

/// Leaves only those.
[[nodiscard]] Result<void> keep_chosen(store::CampaignView& campaign, const std::string& word);

} // namespace mediarig::cli
