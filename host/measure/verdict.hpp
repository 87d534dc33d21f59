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

/// The state of knowledge about a medium after its tests. Every output shows the same word for it.
enum class Grade : std::uint8_t {
    pass,     ///< all limits are met, or every byte was written and read back
    marginal, ///< too near to a limit to decide
    fail,     ///< a fault, or a missed limit
    fake,     ///< the medium keeps less data than it claims
    inconclusive,
    // Grades for a device without a found fault and without a proof. Each grade names the test that was done.
    formatted, ///< formatted and checked only
    measured,  ///< rates were measured, without a limit
    sampled,   ///< a part was written and read back
    probed     ///< its capacity was probed at some hundred places
};
[[nodiscard]] std::string_view name_of(Grade grade); ///< "PASS", "MARGINAL", …, the enumerators in capitals
[[nodiscard]] Result<Grade> grade_from(std::string_view name);
/// The documented exit status of a command that ends with this grade: 0, 1 or 3.
[[nodiscard]] int exit_status(Grade grade);
/// True for the grades without a proof: no fault was found, and no limit or full verify decided.
[[nodiscard]] bool is_not_proven(Grade grade);

/// The tests of a device in ascending order of the certainty about the capacity that they give if they find no fault.
/// The depth of a device is its most certain test.
enum class TestDepth : std::uint8_t { nothing, formatted, measured, sampled, probed, verified };

/// All that decides a grade.
struct GradeObservations {
    bool capacity_missing{}; ///< the medium keeps less data than it claims
    bool fault{};            ///< damaged data, refused writes, I/O errors, a faulty file system
    bool lost{};             ///< the medium disappeared, or no longer answered at any place
    bool unclear{};          ///< contradictory results about the capacity
    bool untested{};         ///< a planned test or a limit was not measured
    bool limits_set{};
    Grade limits{Grade::pass}; ///< the worst grade of the limits: pass, marginal, fail or inconclusive
    TestDepth depth{};
};
/// The decision table of docs/reference/method.md. The first row that applies decides.
[[nodiscard]] Grade decide(const GradeObservations& seen);

/// A limit on one metric of one suite. The metric's name contains its unit.
struct Limit {
    std::string suite;  ///< empty = any suite that has the metric
    std::string metric; ///< e.g. "seq_write.1024KB.mb_per_s", "iops.random_read.ops_per_s", "seq_read.64KB.p99_us"
    std::string format; ///< empty = every format
    std::optional<double> min, max; ///< at least one bound is set
    /// A figure is MARGINAL if it is closer to the limit than this, or than the spread of the passes.
    double guard_percent{5};
    bool operator==(const Limit&) const = default;
};

/// All passes of one metric with one format.
struct MetricValues {
    std::string suite, metric, format;
    std::vector<double> values;
    /// True if each value is the largest of its pass. Over several passes, the largest value is then used, not the
    /// mean.
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
    /// The headline figures of the suites that ran. They permit a comparison of many devices without reading every cell
    /// again.
    std::vector<MetricValues> headlines{};
};

/// The deepest test and its extent.
struct TestEvidence {
    TestDepth depth{};  ///< at least `measured` if there are measured values
    std::string text{}; ///< reason for a grade without a limit, one line; empty: the general reason
};

/// Grades a device by decide(), with the reasons. The first reason belongs to the grade.
[[nodiscard]] Verdict judge(const std::vector<Limit>& limits, const std::vector<MetricValues>& measured,
                            const Findings& findings, const std::vector<Untested>& untested,
                            TestEvidence evidence = {});

} // namespace mediarig::measure
