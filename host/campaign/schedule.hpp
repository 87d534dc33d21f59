// SPDX-License-Identifier: GPL-3.0-or-later
/// Selects the next steps of one medium while its campaign runs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.hpp"
#include "host/plan/steps.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

/// Results of a medium so far, including those of earlier attempts.
struct MediumResults {
    std::vector<store::PassView> passes; ///< complete passes in the order of measurement
    std::vector<measure::Untested> untested;
    std::vector<std::string> cut_off; ///< ids of passes that an earlier attempt did not finish
};

/// A schedule's conclusion from the results, to be stored and reported.
struct Conclusion {
    std::string key;                ///< key of the conclusion in the journal: "m0.r5.compare"
    std::string text;               ///< one line
    std::string decisions;          ///< machine-readable form for the journal, as comparison_campaign::decisions_of
    std::vector<std::string> lines; ///< displayed below `title`
    std::string title;              ///< "block 5 of at most 12"
};

class Schedule {
public:
    virtual ~Schedule() = default;
    /// Returns the next group of the medium, or nothing at the end. A resumed campaign calls next() again from the
    /// beginning: the same passes must lead to the same groups under the same keys, and each key occurs once. The
    /// sequence must end even if passes fail and nothing is measured.
    [[nodiscard]] virtual std::optional<plan::StepGroup> next(const MediumResults& tested) = 0;
    /// Returns a conclusion if there is a new one since the last call. `over`: nothing more will be measured on the
    /// medium.
    [[nodiscard]] virtual std::optional<Conclusion> conclusion(const MediumResults&, bool /*over*/) {
        return std::nullopt;
    }
    /// Returns one line about the groups that depend on results; empty if no group depends on results.
    [[nodiscard]] virtual std::string depends_on_results() const { return {}; }
};

using MakeSchedule = std::function<std::unique_ptr<Schedule>(const plan::Plan& plan, std::size_t medium)>;

/// Returns the schedule for the groups that the plan lists, independent of results.
[[nodiscard]] std::unique_ptr<Schedule> listed_schedule(const plan::Plan& plan, std::size_t medium);
/// Returns the schedule for the blocks of a comparison, until the rule has reached every possible decision.
[[nodiscard]] std::unique_ptr<Schedule> compare_schedule(const plan::Plan& plan, std::size_t medium);
/// Returns the schedule for the kind of plan.
[[nodiscard]] std::unique_ptr<Schedule> schedule_for(const plan::Plan& plan, std::size_t medium);

} // namespace mediarig::campaign
