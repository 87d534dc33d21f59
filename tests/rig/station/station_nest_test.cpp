// SPDX-License-Identifier: GPL-3.0-or-later
/// A station whose rig has an identity nest: each card is read there before its reader.
#include "tests/rig/station/station_fixture.hpp"

using namespace mediarig;
using namespace mediarig::rig;
using rigproto::Bin;

namespace {

struct NestStation {
    FakeMagazine magazine;
    MemoryRigLog log;
    StationSetup setup = quick_setup();

    [[nodiscard]] auto times(const std::string& action) const { return std::ranges::count(magazine.actions, action); }
    NestStation() {
        setup.has_nest = true;
        for (std::uint8_t pocket = 0; pocket < 3; ++pocket) magazine.put(pocket, {card_medium(pocket)});
    }
};

std::string cid_of(const Result<LoadResult>& loaded) {
    return loaded && loaded->nest ? sd_identity(*loaded->nest).cid : "not read";
}

} // namespace

TEST_CASE("each card is read on the nest before its reader and handed out with its registers") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    const auto first = life.load(1);
    REQUIRE(reason(first) == "success");
    CHECK(station.magazine.actions ==
          std::vector<std::string>{"home", "identify 0", "load 0 -> 0", "on 0", "off 0", "on 0", "guard 1"});
    CHECK(cid_of(first) == "275048534431364730da89b80000fb61");
    REQUIRE(life.unload(1, Bin::pass));
    CHECK(cid_of(life.load(2)) == "275048534431364730da89b80100fb61");
}

TEST_CASE("a card that does not answer on the nest is loaded, and the failure is reported") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    life.board.silent_on_nest = {Pocket{0}};
    const auto loaded = life.load(1);
    REQUIRE(reason(loaded) == "success");
    REQUIRE(loaded->nest);
    CHECK(loaded->nest->report.end == rigproto::NestEnd::no_answer);
    CHECK(cid_of(loaded).empty());
}

TEST_CASE("a rig without a nest takes no card to a nest") {
    NestStation station;
    station.setup.has_nest = false;
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(cid_of(life.load(1)) == "not read");
    CHECK(station.times("identify 0") == 0);
}

TEST_CASE("a card left in its reader by an earlier run returns and is read before it is handed out") {
    NestStation station;
    {
        StationLife life(station.magazine, station.log, station.setup);
        REQUIRE(life.load(1));
    }
    station.magazine.actions.clear();
    StationLife life(station.magazine, station.log, station.setup);
    CHECK(cid_of(life.load(1)) == "275048534431364730da89b80000fb61");
    CHECK(station.magazine.actions == std::vector<std::string>{"guard 0", "off 0", "unload 0 -> pocket 0", "identify 0",
                                                               "load 0 -> 0", "on 0", "off 0", "on 0", "guard 1"});
    // A card read in this run is not read again.
    station.magazine.actions.clear();
    CHECK(cid_of(life.load(1)) == "275048534431364730da89b80000fb61");
    CHECK(station.times("identify 0") == 0);
}

TEST_CASE("after a fault on the way to the nest one slot is skipped, and the next slot is loaded") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    const auto empty = life.load(7);
    REQUIRE_FALSE(empty);
    CHECK(empty.error().code == Errc::no_medium);
    CHECK(*life.unload(7, Bin::retest) == "in no reader");

    life.board.jams = {Pocket{0}};
    station.magazine.actions.clear();
    CHECK(life.load(1).error().code == Errc::no_medium);
    CHECK(station.magazine.actions == std::vector<std::string>{"identify 0", "clear", "home"});
    CHECK(life.load(2));
    REQUIRE(life.unload(2, Bin::pass));

    life.board.jams = {Pocket{0}, Pocket{2}};
    CHECK(life.load(1).error().code == Errc::no_medium);
    CHECK(life.load(3).error().code == Errc::rig_fault);
}

TEST_CASE("a reading on the nest that host silence aborted is repeated") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    life.board.forgets = {Pocket{1}};
    CHECK(cid_of(life.load(2)) == "275048534431364730da89b80100fb61");
}

TEST_CASE("a board that lost the card registers it had read is a fault of the rig, not of the card") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    life.board.forgets_readings = true;
    const auto loaded = life.load(1);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().code == Errc::rig_fault);
    CHECK_THAT(loaded.error().detail, ContainsSubstring("lost the card registers that it had read"));
}

TEST_CASE("a board lost on the way to the nest ends the campaign and sets no slot aside") {
    NestStation station;
    StationLife life(station.magazine, station.log, station.setup);
    REQUIRE(life.load(1));
    REQUIRE(life.unload(1, Bin::pass));
    life.board.lost = true;
    CHECK(life.load(2).error().code == Errc::rig_fault);
}
