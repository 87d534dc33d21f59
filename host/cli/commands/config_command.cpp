// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "host/cli/command.hpp"
#include "host/cli/facts.hpp"
#include "host/cli/manual/configuration.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

/// An effective default and its source.
struct EffectiveDefault {
    std::string command; ///< empty: all commands
    std::string option;
    std::vector<std::string> values;
    std::string from; ///< a file, or "$VARIABLE"
};

bool same_option(const EffectiveDefault& one, const std::string& command, const std::string& option) {
    return one.command == command && one.option == option;
}

/// Later files override earlier files. The environment overrides files, both their general settings and their settings
/// for one command.
std::vector<EffectiveDefault> in_force(const CLI::App& app, const Configuration& configuration) {
    std::vector<EffectiveDefault> found;
    for (const ConfigFile& file : configuration)
        for (const config::Setting& setting : file.settings) {
            std::erase_if(
                found, [&](const EffectiveDefault& one) { return same_option(one, setting.command, setting.option); });
            found.push_back({setting.command, setting.option, setting.values, file.path});
        }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        for (const CLI::Option* option : command->get_options()) {
            const std::string variable = variable_of(*option);
            if (variable.empty() || option->get_lnames().empty()) continue;
            const char* const value = std::getenv(variable.c_str()); // NOLINT(concurrency-mt-unsafe): no thread yet
            if (value == nullptr || *value == '\0') continue;
            const std::string name = option->get_lnames().front();
            std::erase_if(found, [&](const EffectiveDefault& one) { return one.option == name; });
            found.push_back({"", name, {value}, "$" + variable});
        }
    return found;
}

nlohmann::json json_of(const Configuration& configuration, const std::vector<EffectiveDefault>& defaults) {
    nlohmann::json files = nlohmann::json::array(), list = nlohmann::json::array();
    for (const ConfigFile& file : configuration) files.push_back({{"path", file.path}, {"read", file.read}});
    for (const EffectiveDefault& one : defaults) {
        list.push_back({{"option", one.option}, {"values", one.values}, {"from", one.from}});
        list.back()["command"] = one.command.empty() ? nlohmann::json() : nlohmann::json(one.command);
    }
    return {{"mediarig_config_in_force", 1}, {"files", files}, {"defaults", list}};
}

void print(const Console& console, const Configuration& configuration, const std::vector<EffectiveDefault>& defaults) {
    for (const ConfigFile& file : configuration)
        console.out << line_of(fmt::format("{}: {}", file.path, file.read ? "read" : "not found"));
    console.out << '\n';
    if (defaults.empty()) {
        console.out << "No defaults are set: each option has the value that 'mediarig help' shows.\n";
        return;
    }
    TextTable table({"COMMAND", "OPTION", "VALUE", "FROM"});
    for (const EffectiveDefault& one : defaults) {
        std::string values;
        for (const std::string& value : one.values) values += (values.empty() ? "" : ", ") + value;
        table.add({one.command.empty() ? "(all)" : one.command, "--" + one.option, values, one.from});
    }
    console.out << table.text(console.columns);
}

int show(const Console& console, CLI::App& app, const Configuration& configuration, const Facts& facts) {
    if (auto possible = check_json_file(facts); !possible) return report(console, possible.error());
    if (auto fits = try_all(app, configuration); !fits) return report(console, fits.error());
    const std::vector<EffectiveDefault> defaults = in_force(app, configuration);
    return tell(console, facts, json_of(configuration, defaults), [&] { print(console, configuration, defaults); });
}

} // namespace

void add_config_command(CLI::App& app, Console& console, Action& action,
                        const std::shared_ptr<Configuration>& configuration) {
    auto facts = std::make_shared<Facts>();
    CLI::App* command =
        app.add_subcommand("config", "show the active defaults of options, and the file that set each default");
    add_json_option(*command, *facts);
    command->callback([&app, &console, &action, configuration, facts] {
        action = [&app, &console, configuration, facts] { return show(console, app, *configuration, *facts); };
    });
}

} // namespace mediarig::cli
