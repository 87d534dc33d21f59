// SPDX-License-Identifier: GPL-3.0-or-later
/// Campaigns on cards of a world, judged by the rule and by the former habit of five passes per format.
#pragma once

#include <cstdint>

#include "host/measure/comparison/comparison.hpp"
#include "tests/measure/comparison/worlds.hpp"

namespace mediarig::comparison_worlds {

/// Result of a campaign for format 0 against format 1.
enum class Decision : std::uint8_t { first, second, same, nothing };

struct Outcome {
    Decision said{Decision::nothing};
    std::size_t passes{};
    bool covered{true}; ///< true if the interval contains the planted difference
};

enum class Order : std::uint8_t {
    independent,    ///< each block has an independent order, as the rule requires
    shuffled_pairs, ///< pairs of mirrored orders; levels that last two passes favour one format in this order
    strict,         ///< AB BA AB BA …
};

/// Format 0 is faster by `effect` (a fraction). Equal seeds give equal cards.
[[nodiscard]] Outcome by_the_rule(const World& world, double effect, std::size_t budget, std::uint64_t seed,
                                  Order order = Order::independent);
/// Five passes of one format, then five of the other, then one test: Student's t with Welch's degrees of freedom at 95
/// %, equal if the 90 % interval is within the margin.
[[nodiscard]] Outcome by_habit(const World& world, double effect, std::uint64_t seed);

} // namespace mediarig::comparison_worlds
