// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/text.hpp"
#include "host/published/checks.hpp"
#include "host/published/conclusions.hpp"

namespace mediarig::cli {
namespace {

using nlohmann::json;

struct PublishedOptions {
    std::vector<std::string> tables;
    bool json{};
};

std::string figure_text(double value, int decimals) {
    if (std::isnan(value)) return "-";
    return std::isinf(value) ? "+++++" : fmt::format("{:.{}f}", value, decimals);
}

json figure_json(double value) {
    if (std::isnan(value)) return nullptr;
    return std::isinf(value) ? json("+++++") : json(value);
}

json table_json(const published::Table& table) {
    json rows = json::array();
    for (const published::Row& row : table.rows) {
        json values = json::array();
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            values.push_back(figure_json(row.values[column]));
        rows.push_back({{"label", row.label}, {"values", values}});
    }
    json result{{"name", table.name},       {"tool", table.tool},      {"source", table.source}, {"host", table.host},
                {"device", table.device},   {"format", table.format},  {"unit", table.unit},     {"rows", rows},
                {"differs", table.differs}, {"columns", table.columns}};
    if (table.scores[0] > 0) result["scores"] = {{"write", table.scores[0]}, {"read", table.scores[1]}};
    return result;
}

void print_table(const Console& console, const published::Table& table) {
    console.out << line_of(fmt::format("{}: {} on {}, {}", table.name, table.tool, table.device, table.format))
                << line_of(fmt::format("  source: {}", table.source))
                << line_of(fmt::format("  host: {}; mind: {}", table.host, table.differs));
    std::vector<std::string> heading{std::string(table.unit)};
    for (const std::string_view column : table.columns) heading.emplace_back(column);
    Table text(heading);
    for (const published::Row& row : table.rows) {
        std::vector<std::string> cells{std::string(row.label)};
        for (std::size_t column = 0; column < table.columns.size(); ++column)
            cells.push_back(figure_text(row.values[column], table.decimals));
        text.add(cells);
    }
    console.out << text.text();
    if (table.scores[0] > 0)
        console.out << line_of(fmt::format("write score {:.0f}, read score {:.0f}", table.scores[0], table.scores[1]));
    console.out << '\n';
}

int list(const Console& console, const PublishedOptions& options) {
    json tables = json::array();
    Table text({"TABLE", "TOOL", "FORMAT"});
    for (const published::Table* table : published::all_tables()) {
        tables.push_back(table_json(*table));
        text.add({std::string(table->name), std::string(table->tool), std::string(table->format)});
    }
    if (options.json)
        print_json(console, {{"mediarig_published", 1}, {"tables", tables}});
    else
        console.out << text.text();
    return 0;
}

int show(const Console& console, const PublishedOptions& options) {
    json tables = json::array();
    std::vector<const published::Table*> chosen;
    for (const std::string& name : options.tables) {
        const published::Table* table = published::find_table(name);
        if (table == nullptr)
            return report(console,
                          {Errc::bad_request, fmt::format("no published table is called \"{}\"; list them with "
                                                          "mediarig published",
                                                          name)});
        chosen.push_back(table);
    }
    for (const published::Table* table : chosen) {
        if (options.json)
            tables.push_back(table_json(*table));
        else
            print_table(console, *table);
    }
    if (options.json) print_json(console, {{"mediarig_published", 1}, {"tables", tables}});
    return 0;
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

/// Finding that a publication contradicts itself is what was asked for: no failure of the command.
int check(const Console& console, const PublishedOptions& options) {
    const auto checks = published::check_all();
    const auto conclusions = published::conclusions();
    if (options.json) {
        json reasons = json::array(), claims = json::array();
        for (const published::Unchecked& one : published::unchecked())
            reasons.push_back({{"table", one.table}, {"what", one.what}, {"why", one.why}});
        for (const published::Conclusion& one : conclusions)
            claims.push_back({{"claim", one.claim}, {"source", one.source}, {"rule", one.rule}, {"found", one.found}});
        print_json(console, {{"mediarig_published", 1},
                             {"checks", checks_json(checks)},
                             {"not_recomputable", reasons},
                             {"conclusions", claims}});
        return 0;
    }
    std::size_t fit = 0;
    for (const published::Check& one : checks) {
        fit += one.fits() ? 1 : 0;
        if (!one.fits())
            console.out << line_of(fmt::format("{}: {} was printed as {}, and follows as {:.3f} to {:.3f}", one.table,
                                               one.what, one.printed, one.least, one.most));
    }
    console.out << line_of(fmt::format("{} of {} recomputed figures fit what was printed.", fit, checks.size()));
    console.out << "\nCannot be recomputed:\n";
    for (const published::Unchecked& one : published::unchecked())
        console.out << line_of(fmt::format("  {}, {}: {}", one.table, one.what, one.why));
    console.out << "\nConclusions that do not follow from their own tables:\n";
    for (const published::Conclusion& one : conclusions) {
        console.out << line_of(fmt::format("\"{}\"", one.claim)) << line_of(fmt::format("  source: {}", one.source))
                    << line_of(fmt::format("  {}:", one.rule));
        for (const std::string& found : one.found) console.out << line_of("    " + found);
    }
    return 0;
}

} // namespace

void add_published_command(CLI::App& app, Console& console, Action& action) {
    const auto options = std::make_shared<PublishedOptions>();
    CLI::App* command =
        app.add_subcommand("published", "Results that others have published, and what follows from them");
    command->require_subcommand(0, 1);
    const auto with_json = [&](CLI::App& of) { of.add_flag("--json", options->json, "Print JSON"); };
    with_json(*command);
    command->callback([&console, &action, options, command] {
        if (command->get_subcommands().empty()) action = [&console, options] { return list(console, *options); };
    });

    CLI::App* one = command->add_subcommand("show", "Print tables");
    one->add_option("TABLE", options->tables, "Names of the list")->required();
    with_json(*one);
    one->callback([&console, &action, options] { action = [&console, options] { return show(console, *options); }; });

    CLI::App* all = command->add_subcommand("check", "Recompute what can be recomputed");
    with_json(*all);
    all->callback([&console, &action, options] { action = [&console, options] { return check(console, *options); }; });
}

} // namespace mediarig::cli
