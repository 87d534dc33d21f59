// SPDX-License-Identifier: GPL-3.0-or-later
/// Two estimators of one centre: the mean, and a mean that a few spikes do not move. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace mediarig::measure::comparison {

struct Estimate {
    double value{};
    double error{};   ///< standard error
    double freedom{}; ///< degrees of freedom of Student's t
    bool operator==(const Estimate&) const = default;
};

/// The arithmetic mean; at least two values.
[[nodiscard]] Estimate mean_of(std::span<const double> values);

/// What the 20 % trimmed mean leaves out at each end of so many values.
[[nodiscard]] constexpr std::size_t usual_cut(std::size_t values) {
    return values / 5;
}

/// The mean of what is left when the `cut` smallest and the `cut` largest values are left out; at least two are left.
/// Its error is that of the winsorised values, in the convention of Yuen's test.
/// Source: Tukey and McLaughlin, "Less vulnerable confidence and significance procedures for location based on a single
/// sample: trimming/winsorization 1", Sankhya A 25, 1963; Yuen, "The two-sample trimmed t for unequal population
/// variances", Biometrika 61, 1974.
[[nodiscard]] Estimate trimmed_mean_of(std::span<const double> values, std::size_t cut);

} // namespace mediarig::measure::comparison
