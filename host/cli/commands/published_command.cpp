// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/manual/mistakes.hpp"
#include "host/cli/text/text.hpp"
#include "host/report/published/checks.hpp"
#include "host/report/published/conclusions.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct PublishedOptions {
    std::vector<std::string> tables;
    Facts facts;
};

std::string figure_text(double value, int decimals) {
    if (std::isnan(value)) return "-";
    return std::isinf(value) ? "+++++" : fmt::format("{:.{}f}", value, decimals);
}

json figure_json(double value) {
    if (std::isnan(value)) return nullptr;
    return std::isinf(value) ? json("+++++") : json(value);
}

json table_json(const published::PublishedTable& table) {
    json rows = json::array();
    for (const published::Row& row : table.rows) {
        json values = json::array();
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            values.push_back(figure_json(row.values[column]));
        rows.push_back({{"label", row.label}, {"values", values}});
    }
    json result{{"name", table.name},       {"tool", table.tool},       {"source", table.source},
                {"host", table.host},       {"published", table.place}, {"device", table.device},
                {"format", table.format},   {"unit", table.unit},       {"rows", rows},
                {"differs", table.differs}, {"columns", table.columns}};
    if (!table.scores.empty()) result["scores"] = {{"write", table.scores[0]}, {"read", table.scores[1]}};
    return result;
}

void print_table(const Console& console, const published::PublishedTable& table) {
    console.out << line_of(fmt::format("{}: {} on {}, {}", table.name, table.tool, table.device, table.format))
                << line_of(fmt::format("  source: {}", table.source))
                << line_of(fmt::format("  published: {}", table.place))
                << line_of(fmt::format("  host: {}; mind: {}", table.host, table.differs));
    std::vector<std::string> heading{table.unit};
    std::ranges::copy(table.columns, std::back_inserter(heading));
    TextTable text(heading);
    for (const published::Row& row : table.rows) {
        std::vector<std::string> cells{row.label};
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells.push_back(figure_text(row.values[column], table.decimals));
        text.add(cells);
    }
    console.out << text.text();
    if (!table.scores.empty())
        console.out << line_of(fmt::format("write score {:.0f}, read score {:.0f}", table.scores[0], table.scores[1]));
    console.out << '\n';
}

int list(const Console& console, const PublishedOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    json tables = json::array();
    TextTable text({"TABLE", "TOOL", "FORMAT"});
    for (const published::PublishedTable& table : published::all_tables()) {
        tables.push_back(table_json(table));
        text.add({table.name, table.tool, table.format});
    }
    return tell(console, options.facts, {{"mediarig_published", 1}, {"tables", tables}},
                [&] { console.out << text.text(console.columns); });
}

/// Returns the table with this name, or all tables whose names begin with it: "xbench" gives the four tables of Xbench.
std::vector<published::PublishedTable> tables_called(const std::string& name) {
    if (const published::PublishedTable* table = published::find_table(name)) return {*table};
    std::vector<published::PublishedTable> found;
    std::ranges::copy_if(published::all_tables(), std::back_inserter(found),
                         [&](const published::PublishedTable& table) { return table.name.starts_with(name + "-"); });
    return found;
}

/// Suggests the common prefixes first: a mistyped prefix seldom means one table.
std::string not_called(const std::string& name) {
    std::vector<std::string> names;
    for (const published::PublishedTable& table : published::all_tables())
        if (const std::string begin = table.name.substr(0, table.name.find('-')); tables_called(begin).size() > 1)
            names.push_back(begin);
    for (const published::PublishedTable& table : published::all_tables()) names.push_back(table.name);
    const std::string near = meant(name, names);
    return fmt::format("no published table is called '{}'{}", name,
                       near.empty() ? "; 'mediarig published' lists them all" : near);
}

int show(const Console& console, const PublishedOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    std::vector<published::PublishedTable> chosen;
    json tables = json::array();
    for (const std::string& name : options.tables) {
        const auto found = tables_called(name);
        if (found.empty()) return report(console, {Errc::bad_request, not_called(name)});
        std::ranges::copy(found, std::back_inserter(chosen));
        std::ranges::transform(found, std::back_inserter(tables), table_json);
    }
    return tell(console, options.facts, {{"mediarig_published", 1}, {"tables", tables}}, [&] {
        for (const published::PublishedTable& table : chosen) print_table(console, table);
    });
}

json checks_json(const std::vector<published::Check>& checks) {
    json list = json::array();
    for (const published::Check& check : checks)
        list.push_back({{"table", check.table},
                        {"what", check.what},
                        {"printed", check.printed},
                        {"least", check.least},
                        {"most", check.most},
                        {"fits", check.fits()}});
    return list;
}

json conclusions_json(const std::vector<published::ClaimCheck>& conclusions) {
    json list = json::array();
    for (const published::ClaimCheck& one : conclusions)
        list.push_back({{"claim", one.claim},
                        {"source", one.source},
                        {"said", one.said},
                        {"origin", one.origin},
                        {"rule", one.rule},
                        {"found", one.found}});
    return list;
}

json unchecked_json() {
    json list = json::array();
    for (const published::UncheckedFigures& one : published::unchecked())
        list.push_back({{"table", one.table}, {"what", one.what}, {"why", one.why}});
    return list;
}

void print_checks(const Console& console, const std::vector<published::Check>& checks) {
    std::size_t fit = 0;
    for (const published::Check& one : checks) {
        fit += one.fits() ? 1 : 0;
        if (!one.fits())
            console.out << line_of(fmt::format("{}: {} was printed as {}, but recomputes to {:.3f} to {:.3f}",
                                               one.table, one.what, one.printed, one.least, one.most));
    }
    console.out << line_of(fmt::format("{} of {} recomputed figures match the printed ones.", fit, checks.size()))
                << "\nCannot be recomputed:\n";
    for (const published::UncheckedFigures& one : published::unchecked())
        console.out << line_of(fmt::format("  {}, {}: {}", one.table, one.what, one.why));
}

void print_conclusions(const Console& console, const std::vector<published::ClaimCheck>& conclusions) {
    console.out << "\nConclusions, in our words, that do not follow from their own tables:\n";
    for (const published::ClaimCheck& one : conclusions) {
        console.out << line_of(one.claim) << line_of(fmt::format("  {}: {}", one.origin, one.source))
                    << line_of(fmt::format("  {}:", one.rule));
        for (const std::string& found : one.found) console.out << line_of("    " + found);
    }
}

/// A contradiction in a publication is a result of the check, not an error of the command.
int check(const Console& console, const PublishedOptions& options) {
    if (auto possible = check_json_file(options.facts); !possible) return report(console, possible.error());
    const auto checks = published::check_all();
    const auto conclusions = published::conclusions();
    const json found{{"mediarig_published", 1},
                     {"checks", checks_json(checks)},
                     {"not_recomputable", unchecked_json()},
                     {"conclusions", conclusions_json(conclusions)}};
    return tell(console, options.facts, found, [&] {
        print_checks(console, checks);
        print_conclusions(console, conclusions);
    });
}

} // namespace

void add_published_command(CLI::App& app, Console& console, Action& action) {
    const auto options = std::make_shared<PublishedOptions>();
    CLI::App* command =
        app.add_subcommand("published", "show published results of others and the conclusions from them");
    command->require_subcommand(0, 1);
    add_json_option(*command, options->facts);
    command->callback([&console, &action, options, command] {
        if (command->get_subcommands().empty()) action = [&console, options] { return list(console, *options); };
    });

    CLI::App* one = command->add_subcommand("show", "print tables");
    CLI::Option* const tables =
        one->add_option("TABLE", options->tables, "names of the list, or their beginnings: xbench")->required();
    std::vector<std::string> names;
    for (const published::PublishedTable& table : published::all_tables()) names.push_back(table.name);
    propose(*tables, names);
    add_json_option(*one, options->facts);
    one->callback([&console, &action, options] { action = [&console, options] { return show(console, *options); }; });

    CLI::App* all = command->add_subcommand("check", "recompute the published figures where possible");
    add_json_option(*all, options->facts);
    all->callback([&console, &action, options] { action = [&console, options] { return check(console, *options); }; });
}

} // namespace mediarig::cli
