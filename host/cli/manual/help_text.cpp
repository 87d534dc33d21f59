// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/help_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "host/base/text.hpp"
#include "host/cli/manual/manual.hpp"
#include "host/cli/text/text.hpp"

namespace mediarig::cli {
namespace {

constexpr std::size_t left_column = 30;
/// In columns; a longer list of choices moves to the explanation.
constexpr std::size_t longest_choices = 26;

std::string choices_of(const ManualOption& option) {
    return fmt::format("{}", fmt::join(option.choices, "|"));
}

bool shows_choices(const ManualOption& option) {
    return !option.choices.empty() && choices_of(option).size() <= longest_choices;
}

/// "-o, --output FILE", "--json[=FILE]", "--engine psync|uring"
std::string name_of(const ManualOption& option) {
    std::string words = fmt::format("{}", fmt::join(option.names, ", "));
    if (option.value.empty()) return words;
    const std::string value = shows_choices(option) ? choices_of(option) : option.value;
    return option.value_optional ? words + "[=" + value + "]" : words + ' ' + value + (option.many ? " ..." : "");
}

/// Options that exclude this one. An option that excludes many others lists them itself; the others do not repeat it.
std::set<CLI::Option*> told_excludes(const CLI::Option& option) {
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
    std::string text = shown.text;
    if (!shown.choices.empty() && !shows_choices(shown))
        text += fmt::format(": one of {}", fmt::join(shown.choices, ", "));
    std::string more;
    const auto add = [&](const std::string& what) { more += (more.empty() ? "" : "; ") + what; };
    if (shown.required) add("required");
    if (!option.get_default_str().empty()) add("default: " + option.get_default_str());
    if (!option.get_envname().empty()) add("environment: " + option.get_envname());
    if (!option.get_needs().empty()) add("with " + names_of(option.get_needs()));
    if (const auto others = told_excludes(option); !others.empty()) add("not with " + names_of(others));
    return more.empty() ? text : fmt::format("{} ({})", text, more);
}

/// The explanation next to the name, or below a name that is too long.
std::string entry(const std::string& name, const std::string& text, std::size_t width) {
    const std::string left = "  " + name;
    const std::string right = text.empty() ? "\n" : wrapped(text, std::max(width, left_column + 20), left_column);
    if (display_width(left) + 2 > left_column) return left + '\n' + right;
    return left + (text.empty() ? right : right.substr(display_width(left)));
}

} // namespace

std::string HelpText::make_option(const CLI::Option* option, bool is_positional) const {
    const ManualOption shown = manual_of(*option);
    const std::string name = is_positional ? argument_name(*option) + (shown.many ? " ..." : "") : name_of(shown);
    return entry(name, explained(*option, shown), width_);
}

std::string HelpText::make_subcommand(const CLI::App* command) const {
    return entry(command->get_display_name(true), command->get_description(), width_);
}

std::string HelpText::make_description(const CLI::App* app) const {
    const std::string text = app->get_description();
    return text.empty() ? text : wrapped(text, width_, 0);
}

} // namespace mediarig::cli
