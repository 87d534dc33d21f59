// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of specs and outcomes: only bytes, nanoseconds and counts. The forms only grow: readers ignore unknown
/// members, and a missing optional member has its default. Readers fail with bad_format and name the path of the
/// member.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/measure/json.hpp"
#include "host/workload/outcome.hpp"
#include "host/workload/scan_comparison.hpp"
#include "host/workload/spec.hpp"

namespace mediarig::workload {

[[nodiscard]] nlohmann::json to_json(const JobSpec& job);
[[nodiscard]] Result<JobSpec> job_from_json(const nlohmann::json& json);

/// Omits `raw_log`: it is sent and stored as separate chunks (see host/measure/encoding.hpp).
[[nodiscard]] nlohmann::json to_json(const CellResult& result);
/// Omits `latency` and `series`, for callers that keep them in another form.
[[nodiscard]] nlohmann::json facts_to_json(const CellResult& result);
/// Reads both forms.
[[nodiscard]] Result<CellResult> cell_result_from_json(const nlohmann::json& json);

/// Number of conversions of a whole cell to and from JSON in this process. A finished cell must not be converted more
/// often than it is transferred.
struct CellConversions {
    std::uint64_t encoded{}, decoded{};
};
[[nodiscard]] CellConversions cell_conversions();

[[nodiscard]] nlohmann::json to_json(const VerifyOutcome& outcome);
[[nodiscard]] Result<VerifyOutcome> verify_outcome_from_json(const nlohmann::json& json);

[[nodiscard]] nlohmann::json to_json(const ScanReport& report);
[[nodiscard]] Result<ScanReport> scan_report_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const ComparedPlace& place);
[[nodiscard]] nlohmann::json to_json(const RestoreReport& report);
[[nodiscard]] Result<RestoreReport> restore_report_from_json(const nlohmann::json& json);

/// For records that contain these values; see host/base/json/codec.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, CellResult& result, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, JobSpec& job, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, VerifyOutcome& outcome, codec::DecodeError& fault);
/// Checks that each value could be read back, without converting it to JSON.
void check_form(const CellResult& result, const codec::Path& at, codec::DecodeError& fault);
void check_form(const JobSpec& job, const codec::Path& at, codec::DecodeError& fault);
void check_form(const VerifyOutcome& outcome, const codec::Path& at, codec::DecodeError& fault);

} // namespace mediarig::workload
