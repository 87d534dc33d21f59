// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks what a subject wrote.
///
/// A *wrong write* is a byte that changed while a request of a subject was carried out, and that
///  - lies outside every range that a standing claim of that subject holds: the claim's answer names its device, and
///    the kernel says which range of which file that is; a claim holds nothing if its target named something else all
///    through the claim's request, or all through the request's first look at it; or
///  - lies in such a range, and in a range that somebody else used when the request began (see is_use_of_data()):
///    since before the claim was asked for; or through the very device that the claim holds; or since later, by a use
///    that a look before the request could have seen (is_seen_late()).
/// What somebody begins to use by another way while a request is at work cannot be kept apart by anybody: that is
/// counted beside. Also counted beside: uses that began after the claim and that nothing shows to the process that has
/// the file open itself; of a claim that accepted a doubt, all uses that no device shows;
/// what the driver of a mounted volume writes while that is unmounted, also through a device whose window was moved
/// below it; and what the kernel notes in the superblock of an ext4 volume that somebody else failed to mount.
///
/// A use of the matrix (UseKind::by_matrix) counts if it began before the claim and if the matrix refuses its cell.
///
/// A *wrong refusal* is a request that fails although nobody else had anything to do with the file from before the
/// claim until the answer, and nobody changed a name, the rights or the length of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/claim/other_programs.hpp"
#include "tests/claim/scenario_files.hpp"

namespace mediarig::claim_scenarios {

struct HeldClaim {
    std::uint64_t id{}; ///< as the subject counts them
    Place place;
    int loop{-1};          ///< the device that the answer names
    std::string not_named; ///< why it holds nothing, if it does
    int target_loop{-1};   ///< somebody else's, if such a device was the target
    int asked{};           ///< when the claim's request began
    bool mounted{};
    bool doubt_accepted{}; ///< by the flag: the users of the file cannot be listed
    int moved{-1};         ///< when somebody last moved the window of that device
    int disturbed{-1};     ///< when somebody else last had to do with its file
    Use* use{};            ///< what it is to the others
};

struct WrongWrite {
    std::string kind, text;
    std::uint64_t bytes{};
};

class Oracle {
public:
    Oracle(ScenarioFiles& scenario, OtherPrograms& others) : scenario_(scenario), others_(others) {}
    /// To be called after each request, with when it began.
    void judge(int subject, int began, const std::string& request, std::map<int, HeldClaim>& claims);
    /// Takes what the files hold now for granted.
    void look();

    std::vector<WrongWrite> wrong;
    int beside{}; ///< writes into ranges that came into use without a chance to see it
    std::uint64_t bytes_written{};

private:
    void judge_range(int subject, int began, const std::string& request, const Place& changed,
                     const std::map<int, HeldClaim>& claims);
    void add(const std::string& kind, const std::string& text, std::uint64_t bytes);
    [[nodiscard]] bool is_shown(const Use& use) const;
    [[nodiscard]] static bool is_seen_before_claim(const Use& use, const HeldClaim& claim);
    ScenarioFiles& scenario_;
    OtherPrograms& others_;
};

/// The range that a loop device shows, at the bottom of its stack; nothing where that is none of the scenario's files.
[[nodiscard]] std::optional<Place> place_of_loop(const ScenarioFiles& scenario, int number, bool& on_loop);

} // namespace mediarig::claim_scenarios
