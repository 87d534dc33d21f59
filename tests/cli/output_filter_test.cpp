// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/cli/manual/output_filter.hpp"

#include <ostream>
#include <sstream>

#include "host/base/json/json_text.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::cli;

namespace {

std::string passed(const std::vector<std::string>& parts, AllowedControls own = AllowedControls::none) {
    std::stringbuf to;
    OutputFilter filter(to, own);
    std::ostream out(&filter);
    for (const std::string& part : parts) out << part;
    out.flush();
    REQUIRE(out);
    return to.str();
}

/// Fails every write, like a full disk.
class Refusing : public std::streambuf {};

} // namespace

TEST_CASE("the output filter passes line ends and tabs and replaces other controls by U+FFFD") {
    CHECK(passed({"Größe ✓ 日本\ta\nb\r\n"}) == "Größe ✓ 日本\ta\nb\r\n");
    CHECK(passed({"\x1B]0;t\x07\n"}) == "\uFFFD]0;t\uFFFD\n");
    CHECK(passed({"\u009B31m\u202Ea\u2069\uFEFF\x7F"}) == "\uFFFD31m\uFFFDa\uFFFD\uFFFD\uFFFD");
    CHECK(passed({"a\rb\r"}) == "a\uFFFDb\uFFFD");
    CHECK(passed({"caf\xE9!"}) == "caf\uFFFD!");
    CHECK(passed({"\x1B[1mbold\x1B[0m"}) == "\uFFFD[1mbold\uFFFD[0m");
}

TEST_CASE("the output filter passes only the program's own colours to a terminal") {
    const auto drawn = [](const std::string& text) { return passed({text}, AllowedControls::terminal); };
    CHECK(drawn("\x1B[1;31mFAIL\x1B[0m \x1B[2mx\x1B[0m\n") == "\x1B[1;31mFAIL\x1B[0m \x1B[2mx\x1B[0m\n");
    CHECK(drawn("\r\x1B[Kline\x1B[K\r") == "\r\x1B[Kline\x1B[K\r");
    // For two lanes: the cursor moves up to the first live line, and everything below is cleared.
    CHECK(drawn("\x1B[1A\r\x1B[Jline\n") == "\x1B[1A\r\x1B[Jline\n");
    CHECK(drawn("\x1B[2J\x1B[9A\x1B[8m\x1B[1;35m\x1B") == "\uFFFD[2J\uFFFD[9A\uFFFD[8m\uFFFD[1;35m\uFFFD");
}

TEST_CASE("the output filter joins a character that two writes split, and replaces an incomplete character") {
    CHECK(passed({"\xE2", "\x9C", "\x93 done"}) == "✓ done");
    CHECK(passed({"\x1B", "[", "1m"}, AllowedControls::terminal) == "\x1B[1m");
    CHECK(passed({"\x1B", "[", "2J"}, AllowedControls::terminal) == "\uFFFD[2J");
    CHECK(passed({"a\r", "\n"}) == "a\r\n");
    CHECK(passed({"\xE2\x9C"}) == "\uFFFD\uFFFD");
}

TEST_CASE("the output filter reports a closed output") {
    Refusing to;
    OutputFilter filter(to, AllowedControls::none);
    std::ostream out(&filter);
    out << "text" << std::flush;
    CHECK_FALSE(out);
}

TEST_CASE("the output filter wraps long lines between words and keeps commands whole") {
    const auto broken = [](std::string_view line) { return broken_between_words(line, 24); };
    CHECK(broken("one line that fits") == "one line that fits");
    CHECK(broken("mediarig: /dev/sdb is mounted: unmount it") == "mediarig: /dev/sdb is\nmounted: unmount it");
    CHECK(broken("  indented words stay so where they go on") == "  indented words stay so\n  where they go on");
    CHECK(broken("go on with: mediarig run plan.json --resume") == "go on with:\nmediarig run plan.json --resume");
    CHECK(broken("go on with: mediarig run 'a, b (c) d.json' --resume") ==
          "go on with:\nmediarig run 'a, b (c) d.json' --resume");
    CHECK(broken("mediarig run 'ä.json' --resume; or not at all, as you like") ==
          "mediarig run 'ä.json' --resume;\nor not at all, as you\nlike");
    CHECK(broken("then: mediarig run 'a b.json'; look at it first") ==
          "then:\nmediarig run 'a b.json';\nlook at it first");
    CHECK(broken("see 'mediarig devices' for what is here") == "see 'mediarig devices'\nfor what is here");
    CHECK(broken("a word/that/is/longer/than/all/of/it") == "a\nword/that/is/longer/than/all/of/it");
    CHECK(broken("NO.  STARTED           NAME  STATE") == "NO.  STARTED           NAME  STATE");
    CHECK(broken(R"("detail": "a text that is longer than that")") == R"("detail": "a text that is longer than that")");
    CHECK(broken("äöü äöü äöü äöü äöü äöü äöü") == "äöü äöü äöü äöü äöü äöü\näöü");

    std::ostringstream to;
    OutputFilter filter(*to.rdbuf(), AllowedControls::terminal, 24);
    std::ostream out(&filter);
    out << "a prompt that stays whole and waits for an answer: " << std::flush;
    out << "yes, and what follows it is left as it is\na line that is longer than 24 columns\n" << std::flush;
    CHECK(to.str() ==
          "a prompt that stays whole and waits for an answer: yes, and what follows it is left as it is\n"
          "a line that is longer\nthan 24 columns\n");
    to.str("");
    out << "\r\x1B[Ka step that is done and has a long line\n" << std::flush;
    CHECK(to.str() == "\r\x1B[Ka step that is done and\nhas a long line\n");
    to.str("");
    out << "a step  50 %\x1B[K\r\x1B[Ka step that is done and has a long line\n" << std::flush;
    CHECK(to.str() == "a step  50 %\x1B[K\r\x1B[Ka step that is done and\nhas a long line\n");
}

TEST_CASE("JSON output keeps its content and contains no control character") {
    const std::string odd = "\x1B]0;\x07\x7F\u009B\u202E\u2028\uFEFF ü\n";
    const nlohmann::json value{{odd, {odd, 1}}};
    for (const int indent : {-1, 2}) {
        const std::string text = codec::json_text(value, indent);
        CHECK(passed({text}) == text);
        CHECK(nlohmann::json::parse(text) == value);
        CHECK_THAT(text, ContainsSubstring("\\u001b]0;\\u0007\\u007f\\u009b\\u202e\\u2028\\ufeff ü\\n"));
    }
    CHECK(codec::json_text("caf\xE9") == "\"caf\uFFFD\"");
}
