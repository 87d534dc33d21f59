// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "host/measure/statistics.hpp"
#include "host/workload/suites/originals.hpp"

namespace mediarig::published {
namespace {

/// Half of the last digit of two decimals.
constexpr double half_cent = 0.005;

std::vector<double> shifted(std::vector<double> values, double by) {
    for (double& value : values) value += by;
    return values;
}

/// Returns the scores of the parts whose labels begin with `prefix`; an empty one selects all.
std::vector<double> scores_of(const PublishedTable& table, std::string_view prefix) {
    std::vector<double> scores;
    for (const Row& row : table.rows)
        if (xbench_reference(row.label) > 0 && row.label.starts_with(prefix)) scores.push_back(row.values[0]);
    return scores;
}

} // namespace

double xbench_reference(std::string_view part) {
    const auto found = std::ranges::find(suites::xbench_parts, part, &suites::XbenchPart::label);
    return found == suites::xbench_parts.end() ? 0 : found->reference;
}

std::vector<Check> check_xbench(const PublishedTable& table) {
    std::vector<Check> checks;
    for (const Row& row : table.rows) {
        const double score = row.values[0], rate = row.values[1];
        Check check{.table = table.name, .what = fmt::format("score of {}", row.label), .printed = score};
        if (const double reference = xbench_reference(row.label); reference > 0) {
            check.least = 100 * (rate - half_cent) / reference - half_cent;
            check.most = 100 * (rate + half_cent) / reference + half_cent;
        } else {
            const std::string_view prefix = row.label == "Sequential" ? "sequential"
                                            : row.label == "Random"   ? "random"
                                                                      : "";
            const auto parts = scores_of(table, prefix);
            check.least = measure::harmonic_mean(shifted(parts, -half_cent)).value_or(0) - half_cent;
            check.most = measure::harmonic_mean(shifted(parts, half_cent)).value_or(0) + half_cent;
        }
        checks.push_back(std::move(check));
    }
    return checks;
}

std::vector<Check> check_quickbench(const PublishedTable& table) {
    // The nine rows and their mean are rounded, each by up to 0.0005; one printed mean was computed from unrounded
    // rows.
    constexpr double tolerance = 0.0011;
    std::vector<Check> checks;
    const Row* const average = find_row(table, "Average");
    if (average == nullptr) return checks;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        std::vector<double> rates;
        for (const Row& row : table.rows)
            if (&row != average) rates.push_back(row.values[column]);
        const auto score = measure::column_score(rates);
        if (!score) continue;
        checks.push_back({.table = table.name,
                          .what = fmt::format("Average of {}", table.columns[column]),
                          .printed = average->values[column],
                          .least = score->average - tolerance,
                          .most = score->average + tolerance});
    }
    return checks;
}

std::vector<Check> check_disktester_iops(const PublishedTable& table) {
    constexpr double half_tenth = 0.05;
    constexpr std::uint64_t operations = measure::disktester_iops_volume / measure::disktester_iops_block;
    const auto at = [](double seconds) {
        const std::chrono::duration<double> time(seconds);
        return *measure::iops_score(measure::disktester_iops_volume, operations,
                                    std::chrono::duration_cast<std::chrono::nanoseconds>(time));
    };
    std::vector<Check> checks;
    for (const Row& row : table.rows) {
        const double seconds = row.values[0];
        const double rate = at(seconds).rate.mebibytes_per_second();
        checks.push_back({.table = table.name,
                          .what = fmt::format("{}: MiB/s from the seconds", row.label),
                          .printed = row.values[1],
                          .least = rate - half_tenth - 0.001,
                          .most = rate + half_tenth + 0.001});
        // Whole numbers are rounded up in some cases and down in others.
        checks.push_back({.table = table.name,
                          .what = fmt::format("{}: ops/s from the seconds", row.label),
                          .printed = row.values[2],
                          .least = at(seconds + half_tenth).operations_per_second - 1,
                          .most = at(seconds - half_tenth).operations_per_second + 1});
    }
    return checks;
}

std::vector<Check> check_blogbench(const PublishedTable& table) {
    const double last = table.rows.back().values[0];
    double articles = 0;
    for (const Row& row : table.rows) articles += row.values[1];
    // A reader passes through all articles of a blog, which has 1 to 100, equally likely. The blogs that were read are
    // a sample, and the threads lose updates of the counters.
    constexpr double articles_of_blog = 50.5, tolerance = 0.035;
    const double passes = articles / articles_of_blog;
    return {{.table = table.name, .what = "write score", .printed = table.scores[0], .least = last, .most = last},
            {.table = table.name,
             .what = "read score, computed from the number of articles read",
             .printed = table.scores[1],
             .least = passes * (1 - tolerance),
             .most = passes * (1 + tolerance)}};
}

std::vector<Check> check_video(const PublishedTable& table) {
    std::vector<Check> checks;
    for (const Row& row : table.rows) {
        const std::vector<double>& format = row.values;
        const double rate = std::round(suites::video_rate(format[0], format[1], format[2], format[3]));
        checks.push_back({.table = table.name, .what = row.label, .printed = format[4], .least = rate, .most = rate});
    }
    return checks;
}

std::vector<Check> check_all() {
    constexpr std::array<std::pair<std::string_view, std::vector<Check> (*)(const PublishedTable&)>, 5> kinds{{
        {"xbench-", check_xbench},
        {"quickbench-", check_quickbench},
        {"disktester-iops", check_disktester_iops},
        {"blogbench-", check_blogbench},
        {"video", check_video},
    }};
    std::vector<Check> all;
    for (const PublishedTable& table : all_tables())
        for (const auto& [prefix, check] : kinds)
            if (table.name.starts_with(prefix)) std::ranges::move(check(table), std::back_inserter(all));
    return all;
}

} // namespace mediarig::published
