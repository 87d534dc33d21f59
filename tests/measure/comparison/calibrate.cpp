// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes the table of levels again and compares the program's own table with it:
///   calibrate_levels [RUNS [SEED]]
/// Exit status 0: equal within the accuracy of the runs. 1: different. 2: invalid request.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/measure/comparison/calibration.hpp"

namespace {

using namespace mediarig;

/// By chance, one of a thousand tables has a figure beyond this limit among its some eighty figures.
constexpr double allowed_errors = 4.2;

} // namespace

int main(int argc, char** argv) {
    const auto number = [&](int at, unsigned long long usual) {
        return argc > at ? std::strtoull(argv[at], nullptr, 10) : usual;
    };
    const std::size_t runs = number(1, 400'000);
    const std::uint64_t seed = number(2, 1);
    if (runs < 10'000) {
        fmt::print(stderr, "calibrate_levels: {} runs are too few for the smallest levels: use 10000 or more\n", runs);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto rows = comparison_calibration::calibrated(runs, measure::comparison::most_blocks, seed);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print("{} runs, start value {}, {:.0f} s\nbudget", runs, seed, took.count());
    for (const double overall : measure::comparison::overall_levels) fmt::print("{:>11}", overall);
    fmt::print("   furthest from the table, in standard errors\n");
    double furthest = 0;
    for (const auto& row : rows) {
        double of_row = 0;
        fmt::print("{:>6}", row.budget);
        for (std::size_t i = 0; i < row.nominal.size(); ++i) {
            fmt::print("{:>11.7f}", row.nominal[i]);
            if (std::abs(row.off[i]) > std::abs(of_row)) of_row = row.off[i];
        }
        fmt::print("   {:+.1f}\n", of_row);
        furthest = std::max(furthest, std::abs(of_row));
    }
    fmt::print("{}: {:.1f} standard errors, {} are allowed\n", furthest <= allowed_errors ? "the same" : "not the same",
               furthest, allowed_errors);
    return furthest <= allowed_errors ? 0 : 1;
}
