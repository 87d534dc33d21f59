// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "host/base/text_layout.hpp"
#include "host/cli/manual/conventions.hpp"
#include "host/cli/manual/manual.hpp"

namespace mediarig::cli {
namespace {

constexpr std::size_t left_column = 30;
/// Limit in columns; a longer list of choices is moved to the explanation.
constexpr std::size_t longest_choices = 26;

std::string choices_of(const ManualOption& option) {
    return fmt::format("{}", fmt::join(option.choices, "|"));
}

bool shows_choices(const ManualOption& option) {
    return !option.choices.empty() && choices_of(option).size() <= longest_choices;
}

/// "-o, --output FILE", "--json[=FILE]", "--engine psync|uring"
std::string name_of(const ManualOption& option, bool many) {
    std::string words = fmt::format("{}", fmt::join(option.names, ", "));
    if (option.value.empty()) return words;
    const std::string value = shows_choices(option) ? choices_of(option) : option.value;
    return option.value_optional ? words + "[=" + value + "]" : words + ' ' + value + (many ? " ..." : "");
}

/// Options that exclude this option. An option that excludes many other options lists them itself; the other options do
/// not repeat it.
std::set<CLI::Option*> given_excludes(const CLI::Option& option) {
    constexpr std::size_t many = 4;
    std::set<CLI::Option*> told = option.get_excludes();
    std::erase_if(told, [&](const CLI::Option* other) {
        return other->get_excludes().size() > std::max(many, option.get_excludes().size());
    });
    return told;
}

std::string names_of(const std::set<CLI::Option*>& options) {
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const CLI::Option* each : options) names.push_back(each->get_name());
    std::ranges::sort(names);
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string explained(const CLI::Option& option, const ManualOption& shown) {
    std::string text = option.get_description();
    if (!shown.choices.empty() && !shows_choices(shown))
        text += fmt::format(": one of {}", fmt::join(shown.choices, ", "));
    std::string more;
    const auto add = [&](const std::string& what) { more += (more.empty() ? "" : "; ") + what; };
    if (option.get_required()) add("required");
    if (const std::string value = option.get_default_str(); !value.empty()) add("default: " + value);
    if (!option.get_envname().empty()) add("environment: " + option.get_envname());
    if (!option.get_needs().empty()) add("with " + names_of(option.get_needs()));
    if (const auto others = given_excludes(option); !others.empty()) add("not with " + names_of(others));
    return more.empty() ? text : fmt::format("{} ({})", text, more);
}

/// Writes the explanation next to the name, or below a name that is too long.
std::string entry(const std::string& name, const std::string& text, std::size_t width) {
    std::string left = "  " + name;
    if (text.empty()) return left + '\n';
    const std::string indent(left_column, ' ');
    const std::size_t used = display_width(left);
    left += used + 2 > left_column ? '\n' + indent : std::string(left_column - used, ' ');
    const std::size_t columns = std::max(width, left_column + 20);
    return left + wrapped(text, columns, indent, indent).substr(left_column) + '\n';
}

std::string list_of(std::span<const GlossaryEntry> entries, std::size_t width) {
    std::string list;
    for (const GlossaryEntry& each : entries) list += entry(std::string(each.word), std::string(each.text), width);
    return list;
}

} // namespace

std::string HelpText::make_option(const CLI::Option* option, bool is_positional) const {
    const ManualOption shown = manual_of(*option);
    const bool many = option->get_items_expected_max() > 1;
    const std::string name = is_positional ? argument_name(*option) + (many ? " ..." : "") : name_of(shown, many);
    return entry(name, explained(*option, shown), width_);
}

std::string HelpText::make_subcommand(const CLI::App* command) const {
    return entry(command->get_display_name(true), command->get_description(), width_);
}

std::string HelpText::make_description(const CLI::App* app) const {
    const std::string text = app->get_description();
    return text.empty() ? text : paragraph(text, width_);
}

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const {
    if (mode != CLI::AppFormatMode::All) return Formatter::make_help(app, std::move(name), mode);
    std::string text = make_description(app) + make_usage(app, name) + make_groups(app, mode) + "\n*Commands*\n";
    for (const ManualCommand& command : manual_of(*app)) {
        if (command.app == app) continue;
        const std::string usage = make_usage(command.app, command.path);
        // "Usage: mediarig …" becomes the heading "mediarig …:", because help2man expects this form.
        text += '\n' + usage.substr(usage.find(' ') + 1);
        text.back() = ':';
        text += '\n' + paragraph(command.app->get_description(), width_, 2) + '\n';
        for (const CLI::Option* argument : command.arguments) text += make_option(argument, true);
        for (const CLI::Option* option : command.options)
            if (!option->check_lname("help")) text += make_option(option, false);
    }
    return text + "\n*Exit status*\n" + list_of(exit_statuses(), width_) + "\nEnvironment:\n" +
           list_of(environment_variables(), width_) + "\nExamples:\n" + list_of(examples(), width_);
}

} // namespace mediarig::cli
