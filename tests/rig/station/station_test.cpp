// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rig/station/station_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using Actions = std::vector<std::string>;
using Kind = FakeCard::Kind;
using rigproto::Bin;

namespace {

struct Station {
    FakeMagazine magazine;
    MemoryRigLog log;
    StationSetup setup = quick_setup();

    Station() {
        for (std::uint8_t pocket = 0; pocket < 3; ++pocket) magazine.put(pocket, {card_medium(pocket)});
    }
    void make(std::uint8_t pocket, Kind kind) { magazine.cards[pocket].kind = kind; }
    [[nodiscard]] StationLife life() { return StationLife(magazine, log, setup); }
};

} // namespace

TEST_CASE("a card is loaded, power-cycled before it is handed out and sorted by its verdict") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    const auto loaded = life.load(2);
    REQUIRE(reason(loaded) == "success");
    CHECK(loaded->medium.serial == "SERIAL-1");
    CHECK(journal_text(loaded->how, loaded->detachment) ==
          "port 1; supply cut (level 4): 12 mV at the lowest, gone after 143.0 ms, back after 1.2 ms");
    REQUIRE(loaded->detachment);
    CHECK(loaded->detachment->by() == "fake board");
    CHECK(life.rig.state_of(SlotId{2}) == SlotState::busy);
    CHECK(station.magazine.actions == Actions{"home", "load 1 -> 0", "on 0", "off 0", "on 0", "guard 1"});

    station.magazine.actions.clear();
    const auto unloaded = life.unload(2, Bin::fail);
    REQUIRE(reason(unloaded) == "success");
    CHECK(*unloaded == "into bin fail; supply cut (level 4): 12 mV at the lowest, gone after 143.0 ms");
    CHECK(station.magazine.actions == Actions{"guard 0", "off 0", "unload 0 -> bin 1"});
    CHECK(life.rig.state_of(SlotId{2}) == SlotState::binned);
    CHECK(*life.unload(2, Bin::fail) == "in no reader");
}

TEST_CASE("every action is in the ledger with its slot") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    REQUIRE(life.unload(1, std::nullopt));
    CHECK(station.log.jobs.size() == station.magazine.actions.size());
    for (const LoggedJob& job : station.log.jobs) CHECK(job.state == LoggedJob::State::done);
    CHECK(station.magazine.places[0] == "pocket 0");
}

TEST_CASE("a magazine that keeps its cards returns each to its pocket for any verdict") {
    Station station;
    station.setup.keeps_in_magazine = true;
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    CHECK_THAT(*life.unload(1, Bin::fail), ContainsSubstring("into pocket 1;"));
    CHECK(station.magazine.places[0] == "pocket 0");
}

TEST_CASE("a fault of one card sets its slot aside, and the next card is loaded") {
    struct Row {
        const char* what;
        Kind kind;
        const char* says;
        const char* ends_in;
    };
    const Row rows[] = {
        {"bent", Kind::bent, "slot 1: ", "pocket 0"},
        {"dead", Kind::dead, "slot 1: no block device appeared within 0 s after port 1 was switched on: a dead card",
         "bin 2"},
        {"shorted", Kind::shorted, "slot 1: ", "bin 2"},
        {"companion", Kind::companion, "appeared at the same time, but only one can be the card", "bin 2"},
        {"impostor", Kind::impostor, "another medium came back with the voltage", "bin 2"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Station station;
        station.make(0, row.kind);
        StationLife life(station.magazine, station.log, station.setup);
        const auto loaded = life.load(1);
        REQUIRE_FALSE(loaded);
        CHECK_THAT(loaded.error().detail, ContainsSubstring(row.says));
        CHECK((loaded.error().code == Errc::no_medium || loaded.error().code == Errc::refused));
        CHECK_FALSE(may_write(life.rig.state_of(SlotId{1})));
        CHECK(life.unload(1, Bin::retest));
        CHECK(station.magazine.places[0] == row.ends_in);
        CHECK(life.load(2));
        CHECK(life.unload(2, Bin::pass));
    }
}

TEST_CASE("a card present at the timeout is checked once more, since the host may have stalled") {
    Station station;
    station.setup.appears_within = station.setup.vanishes_within = std::chrono::milliseconds(-1);
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(reason(life.load(1)) == "success");
    CHECK(reason(life.unload(1, Bin::pass)) == "success");
}

TEST_CASE("a device that stays after power-off is not the card and never handed out") {
    Station station;
    station.setup.ports = 2;
    station.make(0, Kind::stays);
    StationLife life(station.magazine, station.log, station.setup);
    const auto loaded = life.load(1);
    REQUIRE_FALSE(loaded);
    CHECK_FALSE(may_write(life.rig.state_of(SlotId{1})));
}

TEST_CASE("a device at another port than the reader's is refused") {
    Station station;
    station.setup.reader_paths = {"2-7"};
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(reason(life.load(1)) ==
          "slot 1: /dev/sdb appeared at USB path '1-1', but the port's reader is declared at '2-7'");
    station.setup.reader_paths = {"1-1"};
    StationLife other(station.magazine, station.log, station.setup);
    CHECK(reason(other.load(1)) == "success");
}

TEST_CASE("an empty pocket is reported and set aside") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    const auto loaded = life.load(7);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Errc::no_medium);
    CHECK(*life.unload(7, Bin::retest) == "in no reader");
    CHECK(life.load(1));
}

TEST_CASE("a slot beyond the magazine is an invalid request") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(reason(life.load(9)) == "the rig has no slot 9: its magazine has 8 pockets");
    CHECK(station.magazine.actions.empty());
}

TEST_CASE(
    "after one jam the rig is cleared and homed and the slot is skipped, and two jams in a row are a fault of the "
    "rig") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    life.board.jams = {Pocket{0}};
    CHECK(life.load(1).error().code == Errc::no_medium);
    CHECK(station.magazine.actions == Actions{"home", "load 0 -> 0", "clear", "home"});
    REQUIRE(life.load(2));
    REQUIRE(life.unload(2, Bin::pass));

    life.board.jams = {Pocket{0}, Pocket{2}};
    CHECK(life.load(1).error().code == Errc::no_medium);
    CHECK(life.load(3).error().code == Errc::rig_fault);
    // The operator has inspected the rig, so the campaign may continue.
    StationLife again(station.magazine, station.log, station.setup);
    CHECK(again.load(3));
}

TEST_CASE("other latched faults stay until a manual reset") {
    for (const auto fault : {rigproto::Fault::card_dropped, rigproto::Fault::driver_fault, rigproto::Fault::internal}) {
        CAPTURE(static_cast<int>(fault));
        Station station;
        {
            StationLife life(station.magazine, station.log, station.setup);
            life.board.breaks[Pocket{0}] = fault;
            CHECK(life.load(1).error().code == Errc::rig_fault);
            CHECK(life.load(2).error().code == Errc::rig_fault);
            CHECK(station.magazine.actions == Actions{"home", "load 0 -> 0"});
        }
        {
            StationLife life(station.magazine, station.log, station.setup);
            CHECK_THAT(reason(life.load(2)), ContainsSubstring("then run mediarig rig reset"));
            CHECK(station.magazine.actions.size() == 2);
        }
        station.magazine.latched = false;
        StationLife life(station.magazine, station.log, station.setup);
        CHECK(reason(life.load(2)) == "success");
    }
}

TEST_CASE("a reader that contains an undetected card gets no other card, in this run or in the next run") {
    Station station;
    station.setup = quick_setup(8, 2);
    {
        StationLife life(station.magazine, station.log, station.setup);
        station.make(0, Kind::stuck);
        REQUIRE(life.load(1));
        station.magazine.blind.insert(PortIndex{0});
        CHECK(life.unload(1, Bin::pass).error().code == Errc::refused);
        REQUIRE(reason(life.load(2)) == "success");
        CHECK(station.magazine.places[1] == "port 1");
        REQUIRE(life.unload(2, Bin::pass));
    }
    // The reader is also blocked after the board has lost power and memory.
    for (const bool forgotten : {false, true}) {
        CAPTURE(forgotten);
        if (forgotten) station.magazine.remembered.clear();
        station.magazine.actions.clear();
        StationLife life(station.magazine, station.log, station.setup);
        const auto loaded = life.load(3);
        REQUIRE_FALSE(loaded);
        CHECK(loaded.error().code == Errc::rig_fault);
        CHECK_THAT(reason(loaded), ContainsSubstring("a card was put into reader 1 and is not detected there"));
        CHECK(station.magazine.actions.empty());
    }
}

TEST_CASE("an emergency stop is never cleared during a campaign, and by the next campaign only if released") {
    Station station;
    {
        StationLife life(station.magazine, station.log, station.setup);
        REQUIRE(life.load(1));
        CHECK_FALSE(life.rig_fault());
        life.board.press_estop();
        const auto rig_fault = life.rig_fault();
        REQUIRE(rig_fault);
        CHECK(rig_fault->code == Errc::rig_fault);
        CHECK_FALSE(may_write(life.rig.state_of(SlotId{1})));
        CHECK(life.unload(1, std::nullopt).error().code == Errc::rig_fault);
        CHECK(station.magazine.places[0] == "port 0");
    }
    {
        StationLife life(station.magazine, station.log, station.setup);
        CHECK(reason(life.load(1)) == "the emergency stop is pressed or a door is open; release it, then continue");
    }
    station.magazine.estop = false;
    StationLife life(station.magazine, station.log, station.setup);
    station.magazine.actions.clear();
    REQUIRE(life.load(1));
    // The campaign continues at its position: no card is picked again.
    CHECK(station.magazine.actions == Actions{"clear", "home", "on 0", "off 0", "on 0", "guard 1"});
}

TEST_CASE("a card left in the reader by another slot's attempt returns first") {
    Station station;
    {
        StationLife life(station.magazine, station.log, station.setup);
        REQUIRE(life.load(1));
    }
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(2));
    CHECK(station.magazine.places[0] == "pocket 0");
    CHECK(station.magazine.places[1] == "port 0");
}

TEST_CASE("an unknown card goes into the bin for unknown cards") {
    Station station;
    station.magazine.places[2] = "port 0";
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    CHECK(station.magazine.places[2] == "bin 3");
}

TEST_CASE("a ledger that cannot be written prevents every motion") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    station.log.fails_from = 0;
    CHECK(life.load(1).error().code == Errc::store_failed);
    CHECK(station.magazine.actions.empty());
}

TEST_CASE("a lost board sets no slot aside, and the campaign ends and can resume") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    life.board.lost = true;
    CHECK(life.rig_fault()->code == Errc::rig_fault);
    CHECK(life.unload(1, Bin::pass).error().code == Errc::rig_fault);
    CHECK(reason(life.load(2)) == "the board is gone");
    CHECK(life.load(2).error().code == Errc::rig_fault);
}

TEST_CASE("a load that host silence aborted is repeated and costs no slot") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    life.board.forgets = {Pocket{1}};
    REQUIRE(reason(life.load(2)) == "success");
    CHECK(station.magazine.places[1] == "port 0");
}

TEST_CASE("a port that loses power during a test is a fault of the rig, not of the card") {
    Station station;
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    CHECK_FALSE(life.rig_fault());
    station.magazine.powered.clear();
    CHECK_THAT(life.rig_fault()->detail, ContainsSubstring("port 1 lost its voltage while it was in use"));
}

TEST_CASE("cards are tested in all readers, and none is unloaded for another one") {
    Station station;
    station.setup = quick_setup(8, 2);
    // Devices that exist at the same time cannot have the same name.
    for (std::uint8_t pocket = 0; pocket < 3; ++pocket)
        station.magazine.cards[pocket].medium.node = "/dev/sd" + std::string(1, static_cast<char>('b' + pocket));
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(life.rig.lanes().most == 2);
    CHECK(life.rig.lanes().independent == 1);
    REQUIRE(reason(life.load(1)) == "success");
    REQUIRE(reason(life.load(2)) == "success");
    const auto third = life.load(3);
    REQUIRE_FALSE(third);
    CHECK(third.error().code == Errc::rig_fault);
    CHECK(station.magazine.places[0] == "port 0");
    CHECK(station.magazine.places[1] == "port 1");

    REQUIRE(reason(life.unload(1, Bin::pass)) == "success");
    CHECK(reason(life.load(3)) == "success");
    CHECK(station.magazine.places[1] == "port 1");
    CHECK(station.magazine.places[2] == "port 0");
}

TEST_CASE("a medium that is missing because of the emulation is not reported as faulty") {
    Station station;
    std::optional<Error> emulation;
    station.setup.trouble_of_emulation = [&] { return emulation; };
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    CHECK_FALSE(life.rig_fault());
    emulation = Error{Errc::rig_fault, "no card server"};
    CHECK(life.rig_fault() == emulation);
}
