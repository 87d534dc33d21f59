// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <functional>
#include <vector>

#include "tests/catch.hpp"
#include "tests/rig/driver_fixture.hpp"

using namespace mediarig::rig;
namespace rigproto = mediarig::rigproto;
using rigproto::Op;
using rigproto::Reject;

TEST_CASE("every operation has its own request and a description that counts places from 1") {
    struct Row {
        const char* words;
        std::function<Board::Answer<RigJobOutcome>(SerialBoard&)> ask;
        Op op;
        std::vector<std::uint8_t> behind_the_job;
        Operation logged;
    };
    const Row rows[] = {
        {"home", [](SerialBoard& rig) { return rig.home(); }, Op::home, {}, Home{}},
        {"load pocket 3 into reader 2",
         [](SerialBoard& rig) { return rig.load(Pocket{2}, PortIndex{1}); },
         Op::load,
         {2, 1},
         Load{Pocket{2}, PortIndex{1}}},
        {"unload reader 2 into pocket 3",
         [](SerialBoard& rig) { return rig.unload(PortIndex{1}, Pocket{2}); },
         Op::unload,
         {1, 0, 2},
         Unload{PortIndex{1}, Pocket{2}}},
        {"unload reader 1 into bin unknown",
         [](SerialBoard& rig) { return rig.unload(PortIndex{0}, rigproto::Bin::unknown); },
         Op::unload,
         {0, 1, 3},
         Unload{PortIndex{0}, rigproto::Bin::unknown}},
        {"power on port 3",
         [](SerialBoard& rig) { return rig.power_on(PortIndex{2}); },
         Op::power,
         {2, 1},
         Power{PortIndex{2}, true}},
        {"power off port 3",
         [](SerialBoard& rig) { return rig.power_off(PortIndex{2}); },
         Op::power,
         {2, 0},
         Power{PortIndex{2}, false}},
        {"clear", [](SerialBoard& rig) { return rig.clear(); }, Op::clear, {}, Clear{}},
        {"park", [](SerialBoard& rig) { return rig.park(); }, Op::park, {}, Park{}},
        {"guard ports 0x05",
         [](SerialBoard& rig) { return rig.guard(PortSet{0b101}); },
         Op::guard,
         {5},
         Guard{PortSet{0b101}}},
        {"read the card on the nest", [](SerialBoard& rig) { return rig.read_nest(); }, Op::nest_read, {}, NestRead{}},
        {"identify the card of pocket 30",
         [](SerialBoard& rig) { return rig.identify(Pocket{29}); },
         Op::identify,
         {29},
         Identify{Pocket{29}}},
        {"mark reader 1, 3 as empty",
         [](SerialBoard& rig) { return rig.declare_empty(PortSet{0b101}); },
         Op::empty,
         {5},
         Empty{PortSet{0b101}}},
        {"jog z to 1000",
         [](SerialBoard& rig) { return rig.jog(rigproto::Axis::z, 1000); },
         Op::jog,
         {1, 0xE8, 3, 0, 0},
         Jog{rigproto::Axis::z, 1000}},
        {"start the boot loader",
         [](SerialBoard& rig) { return rig.enter_bootloader(); },
         Op::bootloader,
         {0x42, 0x4F, 0x4F, 0x54},
         Bootloader{}},
    };
    DriverFixture fixture;
    fixture.open();
    fixture.board.refuses = [](const rigproto::Frame& frame) {
        const bool job = rigproto::changes_state(static_cast<Op>(frame.op));
        return job ? std::optional(rigproto::Rejection{rigproto::Reject::out_of_range, {}}) : std::nullopt;
    };
    for (const Row& row : rows) {
        CAPTURE(row.words);
        const auto refused = fixture.bench.run(row.ask(*fixture.rig));
        CHECK(reason(refused) == "the rig refuses to " + std::string(row.words) + ": this rig has no such place");
        CHECK(fixture.log.jobs.back().intent.what == row.logged);
        const auto& heard = fixture.board.heard;
        const auto asked = std::find_if(heard.rbegin(), heard.rend(), [&](const rigproto::Frame& frame) {
            return frame.op == static_cast<std::uint8_t>(row.op);
        });
        REQUIRE(asked != heard.rend());
        const auto payload = asked->payload();
        REQUIRE(payload.size() >= 4);
        CHECK(payload[0] == fixture.log.jobs.back().job);
        CHECK(std::vector<std::uint8_t>(payload.begin() + 4, payload.end()) == row.behind_the_job);
    }
}

TEST_CASE("a refusal has a text for the requested operation") {
    DriverFixture fixture;
    fixture.settings.config.pockets = 0;
    fixture.open();
    rigproto::Rejection why{Reject::out_of_range, {}};
    fixture.board.refuses = [&](const rigproto::Frame& frame) {
        const bool job = rigproto::changes_state(static_cast<Op>(frame.op));
        return job ? std::optional(why) : std::nullopt;
    };
    const auto told = [&](Board::Answer<RigJobOutcome> asked) { return reason(fixture.bench.run(std::move(asked))); };
    const std::string none = ": this rig has no carriage: its rig file has a magazine without pockets";
    CHECK(told(fixture.rig->home()) == "the rig refuses to home" + none);
    CHECK(told(fixture.rig->park()) == "the rig refuses to park" + none);
    CHECK(told(fixture.rig->load(Pocket{0}, PortIndex{0})) == "the rig refuses to load pocket 1 into reader 1" + none);
    CHECK(told(fixture.rig->unload(PortIndex{0}, Pocket{0})) ==
          "the rig refuses to unload reader 1 into pocket 1" + none);
    CHECK(told(fixture.rig->identify(Pocket{0})) == "the rig refuses to identify the card of pocket 1" + none);
    CHECK(told(fixture.rig->power_on(PortIndex{7})) ==
          "the rig refuses to power on port 8: this rig has no such place");
    fixture.settings.config.pockets = 8;
    fixture.settings.config.z_nest = 0;
    fixture.rig.reset();
    fixture.open();
    CHECK(told(fixture.rig->identify(Pocket{0})) ==
          "the rig refuses to identify the card of pocket 1: this rig has no identity nest: its rig file does not "
          "describe a nest");
    CHECK_THAT(told(fixture.rig->load(Pocket{7}, PortIndex{7})), ContainsSubstring("this rig has no such place"));
    why = {Reject::latched, {}};
    CHECK(told(fixture.rig->clear()) ==
          "the rig refuses to clear: the cause of the stop is still present; mediarig rig status shows it");
    CHECK_THAT(told(fixture.rig->power_on(PortIndex{0})), ContainsSubstring("then run mediarig rig reset"));
}

TEST_CASE("the refusal of a configuration because of occupied or powered readers names these readers") {
    DriverFixture fixture;
    fixture.board.hello.status.cards = 0b1;
    fixture.board.hello.status.occupied = 0b1000;
    fixture.board.hello.status.powered = 0b10;
    const auto refused_by = [&](rigproto::Interlock interlock) {
        fixture.board.refuses = [interlock](const rigproto::Frame& frame) {
            const bool config = frame.op == static_cast<std::uint8_t>(Op::config);
            return config ? std::optional(rigproto::Rejection{Reject::interlock, interlock}) : std::nullopt;
        };
        return fixture.opening().detail;
    };
    CHECK_THAT(refused_by(rigproto::Interlock::card_present),
               ContainsSubstring("in readers (now 1, 4): take the cards out"));
    CHECK_THAT(refused_by(rigproto::Interlock::port_powered),
               ContainsSubstring("voltage (now 2): switch the ports off"));
    CHECK_THAT(refused_by(rigproto::Interlock::pump_running), ContainsSubstring("a card is on the cup"));
}

TEST_CASE("before a load, the ledger proves a reader empty if the board does not know whether it is empty") {
    DriverFixture fixture;
    fixture.board.hello.status.unproven = 0b111;
    fixture.log.jobs = {
        {.job = 1, .intent = {.what = Load{Pocket{4}, PortIndex{0}}}, .state = LoggedJob::State::unknown},
        {.job = 2, .intent = {.what = Load{Pocket{5}, PortIndex{1}}}, .state = LoggedJob::State::done},
        {.job = 3, .intent = {.what = Unload{PortIndex{1}, rigproto::Bin::pass}}, .state = LoggedJob::State::done}};
    fixture.open();
    // The reader may contain a card, and no operator has declared it empty: the board refuses the load.
    CHECK(fixture.bench.run(fixture.rig->load(Pocket{6}, PortIndex{0})));
    CHECK(fixture.board.count(Op::empty) == 0);
    CHECK(fixture.bench.run(fixture.rig->load(Pocket{6}, PortIndex{1})));
    REQUIRE(fixture.board.count(Op::empty) == 1);
    const auto said = std::find_if(fixture.log.jobs.begin(), fixture.log.jobs.end(), [](const LoggedJob& job) {
        return job.intent.what == Operation{Empty{PortSet{2}}};
    });
    CHECK(said != fixture.log.jobs.end());
    CHECK(fixture.bench.run(fixture.rig->unload(PortIndex{1}, rigproto::Bin::pass)));
    CHECK(
        fixture.bench.run(fixture.rig->load(Pocket{7}, PortIndex{1}))); // the board now knows that the reader is empty
    CHECK(fixture.board.count(Op::empty) == 1);
}
