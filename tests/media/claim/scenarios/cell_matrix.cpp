// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/media/claim/scenarios/cell.hpp"
#include "tests/media/claim/scenarios/cell_stage.hpp"
#include "tests/media/claim/scenarios/runner.hpp"

namespace mediarig::claim_scenarios {
namespace {

struct Counts {
    int cells{}, plays{}, skipped{};
};

/// An overlay whose upper folder cannot be found, and a swap device with a name that the other workers do not see, also
/// cause doubts for other media of the machine: such cells are played after all others.
bool disturbs_others(const Cell& cell) {
    const bool hidden_name =
        cell.route == Route::alias || cell.route == Route::renamed || cell.route == Route::other_namespace;
    return cell.route == Route::merged_lost || cell.route == Route::upper_renamed ||
           (cell.activity == Activity::swap && hidden_name);
}

class MatrixTally {
public:
    void add(const CellPlay& play, const ScenarioResult& result, std::size_t number) {
        Counts& counts = counts_[verdict_on(play.cell).outcome];
        ++counts.plays;
        ++plays_;
        programs_ += result.checked;
        wrong_writes_ += result.wrong_writes.empty() ? 0 : 1;
        wrong_refusals_ += result.wrong_refusals.empty() ? 0 : 1;
        std::vector<std::string> failures;
        for (const WrongWrite& wrong : result.wrong_writes) failures.push_back("WRONG WRITE: " + wrong.text);
        for (const std::string& text : result.wrong_refusals) failures.push_back("WRONG REFUSAL: " + text);
        for (const std::string& text : result.disagreements) failures.push_back("OTHER PROGRAMS DISAGREE: " + text);
        if (result.obstacle.starts_with("SKIPPED: ")) {
            ++counts.skipped;
            skipped_.insert(result.obstacle);
        } else if (!result.obstacle.empty()) {
            failures.push_back("TROUBLE: " + result.obstacle);
        }
        if (failures.empty()) return;
        ++failed_;
        std::cout << fmt::format("{}, variant {} (number {}), must be {}\n", name_of(play.cell), play.variant, number,
                                 name_of(verdict_on(play.cell).outcome));
        for (const std::string& text : failures) std::cout << "  " << text << '\n';
        for (const std::string& step : result.steps) std::cout << "    " << step << '\n';
    }

    [[nodiscard]] int plays() const { return plays_; }
    [[nodiscard]] bool good() const { return failed_ == 0; }

    void print() {
        for (const Cell& cell : all_cells()) ++counts_[verdict_on(cell).outcome].cells;
        for (const auto& [outcome, counts] : counts_)
            std::cout << fmt::format("{}: {} cells, {} plays, {} of them skipped\n", name_of(outcome), counts.cells,
                                     counts.plays, counts.skipped);
        for (const std::string& reason : skipped_) std::cout << "  " << reason << '\n';
        for (std::size_t i = 0; i < objects; ++i) {
            const auto object = static_cast<Object>(i);
            if (const std::string why = not_runnable(object); !why.empty())
                std::cout << fmt::format("not runnable here: {}: {}\n", name_of(object), why);
        }
        std::cout << fmt::format(
            "{} plays, {} also by the program mediarig: {} with wrong writes, {} with wrong refusals, {} failed\n",
            plays_, programs_, wrong_writes_, wrong_refusals_, failed_);
    }

private:
    std::map<Outcome, Counts> counts_;
    std::set<std::string> skipped_;
    int plays_{}, failed_{}, programs_{}, wrong_writes_{}, wrong_refusals_{};
};

} // namespace

bool play_matrix(const std::string& wanted, unsigned workers, const ScenarioSetting& given) {
    const auto faults = faults_of_rules();
    for (const std::string& fault : faults) std::cout << "FAULT OF THE TABLE: " << fault << '\n';
    if (!faults.empty()) return false;

    ScenarioSetting setting = given;
    setting.play = play_cell;
    std::string home = "/tmp/mediarig-matrix-XXXXXX";
    if (::mkdtemp(home.data()) == nullptr) throw std::runtime_error("no folder in /tmp");
    setting.home = home;
    const auto plays = all_plays();
    MatrixTally tally;
    std::size_t wanted_plays = 0;
    const auto began = std::chrono::steady_clock::now();
    for (const bool disturbing : {false, true}) {
        setting.cells.clear();
        for (std::size_t i = 0; i < plays.size(); ++i)
            if (disturbs_others(plays[i].cell) == disturbing &&
                name_of(plays[i].cell).find(wanted) != std::string::npos)
                setting.cells.push_back(i);
        wanted_plays += setting.cells.size();
        if (setting.cells.empty()) continue;
        play_scenarios(0, setting.cells.size(), workers, setting,
                       [&](std::uint64_t number, const ScenarioResult& result) {
                           const std::size_t play = setting.cells.at(number);
                           tally.add(plays.at(play), result, play);
                       });
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::error_code ignored;
    std::filesystem::remove_all(home, ignored);
    tally.print();
    std::cout << fmt::format("{:.1f} s\n", took.count());
    const bool all_played = tally.plays() == static_cast<int>(wanted_plays) && wanted_plays > 0;
    if (!all_played) std::cout << "TROUBLE: not every cell was played\n";
    return tally.good() && all_played;
}

} // namespace mediarig::claim_scenarios
