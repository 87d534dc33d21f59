// SPDX-License-Identifier: GPL-3.0-or-later
/// Actions of other programs while mediarig works: one random change of a use or of the meaning of a name. No action
/// writes a byte into a file; an action that changes a file's length updates the files of the scenario.
#pragma once

#include <string>

#include "tests/media/claim/scenarios/other_programs.hpp"
#include "tests/media/claim/scenarios/rng.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {

/// Target of the random changes.
struct Focus {
    std::string target;    ///< target of the claim
    int file{-1};          ///< file that the target named at the last check
    int claimed_loop{-1};  ///< loop device of the current claim, attached by the subject or another program; -1: none
    bool claimed_is_own{}; ///< the subject attached `claimed_loop`
    int claimed_file{-1};
    Range claimed_range;
};

class Mutator {
public:
    Mutator(ScenarioFiles& scenario, OtherPrograms& others) : scenario_(scenario), others_(others) {}
    /// Makes one change and returns its description with the result: "…: ok" or the kernel's error.
    std::string mutate(Rng rng, const Focus& focus);
    /// Like mutate(), but makes only changes that start a use.
    std::string use(Rng rng, const Focus& focus);
    /// Attaches a loop device, which is the most probable target after the name of a file.
    std::string attach_loop(Rng& rng, int file);

    /// Files whose names, permissions or length another program has changed since this was cleared.
    std::vector<bool> touched;
    /// Number of checked uses that other programs do not show.
    std::vector<std::string> disagreements;

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

    // Uses of the matrix (uses_of_matrix.cpp)
    std::string use_of_matrix(Rng& rng, const Focus& focus);
    void reach_file(Rng& rng, const Focus& focus, Use& use, CellUse& how);
    std::string reach_device(Rng& rng, const Focus& focus, Use& use, CellUse& how);

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

/// Path of a node that the scenario makes for a device, for exchange_nodes().
[[nodiscard]] std::string alias_path(const ScenarioFiles& scenario, int which);

} // namespace mediarig::claim_scenarios
