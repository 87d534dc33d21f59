// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/text/suite_text.hpp"

#include <algorithm>

#include "host/base/text_layout.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::cli;

TEST_CASE("every suite has a purpose, and the list of suites has one line for each") {
    const std::string text = suites_text(100);
    CHECK(static_cast<std::size_t>(std::ranges::count(text, '\n')) == suites::all_suites().size() + 1);
    CHECK(widest_line(text) <= 100);
    CHECK(widest_line(suites_text(80)) <= 80);
    for (const suites::Suite* suite : suites::all_suites()) {
        CAPTURE(suite->name);
        CHECK_FALSE(purpose_of_suite(suite->name).empty());
        CHECK_THAT(text, ContainsSubstring("\n" + std::string(suite->name) + " "));
    }
    CHECK(purpose_of_suite("none").empty());
}
