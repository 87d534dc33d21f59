// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "tests/catch.hpp"
#include "tests/firmware/latches.hpp"
#include "tests/firmware/world.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;
using rigproto::HomeRequest;
using rigproto::JogRequest;
using rigproto::LoadRequest;
using rigproto::ParkRequest;
using rigproto::PowerRequest;

namespace {
/// Nothing is on, nothing moves, and nothing starts by itself for so long.
void check_rests(World& world, std::uint64_t us = 3'000'000) {
    const auto taken = world.steps.taken();
    const auto ports = world.outputs.ports_on;
    for (const std::uint64_t end = world.now_us + us; world.now_us < end;) {
        world.tick();
        REQUIRE(world.steps.taken() == taken);
        REQUIRE_FALSE(world.outputs.motors_on);
        REQUIRE_FALSE(world.outputs.pump);
        REQUIRE_FALSE(world.outputs.valve);
        REQUIRE((world.outputs.ports_on & ~ports) == 0);
    }
}
} // namespace

TEST_CASE("start: everything is off until the inputs have been seen, then unhomed") {
    World world;
    CHECK(world.state() == State::boot);
    CHECK(world.ask(HomeRequest{}) == Rejection{Reject::busy});
    world.tick();
    CHECK_FALSE(world.outputs.enabled);
    world.pass(25'000);
    CHECK(world.state() == State::unhomed);
    CHECK(world.outputs.enabled);
    check_rests(world);
    CHECK(world.history.empty()); // eight ports that were never on are no news
    CHECK(world.ask(LoadRequest{}) == Rejection{Reject::not_homed});
    CHECK(world.ask(JogRequest{.axis = Axis::x, .position = 5}) == Rejection{Reject::not_homed});
    CHECK(world.ask(rigproto::UnloadRequest{}) == Rejection{Reject::not_homed});
}

TEST_CASE("start: with the safety chain open it is latched from the beginning") {
    World world;
    world.broken.safety_open = true;
    world.pass(30'000);
    CHECK(world.fault() == Fault::estop);
    CHECK(world.ask(rigproto::ClearRequest{}) == refused_by(Interlock::safety_open));
    world.broken.safety_open = false;
    world.pass(21'000);
    CHECK(done(world.clear()));
    CHECK(world.state() == State::unhomed);
}

TEST_CASE("e-stop: the chain counts as closed again when it has been so for 20 ms without a break") {
    World world;
    world.ready();
    for (int bounce = 0; bounce < 5; ++bounce) {
        world.broken.safety_open = true;
        world.tick();
        world.broken.safety_open = false;
        world.pass(19'000);
        CHECK((world.machine.status().flags & rigproto::flag_safety_closed) == 0);
        CHECK(world.ask(rigproto::ClearRequest{}) == refused_by(Interlock::safety_open));
    }
    world.pass(2'000);
    CHECK((world.machine.status().flags & rigproto::flag_safety_closed) != 0);
    CHECK(done(world.clear()));
}

TEST_CASE("e-stop: at any moment of a load, one tick later everything is off and the position unknown") {
    for (const std::uint64_t at_us :
         {0ULL, 300'000ULL, 900'000ULL, 1'500'000ULL, 2'200'000ULL, 3'000'000ULL, 4'000'000ULL}) {
        CAPTURE(at_us);
        World world;
        world.ready().load(0, 0);
        REQUIRE(done(world.power(0, true)));
        REQUIRE(world.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        world.pass(at_us + 500);
        world.broken.safety_open = true;
        world.tick();
        CHECK_FALSE(world.outputs.enabled);
        CHECK(world.outputs.ports_on == 0);
        CHECK_FALSE(world.outputs.motors_on);
        CHECK(world.steps.halted());
        CHECK(world.state() == State::latched);
        CHECK(world.fault() == Fault::estop);
        CHECK((world.machine.status().flags & rigproto::flag_homed) == 0);
        CHECK(world.last().fault == Fault::estop);
        check_rests(world);
        // Release alone does nothing; CLEAR leads to unhomed, and no further.
        world.broken.safety_open = false;
        check_rests(world);
        CHECK(world.state() == State::latched);
        CHECK(done(world.clear()));
        CHECK(world.state() == State::unhomed);
        check_rests(world);
        CHECK(world.hazards.empty());
    }
}

TEST_CASE("e-stop: the interrupt stops the steps before the next tick, and a short press latches too") {
    World world;
    world.ready();
    REQUIRE(world.ask(JogRequest{.axis = Axis::x, .position = 9'000}).reject == Reject::none);
    world.pass(500'000);
    REQUIRE(world.steps.waiting());
    world.machine.safety_opened();
    world.steps.halt();
    firmware::Step step;
    CHECK_FALSE(world.steps.next(step));
    world.tick(); // the chain is closed again already
    CHECK(world.fault() == Fault::estop);
    check_rests(world);
    CHECK(done(world.clear()));
    CHECK(done(world.run(HomeRequest{})));
}

TEST_CASE("e-stop: it outranks another latched fault, which does not hide it") {
    World world;
    world.ready();
    world.machine.stop(world.now_us);
    CHECK(world.fault() == Fault::stopped);
    world.broken.safety_open = true;
    world.tick();
    CHECK(world.fault() == Fault::estop);
    world.machine.stop(world.now_us);
    CHECK(world.fault() == Fault::estop);
    CHECK(world.told(rigproto::EventKind::fault) == 2);
}

TEST_CASE("STOP: motion and vacuum are safe at once and latched, ports keep what they have") {
    World world;
    world.ready().load(0, 0);
    REQUIRE(done(world.power(0, true)));
    REQUIRE(world.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.on_cup && world.x > 4'000; }));
    world.machine.stop(world.now_us);
    const auto taken = world.steps.taken();
    world.tick();
    CHECK(world.steps.taken() == taken);
    CHECK(world.last().fault == Fault::stopped);
    CHECK(world.outputs.ports_on == 1);
    CHECK(world.outputs.enabled);
    check_rests(world);
    CHECK(world.outputs.ports_on == 1);
    world.machine.stop(world.now_us); // repeated until confirmed
    CHECK(world.told(rigproto::EventKind::fault) == 1);
    CHECK(done(world.power(0, false))); // off is always allowed
    CHECK(world.ask(PowerRequest{.port = 0, .on = 1}) == Rejection{Reject::latched});
    CHECK(done(world.clear()));
    CHECK(world.told(rigproto::EventKind::cleared) == 1);
    CHECK(done(world.run(HomeRequest{})));
    CHECK(world.hazards.empty());
}

TEST_CASE("lease lost: a jog ramps to a stop and nothing new starts by itself") {
    World world;
    world.ready();
    REQUIRE(world.ask(JogRequest{.axis = Axis::x, .position = 13'000}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.x > 4'000; }));
    const std::int32_t from = world.x;
    world.machine.lease_lost(world.now_us);
    CHECK(world.finish().fault == Fault::lease);
    CHECK(world.x - from > 300);                     // v^2 / 2a = 450 steps from full speed: it did not stop dead
    CHECK(world.x - from < 520);                     // and not much later
    CHECK(world.steps.position(Axis::x) == world.x); // the position is still known
    CHECK(world.state() == State::ready);
    CHECK(world.fault() == Fault::none);
    const auto taken = world.steps.taken();
    world.pass(2'000'000);
    CHECK(world.steps.taken() == taken);
}

TEST_CASE("lease lost: homing ramps to a stop and is not done") {
    World world;
    world.x = 9'000;
    world.pass(30'000);
    REQUIRE(world.ask(HomeRequest{}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.x < 8'000; }));
    world.machine.lease_lost(world.now_us);
    CHECK(world.finish().fault == Fault::lease);
    CHECK(world.state() == State::unhomed);
    CHECK(world.x > 7'900);
    CHECK(done(world.run(HomeRequest{})));
}

TEST_CASE("lease lost: while motors are energised for homing, nothing has to ramp") {
    World world;
    world.pass(30'000);
    REQUIRE(world.ask(HomeRequest{}).reject == Reject::none);
    world.pass(50'000);
    world.machine.lease_lost(world.now_us);
    CHECK(world.finish().fault == Fault::lease);
    CHECK(world.steps.taken() == 0);
    CHECK_FALSE(world.outputs.motors_on);
}

TEST_CASE("lease lost: a load goes on to its hold point, Z up with nothing on the cup, and only there it ends") {
    // Every tenth of a second of a load.
    for (std::uint64_t at_us = 500; at_us < 6'000'000; at_us += 100'000) {
        CAPTURE(at_us);
        World world;
        world.ready();
        REQUIRE(world.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        world.pass(at_us);
        const bool carried = world.on_cup || world.readers[4];
        const bool picking = world.outputs.pump; // the cup may hold on to the card in the very next moment
        if (world.last().state != JobState::running) break;
        world.machine.lease_lost(world.now_us);
        const auto job = world.finish();
        CHECK(world.z <= world.rig.home_tolerance);
        CHECK_FALSE(world.on_cup);
        CHECK_FALSE(world.outputs.pump);
        CHECK(world.state() == State::ready);
        CHECK(world.fallen == 0);
        if (carried) {
            CHECK(done(job)); // a card cannot hang on the cup for ever: first it is brought to its place
            CHECK(world.readers[4]);
        } else {
            CHECK((job.fault == Fault::lease || picking));
            CHECK((world.pockets[9] || picking));
        }
        CHECK(world.hazards.empty());
    }
}

TEST_CASE("lease lost: on the way to a pocket, with an empty cup, the carriage ramps to a stop") {
    World world;
    world.ready();
    REQUIRE(world.ask(LoadRequest{.pocket = 29, .port = 4}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.x > 2'000; }));
    world.machine.lease_lost(world.now_us);
    CHECK(world.finish().fault == Fault::lease);
    CHECK(world.x > 2'300);
    CHECK(world.x < 2'600);
    CHECK(world.z <= world.rig.home_tolerance);
    CHECK(world.state() == State::ready);
}

TEST_CASE("lease lost for 30 s: the rig parks, ports go off but for guarded ones") {
    World world;
    world.ready().load(0, 0);
    world.load(1, 1);
    REQUIRE(done(world.run(JogRequest{.axis = Axis::x, .position = 0})));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::z, .position = 300})));
    REQUIRE(done(world.power(0, true)));
    REQUIRE(done(world.power(1, true)));
    REQUIRE(done(world.run(rigproto::GuardRequest{.ports = 2})));
    world.machine.lease_lost(world.now_us);
    world.pass(100'000);
    CHECK(world.outputs.ports_on == 3);
    world.machine.lease_parked(world.now_us);
    REQUIRE(world.until([&] { return world.state() == State::parked; }));
    CHECK(world.outputs.ports_on == 2);
    CHECK(world.z <= world.rig.home_tolerance);
    CHECK_FALSE(world.outputs.motors_on);
    CHECK((world.machine.status().flags & rigproto::flag_homed) == 0);
    check_rests(world);
    CHECK(world.ask(LoadRequest{.pocket = 2, .port = 2}) == Rejection{Reject::not_homed});
    CHECK(done(world.run(HomeRequest{}))); // when the host is back
    CHECK(world.outputs.ports_on == 2);
    CHECK(world.hazards.empty());
}

TEST_CASE("lease lost for 30 s: a guarded port has its longest time too") {
    World world;
    world.ready().load(0, 0);
    REQUIRE(done(world.power(0, true)));
    REQUIRE(done(world.run(rigproto::GuardRequest{.ports = 1})));
    world.machine.lease_parked(world.now_us);
    world.pass(firmware::guard_longest_us - 1'000);
    CHECK(world.outputs.ports_on == 1);
    world.pass(2'000);
    CHECK(world.outputs.ports_on == 0);
}

TEST_CASE("lease lost for 30 s: a latched rig stays latched, its ports go off") {
    World world;
    world.ready().load(0, 0);
    REQUIRE(done(world.power(0, true)));
    world.machine.stop(world.now_us);
    world.machine.lease_parked(world.now_us);
    world.pass(10'000);
    CHECK(world.state() == State::latched);
    CHECK(world.outputs.ports_on == 0);
}

TEST_CASE("park: Z up, motors off, and only homing leads out") {
    World world;
    world.ready();
    REQUIRE(done(world.run(JogRequest{.axis = Axis::z, .position = 500})));
    REQUIRE(done(world.run(ParkRequest{})));
    CHECK(world.state() == State::parked);
    CHECK(world.z <= world.rig.home_tolerance);
    check_rests(world);
    CHECK(world.ask(JogRequest{.axis = Axis::x, .position = 5}) == Rejection{Reject::not_homed});
    CHECK(done(world.run(HomeRequest{})));
    CHECK(world.state() == State::ready);
    World unhomed;
    unhomed.pass(30'000);
    CHECK(done(unhomed.run(ParkRequest{})));
    CHECK(unhomed.state() == State::parked);
}

TEST_CASE("clear: with nothing latched it does nothing") {
    World world;
    world.ready();
    CHECK(done(world.clear()));
    CHECK(world.state() == State::ready);
    CHECK(world.told(rigproto::EventKind::cleared) == 0);
}

TEST_CASE("bootloader: all is safe, and the answer has time to leave") {
    World world;
    world.ready().load(0, 0);
    REQUIRE(done(world.power(0, true)));
    CHECK(world.ask(rigproto::BootloaderRequest{}) == refused_by(Interlock::port_powered));
    REQUIRE(done(world.power(0, false)));
    REQUIRE(done(world.run(rigproto::BootloaderRequest{})));
    CHECK_FALSE(world.outputs.enter_bootloader);
    CHECK(world.ask(HomeRequest{}) == Rejection{Reject::busy});
    REQUIRE(world.until([&] { return world.outputs.enter_bootloader; }, 300'000));
    CHECK_FALSE(world.outputs.motors_on);
    CHECK(world.outputs.ports_on == 0);
}

TEST_CASE("voltage that comes up in the reader in which the cup is: it neither goes on nor out") {
    for (const bool lifting : {false, true}) {
        CAPTURE(lifting);
        World world;
        world.ready();
        REQUIRE(world.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        if (lifting)
            REQUIRE(world.until([&] { return world.readers[4]; }));
        else
            REQUIRE(world.until([&] { return world.x == 7'600 && world.z > 500; }));
        world.broken.welded = 0x10;
        REQUIRE(world.until([&] { return world.millivolts[4] >= 500; }));
        const auto job = world.finish();
        CHECK(world.state() == State::latched);
        CHECK(job.fault == Fault::port_welded);
        CHECK(world.machine.status().fault_detail == 4);
        CHECK(world.z > 0);
        CHECK(world.ask(rigproto::ClearRequest{}).reject == Reject::none);
        world.pass(1'000);
        // Out of there only once it is off.
        CHECK(world.ask(HomeRequest{}) == refused_by(Interlock::port_powered));
        world.broken.welded = 0;
        world.pass(300'000);
        CHECK(done(world.run(HomeRequest{})));
    }
}

TEST_CASE("every fault that latches says so, and nothing restarts by itself after it") {
    struct Row {
        Fault fault;
        void (*cause)(World&);
    };
    const Row rows[] = {
        {Fault::estop, [](World& w) { w.broken.safety_open = true; }},
        {Fault::stopped, [](World& w) { w.machine.stop(w.now_us); }},
        {Fault::jam, [](World& w) { w.broken.z_flag = Sensor::stuck_off; }},
        {Fault::driver_fault, [](World& w) { w.broken.driver_fault = true; }},
        {Fault::card_dropped, [](World& w) { w.broken.drops_at_x = w.x + 500; }},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.fault));
        World world;
        world.ready();
        REQUIRE(world.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        REQUIRE(world.until([&] { return world.on_cup && world.x > 3'000; }));
        row.cause(world);
        CHECK(world.finish().fault == row.fault);
        CHECK(firmware::latches(row.fault));
        CHECK(world.fault() == row.fault);
        world.broken = Breakage{};
        check_rests(world);
        CHECK(world.fault() == row.fault);
        for (const Rejection& rejection :
             {world.ask(HomeRequest{}), world.ask(LoadRequest{}), world.ask(ParkRequest{}),
              world.ask(JogRequest{.axis = Axis::x, .position = 0}), world.ask(rigproto::UnloadRequest{})})
            CHECK(rejection == Rejection{Reject::latched});
        CHECK(done(world.clear()));
        CHECK(world.state() == State::unhomed);
        check_rests(world);
        CHECK(world.hazards.empty());
    }
}
