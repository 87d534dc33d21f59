// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the writes of a subject.
///
/// A *wrong write* is a byte that changed during a request of a subject, and that
/// - is outside every range of a standing claim of that subject: the claim's answer names its device, and the kernel
///   gives its range and file. A claim has no range if its target named something else during the complete request of
///   the claim, or during the complete first inspection in it; or
/// - is in such a range, and in a range that another process used when the request began (see is_use_of_data()): since
///   before the claim was requested; or through the device of the claim; or since later, by a use that a check before
///   the request could have detected (is_seen_late()). A use that begins through another path during a request cannot
///   be prevented and is counted separately. The same applies to uses that began after the claim and are invisible to a
///   process that has the file open itself, to writes of the driver of a mounted volume during its unmount, also
///   through a device whose window was moved below it, and to the kernel's note in the superblock of an ext4 volume
///   after a failed mount by another process.
///
/// A *wrong refusal* is a request that fails although no other process used the file from before the claim until the
/// answer, and none changed its name, rights or length.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/other_programs.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {

struct HeldClaim {
    std::uint64_t id{}; ///< in the subject's numbering
    Place place;
    int loop{-1};          ///< the device in the answer
    std::string not_named; ///< reason why it has no range
    int target_loop{-1};   ///< a foreign device, if the target was one
    int asked{};           ///< start of the claim's request
    bool mounted{};
    int moved{-1};     ///< last time when another process moved the window of that device
    int disturbed{-1}; ///< last time when another process used its file
    Use* use{};        ///< its use by others
};

struct WrongWrite {
    std::string kind, text;
    std::uint64_t bytes{};
};

class Oracle {
public:
    Oracle(ScenarioFiles& scenario, OtherPrograms& others) : scenario_(scenario), others_(others) {}
    /// Must be called after each request with its start.
    void judge(int subject, int began, const std::string& request, std::map<int, HeldClaim>& claims);
    /// Takes the present contents of the files as the reference.
    void look();

    std::vector<WrongWrite> wrong;
    int beside{}; ///< writes into ranges whose use was not detectable
    std::uint64_t bytes_written{};

private:
    void judge_range(int subject, int began, const std::string& request, const Place& changed,
                     const std::map<int, HeldClaim>& claims);
    void add(const std::string& kind, const std::string& text, std::uint64_t bytes);
    [[nodiscard]] bool is_shown(const Use& use) const;
    ScenarioFiles& scenario_;
    OtherPrograms& others_;
};

/// The range of a loop device at the bottom of its stack, empty if that is no file of the scenario.
[[nodiscard]] std::optional<Place> place_of_loop(const ScenarioFiles& scenario, int number, bool& on_loop);

} // namespace mediarig::claim_scenarios
