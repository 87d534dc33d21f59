// SPDX-License-Identifier: GPL-3.0-or-later
/// Compares two or more formats by one or more headline numbers, block after block. After each block the caller checks
/// whether to continue. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/base/enum_names.hpp"
#include "host/measure/comparison/carry_over.hpp"
#include "host/measure/comparison/randomisation.hpp"
#include "host/measure/comparison/rule.hpp"

namespace mediarig::measure::comparison {

using mediarig::name_of;

inline constexpr std::size_t most_headlines = 4;
inline constexpr std::size_t most_formats = 8;

/// The design of a comparison, fixed before the first pass. The compared pairs are the family in which claims are
/// judged.
struct Design {
    std::size_t formats{2};
    std::size_t headlines{1}; ///< numbers per format, e.g. one per operation
    bool against_first{};     ///< the other formats are compared only with the first one, not with each other
    Terms terms{};
};
/// Fails with bad_request and names the fault: one format, too many formats, or a fault that check(Terms) finds.
[[nodiscard]] Result<void> check(const Design& design);

/// The result of one format in one block.
struct Pass {
    std::size_t format{};
    /// One figure per headline, of a quantity that is better if larger (for latencies: the reciprocal; for several
    /// cells: their geometric mean). An empty figure, or one that is not finite and above 0, is missing: the block does
    /// not count for that headline.
    std::vector<std::optional<double>> figures;
    bool failed{}; ///< the format failed; otherwise a missing figure was not measured
};

BOOST_DEFINE_FIXED_ENUM_CLASS(ComparisonVerdict, std::uint8_t, open, faster, same,
                              out_of_budget,     ///< undecided, and the budget is used up
                              hopeless,          ///< undecided, and more blocks would probably not change that
                              depends_on_before, ///< the previous contents of the medium change the answer
                              perhaps_faster     ///< significant alone, but not among all comparisons
)

/// The state of the comparison of two formats by one headline.
struct PairResult {
    std::size_t first{}, second{}, headline{};
    ComparisonVerdict verdict{ComparisonVerdict::open};
    Look look{};         ///< the look that gave the verdict; otherwise the last one
    double overall_p{1}; ///< for this comparison alone, over all looks up to the verdict
    double adjusted{1};  ///< overall_p, adjusted by Holm's rule
    /// Share of the random orders that give a difference of this p in any comparison of the family; 1 if it was not
    /// computed, since the difference fails by another condition.
    double randomised_p{1};
    bool too_little{};                 ///< faster, but within the margin: too small to matter
    Failures failures{};               ///< over all blocks
    std::optional<CarryOver> before{}; ///< the carry-over, if the verdict depends on it

    [[nodiscard]] std::size_t faster_format() const { return look.counts().value > 0 ? first : second; }
};

class Comparison {
public:
    /// Requires a `design` that passed check().
    explicit Comparison(const Design& design);

    /// Adds the passes of the next block in execution order, each format once. After the end of the comparison the
    /// block is ignored. Requires that the order of each block was drawn independently (measure::random_orders()): a
    /// difference is judged by the other possible orders.
    void add(std::span<const Pass> block);
    /// Reports an interruption between the last block and the next one, e.g. an aborted block: the next block then has
    /// no previous format.
    void pause() { last_format_.reset(); }
    /// Ends the comparison regardless of the budget: the time is over, or the medium is gone. Open comparisons
    /// end as if the budget were used up.
    void stop();

    /// Returns true if further blocks cannot change anything: every comparison is decided or hopeless, or the budget is
    /// used up.
    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    /// Returns true if an open comparison needs figures of this format.
    [[nodiscard]] bool waits_for(std::size_t format) const;
    /// Each pair of formats (0, 1), (0, 2), (1, 2), …, or (0, 1), (0, 2), … if all are compared with the first one, for
    /// each headline in turn.
    [[nodiscard]] const std::vector<PairResult>& pair_results() const { return standings_; }
    [[nodiscard]] const Rule& rule() const { return rule_; }
    /// The fastest by `headline`: one format that is faster than each other one, or the fastest group, whose members
    /// cannot be ordered. Excludes formats that have figures in too few blocks, if others have enough.
    [[nodiscard]] std::vector<std::size_t> fastest(std::size_t headline) const;
    /// Returns true if all pairs of these formats are the same within the margin, by that headline.
    [[nodiscard]] bool same_among(std::span<const std::size_t> formats, std::size_t headline) const;

private:
    /// The history of one comparison.
    struct Series {
        std::vector<double> values;
        std::vector<FollowingBlock> begun;
        double smallest_p{1};
    };
    [[nodiscard]] std::size_t left() const;
    [[nodiscard]] bool beats(std::size_t winner, std::size_t loser, std::size_t headline) const;
    void take(std::span<const Pass> block, std::size_t index);
    void look(std::size_t index);
    void judge_family();
    void judge(std::size_t index, RandomisedTests& tests);
    /// True if the family permits a difference that is significant alone: by Holm's rule and by random orders.
    [[nodiscard]] bool permits(std::size_t index, RandomisedTests& tests);

    Design design_;
    Rule rule_;
    std::vector<Series> series_;
    std::vector<PairResult> standings_;
    std::vector<BlockFigures> figures_;
    std::size_t blocks_{};
    std::optional<std::size_t> last_format_; ///< last format of the previous block
    bool ended_{}, stopped_{};
};

} // namespace mediarig::measure::comparison
