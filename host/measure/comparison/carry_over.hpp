// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether what was there before changes what is measured: only with two formats. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "host/measure/comparison/estimate.hpp"

namespace mediarig::measure::comparison {

/// A block from the second one on.
struct Begun {
    double value{}; ///< ln of the ratio
    bool same{};    ///< it begins with the format that the block before ended with
};

struct CarryOver {
    double p{1};          ///< Student's t between blocks that begin with the same format and those that turn
    Estimate steady{};    ///< each format after itself: A after A against B after B
    Estimate switching{}; ///< each format after the other one
};
/// Nothing below two blocks of either kind. `least` > 0: the scatter of a value that figures of such a step show at the
/// least.
[[nodiscard]] std::optional<CarryOver> carry_over(std::span<const Begun> blocks, double least);

inline constexpr double carry_over_fires = 0.01;
/// The test fires, and steady and switching are not the same answer: at 1 - alpha each says first faster, second
/// faster, same within the margin (a logarithm), or nothing.
[[nodiscard]] bool depends_on_before(const CarryOver& found, double margin, double alpha);

} // namespace mediarig::measure::comparison
