// SPDX-License-Identifier: GPL-3.0-or-later
/// One scenario: files, one or two subjects that use them, and other programs that make changes at random times.
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
    std::vector<std::string> disagreements; ///< disagreements between the model and the output of other programs
    std::string obstacle;                   ///< a subject died or hung, or the scenario could not be played
    int requests{}, claims{}, claims_refused{}, mutations{}, beside{}, checked{};
    int planted{}, planted_at_end{};       ///< writes planted by the scenario
    std::array<int, request_kinds> done{}; ///< number of successful requests, by RequestKind
    double claim_ms{};                     ///< longest successful claim without a change during the request
    std::uint64_t bytes_written{};
};
[[nodiscard]] nlohmann::json to_json(const ScenarioResult& result);
[[nodiscard]] ScenarioResult scenario_result_from(const nlohmann::json& json);

struct ScenarioSetting {
    std::uint64_t start{1};
    std::string agent;                ///< path of the agent program, which is the subject in one of ten scenarios
    bool tell{};                      ///< print each step immediately
    bool plant{};                     ///< plant a wrong write after each request, to test the oracle
    bool dead_loop{};                 ///< the machine has a dead loop device of another user
    std::string mediarig;             ///< path of the program that plays a sample of the matrix
    std::string home;                 ///< home folder for mediarig's settings
    std::vector<std::uint64_t> cells; ///< numbers of the plays in all_plays() that are to be played
    /// Plays one number in a separate process: play_scenario() or play_cell().
    ScenarioResult (*play)(const BackingFolders& backing_folders, std::uint64_t number,
                           const ScenarioSetting& setting){};
};

/// Plays the scenario in this process, which has its own mount namespace and ends afterwards.
[[nodiscard]] ScenarioResult play_scenario(const BackingFolders& backing_folders, std::uint64_t number,
                                           const ScenarioSetting& setting);

/// Differences between the model and losetup, findmnt, lsof and /proc/locks; empty if they agree.
[[nodiscard]] std::vector<std::string> ask_reference_checkers(ScenarioFiles& scenario, OtherPrograms& others);

} // namespace mediarig::claim_scenarios
