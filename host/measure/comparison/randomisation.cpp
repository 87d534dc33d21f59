// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/randomisation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "common/split_mix.hpp"
#include "host/measure/comparison/estimate.hpp"
#include "host/measure/comparison/levels.hpp"
#include "host/measure/counterbalance.hpp"

namespace mediarig::measure::comparison {
namespace {

/// Up to this number of blocks, all exchanges of two formats are counted: half of 2^14.
constexpr std::size_t most_exact_blocks = 14;
/// Minimum numbers of random exchanges, for two formats and for a larger set. The observed order is one more.
constexpr std::size_t fewest_of_pair = 4095, fewest_of_set = 999;
/// Minimum expected numbers of random exchanges below the limit, for two formats and for a larger set.
constexpr double fewest_below_limit_of_pair = 20, fewest_below_limit_of_set = 10;
constexpr std::size_t most_exchanges = 200'000;

/// Rounding may change a nominal p by this fraction, so p-values within it count as equal.
constexpr double tie = 1e-9;
/// Quantiles of smaller levels are out of range for a double.
constexpr double smallest_level = 1e-280;

} // namespace

/// Tests the hypothesis "no difference between these formats" by exchanges of their figures within the blocks.
class RandomisedTests::SetTest {
    /// Compares estimates with a nominal p.
    class NominalThreshold {
    public:
        explicit NominalThreshold(double p) : level_(std::max(p, smallest_level) * (1 + tie)) {}

        /// True if the nominal p of the estimates is at most that of the threshold.
        [[nodiscard]] bool reached_by(const Centre& centre) {
            return reached_by(centre.mean, centre.unstirred) || reached_by(centre.trimmed, centre.unstirred);
        }

    private:
        bool reached_by(const Estimate& estimate, double unstirred) {
            const double beyond = std::max(0.0, std::abs(estimate.value) - unstirred);
            return beyond >= critical(static_cast<std::size_t>(estimate.freedom)) * estimate.error;
        }
        double critical(std::size_t freedom) {
            if (level_ >= 1) return 0;
            if (freedom >= critical_.size()) critical_.resize(freedom + 1, std::numeric_limits<double>::quiet_NaN());
            double& known = critical_[freedom];
            if (std::isnan(known)) known = t_critical(level_, static_cast<double>(freedom));
            return known;
        }

        double level_;
        std::vector<double> critical_; ///< by degrees of freedom; not a number: not computed yet
    };

    /// An exchange: for each block an order of the members of a set of formats.
    using Exchange = std::vector<std::vector<std::size_t>>;

public:
    SetTest(std::span<const BlockFigures> blocks, const RandomisedFamily& family, std::vector<std::size_t> members)
        : family_(family), members_(std::move(members)) {
        numbers_ = blocks.empty() ? 0 : blocks.front().size();
        for (const BlockFigures& block : blocks)
            if (has_pair(block)) blocks_.push_back(&block);
        observed_.resize(numbers_, 1);
        const Exchange as_measured = identity();
        for (std::size_t number = 0; number < numbers_; ++number)
            for (const Centre& centre : centres_of(number, as_measured))
                observed_[number] = std::min(observed_[number], nominal_p(centre));
        ranked_.resize(numbers_);
        std::iota(ranked_.begin(), ranked_.end(), std::size_t{0});
        std::stable_sort(ranked_.begin(), ranked_.end(),
                         [&](std::size_t a, std::size_t b) { return observed_[a] < observed_[b]; });
    }

    /// Returns the adjusted p of `number`. A result above `limit` is not exact, because the count ended early.
    [[nodiscard]] double p_of(std::size_t number, double limit) {
        if (observed_[number] >= 1) return 1;
        if (limit > counted_limit_) count_up_to(limit);
        const auto rank = std::find(ranked_.begin(), ranked_.end(), number) - ranked_.begin();
        // The adjusted p of a rank is at least that of the ranks before it.
        return static_cast<double>(*std::max_element(counts_.begin(), counts_.begin() + rank + 1)) /
               static_cast<double>(exchanges_);
    }

private:
    [[nodiscard]] bool has_pair(const BlockFigures& block) const {
        return std::any_of(block.begin(), block.end(), [&](const auto& figures) {
            return std::count_if(members_.begin(), members_.end(),
                                 [&](std::size_t member) { return figures[member].has_value(); }) >= 2;
        });
    }

    [[nodiscard]] Exchange identity() const {
        std::vector<std::size_t> order(members_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        return Exchange(blocks_.size(), order);
    }

    /// Exchanges the figures of one block. Missing figures stay missing.
    void exchange(const std::vector<std::optional<double>>& figures, const std::vector<std::size_t>& order) {
        moved_.assign(members_.size(), std::nullopt);
        std::size_t from = 0;
        for (std::size_t to = 0; to < members_.size(); ++to) {
            if (!figures[members_[to]]) continue;
            while (!figures[members_[order[from]]]) ++from;
            moved_[to] = figures[members_[order[from++]]];
        }
    }

    /// Estimates of each pair of the family for one number. Leaves out pairs with too few blocks.
    [[nodiscard]] const std::vector<Centre>& centres_of(std::size_t number, const Exchange& exchanged) {
        const std::size_t firsts = family_.against_first ? 1 : members_.size();
        values_.resize(firsts * members_.size());
        for (std::vector<double>& values : values_) values.clear();
        for (std::size_t block = 0; block < blocks_.size(); ++block) {
            exchange((*blocks_[block])[number], exchanged[block]);
            for (std::size_t first = 0; first < firsts; ++first)
                for (std::size_t second = first + 1; second < members_.size(); ++second)
                    if (moved_[first] && moved_[second])
                        values_[first * members_.size() + second].push_back(*moved_[first] - *moved_[second]);
        }
        centres_.clear();
        for (const std::vector<double>& values : values_)
            if (values.size() >= fewest_blocks) centres_.push_back(centre_of(values, family_.quantum));
        return centres_;
    }

    void count_up_to(double limit) {
        counted_limit_ = limit;
        thresholds_.clear();
        for (const std::size_t number : ranked_) thresholds_.emplace_back(observed_[number]);
        counts_.assign(ranked_.size(), 1); // the observed order
        ranks_ = ranked_.size();
        if (members_.size() == 2 && blocks_.size() <= most_exact_blocks)
            count_all();
        else
            count_random();
    }

    /// Adds one to the count of each rank whose observed p is reached: the exchange has at most this p in a number of
    /// the same or a later rank.
    void count(const Exchange& exchanged) {
        hit_.assign(ranks_, false);
        for (std::size_t at = 0; at < ranked_.size(); ++at) {
            // Thresholds increase with the rank, so the first one that is missed ends the search.
            std::size_t rank = std::min(at + 1, ranks_);
            const std::vector<Centre>& centres = centres_of(ranked_[at], exchanged);
            while (rank > 0 && std::any_of(centres.begin(), centres.end(), [&](const Centre& centre) {
                       return thresholds_[rank - 1].reached_by(centre);
                   }))
                hit_[--rank] = true;
        }
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            if (hit_[rank]) ++counts_[rank];
        // If one rank is above the limit, all later ranks are above it too.
        const double most = counted_limit_ * static_cast<double>(exchanges_);
        for (std::size_t rank = 0; rank < ranks_; ++rank)
            if (static_cast<double>(counts_[rank]) > most) ranks_ = rank;
    }

    void count_all() {
        // An exchange in all blocks changes only the sign, so the first block can keep its order.
        exchanges_ = std::size_t{1} << (blocks_.size() - 1);
        Exchange exchanged = identity();
        for (std::size_t pattern = 1; pattern < exchanges_ && ranks_ > 0; ++pattern) {
            // In Gray code, successive patterns differ in one block.
            std::vector<std::size_t>& changed = exchanged[static_cast<std::size_t>(std::countr_zero(pattern)) + 1];
            std::swap(changed[0], changed[1]);
            count(exchanged);
        }
    }

    void count_random() {
        const bool pair = members_.size() == 2;
        const double wanted = (pair ? fewest_below_limit_of_pair : fewest_below_limit_of_set) / counted_limit_;
        const std::size_t drawn =
            std::max(pair ? fewest_of_pair : fewest_of_set,
                     static_cast<std::size_t>(std::min<double>(most_exchanges, std::ceil(wanted))));
        exchanges_ = drawn + 1;
        // The start value is constant: a resumed campaign must reach the same decision.
        SplitMix numbers(blocks_.size());
        Exchange exchanged = identity();
        for (std::size_t i = 0; i < drawn && ranks_ > 0; ++i) {
            for (std::vector<std::size_t>& order : exchanged) shuffle(order, numbers);
            count(exchanged);
        }
    }

    RandomisedFamily family_;
    std::vector<std::size_t> members_;
    std::vector<const BlockFigures*> blocks_; ///< blocks with figures of two members or more
    std::size_t numbers_{};
    std::vector<double> observed_;    ///< smallest nominal p of the pairs, by number
    std::vector<std::size_t> ranked_; ///< numbers in ascending order of that p

    double counted_limit_{};   ///< the limit of the count in `counts_`; 0: nothing was counted
    std::size_t exchanges_{1}; ///< number of exchanges, with the observed order
    std::size_t ranks_{};      ///< ranks before this one are not above the limit
    std::vector<NominalThreshold> thresholds_;
    std::vector<std::size_t> counts_;
    // Buffers, to avoid an allocation for each exchange.
    std::vector<bool> hit_;
    std::vector<std::optional<double>> moved_;
    std::vector<std::vector<double>> values_;
    std::vector<Centre> centres_;
};

namespace {

std::vector<std::size_t> members_of(std::uint32_t set) {
    std::vector<std::size_t> members;
    for (; set != 0; set &= set - 1) members.push_back(static_cast<std::size_t>(std::countr_zero(set)));
    return members;
}

/// Returns the sets that contain both formats of the claim, small sets first: a pair is tested quickly, and its result
/// is the least certain one.
std::vector<std::uint32_t> sets_with(const RandomisedFamily& family, const DifferenceClaim& claim) {
    const std::uint32_t both = (std::uint32_t{1} << claim.first) | (std::uint32_t{1} << claim.second);
    std::vector<std::uint32_t> sets;
    for (std::uint32_t set = 0; set < std::uint32_t{1} << family.formats; ++set)
        if ((set & both) == both) sets.push_back(set);
    std::stable_sort(sets.begin(), sets.end(),
                     [](std::uint32_t a, std::uint32_t b) { return std::popcount(a) < std::popcount(b); });
    return sets;
}

} // namespace

double sign_flip_p(std::span<const double> values, double quantum, double limit) {
    std::vector<BlockFigures> blocks;
    blocks.reserve(values.size());
    for (const double value : values) blocks.push_back(BlockFigures{std::vector<std::optional<double>>{value, 0.0}});
    return randomised_p(blocks, {.formats = 2, .quantum = quantum}, {.first = 0, .second = 1, .number = 0}, limit);
}

RandomisedTests::RandomisedTests(std::span<const BlockFigures> blocks, const RandomisedFamily& family)
    : blocks_(blocks), family_(family) {}

RandomisedTests::~RandomisedTests() = default;

double RandomisedTests::p_of(const DifferenceClaim& claim, double limit) {
    if (blocks_.empty()) return 1;
    double worst = 0;
    for (const std::uint32_t set : sets_with(family_, claim)) {
        const auto size = static_cast<std::size_t>(std::popcount(set));
        const bool whole_level = family_.against_first || size + 1 >= family_.formats;
        const double factor = whole_level ? 1 : static_cast<double>(family_.formats) / static_cast<double>(size);
        std::unique_ptr<SetTest>& test = tests_[set];
        if (!test) test = std::make_unique<SetTest>(blocks_, family_, members_of(set));
        worst = std::max(worst, factor * test->p_of(claim.number, limit / factor));
        if (worst > limit) break;
    }
    return std::min(1.0, worst);
}

double randomised_p(std::span<const BlockFigures> blocks, const RandomisedFamily& family, const DifferenceClaim& claim,
                    double limit) {
    return RandomisedTests(blocks, family).p_of(claim, limit);
}

} // namespace mediarig::measure::comparison
