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
    double value{};                      ///< ln(figure)
    std::optional<std::size_t> before{}; ///< the format of the pass before, where nothing lies between
};

/// A slope with its standard error, and how likely chance alone shows as much (Student's t).
struct Slope {
    double value{}, error{}, freedom{}, p{1};
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

/// What three or more formats leave to the pass that follows; of two, carry_over() tells it apart with fewer blocks.
struct LeftBehind {
    std::size_t best{}, worst{}; ///< formats: passes that follow `worst` are the slowest, those that follow `best` the
                                 ///< fastest
    double difference{};         ///< between the two, as a logarithm, > 0
    double p{1};                 ///< that chance alone shows as much among all formats (F test)
};
/// Beyond blocks, formats and places; passes without a pass before them are left out. Nothing where too few are left.
/// Source: Cochran and Cox, "Experimental Designs", 1957, section 4.6a; Jones and Kenward, "Design and Analysis of
/// Cross-Over Trials".
[[nodiscard]] std::optional<LeftBehind> left_behind(std::span<const Observation> passes);
/// Format `first` less format `second` with what is left behind, blocks and places taken out; as left_behind().
[[nodiscard]] std::optional<Slope> direct_difference(std::span<const Observation> passes, std::size_t first,
                                                     std::size_t second);

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
