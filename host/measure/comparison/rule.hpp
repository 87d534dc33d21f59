// SPDX-License-Identifier: GPL-3.0-or-later
/// The rule: after each block, whether what was measured so far decides. Pure.
///
/// A block measures every format once; its value is y = ln(figure of the first format / figure of the second one). The
/// interval is a repeated confidence interval: with the probability asked for it holds the truth at every look, so
/// that stopping at any look is allowed. docs/guide/comparison.md has the formulas and their sources.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/levels.hpp"

namespace mediarig::measure::comparison {

/// Fixed before the first pass. A budget that is raised afterwards is a new comparison.
struct Terms {
    std::optional<std::size_t> budget{12}; ///< blocks, 4 … most_blocks; nothing: no end (endurance)
    double margin{0.05};                   ///< of "the same within", as parts: 0.05 is 5 %
    double alpha{0.05};                    ///< how often a claim may be wrong
    double quantum{};                      ///< the known step of the figures, as parts of them; 0: none that counts
    bool operator==(const Terms&) const = default;
};
/// Fails with bad_request, naming what is wrong: a budget out of its range, a margin, alpha or quantum that means
/// nothing.
[[nodiscard]] Result<void> check(const Terms& terms);

enum class Call : std::uint8_t {
    open,       ///< go on measuring
    difference, ///< the interval excludes 0
    same,       ///< within the margin
    budget,     ///< cannot tell, and all blocks are measured
    hopeless,   ///< cannot tell, and more blocks would hardly change that
};

/// What the blocks say at one look. Values are logarithms of ratios.
struct Look {
    std::size_t blocks{}; ///< that have a value
    Call call{Call::open};
    /// From here on with fewest_blocks and more.
    Estimate mean{}, trimmed{};    ///< errors are at least what figures of such a step can tell
    bool by_trimmed{};             ///< which of the two has the shorter interval, and counts
    double half_width{};           ///< of the interval at 1 - alpha
    double same_from{}, same_to{}; ///< that of two one-sided tests, at 1 - 2 * alpha, by which "same" is decided
    double nominal_p{1};           ///< the smaller one of both estimators, of this look alone
    double chance{1};              ///< predicted, that the rest of the budget decides

    [[nodiscard]] const Estimate& counts() const { return by_trimmed ? trimmed : mean; }
    [[nodiscard]] double from() const { return counts().value - half_width; }
    [[nodiscard]] double to() const { return counts().value + half_width; }
};

/// Parts that no clock of ours tells apart: blocks that agree to the last digit prove no difference in that digit.
inline constexpr double resolution = 1e-6;

class Rule {
public:
    /// `terms` passed check().
    explicit Rule(const Terms& terms);

    /// `values` of all blocks so far that have one; `left`: blocks that may still come (whatever, without a budget).
    [[nodiscard]] Look look(std::span<const double> values, std::size_t left) const;
    /// What the smallest nominal p of all looks is worth: a p that holds at every look.
    [[nodiscard]] double overall(double smallest_nominal_p) const;
    /// About how many more blocks would decide, if they went on like this; half of such forecasts are twice too high or
    /// more. Nothing where a thousand would not, and without a budget.
    [[nodiscard]] std::optional<std::size_t> more_blocks(const Look& look) const;
    [[nodiscard]] const Terms& terms() const { return terms_; }

private:
    /// Both levels that are asked: alpha for a difference, 2 * alpha for two one-sided tests of alpha each.
    struct Level {
        double overall{}, nominal{};
        std::vector<double> critical; ///< t by degrees of freedom
    };
    [[nodiscard]] Level level(double overall) const;
    [[nodiscard]] double predicted(const Look& look, std::size_t last) const;
    void judge(std::span<const double> values, Look& look) const;
    void judge_endless(std::span<const double> values, Look& look) const;

    Terms terms_;
    double margin_{}; ///< as a logarithm
    Level difference_, same_;
};

/// Passes that failed are a result of their own: a format that fails more often than another one is not just slower.
/// Pure.

/// Of two formats, over the blocks so far.
struct Failures {
    std::size_t first{}, second{};           ///< passes that failed
    std::size_t first_only{}, second_only{}; ///< blocks in which just that format failed
    bool operator==(const Failures&) const = default;
};

/// How likely chance alone shows so uneven failures, by the sign test over blocks in which just one format failed: six
/// on one side are the fewest that count at 5 %.
[[nodiscard]] double uneven_p(const Failures& failures);

} // namespace mediarig::measure::comparison
