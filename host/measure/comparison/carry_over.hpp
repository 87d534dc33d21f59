// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests whether the previous format on the medium affects the results. Only for two formats. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/measure/comparison/estimate.hpp"

namespace mediarig::measure::comparison {

/// A block, from the second one on.
struct FollowingBlock {
    double value{}; ///< ln of the ratio
    bool same{};    ///< true if the block starts with the last format of the previous block
};

struct CarryOver {
    double p{1};          ///< Student's t-test between blocks that start with the previous format and those that switch
    Estimate steady{};    ///< each format after itself: A after A compared with B after B
    Estimate switching{}; ///< each format after the other one
};
/// Returns nothing for fewer than two blocks of either kind. `least` > 0: minimum scatter of a value, from the
/// resolution of the figures.
[[nodiscard]] std::optional<CarryOver> carry_over(std::span<const FollowingBlock> blocks, double least);

inline constexpr double carry_over_fires = 0.01;
/// Returns true if the test is significant and `steady` and `switching` give different answers. At 1 - alpha each
/// answer is: first faster, second faster, same within the margin (a logarithm), or none.
[[nodiscard]] bool depends_on_before(const CarryOver& found, double margin, double alpha);

} // namespace mediarig::measure::comparison
