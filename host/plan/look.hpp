// SPDX-License-Identifier: GPL-3.0-or-later
/// A plan that is read to be looked at, not to be run.
#pragma once

#include <string_view>
#include <tl/expected.hpp>

#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// As parse_plan(), but that a medium whose data a run would destroy needs no `confirm`; one that is there is checked.
[[nodiscard]] tl::expected<Plan, PlanFaults> parse_plan_to_look(std::string_view text);

} // namespace mediarig::plan
