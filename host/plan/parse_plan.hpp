// SPDX-License-Identifier: GPL-3.0-or-later
/// Reads and checks the text of a plan.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// Lists all faults of a plan. Each has the form "PATH: reason", where PATH is a JSON pointer ("/media/0/path").
/// Unknown members are faults: a mistyped limit must not be ignored silently.
struct PlanFaults {
    std::vector<std::string> lines;
};
[[nodiscard]] tl::expected<Plan, PlanFaults> parse_plan(std::string_view text);
/// Parses a plan for display only: a medium whose data a run would destroy needs no `confirm`, but a present `confirm`
/// is checked.
[[nodiscard]] tl::expected<Plan, PlanFaults> parse_plan_to_look(std::string_view text);

} // namespace mediarig::plan
