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
    /// The level of each look that gives the overall level of this column.
    std::array<double, measure::comparison::overall_levels.size()> nominal{};
    /// The overall level of the program's own table, as distance from the column's in standard errors, which include
    /// those of these runs and of the runs of the table.
    std::array<double, measure::comparison::overall_levels.size()> off{};
};

/// The rows of the table with a budget of at most `largest`.
[[nodiscard]] std::vector<Row> calibrated(std::size_t runs, std::size_t largest, std::uint64_t seed);

} // namespace mediarig::comparison_calibration
