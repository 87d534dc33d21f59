// SPDX-License-Identifier: GPL-3.0-or-later
/// The state of a comparison of two formats as JSON, for answers to other programs and for results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {

/// Returns "continue", "faster", "same" or "cannot_tell".
[[nodiscard]] std::string_view decision_of(ComparisonVerdict verdict);

/// {"decision", "blocks", "by", "lo", "hi", "text"}, and if they apply "why", "format", "failed" and "p". Figures are
/// null below the minimum number of blocks. `formats`: the name of each.
[[nodiscard]] nlohmann::json to_json(const PairResult& pair_result, const Comparison& of,
                                     const std::vector<std::string>& formats);

} // namespace mediarig::measure::comparison
