// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "host/base/enum_names.hpp"
#include "host/measure/statistics.hpp"

namespace mediarig::measure {
namespace {

struct GradeRow {
    Grade grade;
    std::string_view name;
    int weight; ///< for the order of reasons: the reason with the larger weight comes first
    int status; ///< exit status
};

// A probe and a partial verify should decide whether the capacity is real, but cannot prove it. Their status is 3, as
// for a test that could not be done. A command that only formats or measures has done all that was requested.
constexpr std::array grades{
    GradeRow{Grade::pass, "PASS", 0, 0},
    GradeRow{Grade::marginal, "MARGINAL", 1, 1},
    GradeRow{Grade::fail, "FAIL", 3, 1},
    GradeRow{Grade::fake, "FAKE", 4, 1},
    GradeRow{Grade::formatted, "FORMATTED", 0, 0},
    GradeRow{Grade::measured, "MEASURED", 0, 0},
    GradeRow{Grade::sampled, "SAMPLED", 0, 3},
    GradeRow{Grade::probed, "PROBED", 0, 3},
    GradeRow{Grade::inconclusive, "INCONCLUSIVE", 2, 3},
};

const GradeRow& row_of(Grade grade) {
    for (const GradeRow& row : grades)
        if (row.grade == grade) return row;
    return grades.back();
}

Grade worse(Grade a, Grade b) {
    return row_of(a).weight >= row_of(b).weight ? a : b;
}

/// If all passes exceed a bound by this factor, they decide, whatever their number. With Student's factor for two
/// passes, 12.7, a card that is three times as fast as required would be too close to the bound.
constexpr double far_beyond = 1.5;

bool all_above(const std::vector<double>& values, double bound) {
    return std::ranges::all_of(values, [&](double value) { return value >= bound; });
}
bool all_below(const std::vector<double>& values, double bound) {
    return std::ranges::all_of(values, [&](double value) { return value <= bound; });
}
bool is_far_from(double bound, const std::vector<double>& values) {
    return bound > 0 && (all_above(values, bound * far_beyond) || all_below(values, bound / far_beyond));
}

/// The grade of a figure relative to one bound: `distance` is positive on the good side.
Grade grade_of(double distance, double guard) {
    if (std::abs(distance) < guard) return Grade::marginal;
    return distance >= 0 ? Grade::pass : Grade::fail;
}

std::string place(const std::string& format) {
    return format.empty() ? "" : " under " + format;
}

LimitResult check_limit(const Limit& limit, const MetricValues& measured) {
    LimitResult result{.limit = limit,
                       .format = measured.format,
                       .values = measured.values,
                       .figure = measured.extreme ? std::ranges::max(measured.values) : *mean(measured.values),
                       .uncertainty = measured.extreme ? std::nullopt : half_width_95(measured.values)};
    result.grade = Grade::pass;
    std::string bounds;
    const auto hold = [&](double bound, double distance, std::string_view word) {
        const double scatter = is_far_from(bound, measured.values) ? 0 : result.uncertainty.value_or(0);
        const double guard = std::max(std::abs(bound) * limit.guard_percent / 100, scatter);
        const Grade grade = grade_of(distance, guard);
        result.grade = worse(result.grade, grade);
        if (!bounds.empty()) bounds += ", ";
        bounds += fmt::format("{} {:.6g}", word, bound);
        if (grade == Grade::marginal)
            bounds += fmt::format(" is nearer than the {} of {:.3g}", guard > scatter ? "guard" : "uncertainty", guard);
        if (grade == Grade::fail) bounds += " is not met";
    };
    if (limit.min) hold(*limit.min, *result.figure - *limit.min, "minimum");
    if (limit.max) hold(*limit.max, *limit.max - *result.figure, "maximum");
    // Prints more digits if six digits do not show the difference from a bound.
    const auto equal = [&](const std::optional<double>& bound) {
        return bound && *bound != *result.figure &&
               fmt::format("{:.6g}", *bound) == fmt::format("{:.6g}", *result.figure);
    };
    const int digits = equal(limit.min) || equal(limit.max) ? 12 : 6;
    const std::string sureness = result.uncertainty ? fmt::format(" ± {:.3g}", *result.uncertainty) : std::string();
    result.reason = fmt::format("{} of {}{}: {:.{}g}{} over {} {}; {}", limit.metric, measured.suite,
                                place(measured.format), *result.figure, digits, sureness, result.values.size(),
                                result.values.size() == 1 ? "pass" : "passes", bounds);
    return result;
}

LimitResult not_measured(const Limit& limit, const std::string& format) {
    return {.limit = limit,
            .format = format,
            .values = {},
            .figure = {},
            .uncertainty = {},
            .grade = Grade::inconclusive,
            .reason = fmt::format("{}{}{}: was not measured", limit.metric,
                                  limit.suite.empty() ? "" : " of " + limit.suite, place(format))};
}

std::vector<LimitResult> results_of(const Limit& limit, const std::vector<MetricValues>& measured) {
    std::vector<LimitResult> results;
    std::vector<std::string> missing; // formats with which the suite ran without giving this metric
    for (const MetricValues& m : measured) {
        if (!limit.suite.empty() && m.suite != limit.suite) continue;
        if (!limit.format.empty() && m.format != limit.format) continue;
        if (m.metric == limit.metric) results.push_back(check_limit(limit, m));
        // Without a named suite it is unknown whether this format should have the metric.
        else if (!limit.suite.empty() && std::find(missing.begin(), missing.end(), m.format) == missing.end())
            missing.push_back(m.format);
    }
    std::erase_if(missing, [&](const std::string& format) {
        return std::any_of(results.begin(), results.end(), [&](const LimitResult& r) { return r.format == format; });
    });
    for (const std::string& format : missing) results.push_back(not_measured(limit, format));
    if (results.empty()) results.push_back(not_measured(limit, limit.format));
    return results;
}

/// A reason that prevents PASS.
struct Reason {
    Grade grade{};
    std::string text;
    const Finding* finding{};   ///< null if the reason is not a finding
    const Untested* untested{}; ///< null if the reason is not an untested step
};

/// Returns `finding` with the number of all findings of its kind. A finding of a cell that its pass repeats counts
/// once. Several tests find the same damage, so the last finding about damage is returned with its own figures.
Finding counted(Finding finding, const Findings& all) {
    if (finding.kind == FindingKind::data_damaged) {
        for (const Finding& each : all)
            if (each.kind == finding.kind && each.severity == Severity::fault) finding = each;
        return finding;
    }
    const auto is_first = [&](const Finding& each) { return &*std::ranges::find(all, each) == &each; };
    finding.count = 0;
    for (const Finding& each : all)
        if (each.kind == finding.kind && is_first(each)) finding.count += each.count;
    return finding;
}

} // namespace

std::string_view name_of(Grade grade) {
    return row_of(grade).name;
}

Result<Grade> grade_from(std::string_view name) {
    std::vector<std::string_view> known;
    for (const GradeRow& row : grades) {
        if (row.name == name) return row.grade;
        known.push_back(row.name);
    }
    return fail(not_one_of(name, known));
}

void merge(std::vector<MetricValues>& to, std::vector<MetricValues> more) {
    for (MetricValues& piece : more) {
        const auto same = std::find_if(to.begin(), to.end(), [&](const MetricValues& m) {
            return m.metric == piece.metric && m.suite == piece.suite && m.format == piece.format;
        });
        if (same == to.end())
            to.push_back(std::move(piece));
        else
            same->values.insert(same->values.end(), piece.values.begin(), piece.values.end());
    }
}

int exit_status(Grade grade) {
    return row_of(grade).status;
}

bool is_not_proven(Grade grade) {
    return grade == Grade::formatted || grade == Grade::measured || grade == Grade::sampled || grade == Grade::probed;
}

Grade decide(const GradeObservations& seen) {
    if (seen.capacity_missing) return Grade::fake;
    if (seen.fault || seen.limits == Grade::fail) return Grade::fail;
    if (seen.lost || seen.unclear || seen.untested || seen.limits == Grade::inconclusive) return Grade::inconclusive;
    if (seen.limits == Grade::marginal) return Grade::marginal;
    if (seen.limits_set) return Grade::pass;
    switch (seen.depth) {
        case TestDepth::verified:
            return Grade::pass;
        case TestDepth::probed:
            return Grade::probed;
        case TestDepth::sampled:
            return Grade::sampled;
        case TestDepth::measured:
            return Grade::measured;
        case TestDepth::formatted:
            return Grade::formatted;
        case TestDepth::nothing:
            break;
    }
    return Grade::inconclusive;
}

namespace {

std::string_view general_text(Grade grade) {
    switch (grade) {
        case Grade::formatted:
            return "formatted and checked, nothing was measured; no fault found";
        case Grade::measured:
            return "measured, no fault found; no limit set, and the capacity was not tested";
        case Grade::sampled:
            return "a part was written and read back, no fault found; the capacity is not proven";
        case Grade::probed:
            return "probed, no sign of a fake; the capacity is not proven";
        case Grade::inconclusive:
            return "nothing was measured";
        default:
            return "every byte was written and read back, no fault found";
    }
}

} // namespace

Verdict judge(const std::vector<Limit>& limits, const std::vector<MetricValues>& measured, const Findings& findings,
              const std::vector<Untested>& untested, TestEvidence evidence) {
    std::vector<Reason> said;
    GradeObservations seen{.untested = !untested.empty(), .limits_set = !limits.empty(), .depth = evidence.depth};
    for (const Finding& finding : findings) {
        const bool lost = finding.kind == FindingKind::medium_lost;
        const bool unclear = finding.kind == FindingKind::capacity_unclear;
        if (finding.severity != Severity::fault && !lost && !unclear) continue;
        const bool missing = finding.kind == FindingKind::capacity_missing;
        seen.lost |= lost;
        seen.unclear |= unclear;
        seen.capacity_missing |= missing;
        seen.fault |= !lost && !unclear && !missing;
        const Grade grade = lost || unclear ? Grade::inconclusive : missing ? Grade::fake : Grade::fail;
        said.push_back({grade, fmt::format("{}: {}", name_of(finding.kind), finding.detail), &finding});
    }
    std::vector<MetricValues> metrics; // the passes of one metric may arrive in several pieces
    merge(metrics, measured);
    std::erase_if(metrics, [](const MetricValues& m) { return m.values.empty(); });
    if (!metrics.empty()) seen.depth = std::max(seen.depth, TestDepth::measured);
    Verdict verdict;
    for (const Limit& limit : limits)
        for (LimitResult& result : results_of(limit, metrics)) {
            seen.limits = worse(seen.limits, result.grade);
            if (result.grade != Grade::pass) said.push_back({result.grade, result.reason});
            verdict.limits.push_back(std::move(result));
        }
    for (const Untested& what : untested)
        said.push_back({Grade::inconclusive, fmt::format("not tested: {}: {}", what.key, what.why), nullptr, &what});

    std::ranges::stable_sort(said, std::greater(), [](const Reason& reason) { return row_of(reason.grade).weight; });
    verdict.grade = decide(seen);
    if (!said.empty() && said.front().finding != nullptr) verdict.cause = counted(*said.front().finding, findings);
    if (!said.empty() && said.front().untested != nullptr) verdict.untested = *said.front().untested;
    for (Reason& reason : said) verdict.reasons.push_back(std::move(reason.text));
    if (verdict.reasons.empty()) {
        const bool by_limits = verdict.grade == Grade::pass && seen.limits_set;
        const bool has_text = !evidence.text.empty() && verdict.grade != Grade::inconclusive;
        verdict.reasons.push_back(by_limits  ? "all limits met, no fault found"
                                  : has_text ? std::move(evidence.text)
                                             : std::string(general_text(verdict.grade)));
    }
    return verdict;
}

} // namespace mediarig::measure
