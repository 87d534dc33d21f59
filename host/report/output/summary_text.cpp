// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/output/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/base/text.hpp"
#include "host/report/cards/lot.hpp"
#include "host/report/text/display_text.hpp"

namespace mediarig::report {
namespace {

using measure::Grade;
using Lines = std::vector<std::string>;

enum class SummaryForm {
    flat,    ///< verdict and cause in one cell
    stacked, ///< the cause below the verdict, the size below the name if media have several formats
};

/// Width of a cause below a verdict: that of "INCONCLUSIVE".
constexpr std::size_t stacked_cause = 12;

Lines lines_of(const std::string& text, std::size_t width) {
    Lines lines;
    const std::string all = wrapped(text, width);
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find('\n', begin), all.size());
        lines.push_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

/// The table of all media in one form, before it is laid out.
class SummaryTable {
public:
    SummaryTable(const ResultSummary& summary, SummaryForm form, std::size_t name_width)
        : summary_(summary),
          flat_(form == SummaryForm::flat),
          name_width_(name_width),
          one_format_(summary.formats.size() <= 1) {
        for (const SummaryRow& row : summary.rows)
            for (const auto& format : row.figures)
                for (const SummaryFigure& figure : format) marked_ = marked_ || figure.best;
    }

    /// Returns the lines of one medium: a list of cells each.
    [[nodiscard]] std::vector<Lines> lines_of_medium(const SummaryRow& row) const {
        std::vector<std::size_t> formats;
        for (std::size_t format = 0; format < summary_.formats.size(); ++format)
            if (row.has_figures(format)) formats.push_back(format);
        Lines verdict{grade_text(row.grade)}, name{cut_to(row.name, name_width_)};
        if (flat_) {
            if (!row.cause.empty()) verdict[0] += ": " + row.cause;
        } else {
            const bool good = row.grade && measure::exit_status(*row.grade) == 0;
            Lines cause = lines_of(row.cause, stacked_cause);
            // A good grade needs no cause, but it may use free lines.
            if (!good || cause.size() < formats.size()) std::ranges::move(cause, std::back_inserter(verdict));
            if (!one_format_ && !row.size.empty()) name.push_back(row.size);
        }
        std::vector<Lines> lines(std::max({verdict.size(), name.size(), formats.size(), std::size_t{1}}));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            Lines& line = lines[i];
            const bool first = i == 0;
            line.push_back(i < verdict.size() ? verdict[i] : "");
            line.push_back(i < name.size() ? name[i] : "");
            if (has_size()) line.push_back(first ? row.size : "");
            line.push_back(first ? row.genuine : "");
            line.push_back(first && row.warnings ? std::to_string(*row.warnings) : "");
            if (!one_format_) line.push_back(i < formats.size() ? format_title(summary_.formats[formats[i]]) : "");
            for (std::size_t column = 0; column < summary_.columns.size(); ++column)
                line.push_back(i < formats.size() ? figure_of(row.figures[formats[i]][column]) : "");
        }
        return lines;
    }

    [[nodiscard]] TextTable table() const {
        std::vector<TextColumn> columns{left("NAME")};
        if (has_size()) columns.push_back(right("SIZE"));
        columns.push_back(left("GENUINE"));
        columns.push_back(right(flat_ ? "WARNINGS" : "WARN"));
        if (!one_format_) columns.push_back(left("FORMAT"));
        std::optional<bool> random;
        for (const SummaryColumn& column : summary_.columns) {
            TextColumn next = right(workload::writes(column.access) ? "write" : "read");
            if (marked_) next.title += ' ';
            if (random != workload::random(column.access)) {
                random = workload::random(column.access);
                next.block = fmt::format("{}, {}", *random ? "random" : "sequential", column.unit);
            }
            columns.push_back(std::move(next));
        }
        return {left("VERDICT"), columns};
    }

    [[nodiscard]] bool has_marks() const { return marked_; }

private:
    static TextColumn left(std::string title) { return {.title = std::move(title), .layout = CellLayout::left}; }
    static TextColumn right(std::string title) { return {.title = std::move(title), .layout = CellLayout::right}; }
    [[nodiscard]] bool has_size() const { return flat_ || one_format_; }
    [[nodiscard]] std::string figure_of(const SummaryFigure& figure) const {
        return text_of(figure) + (figure.best ? "*" : marked_ ? " " : "");
    }

    const ResultSummary& summary_;
    bool flat_;
    std::size_t name_width_;
    bool one_format_;
    bool marked_{}; ///< a format is marked as the fastest
};

/// The lines of the worst media, at most `most` if it is set.
struct ShownMedia {
    std::vector<Lines> lines;
    std::size_t media{};
};

ShownMedia shown_media(const ResultSummary& summary, const SummaryTable& table, std::optional<std::size_t> most) {
    ShownMedia shown;
    for (const SummaryRow& row : summary.rows) {
        std::vector<Lines> lines = table.lines_of_medium(row);
        if (most && shown.media > 0 && shown.lines.size() + lines.size() > *most) break;
        std::ranges::move(lines, std::back_inserter(shown.lines));
        ++shown.media;
    }
    return shown;
}

struct LaidOutSummary {
    std::string text;
    std::size_t media{};
};

LaidOutSummary laid_out(const ResultSummary& summary, SummaryForm form, std::size_t name_width,
                        const SummaryTextOptions& options, std::size_t width) {
    const SummaryTable of(summary, form, name_width);
    ShownMedia shown = shown_media(summary, of, options.most_lines);
    TextTable table = of.table();
    for (Lines& line : shown.lines) table.add(std::move(line));
    return {table.text(width, options.colour), shown.media};
}

/// Prefers the flat form, then the stacked one, then shorter names.
LaidOutSummary fitted(const ResultSummary& summary, const SummaryTextOptions& options) {
    constexpr std::size_t longest_name = 24, shortest_name = 6, unlimited = std::numeric_limits<std::size_t>::max();
    for (const SummaryForm form : {SummaryForm::flat, SummaryForm::stacked}) {
        SummaryTextOptions plain = options;
        plain.colour = Colour::plain;
        const std::size_t wide = widest_line(laid_out(summary, form, longest_name, plain, unlimited).text);
        if (wide <= options.width) return laid_out(summary, form, longest_name, options, options.width);
        std::size_t name = 0;
        for (const SummaryRow& row : summary.rows)
            name = std::max(name, std::min(longest_name, display_width(printable(row.name))));
        const std::size_t excess = wide - options.width;
        if (form == SummaryForm::stacked && name >= shortest_name + excess)
            return laid_out(summary, form, name - excess, options, options.width);
    }
    return laid_out(summary, SummaryForm::stacked, shortest_name, options, options.width);
}

/// Replaces the grade at the beginning of each line with the coloured one.
std::string with_colours(const std::string& table, Colour colour) {
    if (colour == Colour::plain) return table;
    std::string out;
    for (std::size_t begin = 0; begin < table.size();) {
        const std::size_t end = std::min(table.find('\n', begin), table.size());
        std::string line = table.substr(begin, end - begin);
        for (const auto& grade : grades_worst_first) {
            const std::string word = grade_text(grade);
            if (!line.starts_with(word)) continue;
            const char next = line.size() > word.size() ? line[word.size()] : ' ';
            if (next != ' ' && next != ':') continue;
            line.replace(0, word.size(), coloured_grade(grade, colour));
            break;
        }
        out += line + '\n';
        begin = end + 1;
    }
    return out;
}

} // namespace

std::string coloured_grade(std::optional<Grade> grade, Colour colour) {
    std::string word = grade_text(grade);
    if (colour == Colour::plain || !grade) return word;
    const int code = measure::exit_status(*grade) == 0 ? 32 : *grade == Grade::fail || *grade == Grade::fake ? 31 : 33;
    return fmt::format("\033[1;{}m{}\033[0m", code, word);
}

std::string render_summary(const ResultSummary& summary, const SummaryTextOptions& options) {
    if (summary.rows.empty()) return {};
    const LaidOutSummary table = fitted(summary, options);
    std::string out = with_colours(table.text, options.colour);
    if (table.media < summary.rows.size())
        out += fmt::format("and {} more, none of them worse\n", summary.rows.size() - table.media);
    std::string source = summary.source;
    if (summary.formats.size() == 1 && !is_raw(summary.formats.front()))
        source += ", under " + format_title(summary.formats.front());
    if (SummaryTable(summary, SummaryForm::flat, 0).has_marks()) source += "; *: fastest format of the medium";
    if (!source.empty()) out += faint(wrapped(source + ".", options.width), options.colour) + "\n";
    if (!summary.ranking.empty()) out += emphasised(wrapped(summary.ranking, options.width), options.colour) + "\n";
    if (!summary.counts.empty()) out += summary.counts + "\n";
    return out;
}

} // namespace mediarig::report
