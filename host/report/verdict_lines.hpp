// SPDX-License-Identifier: GPL-3.0-or-later
/// What became of the media of a campaign, a line each: its last word, for a log and for the end of a screen. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "host/report/one_by_one.hpp"
#include "host/report/terminal.hpp"
#include "host/result.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

/// As many stand on a terminal of 24 lines with what follows.
inline constexpr std::size_t most_verdicts_on_screen = 16;

struct VerdictOptions {
    std::size_t media{};             ///< of the plan: also those that were never begun
    std::optional<std::size_t> most; ///< lines of media; unset: a line for each
    Colour colour{Colour::plain};
};

/// In the campaign's order "card07: FAIL: Writes 25.8 MB/s …, at least 30 wanted.", "card08: PASS"; of several media
/// then how many got which grade: "20 media: 18 PASS, 2 FAIL". Of more than `most` the worst. Loads those that were not
/// judged: what their passes prove is told. Fails as `load`.
[[nodiscard]] Result<std::string> render_verdicts(store::CampaignView&& outline, const LoadDevice& load,
                                                  const VerdictOptions& options);

} // namespace mediarig::report
