// SPDX-License-Identifier: GPL-3.0-or-later
/// Converting a session's events to lines and back.

#include "host/campaign/events/event_json.hpp"
#include "host/campaign/events/feed.hpp"
#include "host/campaign/events/request.hpp"
#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::events;

namespace {

std::string demo_lines() {
    std::string lines = line_of(Greeting{"0193-77", 3});
    for (const auto& event : cli::demo_events()) lines += line_of(event);
    return lines;
}

std::string why_not(std::string_view bytes) {
    Feed feed;
    const auto taken = feed.take(bytes);
    return taken ? "" : taken.error().detail;
}

} // namespace

TEST_CASE("each event of a campaign is unchanged after conversion to a line and back") {
    for (const auto& event : cli::demo_events()) {
        const auto json = to_json(event);
        CAPTURE(json.dump());
        const auto back = event_from_json(json);
        REQUIRE(back);
        CHECK(back->body.index() == event.body.index());
        CHECK(back->since_start == event.since_start);
        CHECK(to_json(*back) == json);
    }
}

TEST_CASE("a pause event is unchanged after conversion to a line and back") {
    const campaign::SessionEvent told{.since_start = std::chrono::seconds(3), .body = campaign::PauseChanged{true}};
    const auto heard = event_from_json(to_json(told));
    REQUIRE(heard);
    CHECK(std::get<campaign::PauseChanged>(heard->body).paused);
}

TEST_CASE("a remaining time with or without uncertainty is unchanged after conversion to a line and back") {
    using std::chrono::seconds;
    const auto within = GENERATE(std::optional<seconds>(), std::optional(seconds(90)));
    const campaign::SessionEvent told{
        .since_start = seconds(3), .body = campaign::TimeLeft{.left = seconds(720), .within = within, .at_most = true}};
    const auto heard = event_from_json(to_json(told));
    REQUIRE(heard);
    const auto& left = std::get<campaign::TimeLeft>(heard->body);
    CHECK(left.left == seconds(720));
    CHECK(left.within == within);
    CHECK(left.at_most);
}

TEST_CASE("a feed returns the same events for any split of its bytes") {
    const std::string lines = demo_lines();
    const std::size_t step = GENERATE(1U, 7U, 4096U, 1U << 30);
    Feed feed;
    std::size_t events = 0;
    for (std::size_t at = 0; at < lines.size(); at += step) {
        const auto taken = feed.take(std::string_view(lines).substr(at, step));
        REQUIRE(taken);
        events += taken->size();
    }
    CHECK(events == cli::demo_events().size());
    REQUIRE(feed.greeting());
    CHECK(feed.greeting()->campaign == "0193-77");
}

TEST_CASE("a feed refuses an invalid line with a one-line error") {
    CHECK(why_not("hello\n") == "a line from the campaign is not a JSON object");
    CHECK(why_not("{\"at_ns\": 1}\n") ==
          "the campaign belongs to another version of mediarig; watch it with that version");
    CHECK(why_not(line_of(Greeting{"c", 0}) + "{\"at_ns\":1,\"pause\":{}}\n") == "pause.paused: missing");
    CHECK_THAT(why_not(line_of(Greeting{"c", 0}) + "{\"at_ns\":1}\n"), ContainsSubstring("campaign_started"));
    CHECK(why_not(line_of(Error{Errc::bad_request, "no such wish"})) == "no such wish");
    CHECK(why_not(std::string(Feed::longest_line + 1, ' ')) == "a line from the campaign has no end");
}

TEST_CASE("a request is one object with exactly one action") {
    for (const ControlRequest request : {ControlRequest::stop, ControlRequest::pause, ControlRequest::resume}) {
        std::string line = line_of(request);
        CHECK(line.back() == '\n');
        line.pop_back();
        CHECK(parse_request(line) == request);
    }
    for (const std::string& line :
         {std::string(), std::string("stop"), std::string("[]"), std::string("{}"), std::string(R"({"do": 7})"),
          std::string(R"({"do": "erase"})"), std::string(R"({"do": "pause", "do": "stop"})"),
          std::string(R"({"do": "stop", "do": "stop"})"), std::string(R"({"do": "pause", "x": 1})"),
          std::string(R"({"do": "stop"} {})"), R"({"do": "stop")" + std::string(longest_request, ' ') + "}"}) {
        CAPTURE(line.substr(0, 40));
        const auto request = parse_request(line);
        REQUIRE(!request);
        CHECK(request.error().detail ==
              R"(a request is {"do": "stop"}, {"do": "pause"} or {"do": "continue"}, and nothing else)");
    }
}
