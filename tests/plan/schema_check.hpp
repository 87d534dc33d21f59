// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks plans with an independent JSON Schema validator.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mediarig::plan {

/// Returns "good" or "bad" for each text according to docs/schemas/plan.schema.json (check_by_schema.py). Returns
/// nullopt if this machine has no validator.
[[nodiscard]] std::optional<std::vector<std::string>> checked_by_schema(const std::vector<std::string>& texts);

} // namespace mediarig::plan
