// SPDX-License-Identifier: GPL-3.0-or-later
/// Passes that failed are a result of their own: a format that fails more often than another one is not just slower.
/// Pure.
#pragma once

#include <cstddef>

namespace mediarig::measure::comparison {

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
