// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/configuration.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "host/app/files/paths.hpp"
#include "host/app/files/text_file.hpp"
#include "host/cli/manual/mistakes.hpp"

namespace mediarig::cli {
namespace {

/// Returns the name without the program, e.g. "lab start".
std::string name_below(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    if (parent == nullptr) return {};
    const std::string before = name_below(*parent);
    return before.empty() ? command.get_name() : before + ' ' + command.get_name();
}

bool is_shown(const CLI::App& command) {
    return !command.get_name().empty() && !command.get_group().empty();
}

template <class Do>
void for_each_command(CLI::App& app, const Do& act) {
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        if (!is_shown(*command)) continue;
        act(*command);
        for_each_command(*command, act);
    }
}

/// Returns null if the command has no such option.
CLI::Option* option_of(CLI::App& command, const std::string& name) {
    return command.get_option_no_throw("--" + name);
}

std::string shown_value(const std::vector<std::string>& values) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
    return text;
}

/// Sets the value as if the user had typed it, except that it is not counted: a default excludes no other option.
void set_default(CLI::Option& option, const config::Setting& setting, const std::string& file) {
    try {
        option.clear();
        for (const std::string& value : setting.values) option.add_result(value);
        option.run_callback();
    } catch (const CLI::Error& wrong) {
        option.clear();
        throw CLI::ValidationError(fmt::format("{}: {}: {}", file, setting.place, wrong.what()));
    }
    option.clear();
    option.required(false);
    option.default_str(shown_value(setting.values));
}

bool is_set_by_environment(const CLI::Option& option) {
    const std::string variable = variable_of(option);
    const char* const value =
        variable.empty() ? nullptr
                         : std::getenv(variable.c_str()); // NOLINT(concurrency-mt-unsafe): before any thread exists
    return value != nullptr && *value != '\0';
}

void apply(CLI::App& command, const Configuration& configuration) {
    const std::string name = name_below(command);
    for (const ConfigFile& file : configuration)
        for (const config::Setting& setting : file.settings) {
            if (!setting.command.empty() && setting.command != name) continue;
            CLI::Option* const option = option_of(command, setting.option);
            if (option != nullptr && option->get_configurable() && !is_set_by_environment(*option))
                set_default(*option, setting, file.path);
        }
}

Result<ConfigFile> read_file(const std::string& path, const std::vector<config::KnownCommand>& known) {
    const auto text = app::read_text(path);
    if (!text) return fail(text.error());
    auto settings = config::parse_config(*text, known);
    if (!settings) return fail(Errc::bad_request, fmt::format("{}: {}", path, settings.error().lines.front()));
    return ConfigFile{.path = path, .read = true, .settings = std::move(*settings)};
}

} // namespace

std::string variable_of(const CLI::Option& option) {
    return option.check_lname("store") ? "MEDIARIG_STORE" : option.get_envname();
}

std::string config_file_in(int argc, const char* const* argv) {
    constexpr std::string_view option = "--config";
    for (int i = 1; i < argc && argv[i][0] == '-'; ++i) {
        const std::string_view word = argv[i];
        if (word == option) return i + 1 < argc ? argv[i + 1] : "";
        if (word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=')
            return std::string(word.substr(option.size() + 1));
    }
    return {};
}

std::vector<config::KnownCommand> known_commands(const CLI::App& app) {
    std::vector<config::KnownCommand> known;
    // CLI11 lists mutable options only of a mutable app.
    for_each_command(const_cast<CLI::App&>(app), [&](CLI::App& command) {
        config::KnownCommand& one = known.emplace_back();
        one.name = name_below(command);
        for (const CLI::Option* option : command.get_options())
            for (const std::string& name : option->get_lnames())
                one.options.push_back({.name = name,
                                       .may_default = option->get_configurable(),
                                       .is_path = option->get_type_name() == "FILE",
                                       .is_text = option->get_type_name() == "LABEL"});
    });
    return known;
}

Result<Configuration> read_configuration(const CLI::App& app, const std::string& named) {
    const std::vector<config::KnownCommand> known = known_commands(app);
    Configuration configuration;
    if (!named.empty()) {
        auto file = read_file(named, known);
        if (!file) return fail(file.error());
        configuration.push_back(std::move(*file));
        return configuration;
    }
    for (const std::filesystem::path& path : app::config_files()) {
        std::error_code unknown;
        // A file named by $MEDIARIG_CONFIG must exist.
        if (!app::is_config_file_named() && !std::filesystem::exists(path, unknown)) {
            configuration.push_back({.path = path, .read = false, .settings = {}});
            continue;
        }
        auto file = read_file(path, known);
        if (!file) return fail(file.error());
        configuration.push_back(std::move(*file));
    }
    return configuration;
}

void apply_when_chosen(CLI::App& app, std::shared_ptr<const Configuration> configuration) {
    for_each_command(app, [&](CLI::App& command) {
        command.preparse_callback([&command, configuration](std::size_t) { apply(command, *configuration); });
    });
}

Result<void> try_all(CLI::App& app, const Configuration& configuration) {
    try {
        for_each_command(app, [&](CLI::App& command) { apply(command, configuration); });
    } catch (const CLI::Error& wrong) {
        return fail(Errc::bad_request, reworded(wrong.what()));
    }
    return {};
}

} // namespace mediarig::cli
