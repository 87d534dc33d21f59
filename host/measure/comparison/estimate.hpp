// SPDX-License-Identifier: GPL-3.0-or-later
/// Two estimators of one centre: the mean, and a mean that a few spikes do not move. Pure.
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

/// The values of distributions that a comparison asks for.

/// The t that a two-sided test at `level` (0 … 1) must pass; `freedom` > 0, also a fraction.
[[nodiscard]] double t_critical(double level, double freedom);
/// How likely chance alone shows |t| or more.
[[nodiscard]] double t_two_sided(double t, double freedom);
/// How likely chance alone shows so large a ratio of two mean squares, of `above` and `below` degrees of freedom.
[[nodiscard]] double f_beyond(double ratio, double above, double below);
/// Of the standard normal distribution.
[[nodiscard]] double normal_cdf(double z);

/// Ordinary least squares. Pure.
using Column = std::vector<double>;

struct Fit {
    double rest{};      ///< sum of the squares that the columns leave
    std::size_t rank{}; ///< of the columns: those that others already explain do not count
    /// What is left of the last column when the others have explained it, and its coefficient; 0 where nothing is.
    double last_squares{}, last_coefficient{};
};

/// `values` explained by the columns, each as long as `values`. The mean is a column of ones that the caller gives.
/// Orthogonalised twice (Giraud, Langou and Rozloznik, "The loss of orthogonality in the Gram-Schmidt
/// orthogonalization process", Comput. Math. Appl. 50, 2005): columns of zeros and ones are often nearly dependent.
[[nodiscard]] Fit fit(std::span<const Column> columns, std::span<const double> values);

} // namespace mediarig::measure::comparison
