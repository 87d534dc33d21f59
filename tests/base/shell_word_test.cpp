// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/shell_word.hpp"

#include "tests/catch.hpp"

using namespace mediarig;

TEST_CASE("shell_word quotes a word only if needed, and a shell reads the word unchanged") {
    const std::pair<const char*, const char*> words[] = {
        {"/srv/lot-1.json", "/srv/lot-1.json"},
        {"Los ä 1.json", "'Los ä 1.json'"},
        {"it's.img", R"('it'\''s.img')"},
        {"'", R"(''\''')"},
        {"", "''"},
        {"$(id)", "'$(id)'"},
        {"~", "'~'"},
        {R"(a\b)", R"('a\b')"},
    };
    std::string command;
    std::vector<std::string> all;
    for (const auto& [word, typed] : words) {
        CAPTURE(word);
        CHECK(shell_word(word) == typed);
        CHECK(shell_words(typed) == std::vector<std::string>{word});
        command += (command.empty() ? "" : " ") + shell_word(word);
        all.emplace_back(word);
    }
    CHECK(shell_words(command) == all);
}

TEST_CASE("a command that a shell could split differently is refused") {
    for (const char* command : {"a; b", "a $b", "a  b", " a", "a ", "a 'b", "a 'b'c", "a b'c'", "a \\'", "a\nb", "a ä",
                                "a '\u202Eb'", "a 'b\x1b[31m'"}) {
        CAPTURE(command);
        CHECK_FALSE(shell_words(command));
    }
}
