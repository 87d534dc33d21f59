// SPDX-License-Identifier: GPL-3.0-or-later
/// What is known of two formats, as JSON: in answers to other programs and in results.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {

/// "continue", "faster", "same" or "cannot_tell".
[[nodiscard]] std::string_view decision_of(Verdict verdict);

/// {"decision", "blocks", "by", "lo", "hi", "text"}, and where they apply "why", "format", "failed" and "p"; figures
/// are null below the fewest blocks. `formats`: the name of each.
[[nodiscard]] nlohmann::json to_json(const Standing& standing, const Comparison& of,
                                     const std::vector<std::string>& formats);

} // namespace mediarig::measure::comparison
