// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/metrics/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "host/measure/statistics.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::metrics {
namespace {

using suites::Metric, suites::MetricNaming, suites::Shape, suites::SuiteTable, suites::Value;
using workload::Access;
using workload::CellResult;

constexpr std::array all_accesses{Access::sequential_read, Access::sequential_write, Access::random_read,
                                  Access::random_write};

constexpr std::array cell_values{Value::mb_per_s, Value::iops,   Value::mean_us,  Value::p50_us,
                                 Value::p90_us,   Value::p99_us, Value::p99_9_us, Value::max_us};
constexpr std::array view_values{Value::mb_per_s, Value::iops,   Value::seconds, Value::operations, Value::mean_us,
                                 Value::p50_us,   Value::p90_us, Value::p99_us,  Value::p99_9_us,   Value::max_us};
constexpr std::array operation_values{Value::ops_per_s, Value::mb_per_s, Value::seconds, Value::mean_us,
                                      Value::p50_us,    Value::p90_us,   Value::p99_us,  Value::max_us};

std::span<const Value> values_of(Shape shape) {
    if (shape == Shape::operations) return operation_values;
    if (shape == Shape::named_views) return view_values;
    return cell_values;
}

bool is_of_column(Value value) {
    return value == Value::average_mb_per_s || value == Value::time_weighted_mb_per_s;
}

std::chrono::nanoseconds length_of(const CellResult& cell) {
    return cell.elapsed;
}
std::chrono::nanoseconds length_of(const workload::SeriesSample& sample) {
    return sample.length;
}

/// The rate of the whole cell; for a cell with rounds, the mean rate of the rounds in its window.
template <class RateOf>
double mean_rate(const CellResult& cell, RateOf rate_of_part) {
    const SuiteTable* table = suites::find_table(cell.cell.table);
    if (table == nullptr || table->window == 0 || cell.series.empty()) return rate_of_part(cell);
    const auto rounds = std::span(cell.series).last(std::min<std::size_t>(table->window, cell.series.size()));
    double sum = 0;
    for (const workload::SeriesSample& round : rounds) sum += rate_of_part(round);
    return sum / static_cast<double>(rounds.size());
}

Metric metric_of(const workload::CellSpec& cell, Value value) {
    return {.table = cell.table, .access = cell.access, .block = cell.block, .value = value};
}

class Collector {
public:
    Collector(const std::string& suite, const std::string& format) : suite_(suite), format_(format) {}

    void add(const Metric& metric, double value) {
        const std::string name = name_of(metric);
        const auto [place, fresh] = places_.try_emplace(name, measured_.size());
        if (fresh)
            measured_.push_back({.suite = suite_,
                                 .metric = name,
                                 .format = format_,
                                 .values = {},
                                 .extreme = suites::is_extreme(metric.value)});
        measured_[place->second].values.push_back(value);
    }
    void add_cell(const CellResult& cell) {
        for (const Value value : values_of(suites::shape_of(cell.cell.table)))
            if (const auto number = value_of(cell, value)) add(metric_of(cell.cell, value), *number);
    }
    void add_columns(std::span<const CellResult> pass) {
        const suites::Suite* suite = suites::find_suite(suite_);
        if (suite == nullptr) return;
        for (const SuiteTable& table : suite->tables)
            for (const Access access : all_accesses)
                if (!table.average.empty()) add_column(pass, table, access);
    }
    [[nodiscard]] std::vector<measure::MetricValues> take() { return std::move(measured_); }

private:
    void add_column(std::span<const CellResult> pass, const SuiteTable& table, Access access) {
        std::vector<double> rates;
        for (const Bytes block : suites::blocks_of(table)) {
            const auto cell = std::find_if(pass.begin(), pass.end(), [&](const CellResult& c) {
                return counts(c) && c.cell.table == table.name && c.cell.access == access && c.cell.block == block;
            });
            if (cell == pass.end()) return;
            rates.push_back(*value_of(*cell, Value::mb_per_s));
        }
        const auto score = measure::column_score(rates);
        if (!score) return;
        const auto of_column = [&](Value value) {
            return Metric{.table = table.name, .access = access, .block = {}, .value = value};
        };
        add(of_column(Value::average_mb_per_s), score->average);
        add(of_column(Value::time_weighted_mb_per_s), score->time_weighted);
    }

    const std::string& suite_;
    const std::string& format_;
    std::vector<measure::MetricValues> measured_;
    std::unordered_map<std::string, std::size_t> places_; ///< index into measured_, by metric
};

std::string_view first_part(std::string_view& rest) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    return part;
}

std::optional<Bytes> block_named(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    std::uint64_t number = 0;
    if (std::from_chars(name.data(), name.data() + digits, number).ec != std::errc() || number == 0)
        return std::nullopt;
    if (name.front() == '0') return std::nullopt;
    const std::string_view unit = name.substr(digits);
    if (unit == "KB" && number <= ~std::uint64_t{0} / 1024) return Bytes{number * 1024};
    if (unit == "B" && number % 1024 != 0) return Bytes{number};
    return std::nullopt;
}

std::optional<Access> access_named(std::string_view name) {
    const auto access = from_name<workload::Access>(name);
    return access ? std::optional(*access) : std::nullopt;
}

std::optional<Metric> metric_of_table(const SuiteTable& table, std::string_view name) {
    std::string_view rest = name;
    const bool has_table_in_front = first_part(rest) == table.name;
    Metric metric{.table = table.name, .access = {}, .block = {}, .value = {}};
    if (has_table_in_front && !table.average.empty()) {
        std::string_view column = rest;
        const auto access = access_named(first_part(column));
        const auto value = from_name<Value>(column);
        if (access && value && is_of_column(*value)) {
            metric.access = *access;
            metric.value = *value;
            return metric;
        }
    }
    if (table.names == MetricNaming::block)
        rest = name;
    else if (!has_table_in_front)
        return std::nullopt;
    const std::string_view operation = first_part(rest);
    if (table.names == MetricNaming::direction) {
        if (operation != "read" && operation != "write") return std::nullopt;
        metric.access = operation == "read" ? Access::sequential_read : Access::sequential_write;
    } else {
        const auto access = access_named(operation);
        if (!access) return std::nullopt;
        metric.access = *access;
    }
    if (table.names == MetricNaming::block || table.names == MetricNaming::table_and_block) {
        metric.block = block_named(first_part(rest));
        if (!metric.block) return std::nullopt;
    }
    const auto value = from_name<Value>(rest);
    if (!value || std::ranges::find(values_of(table.shape), *value) == values_of(table.shape).end())
        return std::nullopt;
    metric.value = *value;
    return metric;
}

} // namespace

std::string name_of_block(Bytes block) {
    if (block.count % 1024 != 0) return fmt::format("{}B", block.count);
    return fmt::format("{}KB", block.count / 1024);
}

std::string name_of(const Metric& metric) {
    const std::string_view value = name_of(metric.value);
    if (is_of_column(metric.value)) return fmt::format("{}.{}.{}", metric.table, name_of(metric.access), value);
    const SuiteTable* table = suites::find_table(metric.table);
    const std::string block = metric.block ? name_of_block(*metric.block) : std::string();
    switch (table != nullptr ? table->names : MetricNaming::table_and_block) {
        case MetricNaming::block:
            return fmt::format("{}.{}.{}", name_of(metric.access), block, value);
        case MetricNaming::table_and_block:
            return fmt::format("{}.{}.{}.{}", metric.table, name_of(metric.access), block, value);
        case MetricNaming::table:
            return fmt::format("{}.{}.{}", metric.table, name_of(metric.access), value);
        case MetricNaming::direction:
            break;
    }
    return fmt::format("{}.{}.{}", metric.table, workload::writes(metric.access) ? "write" : "read", value);
}

std::optional<double> value_of(const CellResult& cell, Value what) {
    const auto microseconds = [](std::optional<std::chrono::nanoseconds> time) -> std::optional<double> {
        if (!time) return std::nullopt;
        return static_cast<double>(time->count()) / 1e3;
    };
    switch (what) {
        case Value::mb_per_s:
            if (cell.moved == 0_B) return std::nullopt; // the operations of the cell transfer no data
            return mean_rate(
                cell, [](const auto& part) { return rate_of(part.moved, length_of(part)).megabytes_per_second(); });
        case Value::iops:
        case Value::ops_per_s:
            return mean_rate(cell,
                             [](const auto& part) { return operations_per_second(part.operations, length_of(part)); });
        case Value::seconds:
            return std::chrono::duration<double>(cell.elapsed).count();
        case Value::operations:
            return static_cast<double>(cell.operations);
        case Value::mean_us:
            return microseconds(cell.latency.mean());
        case Value::p50_us:
            return microseconds(cell.latency.quantile(0.50));
        case Value::p90_us:
            return microseconds(cell.latency.quantile(0.90));
        case Value::p99_us:
            return microseconds(cell.latency.quantile(0.99));
        case Value::p99_9_us:
            return microseconds(cell.latency.quantile(0.999));
        case Value::max_us:
            return cell.latency.empty() ? std::nullopt : microseconds(cell.latency.max());
        case Value::average_mb_per_s:
        case Value::time_weighted_mb_per_s:
            break;
    }
    return std::nullopt;
}

bool counts(const CellResult& cell) {
    return cell.elapsed.count() > 0 && (cell.moved.count > 0 || cell.operations > 0) &&
           (cell.end == workload::CellEnd::volume || cell.end == workload::CellEnd::time);
}

bool has_few_operations(const CellResult& cell) {
    return counts(cell) && cell.end == workload::CellEnd::time && cell.operations > 0 &&
           cell.operations < workload::few_operations;
}

std::vector<measure::MetricValues> metrics_of(const std::string& suite, const std::string& format,
                                              const std::vector<CellResult>& cells) {
    Collector collector(suite, format);
    for (const CellResult& cell : cells)
        if (counts(cell)) collector.add_cell(cell);

    const std::span<const CellResult> all(cells);
    std::set<std::string> seen;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= all.size(); ++i) {
        if (i < all.size() && seen.insert(all[i].cell.id).second) continue;
        collector.add_columns(all.subspan(begin, i - begin));
        begin = i;
        seen.clear();
        if (i < all.size()) seen.insert(all[i].cell.id);
    }
    return collector.take();
}

std::optional<Metric> metric_from(std::string_view name) {
    for (const suites::Suite* suite : suites::all_suites())
        for (const SuiteTable& table : suite->tables)
            if (const auto metric = metric_of_table(table, name)) return metric;
    return std::nullopt;
}

std::vector<measure::MetricValues> headlines_of(const std::vector<measure::MetricValues>& measured) {
    std::vector<measure::MetricValues> headlines;
    std::ranges::copy_if(measured, std::back_inserter(headlines), [](const measure::MetricValues& each) {
        const suites::Suite* suite = suites::find_suite(each.suite);
        return suite != nullptr && std::ranges::any_of(suite->headlines, [&](const suites::Headline& headline) {
                   return name_of(headline.metric) == each.metric;
               });
    });
    return headlines;
}

} // namespace mediarig::metrics
