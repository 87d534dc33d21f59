// SPDX-License-Identifier: GPL-3.0-or-later
/// Which of several formats is faster on one medium, as a plan: what `compare` runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/app/target.hpp"
#include "host/plan/plan.hpp"
#include "host/result.hpp"

namespace mediarig::app {

struct CompareRequest {
    Target target;                       ///< no directory; confirmed
    std::vector<std::string> formats;    ///< file systems, each against each other one; or:
    std::string fs, profile;             ///< of a baseline; exFAT on the whole medium where both are empty
    std::vector<std::string> deviations; ///< from it, as in a plan, or a JSON object; or:
    bool self_test{};                    ///< the baseline against itself
    std::string blocks;                  ///< a number, or "endless"; empty: the plan's own
    std::optional<std::chrono::minutes> time;
    bool no_discard{};
    std::optional<std::uint32_t> rest_s, longest_rest_s;
    std::string fill; ///< a size, or "0"; empty: the plan's own
    std::optional<double> margin_percent;
    std::vector<std::string> headlines;
    std::uint64_t seed{1}; ///< of the orders
    bool quick{};
    bool only_to_look{}; ///< nothing will be run: no confirmation is needed
};

/// Fails with bad_request; the detail names the option that is at fault. Fails with refused where an image is confirmed
/// by something else than its path.
[[nodiscard]] Result<plan::Plan> compare_plan(const CompareRequest& request);

} // namespace mediarig::app
