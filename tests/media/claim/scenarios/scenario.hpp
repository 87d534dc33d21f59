// SPDX-License-Identifier: GPL-3.0-or-later
/// One scenario: files, one or two instances of mediarig that work on them, and other processes that change things at
/// random moments.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/oracle.hpp"
#include "tests/media/claim/scenarios/requests.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {

struct ScenarioResult {
    std::vector<std::string> steps;
    std::vector<WrongWrite> wrong_writes;
    std::vector<std::string> wrong_refusals;
    std::vector<std::string> disagreements; ///< differences between the model and other programs
    std::string trouble;                    ///< a subject died or hung, or the scenario could not be played
    int requests{}, claims{}, claims_refused{}, mutations{}, beside{}, checked{};
    int planted{}, planted_at_end{};       ///< number of planted writes
    std::array<int, request_kinds> done{}; ///< completed requests by RequestKind
    double claim_ms{};                     ///< longest successful claim without a concurrent change
    std::uint64_t bytes_written{};
};
[[nodiscard]] nlohmann::json to_json(const ScenarioResult& result);
[[nodiscard]] ScenarioResult scenario_result_from(const nlohmann::json& json);

struct ScenarioSetting {
    std::uint64_t start{1};
    std::string agent; ///< path of the program that plays one scenario in ten
    bool tell{};       ///< print each step at once
    bool plant{};      ///< plant wrong writes after each request, to test the oracle
};

/// Runs in this process, which has a private mount namespace and ends after it.
[[nodiscard]] ScenarioResult play_scenario(const BackingFolders& backing_folders, std::uint64_t number,
                                           const ScenarioSetting& setting);

/// Differences between the model and losetup, findmnt, lsof and /proc/locks. Empty if they agree.
[[nodiscard]] std::vector<std::string> ask_reference_checkers(ScenarioFiles& scenario, OtherPrograms& others);

} // namespace mediarig::claim_scenarios
