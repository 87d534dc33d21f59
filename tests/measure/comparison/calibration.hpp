// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes the table of levels again: the distribution of the smallest p of all looks for normal values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/measure/comparison/levels.hpp"

namespace mediarig::comparison_calibration {

/// One row of the table, from `runs` simulated comparisons.
struct Row {
    std::size_t budget{};
    std::size_t runs{};
    /// The level of a single look at which all looks together have the overall level of this column.
    std::array<double, measure::comparison::overall_levels.size()> nominal{};
    /// Distance between the overall level of the program's own table and that of the column, in standard errors. They
    /// include the errors of these runs and of the runs of the table.
    std::array<double, measure::comparison::overall_levels.size()> off{};
};

/// The rows of the table with a budget of at most `largest`.
[[nodiscard]] std::vector<Row> calibrated(std::size_t runs, std::size_t largest, std::uint64_t seed);

} // namespace mediarig::comparison_calibration
