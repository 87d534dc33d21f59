// SPDX-License-Identifier: GPL-3.0-or-later
/// JSON forms of measurements and findings on the wire, in the store and in reports: nanoseconds, bytes and counts.
/// Readers fail with bad_format and name the path of the member.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"
#include "host/measure/histogram.hpp"
#include "host/measure/verdict.hpp"

namespace mediarig::codec {
struct Path;
class DecodeError;
} // namespace mediarig::codec

namespace mediarig::measure {

[[nodiscard]] nlohmann::json to_json(const Finding& finding);
[[nodiscard]] Result<Finding> finding_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const Verdict& verdict);
[[nodiscard]] Result<Verdict> verdict_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const Untested& untested);

/// {"buckets": [[bucket, count], …], "sum_ns", "min_ns", "max_ns"}
[[nodiscard]] nlohmann::json to_json(const Histogram& histogram);

/// For records that contain these values; see host/base/json/codec.hpp.
void read_form(const nlohmann::json& from, const codec::Path& at, Finding& finding, codec::DecodeError& fault);
void read_form(const nlohmann::json& from, const codec::Path& at, Histogram& histogram, codec::DecodeError& fault);
/// Checks that the value could be read back, without converting it to JSON.
void check_form(const Finding& finding, const codec::Path& at, codec::DecodeError& fault);

} // namespace mediarig::measure
