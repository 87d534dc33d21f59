// SPDX-License-Identifier: GPL-3.0-or-later
/// What comes next for one medium, decided while its campaign runs.
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

namespace mediarig::session {

/// What has come of a medium so far, in an earlier attempt as well.
struct Tested {
    std::vector<store::PassView> passes; ///< that came to their end, in their order
    std::vector<measure::Untested> untested;
    std::vector<std::string> cut_off; ///< ids of the passes that an earlier attempt did not bring to their end
};

/// What a schedule has concluded from it, to be kept and told.
struct Conclusion {
    std::string key;                ///< key of its line in the journal: "m0.r5.compare"
    std::string text;               ///< one line
    std::string decisions;          ///< the same for programs, as trial::decisions_of: what the journal keeps
    std::vector<std::string> lines; ///< what people see, beneath `title`
    std::string title;              ///< "block 5 of at most 12"
};

class Schedule {
public:
    virtual ~Schedule() = default;
    /// The next group of the medium, or nothing when there is none. A resumed campaign asks again from the beginning:
    /// the same passes must lead to the same groups, under the same keys, and no key comes twice. It must end even
    /// where passes fail and nothing is measured.
    [[nodiscard]] virtual std::optional<plan::StepGroup> next(const Tested& tested) = 0;
    /// What is new since it was asked before. `over`: nothing more will be measured on the medium.
    [[nodiscard]] virtual std::optional<Conclusion> conclusion(const Tested&, bool /*over*/) { return std::nullopt; }
    /// What cannot be said before something was measured, in one line; empty where every group is certain.
    [[nodiscard]] virtual std::string depends_on_results() const { return {}; }
};

using MakeSchedule = std::function<std::unique_ptr<Schedule>(const plan::Plan& plan, std::size_t medium)>;

/// The groups as the plan lists them, whatever is measured.
[[nodiscard]] std::unique_ptr<Schedule> listed_schedule(const plan::Plan& plan, std::size_t medium);
/// Of a plan that compares: block after block, until the rule has decided what can be decided.
[[nodiscard]] std::unique_ptr<Schedule> compare_schedule(const plan::Plan& plan, std::size_t medium);
/// As the plan asks for.
[[nodiscard]] std::unique_ptr<Schedule> schedule_for(const plan::Plan& plan, std::size_t medium);

} // namespace mediarig::session
