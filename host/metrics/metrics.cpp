// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/metrics/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

#include "host/measure/scores.hpp"
#include "host/workload/names.hpp"
#include "host/workload/suites.hpp"

namespace mediarig::metrics {
namespace {

using workload::Access;
using workload::CellResult;

constexpr std::array accesses{Access::sequential_read, Access::sequential_write, Access::random_read,
                              Access::random_write};

constexpr std::array<std::string_view, 8> cell_values{"mb_per_s", "iops",   "mean_us",  "p50_us",
                                                      "p90_us",   "p99_us", "p99_9_us", "max_us"};
constexpr std::array<std::string_view, 2> column_values{"average_mb_per_s", "time_weighted_mb_per_s"};
constexpr std::array<std::string_view, 8> iops_values{"ops_per_s", "mb_per_s", "seconds", "mean_us",
                                                      "p50_us",    "p90_us",   "p99_us",  "max_us"};
constexpr std::array<std::string_view, 3> published_tables{"standard", "large", "extended"};
/// Tables whose cells need no prefix: no other table of their suite has cells of the same size.
constexpr std::array<std::string_view, 2> plain_tables{"standard", "sequential"};

template <class Range>
bool contains(const Range& range, std::string_view name) {
    return std::find(range.begin(), range.end(), name) != range.end();
}

/// The block sizes of a table as the suite itself expands it, so that the two cannot drift apart.
std::vector<Bytes> expanded_blocks(std::string_view table) {
    const auto job = workload::expand({.name = "quickbench", .tables = {std::string(table)}}, Bytes{1ull << 50});
    std::vector<Bytes> blocks;
    if (!job || !job->sweep) return blocks;
    for (const workload::CellSpec& cell : job->sweep->cells)
        if (blocks.empty() || blocks.back() != cell.block) blocks.push_back(cell.block);
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

std::optional<double> value_of(const CellResult& cell, std::string_view what) {
    const auto microseconds = [](std::optional<std::chrono::nanoseconds> time) -> std::optional<double> {
        if (!time) return std::nullopt;
        return static_cast<double>(time->count()) / 1e3;
    };
    if (what == "mb_per_s") return rate_of(cell.moved, cell.elapsed).megabytes_per_second();
    if (what == "iops" || what == "ops_per_s") return operations_per_second(cell.operations, cell.elapsed);
    if (what == "seconds") return std::chrono::duration<double>(cell.elapsed).count();
    if (what == "mean_us") return microseconds(cell.latency.mean());
    if (what == "p50_us") return microseconds(cell.latency.quantile(0.50));
    if (what == "p90_us") return microseconds(cell.latency.quantile(0.90));
    if (what == "p99_us") return microseconds(cell.latency.quantile(0.99));
    if (what == "p99_9_us") return microseconds(cell.latency.quantile(0.999));
    if (what == "max_us" && !cell.latency.empty()) return microseconds(cell.latency.max());
    return std::nullopt;
}

class Collector {
public:
    Collector(const std::string& suite, const std::string& format) : suite_(suite), format_(format) {}

    void add(const std::string& metric, double value) {
        const auto [place, fresh] = places_.try_emplace(metric, measured_.size());
        if (fresh) measured_.push_back({.suite = suite_, .metric = metric, .format = format_, .values = {}});
        measured_[place->second].values.push_back(value);
    }
    void add_cell(const CellResult& cell) {
        const std::string prefix = stem_of(cell.cell) + ".";
        const auto add_each = [&](const auto& names) {
            for (const std::string_view name : names)
                if (const auto value = value_of(cell, name)) add(prefix + std::string(name), *value);
        };
        if (cell.cell.table == "iops")
            add_each(iops_values);
        else
            add_each(cell_values);
    }
    void add_columns(std::span<const CellResult> pass) {
        for (const std::string_view table : published_tables)
            for (const Access access : accesses) add_column(pass, table, access);
    }
    [[nodiscard]] std::vector<measure::Measured> take() { return std::move(measured_); }

private:
    void add_column(std::span<const CellResult> pass, std::string_view table, Access access) {
        std::vector<double> rates;
        for (const Bytes block : published_blocks(table)) {
            const auto cell = std::find_if(pass.begin(), pass.end(), [&](const CellResult& c) {
                return counts(c) && c.cell.table == table && c.cell.access == access && c.cell.block == block;
            });
            if (cell == pass.end()) return;
            rates.push_back(*value_of(*cell, "mb_per_s"));
        }
        const auto score = measure::column_score(rates);
        if (!score) return;
        const std::string prefix = fmt::format("{}.{}.", table, name_of(access));
        add(prefix + "average_mb_per_s", score->average);
        add(prefix + "time_weighted_mb_per_s", score->time_weighted);
    }

    const std::string& suite_;
    const std::string& format_;
    std::vector<measure::Measured> measured_;
    std::unordered_map<std::string, std::size_t> places_; ///< index into measured_, by metric
};

std::string_view first_part(std::string_view& rest) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    return part;
}

bool is_access(std::string_view name) {
    return workload::access_from(name).has_value();
}

bool is_block(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
    std::uint64_t number = 0;
    if (std::from_chars(name.data(), name.data() + digits, number).ec != std::errc() || number == 0) return false;
    if (name.front() == '0') return false;
    const std::string_view unit = name.substr(digits);
    return unit == "KB" || (unit == "B" && number % 1024 != 0);
}

} // namespace

std::string name_of_block(Bytes block) {
    if (block.count % 1024 != 0) return fmt::format("{}B", block.count);
    return fmt::format("{}KB", block.count / 1024);
}

std::string stem_of(const workload::CellSpec& cell) {
    if (cell.table == "iops") return fmt::format("iops.{}", name_of(cell.access));
    if (cell.table == "verify") return fmt::format("verify.{}", workload::writes(cell.access) ? "write" : "read");
    const std::string stem = fmt::format("{}.{}", name_of(cell.access), name_of_block(cell.block));
    return contains(plain_tables, cell.table) ? stem : cell.table + "." + stem;
}

std::vector<Bytes> published_blocks(std::string_view table) {
    static const std::array blocks{expanded_blocks(published_tables[0]), expanded_blocks(published_tables[1]),
                                   expanded_blocks(published_tables[2])};
    const auto place = std::find(published_tables.begin(), published_tables.end(), table);
    if (place == published_tables.end()) return {};
    return blocks[static_cast<std::size_t>(place - published_tables.begin())];
}

bool counts(const CellResult& cell) {
    return cell.elapsed.count() > 0 && cell.moved.count > 0 &&
           (cell.end == workload::CellEnd::volume || cell.end == workload::CellEnd::time);
}

std::vector<measure::Measured> metrics_of(const std::string& suite, const std::string& format,
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

bool is_metric(std::string_view name) {
    std::string_view rest = name;
    std::string_view head = first_part(rest);
    if (head == "verify") {
        const std::string_view direction = first_part(rest);
        return (direction == "read" || direction == "write") && contains(cell_values, rest);
    }
    if (head == "iops") return is_access(first_part(rest)) && contains(iops_values, rest);
    if (contains(published_tables, head)) {
        const std::string_view table = head;
        head = first_part(rest);
        if (is_access(head) && contains(column_values, rest)) return true;
        if (contains(plain_tables, table)) return false;
    }
    return is_access(head) && is_block(first_part(rest)) && contains(cell_values, rest);
}

} // namespace mediarig::metrics
