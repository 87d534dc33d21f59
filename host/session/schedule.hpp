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

class Schedule {
public:
    virtual ~Schedule() = default;
    /// The next group of the medium, or nothing when there is none. `measured`: the passes of the medium that have
    /// come to their end, in their order, those of an earlier attempt included. A resumed campaign asks again from the
    /// beginning: the same passes must lead to the same groups, under the same keys, and no key comes twice. It must
    /// end even where passes fail and nothing is measured.
    [[nodiscard]] virtual std::optional<plan::StepGroup> next(const std::vector<store::PassView>& measured) = 0;
    /// What cannot be said before something was measured, in one line; empty where every group is certain.
    [[nodiscard]] virtual std::string depends_on_results() const { return {}; }
};

using MakeSchedule = std::function<std::unique_ptr<Schedule>(const plan::Plan& plan, std::size_t medium)>;

/// The groups as the plan lists them, whatever is measured.
[[nodiscard]] std::unique_ptr<Schedule> listed_schedule(const plan::Plan& plan, std::size_t medium);

} // namespace mediarig::session
