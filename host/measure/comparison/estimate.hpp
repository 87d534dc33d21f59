// SPDX-License-Identifier: GPL-3.0-or-later
/// Two estimators of one centre: the mean, and a mean that is robust against a few spikes. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

struct Estimate {
    double value{};
    double error{};   ///< standard error
    double freedom{}; ///< degrees of freedom of Student's t
    bool operator==(const Estimate&) const = default;
};

/// The arithmetic mean; requires at least two values.
[[nodiscard]] Estimate mean_of(std::span<const double> values);

/// Number of values that the 20 % trimmed mean omits at each end.
[[nodiscard]] constexpr std::size_t usual_cut(std::size_t values) {
    return values / 5;
}

/// The mean without the `cut` smallest and the `cut` largest values; requires that at least two values remain. Its
/// error is that of the winsorised values, in the convention of Yuen's test. Source: Tukey and McLaughlin, "Less
/// vulnerable confidence and significance procedures for location based on a single sample: trimming/winsorization 1",
/// Sankhya A 25, 1963; Yuen, "The two-sample trimmed t for unequal population variances", Biometrika 61, 1974.
[[nodiscard]] Estimate trimmed_mean_of(std::span<const double> values, std::size_t cut);

/// Smallest fraction that the clocks can resolve. If blocks agree to the last digit, they still prove no difference in
/// that digit.
inline constexpr double resolution = 1e-6;

/// Both estimators of values whose figures have a known step.
struct Centre {
    Estimate mean{}, trimmed{}; ///< errors are at least the resolution of figures with this step
    double unstirred{};         ///< part of the step that does not average out, because the values scatter by less
};
/// `quantum`: the step, as a fraction of the figures; 0: negligible. Requires at least two values.
[[nodiscard]] Centre centre_of(std::span<const double> values, double quantum);
/// Two-sided p of the hypothesis that the centre is 0: the smaller p of the two estimators.
[[nodiscard]] double nominal_p(const Centre& centre);

/// The critical t of a two-sided test at `level` (0 … 1); `freedom` > 0, also a fraction.
[[nodiscard]] double t_critical(double level, double freedom);
/// Probability of |t| or more by chance alone.
[[nodiscard]] double t_two_sided(double t, double freedom);
/// Probability that the ratio of two mean squares with `above` and `below` degrees of freedom is at least `ratio` by
/// chance alone.
[[nodiscard]] double f_upper_tail(double ratio, double above, double below);
/// Cumulative standard normal distribution.
[[nodiscard]] double normal_cdf(double z);

/// Ordinary least squares. Pure.
using Regressor = std::vector<double>;

struct Fit {
    double rest{};      ///< residual sum of squares
    std::size_t rank{}; ///< rank of the columns: linearly dependent ones do not count
    /// Squares and coefficient of the last column after the others have been removed from it; 0 if nothing remains.
    double last_squares{}, last_coefficient{};
};

/// Fits `values` to the columns, each with the length of `values`. The caller supplies a column of ones for the mean.
/// Orthogonalises twice, because indicator columns are often nearly dependent. Source: Giraud, Langou and Rozloznik,
/// "The loss of orthogonality in the Gram-Schmidt orthogonalization process", Comput. Math. Appl. 50, 2005.
[[nodiscard]] Fit fit(std::span<const Regressor> columns, std::span<const double> values);

} // namespace mediarig::measure::comparison
