// SPDX-License-Identifier: GPL-3.0-or-later
/// A table of plans and their faults, for tests of our parser and of an independent JSON Schema validator.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// Determines whether the published schema can express the rule. Some rules (duplicates, sums, names) are beyond JSON
/// Schema.
enum class Schema : unsigned char { agrees, cannot_tell };

struct PlanCase {
    const char* change;              ///< a JSON merge patch to the plan of base_plan()
    std::vector<std::string> faults; ///< all faults; empty for a valid plan
    Schema schema{Schema::agrees};
};

/// One device, exFAT, quickbench.
[[nodiscard]] std::string_view base_plan();
[[nodiscard]] const std::vector<PlanCase>& good_plans();
/// All invalid plans, including bad_comparisons().
[[nodiscard]] const std::vector<PlanCase>& bad_plans();
[[nodiscard]] const std::vector<PlanCase>& bad_comparisons();
[[nodiscard]] std::string plan_text(const PlanCase& row);
/// base_plan() with this merge patch applied. The test fails if the result does not parse.
[[nodiscard]] Plan plan_with(const std::string& patch);

} // namespace mediarig::plan
