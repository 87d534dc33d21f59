// SPDX-License-Identifier: GPL-3.0-or-later
/// A qualification as a report to keep, for people and for programs. Form: docs/hubs.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/rig/hub/hub_qualification.hpp"

namespace mediarig::rig {

[[nodiscard]] nlohmann::json to_json(const HubQualification& qualification);
/// Several lines.
[[nodiscard]] std::string text_of(const HubQualification& qualification);

} // namespace mediarig::rig
