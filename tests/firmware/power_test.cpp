// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using rigproto::GuardRequest;
using rigproto::PowerRequest;

namespace {
PortState state_of(const RigModel& model, std::uint8_t port) {
    return model.machine.port(port).state;
}

/// A ready rig with a card in the readers of ports 0 and 1.
struct Loaded : RigModel {
    Loaded() {
        ready();
        load(0, 0);
        load(1, 1);
        history.clear();
    }
};
} // namespace

TEST_CASE(
    "power: a job that switches on ends after the inrush window with voltage, one that switches off ends without "
    "voltage") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    CHECK(state_of(model, 0) == PortState::on);
    CHECK(model.millivolts[0] == 5'000);
    CHECK(model.outputs.leds == 1);
    CHECK(model.machine.status().powered == 1);
    REQUIRE(done(model.power(0, false)));
    CHECK(state_of(model, 0) == PortState::off);
    CHECK(model.millivolts[0] < 500);
    CHECK(model.machine.status().powered == 0);
    CHECK(model.machine.port(0).off_time_us > 5'000);
    CHECK(model.told(rigproto::EventKind::port) == 4); // inrush, on, discharging, off
    CHECK(model.hazards.empty());
}

TEST_CASE("power: a request for the present state ends at once without switching") {
    Loaded model;
    REQUIRE(done(model.power(0, false)));
    REQUIRE(done(model.power(0, true)));
    model.history.clear();
    REQUIRE(done(model.power(0, true)));
    CHECK(model.told(rigproto::EventKind::port) == 0);
}

TEST_CASE("power: ports are switched at least 100 ms apart, and an early request waits") {
    Loaded model;
    model.pass(200'000);
    std::vector<std::uint64_t> switched;
    std::uint8_t before = model.outputs.ports_on;
    const auto watch = [&] {
        if (model.outputs.ports_on != before) switched.push_back(model.now_us);
        before = model.outputs.ports_on;
        return model.last().state != JobState::running;
    };
    for (const PowerRequest request : {PowerRequest{.port = 0, .on = 1}, PowerRequest{.port = 1, .on = 1},
                                       PowerRequest{.port = 0, .on = 0}, PowerRequest{.port = 1, .on = 0}}) {
        REQUIRE(model.ask(request).reject == Reject::none);
        REQUIRE(model.until(watch));
        CHECK(model.last().state == JobState::done);
    }
    REQUIRE(switched.size() == 4);
    for (std::size_t i = 1; i < switched.size(); ++i) CHECK(switched[i] - switched[i - 1] >= 100'000);
}

TEST_CASE("power: each fault of a port switches it off, fails the job and leaves the rig ready") {
    struct Row {
        const char* what;
        void (*break_it)(Breakage&);
        Fault fault;
    };
    const Row rows[] = {
        {"a short", [](Breakage& b) { b.shorted = 1; }, Fault::port_short},
        {"the limit switch", [](Breakage& b) { b.cut_off = 1; }, Fault::port_short},
        {"too much", [](Breakage& b) { b.load_ma[0] = 1'490; }, Fault::port_overload},
        {"no voltage", [](Breakage& b) { b.dead = 1; }, Fault::port_no_voltage},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Loaded model;
        row.break_it(model.broken);
        const auto job = model.power(0, true);
        CHECK(job.state == JobState::failed);
        CHECK(job.fault == row.fault);
        CHECK(job.detail == 0);
        CHECK(state_of(model, 0) == PortState::tripped);
        CHECK(model.machine.port(0).fault == row.fault);
        CHECK(model.outputs.ports_on == 0);
        CHECK(model.state() == State::ready);
        model.broken = Breakage{};
        model.pass(50'000);
        CHECK(done(model.power(1, true)));  // other ports still work
        CHECK(done(model.power(0, false))); // at once, because the port is off already
        CHECK(done(model.power(0, true)));
        CHECK(model.hazards.empty());
    }
}

TEST_CASE("power: a later overload trips the port without a job") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.broken.load_ma[0] = 1'450;
    model.pass(200'000);
    CHECK(state_of(model, 0) == PortState::tripped);
    CHECK(model.machine.port(0).fault == Fault::port_overload);
    CHECK(model.state() == State::ready);
    bool blinks[2]{};
    for (int i = 0; i < 1'000; ++i) model.tick(), blinks[model.outputs.leds] = true;
    CHECK((blinks[0] && blinks[1]));
}

TEST_CASE("power: a short circuit is cut off within four ticks after the blanking time") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.broken.shorted = 1;
    for (int i = 0; i < 4; ++i) model.tick();
    CHECK(model.outputs.ports_on == 0);
}

TEST_CASE("power: a port is switched off when its card is pulled") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.readers[0] = false;
    model.pass(21'000);
    CHECK(model.outputs.ports_on == 0);
    CHECK(model.machine.port(0).fault == Fault::card_pulled);
    CHECK(model.state() == State::ready);
    CHECK(model.told(rigproto::EventKind::card) == 1);
    CHECK(model.hazards.empty());
}

TEST_CASE("power: a welded switch is detected after switching off and blocks its reader") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.broken.welded = 1;
    const auto job = model.power(0, false);
    CHECK(job.fault == Fault::port_welded);
    CHECK(job.detail == 0);
    CHECK(model.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    CHECK(done(model.unload_to_bin(1, 0))); // the adjacent port still works
    model.broken.welded = 0;
    model.pass(200'000);
    CHECK(done(model.unload_to_bin(0, 0))); // once the port is measured off
    CHECK(model.hazards.empty());
}

TEST_CASE("power: a port that does not discharge fails its job and blocks its reader and the next power-on") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.broken.slow = 1;
    const auto job = model.power(0, false);
    CHECK(job.fault == Fault::port_welded); // 5 V after 200 ms
    model.millivolts[0] = 900;
    model.pass(100'000);
    CHECK(model.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::port_settling));
    CHECK(model.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
}

TEST_CASE("power: a port whose voltage stays at one volt does not count as discharged") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    REQUIRE(model.ask(PowerRequest{.port = 0, .on = 0}).reject == Reject::none);
    REQUIRE(model.until([&] { return model.millivolts[0] < 1'300; }));
    model.broken.slow = 1;
    const auto job = model.finish();
    CHECK(job.fault == Fault::port_not_discharged);
    CHECK(model.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    CHECK(model.state() == State::ready);
}

TEST_CASE("power: a reader without a card and a missing port get no voltage") {
    RigModel model(rigproto::simulated_rig(30, 4));
    model.ready();
    CHECK(model.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::no_card));
    CHECK(model.ask(PowerRequest{.port = 4, .on = 1}) == Rejection{Reject::out_of_range});
    CHECK(model.ask(PowerRequest{.port = 0, .on = 2}) == Rejection{Reject::out_of_range});
}

TEST_CASE("power: a card removed while its job waits gets no voltage") {
    Loaded model;
    REQUIRE(done(model.power(1, true)));
    REQUIRE(done(model.power(1, false)));
    REQUIRE(model.ask(PowerRequest{.port = 0, .on = 1}).reject == Reject::none);
    model.readers[0] = false;
    const auto job = model.finish();
    CHECK(job.fault == Fault::card_pulled);
    CHECK(model.hazards.empty());
}

TEST_CASE("power: a charged card is not powered again before it has lost its state") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    model.broken.shorted = 1;
    REQUIRE(model.until([&] { return model.outputs.ports_on == 0; }));
    model.tick();
    CHECK(model.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::port_settling));
}

TEST_CASE("power: a guarded port is neither switched off nor unloaded on request") {
    Loaded model;
    REQUIRE(done(model.power(0, true)));
    REQUIRE(done(model.run(GuardRequest{.ports = 1})));
    CHECK(model.ask(PowerRequest{.port = 0, .on = 0}) == refused_by(Interlock::port_guarded));
    CHECK(model.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_guarded));
    CHECK(model.ask(GuardRequest{.ports = 0}).reject == Reject::none);
    model.finish();
    CHECK(done(model.power(0, false)));
}

TEST_CASE("power: a guard is set during a running job and reported") {
    Loaded model;
    REQUIRE(model.ask(rigproto::LoadRequest{.pocket = 2, .port = 2}).reject == Reject::none);
    const std::uint32_t load = model.last_job;
    model.pass(10'000);
    CHECK(done(model.run(GuardRequest{.ports = 2})));
    CHECK(model.machine.status().running_job == load);
    RigModel small(rigproto::simulated_rig(30, 4));
    small.pass(30'000);
    CHECK(small.ask(GuardRequest{.ports = 0x10}) == Rejection{Reject::out_of_range});
}

TEST_CASE("samples: unsettled ports are sampled each tick and the others in turn") {
    Loaded model;
    model.pass(500'000);
    std::uint8_t seen = 0;
    for (int i = 0; i < 8; ++i) {
        model.tick();
        CHECK(__builtin_popcount(model.outputs.sample) == 1);
        seen |= model.outputs.sample;
    }
    CHECK(seen == 0xFF);
    REQUIRE(done(model.power(0, true)));
    seen = 0;
    for (int i = 0; i < 9; ++i) {
        model.tick();
        CHECK((model.outputs.sample & 1) == 1);
        CHECK(__builtin_popcount(model.outputs.sample) <= 2);
        seen |= model.outputs.sample;
    }
    CHECK(seen == 0xFF);
}
