// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/metric_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/metrics/metrics.hpp"
#include "host/plan/format_name.hpp"
#include "host/report/display_text.hpp"
#include "host/report/figure_text.hpp"

namespace mediarig::report {
namespace {

using suites::Metric, suites::Value;

/// The statistic of a latency as tables head it; empty for what is none.
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

/// " in blocks of 4 KB", " (Lg Ave)", " under exFAT", " on the bare device".
std::string where_text(const std::optional<Metric>& metric, const std::string& format) {
    std::string text;
    if (metric && metric->block) text += " in blocks of " + block_title(*metric->block);
    const suites::Table* table = metric ? suites::find_table(metric->table) : nullptr;
    if (table != nullptr && metric->value == Value::average_mb_per_s) text += fmt::format(" ({})", table->average);
    if (table != nullptr && metric->value == Value::time_weighted_mb_per_s)
        text += fmt::format(" ({})", table->time_weighted);
    if (!format.empty()) text += " " + plan::place_of_format(format);
    return text;
}

std::string latency_limit_text(const measure::LimitResult& result, const Metric& metric) {
    const std::string what = fmt::format("{} of {}{}", latency_name(metric.value), text_for(metric.access),
                                         where_text(metric, result.format));
    return fmt::format("{} is {}, {}", what, microseconds_text(*result.figure),
                       bounds_wanted(result.limit, microseconds_text));
}

std::string bound_text(double value) {
    return fmt::format("{:.6g}", value);
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
    const std::string figure = short_figure_text(result.values);
    const std::string where = where_text(metric, result.format);
    if (!metric) return fmt::format("{} is {}{}, {}", result.limit.metric, figure, where, wanted);
    if (metric->value == Value::seconds)
        return fmt::format("{} takes {} s{}, {}", text_for(metric->access), figure, where, wanted);
    return fmt::format("{} {} {}{}, {}", verb_for(metric->access), figure, unit_of(metric->value), where, wanted);
}

} // namespace mediarig::report
