// SPDX-License-Identifier: GPL-3.0-or-later
/// Analyses the causes of the scatter of the passes in a comparison. The analysis only explains: it does not change the
/// estimate of the comparison. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// One pass with a figure.
struct Observation {
    std::size_t block{}; ///< from 0, in time order
    std::size_t place{}; ///< position in its block, from 0
    std::size_t format{};
    double value{};                      ///< ln(figure)
    std::optional<std::size_t> before{}; ///< the format of the previous pass, if there was no interruption
};

/// A slope with its standard error, and the probability of such a slope by chance alone (Student's t).
struct Slope {
    double value{}, error{}, freedom{}, p{1};
};

struct Effects {
    /// Sequential sums of squares in this order: they add up to the squares about the mean.
    double blocks{}, formats{}, places{}, rest{};
    std::optional<Slope> place; ///< change per position in the block, as a logarithm
    std::optional<Slope> drift; ///< change per block, as a logarithm
};

/// Level below which formats, places and drifts are reported as effects.
inline constexpr double effect_fires = 0.01;

/// Returns nothing below three blocks.
[[nodiscard]] std::optional<Effects> effects_of(std::span<const Observation> passes);

/// The carry-over of three or more formats to the next pass. For two formats, carry_over() needs fewer blocks.
struct FormatCarryOver {
    std::size_t best{}, worst{}; ///< formats: passes that follow `worst` are the slowest, those that follow `best` the
                                 ///< fastest
    double difference{};         ///< difference between the two, as a logarithm, > 0
    double p{1};                 ///< probability of such a difference among all formats by chance alone (F test)
};
/// Returns the carry-over that remains after the effects of blocks, formats and places. Passes without a previous pass
/// are omitted. Returns nothing if too few passes remain. Source: Cochran and Cox, "Experimental Designs", 1957,
/// section 4.6a; Jones and Kenward, "Design and Analysis of Cross-Over Trials".
[[nodiscard]] std::optional<FormatCarryOver> left_behind(std::span<const Observation> passes);
/// Returns the difference of format `first` from format `second`, corrected for carry-over, blocks and places.
/// Otherwise like left_behind().
[[nodiscard]] std::optional<Slope> direct_difference(std::span<const Observation> passes, std::size_t first,
                                                     std::size_t second);

/// Indices of the passes whose residuals from blocks and formats exceed 3.5 scaled median absolute deviations. Source:
/// Iglewicz and Hoaglin, "How to detect and handle outliers", ASQC 1993.
[[nodiscard]] std::vector<std::size_t> spikes_of(std::span<const double> values);

/// Comparison of the scatter of two formats, block by block. `p`: the probability of such a difference by chance alone.
/// The first format scatters more if `correlation` > 0. Source: Pitman, "A note on normal correlation", Biometrika 31,
/// 1939; Morgan, ibid.
struct Scatter {
    double correlation{}, p{1};
};
/// Returns nothing below four blocks, and if one of the two has no scatter.
[[nodiscard]] std::optional<Scatter> scatter_of(std::span<const double> first, std::span<const double> second);

} // namespace mediarig::measure::comparison
