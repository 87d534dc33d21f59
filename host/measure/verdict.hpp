// SPDX-License-Identifier: GPL-3.0-or-later
/// From limits, measured values and findings to a verdict. Pure.
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

/// A limit on one metric of one suite. The metric's name says its unit.
struct Limit {
    std::string suite;  ///< empty = any suite that has the metric
    std::string metric; ///< e.g. "seq_write.1024KB.mb_per_s", "iops.random_read.ops_per_s", "seq_read.64KB.p99_us"
    std::string format; ///< empty = every format
    std::optional<double> min, max; ///< at least one
    double guard_percent{5};        ///< nearer to the limit than this, or than the spread of the passes: MARGINAL
    bool operator==(const Limit&) const = default;
};

/// All passes of one metric under one format.
struct MetricValues {
    std::string suite, metric, format;
    std::vector<double> values;
    /// Each value is the largest of its pass, so that of several passes the largest counts and not their mean.
    bool extreme{false};
};

/// Adds the values of `more` to those of the same suite, metric and format in `to`.
void merge(std::vector<MetricValues>& to, std::vector<MetricValues> more);

struct LimitResult {
    Limit limit;
    std::string format;
    std::vector<double> values;
    /// What the bounds are held against: the mean of the values; where they are extremes, the largest of them.
    std::optional<double> figure;
    /// Half the width of the 95 % interval of the mean (Student's t); nothing for a single pass or for extremes, which
    /// have none.
    std::optional<double> uncertainty;
    Grade grade{};
    std::string reason{}; ///< one line
};

/// Something that the campaign wanted and could not test; any keeps a device from PASS.
struct Untested {
    std::string key; ///< names the pass, or the step where there is none
    std::string why; ///< one line
    bool operator==(const Untested&) const = default;
};

struct Verdict {
    Grade grade{};
    std::vector<LimitResult> limits;
    std::vector<std::string> reasons; ///< why this grade, worst first; one line each
    /// The finding that decided the grade; `count` is of all findings of its kind. Nothing where a limit decided it, or
    /// where something was not tested.
    std::optional<Finding> cause{};
    std::optional<Untested> untested{}; ///< the first of what was not tested, where that decided the grade
    /// The headline figures of the suites that ran: what a lot is compared by without reading every cell again.
    std::vector<MetricValues> headlines{};
};

/// FAKE beats FAIL beats INCONCLUSIVE beats MARGINAL beats PASS. Faults among the findings fail the device; missing
/// capacity makes it FAKE, an unclear one INCONCLUSIVE, as does nothing measured and nothing found.
[[nodiscard]] Verdict judge(const std::vector<Limit>& limits, const std::vector<MetricValues>& measured,
                            const Findings& findings, const std::vector<Untested>& untested);

} // namespace mediarig::measure
