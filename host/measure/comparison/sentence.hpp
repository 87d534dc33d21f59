// SPDX-License-Identifier: GPL-3.0-or-later
/// Describes the state of a comparison in words, without any claim beyond that state. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {

/// E.g. "exFAT faster by 5.6 % [3.2, 8.1], 12 passes, overall p 0.006", "same within 5 %: between -2.7 and +3.1 % (8
/// passes)", "undecided after 24 passes (12 blocks): between -5.5 and +9.1 %; about 7 more blocks". `formats`: the
/// name of each.
[[nodiscard]] std::string text_of(const PairResult& pair_result, const Comparison& of,
                                  std::span<const std::string> formats);

/// Formats a logarithm of a ratio in per cent: "+5.6"; beyond four digits "over +9999".
[[nodiscard]] std::string percent_text(double logarithm);
/// E.g. "exFAT faster by 5.6 % [3.2, 8.1]"; the arguments are logarithms of the ratio of the rates.
[[nodiscard]] std::string faster_text(std::string_view faster, double by, double from, double to);
/// E.g. "between -2.7 and +3.1 %"; the arguments are logarithms.
[[nodiscard]] std::string between_text(double from, double to);
/// E.g. "+5.6 % [+3.2, +8.1]": the first format compared with the second one. Requires a look with an interval.
[[nodiscard]] std::string interval_text(const Look& look);
/// The decision in short form: "exFAT is faster", "the same within 5 %", "undecided".
[[nodiscard]] std::string short_text_of(const PairResult& pair_result, const Comparison& of,
                                        std::span<const std::string> formats);

} // namespace mediarig::measure::comparison
