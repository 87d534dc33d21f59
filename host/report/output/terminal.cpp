// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/terminal.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "host/base/text.hpp"
#include "host/base/time_text.hpp"
#include "host/report/cards/card.hpp"
#include "host/report/cards/format_contents.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/figures/figures.hpp"
#include "host/report/tables/comparison_record.hpp"
#include "host/report/tables/tables.hpp"
#include "host/report/text/display_text.hpp"
#include "host/report/text/metric_text.hpp"
#include "host/store/record_json.hpp"

namespace mediarig::report {
namespace {

std::string head(const store::CampaignView& view, const TableOptions& options) {
    const store::CampaignRecord& campaign = view.campaign;
    std::string text = fmt::format("Campaign {}", printable(campaign.name));
    std::string line = fmt::format("{}, {}", printable(campaign.id), local_time_text(campaign.started));
    if (campaign.ended && *campaign.ended >= campaign.started)
        line += ", " + duration_text(*campaign.ended - campaign.started);
    line += fmt::format(", {}", store::name_of(campaign.state));
    if (options.media > view.devices.size())
        line += fmt::format(", {} of {} media begun", view.devices.size(), options.media);
    if (const std::string retest = retest_text(campaign); !retest.empty()) line += ", " + retest;
    return emphasised(text, options.colour) + "\n" + faint(wrapped(line, options.width), options.colour) + "\n";
}

/// Returns the title of a row in a separate column, with the lines of the row next to the title.
std::string card_row(const CardRow& row, const TableOptions& options) {
    constexpr std::size_t column = 12;
    const std::string indent(column, ' ');
    std::string out;
    for (std::size_t i = 0; i < row.lines.size(); ++i) {
        const std::string first = i == 0 ? row.title + std::string(column - row.title.size(), ' ') : indent;
        // Wrap by the visible width, then add the colour.
        std::string text = wrapped(row.lines[i], options.width, indent, first);
        if (i == 0) text.replace(0, first.size(), faint(first, options.colour));
        out += text + '\n';
    }
    return out;
}

std::string card_text(const ReportCard& card, const TableOptions& options) {
    const std::string word = grade_text(card.grade);
    std::string title = wrapped(word + "  " + card.title, options.width, "  ");
    title.replace(0, word.size(), coloured_grade(card.grade, options.colour));
    std::string out = title + "\n";
    if (!card.verdict.empty()) out += paragraph(card.verdict, options.width, 2);
    for (const CardRow& row : card.rows) out += card_row(row, options);
    return out;
}

/// The worst devices have cards, in the campaign's order if all devices have cards; the other devices have one line
/// each.
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
    std::string line = wrapped(line_of_device(campaign, device), options.width, "      ");
    return line.replace(0, grade_text(grade).size(), coloured_grade(grade, options.colour)) + "\n";
}

std::string cards_text(std::vector<ReportCard> cards, std::size_t media, const std::string& lines,
                       const TableOptions& options) {
    if (cards.empty()) return {};
    const CardRow shared = take_shared_notes(cards);
    std::vector<std::string> texts;
    texts.reserve(cards.size() + 1);
    for (const ReportCard& card : cards) texts.push_back(card_text(card, options));
    if (!shared.lines.empty()) texts.push_back(shared_title(cards.size(), media) + "\n" + card_row(shared, options));
    std::string out = fmt::format("{}", fmt::join(texts, "\n"));
    if (!lines.empty()) out += "\n" + lines;
    if (have_spread(cards) || has_spread(lines))
        out += "\n" + faint(wrapped(note_on_figures(), options.width), options.colour) + "\n";
    return out;
}

std::string answers_text(const store::CampaignView& campaign, const TableOptions& options) {
    std::string out;
    for (const std::string& answer : comparison_answers_of(campaign))
        out += "\n" + emphasised(wrapped(answer, options.width, "  "), options.colour) + "\n";
    return out;
}

/// Moves the notes of the tables into one list without repetitions; the titles of the tables refer to it: "[1] [3]".
std::vector<std::string> take_footnotes(std::vector<Table>& tables) {
    std::vector<std::string> notes;
    for (Table& table : tables) {
        for (const std::string& note : table.notes) {
            const auto known = std::ranges::find(notes, note);
            table.title += fmt::format(" [{}]", known - notes.begin() + 1);
            if (known == notes.end()) notes.push_back(note);
        }
        table.notes.clear();
    }
    return notes;
}

std::string tables_text(const store::CampaignView& campaign, const TableOptions& options) {
    const Figures figures(campaign);
    std::vector<Table> tables = comparisons_of(campaign, figures);
    std::ranges::move(comparison_tables_of(campaign), std::back_inserter(tables));
    std::ranges::move(tables_of(campaign, figures), std::back_inserter(tables));
    if (auto usable = usable_table(campaign)) tables.push_back(std::move(*usable));
    remove_repeated_caveats(tables);
    const std::vector<std::string> notes = take_footnotes(tables);
    // The notes of a published table are its source and its differences, which no other table shares.
    if (options.published) std::ranges::move(published_tables_of(campaign, figures), std::back_inserter(tables));
    std::string out;
    for (const Table& table : tables) out += "\n" + lay_out(table, options);
    if (!notes.empty()) out += '\n';
    for (std::size_t i = 0; i < notes.size(); ++i)
        out += faint(wrapped(notes[i], options.width, "    ", fmt::format("[{}] ", i + 1)), options.colour) + "\n";
    return out;
}

} // namespace

Result<RenderedCards> render_cards(store::CampaignView&& outline, const LoadDevice& load, const TableOptions& options) {
    const Selection shown = selection_of(outline);
    SummaryMaker summary(outline);
    std::vector<ReportCard> cards;
    std::string lines;
    const auto show = [&](std::size_t device, const auto& add) -> Result<void> {
        if (auto loaded = load(outline.devices[device]); !loaded) return loaded;
        add();
        summary.add(outline, device);
        forget(outline.devices[device]);
        return {};
    };
    for (const std::size_t device : shown.cards)
        if (auto done = show(device, [&] { cards.push_back(card_of(outline, device)); }); !done)
            return fail(done.error());
    for (const std::size_t device : shown.lines)
        if (auto done = show(device, [&] { lines += device_line(outline, device, options); }); !done)
            return fail(done.error());
    return RenderedCards{.cards = cards_text(std::move(cards), outline.devices.size(), lines, options),
                         .summary = summary.finish(options.media)};
}

std::string last_screen(const ResultSummary& summary, const TableOptions& options) {
    return render_summary(summary,
                          {.width = options.width, .colour = options.colour, .most_lines = most_summary_lines});
}

namespace {

/// Puts the summary before the rest, or after it.
std::string with_summary(const std::string& head, const ResultSummary& summary, const std::string& rest,
                         const TableOptions& options) {
    const std::string text =
        options.ends_on_screen
            ? last_screen(summary, options)
            : render_summary(summary, {.width = options.width, .colour = options.colour, .most_lines = {}});
    if (text.empty()) return head + rest;
    return options.ends_on_screen ? head + rest + "\n" + text : head + "\n" + text + rest;
}

} // namespace

std::string render_tables(const store::CampaignView& campaign, const TableOptions& options) {
    std::string rest = answers_text(campaign, options);
    const Selection shown = selection_of(campaign);
    std::vector<ReportCard> cards;
    std::string lines;
    for (const std::size_t device : shown.cards) cards.push_back(card_of(campaign, device));
    for (const std::size_t device : shown.lines) lines += device_line(campaign, device, options);
    if (const std::string text = cards_text(std::move(cards), campaign.devices.size(), lines, options); !text.empty())
        rest += "\n" + text;
    return with_summary(head(campaign, options), summary_of(campaign, options.media),
                        rest + tables_text(campaign, options), options);
}

std::string render_tables_only(const store::CampaignView& campaign, const TableOptions& options) {
    const std::string text = answers_text(campaign, options) + tables_text(campaign, options);
    return text.empty() ? text : text.substr(1); // without the first empty line
}

Result<std::string> render_tables(store::CampaignView&& outline, const LoadDevice& load, const TableOptions& options) {
    const std::size_t devices = outline.devices.size();
    if (devices <= most_detailed) {
        for (store::DeviceView& device : outline.devices)
            if (auto loaded = load(device); !loaded) return fail(loaded.error());
        return render_tables(outline, options);
    }
    const std::string above = head(outline, options);
    store::CampaignView of_all = outline;
    auto results = render_cards(std::move(of_all), load, options);
    if (!results) return fail(results.error());
    std::vector<std::size_t> worst = worst_first(outline);
    worst.resize(most_detailed);
    store::CampaignView detailed = only(std::move(outline), worst);
    for (store::DeviceView& device : detailed.devices)
        if (auto loaded = load(device); !loaded) return fail(loaded.error());
    const std::string rest =
        answers_text(detailed, options) + "\n" + results->cards + "\n" +
        paragraph(fmt::format("The tables are those of the worst {} of {} media; --device shows one, --csv and "
                              "--json have all.",
                              most_detailed, devices),
                  options.width) +
        tables_text(detailed, options);
    return with_summary(above, results->summary, rest, options);
}

namespace {

/// Returns the reason for a grade with another exit status than 0; otherwise empty, because the grade needs no reason.
std::string reason_of(const store::CampaignView& campaign, std::size_t device) {
    const auto& verdict = campaign.devices[device].verdict;
    if (verdict && measure::exit_status(verdict->grade) == 0) return {};
    std::string reason = verdict_text(campaign.devices[device], campaign.campaign.state);
    const Capacity capacity = capacity_of(campaign.devices[device]);
    if (!verdict && capacity.what != Genuineness::untested)
        reason += " Genuine? " + genuine_lines(campaign, device, capacity).front();
    return reason;
}

} // namespace

Result<std::string> render_verdicts(store::CampaignView&& outline, const LoadDevice& load, std::size_t media,
                                    Colour colour) {
    std::string out;
    for (std::size_t index = 0; index < outline.devices.size(); ++index) {
        store::DeviceView& device = outline.devices[index];
        if (!device.verdict)
            if (auto loaded = load(device); !loaded) return fail(loaded.error());
        const auto grade = device.verdict ? std::optional(device.verdict->grade) : std::nullopt;
        const std::string reason = reason_of(outline, index);
        out += printable(device.device.name) + ": " + coloured_grade(grade, colour) +
               (reason.empty() ? "" : ": " + printable(reason)) + "\n";
        if (!grade) forget(device);
    }
    media = std::max(media, outline.devices.size());
    return media > 1 ? out + counts_text(counts_of(outline), media) + "\n" : out;
}

namespace {

/// Returns the figures of the table, each spread aligned with those of the other rows.
std::string figures_text(const Table& table, const TableOptions& options) {
    std::vector<TextColumn> columns;
    for (const TableBlock& block : table.blocks)
        for (const std::string& title : block.columns)
            columns.push_back({.title = title,
                               .layout = CellLayout::right,
                               .block = &title == block.columns.data() ? std::optional(block.title) : std::nullopt});
    std::vector<std::size_t> spreads(columns.size()); // widths
    std::vector<const TableRow*> rows;
    for (const TableRow& row : table.rows) {
        if (row.kind == RowKind::detail) continue;
        rows.push_back(&row);
        for (std::size_t i = 0; i < spreads.size(); ++i)
            spreads[i] = std::max(spreads[i], display_width(printable(row.cells[i].spread)));
    }
    TextTable text({.title = table.label_title, .layout = CellLayout::left}, columns);
    bool summing = false;
    for (const TableRow* row : rows) {
        if (row->kind == RowKind::summary && !summing) text.add_rule();
        summing = row->kind == RowKind::summary;
        std::vector<std::string> cells{row->label};
        for (std::size_t i = 0; i < spreads.size(); ++i) {
            std::string spread = printable(row->cells[i].spread);
            spread.append(spreads[i] - display_width(spread), ' ');
            cells.push_back(row->cells[i].value + (spread.empty() ? "" : " ") + spread);
        }
        text.add(std::move(cells));
    }
    return text.text(options.width, options.colour);
}

} // namespace

std::string lay_out(const Table& table, const TableOptions& options) {
    std::string out = emphasised(wrapped(table.title, options.width), options.colour) + "\n";
    if (!table.caveat.empty()) out += paragraph(table.caveat, options.width);
    out += figures_text(table, options);
    for (const std::string& note : table.notes) out += faint(wrapped(note, options.width), options.colour) + "\n";
    return out;
}

} // namespace mediarig::report
