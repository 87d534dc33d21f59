// SPDX-License-Identifier: GPL-3.0-or-later
/// How fast a medium was a moment ago, for the estimate of what it does next. Pure.
#pragma once

#include <optional>
#include <span>

#include "common/units.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::plan {

/// The rate that estimate() would have needed to be right about these cells: a small transfer counts as in its model.
/// Nothing where none of them took any time.
[[nodiscard]] std::optional<Rate> rate_seen(std::span<const workload::CellResult> cells);

} // namespace mediarig::plan
