// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of specs and outcomes: bytes, nanoseconds and plain counts only. They only grow: readers ignore unknown
/// members, and a missing optional member means its default.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/result.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

[[nodiscard]] nlohmann::json to_json(const JobSpec& job);
[[nodiscard]] Result<JobSpec> job_from_json(const nlohmann::json& json); ///< bad_format, naming the member
[[nodiscard]] nlohmann::json to_json(const CellSpec& cell);
[[nodiscard]] Result<CellSpec> cell_from_json(const nlohmann::json& json);

/// `raw_log` is left out: it travels and is stored as chunks of its own (see raw_log.hpp).
[[nodiscard]] nlohmann::json to_json(const CellResult& result);
[[nodiscard]] Result<CellResult> cell_result_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const VerifyOutcome& outcome);
[[nodiscard]] Result<VerifyOutcome> verify_outcome_from_json(const nlohmann::json& json);

[[nodiscard]] nlohmann::json to_json(const measure::Finding& finding);
[[nodiscard]] Result<measure::Finding> finding_from_json(const nlohmann::json& json);

} // namespace mediarig::workload
