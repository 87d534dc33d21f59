// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/report/published/tables.hpp"

#include <algorithm>

#include "host/base/json/codec.hpp"

namespace mediarig::published {

const char* tables_text(); // made from tables.json

namespace {

using codec::Json, codec::member;

bool rows_have_all_columns(const PublishedTable& table) {
    return std::ranges::all_of(table.rows, [&](const Row& row) { return row.values.size() == table.columns.size(); });
}
bool has_no_or_two_scores(const PublishedTable& table) {
    return table.scores.empty() || table.scores.size() == 2;
}

} // namespace

/// Reads a row: a list of the label and one figure per column.
static void read_form(const Json& from, const codec::Path& at, Row& row, codec::DecodeError& fault) {
    if (!from.is_array() || from.empty() || !from[0].is_string())
        return fault.say(at, "must be a list that begins with the label");
    row.label = from[0].get<std::string>();
    for (std::size_t i = 1; i < from.size(); ++i) {
        if (from[i].is_null())
            row.values.push_back(not_printed);
        else if (from[i] == "+++++")
            row.values.push_back(too_fast);
        else if (from[i].is_number())
            row.values.push_back(from[i].get<double>());
        else
            return fault.say(codec::Path{&at, {}, i}, "must be a number, null or \"+++++\"");
    }
}

constexpr auto members_of(codec::Tag<PublishedTable>) {
    return codec::members(
        member("name", &PublishedTable::name), member("tool", &PublishedTable::tool),
        member("suite", &PublishedTable::suite), member("source", &PublishedTable::source),
        member("place", &PublishedTable::place), member("host", &PublishedTable::host),
        member("device", &PublishedTable::device), member("format", &PublishedTable::format),
        member("unit", &PublishedTable::unit).or_default(), member("columns", &PublishedTable::columns),
        member("decimals", &PublishedTable::decimals), member("rows", &PublishedTable::rows).at_least(1),
        member("scores", &PublishedTable::scores).or_default(), member("differs", &PublishedTable::differs),
        codec::must("rows", rows_have_all_columns, "a row must have one figure per column"),
        codec::must("scores", has_no_or_two_scores, "must be the scores for writes and reads"));
}
constexpr auto members_of(codec::Tag<UncheckedFigures>) {
    return codec::members(member("table", &UncheckedFigures::table), member("what", &UncheckedFigures::what),
                          member("why", &UncheckedFigures::why));
}
constexpr auto members_of(codec::Tag<Publications>) {
    return codec::members(member("tables", &Publications::tables), member("unchecked", &Publications::unchecked));
}

namespace {

/// Adds the tables of a group to the list, each with the members of the group.
void add_tables(const Json& group, Json& list) {
    for (const Json& each : group["tables"]) {
        Json table = group;
        table.erase("tables");
        if (each.is_object()) table.update(each);
        if (const auto inner = table.find("tables"); inner != table.end() && inner->is_array())
            add_tables(table, list);
        else
            list.push_back(std::move(table));
    }
}

const Publications& publications() {
    // A test reads the same text and reports faults in that text.
    static const Publications all = publications_from_json(tables_text()).value_or(Publications{});
    return all;
}

} // namespace

Result<Publications> publications_from_json(std::string_view text) {
    Json file = codec::read_json(text);
    if (!file.is_object() || !file.contains("tables") || !file["tables"].is_array())
        return fail(Errc::bad_format, "published tables: the list of tables is missing");
    Json list = Json::array();
    add_tables({{"tables", file["tables"]}}, list);
    file["tables"] = std::move(list);
    return codec::decode<Publications>(file);
}

const std::vector<PublishedTable>& all_tables() {
    return publications().tables;
}

const std::vector<UncheckedFigures>& unchecked() {
    return publications().unchecked;
}

bool UncheckedFigures::is_of(std::string_view name) const {
    return table.ends_with('*') ? name.starts_with(std::string_view(table).substr(0, table.size() - 1)) : name == table;
}

const PublishedTable* find_table(std::string_view name) {
    const auto found = std::ranges::find(all_tables(), name, &PublishedTable::name);
    return found == all_tables().end() ? nullptr : &*found;
}

const Row* find_row(const PublishedTable& table, std::string_view label) {
    const auto found = std::ranges::find(table.rows, label, &Row::label);
    return found == table.rows.end() ? nullptr : &*found;
}

} // namespace mediarig::published
