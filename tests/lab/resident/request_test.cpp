// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/resident/request.hpp"

#include "host/lab/resident/slot_fit.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;

namespace {

/// A request after a round trip.
std::string heard(const LabRequest& request) {
    const auto parsed = parse_request(request_line(request));
    REQUIRE(parsed);
    CHECK(parsed->index() == request.index());
    return request_line(*parsed);
}

} // namespace

TEST_CASE("a request survives a round trip") {
    const AddBadSectors bad{{.sectors = {Lba{8}, 4}, .fail_reads = true, .fail_writes = false}};
    const LabRequest requests[] = {
        StatusRequest{},
        PlugCard{.card = "good-uhs1", .slot = SlotId{3}, .kind = SlotKind::reader, .size = 64_MiB, .seed = 7},
        PlugCard{.card = "/home/ada/card.json"},
        UnplugCard{SlotId{3}},
        CutPower{SlotId{3}, Loss::subset},
        OrderCard{SlotId{2}, bad},
        OrderCard{SlotId{2}, SetThrottle{}},
        RunScript{"echo \"hello\"\nexit 3"},
        UseAgent{},
        StopLab{},
    };
    for (const LabRequest& request : requests) {
        CAPTURE(request_line(request));
        CHECK(request_line(request).find('\n') == std::string::npos);
        CHECK(heard(request) == request_line(request));
    }
    const auto plug = parse_request(request_line(requests[1]));
    REQUIRE(plug);
    const auto& card = std::get<PlugCard>(*plug);
    CHECK(card.slot == SlotId{3});
    CHECK(card.kind == SlotKind::reader);
    CHECK(card.size == 64_MiB);
    CHECK(card.seed == 7);
}

TEST_CASE("the answer to an invalid request line contains its fault") {
    struct Row {
        const char* line;
        const char* words;
    };
    const Row rows[] = {
        {"", "does not understand"},
        {"[]", "does not understand"},
        {R"({"request": "explode"})", "'explode'"},
        {R"({"request": "plug"})", "card"},
        {R"({"request": "plug", "card": "x", "slot": 256})", "there is no slot 256"},
        {R"({"request": "plug", "card": "x", "slot": -1})", "there is no slot"},
        {R"({"request": "plug", "card": "x", "kind": "floppy"})", "unknown kind of slot 'floppy': use one of"},
        {R"({"request": "unplug", "slot": "one"})", "does not understand"},
        {R"({"request": "power_cut", "slot": 1, "lose": "some"})", R"(lose: "some" is not one of all, subset)"},
        {R"({"request": "card", "slot": 1, "order": {"command": "melt"}})", "melt"},
        {R"({"request": "script"})", "script"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.line);
        const auto request = parse_request(row.line);
        REQUIRE_FALSE(request);
        CHECK(request.error().code == Errc::bad_request);
        CHECK_THAT(request.error().detail, ContainsSubstring(row.words));
    }
}

TEST_CASE("an answer contains the requested data or the error with its code") {
    const auto line_of = [](const Result<nlohmann::json>& answer) {
        std::string line = answer_line(answer);
        CHECK(line.back() == '\n');
        line.pop_back();
        CHECK(line.find('\n') == std::string::npos);
        return line;
    };
    const auto good = parse_lab_answer(line_of(nlohmann::json{{"node", "/dev/sda"}}));
    REQUIRE(good);
    CHECK(good->at("node") == "/dev/sda");
    const auto bad = parse_lab_answer(line_of(fail(Errc::bad_request, "slot 2 is empty")));
    REQUIRE_FALSE(bad);
    CHECK(bad.error() == Error{Errc::bad_request, "slot 2 is empty"});
    for (const char* nonsense : {"", "hello", "{}", R"({"ok": false})", R"({"ok": 1})"})
        CHECK(parse_lab_answer(nonsense).error().code == Errc::bad_format);
}

TEST_CASE("an SD slot accepts only a power of two as the size, and other slots accept every size") {
    const auto fits = [](SlotKind kind, Bytes claimed) { return reason(fits_slot(kind, {.claimed = claimed})); };
    CHECK(fits(SlotKind::sd, 64_MiB) == "success");
    CHECK_THAT(fits(SlotKind::sd, 48_MiB),
               ContainsSubstring("the card claims 50.3 MB, and an SD slot accepts only powers of two"));
    CHECK(fits(SlotKind::reader, 48_MiB) == "success");
    CHECK(fits(SlotKind::nvme, 48_MiB) == "success");
    CHECK(overrides_for(SlotKind::sd, 64_MiB, 5).joins_within.has_value());
    CHECK(overrides_for(SlotKind::usb, 64_MiB, 5) == CardOverrides{.claimed = 64_MiB, .start_value = 5});
}

TEST_CASE("a card with a SMART warning needs an NVMe slot, since other slots do not pass SMART on") {
    const CardConfig failing{.claimed = 64_MiB, .smart_critical_warning = 4};
    CHECK(reason(fits_slot(SlotKind::nvme, failing)) == "success");
    CHECK(reason(fits_slot(SlotKind::uas, failing)) ==
          "the card has SMART warnings, and a slot of the kind uas does not pass SMART on; choose the kind \"nvme\"");
}
