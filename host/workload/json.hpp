// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of specs and outcomes: bytes, nanoseconds and plain counts only. They only grow: readers ignore unknown
/// members, and a missing optional member means its default. Readers fail with bad_format, naming the member's path.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/measure/json.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

[[nodiscard]] nlohmann::json to_json(const JobSpec& job);
[[nodiscard]] Result<JobSpec> job_from_json(const nlohmann::json& json);

/// `raw_log` is left out: it travels and is stored as chunks of its own (see raw_log.hpp).
[[nodiscard]] nlohmann::json to_json(const CellResult& result);
/// Without `latency` and `series`, for who keeps these in another form.
[[nodiscard]] nlohmann::json facts_to_json(const CellResult& result);
/// Of either.
[[nodiscard]] Result<CellResult> cell_result_from_json(const nlohmann::json& json);

/// How often this process made JSON of a whole cell, and a cell of JSON: a finished one shall not be converted more
/// often than it moves.
struct CellConversions {
    std::uint64_t encoded{}, decoded{};
};
[[nodiscard]] CellConversions cell_conversions();

[[nodiscard]] nlohmann::json to_json(const VerifyOutcome& outcome);
[[nodiscard]] Result<VerifyOutcome> verify_outcome_from_json(const nlohmann::json& json);

/// For records that hold them; see host/base/json/codec.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, CellResult& result, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, JobSpec& job, codec::Fault& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, VerifyOutcome& outcome, codec::Fault& fault);
/// Whether each could be read back, without making JSON of it.
void check_form(const CellResult& result, const codec::Path& at, codec::Fault& fault);
void check_form(const JobSpec& job, const codec::Path& at, codec::Fault& fault);
void check_form(const VerifyOutcome& outcome, const codec::Path& at, codec::Fault& fault);

} // namespace mediarig::workload
