// SPDX-License-Identifier: GPL-3.0-or-later
/// A whole comparison: two or more formats, one or more headline numbers, block after block. Whoever measures asks it
/// after each block whether to go on. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "host/measure/comparison/carry_over.hpp"
#include "host/measure/comparison/rule.hpp"

namespace mediarig::measure::comparison {

inline constexpr std::size_t most_headlines = 4;
inline constexpr std::size_t most_formats = 8;

/// Fixed before the first pass: what is compared is the family that claims are judged in.
struct Design {
    std::size_t formats{2};
    std::size_t headlines{1}; ///< numbers for each format: one for each operation, say
    bool against_first{};     ///< the others are compared with the first format only, and not among themselves
    Terms terms{};
};
/// Fails with bad_request, naming what is wrong: one format, too many, or as check(Terms).
[[nodiscard]] Result<void> check(const Design& design);

/// One format in one block.
struct Pass {
    std::size_t format{};
    /// One for each headline, of whatever is better the more there is of it (of latencies: one over it; of several
    /// cells: their geometric mean). Nothing, or a figure that is not finite and above 0: there is none, and the block
    /// does not count for that headline.
    std::vector<std::optional<double>> figures;
    bool failed{}; ///< the format could not do it, rather than nobody having measured it
};

enum class Verdict : std::uint8_t {
    open,
    faster,
    same,
    out_of_budget,     ///< cannot tell
    hopeless,          ///< cannot tell, and more blocks would hardly change that
    depends_on_before, ///< what was on the medium before changes the answer
    perhaps_faster,    ///< alone it would count; among so many comparisons it does not
};
/// "open", "faster", "same", "out_of_budget", "hopeless", "depends_on_before", "perhaps_faster": in JSON.
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// Of two formats by one headline.
struct Standing {
    std::size_t first{}, second{}, headline{};
    Verdict verdict{Verdict::open};
    Look look{};                       ///< that the verdict was made at; else the last one
    double overall_p{1};               ///< of this comparison alone, over all looks up to the verdict
    double adjusted{1};                ///< the same by Holm's rule
    bool too_little{};                 ///< faster, yet within the margin: too little to matter
    Failures failures{};               ///< over all blocks
    std::optional<CarryOver> before{}; ///< where the verdict depends on it

    [[nodiscard]] std::size_t faster_format() const { return look.counts().value > 0 ? first : second; }
};

class Comparison {
public:
    /// `design` passed check().
    explicit Comparison(const Design& design);

    /// The passes of the next block in the order they were made, each format once. Nothing changes after the end.
    void add(std::span<const Pass> block);
    /// Something lies between the last block and the next one, such as a block that was cut off: what the last one
    /// ended with is not what the next one meets.
    void pause() { last_format_.reset(); }
    /// No further block will come, whatever the budget says: time is up, or the medium is gone. What is open ends as if
    /// the budget were used up.
    void stop();

    /// Nothing that may still come matters: every comparison is decided or hopeless, or the budget is used up.
    [[nodiscard]] bool ended() const { return ended_; }
    [[nodiscard]] std::size_t blocks() const { return blocks_; }
    /// Something that is open waits for figures of this format.
    [[nodiscard]] bool waits_for(std::size_t format) const;
    /// Each pair of formats (0, 1), (0, 2), (1, 2), …, or (0, 1), (0, 2), … where all are compared with the first one,
    /// by each headline in turn.
    [[nodiscard]] const std::vector<Standing>& standings() const { return standings_; }
    [[nodiscard]] const Rule& rule() const { return rule_; }
    /// By `headline`: one format that is faster than each other one, or the fastest group, among which that cannot be
    /// said. Without formats of which too few blocks have a figure, where others have enough.
    [[nodiscard]] std::vector<std::size_t> fastest(std::size_t headline) const;
    /// Each two of them are the same within the margin, by that headline.
    [[nodiscard]] bool same_among(std::span<const std::size_t> formats, std::size_t headline) const;

private:
    /// What one comparison remembers.
    struct Series {
        std::vector<double> values;
        std::vector<Begun> begun;
        double smallest_p{1};
    };
    [[nodiscard]] std::size_t left() const;
    [[nodiscard]] bool beats(std::size_t winner, std::size_t loser, std::size_t headline) const;
    void take(std::span<const Pass> block, std::size_t index);
    void look(std::size_t index);
    void judge_family();
    void judge(std::size_t index);

    Design design_;
    Rule rule_;
    std::vector<Series> series_;
    std::vector<Standing> standings_;
    std::size_t blocks_{};
    std::optional<std::size_t> last_format_; ///< of the block before
    bool ended_{}, stopped_{};
};

} // namespace mediarig::measure::comparison
