// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/mistakes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/json/reader.hpp"
#include "host/base/json/suggest.hpp"
#include "host/base/shell_word.hpp"
#include "host/base/text.hpp"
#include "host/cli/manual/manual.hpp"

namespace mediarig::cli {
namespace {

using strict_json::excerpt;

std::string path_of(const CLI::App& command) {
    const CLI::App* parent = command.get_parent();
    return parent == nullptr ? command.get_name() : path_of(*parent) + ' ' + command.get_name();
}

std::vector<std::string> options_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::Option* option : app.get_options())
        if (!option->get_group().empty())
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    return names;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> words;
    std::istringstream text(list);
    for (std::string word; std::getline(text, word, ',');) words.push_back(word);
    return words;
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.-") == std::string::npos;
}

/// ": pocket N, or bin NAME", as in the help; empty if the option does not exist.
std::string described(const CLI::App& command, const std::string& option) {
    const CLI::Option* const found = command.get_option_no_throw(option);
    return found == nullptr || found->get_description().empty() ? std::string() : ": " + found->get_description();
}

using Arguments = std::span<const std::string>;

/// CLI11 reports PORT and --port as the option; return the form that was typed.
std::string named(const std::string& word, const CLI::App& command, Arguments typed) {
    const CLI::Option* const option = command.get_option_no_throw(word);
    const bool by_name = std::ranges::any_of(
        typed, [&](const std::string& each) { return each == word || each.starts_with(word + '='); });
    return option == nullptr || !option->get_positional() || by_name ? word : argument_name(*option);
}

/// The first word that the parser did not understand; empty if all were understood.
std::string not_understood(const CLI::App& app) {
    const std::vector<std::string> left = app.remaining(true);
    return left.empty() ? std::string() : left.front();
}

/// Hint for an option with an optional file that was given without "=".
std::string file_hint(const CLI::App& command, const std::string& word) {
    for (const CLI::Option* option : command.get_options())
        if (!option->get_lnames().empty() && option->count() > 0 && manual_of(*option).value_optional)
            return fmt::format("; a file follows '=': --{}={}", option->get_lnames().front(), shell_word(word));
    return {};
}

/// Common synonyms of commands, in addition to names of similar spelling.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"check", "verify"}, {"test", "verify"},     {"genuine", "verify"}, {"fake", "verify"},
    {"probe", "verify"}, {"benchmark", "bench"}, {"speed", "bench"},    {"list", "devices"},
};

/// The first command after `option` on the command line that has this option, together with the option as typed: "bench
/// … --agent lab" for "--agent lab bench x". Empty without such a command.
std::string stands_behind(const CLI::App& app, const CLI::App& command, const std::string& option, Arguments typed) {
    const std::vector<std::string> commands = commands_of(app);
    const auto is_command = [&](const std::string& word) {
        return std::ranges::find(commands, word) != commands.end();
    };
    const std::string name = option.substr(0, option.find('='));
    const auto has = [&](const CLI::App& asked) {
        const auto own = options_of(asked);
        return std::ranges::find(own, name) != own.end();
    };
    const auto place = std::ranges::find(typed, option);
    if (place == typed.end() || std::any_of(typed.begin(), place, is_command)) return {};
    const auto at = std::find_if(place + 1, typed.end(), [&](const std::string& word) {
        return is_command(word) && (has(command) || has(*app.get_subcommand(word)));
    });
    if (at == typed.end()) return {};
    const std::string path = has(command) ? path_of(command).substr(app.get_name().size() + 1) : *at;
    const std::string value = name == option && at != place + 1 ? " " + shell_word(*(place + 1)) : "";
    return fmt::format("{} … {}{}", path, option, value);
}

/// Hint for a bare word that is a valid value of an option.
std::string value_hint(const CLI::App& command, Arguments typed) {
    const auto begin = std::ranges::find(typed, command.get_name());
    for (const CLI::Option* option : command.get_options()) {
        const ManualOption shown = manual_of(*option);
        if (option->get_lnames().empty() || option->count() > 0) continue;
        const auto is_taken = [&](const std::string& word) {
            return std::ranges::find(shown.choices, word) != shown.choices.end() ||
                   std::ranges::find(shown.proposed, word) != shown.proposed.end();
        };
        if (const auto word = std::find_if(begin, typed.end(), is_taken); word != typed.end() && word != begin)
            return fmt::format("; use --{} {}", option->get_lnames().front(), *word);
    }
    return {};
}

/// Hint for two campaigns given where one is expected.
std::string campaigns_hint(const CLI::App& command, const std::string& word, Arguments typed) {
    const auto is_campaign = [](const std::string& text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
    };
    const auto place = std::ranges::find(typed, word);
    const bool shows =
        command.get_name() == "results" || command.get_name() == "report" || command.get_name() == "compare";
    if (!shows || place == typed.begin() || place == typed.end() || !is_campaign(word) || !is_campaign(*(place - 1)))
        return {};
    return fmt::format("; two campaigns are compared by: mediarig compare --media {},{}", *(place - 1), word);
}

using Text = std::string_view;

/// Long enough for most paths; a terminal shows the line in a few rows.
constexpr std::size_t longest_shown_path = 400;

std::optional<Text> behind(Text line, Text beginning) {
    if (!line.starts_with(beginning)) return std::nullopt;
    return line.substr(beginning.size());
}

std::optional<Text> before(Text line, Text end) {
    if (!line.ends_with(end)) return std::nullopt;
    return line.substr(0, line.size() - end.size());
}

std::optional<std::pair<Text, Text>> cut(Text line, Text at) {
    const std::size_t place = line.find(at);
    if (place == Text::npos) return std::nullopt;
    return std::pair(line.substr(0, place), line.substr(place + at.size()));
}

bool is_one_word(Text text) {
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == Text::npos;
}

/// The parser's "--size: Value 0 not in range", where the subject may follow a place in a configuration file:
/// "config.json: /lab/size: --size: …".
std::optional<std::pair<Text, Text>> subject_and_rest(Text line) {
    constexpr Text colon = ": ";
    if (const auto parts = cut(line, colon); parts && is_one_word(parts->first)) return parts;
    for (std::size_t at = line.find("--"); at != Text::npos; at = line.find("--", at + 1)) {
        const auto parts = cut(line.substr(at), colon);
        if (parts && is_one_word(parts->first))
            return std::pair(line.substr(0, at + parts->first.size()), parts->second);
    }
    return std::nullopt;
}

/// "[1 - 255]" and "1 to 255", as versions of the parser write it.
std::string range_text(Text range) {
    if (range.starts_with('[') && range.ends_with(']')) range = range.substr(1, range.size() - 2);
    const auto parts = cut(range, " - ");
    return parts ? fmt::format("{} to {}", parts->first, parts->second) : std::string(range);
}

/// The command that was asked for, as far as the words were understood: "mediarig lab plug" ends at "plug".
const CLI::App& deepest_command(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app : deepest_command(*chosen.front());
}

} // namespace

std::string meant(const std::string& word, const std::vector<std::string>& known, const std::string& before) {
    const std::vector<std::string_view> words(known.begin(), known.end());
    const auto other =
        std::ranges::find(other_words, std::string_view(word), [](const auto& each) { return each.first; });
    const bool known_otherwise =
        other != std::end(other_words) && std::ranges::find(words, other->second) != words.end();
    const auto near = known_otherwise ? other->second : strict_json::nearest(word, words);
    return near.empty() ? std::string() : fmt::format("; did you mean '{}{}'?", before, near);
}

std::vector<std::string> commands_of(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        if (!command->get_group().empty() && !command->get_name().empty()) names.push_back(command->get_name());
    return names;
}

std::string reworded(const std::string& line, const CLI::App& command, Arguments typed) {
    const auto who = [&](std::string_view word) { return named(std::string(word), command, typed); };
    const auto need = [&](std::string_view word) { return described(command, std::string(word)); };
    if (const auto word = before(line, " is required"); word && is_one_word(*word)) {
        const CLI::Option* const option = command.get_option_no_throw(std::string(*word));
        return who(*word) + " is required" + (option != nullptr && option->get_positional() ? need(*word) : "");
    }
    if (const auto list = behind(line, "Exactly 1 option from [")) {
        const std::string_view names = list->substr(0, list->find(']'));
        return fmt::format("give exactly one of {}", names);
    }
    if (const auto rest = behind(line, "Could not convert: "))
        if (const auto parts = cut(*rest, " = "))
            return fmt::format("{}: '{}' is not a number", who(parts->first), excerpt(parts->second));
    if (const auto parts = cut(line, " excludes "); parts && is_one_word(parts->first))
        return fmt::format("{} and {} exclude each other: leave one of them out", parts->first, parts->second);
    const auto said = subject_and_rest(line);
    if (!said) return line;
    const auto& [subject, rest] = *said;
    if (const auto parts = cut(rest, " not in {"); parts && parts->second.ends_with('}')) {
        const std::vector<std::string> known = split(std::string(parts->second.substr(0, parts->second.size() - 1)));
        const std::string near = meant(std::string(parts->first), known);
        std::string all;
        for (const std::string& each : known) all += (all.empty() ? "" : ", ") + each;
        return fmt::format("{}: '{}' is not a choice{}", who(subject), excerpt(parts->first),
                           near.empty() ? "; it is one of " + all : near);
    }
    if (const auto value = behind(rest, "Value "))
        if (const auto parts = cut(*value, " not in range "))
            return fmt::format("{}: {}; it is {}", who(subject),
                               is_number(std::string(parts->first))
                                   ? std::string(excerpt(parts->first)) + " is out of range"
                                   : fmt::format("'{}' is not a number", excerpt(parts->first)),
                               range_text(parts->second));
    if (const auto file = behind(rest, "File does not exist: "))
        return fmt::format("{}: {} does not exist; check the name", who(subject), excerpt(*file, longest_shown_path));
    if (const auto count = behind(rest, "At least "))
        return fmt::format("{} needs {} values{}", who(subject), count->substr(0, count->find(' ')), need(subject));
    if (const auto count = behind(rest, "At Most 1 required but received "))
        return fmt::format("{} is named once, and {} are given{}", who(subject), *count,
                           command.get_option_no_throw("--output") == nullptr ? "" : "; the file to write follows -o");
    if (rest == "needs a value" || rest.ends_with(" missing")) return fmt::format("{} needs a value", who(subject));
    return line;
}

std::string explain(const CLI::App& app, const CLI::ParseError& what, Arguments typed) {
    const CLI::App& command = deepest_command(app);
    const std::string path = path_of(command);
    // The message already begins with the name of the program.
    const std::string shown = &command == &app ? path : path.substr(app.get_name().size() + 1);
    const std::string word = excerpt(not_understood(app), longest_shown_path);
    const std::vector<std::string> commands = commands_of(command);
    std::string line = first_line(what.what());
    if (word.starts_with("--")) {
        const std::string name = word.substr(0, word.find('='));
        const auto global = options_of(app);
        const bool misplaced = &command != &app && std::find(global.begin(), global.end(), name) != global.end();
        const std::string near = meant(name, options_of(command)), near_global = meant(name, global);
        if (const std::string behind = stands_behind(app, command, word, typed); !behind.empty())
            line = fmt::format("{} goes after the command: mediarig {}", name, behind);
        else if (misplaced)
            line = fmt::format("{} has no option {}: it goes before the command, as in 'mediarig {} …'", shown, name,
                               name);
        else if (near.empty() && !near_global.empty())
            line = fmt::format("{} has no option {}{}", app.get_name(), name, near_global);
        else
            line = fmt::format("{} has no option {}{}", shown, name, near);
    } else if (!word.empty() && !word.starts_with('-') && !commands.empty()) {
        line = fmt::format("there is no command '{}'{}", &command == &app ? word : shown + ' ' + word,
                           meant(word, commands));
    } else if (!word.empty()) {
        line = word.starts_with('-') ? fmt::format("{} has no option {}", shown, word)
                                     : fmt::format("{} takes no further argument, and '{}' is one{}{}{}", shown, word,
                                                   file_hint(command, word), value_hint(command, typed),
                                                   campaigns_hint(command, word, typed));
    } else if (!commands.empty() && line.ends_with("subcommand is required")) {
        line = shown + " needs a command";
        if (&command != &app) {
            std::string all;
            for (const std::string& each : commands) all += (all.empty() ? ": " : ", ") + each;
            line += all;
        }
    } else {
        line = reworded(line, command, typed);
    }
    return fmt::format("{} (see {} --help)", line, path);
}

} // namespace mediarig::cli
