// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the cells of a comparison as a separate family next to the headlines, for a map that shows in which cells
/// formats differ. Pure.
#pragma once

#include <vector>

#include "host/campaign/comparison/recorded_comparison.hpp"
#include "host/measure/comparison/families.hpp"

namespace mediarig::comparison_campaign {

/// The comparison of two formats in one cell, over all measured blocks.
struct CellPairResult {
    std::size_t first{}, second{}; ///< indexes of the formats
    Cell cell;
    double first_rate{}, second_rate{}; ///< bytes per second, geometric means over the blocks that have both rates
    measure::comparison::Look look{};   ///< the last look
    double overall_p{1};
    double randomised_p{1}; ///< of the test by random orders, over all cells of cells_of(); 1 if it was not computed
    measure::comparison::CellMark mark{}; ///< decided over all cells of cells_of()
};

/// Returns the cells of each pair that the headlines compare, in the order of the cells of a pass. Excludes cells that
/// were measured in no block.
[[nodiscard]] std::vector<CellPairResult> cells_of(const Course& course);

} // namespace mediarig::comparison_campaign
