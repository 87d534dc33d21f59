// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>

#include "common/rigproto/simulated_rig.hpp"
#include "host/rig/config/rig_config.hpp"
#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/scratch.hpp"

namespace {

namespace rig = mediarig::rig;
using mediarig::Errc;

std::string faults_of(const std::string& text) {
    const auto parsed = rig::parse_rig(text);
    return parsed ? "none" : fmt::format("{}", fmt::join(parsed.error(), "; "));
}

} // namespace

TEST_CASE("an empty rig file describes the simulated rig without the nest") {
    const auto parsed = rig::parse_rig(R"({"mediarig_rig": 1})");
    REQUIRE(parsed);
    auto want = mediarig::rigproto::simulated_rig();
    want.x_nest = want.z_nest = 0;
    CHECK(parsed->board == want);
    CHECK(parsed->lease == std::chrono::milliseconds(3000));
    CHECK(parsed->path.empty());
    CHECK(parsed->reader_paths.empty());
}

TEST_CASE("every member of a rig file is stored in its field of the board's configuration") {
    const auto parsed = rig::parse_rig(R"({
        "mediarig_rig": 1, "name": "bench 1",
        "board": {"path": "/dev/serial/by-id/x", "serial": "00AA", "lease_ms": 2000},
        "magazine": {"pockets": 8, "first": 11, "pitch": 200},
        "readers": {"count": 2, "first": 2013, "pitch": 214, "usb": ["1-2", "1-3"]},
        "bins": {"pass": 3015, "fail": 3216, "retest": 3417, "unknown": 3618, "used": false},
        "x": {"travel": 5000, "speed": 19, "acceleration": 20, "comb": 33},
        "z": {"travel": 300, "speed": 21, "acceleration": 22, "pocket": 23, "reader": 24, "bin": 25, "picked_mv": 26},
        "homing": {"speed": 27, "tolerance": 28},
        "nest": {"x": 4031, "z": 32},
        "power": {"limit_ma": 100, "inrush_limit_ma": 200, "inrush_window_ms": 29, "trip_ma": 300, "idle_ma": 30}})");
    REQUIRE(parsed);
    CHECK(parsed->name == "bench 1");
    CHECK(parsed->path == "/dev/serial/by-id/x");
    CHECK(parsed->board_serial == "00AA");
    CHECK(parsed->lease == std::chrono::milliseconds(2000));
    CHECK(parsed->reader_paths == std::vector<std::string>{"1-2", "1-3"});
    CHECK_FALSE(parsed->sorts_into_bins);
    mediarig::rigproto::Config want;
    want.pockets = 8;
    want.ports = 2;
    want.x_first_pocket = 11;
    want.x_pocket_pitch = 200;
    want.x_first_port = 2013;
    want.x_port_pitch = 214;
    want.x_bin = {3015, 3216, 3417, 3618};
    want.x_travel = 5000;
    want.z_travel = 300;
    want.x_speed = 19;
    want.x_acceleration = 20;
    want.z_speed = 21;
    want.z_acceleration = 22;
    want.z_pocket = 23;
    want.z_port = 24;
    want.z_bin = 25;
    want.vacuum_picked_mv = 26;
    want.home_speed = 27;
    want.home_tolerance = 28;
    want.port_limit_ma = 100;
    want.inrush_limit_ma = 200;
    want.inrush_window_ms = 29;
    want.trip_ma = 300;
    want.idle_ma = 30;
    want.x_nest = 4031;
    want.z_nest = 32;
    want.x_comb = 33;
    CHECK(parsed->board == want);
}

TEST_CASE("a rig file without pockets describes a rig without a carriage, whatever its positions") {
    const auto rig = rig::parse_rig(R"({"mediarig_rig": 1, "magazine": {"pockets": 0, "first": 1, "pitch": 900000}})");
    REQUIRE(rig);
    CHECK(rig->board.pockets == 0);
}

TEST_CASE("bins can share one position") {
    const auto rig = rig::parse_rig(
        R"({"mediarig_rig": 1, "bins": {"pass": 10000, "fail": 10000, "retest": 10000, "unknown": 10000}})");
    CHECK(rig);
}

TEST_CASE("a fault in a rig file is reported with its position") {
    struct Row {
        const char* text;
        const char* fault;
    };
    const Row rows[] = {
        {"[]", "/: must be an object, is an empty list"},
        {"{}", "/mediarig_rig: is missing; add \"mediarig_rig\": 1, the version of this kind of file"},
        {R"({"mediarig_rig": 2})", "/mediarig_rig: is 2, and this mediarig reads version 1"},
        {R"({"mediarig_rig": 1, "magazin": {}})", "/magazin: unknown member; did you mean \"magazine\"?"},
        {R"({"mediarig_rig": 1, "magazine": {"pockets": 31}})",
         "/magazine/pockets: must be a whole number from 0 to 30, is 31"},
        {R"({"mediarig_rig": 1, "readers": {"count": 0}})", "/readers/count: must be a whole number from 1 to 8, is 0"},
        {R"({"mediarig_rig": 1, "board": {"lease_ms": 500}})",
         "/board/lease_ms: must be a whole number from 1000 to 5000, is 500"},
        {R"({"mediarig_rig": 1, "magazine": {"pitch": 900}})",
         "/magazine: puts pocket 30 at 26300 steps, beyond the travel of 13000"},
        {R"({"mediarig_rig": 1, "readers": {"first": 9000}})",
         "/readers: puts reader 8 at 13200 steps, beyond the travel of 13000"},
        {R"({"mediarig_rig": 1, "bins": {"fail": 13001}})",
         "/bins: puts a bin at 13001 steps, beyond the travel of 13000"},
        {R"({"mediarig_rig": 1, "z": {"reader": 1201}})",
         "/z/reader: puts the cup at 1201 steps, beyond the travel of 1200"},
        {R"({"mediarig_rig": 1, "nest": {"x": 1}})",
         "/nest/z: is missing; give the depth at which a card touches the contacts"},
        {R"({"mediarig_rig": 1, "nest": {"x": 1, "z": 0}})", "/nest/z: must be a whole number from 1 to 1000000, is 0"},
        {R"({"mediarig_rig": 1, "nest": {"x": 13001, "z": 700}})",
         "/nest/x: puts the nest at 13001 steps, beyond the travel of 13000"},
        {R"({"mediarig_rig": 1, "x": {"comb": 8}})",
         "/x/comb: is 8, not above the tolerance of 8: a missing tooth would not be detected"},
        {R"({"mediarig_rig": 1, "bins": {"pass": 5200}})",
         "/bins: puts bin pass at 5200 steps, and reader 1 is at 5200: they must be 73 steps apart (a comb tooth "
         "and its tolerance)"},
        {R"({"mediarig_rig": 1, "magazine": {"pockets": 8}, "readers": {"first": 1260}})",
         "/readers: puts reader 1 at 1260 steps, and pocket 8 is at 1320: they must be 73 steps apart (a comb tooth "
         "and its tolerance)"},
        {R"({"mediarig_rig": 1, "nest": {"x": 200, "z": 700}})",
         "/nest/x: puts the nest at 200 steps, and pocket 1 is at 200: they must be 73 steps apart (a comb tooth "
         "and its tolerance)"},
        {R"({"mediarig_rig": 1, "magazine": {"pitch": 72}})",
         "/magazine: puts pocket 2 at 272 steps, and pocket 1 is at 200: they must be 73 steps apart (a comb tooth "
         "and its tolerance)"},
        {R"({"mediarig_rig": 1, "power": {"inrush_window_ms": 4}})",
         "/power/inrush_window_ms: must be a whole number from 5 to 1000, is 4"},
        {R"({"mediarig_rig": 1, "readers": {"usb": ["1-1", "1-2", "1-1"]}})",
         "/readers/usb/2: is already the path of reader 1; each reader has a different path"},
        {R"({"mediarig_rig": 1, "power": {"trip_ma": 1300}})",
         "/power/trip_ma: is 1300, below the allowed inrush current (1400): every card would trip"},
        {R"({"mediarig_rig": 1, "power": {"trip_ma": 3000}})",
         "/power/trip_ma: must be a whole number from 1 to 1600, is 3000"},
        {R"({"mediarig_rig": 1, "power": {"inrush_limit_ma": 800}})",
         "/power/inrush_limit_ma: is 800, below the limit after the inrush (900)"},
        {R"({"mediarig_rig": 1, "power": {"idle_ma": 900}})",
         "/power/idle_ma: is 900, not below the limit of a working port (900)"},
        {R"({"mediarig_rig": 1, "readers": {"count": 1, "usb": ["1-1", "1-2"]}})",
         "/readers/usb: names 2 readers, the rig has 1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(faults_of(row.text) == row.fault);
    }
}

TEST_CASE("an unreadable rig file gives a one-line error with the file name") {
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("mediarig-rig-config-{}", ::getpid());
    std::filesystem::create_directories(folder);
    const auto missing = rig::read_rig(folder / "none.json");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == Errc::io_failed);
    CHECK_THAT(missing.error().detail, ContainsSubstring("none.json cannot be read: No such file"));

    CHECK(reason(rig::read_rig("/dev/zero")) == "the rig file /dev/zero is not a regular file");
    std::ofstream(folder / "rig.json") << R"({"mediarig_rig": 1, "a": 1, "b": 1, "c": 1, "d": 1})";
    const auto broken = rig::read_rig(folder / "rig.json");
    REQUIRE_FALSE(broken);
    CHECK(broken.error().code == Errc::bad_request);
    CHECK_THAT(broken.error().detail, ContainsSubstring("rig.json: /a: unknown member"));
    CHECK_THAT(broken.error().detail, ContainsSubstring("; and 1 more"));
    CHECK(broken.error().detail.find('\n') == std::string::npos);

    std::ofstream(folder / "rig.json") << R"({"mediarig_rig": 1, "name": "good"})";
    const auto good = rig::read_rig(folder / "rig.json");
    CHECK(reason(good) == "success");
    if (good) CHECK(good->name == "good");
    std::filesystem::remove_all(folder);
}

TEST_CASE("the documented schema has exactly the parsed members") {
    std::ifstream file(MEDIARIG_DOCS_DIR "/schemas/rig.schema.json");
    const auto schema = nlohmann::json::parse(file);
    // Every default in the schema is that of the code: a file of defaults is the default rig.
    nlohmann::json all{{"mediarig_rig", 1}};
    for (const auto& [section, what] : schema.at("properties").items()) {
        if (!what.contains("properties")) continue;
        for (const auto& [member, value] : what.at("properties").items())
            if (value.contains("default")) all[section][member] = value.at("default");
    }
    CHECK(all.size() == 9);
    const auto parsed = rig::parse_rig(all.dump());
    INFO((parsed ? std::string{} : parsed.error().front()));
    REQUIRE(parsed);
    // Only a nest has no default: a rig without a nest omits it.
    auto want = rig::default_rig().board;
    want.x_nest = want.z_nest = 0;
    CHECK(parsed->board == want);
    CHECK(schema.at("properties").at("nest").at("properties").size() == 2);
    CHECK(parsed->lease == rig::default_rig().lease);
    std::size_t numbers = 0;
    for (const auto& section : all)
        if (section.is_object()) numbers += section.size();
    // The schema has all 28 values of the configuration, the lease and the used bins.
    CHECK(numbers == 30);
}

TEST_CASE("the rig file of the building guide is valid and describes a rig without a carriage") {
    const std::string guide = mediarig::tests::text_of(MEDIARIG_DOCS_DIR "/guide/build-a-rig.md");
    constexpr std::string_view fence = "```json\n";
    const auto begin = guide.find(fence);
    REQUIRE(begin != std::string::npos);
    const std::string text = guide.substr(begin + fence.size(), guide.find("```", begin + 1) - begin - fence.size());
    CHECK(faults_of(text) == "none");
    CHECK(rig::parse_rig(text)->board.pockets == 0);
}

TEST_CASE("the slots of a rig without a carriage have a description of their power source") {
    const auto parsed = rig::parse_rig(R"({
        "mediarig_rig": 1, "readers": {"count": 2, "usb": ["1-2", "1-3"]},
        "slots": [{"power": "board", "reader": 2, "usb": "1-3"},
                  {"power": "hub", "port": "1-1.4.2"},
                  {"power": "plug", "plug": "tasmota:desk@localhost", "serial": "S1"},
                  {"power": "enclosure", "id": "d601", "plug": "shelly2:shelf@10.0.0.2:1884", "serial": "S2"},
                  {"power": "enclosure", "id": "c703", "serial": "S3"},
                  {"power": "none"}]})");
    REQUIRE(parsed);
    CHECK(parsed->board.pockets == 0);
    REQUIRE(parsed->slots.size() == 6);
    CHECK(parsed->slots[0] == rig::BankSlot{.power = rig::BoardPower{rig::PortIndex{1}}, .usb = "1-3", .serial = {}});
    CHECK(parsed->slots[1].power == rig::SlotPower(rig::HubPower{{.hub = "1-1.4", .number = 2}}));
    CHECK(rig::text_of(parsed->slots[2].power) == "mains plug tasmota:desk@localhost");
    CHECK(rig::text_of(parsed->slots[3].power) == "enclosure d601 at mains plug shelly2:shelf@10.0.0.2:1884");
    CHECK(rig::text_of(parsed->slots[4].power) == "enclosure c703, the operator at the cable");
    CHECK(rig::text_of(parsed->slots[5].power) == "a person");
}

TEST_CASE("a magazine without pockets makes every reader a slot powered by the board") {
    const auto parsed =
        rig::parse_rig(R"({"mediarig_rig": 1, "magazine": {"pockets": 0}, "readers": {"count": 2, "usb": ["1-2"]}})");
    REQUIRE(parsed);
    CHECK(parsed->slots ==
          std::vector<rig::BankSlot>{{.power = rig::BoardPower{rig::PortIndex{0}}, .usb = "1-2", .serial = {}},
                                     {.power = rig::BoardPower{rig::PortIndex{1}}, .usb = {}, .serial = {}}});
}

TEST_CASE("slots that cannot be switched alone or belong to no device are refused with the position") {
    const auto slots = [](const std::string& list, const std::string& more = "") {
        return faults_of(R"({"mediarig_rig": 1, "slots": [)" + list + "]" + more + "}");
    };
    CHECK_THAT(slots(R"({"power": "hub", "port": "1-1.2"}, {"power": "hub", "port": "1-1.2"})"),
               ContainsSubstring("/slots/1: is switched together with slot 1"));
    CHECK_THAT(slots(R"({"power": "plug", "plug": "tasmota:a@b", "serial": "S"},
                        {"power": "enclosure", "id": "x", "plug": "tasmota:a@b", "serial": "T"})"),
               ContainsSubstring("/slots/1: is switched together with slot 1"));
    CHECK_THAT(slots(R"({"power": "plug", "plug": "tasmota:a@b"})"), ContainsSubstring("add its \"serial\""));
    CHECK_THAT(slots(R"({"power": "plug", "plug": "desk", "serial": "S"})"), ContainsSubstring("is not a plug"));
    CHECK_THAT(slots(R"({"power": "hub"})"), ContainsSubstring("give the USB path"));
    CHECK_THAT(slots(R"({"power": "sun"})"), ContainsSubstring("/slots/0/power"));
    CHECK_THAT(slots(R"({"power": "none", "reader": 1})"), ContainsSubstring("/slots/0/reader"));
    CHECK_THAT(slots(""), ContainsSubstring("/slots: contains no slot"));
    CHECK_THAT(slots(R"({"power": "board", "reader": 3})", R"(, "readers": {"count": 2})"),
               ContainsSubstring("/slots/0/reader: is 3, and the rig has 2 readers"));
    CHECK_THAT(slots(R"({"power": "none"})", R"(, "magazine": {"pockets": 3})"),
               ContainsSubstring("/slots: are only for a rig without a carriage"));
}
