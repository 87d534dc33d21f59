// SPDX-License-Identifier: GPL-3.0-or-later
#include <string>
#include <vector>

#include "host/base/async/line_framer.hpp"
#include "tests/catch.hpp"

using namespace mediarig::agent;

namespace {

std::vector<std::string> frames_of(LineFramer& framer) {
    std::vector<std::string> texts;
    while (auto frame = framer.next())
        texts.push_back(frame->kind == FramedLine::Kind::oversized ? "<oversized " + frame->text + ">" : frame->text);
    return texts;
}

} // namespace

TEST_CASE("framing: input that is split at any position gives the same lines") {
    struct Row {
        const char* bytes;
        std::vector<std::string> frames;
        std::size_t unfinished;
    };
    const Row rows[] = {
        {"", {}, 0},
        {"one\n", {"one"}, 0},
        {"one\ntwo\n", {"one", "two"}, 0},
        {"one\r\ntwo\r\n", {"one", "two"}, 0},
        {"one", {}, 3},
        {"\n\r\n\none\n\n", {"one"}, 0},
        {"a\rb\n", {"a\rb"}, 0},
        {"12345678\n", {"12345678"}, 0},
        {"12345678\r\n", {"12345678"}, 0},
        {"123456789\n", {"<oversized 123456789>"}, 0},
        {"12345678\r\r\n", {"<oversized 12345678\r\r>"}, 0},
        {"123456789abcdef\nok\n", {"<oversized 123456789>", "ok"}, 0},
        {"123456789abc\n123456789abc\nok\n", {"<oversized 123456789>", "<oversized 123456789>", "ok"}, 0},
    };
    for (const Row& row : rows) {
        const std::string bytes = row.bytes;
        CAPTURE(bytes);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{2}, std::size_t{3}}) {
            LineFramer framer(8);
            for (std::size_t at = 0; at < bytes.size(); at += piece) framer.push(bytes.substr(at, piece));
            auto got = frames_of(framer);
            // The position at which a long line is noticed depends on the split, but it is noticed exactly once.
            for (std::string& text : got)
                if (text.starts_with("<oversized")) text = "<oversized>";
            auto expected = row.frames;
            for (std::string& text : expected)
                if (text.starts_with("<oversized")) text = "<oversized>";
            CHECK(got == expected);
            CHECK(framer.unfinished() == row.unfinished);
        }
    }
}

TEST_CASE("framing: an oversized line is reported before its end, uses no memory and yields no second line") {
    LineFramer framer(1000);
    framer.push(std::string(1001, 'x'));
    auto frame = framer.next();
    REQUIRE(frame);
    CHECK(frame->kind == FramedLine::Kind::oversized);
    CHECK(frame->text == std::string(80, 'x'));
    for (int i = 0; i < 1000; ++i) framer.push(std::string(1000, 'y'));
    CHECK(framer.unfinished() == 0);
    CHECK_FALSE(framer.next());
    framer.push("tail\nnext\n");
    frame = framer.next();
    REQUIRE(frame);
    CHECK(*frame == FramedLine{FramedLine::Kind::line, "next"});
}

TEST_CASE("framing: a line of exactly 8 MiB is accepted and a line with one more byte is oversized") {
    LineFramer framer;
    framer.push(std::string(longest_line, 'x') + "\n");
    auto frame = framer.next();
    REQUIRE(frame);
    CHECK(frame->kind == FramedLine::Kind::line);
    CHECK(frame->text.size() == 8u * 1024 * 1024);
    framer.push(std::string(longest_line + 1, 'x') + "\n");
    frame = framer.next();
    REQUIRE(frame);
    CHECK(frame->kind == FramedLine::Kind::oversized);
}
