// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>

#include "host/measure/comparison/lines/dialog.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;
using Catch::Matchers::StartsWith;
using nlohmann::json;

namespace {

const std::string start =
    R"({"start": 7, "formats": ["A", "B"], "margin": 0.05, "alpha": 0.05, "max_blocks": 12, "seed": 123, "quantum": 0})";

std::string block(std::size_t number, double a, double b) {
    return json{{"block", number}, {"passes", {{{"format", "A"}, {"rate", a}}, {{"format", "B"}, {"rate", b}}}}}.dump();
}

/// Returns the reply to the last of `lines`. Requires that all earlier lines are valid.
Result<std::optional<json>> last_answer(const std::vector<std::string>& lines) {
    Dialog dialog;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) REQUIRE(reason(dialog.answer(lines[i])) == "success");
    return dialog.answer(lines.back());
}

json answered(const std::vector<std::string>& lines) {
    const auto answer = last_answer(lines);
    REQUIRE(reason(answer) == "success");
    REQUIRE(answer->has_value());
    return **answer;
}

const std::vector<std::string> clear{start,
                                     block(1, 61.2, 57.9),
                                     block(2, 60.4, 58.4),
                                     block(3, 61.9, 58.2),
                                     block(4, 60.1, 57.1),
                                     block(5, 61.5, 58.3),
                                     block(6, 60.7, 57.7)};

} // namespace

TEST_CASE("lines: the reply to a start contains the orders of all blocks, which are equal for equal seeds") {
    const json answer = answered({start});
    REQUIRE(answer.size() == 1);
    const json& orders = answer["orders"];
    REQUIRE(orders.size() == 12);
    const json ab{"A", "B"}, ba{"B", "A"};
    for (const json& order : orders) CHECK((order == ab || order == ba));
    CHECK(std::find(orders.begin(), orders.end(), ab) != orders.end());
    CHECK(std::find(orders.begin(), orders.end(), ba) != orders.end());
    CHECK(answered({start}) == answer);
    CHECK(answered({R"({"start": 1, "formats": ["A", "B"]})"})["orders"].size() == 12);
}

TEST_CASE("lines: the reply to an undecided block contains only the decision to continue") {
    CHECK(answered({start, block(1, 61.2, 57.9)}) == json{{"decision", "continue"}});
}

TEST_CASE("lines: the reply to the deciding block contains the faster format, the ratio and its interval") {
    const json answer = answered(clear);
    CHECK(answer["decision"] == "faster");
    CHECK(answer["format"] == "A");
    CHECK(answer["by"].get<double>() == Approx(0.0541).margin(5e-5));
    CHECK(answer["lo"].get<double>() == Approx(0.0451).margin(5e-5));
    CHECK(answer["hi"].get<double>() == Approx(0.0632).margin(5e-5));
    CHECK(answer["p"].get<double>() == Approx(0.000538).margin(1e-6));
    CHECK(answer["blocks"] == 6);
    CHECK(answer["text"] == "A faster by 5.4 % [4.5, 6.3], 12 passes, overall p 0.0005");
    SECTION("the ratio is the first format divided by the second format, whichever is faster") {
        auto reversed = clear;
        reversed[0] = R"({"start": 7, "formats": ["B", "A"]})";
        const json other = answered(reversed);
        CHECK(other["decision"] == "faster");
        CHECK(other["format"] == "A");
        CHECK(other["by"].get<double>() == Approx(1 / 1.054102 - 1).margin(1e-5));
        CHECK(other["hi"].get<double>() < 0);
    }
    SECTION("later blocks do not change the reply") {
        auto more = clear;
        for (std::size_t i = 7; i < 12; ++i) more.push_back(block(i, 10, 57));
        CHECK(answered(more) == answer);
    }
}

TEST_CASE("lines: replies about equal and undecided formats contain their reason") {
    const json same =
        answered({start, block(1, 101.2, 100), block(2, 99.2, 100), block(3, 100.4, 100), block(4, 99.8, 100)});
    CHECK(same["decision"] == "same");
    CHECK(same["lo"].get<double>() == Approx(-0.0233).margin(5e-5));
    CHECK(same["hi"].get<double>() == Approx(0.0268).margin(5e-5));
    const json open = answered({R"({"start": 7, "formats": ["A", "B"], "max_blocks": 4})", block(1, 103, 100),
                                block(2, 98, 100), block(3, 105, 100), block(4, 96, 100)});
    CHECK(open["decision"] == "cannot_tell");
    CHECK(open["why"] == "out_of_budget");
    CHECK(open["by"].is_number());
}

TEST_CASE("lines: failed passes are counted, and the reply has no figures if too few blocks remain") {
    const auto failed = [](std::size_t number) {
        return R"({"block": )" + std::to_string(number) +
               R"(, "passes": [{"format": "B", "rate": null, "failed": true}, {"format": "A", "rate": 61.2}]})";
    };
    const json answer = answered({R"({"start": 7, "formats": ["A", "B"], "max_blocks": 4})", failed(1)});
    CHECK(answer["decision"] == "cannot_tell");
    CHECK(answer["why"] == "hopeless");
    CHECK(answer["by"].is_null());
    CHECK(answer["lo"].is_null());
    CHECK(answer["hi"].is_null());
    CHECK(answer["failed"] == json{{"A", 0}, {"B", 1}});
    SECTION("a pass that was not run does not count as a failure") {
        const json other =
            answered({R"({"start": 7, "formats": ["A", "B"], "max_blocks": 4})",
                      R"({"block": 1, "passes": [{"format": "A", "rate": 61.2}, {"format": "B", "rate": null}]})"});
        CHECK_FALSE(other.contains("failed"));
    }
}

TEST_CASE("lines: the reply about three formats contains the result of each pair and the fastest format") {
    std::vector<std::string> lines{R"({"start": 1, "formats": ["A", "B", "C"]})"};
    const auto add = [&](double a, double b, double c) {
        lines.push_back(
            json{{"block", lines.size()},
                 {"passes",
                  {{{"format", "A"}, {"rate", a}}, {{"format", "C"}, {"rate", c}}, {{"format", "B"}, {"rate", b}}}}}
                .dump());
    };
    add(120, 100, 100);
    add(121, 101, 100);
    add(119, 99.5, 100);
    CHECK(answered(lines) == json{{"decision", "continue"}});
    for (const double third : {101.0, 100.0, 100.5, 99.5, 100.0, 101.0, 100.0, 99.5, 100.5})
        add(120 + third / 200, 100, third);
    const json answer = answered(lines);
    CHECK(answer["decision"] == "faster");
    CHECK(answer["format"] == "A");
    CHECK(answer["fastest"] == json{"A"});
    REQUIRE(answer["pairs"].size() == 3);
    CHECK(answer["pairs"][0]["formats"] == json{"A", "B"});
    CHECK(answer["pairs"][0]["format"] == "A");
    CHECK(answer["pairs"][2]["decision"] == "same");
}

TEST_CASE("lines: two equal formats are the fastest group, without a slower third format") {
    std::vector<std::string> lines{R"({"start": 1, "formats": ["A", "B", "C"]})"};
    for (const double a : {120.0, 121.0, 119.0, 120.0, 121.5, 119.5, 120.5, 119.0, 121.0, 120.0, 119.8, 120.7})
        lines.push_back(
            json{{"block", lines.size()},
                 {"passes",
                  {{{"format", "A"}, {"rate", a}}, {{"format", "B"}, {"rate", 100}}, {{"format", "C"}, {"rate", a}}}}}
                .dump());
    const json answer = answered(lines);
    CHECK(answer["decision"] == "same");
    CHECK(answer["fastest"] == json{"A", "C"});
    CHECK_FALSE(answer.contains("format"));
}

TEST_CASE("lines: a comparison is undecided until a decision or an end message") {
    Dialog dialog;
    CHECK_FALSE(dialog.is_undecided());
    for (const std::string& line : clear) {
        REQUIRE(dialog.answer(line));
        CHECK(dialog.is_undecided() == (line != clear.back()));
    }
    REQUIRE(dialog.answer(start));
    REQUIRE(dialog.answer(R"({"end": true})"));
    CHECK_FALSE(dialog.is_undecided());
}

TEST_CASE("lines: an end message and an empty line have no reply, and another start may follow") {
    Dialog dialog;
    for (int trial = 0; trial < 2; ++trial) {
        for (const std::string& line : clear) REQUIRE(dialog.answer(line)->has_value());
        CHECK_FALSE(dialog.answer("  ")->has_value());
        CHECK_FALSE(dialog.answer(R"({"end": true})")->has_value());
    }
    CHECK(reason(dialog.answer(block(1, 1, 1))) ==
          "line 19: a block before the start: send \"start\" with the compared formats first");
}

TEST_CASE("lines: a start message without a preceding end begins a new comparison") {
    auto lines = clear;
    lines.push_back(start);
    CHECK(answered(lines).contains("orders"));
    lines.push_back(block(1, 50, 50));
    CHECK(answered(lines) == json{{"decision", "continue"}});
}

TEST_CASE("lines: an invalid start message is refused with the reason") {
    struct Row {
        std::string line, says;
    };
    const Row rows[] = {
        {"nonsense", ": column "},
        {"[]", "must be an object"},
        {"{}", R"(must have "start", "block" or "end")"},
        {R"({"start": 1})", "/formats: is missing; list the compared formats"},
        {R"({"start": -1, "formats": ["A", "B"]})", "/start: must be"},
        {R"({"start": 1, "formats": "A"})", "/formats: must be a list"},
        {R"({"start": 1, "formats": ["A"]})", "must name two formats or more: one alone cannot be compared"},
        {R"({"start": 1, "formats": ["A", "A"]})", "/formats/1: is named twice"},
        {R"({"start": 1, "formats": ["A", ""]})", "/formats/1: must not be empty"},
        {R"({"start": 1, "formats": ["A", 2]})", "/formats/1: must be"},
        {R"({"start": 1, "formats": ["1","2","3","4","5","6","7","8","9"]})", "/formats: "},
        {R"({"start": 1, "formats": ["A", "B"], "max_blocks": 3})", "a budget of 3 blocks: it must be 4 to 60"},
        {R"({"start": 1, "formats": ["A", "B"], "max_blocks": 4.5})", "/max_blocks: must be"},
        {R"({"start": 1, "formats": ["A", "B"], "margin": 0})", "a margin of 0"},
        {R"({"start": 1, "formats": ["A", "B"], "margin": "5 %"})", "/margin: must be a number"},
        {R"({"start": 1, "formats": ["A", "B"], "alpha": 0.7})", "an alpha of 0.7"},
        {R"({"start": 1, "formats": ["A", "B"], "quantum": -1})", "a quantum of -1"},
        {R"({"start": 1, "formats": ["A", "B"], "seed": -3})", "/seed: must be"},
        {R"({"start": 1, "formats": ["A", "B"], "budget": 9})", "/budget: "},
        {R"({"start": 1, "start": 2, "formats": ["A", "B"]})", "/start: "},
        {R"({"end": true})", "an end before the start"},
        {R"({"end": false})", "/end: must be true"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto answer = last_answer({row.line});
        CHECK_THAT(reason(answer), ContainsSubstring(row.says));
        REQUIRE_FALSE(answer);
        CHECK_THAT(answer.error().detail, Catch::Matchers::StartsWith("line 1: "));
        CHECK(answer.error().code == Errc::bad_request);
        CHECK(answer.error().detail.find('\n') == std::string::npos);
    }
}

TEST_CASE("lines: an invalid block message is refused with the reason") {
    const auto passes = [](const std::string& list) { return R"({"block": 1, "passes": [)" + list + "]}"; };
    const std::string good = R"({"format": "B", "rate": 5})";
    struct Row {
        std::string line, says;
    };
    const Row rows[] = {
        {R"({"block": 1})", "/passes: is missing"},
        {R"({"block": 2, "passes": []})", "block 2 comes where block 1 was expected"},
        {R"({"block": 0, "passes": []})", "block 0 comes where block 1 was expected"},
        {passes(good), "1 of 2 formats are present: a block has each format once"},
        {passes(good + "," + good), R"("B" occurs twice: a block has each format once)"},
        {passes(good + R"(, {"format": "C", "rate": 5})"), R"("C" is not one of the compared formats)"},
        {passes(good + R"(, {"format": "A", "rate": 0})"), "/passes/1/rate: must be above 0 and finite"},
        {passes(good + R"(, {"format": "A", "rate": -3})"), "/passes/1/rate: must be above 0 and finite"},
        {passes(good + R"(, {"format": "A", "rate": 1e999})"), ": column 81: has a number that is too large"},
        {passes(good + R"(, {"format": "A", "rate": NaN})"), ": column "},
        {passes(good + R"(, {"format": "A", "rate": Infinity})"), ": column "},
        {passes(good + R"(, {"format": "A", "rate": "5 MB/s"})"), "/passes/1/rate: must be a number"},
        {passes(good + R"(, {"format": "A"})"), "/passes/1/rate: is missing; use null for a pass without a rate"},
        {passes(good + R"(, {"rate": 5})"), "/passes/1/format: is missing"},
        {passes(good + R"(, {"format": "A", "rate": 5, "failed": true})"), "/passes/1: failed and has a rate"},
        {passes(good + R"(, {"format": "A", "rate": 5, "unit": "MB/s"})"), "/passes/1/unit"},
        {passes(good + ", 5"), "/passes/1: must be an object"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto answer = last_answer({start, row.line});
        CHECK_THAT(reason(answer), ContainsSubstring(row.says));
        REQUIRE_FALSE(answer);
        CHECK_THAT(answer.error().detail, Catch::Matchers::StartsWith("line 2: "));
    }
}

TEST_CASE("lines: invalid JSON is reported with its column and without a member name") {
    const auto refused = [](const std::string& line) { return reason(last_answer({line})); };
    CHECK(refused(R"({"start":1,"formats":["A","B"])") ==
          "line 1: column 31: is incomplete: a bracket, brace or string is not closed");
    CHECK_THAT(refused("hello,world"), StartsWith("line 1: column 1: is not JSON"));
}

TEST_CASE("lines: blank lines are ignored and do not count as messages") {
    Dialog dialog;
    REQUIRE(dialog.answer("  \t\r"));
    CHECK_FALSE(dialog.was_asked());
    REQUIRE(dialog.answer(start));
    CHECK(dialog.was_asked());
}

TEST_CASE("lines: the reply contains the deciding interval if the repeated interval exceeds the margin") {
    std::vector<std::string> lines{R"({"start": 7, "formats": ["A", "B"], "margin": 0.047})"};
    for (const double rate : {96.3, 104.0, 103.4, 101.8, 95.9, 96.9, 101.5}) {
        lines.push_back(block(lines.size(), rate, 100));
        const json answer = answered(lines);
        if (answer["decision"] == "continue") continue;
        REQUIRE(answer["decision"] == "same");
        CHECK(answer["hi"].get<double>() > 0.047);
        CHECK_THAT(answer["text"].get<std::string>(),
                   StartsWith("same within 4.7 %: between -") &&
                       ContainsSubstring(" % at 90 %, by which two one-sided tests decide (") &&
                       ContainsSubstring(" passes; at 95 % between -"));
        return;
    }
    FAIL("these blocks must give the decision 'same'");
}

TEST_CASE("lines: a refused message has no effect, and the corrected message may follow") {
    Dialog dialog;
    REQUIRE(dialog.answer(start));
    CHECK_FALSE(dialog.answer(block(1, 0, 57.9)));
    for (std::size_t i = 1; i < clear.size(); ++i) REQUIRE(dialog.answer(clear[i]));
}

TEST_CASE("lines: rates at opposite ends of the number range give a valid reply") {
    std::vector<std::string> lines{start};
    for (std::size_t i = 1; i <= 6; ++i) lines.push_back(block(i, 1e300, 1e-300));
    const json answer = answered(lines);
    CHECK(answer["decision"] == "faster");
    CHECK(answer["by"].is_null()); // JSON cannot represent this number
    CHECK_THAT(answer["text"].get<std::string>(),
               StartsWith("A faster by over 9999 % [over 9999, over 9999], 12 passes, overall p "));
}
