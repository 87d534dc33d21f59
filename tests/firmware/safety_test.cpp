// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "tests/catch.hpp"
#include "tests/firmware/latches.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;
using rigproto::HomeRequest;
using rigproto::JogRequest;
using rigproto::LoadRequest;
using rigproto::ParkRequest;
using rigproto::PowerRequest;

namespace {
/// Checks that nothing is on, moves or starts without a request for this time.
void check_rests(RigModel& model, std::uint64_t us = 3'000'000) {
    const auto taken = model.steps.taken();
    const auto ports = model.outputs.ports_on;
    for (const std::uint64_t end = model.now_us + us; model.now_us < end;) {
        model.tick();
        REQUIRE(model.steps.taken() == taken);
        REQUIRE_FALSE(model.outputs.motors_on);
        REQUIRE_FALSE(model.outputs.pump);
        REQUIRE_FALSE(model.outputs.valve);
        REQUIRE((model.outputs.ports_on & ~ports) == 0);
    }
}
} // namespace

TEST_CASE("start: all outputs are off until the inputs are read, then the rig is unhomed") {
    RigModel model;
    CHECK(model.state() == State::boot);
    CHECK(model.ask(HomeRequest{}) == Rejection{Reject::busy});
    model.tick();
    CHECK_FALSE(model.outputs.enabled);
    model.pass(25'000);
    CHECK(model.state() == State::unhomed);
    CHECK(model.outputs.enabled);
    check_rests(model);
    CHECK(model.history.empty()); // eight unpowered ports give no event
    CHECK(model.ask(LoadRequest{}) == Rejection{Reject::not_homed});
    CHECK(model.ask(JogRequest{.axis = Axis::x, .position = 5}) == Rejection{Reject::not_homed});
    CHECK(model.ask(rigproto::UnloadRequest{}) == Rejection{Reject::not_homed});
}

TEST_CASE("start: an open safety chain latches a fault from the beginning") {
    RigModel model;
    model.broken.safety_open = true;
    model.pass(30'000);
    CHECK(model.fault() == Fault::estop);
    CHECK(model.ask(rigproto::ClearRequest{}) == refused_by(Interlock::safety_open));
    model.broken.safety_open = false;
    model.pass(21'000);
    CHECK(done(model.clear()));
    CHECK(model.state() == State::unhomed);
}

TEST_CASE("e-stop: the chain counts as closed after 20 ms without a break") {
    RigModel model;
    model.ready();
    for (int bounce = 0; bounce < 5; ++bounce) {
        model.broken.safety_open = true;
        model.tick();
        model.broken.safety_open = false;
        model.pass(19'000);
        CHECK((model.machine.status().flags & rigproto::flag_safety_closed) == 0);
        CHECK(model.ask(rigproto::ClearRequest{}) == refused_by(Interlock::safety_open));
    }
    model.pass(2'000);
    CHECK((model.machine.status().flags & rigproto::flag_safety_closed) != 0);
    CHECK(done(model.clear()));
}

TEST_CASE("e-stop: one tick after an e-stop at any moment of a load, all outputs are off and the position is unknown") {
    for (const std::uint64_t at_us :
         {0ULL, 300'000ULL, 900'000ULL, 1'500'000ULL, 2'200'000ULL, 3'000'000ULL, 4'000'000ULL}) {
        CAPTURE(at_us);
        RigModel model;
        model.ready().load(0, 0);
        REQUIRE(done(model.power(0, true)));
        REQUIRE(model.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        model.pass(at_us + 500);
        model.broken.safety_open = true;
        model.tick();
        CHECK_FALSE(model.outputs.enabled);
        CHECK(model.outputs.ports_on == 0);
        CHECK_FALSE(model.outputs.motors_on);
        CHECK(model.steps.halted());
        CHECK(model.state() == State::latched);
        CHECK(model.fault() == Fault::estop);
        CHECK((model.machine.status().flags & rigproto::flag_homed) == 0);
        CHECK(model.last().fault == Fault::estop);
        check_rests(model);
        // A release alone has no effect. CLEAR leads to unhomed only.
        model.broken.safety_open = false;
        check_rests(model);
        CHECK(model.state() == State::latched);
        CHECK(done(model.clear()));
        CHECK(model.state() == State::unhomed);
        check_rests(model);
        CHECK(model.hazards.empty());
    }
}

TEST_CASE("e-stop: the interrupt stops the steps before the next tick, and a short press latches") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(JogRequest{.axis = Axis::x, .position = 9'000}).reject == Reject::none);
    model.pass(500'000);
    REQUIRE(model.steps.waiting());
    model.machine.safety_opened();
    model.steps.halt();
    firmware::MotorStep step;
    CHECK_FALSE(model.steps.next(step));
    model.tick(); // the chain is already closed again
    CHECK(model.fault() == Fault::estop);
    check_rests(model);
    CHECK(done(model.clear()));
    CHECK(done(model.run(HomeRequest{})));
}

TEST_CASE("e-stop: the fault of an e-stop replaces a latched STOP, and a later STOP does not replace it") {
    RigModel model;
    model.ready();
    model.machine.stop(model.now_us);
    CHECK(model.fault() == Fault::stopped);
    model.broken.safety_open = true;
    model.tick();
    CHECK(model.fault() == Fault::estop);
    model.machine.stop(model.now_us);
    CHECK(model.fault() == Fault::estop);
    CHECK(model.told(rigproto::EventKind::fault) == 2);
}

TEST_CASE("STOP: motion and vacuum are safe at once, the rig latches, and the ports keep their state") {
    RigModel model;
    model.ready().load(0, 0);
    REQUIRE(done(model.power(0, true)));
    REQUIRE(model.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.on_cup && model.x > 4'000; }));
    model.machine.stop(model.now_us);
    const auto taken = model.steps.taken();
    model.tick();
    CHECK(model.steps.taken() == taken);
    CHECK(model.last().fault == Fault::stopped);
    CHECK(model.outputs.ports_on == 1);
    CHECK(model.outputs.enabled);
    check_rests(model);
    CHECK(model.outputs.ports_on == 1);
    model.machine.stop(model.now_us); // repeated until confirmed
    CHECK(model.told(rigproto::EventKind::fault) == 1);
    CHECK(done(model.power(0, false))); // off is always allowed
    CHECK(model.ask(PowerRequest{.port = 0, .on = 1}) == Rejection{Reject::latched});
    CHECK(done(model.clear()));
    CHECK(model.told(rigproto::EventKind::cleared) == 1);
    CHECK(done(model.run(HomeRequest{})));
    CHECK(model.hazards.empty());
}

TEST_CASE("lease lost: a jog ramps to a stop and nothing starts without a request") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(JogRequest{.axis = Axis::x, .position = 13'000}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.x > 4'000; }));
    const std::int32_t from = model.x;
    model.machine.lease_lost(model.now_us);
    CHECK(model.finish().fault == Fault::lease);
    // v^2 / 2a = 450 steps from full speed: the carriage did not stop abruptly
    CHECK(model.x - from > 300);
    CHECK(model.x - from < 520);                     // and the carriage did not move much further
    CHECK(model.steps.position(Axis::x) == model.x); // the position is still known
    CHECK(model.state() == State::ready);
    CHECK(model.fault() == Fault::none);
    const auto taken = model.steps.taken();
    model.pass(2'000'000);
    CHECK(model.steps.taken() == taken);
}

TEST_CASE("lease lost: homing ramps to a stop, and the rig stays unhomed") {
    RigModel model;
    model.x = 9'000;
    model.pass(30'000);
    REQUIRE(model.ask(HomeRequest{}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.x < 8'000; }));
    model.machine.lease_lost(model.now_us);
    CHECK(model.finish().fault == Fault::lease);
    CHECK(model.state() == State::unhomed);
    CHECK(model.x > 7'900);
    CHECK(done(model.run(HomeRequest{})));
}

TEST_CASE("lease lost: energising the motors for homing needs no ramp") {
    RigModel model;
    model.pass(30'000);
    REQUIRE(model.ask(HomeRequest{}).reject == Reject::none);
    model.pass(50'000);
    model.machine.lease_lost(model.now_us);
    CHECK(model.finish().fault == Fault::lease);
    CHECK(model.steps.taken() == 0);
    CHECK_FALSE(model.outputs.motors_on);
}

TEST_CASE("lease lost: a load continues to its hold point with Z up and an empty cup") {
    // The lease is lost at every tenth of a second of a load.
    for (std::uint64_t at_us = 500; at_us < 6'000'000; at_us += 100'000) {
        CAPTURE(at_us);
        RigModel model;
        model.ready();
        REQUIRE(model.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        model.pass(at_us);
        const bool carried = model.on_cup || model.readers[4];
        const bool picking = model.outputs.pump; // the cup may grip the card in the next moment
        if (model.last().state != JobState::running) break;
        model.machine.lease_lost(model.now_us);
        const auto job = model.finish();
        CHECK(model.z <= model.rig.home_tolerance);
        CHECK_FALSE(model.on_cup);
        CHECK_FALSE(model.outputs.pump);
        CHECK(model.state() == State::ready);
        CHECK(model.fallen == 0);
        if (carried) {
            CHECK(done(job)); // a card cannot stay on the cup: the job brings the card to its place first
            CHECK(model.readers[4]);
        } else {
            CHECK((job.fault == Fault::lease || picking));
            CHECK((model.pockets[9] || picking));
        }
        CHECK(model.hazards.empty());
    }
}

TEST_CASE("lease lost: on the way to a pocket with an empty cup the carriage ramps to a stop") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(LoadRequest{.pocket = 29, .port = 4}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.x > 2'000; }));
    model.machine.lease_lost(model.now_us);
    CHECK(model.finish().fault == Fault::lease);
    CHECK(model.x > 2'300);
    CHECK(model.x < 2'600);
    CHECK(model.z <= model.rig.home_tolerance);
    CHECK(model.state() == State::ready);
}

TEST_CASE("lease lost for 30 s: the rig parks and switches unguarded ports off") {
    RigModel model;
    model.ready().load(0, 0);
    model.load(1, 1);
    REQUIRE(done(model.power(0, true)));
    REQUIRE(done(model.power(1, true)));
    REQUIRE(done(model.run(rigproto::GuardRequest{.ports = 2})));
    REQUIRE(model.x > 5'000);
    model.machine.lease_lost(model.now_us);
    model.pass(100'000);
    CHECK(model.outputs.ports_on == 3);
    model.machine.lease_parked(model.now_us);
    REQUIRE(model.until([&] { return model.state() == State::parked; }));
    CHECK(model.outputs.ports_on == 2);
    CHECK(model.z <= model.rig.home_tolerance);
    CHECK(model.x <= 0); // the cup is above no reader
    CHECK_FALSE(model.outputs.motors_on);
    CHECK((model.machine.status().flags & rigproto::flag_homed) == 0);
    check_rests(model);
    CHECK(model.ask(LoadRequest{.pocket = 2, .port = 2}) == Rejection{Reject::not_homed});
    CHECK(done(model.run(HomeRequest{}))); // when the host is back
    CHECK(model.outputs.ports_on == 2);
    CHECK(model.hazards.empty());
}

TEST_CASE("lease lost for 30 s: a guarded port stays on for a limited time") {
    RigModel model;
    model.ready().load(0, 0);
    REQUIRE(done(model.power(0, true)));
    REQUIRE(done(model.run(rigproto::GuardRequest{.ports = 1})));
    model.machine.lease_parked(model.now_us);
    model.pass(firmware::guard_longest_us - 1'000);
    CHECK(model.outputs.ports_on == 1);
    model.pass(2'000);
    CHECK(model.outputs.ports_on == 0);
}

TEST_CASE("lease lost for 30 s: a latched rig stays latched, and its ports are switched off") {
    RigModel model;
    model.ready().load(0, 0);
    REQUIRE(done(model.power(0, true)));
    model.machine.stop(model.now_us);
    model.machine.lease_parked(model.now_us);
    model.pass(10'000);
    CHECK(model.state() == State::latched);
    CHECK(model.outputs.ports_on == 0);
}

TEST_CASE("park: Z is up, the motors are off, and only homing ends the parked state") {
    RigModel model;
    model.ready();
    REQUIRE(done(model.run(JogRequest{.axis = Axis::z, .position = 500})));
    REQUIRE(done(model.run(ParkRequest{})));
    CHECK(model.state() == State::parked);
    CHECK(model.z <= model.rig.home_tolerance);
    check_rests(model);
    CHECK(model.ask(JogRequest{.axis = Axis::x, .position = 5}) == Rejection{Reject::not_homed});
    CHECK(done(model.run(HomeRequest{})));
    CHECK(model.state() == State::ready);
    RigModel unhomed;
    unhomed.pass(30'000);
    CHECK(done(unhomed.run(ParkRequest{})));
    CHECK(unhomed.state() == State::parked);
}

TEST_CASE("clear: the request has no effect without a latched fault") {
    RigModel model;
    model.ready();
    CHECK(done(model.clear()));
    CHECK(model.state() == State::ready);
    CHECK(model.told(rigproto::EventKind::cleared) == 0);
}

TEST_CASE("bootloader: before the jump the rig is made safe and the answer is sent") {
    RigModel model;
    model.ready().load(0, 0);
    REQUIRE(done(model.power(0, true)));
    CHECK(model.ask(rigproto::BootloaderRequest{}) == refused_by(Interlock::port_powered));
    REQUIRE(done(model.power(0, false)));
    REQUIRE(done(model.run(rigproto::BootloaderRequest{})));
    CHECK_FALSE(model.outputs.enter_bootloader);
    CHECK(model.ask(HomeRequest{}) == Rejection{Reject::busy});
    REQUIRE(model.until([&] { return model.outputs.enter_bootloader; }, 300'000));
    CHECK_FALSE(model.outputs.motors_on);
    CHECK(model.outputs.ports_on == 0);
}

TEST_CASE("voltage in the reader that contains the cup stops all motion") {
    for (const bool lifting : {false, true}) {
        CAPTURE(lifting);
        RigModel model;
        model.ready();
        REQUIRE(model.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        if (lifting)
            REQUIRE(model.until([&] { return model.readers[4]; }));
        else
            REQUIRE(model.until([&] { return model.x == 7'600 && model.z > 500; }));
        model.broken.welded = 0x10;
        REQUIRE(model.until([&] { return model.millivolts[4] >= 500; }));
        const auto job = model.finish();
        CHECK(model.state() == State::latched);
        CHECK(job.fault == Fault::port_welded);
        CHECK(model.machine.status().fault_detail == 4);
        CHECK(model.z > 0);
        CHECK(model.ask(rigproto::ClearRequest{}).reject == Reject::none);
        model.pass(1'000);
        // Motion is possible only after the port is switched off.
        CHECK(model.ask(HomeRequest{}) == refused_by(Interlock::port_powered));
        model.broken.welded = 0;
        model.pass(300'000);
        CHECK(done(model.run(HomeRequest{})));
    }
}

TEST_CASE("every latching fault is reported, and nothing restarts after it") {
    struct Row {
        Fault fault;
        void (*cause)(RigModel&);
    };
    const Row rows[] = {
        {Fault::estop, [](RigModel& w) { w.broken.safety_open = true; }},
        {Fault::stopped, [](RigModel& w) { w.machine.stop(w.now_us); }},
        {Fault::jam, [](RigModel& w) { w.broken.z_flag = Sensor::stuck_off; }},
        {Fault::driver_fault, [](RigModel& w) { w.broken.driver_fault = true; }},
        {Fault::card_dropped, [](RigModel& w) { w.broken.drops_at_x = w.x + 500; }},
    };
    for (const Row& row : rows) {
        CAPTURE(static_cast<int>(row.fault));
        RigModel model;
        model.ready();
        REQUIRE(model.ask(LoadRequest{.pocket = 9, .port = 4}).reject == Reject::none);
        REQUIRE(model.until([&] { return model.on_cup && model.x > 3'000; }));
        row.cause(model);
        CHECK(model.finish().fault == row.fault);
        CHECK(firmware::latches(row.fault));
        CHECK(model.fault() == row.fault);
        model.broken = Breakage{};
        check_rests(model);
        CHECK(model.fault() == row.fault);
        for (const Rejection& rejection :
             {model.ask(HomeRequest{}), model.ask(LoadRequest{}), model.ask(ParkRequest{}),
              model.ask(JogRequest{.axis = Axis::x, .position = 0}), model.ask(rigproto::UnloadRequest{})})
            CHECK(rejection == Rejection{Reject::latched});
        CHECK(done(model.clear()));
        CHECK(model.state() == State::unhomed);
        check_rests(model);
        CHECK(model.hazards.empty());
    }
}
