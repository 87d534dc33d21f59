// SPDX-License-Identifier: GPL-3.0-or-later
/// Chooses the media of an earlier campaign that a new campaign tests again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/verdict.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

struct Retest {
    plan::Plan plan; ///< the plan with the chosen media only
    std::string of;  ///< id of the earlier campaign
};

/// Finds the newest campaign of this plan that is no retest. The result contains each medium whose newest verdict, from
/// that campaign or from its retests, is one of `grades`. Confirmations in the plan are not compared. `plan`: with its
/// slots resolved, see plan_on(). Fails with bad_request (no campaign of this plan, or no such medium), with refused
/// (that campaign or a retest of it is running), and like list_campaigns().
[[nodiscard]] Result<Retest> choose_retest(const std::filesystem::path& database, const plan::Plan& plan,
                                           const std::vector<measure::Grade>& grades);

} // namespace mediarig::app
