// SPDX-License-Identifier: GPL-3.0-or-later
/// What a handful of passes says, and what it cannot say. A figure that does not exist is nothing, never zero.
#pragma once

#include <optional>
#include <span>

namespace mediarig::measure {

/// Arithmetic mean; nothing when empty.
[[nodiscard]] std::optional<double> mean(std::span<const double> values);

/// Sample standard deviation (n - 1); nothing below two values, which have none.
[[nodiscard]] std::optional<double> stddev(std::span<const double> values);

/// Half the width of the two-sided 95 % interval of the mean, Student's t with n - 1 degrees of freedom:
/// t(0.975, n - 1) * s / sqrt(n). Assumes independent, roughly normal values. Nothing below two values.
[[nodiscard]] std::optional<double> half_width_95(std::span<const double> values);

/// n / sum(1 / x): the mean rate of equal amounts moved one after the other. Nothing when empty or a value is <= 0.
[[nodiscard]] std::optional<double> harmonic_mean(std::span<const double> values);

/// Nothing when empty or a value is <= 0.
[[nodiscard]] std::optional<double> geometric_mean(std::span<const double> values);

/// The middle value, or the mean of the two middle ones; nothing when empty.
[[nodiscard]] std::optional<double> median(std::span<const double> values);

struct Spread {
    double least{};
    double most{};
    bool operator==(const Spread&) const = default;
};
/// Smallest and largest value; nothing when empty.
[[nodiscard]] std::optional<Spread> spread(std::span<const double> values);

struct Point {
    double x{}, y{};
};
struct FittedLine {
    double slope{};
    double intercept{};
};
/// The median of the slopes of all pairs of points, and of what is left of y at x = 0 (Theil 1950, Sen 1968): up to
/// 29 % of the points may be anything. Nothing where fewer than two x differ.
[[nodiscard]] std::optional<FittedLine> theil_sen(std::span<const Point> points);

} // namespace mediarig::measure
