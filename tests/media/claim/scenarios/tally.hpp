// SPDX-License-Identifier: GPL-3.0-or-later
/// Adds up the results of many scenarios, and prints them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/scenario.hpp"

namespace mediarig::claim_scenarios {

class Tally {
public:
    void add(std::uint64_t number, const ScenarioResult& result);
    /// `again`: command that repeats a scenario, up to its number.
    void print(const std::string& again) const;
    /// True if all are correct, and each usual kind of request succeeded in some.
    [[nodiscard]] bool good() const;
    [[nodiscard]] std::uint64_t scenarios() const { return scenarios_; }

private:
    struct Kind {
        std::uint64_t scenarios{}, bytes{}, shortest{};
        std::size_t steps{~std::size_t{0}};
        std::string text;
        std::vector<std::string> told;
    };
    void add_kind(std::map<std::string, Kind>& kinds, const std::string& kind, std::uint64_t number,
                  const ScenarioResult& result, const std::string& text, std::uint64_t bytes);
    static void print_kinds(const char* title, const std::map<std::string, Kind>& kinds, const std::string& again);

    [[nodiscard]] std::vector<std::string> never_done() const;

    std::map<std::string, Kind> wrong_writes_, wrong_refusals_, disagreements_, troubles_;
    std::uint64_t scenarios_{}, with_wrong_writes_{}, with_wrong_refusals_{}, bytes_{};
    std::uint64_t requests_{}, claims_{}, refused_{}, mutations_{}, beside_{}, checked_{};
    std::array<std::uint64_t, request_kinds> done_{};
    double longest_claim_ms_{};
};

} // namespace mediarig::claim_scenarios
