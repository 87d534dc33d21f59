// SPDX-License-Identifier: GPL-3.0-or-later
/// What else was at work in a comparison: where the scatter of its passes comes from. It explains and corrects nothing:
/// the estimate of a comparison stays what it is. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// One pass that gave a figure.
struct Observation {
    std::size_t block{}; ///< from 0, in time order
    std::size_t place{}; ///< in its block, from 0
    std::size_t format{};
    double value{}; ///< ln(figure)
};

/// A slope with its standard error, and how likely chance alone shows as much (Student's t).
struct Slope {
    double value{}, error{}, p{1};
};

struct Effects {
    /// Sums of squares in this order, each beyond those before: they add up to the squares about the mean.
    double blocks{}, formats{}, places{}, rest{};
    std::optional<Slope> place; ///< with each place later in the order, as a logarithm
    std::optional<Slope> drift; ///< with each block, as a logarithm
};

/// Formats, places and drifts are said to be at work from here on.
inline constexpr double effect_fires = 0.01;

/// Nothing below three blocks.
[[nodiscard]] std::optional<Effects> effects_of(std::span<const Observation> passes);

/// Passes that lie beyond 3.5 scaled median absolute deviations of what blocks and formats leave, as indices.
/// Source: Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993.
[[nodiscard]] std::vector<std::size_t> spikes_of(std::span<const double> values);

/// Two formats, block by block: how likely chance alone shows scatters as different as theirs; the first scatters more
/// where `correlation` > 0. Source: Pitman, "A note on normal correlation", Biometrika 31, 1939; Morgan, ibid.
struct Scatter {
    double correlation{}, p{1};
};
/// Nothing below four blocks, and where one of the two does not scatter at all.
[[nodiscard]] std::optional<Scatter> scatter_of(std::span<const double> first, std::span<const double> second);

} // namespace mediarig::measure::comparison
