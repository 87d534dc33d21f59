// SPDX-License-Identifier: GPL-3.0-or-later
/// Orders of the compared formats that favour no format. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "common/split_mix.hpp"

namespace mediarig::measure {

/// Returns `rows` orders of 0 … things - 1, in pairs of an order and its mirror image: over each pair, a linear trend
/// in time adds the same amount to each thing. Source: Williams, "Experimental designs balanced for the estimation of
/// residual effects of treatments", Australian J. Sci. Research A 2, 1949.
[[nodiscard]] std::vector<std::vector<std::size_t>> counterbalanced(std::size_t things, std::size_t rows);

/// Fisher-Yates shuffle with this project's random numbers: std::shuffle may differ between libraries, and a campaign
/// that is resumed elsewhere must use the same order. At most 64 entries: the remainder's bias is below 2^-57.
void shuffle(std::vector<std::size_t>& order, SplitMix& numbers);

/// Returns `rows` orders of 0 … things - 1, each drawn independently of all others. The test of a comparison by random
/// orders requires this: in pairs of mirrored orders, both blocks of a pair agree on a medium whose level changes every
/// two passes, whatever is measured.
[[nodiscard]] std::vector<std::vector<std::size_t>> random_orders(std::size_t things, std::size_t rows,
                                                                  SplitMix numbers);

/// Returns `rows` orders of 0 … things - 1, in pairs of an order and its mirror image. Each pair is shuffled
/// independently.
[[nodiscard]] std::vector<std::vector<std::size_t>> shuffled_pairs(std::size_t things, std::size_t rows,
                                                                   SplitMix numbers);

} // namespace mediarig::measure
