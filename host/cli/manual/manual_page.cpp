// SPDX-License-Identifier: GPL-3.0-or-later
#include <cctype>
#include <sstream>

#include "host/cli/manual/conventions.hpp"
#include "host/cli/manual/manual.hpp"

namespace mediarig::cli {
namespace {

/// Escapes a line of text so that troff interprets none of it.
std::string prose(const std::string& text) {
    std::string line;
    for (const char letter : text) {
        if (letter == '\\')
            line += "\\e";
        else if (letter == '-')
            line += "\\-";
        else
            line += letter == '\n' ? ' ' : letter;
    }
    return line.starts_with('.') || line.starts_with('\'') ? "\\&" + line : line;
}

std::string bold(const std::string& text) {
    return "\\fB" + prose(text) + "\\fR";
}

std::string value_text(const ManualOption& option) {
    if (option.choices.empty()) return "\\fI" + prose(option.value) + "\\fR";
    std::string words;
    // Allow a line break after each bar: some lists of choices are longer than a line.
    for (const std::string& choice : option.choices) words += (words.empty() ? "" : "|\\:") + bold(choice);
    return words;
}

std::string heading(const ManualOption& option) {
    std::string words;
    for (const std::string& name : option.names) words += (words.empty() ? "" : ", ") + bold(name);
    if (option.value.empty()) return words;
    if (option.value_optional) return words + "[=" + value_text(option) + "]";
    return words + " " + value_text(option) + (option.many ? " ..." : "");
}

/// Like heading(), but with the name alone if there are many choices: they are listed below.
std::string short_heading(const ManualOption& option) {
    constexpr std::size_t many_choices = 6;
    if (option.choices.size() <= many_choices || option.names.empty()) return heading(option);
    ManualOption named = option;
    named.choices.clear();
    named.value = option.names.back().substr(option.names.back().find_first_not_of('-'));
    for (char& letter : named.value) letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    return heading(named);
}

/// "mediarig lab plug [OPTIONS] card"
std::string synopsis(const ManualCommand& command) {
    std::string words = bold(command.path);
    for (const ManualOption& option : command.options)
        if (option.required) words += " " + short_heading(option);
    words += " [\\fIOPTIONS\\fR]";
    if (!command.commands.empty()) words += " \\fICOMMAND\\fR";
    for (const ManualOption& argument : command.arguments) {
        const std::string name = "\\fI" + prose(argument.names.front()) + "\\fR" + (argument.many ? " ..." : "");
        words += argument.required ? " " + name : " [" + name + "]";
    }
    return words;
}

void explain(std::ostream& page, const std::string& what, const ManualOption& option) {
    page << ".TP\n" << what << '\n' << prose(option.text);
    if (!option.standard.empty()) page << " (default: " << prose(option.standard) << ")";
    page << '\n';
}

void explain(std::ostream& page, const char* heading, std::span<const GlossaryEntry> list) {
    page << ".SH " << heading << '\n';
    for (const GlossaryEntry& each : list)
        page << ".TP\n" << bold(std::string(each.word)) << '\n' << prose(std::string(each.text)) << '\n';
}

} // namespace

std::string man_page(const ManualCommand& program, const std::string& version) {
    std::ostringstream page;
    page << ".\\\" Made by mediarig manual man.\n"
         << ".TH MEDIARIG 1 \"\" \"mediarig " << version
         << "\" \"User Commands\"\n"
         // Ragged right: a line of choices has no blanks to stretch.
         << ".ad l\n"
         << ".SH NAME\nmediarig \\- test SD cards, USB sticks and external drives\n"
         << ".SH SYNOPSIS\n"
         << synopsis(program) << "\n.SH DESCRIPTION\n"
         << prose(program.text)
         << "\n.PP\nNothing is written to a device that is mounted, in use, internal, or part of anything larger, and "
            "nothing is destroyed before its serial is typed.\n"
         << ".SH OPTIONS\n";
    for (const ManualOption& option : program.options) explain(page, heading(option), option);
    page << ".SH COMMANDS\n";
    for (const ManualCommand* command : with_all_below(program)) {
        if (command == &program) continue;
        page << ".SS " << prose(command->path) << '\n'
             << synopsis(*command) << "\n.PP\n"
             << prose(command->text) << '\n';
        for (const ManualOption& argument : command->arguments)
            explain(page, "\\fI" + prose(argument.names.front()) + "\\fR", argument);
        for (const ManualOption& option : command->options)
            if (option.names.back() != "--help") explain(page, heading(option), option);
    }
    explain(page, "EXIT STATUS", exit_statuses());
    explain(page, "ENVIRONMENT", environment_variables());
    explain(page, "EXAMPLES", examples());
    page << ".SH SEE ALSO\n.BR mediarig\\-agent (1),\n.BR lsblk (8),\n.BR fsck.exfat (8),\n.BR fsck.fat (8)\n";
    return page.str();
}

} // namespace mediarig::cli
