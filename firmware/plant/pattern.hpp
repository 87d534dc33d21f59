// SPDX-License-Identifier: GPL-3.0-or-later
/// Sentences with gaps: "the card in pocket <pocket> is bent". The known sentences are in tables. The error for a
/// sentence that matches none lists the possible words at the point of the mismatch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace mediarig::plant {

/// Numbers of pockets and ports of this rig.
struct RigSize {
    std::uint8_t pockets{}, ports{};
};

/// Values of the gaps in their order. Pockets, ports and cards count from 0 here.
///
///   <pocket> <port>  1.. as engraved         <number>  an integer, also negative     <count>  an integer from 0
///   <time>           two words: 300 ms, 2 s; in nanoseconds                          <axis>   x, z
///   <nth>            first, second, … tenth  <bin>     pass, fail, retest, unknown   <name>   any word, into `names`
struct Gaps {
    std::vector<std::int64_t> values;
    std::vector<std::string> names;
};

struct PatternMatch {
    std::size_t pattern{}; ///< index of the pattern
    Gaps gaps;
};

[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// Returns the pattern that matches the words. The error is one line with the input and the expected words.
[[nodiscard]] tl::expected<PatternMatch, std::string> fit(std::span<const std::string_view> words,
                                                          std::span<const std::string_view> patterns, RigSize rig);

} // namespace mediarig::plant
