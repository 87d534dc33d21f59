// SPDX-License-Identifier: GPL-3.0-or-later
/// Writes a campaign for a terminal or a pipe: the summary, the result of each device, then the tables. Pure.
#pragma once

#include <cstddef>
#include <string>

#include "host/base/result.hpp"
#include "host/base/text_layout.hpp"
#include "host/report/cards/summary.hpp"
#include "host/report/output/summary_text.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/store/record.hpp"

namespace mediarig::report {

struct TableOptions {
    std::size_t width{100}; ///< columns; as many formats and devices next to each other as fit
    Colour colour{Colour::plain};
    bool published{};    ///< tables include figures published by others at the end
    std::size_t media{}; ///< number in the plan, including those never begun; 0: only selected devices are shown
    /// The summary comes last and fits on a terminal of 24 lines; otherwise it comes first, with all media.
    bool ends_on_screen{};
};

struct RenderedCards {
    std::string cards; ///< UTF-8, ends with a line feed
    ResultSummary summary;
};
/// Returns the cards of the worst devices, at most `most_cards`, worst first if they are not all, and a line for each
/// of the others. Loads the devices one after the other. Fails as `load`.
inline constexpr std::size_t most_cards = 8;
[[nodiscard]] Result<RenderedCards> render_cards(store::CampaignView&& outline, const LoadDevice& load,
                                                 const TableOptions& options);

/// Returns render_summary() with the limits of a last screen.
[[nodiscard]] std::string last_screen(const ResultSummary& summary, const TableOptions& options);

/// Returns the campaign's head, its summary, its cards, its tables. UTF-8, ends with a line feed. A table is never cut:
/// one block that is wider than `width` exceeds it.
[[nodiscard]] std::string render_tables(const store::CampaignView& campaign, const TableOptions& options);
/// Renders an outline; of more than `most_detailed` devices only the worst have tables. Fails as `load`.
[[nodiscard]] Result<std::string> render_tables(store::CampaignView&& outline, const LoadDevice& load,
                                                const TableOptions& options);

/// Returns the comparisons and tables alone.
[[nodiscard]] std::string render_tables_only(const store::CampaignView& campaign, const TableOptions& options);

/// Returns one line per medium in the campaign's order, "card07: FAIL: Writes 25.8 MB/s …, at least 30 wanted." or
/// "card08: PASS", and for several media the number per grade: "20 media: 18 PASS, 2 FAIL". `media`: number in the
/// plan, including those never begun. Loads media without a verdict, to report what their passes prove. Fails as
/// `load`.
[[nodiscard]] Result<std::string> render_verdicts(store::CampaignView&& outline, const LoadDevice& load,
                                                  std::size_t media, Colour colour = Colour::plain);

/// Returns the table with its title and notes, in lines of `options.width`: as many blocks next to each other as fit,
/// the rest below. Rows of kind detail are omitted.
[[nodiscard]] std::string lay_out(const Table& table, const TableOptions& options);

} // namespace mediarig::report
