// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/plant/hands.hpp"

using namespace mediarig::plant;
using mediarig::rigproto::Axis;

TEST_CASE("the home flag is covered from its edge on and clears with hysteresis") {
    Hands rig;
    rig.go_x(1);
    CHECK_FALSE(rig.plant.sense().x_home);
    rig.go_x(0);
    CHECK(rig.plant.sense().x_home);
    rig.go_x(2);
    CHECK(rig.plant.sense().x_home);
    rig.go_x(3);
    CHECK_FALSE(rig.plant.sense().x_home);
}

TEST_CASE("the home flag is covered only within its width") {
    PlantConfig config = simulated_plant(8, 2);
    config.x.flag_width = 30;
    Hands rig(config);
    rig.go_x(-30);
    CHECK(rig.plant.sense().x_home);
    rig.go_x(-31);
    CHECK_FALSE(rig.plant.sense().x_home);
}

TEST_CASE("steps against an end stop are lost without a report") {
    Hands rig;
    rig.go_x(-80);
    for (int i = 0; i < 100; ++i) rig.plant.step(Axis::x, -1, rig.plant.now() + milliseconds(1));
    CHECK_FALSE(rig.plant.sense().driver_fault);
    CHECK(rig.plant.position(Axis::x) == -80);
    rig.go_x(-79);
    CHECK(rig.go_x(13'061) == 1);
    CHECK(rig.plant.position(Axis::x) == 13'060);
}

TEST_CASE("unpowered motors do not turn") {
    Hands rig;
    rig.set([](Actuators& a) { a.motors_on = false; });
    CHECK(rig.go_x(210) == 10);
    rig.set([](Actuators& a) { a.motors_on = true; });
    REQUIRE(rig.say("the e-stop is pressed") == "success");
    CHECK(rig.go_x(210) == 10);
    rig.arm(); // with the chain open: without effect
    REQUIRE(rig.say("the e-stop is released") == "success");
    CHECK(rig.go_x(210) == 10); // a latch keeps the motors off after the e-stop is released
    rig.arm();
    CHECK(rig.go_x(210) == 0);
}

TEST_CASE("a weak motor loses steps above its speed limit and no steps below it") {
    Hands rig;
    REQUIRE(rig.say("the x motor is weak above 3000 steps/s") == "success");
    CHECK(rig.go(Axis::x, 300, 3'000) == 0);
    CHECK(rig.go(Axis::x, 400, 3'100) == 100);
    REQUIRE(rig.say("the x motor is strong") == "success");
    CHECK(rig.go(Axis::x, 400, 3'100) == 0);
}

TEST_CASE("the plant counts lost steps that the home switch does not reveal") {
    Hands rig;
    REQUIRE(rig.say("the z motor loses 40 steps") == "success");
    CHECK(rig.go_z(100) == 40);
    CHECK(rig.plant.position(Axis::z) == 60);
    CHECK_FALSE(rig.plant.sense().driver_fault);
}

TEST_CASE("motor drivers that are switched on with their supply report an error until the supply has risen") {
    Hands rig;
    rig.set([](Actuators& a) { a.motors_on = false; });
    REQUIRE(rig.say("the e-stop is pressed") == "success");
    rig.wait(10);
    REQUIRE(rig.say("the e-stop is released") == "success");
    rig.wait(10);
    rig.arm();
    CHECK_FALSE(rig.plant.sense().driver_fault);
    rig.set([](Actuators& a) { a.motors_on = true; });
    CHECK(rig.plant.sense().driver_fault);
    rig.wait(8);
    CHECK_FALSE(rig.plant.sense().driver_fault);
}

TEST_CASE("a jam holds the carriage from both sides until freed") {
    Hands rig;
    REQUIRE(rig.say("the carriage jams at 500") == "success");
    CHECK(rig.go_x(600) == 101);
    CHECK(rig.plant.position(Axis::x) == 499);
    CHECK_FALSE(rig.plant.sense().driver_fault);
    CHECK(rig.go_x(400) == 0);
    REQUIRE(rig.say("the carriage is freed") == "success");
    CHECK(rig.go_x(600) == 0);
    REQUIRE(rig.say("the driver reports an error") == "success");
    CHECK(rig.plant.sense().driver_fault);
}

TEST_CASE("a jam at a place acts when the carriage passes in either direction") {
    Hands rig;
    REQUIRE(rig.say("when the carriage passes 500, it jams") == "success");
    rig.go_x(600);
    CHECK(rig.plant.position(Axis::x) == 500);
    REQUIRE(rig.say("the carriage is freed") == "success");
    rig.go_x(600);
    REQUIRE(rig.say("when the carriage passes 500, it jams") == "success");
    rig.go_x(400);
    CHECK(rig.plant.position(Axis::x) == 500);
}

TEST_CASE("a broken home flag reports its forced state") {
    Hands rig;
    REQUIRE(rig.say("the x flag is stuck covered") == "success");
    CHECK(rig.plant.sense().x_home);
    REQUIRE(rig.say("the z flag is stuck open") == "success");
    CHECK_FALSE(rig.plant.sense().z_home);
    REQUIRE(rig.say("the x flag is fine") == "success");
    REQUIRE(rig.say("the z flag is fine") == "success");
    CHECK_FALSE(rig.plant.sense().x_home);
    CHECK(rig.plant.sense().z_home);
}

TEST_CASE("a drifting home flag is covered at another position on each approach") {
    Hands rig;
    REQUIRE(rig.say("the x flag wanders by 20 steps") == "success");
    const auto edge = [&] {
        rig.go_x(100);
        while (!rig.plant.sense().x_home) rig.go_x(rig.plant.position(Axis::x) - 1);
        return rig.plant.position(Axis::x);
    };
    const auto first = edge();
    const auto second = edge();
    CHECK(std::abs(first - second) == 20);
}

TEST_CASE("the safety chain bounces on both contacts") {
    for (const auto& [open, close] : {std::pair{"the e-stop is pressed", "the e-stop is released"},
                                      std::pair{"the door is opened", "the door is closed"}}) {
        Hands rig;
        REQUIRE(rig.plant.sense().safety_closed);
        REQUIRE(rig.say(open) == "success");
        CHECK_FALSE(rig.plant.sense().safety_closed);
        int changes = 0;
        bool last = false;
        while (const auto next = rig.plant.next_change()) {
            rig.plant.advance(*next);
            if (rig.plant.safety_closed() != last) ++changes;
            last = rig.plant.safety_closed();
        }
        CHECK(changes > 1);
        CHECK(changes % 2 == 0);
        CHECK_FALSE(last);
        REQUIRE(rig.say(close) == "success");
        rig.wait(10);
        CHECK(rig.plant.sense().safety_closed);
    }
}

TEST_CASE("an e-stop that an injection presses for a limited time is then released") {
    Hands rig;
    REQUIRE(rig.say("the e-stop is pressed for 2 s") == "success");
    rig.wait(1'999);
    CHECK_FALSE(rig.plant.sense().safety_closed);
    rig.wait(10);
    CHECK(rig.plant.sense().safety_closed);
}
