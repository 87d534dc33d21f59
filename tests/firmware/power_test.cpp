// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/world.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using rigproto::GuardRequest;
using rigproto::PowerRequest;

namespace {
PortState state_of(const World& world, std::uint8_t port) {
    return world.machine.port(port).state;
}

/// Ready, and a card in the readers of ports 0 and 1.
struct Loaded : World {
    Loaded() {
        ready();
        load(0, 0);
        load(1, 1);
        history.clear();
    }
};
} // namespace

TEST_CASE("power: on is done when the window is over and there is voltage, off when there is none") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    CHECK(state_of(world, 0) == PortState::on);
    CHECK(world.millivolts[0] == 5'000);
    CHECK(world.outputs.leds == 1);
    CHECK(world.machine.status().powered == 1);
    REQUIRE(done(world.power(0, false)));
    CHECK(state_of(world, 0) == PortState::off);
    CHECK(world.millivolts[0] < 500);
    CHECK(world.machine.status().powered == 0);
    CHECK(world.machine.port(0).off_time_us > 5'000);
    CHECK(world.told(rigproto::EventKind::port) == 4); // inrush, on, discharging, off
    CHECK(world.hazards.empty());
}

TEST_CASE("power: what is so already is done at once, and switches nothing") {
    Loaded world;
    REQUIRE(done(world.power(0, false)));
    REQUIRE(done(world.power(0, true)));
    world.history.clear();
    REQUIRE(done(world.power(0, true)));
    CHECK(world.told(rigproto::EventKind::port) == 0);
}

TEST_CASE("power: ports are switched at least 100 ms apart, a request too early waits") {
    Loaded world;
    world.pass(200'000);
    std::vector<std::uint64_t> switched;
    std::uint8_t before = world.outputs.ports_on;
    const auto watch = [&] {
        if (world.outputs.ports_on != before) switched.push_back(world.now_us);
        before = world.outputs.ports_on;
        return world.last().state != JobState::running;
    };
    for (const PowerRequest request : {PowerRequest{.port = 0, .on = 1}, PowerRequest{.port = 1, .on = 1},
                                       PowerRequest{.port = 0, .on = 0}, PowerRequest{.port = 1, .on = 0}}) {
        REQUIRE(world.ask(request).reject == Reject::none);
        REQUIRE(world.until(watch));
        CHECK(world.last().state == JobState::done);
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
        Loaded world;
        row.break_it(world.broken);
        const auto job = world.power(0, true);
        CHECK(job.state == JobState::failed);
        CHECK(job.fault == row.fault);
        CHECK(job.detail == 0);
        CHECK(state_of(world, 0) == PortState::tripped);
        CHECK(world.machine.port(0).fault == row.fault);
        CHECK(world.outputs.ports_on == 0);
        CHECK(world.state() == State::ready);
        world.broken = Breakage{};
        world.pass(50'000);
        CHECK(done(world.power(1, true)));  // others work
        CHECK(done(world.power(0, false))); // as asked for: it is off
        CHECK(done(world.power(0, true)));
        CHECK(world.hazards.empty());
    }
}

TEST_CASE("power: an overload that comes later trips the port without a job") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.broken.load_ma[0] = 1'450;
    world.pass(200'000);
    CHECK(state_of(world, 0) == PortState::tripped);
    CHECK(world.machine.port(0).fault == Fault::port_overload);
    CHECK(world.state() == State::ready);
    bool blinks[2]{};
    for (int i = 0; i < 1'000; ++i) world.tick(), blinks[world.outputs.leds] = true;
    CHECK((blinks[0] && blinks[1]));
}

TEST_CASE("power: a short is cut off within four ticks after the blanking") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.broken.shorted = 1;
    for (int i = 0; i < 4; ++i) world.tick();
    CHECK(world.outputs.ports_on == 0);
}

TEST_CASE("power: a card that is pulled takes its voltage with it") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.readers[0] = false;
    world.pass(21'000);
    CHECK(world.outputs.ports_on == 0);
    CHECK(world.machine.port(0).fault == Fault::card_pulled);
    CHECK(world.state() == State::ready);
    CHECK(world.told(rigproto::EventKind::card) == 1);
    CHECK(world.hazards.empty());
}

TEST_CASE("power: a welded switch is found after off, and bars its reader") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.broken.welded = 1;
    const auto job = world.power(0, false);
    CHECK(job.fault == Fault::port_welded);
    CHECK(job.detail == 0);
    CHECK(world.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    CHECK(done(world.unload_to_bin(1, 0))); // the neighbour works
    world.broken.welded = 0;
    world.pass(200'000);
    CHECK(done(world.unload_to_bin(0, 0))); // as soon as it measures off
    CHECK(world.hazards.empty());
}

TEST_CASE("power: a port that does not discharge fails, and bars its reader and the next power-on") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.broken.slow = 1;
    const auto job = world.power(0, false);
    CHECK(job.fault == Fault::port_welded); // 5 V after 200 ms
    world.millivolts[0] = 900;
    world.pass(100'000);
    CHECK(world.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::port_settling));
    CHECK(world.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
}

TEST_CASE("power: a rail that stays at a volt is not discharged") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    REQUIRE(world.ask(PowerRequest{.port = 0, .on = 0}).reject == Reject::none);
    REQUIRE(world.until([&] { return world.millivolts[0] < 1'300; }));
    world.broken.slow = 1;
    const auto job = world.finish();
    CHECK(job.fault == Fault::port_not_discharged);
    CHECK(world.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_powered));
    CHECK(world.state() == State::ready);
}

TEST_CASE("power: there is none without a card, nor for a port that the rig does not have") {
    World world(rigproto::simulated_rig(30, 4));
    world.ready();
    CHECK(world.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::no_card));
    CHECK(world.ask(PowerRequest{.port = 4, .on = 1}) == Rejection{Reject::out_of_range});
    CHECK(world.ask(PowerRequest{.port = 0, .on = 2}) == Rejection{Reject::out_of_range});
}

TEST_CASE("power: a card that goes while the job waits for its turn gets no voltage") {
    Loaded world;
    REQUIRE(done(world.power(1, true)));
    REQUIRE(done(world.power(1, false)));
    REQUIRE(world.ask(PowerRequest{.port = 0, .on = 1}).reject == Reject::none);
    world.readers[0] = false;
    const auto job = world.finish();
    CHECK(job.fault == Fault::card_pulled);
    CHECK(world.hazards.empty());
}

TEST_CASE("power: a card still charged is not powered again before it has lost its state") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    world.broken.shorted = 1;
    REQUIRE(world.until([&] { return world.outputs.ports_on == 0; }));
    world.tick();
    CHECK(world.ask(PowerRequest{.port = 0, .on = 1}) == refused_by(Interlock::port_settling));
}

TEST_CASE("a guarded port is neither switched off nor unloaded on request") {
    Loaded world;
    REQUIRE(done(world.power(0, true)));
    REQUIRE(done(world.run(GuardRequest{.ports = 1})));
    CHECK(world.ask(PowerRequest{.port = 0, .on = 0}) == refused_by(Interlock::port_guarded));
    CHECK(world.ask(rigproto::UnloadRequest{.port = 0}) == refused_by(Interlock::port_guarded));
    CHECK(world.ask(GuardRequest{.ports = 0}).reject == Reject::none);
    world.finish();
    CHECK(done(world.power(0, false)));
}

TEST_CASE("a guard is taken beside a running job, and reported") {
    Loaded world;
    REQUIRE(world.ask(rigproto::LoadRequest{.pocket = 2, .port = 2}).reject == Reject::none);
    const std::uint32_t load = world.last_job;
    world.pass(10'000);
    CHECK(done(world.run(GuardRequest{.ports = 2})));
    CHECK(world.machine.status().running_job == load);
    World small(rigproto::simulated_rig(30, 4));
    small.pass(30'000);
    CHECK(small.ask(GuardRequest{.ports = 0x10}) == Rejection{Reject::out_of_range});
}

TEST_CASE("samples: ports that are not settled each tick, and one of the others in turn") {
    Loaded world;
    world.pass(500'000);
    std::uint8_t seen = 0;
    for (int i = 0; i < 8; ++i) {
        world.tick();
        CHECK(__builtin_popcount(world.outputs.sample) == 1);
        seen |= world.outputs.sample;
    }
    CHECK(seen == 0xFF);
    REQUIRE(done(world.power(0, true)));
    seen = 0;
    for (int i = 0; i < 9; ++i) {
        world.tick();
        CHECK((world.outputs.sample & 1) == 1);
        CHECK(__builtin_popcount(world.outputs.sample) <= 2);
        seen |= world.outputs.sample;
    }
    CHECK(seen == 0xFF);
}
