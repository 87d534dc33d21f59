// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/least_squares.hpp"

#include <cmath>
#include <numeric>

namespace mediarig::measure::comparison {
namespace {

/// Of a column's own squares: less than that is rounding.
constexpr double nothing_left = 1e-18;

double product(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void take_away(Column& from, const Column& unit) {
    const double part = product(from, unit);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] -= part * unit[i];
}

} // namespace

Fit fit(std::span<const Column> columns, std::span<const double> values) {
    Fit fit;
    std::vector<Column> units;
    Column rest(values.begin(), values.end());
    for (const Column& column : columns) {
        const double own = product(column, column);
        Column left = column;
        for (int twice = 0; twice < 2; ++twice)
            for (const Column& unit : units) take_away(left, unit);
        const double squares = product(left, left);
        fit.last_squares = fit.last_coefficient = 0;
        if (squares <= own * nothing_left) continue;
        fit.last_squares = squares;
        fit.last_coefficient = product(left, rest) / squares;
        for (double& each : left) each /= std::sqrt(squares);
        take_away(rest, left);
        units.push_back(std::move(left));
    }
    fit.rest = product(rest, rest);
    fit.rank = units.size();
    return fit;
}

} // namespace mediarig::measure::comparison
