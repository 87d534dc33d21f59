// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/text/metric_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/base/text.hpp"
#include "host/measure/statistics.hpp"
#include "host/plan/names.hpp"
#include "host/report/text/display_text.hpp"
#include "host/workload/metrics/metrics.hpp"

namespace mediarig::report {
namespace {

using suites::Metric, suites::Value;

/// Returns the statistic of a latency as in the heads of tables; empty for other values.
std::string_view latency_name(Value value) {
    switch (value) {
        case Value::mean_us:
            return "mean";
        case Value::p50_us:
            return "p50";
        case Value::p90_us:
            return "p90";
        case Value::p99_us:
            return "p99";
        case Value::p99_9_us:
            return "p99.9";
        case Value::max_us:
            return "longest";
        default:
            return {};
    }
}

std::string microseconds_text(double value) {
    return latency_text(std::chrono::nanoseconds(std::llround(value * 1e3)));
}

std::string bounds_wanted(const measure::Limit& limit, const auto& said) {
    std::string text;
    if (limit.min) text = "at least " + said(*limit.min);
    if (limit.max) text += (text.empty() ? "at most " : " and at most ") + said(*limit.max);
    return text + " wanted";
}

/// Returns " in blocks of 4 KB", " (Lg Ave)", " under exFAT", " on the bare device".
std::string where_text(const std::optional<Metric>& metric, const std::string& format) {
    std::string text;
    if (metric && metric->block) text += " in blocks of " + block_title(*metric->block);
    const suites::SuiteTable* table = metric ? suites::find_table(metric->table) : nullptr;
    if (table != nullptr && metric->value == Value::average_mb_per_s) text += fmt::format(" ({})", table->average);
    if (table != nullptr && metric->value == Value::time_weighted_mb_per_s)
        text += fmt::format(" ({})", table->time_weighted);
    if (!format.empty()) text += " " + plan::place_of_format(format);
    return text;
}

std::string latency_limit_text(const measure::LimitResult& result, const Metric& metric) {
    const std::string what = fmt::format("{} of {}{}", latency_name(metric.value), text_for(metric.access),
                                         where_text(metric, result.format));
    const auto equal = [&](const std::optional<double>& bound) {
        return bound && *bound != *result.figure && microseconds_text(*bound) == microseconds_text(*result.figure);
    };
    const bool exact = equal(result.limit.min) || equal(result.limit.max);
    const auto text = [&](double value) { return exact ? fmt::format("{:.9g} µs", value) : microseconds_text(value); };
    return fmt::format("{} is {}, {}", what, text(*result.figure), bounds_wanted(result.limit, text));
}

std::string bound_text(double value) {
    return fmt::format("{:.6g}", value);
}

/// Returns the number of digits after the point.
int decimals_of(std::string_view number) {
    const std::size_t point = number.find('.');
    return point == number.npos ? 0 : static_cast<int>(number.size() - point - 1);
}

/// Returns the value with three digits, or with as many more as it needs to be on the right side of the bounds.
std::string figure_beside(const measure::Limit& limit, double value) {
    std::string text = three_digits(value);
    for (const auto& bound : {limit.min, limit.max})
        if (bound && std::isfinite(value)) text = text_beside(*bound, value, decimals_of(text));
    return text;
}

/// Returns the figure of the passes. If several passes failed a limit, adds the compared figure unless it is evident.
std::string compared_text(const measure::LimitResult& result) {
    if (result.values.size() == 1) return figure_beside(result.limit, result.values.front());
    const std::string passes = short_figure_text(result.values);
    const auto misses = [&](double value) {
        return (result.limit.min && value < *result.limit.min) || (result.limit.max && value > *result.limit.max);
    };
    const std::string figure = figure_beside(result.limit, *result.figure);
    const bool evident = std::ranges::all_of(result.values, misses) && figure == three_digits(*result.figure);
    if (result.grade != measure::Grade::fail || evident) return passes;
    return fmt::format("{} ({} compared)", passes, figure);
}

} // namespace

std::string_view unit_of(Value value) {
    switch (value) {
        case Value::iops:
        case Value::ops_per_s:
            return "ops/s";
        case Value::seconds:
            return "s";
        case Value::operations:
            return "";
        case Value::mb_per_s:
        case Value::average_mb_per_s:
        case Value::time_weighted_mb_per_s:
            return "MB/s";
        default:
            return "µs";
    }
}

std::string limit_text(const measure::LimitResult& result) {
    const auto metric = metrics::metric_from(result.limit.metric);
    if (!result.figure)
        return fmt::format("{}{} was not measured",
                           metric ? std::string(text_for(metric->access)) : result.limit.metric,
                           where_text(metric, result.format));
    if (metric && unit_of(metric->value) == "µs") return latency_limit_text(result, *metric);
    const std::string wanted = bounds_wanted(result.limit, bound_text);
    const std::string figure = compared_text(result);
    const std::string where = where_text(metric, result.format);
    if (!metric) return fmt::format("{} is {}{}, {}", result.limit.metric, figure, where, wanted);
    if (metric->value == Value::seconds)
        return fmt::format("{} takes {} s{}, {}", text_for(metric->access), figure, where, wanted);
    return fmt::format("{} {} {}{}, {}", verb_for(metric->access), figure, unit_of(metric->value), where, wanted);
}

namespace {

/// Student's factor is 12.7 for two passes and 4.3 for three: such an interval contains less information than the
/// passes.
constexpr std::size_t least_for_interval = 4;

/// Returns the power of ten of the first digit: 0 for 1 to 9.99, -1 for 0.1.
int magnitude(double value) {
    return static_cast<int>(std::floor(std::log10(std::abs(value))));
}

/// `place` is the power of ten of the last digit shown.
std::string rounded(double value, int place) {
    const double unit = std::pow(10.0, place);
    return fmt::format("{:.{}f}", std::round(value / unit) * unit, std::clamp(-place, 0, 9));
}

/// Returns the place of the first digit, or of the second digit if the first is 1.
int last_place(double half_width) {
    const int first = magnitude(half_width);
    return half_width < 2 * std::pow(10.0, first) ? first - 1 : first;
}

} // namespace

std::string three_digits(double value) {
    if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
    return fmt::format("{:.{}f}", value, std::clamp(2 - magnitude(value), 0, 9));
}

FigureText figure_text(const std::vector<double>& passes, int decimals) {
    const auto mean = measure::mean(passes);
    if (!mean) return {"–", {}};
    if (passes.size() == 1) return {fmt::format("{:.{}f}", *mean, decimals), {}};
    if (passes.size() < least_for_interval) {
        const auto range = *measure::spread(passes);
        const std::string least = three_digits(range.least), most = three_digits(range.most);
        return {least, least == most ? "" : "to " + most};
    }
    const double half = *measure::half_width_95(passes);
    if (half <= 0 || !std::isfinite(half)) return {three_digits(*mean), "±0"};
    const int place = last_place(half);
    return {rounded(*mean, place), "±" + rounded(half, place)};
}

std::string text_of(const FigureText& figure) {
    return figure.spread.empty() ? figure.value : figure.value + " " + figure.spread;
}

std::string short_figure_text(const std::vector<double>& passes) {
    return passes.size() == 1 ? three_digits(passes.front()) : text_of(figure_text(passes, 0));
}

std::string rounds_text(std::size_t rounds) {
    return fmt::format("{} {}", rounds, rounds == 1 ? "round" : "rounds");
}

std::string passes_text(std::size_t passes) {
    return fmt::format("{} {}", passes, passes == 1 ? "pass" : "passes");
}

bool has_spread(std::string_view text) {
    if (text.find("±") != text.npos) return true;
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    constexpr std::string_view to = " to ";
    for (std::size_t at = text.find(to); at != text.npos; at = text.find(to, at + 1))
        if (at > 0 && is_digit(at - 1) && is_digit(at + to.size())) return true;
    return false;
}

std::string note_on_figures() {
    return "“31.1 ±0.6”: mean of four or more passes and half of its 95 % confidence interval. “4.4 to 4.6”: range of "
           "two or "
           "three passes. A number alone: one pass.";
}

} // namespace mediarig::report
