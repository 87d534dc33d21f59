// SPDX-License-Identifier: GPL-3.0-or-later
/// Derives a verdict from limits, measured values and findings. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/finding.hpp"

namespace mediarig::measure {

enum class Grade : std::uint8_t { pass, marginal, fail, fake, inconclusive };
[[nodiscard]] std::string_view name_of(Grade grade); ///< "PASS", "MARGINAL", "FAIL", "FAKE", "INCONCLUSIVE"
[[nodiscard]] Result<Grade> grade_from(std::string_view name);

/// A limit on one metric of one suite. The metric's name contains its unit.
struct Limit {
    std::string suite;  ///< empty = any suite that has the metric
    std::string metric; ///< e.g. "seq_write.1024KB.mb_per_s", "iops.random_read.ops_per_s", "seq_read.64KB.p99_us"
    std::string format; ///< empty = every format
    std::optional<double> min, max; ///< at least one bound is set
    double guard_percent{5};        ///< closer to the limit than this, or than the spread of the passes: MARGINAL
    bool operator==(const Limit&) const = default;
};

/// All passes of one metric with one format.
struct MetricValues {
    std::string suite, metric, format;
    std::vector<double> values;
    /// Each value is the largest of its pass, so over several passes the largest is used instead of the mean.
    bool extreme{false};
};

/// Adds the values of `more` to those of the same suite, metric and format in `to`.
void merge(std::vector<MetricValues>& to, std::vector<MetricValues> more);

struct LimitResult {
    Limit limit;
    std::string format;
    std::vector<double> values;
    /// The figure that is compared with the bounds: the mean of the values; for extremes, the largest of them.
    std::optional<double> figure;
    /// Half the width of the 95 % interval of the mean (Student's t); nothing for a single pass and for extremes.
    std::optional<double> uncertainty;
    Grade grade{};
    std::string reason{}; ///< one line
};

/// A planned test that could not be done; any of these prevents PASS.
struct Untested {
    std::string key; ///< the key of the pass, or of a step without a pass
    std::string why; ///< one line
    bool operator==(const Untested&) const = default;
};

struct Verdict {
    Grade grade{};
    std::vector<LimitResult> limits;
    std::vector<std::string> reasons; ///< reasons for this grade, worst first; one line each
    /// The finding that decided the grade; `count` is the number of all findings of that kind. Empty if a limit or an
    /// untested step decided it.
    std::optional<Finding> cause{};
    std::optional<Untested> untested{}; ///< the first untested step, if that decided the grade
    /// The headline figures of the suites that ran, for comparing a lot without reading every cell again.
    std::vector<MetricValues> headlines{};
};

/// Reason for PASS without a measurement.
inline constexpr std::string_view formatted_and_checked = "formatted and checked, nothing was measured; no fault found";

/// Priority: FAKE, FAIL, INCONCLUSIVE, MARGINAL, PASS. Faults among the findings fail the device. Missing capacity
/// makes it FAKE. An unclear capacity makes it INCONCLUSIVE, and so does the absence of both measurements and findings,
/// unless the test consisted of formats that were made and checked (`only_formatted`).
[[nodiscard]] Verdict judge(const std::vector<Limit>& limits, const std::vector<MetricValues>& measured,
                            const Findings& findings, const std::vector<Untested>& untested,
                            bool only_formatted = false);

} // namespace mediarig::measure
