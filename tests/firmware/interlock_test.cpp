// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/rig_model.hpp"

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
/// A ready rig with a card in reader 0, whose port is on, and a card in reader 1, whose port is off.
struct Working : RigModel {
    Working() {
        ready();
        load(0, 0);
        load(1, 1);
        power(0, true);
    }
};
} // namespace

TEST_CASE("interlock: nothing moves into or out of a powered reader, while other readers may be powered") {
    Working model;
    CHECK(model.ask(UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    model.readers[0] = false; // as if removed by hand: card-detect still bounces for some time
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 0}) == refused_by(Interlock::port_powered));
    model.readers[0] = true;
    CHECK(done(model.unload_to_bin(1, 0)));
    CHECK(done(model.load(3, 2)));
    CHECK(model.outputs.ports_on == 1);
    CHECK(model.hazards.empty());
}

TEST_CASE("interlock: nothing moves at a reader before its port is measured without voltage") {
    Working model;
    REQUIRE(model.ask(PowerRequest{.port = 0, .on = 0}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.outputs.ports_on == 0; }));
    CHECK(model.ask(UnloadRequest{.port = 0}) == Rejection{Reject::busy});
    CHECK(done(model.finish()));
    CHECK(done(model.unload_to_bin(0, 0)));
}

TEST_CASE("interlock: a jog of Z into a powered reader or of X with Z down is refused") {
    Working model;
    REQUIRE(done(model.run(JogRequest{.axis = Axis::x, .position = 5'200})));
    CHECK(model.ask(JogRequest{.axis = Axis::z, .position = 100}) == refused_by(Interlock::port_powered));
    // Z is also refused next to the reader: only the step count identifies the reader.
    REQUIRE(done(model.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    CHECK(model.ask(JogRequest{.axis = Axis::z, .position = 100}) == refused_by(Interlock::port_powered));
    REQUIRE(done(model.power(0, false)));
    REQUIRE(done(model.run(JogRequest{.axis = Axis::z, .position = 100})));
    CHECK(model.ask(JogRequest{.axis = Axis::x, .position = 0}) == refused_by(Interlock::z_not_retracted));
    CHECK(done(model.run(JogRequest{.axis = Axis::z, .position = 0})));
    CHECK(done(model.run(JogRequest{.axis = Axis::x, .position = 0})));
    CHECK(model.hazards.empty());
}

TEST_CASE("interlock: no port is switched on while the cup is down or its position is unknown") {
    Working model;
    REQUIRE(done(model.power(0, false)));
    REQUIRE(done(model.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    REQUIRE(done(model.run(JogRequest{.axis = Axis::z, .position = 900})));
    CHECK(model.ask(PowerRequest{.port = 1, .on = 1}) == refused_by(Interlock::z_not_retracted));
    // The cup is at another reader, which is identified only by the step count.
    CHECK(model.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::z_not_retracted));
    model.machine.stop(model.now_us);
    REQUIRE(done(model.clear()));
    CHECK(model.ask(PowerRequest{.port = 1, .on = 1}) == refused_by(Interlock::z_not_retracted));
}

TEST_CASE("interlock: with unknown position and Z down, homing waits until all ports are off") {
    Working model;
    REQUIRE(done(model.power(0, false)));
    REQUIRE(done(model.run(JogRequest{.axis = Axis::x, .position = 5'800})));
    REQUIRE(done(model.run(JogRequest{.axis = Axis::z, .position = 900})));
    model.broken.welded = 1;
    model.pass(300'000);
    model.machine.stop(model.now_us);
    REQUIRE(done(model.clear()));
    CHECK(model.ask(HomeRequest{}) == refused_by(Interlock::port_powered));
    CHECK(model.ask(ParkRequest{}) == refused_by(Interlock::port_powered));
    model.broken.welded = 0;
    model.pass(500'000);
    CHECK(done(model.run(HomeRequest{})));
    CHECK(model.hazards.empty());
}

TEST_CASE("interlock: with unknown position and Z up, powered ports stay on during homing") {
    Working model;
    model.machine.stop(model.now_us);
    REQUIRE(done(model.clear()));
    CHECK(done(model.run(HomeRequest{})));
    CHECK(model.outputs.ports_on == 1);
    CHECK(model.hazards.empty());
}

TEST_CASE("interlock: a load into an occupied reader and an unload from an empty reader are refused") {
    Working model;
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}) == refused_by(Interlock::card_present));
    CHECK(model.ask(UnloadRequest{.port = 2}) == refused_by(Interlock::no_card));
}

TEST_CASE("interlock: the operator can declare a reader empty unless a card is detected in it") {
    Working model;
    CHECK(model.ask(rigproto::EmptyRequest{.ports = 0}) == Rejection{Reject::out_of_range});
    CHECK(model.ask(rigproto::EmptyRequest{.ports = 3}) == refused_by(Interlock::card_present));
    REQUIRE(done(model.power(0, false)));
    model.readers = {}; // both cards are removed by hand
    model.pass(50'000);
    CHECK(model.machine.status().occupied == 3);
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}) == refused_by(Interlock::card_present));
    CHECK(done(model.run(rigproto::EmptyRequest{.ports = 2})));
    CHECK(model.machine.status().occupied == 1);
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}).reject == Reject::none);
    CHECK(model.ask(rigproto::EmptyRequest{.ports = 1}) == Rejection{Reject::busy});
    RigModel small(rigproto::simulated_rig(10, 4));
    small.ready();
    CHECK(small.ask(rigproto::EmptyRequest{.ports = 16}) == Rejection{Reject::out_of_range});
}

TEST_CASE("interlock: a reader of unknown state gets no card and can be emptied") {
    RigModel model;
    model.retained.readers.set({.occupied = 0, .unproven = 0xFF}); // as after a loss of power
    model.readers[2] = true;
    model.ready();
    CHECK(model.machine.status().unproven == 0xFB); // card-detect reports a card in one reader
    CHECK(model.machine.status().occupied == 4);
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}) == refused_by(Interlock::reader_unproven));
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 2}) == refused_by(Interlock::card_present));
    CHECK(model.unload_to_bin(1, 0).fault == Fault::pick_missed);
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}) == refused_by(Interlock::reader_unproven));
    CHECK(done(model.unload_to_bin(2, 0)));
    CHECK(done(model.load(3, 2)));
}

TEST_CASE("interlock: a configuration that contradicts the jumper is refused") {
    RigModel model;
    model.ready();
    rigproto::Config bank = model.rig;
    bank.pockets = 0;
    CHECK(model.machine.configure(bank, model.now_us) == refused_by(Interlock::carriage_jumper));
    model.rig.pockets = 0; // the jumper is fitted
    model.tick();
    CHECK(model.machine.configure(rigproto::simulated_rig(), model.now_us) == refused_by(Interlock::carriage_jumper));
    CHECK(model.machine.configure(bank, model.now_us) == Rejection{});
}

TEST_CASE("interlock: if the jumper is removed after the configuration, no port of a detected card is switched on") {
    RigModel model;
    model.rig.pockets = 0;
    model.pass(50'000);
    REQUIRE(model.machine.configure(model.rig, model.now_us) == Rejection{});
    model.readers[3] = true;
    model.pass(50'000);
    model.rig.pockets = 30;
    model.tick();
    CHECK(model.ask(PowerRequest{.port = 3, .on = 1}) == refused_by(Interlock::z_not_retracted));
}

TEST_CASE("interlock: values out of range are refused in any state") {
    RigModel model(rigproto::simulated_rig(10, 4));
    model.ready();
    const Rejection out{Reject::out_of_range};
    CHECK(model.ask(LoadRequest{.pocket = 10, .port = 0}) == out);
    CHECK(model.ask(LoadRequest{.pocket = 0, .port = 4}) == out);
    CHECK(model.ask(UnloadRequest{.port = 4}) == out);
    CHECK(model.ask(UnloadRequest{.port = 0, .to = UnloadRequest::To::pocket, .index = 10}) == out);
    CHECK(model.ask(UnloadRequest{.port = 0, .to = UnloadRequest::To::bin, .index = 4}) == out);
    CHECK(model.ask(UnloadRequest{.port = 0, .to = static_cast<UnloadRequest::To>(2)}) == out);
    CHECK(model.ask(JogRequest{.axis = Axis::x, .position = -1}) == out);
    CHECK(model.ask(JogRequest{.axis = Axis::x, .position = 13'001}) == out);
    // Z has travel for 1200 steps, and the deepest place is at 1000: the nose would enter a reader's housing.
    CHECK(model.ask(JogRequest{.axis = Axis::z, .position = 1'001}) == out);
    CHECK(model.ask(JogRequest{.axis = Axis::z, .position = 1'200}) == out);
    CHECK(model.ask(JogRequest{.axis = static_cast<Axis>(2), .position = 0}) == out);
    CHECK(model.machine.configure(rigproto::Config{}, model.now_us) == out);
    CHECK(model.state() == State::ready); // the rig keeps its state
}

TEST_CASE("interlock: during a job all other motion is refused as busy") {
    RigModel model;
    model.ready();
    REQUIRE(model.ask(LoadRequest{.pocket = 3, .port = 1}).reject == Reject::none);
    const Rejection busy{Reject::busy};
    CHECK(model.machine.begin(firmware::RigCommand{LoadRequest{.job = 90, .pocket = 4, .port = 2}}, model.now_us) ==
          busy);
    CHECK(model.ask(HomeRequest{}) == busy);
    CHECK(model.ask(JogRequest{.axis = Axis::z, .position = 1}) == busy);
    CHECK(model.ask(ParkRequest{}) == busy);
    CHECK(model.ask(PowerRequest{.port = 1, .on = 0}) == busy);
    CHECK(model.ask(rigproto::ClearRequest{}) == busy);
    CHECK(model.ask(rigproto::BootloaderRequest{}) == busy);
    CHECK(model.machine.configure(model.rig, model.now_us) == busy);
    REQUIRE(model.until([&] { return model.state() == State::ready; }));
    CHECK(model.readers[1]);
}

TEST_CASE("interlock: another configuration invalidates the position of the axes") {
    RigModel model;
    model.ready();
    CHECK(model.machine.configure(rigproto::simulated_rig(8, 8), model.now_us) == Rejection{});
    CHECK(model.state() == State::unhomed);
    CHECK(model.ask(LoadRequest{.pocket = 3, .port = 1}) == Rejection{Reject::not_homed});
}

TEST_CASE("interlock: a rig without pockets switches its ports without homing and never moves") {
    RigModel model(rigproto::simulated_rig());
    model.rig.pockets = 0;
    model.z = 400; // a position at which the Z sensor is not used
    REQUIRE(model.until([&] { return model.state() == State::unhomed; }));
    REQUIRE(model.machine.configure(model.rig, model.now_us) == Rejection{});
    CHECK(model.ask(PowerRequest{.port = 3, .on = 1}) == refused_by(Interlock::no_card));
    model.readers[3] = true;
    model.pass(50'000);
    CHECK(done(model.power(3, true)));
    CHECK(model.outputs.ports_on == 1U << 3);
    for (const Rejection& rejection :
         {model.ask(HomeRequest{}), model.ask(LoadRequest{.pocket = 0, .port = 1}), model.ask(UnloadRequest{.port = 3}),
          model.ask(JogRequest{.axis = Axis::z, .position = 10}), model.ask(ParkRequest{}),
          model.ask(rigproto::IdentifyRequest{.pocket = 0})})
        CHECK(rejection == Rejection{Reject::out_of_range});
    CHECK(done(model.power(3, false)));
    model.machine.lease_parked(model.now_us);
    model.pass(1'000'000);
    CHECK(model.fault() == Fault::none);
    CHECK_FALSE(model.outputs.motors_on);
    CHECK(done(model.power(3, true)));
    model.broken.safety_open = true;
    model.pass(50'000);
    CHECK(model.fault() == Fault::estop);
    CHECK(model.outputs.ports_on == 0);
}
