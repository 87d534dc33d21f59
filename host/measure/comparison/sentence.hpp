// SPDX-License-Identifier: GPL-3.0-or-later
/// A standing in words, and never more than it says. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {

/// "exFAT faster by 5.6 % [3.2, 8.1], 12 passes, overall p 0.006", "same within 5 %: between -2.7 and +3.1 % (8
/// passes)", "cannot tell after 24 passes (12 blocks): between -5.5 and +9.1 %; about 7 more blocks". `formats`: the
/// name of each.
[[nodiscard]] std::string text_of(const Standing& standing, const Comparison& of, std::span<const std::string> formats);

/// A ratio in per cent, of its logarithm: "+5.6"; beyond four digits "over +9999".
[[nodiscard]] std::string percent_text(double logarithm);
/// "exFAT faster by 5.6 % [3.2, 8.1]", of logarithms of its rate over the other's.
[[nodiscard]] std::string faster_text(std::string_view faster, double by, double from, double to);
/// "between -2.7 and +3.1 %", of logarithms.
[[nodiscard]] std::string between_text(double from, double to);
/// "+5.6 % [+3.2, +8.1]": of the first format over the second one. For looks that have an interval.
[[nodiscard]] std::string interval_text(const Look& look);
/// The decision in few words: "exFAT is faster", "the same within 5 %", "cannot tell".
[[nodiscard]] std::string short_text_of(const Standing& standing, const Comparison& of,
                                        std::span<const std::string> formats);

} // namespace mediarig::measure::comparison
