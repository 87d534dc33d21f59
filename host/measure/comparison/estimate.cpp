// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace mediarig::measure::comparison {
namespace {

double centre(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared deviations from the mean, in two passes: a single pass loses digits if the scatter is small.
double squares_about_mean(std::span<const double> values) {
    const double middle = centre(values);
    double squares = 0;
    for (const double value : values) squares += (value - middle) * (value - middle);
    return squares;
}

} // namespace

Estimate mean_of(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    return {centre(values), std::sqrt(squares_about_mean(values) / (n * (n - 1))), n - 1};
}

Estimate trimmed_mean_of(std::span<const double> values, std::size_t cut) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const std::span<const double> kept = std::span(sorted).subspan(cut, sorted.size() - 2 * cut);
    const double value = centre(kept);
    const auto h = static_cast<double>(kept.size());
    // Winsorised values: each cut value is replaced by the next inner value.
    std::fill_n(sorted.begin(), cut, kept.front());
    std::fill_n(sorted.rbegin(), cut, kept.back());
    return {value, std::sqrt(squares_about_mean(sorted) / (h * (h - 1))), h - 1};
}

Centre centre_of(std::span<const double> values, double quantum) {
    const auto n = static_cast<double>(values.size());
    Centre centre{.mean = mean_of(values), .trimmed = trimmed_mean_of(values, usual_cut(values.size()))};
    // Rounding errors average out only if the scatter is larger than the rounding step.
    centre.unstirred = centre.mean.error * std::sqrt(n) < quantum ? quantum : 0;
    const double least = std::max(resolution, quantum / std::sqrt(6 * n));
    for (Estimate* estimate : {&centre.mean, &centre.trimmed}) estimate->error = std::max(estimate->error, least);
    return centre;
}

double nominal_p(const Centre& centre) {
    double p = 1;
    for (const Estimate& estimate : {centre.mean, centre.trimmed}) {
        const double beyond = std::max(0.0, std::abs(estimate.value) - centre.unstirred);
        p = std::min(p, t_two_sided(beyond / estimate.error, estimate.freedom));
    }
    return p;
}

double t_critical(double level, double freedom) {
    // Uses the lower tail: 1 - level / 2 loses digits if the level is small.
    return -boost::math::quantile(boost::math::students_t(freedom), level / 2);
}

double t_two_sided(double t, double freedom) {
    return 2 * boost::math::cdf(boost::math::students_t(freedom), -std::abs(t));
}

double f_upper_tail(double ratio, double above, double below) {
    return boost::math::cdf(boost::math::complement(boost::math::fisher_f(above, below), ratio));
}

double normal_cdf(double z) {
    return std::erfc(-z / std::numbers::sqrt2) / 2;
}

namespace {

/// Threshold relative to a column's own squares: a smaller remainder is rounding.
constexpr double nothing_left = 1e-18;

double product(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void subtract(Regressor& from, const Regressor& unit) {
    const double part = product(from, unit);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= part * unit[i];
}

} // namespace

Fit fit(std::span<const Regressor> columns, std::span<const double> values) {
    Fit fit;
    std::vector<Regressor> units;
    Regressor rest(values.begin(), values.end());
    for (const Regressor& column : columns) {
        const double own = product(column, column);
        Regressor left = column;
        for (int twice = 0; twice < 2; ++twice)
            for (const Regressor& unit : units) subtract(left, unit);
        const double squares = product(left, left);
        fit.last_squares = fit.last_coefficient = 0;
        if (squares <= own * nothing_left) continue;
        fit.last_squares = squares;
        fit.last_coefficient = product(left, rest) / squares;
        for (double& each : left) each /= std::sqrt(squares);
        subtract(rest, left);
        units.push_back(std::move(left));
    }
    fit.rest = product(rest, rest);
    fit.rank = units.size();
    return fit;
}

} // namespace mediarig::measure::comparison
