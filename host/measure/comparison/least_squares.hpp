// SPDX-License-Identifier: GPL-3.0-or-later
/// Ordinary least squares. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

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
