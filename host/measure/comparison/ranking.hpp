// SPDX-License-Identifier: GPL-3.0-or-later
/// Orders independent samples of a rate, and marks the differences that the samples support. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace mediarig::measure::comparison {

/// A claim about a sample requires this many values of it.
inline constexpr std::size_t fewest_for_claim = 4;

/// The difference of two independent samples of ln(rate), first minus second.
struct SamplePair {
    double value{};           ///< difference of the means
    double half_width{};      ///< half width of the 95 % interval (Welch)
    double same_half_width{}; ///< half width of the 90 % interval, which decides two one-sided tests of 5 %
    double p{1};              ///< two-sided, of this pair alone
};
/// Without an interval (infinite half widths, p 1) if a sample has fewer than `fewest` values. Requires at least one
/// value of each; `fewest` is at least 2.
[[nodiscard]] SamplePair compare_samples(std::span<const double> first, std::span<const double> second,
                                         std::size_t fewest);

struct RankGroup {
    std::vector<std::size_t> members; ///< indexes of samples, the largest mean first
    bool alike{true};                 ///< no member differs significantly from another one
};

struct Ranking {
    /// The group with the largest means first. Without claims, each group has one member. With claims, each member of a
    /// group has a significantly larger mean than each member of the later groups.
    std::vector<RankGroup> groups;
    bool claims{}; ///< every sample has at least fewest_for_claim values
};
/// `rates`: positive values of each sample, at least one. Claims have an error of 5 % over all pairs of the samples.
[[nodiscard]] Ranking ranking_of(std::span<const std::vector<double>> rates);

/// Returns true if two samples, by index, differ significantly; symmetric.
using SamplesDiffer = std::function<bool(std::size_t, std::size_t)>;
/// Returns the same ranking, but the caller decides which samples differ.
[[nodiscard]] Ranking ranking_of(std::span<const std::vector<double>> rates, const SamplesDiffer& differ);

} // namespace mediarig::measure::comparison
