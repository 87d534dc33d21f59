// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/mistakes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
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

/// Hint for an option with an optional file that was given without "=".
std::string file_hint(const CLI::App& command, const std::string& word) {
    for (const CLI::Option* option : command.get_options())
        if (!option->get_lnames().empty() && option->count() > 0 && manual_of(*option).value_optional)
            return fmt::format("; a file follows '=': --{}={}", option->get_lnames().front(), shell_word(word));
    return {};
}

/// Common synonyms of commands, in addition to names of similar spelling.
constexpr std::pair<std::string_view, std::string_view> other_words[] = {
    {"test", "verify"},     {"genuine", "verify"}, {"fake", "verify"},  {"probe", "verify"},
    {"benchmark", "bench"}, {"speed", "bench"},    {"list", "devices"}, {"restore", "check"},
};

using Text = std::string_view;

/// Long enough for most paths; on a terminal the line then takes only a few rows.
constexpr std::size_t longest_shown_path = 400;

std::optional<std::pair<Text, Text>> cut(Text line, Text at) {
    const std::size_t place = line.find(at);
    if (place == Text::npos) return std::nullopt;
    return std::pair(line.substr(0, place), line.substr(place + at.size()));
}

/// Returns the requested command, as far as the words were recognised: "plug" for "mediarig lab plug".
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

std::string reworded(const std::string& line) {
    if (line.starts_with("Could not convert: "))
        if (const auto parts = cut(Text(line).substr(line.find(": ") + 2), " = "))
            return fmt::format("{}: '{}' is not a number", parts->first, excerpt(parts->second));
    // E.g. "--size: Value 0 not in range [1 - 64]"; the message about a setting begins with its place: "config.json:
    // /lab/size: --size: …".
    const std::size_t colon = line.find(": ", line.find("--") == line.npos ? 0 : line.find("--"));
    if (colon == line.npos) return line;
    const Text subject = Text(line).substr(0, colon), rest = Text(line).substr(colon + 2);
    if (const auto parts = cut(rest, " not in {"); parts && parts->second.ends_with('}')) {
        const std::vector<std::string> known = split(std::string(parts->second.substr(0, parts->second.size() - 1)));
        const std::string near = meant(std::string(parts->first), known);
        return fmt::format("{}: '{}' is not a choice{}", subject, excerpt(parts->first),
                           near.empty() ? fmt::format("; choose one of {}", fmt::join(known, ", ")) : near);
    }
    if (const auto parts = cut(rest, " not in range "); parts && rest.starts_with("Value ")) {
        const Text value = parts->first.substr(Text("Value ").size());
        Text range = parts->second;
        if (range.starts_with('[')) range = range.substr(1, range.size() - 2); // some versions of CLI11 write brackets
        const auto limits = cut(range, " - ");
        const bool number = value.find_first_not_of("0123456789.-") == Text::npos && !value.empty();
        return fmt::format("{}: {}; the range is {}", subject,
                           number ? fmt::format("{} is out of range", excerpt(value))
                                  : fmt::format("'{}' is not a number", excerpt(value)),
                           limits ? fmt::format("{} to {}", limits->first, limits->second) : std::string(range));
    }
    if (rest == "needs a value" || rest.ends_with(" missing")) return fmt::format("{} needs a value", subject);
    return line;
}

std::string explain(const CLI::App& app, const CLI::ParseError& what) {
    const CLI::App& command = deepest_command(app);
    const std::string path = path_of(command);
    // The message already begins with the name of the program.
    const std::string shown = &command == &app ? path : path.substr(app.get_name().size() + 1);
    const std::vector<std::string> unknown = app.remaining(true);
    const std::string word = unknown.empty() ? std::string() : excerpt(unknown.front(), longest_shown_path);
    const std::vector<std::string> commands = commands_of(command);
    std::string line = first_line(what.what());
    if (word.starts_with('-')) {
        const std::string name = word.substr(0, word.find('='));
        std::vector<std::string> known = options_of(command);
        std::ranges::copy(options_of(app), std::back_inserter(known));
        if (command.get_option_no_throw(name) != nullptr)
            line = fmt::format("{} goes after the command: {} … {}", name, path, name);
        else if (app.get_option_no_throw(name) != nullptr)
            line = fmt::format("{} has no option {}: it goes before the command, as in 'mediarig {} …'", shown, name,
                               name);
        else
            line = fmt::format("{} has no option {}{}", shown, name, meant(name, known));
    } else if (!word.empty() && !commands.empty()) {
        line = fmt::format("there is no command '{}'{}", &command == &app ? word : shown + ' ' + word,
                           meant(word, commands));
    } else if (!word.empty()) {
        line = fmt::format("{} takes no further argument, and '{}' is one{}", shown, word, file_hint(command, word));
    } else if (!commands.empty() && line.ends_with("subcommand is required")) {
        line = shown + " needs a command";
        if (&command != &app) line += fmt::format(": {}", fmt::join(commands, ", "));
    } else {
        line = reworded(line);
    }
    return fmt::format("{} (see {} --help)", line, path);
}

} // namespace mediarig::cli
