// SPDX-License-Identifier: GPL-3.0-or-later
/// Concurrent actions of other processes: one random change of a use or of the meaning of a name. None of them writes a
/// byte into a file. A change of a file's length is reported to the scenario.
#pragma once

#include <string>

#include "tests/media/claim/scenarios/other_programs.hpp"
#include "tests/media/claim/scenarios/rng.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {

/// The present subject of the scenario.
struct Focus {
    std::string target;    ///< the claimed target
    int file{-1};          ///< file of the target at the last check
    int claimed_loop{-1};  ///< the loop device of the standing claim, foreign or the subject's own; -1: no device
    bool claimed_is_own{}; ///< true if it belongs to the subject
    int claimed_file{-1};
    Range claimed_range;
};

class Mutator {
public:
    Mutator(ScenarioFiles& scenario, OtherPrograms& others) : scenario_(scenario), others_(others) {}
    /// Does one action and returns its result: "…: ok" or the kernel's refusal.
    std::string mutate(Rng rng, const Focus& focus);
    /// Does an action of mutate() that leaves a use.
    std::string use(Rng rng, const Focus& focus);
    /// Attaches a loop device, the most frequent target besides a file's name.
    std::string attach_loop(Rng& rng, int file);

    /// Files whose names, rights or length another process has changed since this was cleared.
    std::vector<bool> touched;

private:
    [[nodiscard]] int file_for(Rng& rng, const Focus& focus) const;
    [[nodiscard]] std::string name_for(Rng& rng, int file) const;
    ForeignLoop* attach_over(Rng& rng, int file, const Content* content, std::string& told);
    void touch(int file);
    void touch_all();

    // Uses (uses.cpp)
    std::string use_through_loop(Rng& rng, const Focus& focus);
    std::string use_device(Rng& rng, int number, int file, const Range& range, const std::string& what);
    std::string use_partition(Rng& rng, const Focus& focus);
    std::string use_file(Rng& rng, const Focus& focus);
    std::string lock_file(Rng& rng, int file, const std::string& name);
    std::string end_something(Rng& rng);

    // Names and devices (mutations.cpp)
    std::string move_loop_window(Rng& rng, const Focus& focus);
    std::string attach_number_again(Rng& rng);
    std::string set_loop_direct_io(Rng& rng, const Focus& focus);
    std::string exchange_names(Rng& rng, const Focus& focus);
    std::string exchange_folder(Rng& rng);
    std::string point_link_elsewhere(Rng& rng);
    std::string exchange_nodes(Rng& rng);
    std::string change_rights(Rng& rng, const Focus& focus);
    std::string change_length(Rng& rng, const Focus& focus);

    ScenarioFiles& scenario_;
    OtherPrograms& others_;
};

/// The scenario's node for a device, for exchange_nodes().
[[nodiscard]] std::string alias_path(const ScenarioFiles& scenario, int which);

} // namespace mediarig::claim_scenarios
