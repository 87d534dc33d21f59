// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/plant/hands.hpp"

using namespace mediarig::plant;
using mediarig::rigproto::Axis;
using Kind = PlantEvent::Kind;
using CardPlace = Card::CardPlace;

TEST_CASE("a card moves from its pocket into a reader and into a bin") {
    Hands rig;
    rig.pick(3);
    CHECK(rig.plant.holding());
    CHECK(rig.where(3) == CardPlace::cup);
    CHECK(rig.plant.sense().vacuum_mv > 2'300);
    CHECK(rig.happened() == std::vector{Kind::card_picked});

    rig.insert(1);
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.plant.cards().in_port(1) == 3);
    CHECK(rig.plant.sense().cards == 2);
    CHECK(rig.happened() == std::vector{Kind::card_inserted});

    rig.pull(1);
    CHECK(rig.plant.sense().cards == 0);
    CHECK(rig.happened() == std::vector{Kind::card_removed});
    const auto& geometry = rig.plant.config().geometry;
    rig.go_x(geometry.x_bin[2]);
    rig.go_z(geometry.z_bin);
    rig.vent();
    CHECK(rig.where(3) == CardPlace::bin);
    CHECK(rig.plant.cards()[3].index == 2);
    CHECK(rig.happened() == std::vector{Kind::card_binned});
    CHECK(rig.plant.hazards() == Hazards{});
}

TEST_CASE("a card keeps its name in every place") {
    Hands rig;
    rig.pick(3);
    rig.insert(0);
    rig.pick(5);
    rig.to_pocket(3);
    rig.go_z(rig.plant.config().geometry.z_pocket);
    rig.vent();
    CHECK(rig.plant.cards().in_pocket(3) == 5);
    CHECK(rig.plant.cards().in_port(0) == 3);
    const auto happened = rig.plant.take_events();
    REQUIRE(happened.size() == 4);
    CHECK(happened.back().kind == Kind::card_stored);
    CHECK(happened.back().place == 3);
    CHECK(happened.back().card == 5);
}

TEST_CASE("card-detect closes at its depth and bounces") {
    Hands rig;
    rig.pick(0);
    rig.to_port(0);
    const auto& config = rig.plant.config();
    rig.go_z(config.geometry.z_port - config.contact_depth - 1);
    CHECK(rig.plant.sense().cards == 0);
    rig.plant.step(Axis::z, 1, rig.plant.now() + milliseconds(1));
    CHECK(rig.plant.sense().cards == 1);
    int flickers = 0;
    std::uint8_t last = 1;
    while (const auto next = rig.plant.next_change()) {
        const std::uint8_t now = rig.plant.sense(*next).cards;
        if (now != last) ++flickers;
        last = now;
    }
    CHECK(flickers > 1);
    CHECK(last == 1);
}

TEST_CASE("a missing or porous card is not picked") {
    struct Row {
        const char* fault;
        bool card_stays;
    };
    for (const Row& row : {Row{"pocket 3 is empty", false}, Row{"the card in pocket 3 is porous", true},
                           Row{"the pump fails", true}, Row{"pocket 3 deviates by 50 steps", true}}) {
        CAPTURE(row.fault);
        Hands rig;
        REQUIRE(rig.say(row.fault) == "success");
        rig.pick(2);
        CHECK_FALSE(rig.plant.holding());
        CHECK(rig.plant.sense().vacuum_mv < 500);
        CHECK((rig.where(2) == CardPlace::pocket) == row.card_stays);
        CHECK(rig.happened().empty());
    }
}

TEST_CASE("a card that does not enter a reader returns with the cup") {
    for (const char* fault : {"card 1 is bent", "reader 1 deviates by 20 steps"}) {
        CAPTURE(fault);
        Hands rig;
        REQUIRE(rig.say(fault) == "success");
        rig.pick(0);
        rig.to_port(0);
        rig.go_z(rig.plant.config().geometry.z_port);
        CHECK(rig.plant.sense().cards == 0);
        rig.go_z(0);
        CHECK(rig.plant.holding());
        CHECK(rig.where(0) == CardPlace::cup);
    }
}

TEST_CASE("a reader with a broken contact holds a card without detection") {
    Hands rig;
    REQUIRE(rig.say("card-detect of reader 1 is broken") == "success");
    rig.pick(0);
    rig.insert(0);
    CHECK(rig.plant.cards().in_port(0) == 0);
    CHECK(rig.plant.sense().cards == 0);
    REQUIRE(rig.say("card-detect of reader 1 works") == "success");
    rig.wait(10);
    CHECK(rig.plant.sense().cards == 1);
}

TEST_CASE("a card stuck in its reader stays when the cup lifts") {
    Hands rig;
    REQUIRE(rig.say("card 1 sticks in readers") == "success");
    rig.pick(0);
    rig.insert(0);
    rig.pull(0);
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.plant.cards().in_port(0) == 0);
    rig.wait(200);
    CHECK(rig.plant.sense().vacuum_mv < 500);
}

TEST_CASE("a slippery card falls off on the way and is lost") {
    Hands rig;
    REQUIRE(rig.say("card 1 is slippery") == "success");
    rig.pick(0);
    rig.go_x(rig.plant.position(Axis::x) + 399);
    CHECK(rig.plant.holding());
    rig.go_x(rig.plant.position(Axis::x) + 1);
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.where(0) == CardPlace::lost);
    CHECK(rig.happened() == std::vector{Kind::card_picked, Kind::card_lost});
}

TEST_CASE("without the pump the closed jaw keeps a card, and the open jaw drops it") {
    Hands rig;
    rig.pick(0);
    REQUIRE(rig.say("the e-stop is pressed") == "success");
    rig.wait(10'000);
    CHECK(rig.plant.sense().vacuum_mv < 100);
    CHECK(rig.plant.holding());
    REQUIRE(rig.say("the e-stop is released") == "success");
    rig.set([](Actuators& a) { a.pump = false; });
    rig.arm();
    CHECK(rig.plant.holding());
    rig.set([](Actuators& a) { a.jaw_open = true; });
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.where(0) == CardPlace::lost);
}

TEST_CASE("a clinging card stays on the cup after its release until a hand removes it") {
    Hands rig;
    REQUIRE(rig.say("card 1 clings to the cup") == "success");
    rig.pick(0);
    rig.to_pocket(0);
    rig.go_z(rig.plant.config().geometry.z_pocket);
    rig.vent();
    rig.go_z(0);
    CHECK(rig.plant.holding());
    CHECK(rig.where(0) == CardPlace::cup);
    rig.suck();
    CHECK(rig.plant.sense().vacuum_mv > 2'000); // the vacuum of the pump shows the card on the cup
    REQUIRE(rig.say("the cup is emptied by hand") == "success");
    rig.wait(300);
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.where(0) == CardPlace::nowhere);
    CHECK(rig.plant.sense().vacuum_mv < 500);
}

TEST_CASE("a jaw that sticks closed keeps its card, and a jaw that sticks open picks no card") {
    Hands rig;
    rig.pick(0);
    REQUIRE(rig.say("the jaw sticks closed") == "success");
    rig.vent();
    CHECK(rig.plant.holding());
    REQUIRE(rig.say("the jaw works") == "success");
    rig.vent();
    CHECK_FALSE(rig.plant.holding());
    REQUIRE(rig.say("the jaw sticks open") == "success");
    rig.pick(1);
    CHECK_FALSE(rig.plant.holding());
    CHECK(rig.where(1) == CardPlace::pocket);
}

TEST_CASE("a spike inverts one input for less than a tick") {
    struct Row {
        const char* sentence;
        bool Sensors::*input;
    };
    for (const Row& row :
         {Row{"the x flag has a spike", &Sensors::x_home}, Row{"the z flag has a spike", &Sensors::z_home},
          Row{"the comb sensor has a spike", &Sensors::x_comb},
          Row{"the driver's input has a spike", &Sensors::driver_fault}}) {
        CAPTURE(row.sentence);
        Hands rig;
        rig.wait(100);
        const bool before = rig.plant.sense().*row.input;
        REQUIRE(rig.say(row.sentence) == "success");
        CHECK(rig.plant.sense().*row.input == !before);
        const auto end = rig.plant.next_change();
        REQUIRE(end);
        CHECK(*end - rig.plant.now() < microseconds(500));
        CHECK(rig.plant.sense(*end).*row.input == before);
    }
}

TEST_CASE("a card is taken from a reader by hand and returned to its pocket") {
    Hands rig;
    rig.pick(0);
    rig.insert(0);
    REQUIRE(rig.say("the card in reader 1 is pulled out") == "success");
    rig.wait(10);
    CHECK(rig.where(0) == CardPlace::nowhere);
    CHECK(rig.plant.sense().cards == 0);
    REQUIRE(rig.say("pocket 1 holds its card") == "success");
    CHECK(rig.plant.cards().in_pocket(0) == 0);
    CHECK(rig.happened() == std::vector{Kind::card_picked, Kind::card_inserted, Kind::card_removed});
}

TEST_CASE("the plant counts forbidden events") {
    Hands rig;
    rig.go_z(61);
    rig.go_x(201);
    CHECK(rig.plant.hazards().x_moved_with_z_down == 1);
    rig.go_z(0);
    rig.power(1, true);
    CHECK(rig.plant.hazards().empty_reader_switched_on == 1);
    rig.wait(100);
    rig.pick(0);
    rig.insert(1);
    CHECK(rig.plant.hazards().reached_into_live_port == 1);
    CHECK(rig.plant.hazards().card_moved_under_voltage == 1);
    rig.pull(1);
    CHECK(rig.plant.hazards().card_moved_under_voltage == 2);
    rig.to_pocket(1);
    rig.go_z(rig.plant.config().geometry.z_pocket);
    CHECK(rig.plant.hazards().card_pushed_onto_card > 0);
}

TEST_CASE("a new process finds the cards in their places, but the card on the cup has fallen") {
    Hands before;
    before.pick(0);
    before.insert(1);
    before.pick(2);
    Plant after(simulated_plant(8, 2));
    after.take_over(before.plant.cards());
    after.advance(milliseconds(10));
    CHECK(after.sense().cards == 2);
    CHECK(after.cards()[2].where == CardPlace::lost);
    CHECK(after.cards().in_pocket(3) == 3);
}
