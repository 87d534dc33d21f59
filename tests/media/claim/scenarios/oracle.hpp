// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks the writes of a subject.
///
/// A *wrong write* is a byte that changed during a request of a subject, and that
/// - is outside every range that an active claim of that subject holds: the answer of the claim names its device, and
///   the kernel reports the file and the range of that device; a claim holds nothing if its target named something else
///   during the whole claim request, or during the whole first check of that request; or
/// - is in such a range, and in a range that another program used when the request began (see is_use_of_data()): since
///   before the claim request; or through the device that the claim holds; or since later, by a use that a check before
///   the request could have detected (is_seen_late()).
///
/// The following writes are counted separately: into a range that another program starts to use by another path during
/// the request, because no check can prevent these; into a range of a use that began after the claim and that the
/// process with the open file cannot see; for a claim that accepted a doubt, into a range of any use that no device
/// shows; by the driver of a mounted volume during unmounting, also through a device whose window was moved; and by the
/// kernel into the superblock of an ext4 volume that another program failed to mount.
///
/// A use of the matrix (UseKind::by_matrix) counts if it began before the claim and if the matrix refuses its cell.
///
/// A *wrong refusal* is a request that fails although no other program used the file from before the claim until the
/// answer, and none changed a name, the permissions or the length of the file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/media/claim/scenarios/other_programs.hpp"
#include "tests/media/claim/scenarios/scenario_files.hpp"

namespace mediarig::claim_scenarios {

struct HeldClaim {
    std::uint64_t id{}; ///< number of the claim, as the subject assigned it
    Place place;
    int loop{-1};          ///< device named in the answer
    std::string not_named; ///< reason why the claim holds no range; empty if it holds its range
    int target_loop{-1};   ///< loop device of another program that was the target; -1: none
    int asked{};           ///< time at which the claim request began
    bool mounted{};
    bool doubt_accepted{}; ///< the flag of the request accepted that the users of the file cannot be listed
    int moved{-1};         ///< time of the last move of the device's window by another program; -1: never
    int disturbed{-1};     ///< time of the last use of the file by another program; -1: never
    Use* use{};            ///< entry of this claim among the uses, for the other subject
};

struct WrongWrite {
    std::string kind, text;
    std::uint64_t bytes{};
};

class Oracle {
public:
    Oracle(ScenarioFiles& scenario, OtherPrograms& others) : scenario_(scenario), others_(others) {}
    /// Checks the writes. Call this after each request, with the time at which the request began.
    void judge(int subject, int began, const std::string& request, std::map<int, HeldClaim>& claims);
    /// Takes the current contents of the files as the reference.
    void look();

    std::vector<WrongWrite> wrong;
    int beside{}; ///< number of writes into ranges whose use the subject could not detect
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

/// Range of a scenario file that a loop device shows, at the bottom of its stack; empty if the backing is not a
/// scenario file.
[[nodiscard]] std::optional<Place> place_of_loop(const ScenarioFiles& scenario, int number, bool& on_loop);

} // namespace mediarig::claim_scenarios
