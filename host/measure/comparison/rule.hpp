// SPDX-License-Identifier: GPL-3.0-or-later
/// The rule: decides after each block whether the measurements so far are sufficient. Pure.
///
/// A block measures every format once. Its value is y = ln(figure of the first format / figure of the second one). The
/// interval is a repeated confidence interval: with the requested probability it contains the true value at every look,
/// so the measurement may stop at any look. A difference also requires that few of the possible orders of the blocks
/// give such values by chance (randomisation.hpp). docs/guide/comparison.md gives the formulas and their sources.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/levels.hpp"

namespace mediarig::measure::comparison {

/// The terms of a comparison, fixed before the first pass. A comparison with an increased budget is a new comparison.
struct Terms {
    std::optional<std::size_t> budget{12}; ///< number of blocks, 4 … most_blocks; empty: no end (endurance)
    double margin{0.05};                   ///< margin of "the same within", as a fraction: 0.05 is 5 %
    double alpha{0.05};                    ///< probability of a false claim
    double quantum{};                      ///< the known step of the figures, as a fraction of them; 0: negligible
    bool operator==(const Terms&) const = default;
};
/// Fails with bad_request and names the fault: a budget out of range, or an invalid margin, alpha or quantum.
[[nodiscard]] Result<void> check(const Terms& terms);

enum class Call : std::uint8_t {
    open,       ///< continue measuring
    difference, ///< the interval excludes 0, and random orders do not explain it
    same,       ///< within the margin
    budget,     ///< undecided, and all blocks are measured
    hopeless,   ///< undecided, and more blocks would probably not change that
};

/// The result of the blocks at one look. Values are logarithms of ratios.
struct Look {
    std::size_t blocks{}; ///< number of blocks with a value
    Call call{Call::open};
    /// The following members are set from fewest_blocks on.
    Estimate mean{}, trimmed{};    ///< errors are at least the resolution of figures with the known step
    bool by_trimmed{};             ///< true if the trimmed mean has the shorter interval and therefore decides
    double half_width{};           ///< half width of the interval with confidence 1 - alpha
    double same_from{}, same_to{}; ///< the interval at 1 - 2 * alpha of the two one-sided tests for "same"
    /// The following two are set from the first look that permits a difference on.
    double nominal_p{1}; ///< the smaller p-value of both estimators, for this look alone
    double randomised_p{
        1};           ///< share of the possible orders with at most this nominal p; set if the interval excludes 0
    double chance{1}; ///< predicted probability that the rest of the budget decides

    [[nodiscard]] bool has_interval() const { return blocks >= fewest_blocks && std::isfinite(half_width); }
    [[nodiscard]] const Estimate& counts() const { return by_trimmed ? trimmed : mean; }
    [[nodiscard]] double from() const { return counts().value - half_width; }
    [[nodiscard]] double to() const { return counts().value + half_width; }
    [[nodiscard]] bool excludes_zero() const { return has_interval() && std::abs(counts().value) > half_width; }
};

class Rule {
public:
    /// Requires `terms` that passed check().
    explicit Rule(const Terms& terms);

    /// `values`: one value of each block so far that has a value; `left`: the number of further blocks (ignored without
    /// a budget).
    [[nodiscard]] Look look(std::span<const double> values, std::size_t left) const;
    /// The overall p-value of the smallest nominal p of all looks that permit a difference; valid at every look.
    [[nodiscard]] double overall(double smallest_nominal_p) const;
    /// Approximate number of further blocks that would decide if the trend continues; half of such forecasts are at
    /// least twice too high. Returns nothing if a thousand blocks would not decide, and without a budget.
    [[nodiscard]] std::optional<std::size_t> more_blocks(const Look& look) const;
    [[nodiscard]] const Terms& terms() const { return terms_; }
    /// Smallest number of blocks for a difference, at least fewest_for_difference at 5 %.
    [[nodiscard]] std::size_t fewest_for_a_difference() const { return fewest_for_difference_; }
    /// Largest p of random orders that permits a difference after this number of blocks.
    [[nodiscard]] double limit_of_randomised_p(std::size_t blocks) const;

private:
    /// The two requested levels: alpha for a difference, 2 * alpha for two one-sided tests of alpha each.
    struct Level {
        double overall{}, nominal{};
        std::vector<double> critical; ///< critical t, by degrees of freedom
    };
    [[nodiscard]] Level level(double overall, double nominal) const;
    /// True if random orders do not explain values whose interval excludes 0.
    [[nodiscard]] bool is_no_coincidence(std::span<const double> values, Look& look) const;
    [[nodiscard]] double predicted(const Look& look, std::size_t last) const;
    void judge(std::span<const double> values, Look& look) const;
    void judge_endless(std::span<const double> values, Look& look) const;

    Terms terms_;
    double margin_{}; ///< as a logarithm
    std::size_t fewest_for_difference_{};
    Level difference_, same_;
};

/// The failures of two formats, over the blocks so far. Failed passes are a separate result: a format that fails more
/// often than another one is not just slower.
struct Failures {
    std::size_t first{}, second{};           ///< failed passes
    std::size_t first_only{}, second_only{}; ///< blocks in which only that format failed
    bool operator==(const Failures&) const = default;
};

/// Returns the probability of such an imbalance of failures by chance alone. The sign test uses the blocks in which
/// exactly one format failed; for a p below 5 %, the same format must fail alone in at least six blocks.
[[nodiscard]] double uneven_p(const Failures& failures);

} // namespace mediarig::measure::comparison
