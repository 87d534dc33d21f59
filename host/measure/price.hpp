// SPDX-License-Identifier: GPL-3.0-or-later
/// What a deviation costs: the same medium measured with and without it, repeat by repeat. Pure.
/// docs/measurement-method.md says why it is reckoned so.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/result.hpp"

namespace mediarig::measure {

/// One repeat: both were measured in it, one after the other.
struct PricePair {
    double baseline{}; ///< of whatever is better the more there is of it: MB/s, operations a second; > 0
    double deviation{};
    double places{}; ///< how many formats later than the baseline it had its turn; negative: earlier
};

enum class PriceVerdict : std::uint8_t {
    costs,
    gains,     ///< slower without it
    not_found, ///< what there may be lies in the interval
    doubtful,  ///< alone it would count; among so many comparisons chance shows as much
    too_few,   ///< repeats
};
/// "costs", "gains", "not_found", "doubtful", "too_few": in JSON.
[[nodiscard]] std::string_view name_of(PriceVerdict verdict);

/// Fewer tell nothing of how far repeats scatter.
inline constexpr std::size_t fewest_price_pairs = 4;

/// Parts of the baseline: 0.123 costs 12.3 %, below 0 the deviation is the faster one.
struct PriceInterval {
    double from{};
    double to{};
    bool operator==(const PriceInterval&) const = default;
};

struct Price {
    PriceVerdict verdict{PriceVerdict::too_few};
    std::size_t pairs{};
    std::size_t comparisons{1}; ///< that this one was judged among
    /// The rest is there with enough pairs only.
    std::optional<double> price{};
    std::optional<PriceInterval> interval{}; ///< 95 %, of this comparison alone
    std::optional<double> chance{};          ///< two-sided p, of this comparison alone
    std::optional<double> adjusted{};        ///< the same by Holm's rule: how likely chance shows as much anywhere
    /// That so many pairs, scattering so, would have found with a probability of 80 % among so many comparisons.
    std::optional<double> smallest{};
    /// What a place later in the order changes, as parts: -0.01 is 1 % slower with each place.
    std::optional<double> by_place{};
};

/// One price for each list of pairs, judged together: the chance that any of them is called a cost or a gain where
/// there is none is at most 5 %. Pairs with a value that is not above 0 are left out.
///
/// Within a repeat the logarithm of the ratio is theta + beta * places + scatter; theta is the price, and what goes
/// linearly with the order falls out as beta. Student's t with n - 2 degrees of freedom, so exact for any n where the
/// scatter is normal. Pairs that all have the same `places` say nothing about order: they are too few.
/// Source: Jones and Kenward, "Design and Analysis of Cross-Over Trials", chapters 2 and 5; Holm, "A simple
/// sequentially rejective multiple test procedure", Scand. J. Statist. 6, 1979.
[[nodiscard]] std::vector<Price> prices_of(std::span<const std::vector<PricePair>> comparisons);

/// "costs 12.3 % [10.1, 14.4]", "no price found: between -1.2 and +0.9 %", "too few repeats to say": what a table says.
[[nodiscard]] std::string text_of(const Price& price);

} // namespace mediarig::measure
