// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/manual/manual.hpp"

namespace mediarig::cli {
namespace {

/// Words to complete; empty if any text is allowed.
std::vector<std::string> completed(const ManualOption& option) {
    return option.choices.empty() ? option.proposed : option.choices;
}

/// True if the value may be a path, that is, neither a number nor a choice from a list.
bool takes_path(const ManualOption& option) {
    return option.choices.empty() && option.value != "NUMBER" && !option.value.empty();
}

/// Returns the cases of options with a value: "'mediarig bench --engine'|'mediarig bench --engine='".
std::string value_cases(const ManualCommand& command) {
    std::string cases;
    for (const CLI::Option* each : command.options) {
        const ManualOption option = manual_of(*each);
        if (option.value.empty()) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : option.names) {
            if (!option.value_optional) patterns.push_back(fmt::format("'{} {}'", command.path, name));
            patterns.push_back(fmt::format("'{} {}='", command.path, name));
        }
        cases += fmt::format("        {}) words='{}' files={} ;;\n", fmt::join(patterns, "|"),
                             fmt::join(completed(option), " "), takes_path(option) ? "yes" : "");
    }
    return cases;
}

/// Words and files that are valid where the value of an option is not expected.
std::string command_case(const ManualCommand& command) {
    std::vector<std::string> words, options;
    bool files = false;
    for (const CLI::App* below : command.app->get_subcommands({}))
        if (!below->get_name().empty() && !below->get_group().empty()) words.push_back(below->get_name());
    for (const CLI::Option* each : command.arguments) {
        const ManualOption argument = manual_of(*each);
        for (const std::string& word : completed(argument)) words.push_back(word);
        files = files || takes_path(argument);
    }
    for (const CLI::Option* each : command.options)
        for (const std::string& name : manual_of(*each).names) options.push_back(name);
    return fmt::format("        '{}') words='{}' options='{}' files={} ;;\n", command.path, fmt::join(words, " "),
                       fmt::join(options, " "), files ? "yes" : "");
}

constexpr const char* bash_script = R"(# Made by mediarig bash-completion.
_mediarig() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} path=mediarig word
    local words= options= files=
    COMPREPLY=()
    # In --option=value the sign is a word.
    if [ "$current" = = ]; then current= previous=$previous=
    elif [ "$previous" = = ]; then previous=${{COMP_WORDS[COMP_CWORD-2]}}=
    fi
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
            {}) path="$path $word" ;;
        esac
    done
    case "$path $previous" in
{}    *) case "$path" in
{}        esac
        case "$current" in
            -*) words=$options files= ;;
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    # If there is no word, the shell completes files. zsh emulates bash's functions without compopt.
    [ "$files" ] || compopt +o default 2>/dev/null
}}
complete -o default -F _mediarig mediarig
)";

} // namespace

std::string bash_completion(const CLI::App& program) {
    std::string values, commands, paths;
    for (const ManualCommand& command : manual_of(program)) {
        values += value_cases(command);
        commands += command_case(command);
        if (command.app != &program) paths += fmt::format("{}'{}'", paths.empty() ? "" : "|", command.path);
    }
    return fmt::format(fmt::runtime(bash_script), paths, values, commands);
}

} // namespace mediarig::cli
