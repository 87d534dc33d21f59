// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/world.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;
using rigproto::HomeRequest;
using rigproto::JogRequest;
using rigproto::LoadRequest;
using rigproto::ParkRequest;
using rigproto::PowerRequest;
using rigproto::UnloadRequest;

namespace {
/// Ready; a card in reader 0, which has voltage, and one in reader 1, which has none.
struct Working : World {
    Working() {
        ready();
        load(0, 0);
        load(1, 1);
        power(0, true);
    }
};
} // namespace

TEST_CASE("no motion into or out of a reader with voltage, others may have it") {
    Working world;
    CHECK(world.ask(UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    world.readers[0] = false; // as if somebody had taken it: card-detect bounces for a while yet
    CHECK(world.ask(LoadRequest{.pocket = 3, .port = 0}) == refused_by(Interlock::port_powered));
    world.readers[0] = true;
    CHECK(done(world.unload_to_bin(1, 0)));
    CHECK(done(world.load(3, 2)));
    CHECK(world.outputs.ports_on == 1);
    CHECK(world.hazards.empty());
}

TEST_CASE("no motion before the port has been measured to be off, however long it was commanded") {
    Working world;
    REQUIRE(world.ask(PowerRequest{.port = 0, .on = 0}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.outputs.ports_on == 0; }));
    CHECK(world.ask(UnloadRequest{.port = 0}) == Rejection{Reject::busy});
    CHECK(done(world.finish()));
    CHECK(done(world.unload_to_bin(0, 0)));
}

TEST_CASE("Z does not go down into a reader with voltage by a jog, nor X with Z down") {
    Working world;
    REQUIRE(done(world.run(JogRequest{.axis = Axis::x, .position = 5'200})));
    CHECK(world.ask(JogRequest{.axis = Axis::z, .position = 100}) == refused_by(Interlock::port_powered));
    // Nor beside it: which reader this is, only the count says.
    REQUIRE(done(world.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    CHECK(world.ask(JogRequest{.axis = Axis::z, .position = 100}) == refused_by(Interlock::port_powered));
    REQUIRE(done(world.power(0, false)));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::z, .position = 100})));
    CHECK(world.ask(JogRequest{.axis = Axis::x, .position = 0}) == refused_by(Interlock::z_not_retracted));
    CHECK(done(world.run(JogRequest{.axis = Axis::z, .position = 0})));
    CHECK(done(world.run(JogRequest{.axis = Axis::x, .position = 0})));
    CHECK(world.hazards.empty());
}

TEST_CASE("no voltage while the cup is down in that reader, or nobody knows where it is") {
    Working world;
    REQUIRE(done(world.power(0, false)));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::z, .position = 900})));
    CHECK(world.ask(PowerRequest{.port = 1, .on = 1}) == refused_by(Interlock::z_not_retracted));
    CHECK(done(world.power(0, true))); // of another one
    world.machine.stop(world.now_us);
    REQUIRE(done(world.clear()));
    CHECK(world.ask(PowerRequest{.port = 1, .on = 1}) == refused_by(Interlock::z_not_retracted));
}

TEST_CASE("an unknown position with Z down: homing waits until all ports are off") {
    Working world;
    REQUIRE(done(world.power(0, false)));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    REQUIRE(done(world.run(JogRequest{.axis = Axis::z, .position = 900})));
    REQUIRE(done(world.power(0, true)));
    world.machine.stop(world.now_us);
    REQUIRE(done(world.clear()));
    CHECK(world.ask(HomeRequest{}) == refused_by(Interlock::port_powered));
    CHECK(world.ask(ParkRequest{}) == refused_by(Interlock::port_powered));
    REQUIRE(done(world.power(0, false)));
    CHECK(done(world.run(HomeRequest{})));
    CHECK(world.hazards.empty());
}

TEST_CASE("an unknown position with Z up: homing leaves powered ports alone") {
    Working world;
    world.machine.stop(world.now_us);
    REQUIRE(done(world.clear()));
    CHECK(done(world.run(HomeRequest{})));
    CHECK(world.outputs.ports_on == 1);
    CHECK(world.hazards.empty());
}

TEST_CASE("no load into a reader that holds a card, no unload from one that does not") {
    Working world;
    CHECK(world.ask(LoadRequest{.pocket = 3, .port = 1}) == refused_by(Interlock::card_present));
    CHECK(world.ask(UnloadRequest{.port = 2}) == refused_by(Interlock::no_card));
}

TEST_CASE("what is out of range is refused, whatever the state") {
    World world(rigproto::simulated_rig(10, 4));
    world.ready();
    const Rejection out{Reject::out_of_range};
    CHECK(world.ask(LoadRequest{.pocket = 10, .port = 0}) == out);
    CHECK(world.ask(LoadRequest{.pocket = 0, .port = 4}) == out);
    CHECK(world.ask(UnloadRequest{.port = 4}) == out);
    CHECK(world.ask(UnloadRequest{.port = 0, .to = UnloadRequest::To::pocket, .index = 10}) == out);
    CHECK(world.ask(UnloadRequest{.port = 0, .to = UnloadRequest::To::bin, .index = 4}) == out);
    CHECK(world.ask(UnloadRequest{.port = 0, .to = static_cast<UnloadRequest::To>(2)}) == out);
    CHECK(world.ask(JogRequest{.axis = Axis::x, .position = -1}) == out);
    CHECK(world.ask(JogRequest{.axis = Axis::x, .position = 13'001}) == out);
    // Z has travel for 1200 steps, and the deepest place is at 1000: the nose would go into a reader's housing.
    CHECK(world.ask(JogRequest{.axis = Axis::z, .position = 1'001}) == out);
    CHECK(world.ask(JogRequest{.axis = Axis::z, .position = 1'200}) == out);
    CHECK(world.ask(JogRequest{.axis = static_cast<Axis>(2), .position = 0}) == out);
    CHECK(world.machine.configure(rigproto::Config{}, world.now_us) == out);
    CHECK(world.state() == State::ready); // it keeps what it had
}

TEST_CASE("one motion at a time: while a job runs, everything else is busy") {
    World world;
    world.ready();
    REQUIRE(world.ask(LoadRequest{.pocket = 3, .port = 1}).reject == Reject::none);
    const Rejection busy{Reject::busy};
    CHECK(world.machine.begin(firmware::Command{LoadRequest{.job = 90, .pocket = 4, .port = 2}}, world.now_us) == busy);
    CHECK(world.ask(HomeRequest{}) == busy);
    CHECK(world.ask(JogRequest{.axis = Axis::z, .position = 1}) == busy);
    CHECK(world.ask(ParkRequest{}) == busy);
    CHECK(world.ask(PowerRequest{.port = 1, .on = 0}) == busy);
    CHECK(world.ask(rigproto::ClearRequest{}) == busy);
    CHECK(world.ask(rigproto::BootloaderRequest{}) == busy);
    CHECK(world.machine.configure(world.rig, world.now_us) == busy);
    REQUIRE(world.until([&] { return world.state() == State::ready; }));
    CHECK(world.readers[1]);
}

TEST_CASE("another configuration makes the rig forget where its axes are") {
    World world;
    world.ready();
    CHECK(world.machine.configure(rigproto::simulated_rig(8, 8), world.now_us) == Rejection{});
    CHECK(world.state() == State::unhomed);
    CHECK(world.ask(LoadRequest{.pocket = 3, .port = 1}) == Rejection{Reject::not_homed});
}

TEST_CASE("a rig without pockets has no carriage: its ports are switched without homing, and nothing ever moves") {
    World world(rigproto::simulated_rig());
    world.rig.pockets = 0;
    world.z = 400; // where an unused sensor of Z says nothing
    REQUIRE(world.until([&] { return world.state() == State::unhomed; }));
    REQUIRE(world.machine.configure(world.rig, world.now_us) == Rejection{});
    CHECK(world.ask(PowerRequest{.port = 3, .on = 1}) == refused_by(Interlock::no_card));
    world.readers[3] = true;
    world.pass(50'000);
    CHECK(done(world.power(3, true)));
    CHECK(world.outputs.ports_on == 1U << 3);
    for (const Rejection& rejection :
         {world.ask(HomeRequest{}), world.ask(LoadRequest{.pocket = 0, .port = 1}), world.ask(UnloadRequest{.port = 3}),
          world.ask(JogRequest{.axis = Axis::z, .position = 10}), world.ask(ParkRequest{}),
          world.ask(rigproto::IdentifyRequest{.pocket = 0})})
        CHECK(rejection == Rejection{Reject::out_of_range});
    CHECK(done(world.power(3, false)));
    world.machine.lease_parked(world.now_us);
    world.pass(1'000'000);
    CHECK(world.fault() == Fault::none);
    CHECK_FALSE(world.outputs.motors_on);
    CHECK(done(world.power(3, true)));
    world.broken.safety_open = true;
    world.pass(50'000);
    CHECK(world.fault() == Fault::estop);
    CHECK(world.outputs.ports_on == 0);
}
