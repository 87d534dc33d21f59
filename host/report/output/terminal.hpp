// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign for a terminal or a pipe: the answer about each device, then the tables. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

enum class Colour : std::uint8_t { plain, ansi };

struct TableOptions {
    std::size_t width{100}; ///< columns; formats and devices stand side by side as far as they fit
    Colour colour{Colour::plain};
    bool published{}; ///< of the tables: what others published stands behind them
    std::size_t
        media{}; ///< of the plan, for the head: also those that were never begun; 0: only chosen ones are told of
};

/// The grade's word in its colour; the word itself says the same without colour.
[[nodiscard]] std::string coloured_grade(std::optional<measure::Grade> grade, Colour colour);

/// The cards of the worst devices, at most `most_cards`, worst first where they are not all shown, and a line for each
/// of the others. Loads them one after the other. UTF-8, ends with a line feed. Fails as `load`.
inline constexpr std::size_t most_cards = 8;
[[nodiscard]] Result<std::string> render_cards(store::CampaignView&& outline, const LoadDevice& load,
                                               const TableOptions& options);

/// The campaign's head, its cards, its tables. UTF-8, ends with a line feed. A table is never cut: one that is wider
/// than `width` by itself runs over.
[[nodiscard]] std::string render_tables(const store::CampaignView& campaign, const TableOptions& options);
/// The same of an outline; of more than `most_detailed` devices the worst have tables. Fails as `load`.
[[nodiscard]] Result<std::string> render_tables(store::CampaignView&& outline, const LoadDevice& load,
                                                const TableOptions& options);

/// What became of the media of a campaign, a line each: its last word, for a log and for the end of a screen. Pure.

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

/// Lays a table out in lines of a given width: blocks side by side as far as they fit, the rest below.

/// Where words get their emphasis; nothing when plain.
[[nodiscard]] std::string emphasised(std::string_view text, Colour colour);
[[nodiscard]] std::string faint(std::string_view text, Colour colour);

/// The table with its title and notes. Rows of kind detail are left out.
[[nodiscard]] std::string lay_out(const Table& table, const TableOptions& options);

} // namespace mediarig::report
