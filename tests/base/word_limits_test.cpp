// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/word_limits.hpp"

#include <stdlib.h>

#include <string>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::process;

namespace {

std::string checked(const std::string& word) {
    const char* const argv[] = {"mediarig", "devices", word.c_str()};
    return reason(check_arguments(3, argv));
}

} // namespace

TEST_CASE("check_arguments() accepts only UTF-8 of at most the length of a path") {
    CHECK(checked("") == "success");
    CHECK(checked(std::string(longest_word, 'a')) == "success");
    CHECK(checked(std::string(longest_word + 1, 'a')) ==
          "the argument '" + std::string(40, 'a') +
              "…' is 4096 bytes long; at most 4095 are allowed: shorten it, or give a long script on standard input");
    CHECK_THAT(checked("a\xFF"), ContainsSubstring("is not valid UTF-8"));
}

TEST_CASE("check_environment() limits variables that mediarig reads to the length of a path, and no others") {
    const std::string is_long(60'000, 'a');
    CHECK(reason(check_environment()) == "success");
    for (const char* name : {"MEDIARIG_AGENT", "XDG_DATA_HOME", "TMPDIR"}) {
        const char* const before = ::getenv(name);
        const std::string kept = before == nullptr ? "" : before;
        ::setenv(name, is_long.c_str(), 1);
        CHECK(reason(check_environment()) == "the variable " + std::string(name) +
                                                 " is 60000 bytes long; at most 4095 are allowed: shorten or unset it");
        before == nullptr ? ::unsetenv(name) : ::setenv(name, kept.c_str(), 1);
    }
    ::setenv("LS_COLORS", is_long.c_str(), 1);
    CHECK(reason(check_environment()) == "success");
    ::unsetenv("LS_COLORS");
}
