// SPDX-License-Identifier: GPL-3.0-or-later
/// One scenario: files, one or two mediarigs at work in it, and somebody else who changes things at random moments.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "tests/claim/oracle.hpp"
#include "tests/claim/requests.hpp"
#include "tests/claim/scenario_files.hpp"

namespace mediarig::claim_scenarios {

struct ScenarioResult {
    std::vector<std::string> steps;
    std::vector<WrongWrite> wrong_writes;
    std::vector<std::string> wrong_refusals;
    std::vector<std::string> disagreements; ///< between the model and what other programs say
    std::string trouble;                    ///< a subject died or hung, or the scenario could not be played
    int requests{}, claims{}, claims_refused{}, mutations{}, beside{}, checked{};
    int planted{}, planted_at_end{};       ///< writes of our own
    std::array<int, request_kinds> done{}; ///< requests that were carried out, by RequestKind
    double claim_ms{};                     ///< longest successful claim without a change in the middle
    std::uint64_t bytes_written{};
};
[[nodiscard]] nlohmann::json to_json(const ScenarioResult& result);
[[nodiscard]] ScenarioResult scenario_result_from(const nlohmann::json& json);

struct ScenarioSetting {
    std::uint64_t start{1};
    std::string agent;                ///< path of the program, which plays one scenario in ten
    bool tell{};                      ///< print each step at once
    bool plant{};                     ///< write wrongly after each request ourselves: a test of the oracle
    bool dead_loop{};                 ///< another user's dead loop device is on the machine
    std::string mediarig;             ///< path of the program, which plays a sample of the matrix
    std::string home;                 ///< a folder for its settings
    std::vector<std::uint64_t> cells; ///< numbers of all_plays() to be played
    /// Plays one number in a process of its own: play_scenario() or play_cell().
    ScenarioResult (*play)(const BackingFolders& backing_folders, std::uint64_t number,
                           const ScenarioSetting& setting){};
};

/// In this process, which is in a mount namespace of its own and ends after it.
[[nodiscard]] ScenarioResult play_scenario(const BackingFolders& backing_folders, std::uint64_t number,
                                           const ScenarioSetting& setting);

/// Where the model and losetup, findmnt, lsof and /proc/locks differ; empty where they agree.
[[nodiscard]] std::vector<std::string> ask_reference_checkers(ScenarioFiles& scenario, OtherPrograms& others);

} // namespace mediarig::claim_scenarios
