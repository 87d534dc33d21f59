// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the search for the position of a fault in the text of a plan.
#include "host/gui/models/json_place.hpp"
#include "host/plan/parse_plan.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::gui;

namespace {

constexpr std::string_view plan_text = R"({
  "mediarig_plan": 1,
  "name": "a \"quoted\" name, [with] {brackets}",
  "media": [{"path": "/dev/sdb", "confirm": "1"}, {"path": 7}],
  "suites": [{"suite": "nosuch"}]
})";

std::string_view at(std::string_view fault) {
    return plan_text.substr(place_of_fault(plan_text, fault));
}

} // namespace

TEST_CASE("place_of_fault() finds the value of a JSON pointer after strings of any content") {
    CHECK(at("/media/1/path: wrong").starts_with("7}"));
    CHECK(at("/media/0: wrong").starts_with("{\"path\": \"/dev/sdb\""));
    CHECK(at("/suites/0/suite: wrong").starts_with("\"nosuch\""));
    CHECK(at(": wrong").starts_with("{"));
}

TEST_CASE("the position of a missing value is the position of its parent") {
    CHECK(at("/media/1/confirm: is missing").starts_with("{\"path\": 7"));
    CHECK(at("/media/5/path: is missing").starts_with("[{"));
    CHECK(at("/limits: is missing").starts_with("{"));
}

TEST_CASE("the position of a fault in invalid JSON is the start or the last valid position") {
    for (const std::string_view text : {"", "{", "[", "{\"media\"", "{\"media\": [", "\"", "}", "{\"a\\", "null"})
        CHECK(place_of_fault(text, "/media/0/path: wrong") <= text.size());
}

TEST_CASE("place_of_fault() finds a position in the text for every fault of the plan parser") {
    const auto parsed = plan::parse_plan(plan_text);
    REQUIRE(!parsed);
    for (const std::string& fault : parsed.error().lines) {
        CAPTURE(fault);
        CHECK((!fault.starts_with("/") || place_of_fault(plan_text, fault) > 0));
    }
}
