// SPDX-License-Identifier: GPL-3.0-or-later
/// What deviations from a format cost on one medium, as a plan: what `price` runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/app/target.hpp"
#include "host/plan/plan.hpp"
#include "host/result.hpp"

namespace mediarig::app {

struct PriceRequest {
    Target target;                       ///< no directory; confirmed
    std::string fs, profile;             ///< of the baseline; exFAT on the whole medium where both are empty
    std::vector<std::string> deviations; ///< as in a plan, or a JSON object; empty: default_deviations()
    std::optional<std::uint32_t> repeats;
    bool quick{};
    bool only_to_look{}; ///< nothing will be run: no confirmation is needed
};

/// What is worth trying against the request's baseline; empty where nothing is known to be.
[[nodiscard]] std::vector<std::string> default_deviations(const PriceRequest& request);

/// Fails with bad_request; the detail names the option that is at fault. Fails with refused where an image is confirmed
/// by something else than its path.
[[nodiscard]] Result<plan::Plan> price_plan(const PriceRequest& request);

} // namespace mediarig::app
