// SPDX-License-Identifier: GPL-3.0-or-later
/// A foreign JSON Schema validator.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace mediarig::plan {

/// "good" or "bad" for each text by docs/schemas/plan.schema.json (check_by_schema.py). nullopt without a validator on
/// this machine.
[[nodiscard]] std::optional<std::vector<std::string>> checked_by_schema(const std::vector<std::string>& texts);

} // namespace mediarig::plan
