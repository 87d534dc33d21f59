// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/measure/comparison/calibration.hpp"

#include <algorithm>
#include <cmath>

#include "host/measure/comparison/estimate.hpp"
#include "tests/measure/comparison/worlds.hpp"

namespace mediarig::comparison_calibration {
namespace {

using namespace measure::comparison;

/// Number of comparisons for each row of the program's table.
constexpr double runs_behind(std::size_t budget) {
    return budget < 30 ? 400'000 : budget == 30 ? 240'000 : 1'000'000;
}

/// Two-sided p of Student's t for one number of degrees of freedom. The logarithm of p is almost linear in ln(1 + t^2 /
/// freedom), so interpolation is a hundred times faster than the definition.
class FastP {
public:
    explicit FastP(double freedom) : freedom_(freedom) {
        for (std::size_t i = 0; i < points; ++i)
            logarithms_[i] = std::log(t_two_sided(std::sqrt(std::expm1(at(i)) * freedom), freedom));
    }
    /// Returns p for t squared.
    [[nodiscard]] double of(double squared) const {
        const double place = std::sqrt(std::log1p(squared / freedom_) / reach) * (points - 1);
        const auto left = static_cast<std::size_t>(place);
        if (left + 1 >= points) return 0; // beyond any level of the table
        const double part = place - static_cast<double>(left);
        return std::exp(logarithms_[left] + part * (logarithms_[left + 1] - logarithms_[left]));
    }

private:
    static constexpr std::size_t points = 2048;
    static constexpr double reach = 25; ///< largest tabulated ln(1 + t^2 / freedom)
    /// The points are denser near 0, where p falls with t rather than with the square of t.
    static double at(std::size_t i) {
        const double part = static_cast<double>(i) / (points - 1);
        return reach * part * part;
    }
    double freedom_;
    std::array<double, points> logarithms_{};
};

/// Smallest p of the looks 4 … budget, for each budget of `rows`.
void simulate(comparison_worlds::Draws& draws, const std::vector<FastP>& p_of,
              std::vector<std::vector<double>>& smallest, const std::vector<std::size_t>& budgets) {
    std::vector<double> values;
    double least = 1;
    for (std::size_t row = 0; row < budgets.size(); ++row) {
        while (values.size() < budgets[row]) {
            values.push_back(draws.normal());
            if (values.size() < fewest_blocks) continue;
            for (const Estimate& of : {mean_of(values), trimmed_mean_of(values, usual_cut(values.size()))}) {
                const double t = of.value / of.error;
                least = std::min(least, p_of[static_cast<std::size_t>(of.freedom)].of(t * t));
            }
        }
        smallest[row].push_back(least);
    }
}

} // namespace

std::vector<Row> calibrated(std::size_t runs, std::size_t largest, std::uint64_t seed) {
    std::vector<std::size_t> budgets;
    std::vector<LevelRow> stored;
    for (const LevelRow& row : level_table())
        if (row.budget <= largest) {
            budgets.push_back(row.budget);
            stored.push_back(row);
        }
    std::vector<FastP> p_of;
    for (std::size_t freedom = 0; freedom < budgets.back(); ++freedom)
        p_of.emplace_back(static_cast<double>(std::max<std::size_t>(freedom, 1)));
    std::vector<std::vector<double>> smallest(budgets.size());
    comparison_worlds::Draws draws(seed);
    for (std::size_t run = 0; run < runs; ++run) simulate(draws, p_of, smallest, budgets);

    std::vector<Row> rows;
    const auto n = static_cast<double>(runs);
    for (std::size_t i = 0; i < budgets.size(); ++i) {
        std::vector<double>& p = smallest[i];
        std::sort(p.begin(), p.end());
        Row row{.budget = budgets[i], .runs = runs};
        for (std::size_t column = 0; column < overall_levels.size(); ++column) {
            const double overall = overall_levels[column];
            row.nominal[column] = p[static_cast<std::size_t>(overall * n)];
            const auto below = std::upper_bound(p.begin(), p.end(), stored[i].nominal[column]) - p.begin();
            const double error = std::sqrt(overall * (1 - overall) * (1 / n + 1 / runs_behind(budgets[i])));
            row.off[column] = (static_cast<double>(below) / n - overall) / error;
        }
        rows.push_back(row);
    }
    return rows;
}

} // namespace mediarig::comparison_calibration
