// SPDX-License-Identifier: GPL-3.0-or-later
/// Sentences with gaps: "the card in pocket <pocket> is bent". What a sentence may say stands in tables of them, and a
/// sentence that fits none is answered with what could have stood where it went astray.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace mediarig::plant {

/// How much of everything this rig has; what people count from 1.
struct RigSize {
    std::uint8_t pockets{}, ports{};
};

/// Values of gaps in the order in which they stand. Pockets, ports and cards count from 0 here.
///
///   <pocket> <port>  1.. as engraved         <number>  an integer, also negative     <count>  an integer from 0
///   <time>           two words: 300 ms, 2 s; in nanoseconds                          <axis>   x, z
///   <nth>            first, second, … tenth  <bin>     pass, fail, retest, unknown   <name>   any word, into `names`
struct Gaps {
    std::vector<std::int64_t> values;
    std::vector<std::string> names;
};

struct Fit {
    std::size_t pattern{}; ///< which of those given
    Gaps gaps;
};

[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// The pattern that the words fit. The error is one line: what was read, what was expected instead.
[[nodiscard]] tl::expected<Fit, std::string> fit(std::span<const std::string_view> words,
                                                 std::span<const std::string_view> patterns, RigSize rig);

} // namespace mediarig::plant
