// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which past events a client receives that connects late.
#include "host/campaign/events/history.hpp"
#include "host/campaign/events/feed.hpp"
#include "tests/catch.hpp"
#include "tests/cli/demo_events.hpp"

using namespace mediarig;
using namespace mediarig::events;
using namespace std::chrono_literals;

namespace {

struct Told {
    History history;
    void tell(campaign::EventBody body) {
        const campaign::SessionEvent event{.since_start = 1s, .body = std::move(body)};
        history.add(event, std::make_shared<const std::string>(line_of(event)));
    }
    [[nodiscard]] std::vector<campaign::SessionEvent> past() const {
        std::string lines = line_of(Greeting{"c", history.lines().size()});
        for (const EventLine& line : history.lines()) lines += *line;
        Feed feed;
        auto events = feed.take(lines);
        REQUIRE(events);
        return std::move(*events);
    }
};

plan::Step step_called(const std::string& key) {
    return {.key = key, .kind = plan::StepKind::run, .format_name = "raw"};
}

workload::CellResult finished() {
    return {.cell = {.id = "standard.seq_read.4096", .table = "standard", .block = 4_KiB, .volume = 2_MiB}};
}

} // namespace

TEST_CASE("history contains the start and last progress of a running step, and the start and end of a finished step") {
    Told told;
    told.tell(campaign::StepStarted{.index = 0, .step = step_called("a"), .medium = "m"});
    told.tell(campaign::StepProgress{.index = 0, .phase = "write", .done = 1_MiB, .total = 4_MiB});
    told.tell(campaign::StepProgress{.index = 0, .phase = "write", .done = 2_MiB, .total = 4_MiB});
    auto past = told.past();
    REQUIRE(past.size() == 2);
    CHECK(std::get<campaign::StepProgress>(past[1].body).done == 2_MiB);

    told.tell(campaign::StepEnded{.index = 0, .step = step_called("a")});
    past = told.past();
    REQUIRE(past.size() == 2);
    CHECK(std::holds_alternative<campaign::StepStarted>(past[0].body));
    CHECK(std::holds_alternative<campaign::StepEnded>(past[1].body));
}

TEST_CASE("history contains the cells of a medium until its verdict, and then drops only these cells") {
    Told told;
    for (const char* medium : {"card", "card 2"})
        told.tell(campaign::CellFinished{.medium = medium, .step = step_called("a"), .result = finished()});
    told.tell(campaign::VerdictReached{.medium = "card", .verdict = {}});
    const auto past = told.past();
    REQUIRE(past.size() == 2);
    CHECK(std::get<campaign::CellFinished>(past[0].body).medium == "card 2");
    CHECK(std::get<campaign::VerdictReached>(past[1].body).medium == "card");
}

TEST_CASE("the history of an endless campaign stays bounded") {
    Told told;
    std::size_t at_first = 0;
    for (std::size_t step = 0; step < 3000; ++step) {
        told.tell(campaign::StepStarted{.index = step, .step = step_called("a"), .medium = "m"});
        told.tell(campaign::StepProgress{.index = step, .phase = "write", .done = 1_MiB, .total = 4_MiB});
        told.tell(campaign::CellFinished{.medium = "m", .step = step_called("a"), .result = finished()});
        told.tell(campaign::FindingReported{.medium = "m", .finding = {}});
        told.tell(campaign::StepEnded{.index = step, .step = step_called("a")});
        if (step == 1500) at_first = told.history.lines().size();
    }
    CHECK(at_first == 1300);
    CHECK(told.history.lines().size() == at_first);
}
