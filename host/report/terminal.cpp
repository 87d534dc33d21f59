// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/columns.hpp"
#include "host/report/card.hpp"
#include "host/report/comparison_record.hpp"
#include "host/report/display_text.hpp"
#include "host/report/figure_text.hpp"
#include "host/report/figures.hpp"
#include "host/report/holdings.hpp"
#include "host/report/lot.hpp"
#include "host/report/published_tables.hpp"
#include "host/report/shared_notes.hpp"
#include "host/report/tables.hpp"
#include "host/report/text.hpp"
#include "host/report/text_table.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report {
namespace {

using measure::Grade;

std::string head(const store::CampaignView& view, const TableOptions& options) {
    const store::CampaignRecord& campaign = view.campaign;
    std::string text = fmt::format("Campaign {}", printable(campaign.name));
    std::string line = fmt::format("{}, {}", printable(campaign.id), time_text(campaign.started));
    if (campaign.ended && *campaign.ended >= campaign.started)
        line += ", " + duration_text(*campaign.ended - campaign.started);
    line += fmt::format(", {}", store::name_of(campaign.state));
    if (options.media > view.devices.size())
        line += fmt::format(", {} of {} media begun", view.devices.size(), options.media);
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
    const std::string word = grade_text(card.grade);
    // Wrapped as it is seen, then the word gets its colour.
    std::string title = wrapped(word + "  " + printable(card.title), options.width, "  ");
    title.replace(0, word.size(), coloured_grade(card.grade, options.colour));
    std::string out = title + "\n";
    if (!card.verdict.empty()) out += "  " + wrapped(printable(card.verdict), options.width - 2, "  ") + "\n";
    for (const CardRow& row : card.rows) out += card_row(row, options);
    return out;
}

/// The worst of them with their cards, in the campaign's order where these are all; the others in a line each.
struct Selection {
    std::vector<std::size_t> cards, lines;
};

Selection selection_of(const store::CampaignView& campaign) {
    Selection shown{.cards = worst_first(campaign), .lines = {}};
    if (shown.cards.size() <= most_cards) {
        std::ranges::sort(shown.cards);
        return shown;
    }
    shown.lines.assign(shown.cards.begin() + most_cards, shown.cards.end());
    shown.cards.resize(most_cards);
    return shown;
}

std::string device_line(const store::CampaignView& campaign, std::size_t device, const TableOptions& options) {
    const auto& verdict = campaign.devices[device].verdict;
    const auto grade = verdict ? std::optional(verdict->grade) : std::nullopt;
    std::string line = wrapped(printable(line_of_device(campaign, device)), options.width, "      ");
    return line.replace(0, grade_text(grade).size(), coloured_grade(grade, options.colour)) + "\n";
}

std::string cards_text(std::vector<Card> cards, std::size_t media, const std::string& lines,
                       const TableOptions& options) {
    if (cards.empty()) return {};
    const CardRow shared = take_shared_notes(cards);
    std::vector<std::string> texts;
    texts.reserve(cards.size() + 1);
    for (const Card& card : cards) texts.push_back(card_text(card, options));
    if (!shared.lines.empty()) texts.push_back(shared_title(cards.size(), media) + "\n" + card_row(shared, options));
    std::string out = fmt::format("{}", fmt::join(texts, "\n"));
    if (!lines.empty()) out += "\n" + lines;
    if (have_spread(cards) || has_spread(lines))
        out += "\n" + faint(wrapped(note_on_figures(), options.width, ""), options.colour) + "\n";
    return out;
}

std::string answers_text(const store::CampaignView& campaign, const TableOptions& options) {
    std::string out;
    for (const std::string& answer : comparison_answers_of(campaign))
        out += "\n" + emphasised(wrapped(printable(answer), options.width, "  "), options.colour) + "\n";
    return out;
}

std::string tables_text(const store::CampaignView& campaign, const TableOptions& options) {
    const Figures figures(campaign);
    std::vector<Table> tables = comparisons_of(campaign, figures);
    std::ranges::move(comparison_tables_of(campaign), std::back_inserter(tables));
    std::ranges::move(tables_of(campaign, figures), std::back_inserter(tables));
    if (auto usable = usable_table(campaign)) tables.push_back(std::move(*usable));
    say_cautions_once(tables);
    if (options.published) std::ranges::move(published_tables_of(figures), std::back_inserter(tables));
    std::string out;
    for (const Table& table : tables) out += "\n" + lay_out(table, options);
    return out;
}

} // namespace

std::string coloured_grade(std::optional<Grade> grade, Colour colour) {
    std::string word = grade_text(grade);
    if (colour == Colour::plain || !grade) return word;
    const int code = *grade == Grade::pass ? 32 : *grade == Grade::fail || *grade == Grade::fake ? 31 : 33;
    return fmt::format("\033[1;{}m{}\033[0m", code, word);
}

Result<std::string> render_cards(store::CampaignView&& outline, const LoadDevice& load, const TableOptions& options) {
    const Selection shown = selection_of(outline);
    std::vector<Card> cards;
    std::string lines;
    const auto show = [&](std::size_t device, const auto& add) -> Result<void> {
        if (auto loaded = load(outline.devices[device]); !loaded) return loaded;
        add();
        forget(outline.devices[device]);
        return {};
    };
    for (const std::size_t device : shown.cards)
        if (auto done = show(device, [&] { cards.push_back(card_of(outline, device)); }); !done)
            return fail(done.error());
    for (const std::size_t device : shown.lines)
        if (auto done = show(device, [&] { lines += device_line(outline, device, options); }); !done)
            return fail(done.error());
    return cards_text(std::move(cards), outline.devices.size(), lines, options);
}

std::string render_tables(const store::CampaignView& campaign, const TableOptions& options) {
    std::string out = head(campaign, options) + answers_text(campaign, options);
    const Selection shown = selection_of(campaign);
    std::vector<Card> cards;
    std::string lines;
    for (const std::size_t device : shown.cards) cards.push_back(card_of(campaign, device));
    for (const std::size_t device : shown.lines) lines += device_line(campaign, device, options);
    if (const std::string text = cards_text(std::move(cards), campaign.devices.size(), lines, options); !text.empty())
        out += "\n" + text;
    return out + tables_text(campaign, options);
}

Result<std::string> render_tables(store::CampaignView&& outline, const LoadDevice& load, const TableOptions& options) {
    const std::size_t devices = outline.devices.size();
    if (devices <= most_detailed) {
        for (store::DeviceView& device : outline.devices)
            if (auto loaded = load(device); !loaded) return fail(loaded.error());
        return render_tables(outline, options);
    }
    std::string out = head(outline, options);
    store::CampaignView of_all = outline;
    auto cards = render_cards(std::move(of_all), load, options);
    if (!cards) return cards;
    std::vector<std::size_t> worst = worst_first(outline);
    worst.resize(most_detailed);
    store::CampaignView detailed = only(std::move(outline), worst);
    for (store::DeviceView& device : detailed.devices)
        if (auto loaded = load(device); !loaded) return fail(loaded.error());
    return out + answers_text(detailed, options) + "\n" + *cards + "\n" +
           wrapped(
               fmt::format("The tables are those of the worst {} of {} devices; --device shows one, --csv and --json "
                           "have all.",
                           most_detailed, devices),
               options.width, "") +
           "\n" + tables_text(detailed, options);
}

} // namespace mediarig::report
