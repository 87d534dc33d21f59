// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <sstream>

#include "host/base/shell_word.hpp"
#include "host/cli/manual/manual.hpp"

namespace mediarig::cli {
namespace {

std::string joined(const std::vector<std::string>& words, const char* between) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
    return text;
}

std::string replaced(std::string text, char letter, std::string_view by) {
    for (std::size_t at = text.find(letter); at != std::string::npos; at = text.find(letter, at + by.size()))
        text.replace(at, 1, by);
    return text;
}

/// In fish, a backslash escapes inside single quotes.
std::string fish_text(const std::string& text) {
    return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

/// Patterns of all paths below the program: 'mediarig lab'|'mediarig lab plug' …
std::string paths_below(const ManualCommand& program, const char* between) {
    std::vector<std::string> paths;
    for (const ManualCommand* command : with_all_below(program))
        if (command != &program) paths.push_back("'" + command->path + "'");
    return joined(paths, between);
}

/// Words to complete; empty if any text is allowed.
const std::vector<std::string>& completed(const ManualOption& option) {
    return option.choices.empty() ? option.proposed : option.choices;
}

/// Words that are valid where no value of an option is expected; `first` are those without a leading dash.
struct Words {
    std::vector<std::string> first, options;
    bool path{}; ///< a path is also valid here
};

Words words_of(const ManualCommand& command) {
    Words words;
    for (const ManualCommand& below : command.commands) words.first.push_back(last_word(below));
    for (const ManualOption& argument : command.arguments) {
        words.first.insert(words.first.end(), completed(argument).begin(), completed(argument).end());
        words.path = words.path || takes_path(argument);
    }
    for (const ManualOption& option : command.options)
        words.options.insert(words.options.end(), option.names.begin(), option.names.end());
    return words;
}

void bash_values(std::ostream& script, const ManualCommand& command) {
    for (const ManualOption& option : command.options) {
        if (option.value.empty()) continue;
        std::vector<std::string> patterns;
        for (const std::string& name : option.names) {
            if (!option.value_optional) patterns.push_back("'" + command.path + " " + name + "'");
            patterns.push_back("'" + command.path + " " + name + "='");
        }
        script << "        " << joined(patterns, "|") << ") ";
        if (!completed(option).empty())
            script << "COMPREPLY=($(compgen -W '" << joined(completed(option), " ")
                   << "' -- \"$current\")); return ;;\n";
        else if (takes_path(option))
            script << "return ;;\n";
        else
            script << "compopt +o default; return ;;\n";
    }
}

/// "(psync uring)" or "_files": the zsh action for a value.
std::string zsh_action(const ManualOption& option) {
    if (!option.choices.empty()) return "(" + joined(option.choices, " ") + ")";
    if (!option.proposed.empty())
        // A colon separates the parts of an argument's description.
        return "{_alternative \"words\\:word\\:(" + joined(option.proposed, " ") + ")\" \"files\\:file\\:_files\"}";
    return takes_path(option) ? "_files" : " ";
}

std::string zsh_function(const ManualCommand& command) {
    return "_" + replaced(command.path, ' ', "_");
}

std::string zsh_text(const std::string& text) {
    return replaced(replaced(replaced(text, '[', "\\["), ']', "\\]"), ':', "\\:");
}

void zsh_options(std::ostream& script, const ManualCommand& command) {
    for (const ManualOption& option : command.options) {
        const std::string exclusive = "(" + joined(option.names, " ") + ")";
        for (const std::string& name : option.names) {
            std::string word = (option.many ? "*" : exclusive) + name;
            const bool is_long = name.starts_with("--");
            if (!option.value.empty()) word += !is_long ? "+" : option.value_optional ? "=-" : "=";
            word += "[" + zsh_text(option.text) + "]";
            if (!option.value.empty())
                word += (option.value_optional ? "::" : ":") + zsh_text(option.value) + ":" + zsh_action(option);
            script << " \\\n        " << in_single_quotes(word);
        }
    }
}

void zsh_function_of(std::ostream& script, const ManualCommand& command) {
    script << zsh_function(command) << "() {\n";
    if (command.commands.empty()) {
        script << "    _arguments";
        zsh_options(script, command);
        int place = 0;
        for (const ManualOption& argument : command.arguments) {
            const std::string where = argument.many ? "*" : std::to_string(++place);
            script << " \\\n        "
                   << in_single_quotes(where + ":" + zsh_text(argument.names.front()) + ":" + zsh_action(argument));
        }
        script << "\n}\n";
        return;
    }
    script << "    local curcontext=\"$curcontext\" state line\n    local -a commands\n    typeset -A opt_args\n"
           << "    _arguments -C";
    zsh_options(script, command);
    script << " \\\n        '1:command:->command' \\\n        '*::argument:->argument'\n    case $state in\n"
           << "        command)\n            commands=(\n";
    for (const ManualCommand& below : command.commands)
        script << "                " << in_single_quotes(last_word(below) + ":" + below.text) << '\n';
    script << "            )\n            _describe -t commands command commands ;;\n"
           << "        argument)\n            case $words[1] in\n";
    for (const ManualCommand& below : command.commands)
        script << "                " << last_word(below) << ") " << zsh_function(below) << " ;;\n";
    script << "            esac ;;\n    esac\n}\n";
}

void fish_lines_of(std::ostream& script, const ManualCommand& command) {
    const std::string begin = "complete -c mediarig -n '__mediarig_at " + command.path + "'";
    for (const ManualCommand& below : command.commands)
        script << begin << " -a " << last_word(below) << " -d " << fish_text(below.text) << '\n';
    const Words words = words_of(command);
    if (command.commands.empty() && !words.first.empty())
        script << begin << " -a '" << joined(words.first, " ") << "'\n";
    if (words.path) script << begin << " -F\n";
    for (const ManualOption& option : command.options) {
        script << begin;
        for (const std::string& name : option.names)
            script << (name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1));
        if (!option.choices.empty())
            script << " -x -a '" << joined(option.choices, " ") << "'";
        else if (!option.proposed.empty())
            script << " -r -F -a '" << joined(option.proposed, " ") << "'";
        else if (takes_path(option) && !option.value_optional)
            script << " -r -F";
        else if (!option.value.empty() && !option.value_optional)
            script << " -x";
        script << " -d " << fish_text(option.text) << '\n';
    }
}

} // namespace

std::string bash_completion(const ManualCommand& program) {
    std::ostringstream script;
    script << "# Made by mediarig manual bash.\n_mediarig() {\n"
              "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} path=mediarig word\n"
              "    local first= options= files=\n"
              "    COMPREPLY=()\n"
              "    # In --option=value the sign is a word of its own.\n"
              "    if [ \"$current\" = = ]; then current= previous=$previous=\n"
              "    elif [ \"$previous\" = = ]; then previous=${COMP_WORDS[COMP_CWORD-2]}=\n    fi\n"
              "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n        case \"$path $word\" in\n            "
           << paths_below(program, "|") << ") path=\"$path $word\" ;;\n        esac\n    done\n"
           << "    case \"$path $previous\" in\n";
    for (const ManualCommand* command : with_all_below(program)) bash_values(script, *command);
    script << "    esac\n    case \"$path\" in\n";
    for (const ManualCommand* command : with_all_below(program)) {
        const Words words = words_of(*command);
        script << "        '" << command->path << "') first='" << joined(words.first, " ") << "' options='"
               << joined(words.options, " ") << "' files=" << (words.path ? "yes" : "") << " ;;\n";
    }
    script << "    esac\n"
              "    case \"$current\" in\n        -*) first=$options files= ;;\n    esac\n"
              "    COMPREPLY=($(compgen -W \"$first\" -- \"$current\"))\n"
              "    [ \"$files\" ] || compopt +o default\n"
              "}\ncomplete -o default -F _mediarig mediarig\n";
    return script.str();
}

std::string zsh_completion(const ManualCommand& program) {
    std::ostringstream script;
    script << "#compdef mediarig\n# Made by mediarig manual zsh.\n";
    for (const ManualCommand* command : with_all_below(program)) zsh_function_of(script, *command);
    script << "_mediarig \"$@\"\n";
    return script.str();
}

std::string fish_completion(const ManualCommand& program) {
    std::ostringstream script;
    script << "# Made by mediarig manual fish.\nfunction __mediarig_path\n    set -l path mediarig\n"
              "    for word in (commandline -opc)[2..-1]\n        switch \"$path $word\"\n            case "
           << paths_below(program, " ")
           << "\n                set path \"$path $word\"\n        end\n    end\n    echo $path\nend\n"
              "function __mediarig_at\n    test (__mediarig_path) = \"$argv\"\nend\n"
              "complete -c mediarig -f\n";
    for (const ManualCommand* command : with_all_below(program)) fish_lines_of(script, *command);
    return script.str();
}

} // namespace mediarig::cli
