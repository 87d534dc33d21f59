// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/plant/hands.hpp"

using namespace mediarig::plant;
using Kind = PlantEvent::Kind;

namespace {
/// A rig with a card in reader 1, whose port is off.
struct Loaded : Hands {
    Loaded() {
        pick(0);
        insert(0);
        (void)happened();
    }
};
} // namespace

TEST_CASE("a port switched on charges its load linearly, then draws the load current") {
    Loaded rig;
    CHECK(rig.millivolts(0) == 0);
    rig.power(0, true);
    CHECK(rig.milliamperes(0) == 1'700); // the limit switch limits the inrush current
    rig.plant.advance(rig.plant.now() + microseconds(550));
    const auto halfway = rig.millivolts(0);
    CHECK(halfway > 2'000);
    CHECK(halfway < 3'000);
    rig.plant.advance(rig.plant.now() + microseconds(600));
    CHECK(rig.millivolts(0) == 5'026); // 5.05 V less 0.2 A through 0.12 Ohm
    CHECK(rig.milliamperes(0) == 200);
    CHECK(rig.happened() == std::vector{Kind::voltage_up});
    CHECK(rig.millivolts(1) == 0);
}

TEST_CASE("a port switched off decays and reports a voltage below 0.5 V") {
    Loaded rig;
    rig.power(0, true);
    rig.wait(100);
    rig.power(0, false);
    CHECK(rig.milliamperes(0) == 0);
    rig.wait(25);
    CHECK(rig.millivolts(0) == Approx(5'026 / 2.71828).margin(2));
    (void)rig.happened();
    const auto next = rig.plant.next_change();
    REQUIRE(next);
    rig.plant.advance(*next - 10'000);
    CHECK(rig.happened().empty());
    rig.plant.advance(*next);
    CHECK(rig.happened() == std::vector{Kind::voltage_down});
    CHECK(rig.millivolts(0) == 500);
}

TEST_CASE("a short circuit draws the limit current until the limit switch cuts off and reports this") {
    Loaded rig;
    rig.power(0, true);
    rig.wait(100);
    REQUIRE(rig.say("port 1 is shorted") == "success");
    CHECK(rig.milliamperes(0) == 1'700);
    CHECK(rig.millivolts(0) < 500);
    rig.wait(7);
    CHECK(rig.plant.sense().port_faults == 0);
    rig.wait(2);
    CHECK(rig.plant.sense().port_faults == 1);
    CHECK(rig.milliamperes(0) == 0);
    rig.power(0, false);
    CHECK(rig.plant.sense().port_faults == 0);
}

TEST_CASE("each fault of a port appears in the measurements") {
    struct Row {
        const char* fault;
        int on_mv, on_ma;   ///< 100 ms after the port was switched on
        int off_mv, off_ma; ///< 300 ms after the port was switched off
    };
    const Row rows[] = {
        {"port 1 is fine", 5'026, 200, 0, 0},
        {"port 1 draws 1000 mA more", 4'906, 1'200, 0, 0},
        {"port 1 is welded", 5'026, 200, 5'026, 200},
        {"port 1 is stuck on", 5'026, 200, 5'026, 200},
        {"port 1 has no voltage", 0, 0, 0, 0},
        {"port 1 is back-fed", 5'026, 200, 2'200, 0},
        {"port 1 discharges slowly", 5'026, 200, 3'914, 0},
        {"port 1 cuts off alone", 0, 0, 0, 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.fault);
        Loaded rig;
        REQUIRE(rig.say(row.fault) == "success");
        rig.power(0, true);
        rig.wait(100);
        CHECK(rig.millivolts(0) == Approx(row.on_mv).margin(150));
        CHECK(rig.milliamperes(0) == row.on_ma);
        rig.power(0, false);
        rig.wait(300);
        CHECK(rig.millivolts(0) == Approx(row.off_mv).margin(5));
        CHECK(rig.milliamperes(0) == row.off_ma);
    }
}

TEST_CASE("a repaired port works like a new port") {
    for (const char* fault : {"port 1 is shorted", "port 1 is welded", "port 1 is stuck on", "port 1 has no voltage",
                              "port 1 is back-fed", "port 1 cuts off alone", "port 1 draws 900 mA more"}) {
        CAPTURE(fault);
        Loaded rig;
        REQUIRE(rig.say(fault) == "success");
        rig.power(0, true);
        rig.wait(50);
        rig.power(0, false);
        rig.wait(500);
        REQUIRE(rig.say("port 1 is fine") == "success");
        rig.wait(500);
        CHECK(rig.millivolts(0) < 5);
        rig.power(0, true);
        rig.wait(50);
        CHECK(rig.millivolts(0) == 5'026);
        CHECK(rig.milliamperes(0) == 200);
        CHECK(rig.plant.sense().port_faults == 0);
    }
}

TEST_CASE("an empty reader draws less current than a reader with a card") {
    Hands rig;
    rig.power(1, true);
    rig.wait(100);
    CHECK(rig.milliamperes(1) == 80);
}
