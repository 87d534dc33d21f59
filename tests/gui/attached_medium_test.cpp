// SPDX-License-Identifier: GPL-3.0-or-later
/// Attached media, and the questions that can be asked about them.

#include "host/gui/models/attached_medium.hpp"
#include "host/gui/models/question.hpp"
#include "host/plan/parse_plan.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"

using namespace mediarig;
using namespace mediarig::gui;
using nlohmann::json;

namespace {

json listed(const std::string& node, const std::string& serial, std::vector<media::Refusal> refusals = {},
            const std::string& model = "Stick") {
    media::Medium medium;
    medium.node = node;
    medium.transport = media::Transport::usb;
    medium.vendor = "Acme";
    medium.model = model;
    medium.serial = serial;
    medium.size = 4_GiB;
    medium.refusals = std::move(refusals);
    json object = media::to_json(medium);
    object["confirm"] = media::confirmation_of(medium);
    object["nickname"] = "blue";
    return object;
}

std::vector<AttachedMedium> attached(const std::vector<json>& devices) {
    auto result = attached_from_json(json{{"mediarig_devices", 1}, {"devices", devices}}.dump());
    REQUIRE(result);
    return std::move(*result);
}

} // namespace

TEST_CASE("a medium that cannot be tested is listed last with the reason") {
    const auto list = attached({listed("/dev/sda", "A1", {{media::RefusalKind::system_disk, "it carries /"}}),
                                listed("/dev/sdb", "B2345678")});
    REQUIRE(list.size() == 2);
    CHECK(list[0].medium.node == "/dev/sdb");
    CHECK(list[0].refusals.empty());
    CHECK(list[0].title == "“blue” Acme Stick, 4.29 GB");
    CHECK(list[1].refusals == std::vector<std::string>{"it carries /"});
}

TEST_CASE("devices without a medium are omitted, except the empty slot of a reader") {
    const auto empty = [](const char* node, const char* transport) {
        json object = listed(node, "");
        object["size"] = 0;
        object["transport"] = transport;
        return object;
    };
    const auto list = attached({empty("/dev/loop3", "loop"), empty("/dev/zram0", "zram"), empty("/dev/sdc", "usb")});
    REQUIRE(list.size() == 1);
    CHECK(list[0].medium.node == "/dev/sdc");
}

TEST_CASE("control characters in a medium's texts have no effect on the screen") {
    const auto list = attached({listed("/dev/sdb", "B1", {}, "\x1b[2J\nfake")});
    CHECK(list[0].title.find('\x1b') == std::string::npos);
    CHECK(list[0].title.find('\n') == std::string::npos);
}

TEST_CASE("an invalid list of devices is refused") {
    for (const char* text : {"", "[]", "{}", R"({"devices": 3})", R"({"devices": [3]})"})
        CHECK(!attached_from_json(text));
}

TEST_CASE("an estimate is read from the result of a dry run, with the first problem of the medium") {
    const auto estimate = run_estimate_from_json(
        R"({"mediarig_dry_run":1,"media":[{"problem":"it is mounted"}],"seconds":120,"bytes_written":1000000,"bytes_read":0})");
    REQUIRE(estimate);
    CHECK(estimate->problem == "it is mounted");
    CHECK(estimate->time == std::chrono::seconds(120));
    CHECK(estimate->written == Bytes{1000000});
    for (const char* text : {"", "{}", "[1]"}) CHECK(!run_estimate_from_json(text));
}

TEST_CASE("the speed of a medium is measured by the chosen suite without erasing") {
    const auto list = attached({listed("/dev/null", "B2345678")});
    for (const char* name : speed_suites) {
        AttachedMedium somewhere = list[0];
        somewhere.medium.node = "/tmp";
        const auto plan = plan_for(Question::how_fast, somewhere, name);
        CAPTURE(name, reason(plan));
        REQUIRE(plan);
        REQUIRE(plan->suites.size() == 1);
        CHECK(plan->suites[0].request.name == name);
        CHECK(!plan::destroys(*plan));
    }
}

TEST_CASE("a tray has the same questions for all slots of its rig") {
    for (const Question question : all_questions) {
        const auto plan = tray_plan(question, "L7");
        CAPTURE(command_of(question), reason(plan));
        REQUIRE(plan);
        REQUIRE(plan->all_slots);
        CHECK(plan->all_slots->lot == "L7");
        CHECK(plan->media.empty());
        CHECK(plan::destroys(*plan) == erases(question));
        CHECK(plan::parse_plan(plan::to_json(*plan).dump()));
    }
}
