// SPDX-License-Identifier: GPL-3.0-or-later
/// In which order things are compared so that the order itself favours none. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace mediarig::measure {

/// After so many rows each of `things` stood at each place equally often, and right behind each other one equally
/// often: the rows of one Williams square for an even number, of two for an odd one.
[[nodiscard]] std::size_t rows_of_full_cycle(std::size_t things);

/// `rows` orders of 0 … things - 1. They come in pairs of an order and its mirror image: over each pair, what goes
/// linearly with time adds the same to each thing.
/// Source: Williams, "Experimental designs balanced for the estimation of residual effects of treatments", Australian
/// J. Sci. Research A 2, 1949.
[[nodiscard]] std::vector<std::vector<std::size_t>> counterbalanced(std::size_t things, std::size_t rows);

} // namespace mediarig::measure
