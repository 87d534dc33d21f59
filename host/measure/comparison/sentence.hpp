// SPDX-License-Identifier: GPL-3.0-or-later
/// A standing in words, and never more than it says. Pure.
#pragma once

#include <span>
#include <string>

#include "host/measure/comparison/comparison.hpp"

namespace mediarig::measure::comparison {

/// "exFAT faster by 5.6 % [3.2, 8.1], 12 passes, overall p 0.006", "same within 5 %: between -2.7 and +3.1 % (8
/// passes)", "cannot tell after 24 passes: between -5.5 and +9.1 %; about 7 more blocks". `formats`: the name of each.
[[nodiscard]] std::string text_of(const Standing& standing, const Comparison& of, std::span<const std::string> formats);

} // namespace mediarig::measure::comparison
