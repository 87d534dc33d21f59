// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes the report of a hub qualification, as JSON and as text. In a cycle, null means "did not happen" or "not
/// measured". How to qualify a port: docs/guide/rig.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/rig/power/hub/hub_qualification.hpp"

namespace mediarig::rig {

[[nodiscard]] nlohmann::json to_json(const HubQualification& qualification);
/// Returns several lines.
[[nodiscard]] std::string text_of(const HubQualification& qualification);

} // namespace mediarig::rig
