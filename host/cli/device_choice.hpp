// SPDX-License-Identifier: GPL-3.0-or-later
/// What the commands that show a campaign share: --device, and a word where the newest campaign is not in the store
/// yet.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "host/cli/command.hpp"
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

/// Where `campaign` means the newest one of the store, and a process is about to begin another.
void note_newer(const Console& console, const std::string& store, const std::string& campaign);

} // namespace mediarig::cli
