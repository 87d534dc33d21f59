// SPDX-License-Identifier: GPL-3.0-or-later
/// The cells of a comparison: a family of their own beside the headlines, for a map that shows where a difference is.
/// Pure.
#pragma once

#include <vector>

#include "host/campaign/comparison/trial.hpp"
#include "host/measure/comparison/families.hpp"

namespace mediarig::trial {

/// One cell of two formats, over all blocks that were measured.
struct CellStanding {
    std::size_t first{}, second{}; ///< formats
    Cell cell;
    double first_rate{}, second_rate{}; ///< bytes a second, geometric means over the blocks that have both
    measure::comparison::Look look{};   ///< the last one
    double overall_p{1};
    measure::comparison::CellMark mark{}; ///< judged among all of these
};

/// Of each pair that the headlines compare, in the order of the cells of a pass. Those without any block are left out.
[[nodiscard]] std::vector<CellStanding> cells_of(const Course& course);

} // namespace mediarig::trial
