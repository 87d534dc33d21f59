// SPDX-License-Identifier: GPL-3.0-or-later
/// Which steps stand and fall together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/plan/steps.hpp"

namespace mediarig::session {

/// Identify, claim, release and verdict belong to the medium; everything else to one format of one repeat.
[[nodiscard]] bool belongs_to_format(const plan::Step& step);
/// Left out, it leaves something untested. A check that is left out would hide damage.
[[nodiscard]] bool leaves_a_gap(const plan::Step& step);
/// Part of ending, not of what was tested: done even where the campaign ends.
[[nodiscard]] bool is_cleanup(const plan::Step& step);
/// The same number for the same text on any machine (FNV-1a).
[[nodiscard]] std::uint32_t hash_of(std::string_view text);
/// "m0.r1.exfat" of "m0.r1.exfat.quickbench.run": names one format of one repeat on one medium.
[[nodiscard]] std::string format_part(const plan::Step& step);

} // namespace mediarig::session
