// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>

#include "tests/media/claim/scenarios/matrix.hpp"

namespace mediarig::claim_scenarios {
namespace {

constexpr const char* begin_marker = "<!-- matrix: printed by test_claim_scenarios --write-matrix -->\n";
constexpr const char* end_marker = "<!-- end of matrix -->\n";

/// Footnotes in the order of their first use.
class Notes {
public:
    std::size_t number_of(const std::string& text) {
        const auto known = std::find(texts_.begin(), texts_.end(), text);
        if (known != texts_.end()) return static_cast<std::size_t>(known - texts_.begin()) + 1;
        texts_.push_back(text);
        return texts_.size();
    }
    [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

private:
    std::vector<std::string> texts_;
};

std::string shown(const Verdict& verdict, Notes& notes) {
    constexpr std::array<const char*, outcomes> letters{"R", "A", "D", "P", "–"};
    const std::string letter = letters[static_cast<std::size_t>(verdict.outcome)];
    return verdict.outcome == Outcome::refused ? letter : fmt::format("{}{}", letter, notes.number_of(verdict.reason));
}

struct Row {
    std::string objects_text;
    std::vector<std::string> cells;
    bool operator==(const Row&) const = default;
};

/// Rows of one use; objects with equal cells share a row. A folder has its own line below the table.
std::vector<Row> rows_of(Activity activity, Notes& notes) {
    std::vector<Row> rows;
    for (std::size_t each = 0; each < objects; ++each) {
        const auto object = static_cast<Object>(each);
        if (object == Object::folder) continue;
        Row row{name_of(object), {}};
        bool applies = false;
        for (std::size_t name = 0; name < routes; ++name) {
            const Verdict verdict = verdict_on({object, activity, static_cast<Route>(name)});
            applies = applies || verdict.outcome != Outcome::not_applicable;
            row.cells.push_back(shown(verdict, notes));
        }
        const auto equal = std::ranges::find(rows, row.cells, &Row::cells);
        if (equal != rows.end())
            equal->objects_text += ", " + row.objects_text;
        else if (applies)
            rows.push_back(std::move(row));
    }
    return rows;
}

struct Group {
    std::string uses;
    std::vector<Row> rows;
};

/// Groups the uses with equal rows.
std::vector<Group> groups_of_table(Notes& notes) {
    std::vector<Group> groups;
    for (std::size_t use = 0; use < activities; ++use) {
        const auto activity = static_cast<Activity>(use);
        auto rows = rows_of(activity, notes);
        const auto equal = std::ranges::find(groups, rows, &Group::rows);
        if (equal != groups.end())
            equal->uses += std::string("; ") + name_of(activity);
        else
            groups.push_back({name_of(activity), std::move(rows)});
    }
    return groups;
}

std::size_t marker_end(const std::string& document) {
    const std::size_t at = document.find(begin_marker);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("the marker is missing: {}", begin_marker));
    return at + std::string(begin_marker).size();
}

std::size_t end_of_matrix(const std::string& document, std::size_t from) {
    const std::size_t at = document.find(end_marker, from);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("the marker is missing: {}", end_marker));
    return at;
}

} // namespace

std::string matrix_as_markdown() {
    Notes notes;
    std::string text = "| use | object |";
    for (std::size_t name = 0; name < routes; ++name) text += fmt::format(" {} |", name_of(static_cast<Route>(name)));
    text += "\n|---|---|" + [] {
        std::string line;
        for (std::size_t name = 0; name < routes; ++name) line += "---|";
        return line;
    }() + "\n";
    for (const Group& group : groups_of_table(notes)) {
        for (const Row& row : group.rows) {
            text += fmt::format("| {} | {} |", group.uses, row.objects_text);
            for (const std::string& cell : row.cells) text += fmt::format(" {} |", cell);
            text += "\n";
        }
    }
    text += "\nA row that is missing does not apply. A folder: " +
            std::string(verdict_on({Object::folder, Activity::unused, Route::own}).reason) + ".\n\n";
    std::map<Outcome, int> counts;
    for (const Cell& cell : all_cells()) ++counts[verdict_on(cell).outcome];
    text += fmt::format("{} cells: {} refused, {} asked, {} declared, {} permitted, {} not applicable.\n\n",
                        all_cells().size(), counts[Outcome::refused], counts[Outcome::asked], counts[Outcome::declared],
                        counts[Outcome::permitted], counts[Outcome::not_applicable]);
    for (std::size_t i = 0; i < notes.texts().size(); ++i) text += fmt::format("{}. {}\n", i + 1, notes.texts()[i]);
    return text;
}

std::string matrix_in(const std::string& document) {
    const std::size_t from = marker_end(document);
    return document.substr(from, end_of_matrix(document, from) - from);
}

std::string with_matrix(const std::string& document) {
    const std::size_t from = marker_end(document);
    return document.substr(0, from) + matrix_as_markdown() + document.substr(end_of_matrix(document, from));
}

} // namespace mediarig::claim_scenarios
