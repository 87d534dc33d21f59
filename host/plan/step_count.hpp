// SPDX-License-Identifier: GPL-3.0-or-later
/// How long a plan is, told without unrolling it. Inner part of host/plan.
#pragma once

#include <cstdint>

#include "host/plan/plan.hpp"

namespace mediarig::plan {

/// A year of ten-minute steps; keeps a mistyped "repeats" from filling the memory.
inline constexpr std::uint64_t most_steps = 50'000;

/// unroll(plan).size()
[[nodiscard]] std::uint64_t step_count(const Plan& plan);

} // namespace mediarig::plan
