// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/scripts/scenario.hpp"

using namespace mediarig;

namespace {

/// Returns the fault of one line in an otherwise valid scenario.
std::string complaint(const std::string& line) {
    const auto scenario =
        scenario::read_scenario("Scenario: a line\na magazine of 8 cards\na rig with 2 readers\n" + line + '\n');
    if (scenario) return "none";
    REQUIRE(scenario.error().size() == 1);
    CHECK(scenario.error()[0].line == 4);
    return scenario.error()[0].text;
}

} // namespace

TEST_CASE("a scenario is read line by line without comments and empty lines") {
    const auto scenario = scenario::read_scenario(
        "# a comment\nScenario: two lines\n\na magazine of 12 empty pockets\n"
        "a rig with 3 readers\npocket 12 holds its card\nthen nothing moves for 2 s");
    REQUIRE(scenario);
    CHECK(scenario->title == "two lines");
    CHECK(scenario->rig.pockets == 12);
    CHECK(scenario->rig.ports == 3);
    CHECK_FALSE(scenario->full);
    REQUIRE(scenario->lines.size() == 2);
    CHECK(scenario->lines[0].number == 6);
    CHECK(scenario->lines[0].injection.injection.place == 11);
    CHECK(scenario->lines[1].say == scenario::Say::still_for);
    CHECK(scenario->lines[1].gaps.values == std::vector<std::int64_t>{2'000'000'000});
}

TEST_CASE("an invalid line is reported with the expected form") {
    struct Row {
        const char* line;
        const char* complaint;
    };
    const Row rows[] = {
        {"pocket 9 is empty", "after \"pocket\", \"9\" is found where a pocket from 1 to 8 is expected"},
        {"pocket 0 is empty", "after \"pocket\", \"0\" is found where a pocket from 1 to 8 is expected"},
        {"port 3 is shorted", "after \"port\", \"3\" is found where a port from 1 to 2 is expected"},
        {"pocket 1 is full", "after \"pocket 1 is\", \"full\" is found where \"empty\" is expected"},
        {"the e-stop is pressed for 2 hours",
         "after \"for\", \"2\" is found where a time such as 300 ms or 2 s is expected"},
        {"pocket 1 is empty for 2 s", "\"for\" a time is not possible here: this event cannot be undone"},
        {"it jams", "\"it jams\" has a position only after \"when the carriage passes …,\""},
        {"after the eleventh pick, the pump fails",
         "after \"after the\", \"eleventh\" is found where first, second … tenth is expected"},
        {"port 1 draws 9999 mA more", "a port draws at most 5000 mA more"},
        {"job 1 homes", "after \"job 1 homes\", the sentence ends where \"the\" is expected"},
        {"job 1 homes the rig twice",
         "after \"job 1 homes the rig\", \"twice\" is found where the end of the sentence is expected"},
        {"job one homes the rig", "after \"job\", \"one\" is found where a number from 0 is expected"},
        {"job 99999999999999999999 homes the rig",
         "after \"job\", \"99999999999999999999\" is found where a number from 0 is expected"},
        {"then job 1 fails with bad_luck", "the name at the end is no Fault of common/rigproto/messages.hpp"},
        {"then the rig is happy", "the name at the end is no State of common/rigproto/messages.hpp"},
        {"and port 1 is warm", "the name at the end is no PortState of common/rigproto/messages.hpp"},
        {"then", "the sentence has no words"},
        {"a magazine of 31 cards", "expected is a number from 1 to 30"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        CHECK(complaint(row.line) == row.complaint);
    }
    CHECK_THAT(complaint("banana"), ContainsSubstring("\"banana\" is found where the sentence should begin with"));
    CHECK_THAT(complaint("\x01\x02\xFF"), ContainsSubstring("\"???\" is found"));
    CHECK_THAT(complaint(std::string(300, 'x')), ContainsSubstring("at most 200 characters"));
}

TEST_CASE("every invalid line of a scenario is reported in order") {
    const auto scenario = scenario::read_scenario("pocket 1 is empty\nnonsense\npocket 2 is empty\nalso nonsense");
    REQUIRE_FALSE(scenario);
    std::vector<std::size_t> lines;
    for (const auto& complaint : scenario.error()) lines.push_back(complaint.line);
    CHECK(lines == std::vector<std::size_t>{1, 2, 4});
    CHECK(scenario.error()[0].text == "expected is \"Scenario: \" and a title before anything else");
}

TEST_CASE("a scenario must state the size of the rig before its steps and contain at least one step") {
    const auto late = scenario::read_scenario("Scenario: late\npocket 1 is empty\na magazine of 4 cards");
    REQUIRE_FALSE(late);
    CHECK(late.error()[0].text == "the size of the rig must come before the first step");
    const auto empty = scenario::read_scenario("Scenario: nothing\n");
    REQUIRE_FALSE(empty);
    CHECK(empty.error()[0].text == "this scenario has no step");
    CHECK_FALSE(scenario::read_scenario(""));
}
