// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/terminal.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/report/card.hpp"
#include "host/report/comparison_record.hpp"
#include "host/report/display_text.hpp"
#include "host/report/holdings.hpp"
#include "host/report/lot.hpp"
#include "host/report/published_tables.hpp"
#include "host/report/tables.hpp"
#include "host/report/text.hpp"
#include "host/report/text_table.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report {
namespace {

using measure::Grade;

/// In the grade's colour; the word itself says the same without colour.
std::string badge(std::optional<Grade> grade, Colour colour) {
    const std::string word = grade_words(grade);
    if (colour == Colour::plain || !grade) return word;
    const int code = *grade == Grade::pass ? 32 : *grade == Grade::fail || *grade == Grade::fake ? 31 : 33;
    return fmt::format("\033[1;{}m{}\033[0m", code, word);
}

std::string head(const store::CampaignView& view, const TableOptions& options) {
    const store::CampaignRecord& campaign = view.campaign;
    std::string text = fmt::format("Campaign {}", printable(campaign.name));
    std::string line = fmt::format("{}, {}", printable(campaign.id), time_text(campaign.started));
    if (campaign.ended) line += ", " + duration_text(*campaign.ended - campaign.started);
    line += fmt::format(", {}", store::name_of(campaign.state));
    return emphasised(text, options.colour) + "\n" + faint(wrapped(line, options.width, ""), options.colour) + "\n";
}

/// A row's title in a column of its own, its lines beside it.
std::string card_row(const CardRow& row, const TableOptions& options) {
    constexpr std::size_t column = 12;
    const std::string indent(column, ' ');
    std::string out;
    for (std::size_t i = 0; i < row.lines.size(); ++i) {
        const std::string first = i == 0 ? row.title + std::string(column - row.title.size(), ' ') : indent;
        const std::string text = wrapped(printable(row.lines[i]), options.width - column, "");
        out += i == 0 ? faint(first, options.colour) : first;
        for (const char c : text) out += c == '\n' ? "\n" + indent : std::string(1, c);
        out += "\n";
    }
    return out;
}

std::string card_text(const Card& card, const TableOptions& options) {
    const std::string word = grade_words(card.grade);
    // Wrapped as it is seen, then the word gets its colour.
    std::string title = wrapped(word + "  " + printable(card.title), options.width, "  ");
    title.replace(0, word.size(), badge(card.grade, options.colour));
    std::string out = title + "\n";
    if (!card.verdict.empty()) out += "  " + wrapped(printable(card.verdict), options.width - 2, "  ") + "\n";
    for (const CardRow& row : card.rows) out += card_row(row, options);
    return out;
}

} // namespace

std::string render_cards(const store::CampaignView& campaign, const TableOptions& options) {
    std::vector<std::size_t> shown = worst_first(campaign);
    const std::string rest = shown.size() > most_cards ? others_words(campaign, shown, most_cards) : "";
    shown.resize(std::min(shown.size(), most_cards));
    if (rest.empty()) std::ranges::sort(shown);
    std::string out;
    for (const Card& card : cards_of(campaign, Figures(campaign, shown), shown)) {
        if (!out.empty()) out += "\n";
        out += card_text(card, options);
    }
    if (!rest.empty()) out += "\n" + wrapped(rest, options.width, "") + "\n";
    if (!out.empty()) out += "\n" + faint(wrapped(note_on_figures(), options.width, ""), options.colour) + "\n";
    return out;
}

std::string render_tables(const store::CampaignView& campaign, const TableOptions& options) {
    std::string out = head(campaign, options);
    for (const std::string& answer : comparison_answers_of(campaign))
        out += "\n" + emphasised(wrapped(printable(answer), options.width, "  "), options.colour) + "\n";
    if (const std::string cards = render_cards(campaign, options); !cards.empty()) out += "\n" + cards;
    const Figures figures(campaign);
    std::vector<Table> tables = comparisons_of(campaign, figures);
    std::ranges::move(comparison_tables_of(campaign), std::back_inserter(tables));
    std::ranges::move(tables_of(campaign, figures), std::back_inserter(tables));
    if (auto usable = usable_table(campaign)) tables.push_back(std::move(*usable));
    say_cautions_once(tables);
    if (options.published) std::ranges::move(published_tables_of(figures), std::back_inserter(tables));
    for (const Table& table : tables) out += "\n" + lay_out(table, options);
    return out;
}

} // namespace mediarig::report
