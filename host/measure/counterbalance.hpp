// SPDX-License-Identifier: GPL-3.0-or-later
/// In which order things are compared so that the order itself favours none. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "common/split_mix.hpp"

namespace mediarig::measure {

/// `rows` orders of 0 … things - 1. They come in pairs of an order and its mirror image: over each pair, what goes
/// linearly with time adds the same to each thing.
/// Source: Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian
/// J. Sci. Research A 2, 1949.
[[nodiscard]] std::vector<std::vector<std::size_t>> counterbalanced(std::size_t things, std::size_t rows);

/// Fisher and Yates, with numbers of our own: std::shuffle may differ from library to library, and a campaign that is
/// resumed elsewhere must find the same order. At most 64 entries: the remainder's bias is below 2^-57.
void shuffle(std::vector<std::size_t>& order, SplitMix& numbers);

/// `rows` orders of 0 … things - 1, in pairs of an order and its mirror image. Each pair is shuffled anew, so that
/// nothing that happens every so many passes keeps step with them, however early the comparison stops.
[[nodiscard]] std::vector<std::vector<std::size_t>> shuffled_pairs(std::size_t things, std::size_t rows,
                                                                   SplitMix numbers);

} // namespace mediarig::measure
