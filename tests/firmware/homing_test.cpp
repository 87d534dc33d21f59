// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/world.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;
using rigproto::HomeRequest;

namespace {
rigproto::JobStatusReply home(World& world) {
    world.pass(30'000);
    return world.run(HomeRequest{});
}
} // namespace

TEST_CASE("homing: from wherever the axes are, zero is where the flags close") {
    for (const std::int32_t x : {-30, 0, 1, 500, 6'000, 13'000}) {
        for (const std::int32_t z : {-20, 0, 1, 300, 1'200}) {
            World world;
            world.x = x;
            world.z = z;
            CAPTURE(x, z);
            REQUIRE(home(world).state == JobState::done);
            CHECK(world.state() == State::ready);
            CHECK(world.steps.position(Axis::x) == world.x);
            CHECK(world.steps.position(Axis::z) == world.z);
            CHECK(world.x == 0);
            CHECK(world.z == 0);
            CHECK(world.hazards.empty());
        }
    }
}

TEST_CASE("homing: motors are energised first and left to settle, then Z moves, then X") {
    World world;
    world.pass(30'000);
    REQUIRE(world.ask(HomeRequest{}).reject == Reject::none);
    CHECK(world.state() == State::homing);
    world.pass(99'000);
    CHECK(world.outputs.motors_on);
    CHECK(world.steps.taken() == 0);
    REQUIRE(world.until([&] { return world.steps.position(Axis::x) != 0; }));
    CHECK(world.z == 0);
    CHECK(world.finish().state == JobState::done);
    CHECK(world.stages == std::vector<JobStage>{JobStage::homing_z, JobStage::homing_x});
}

TEST_CASE("homing: a second one finds the same zero") {
    World world;
    world.ready();
    REQUIRE(world.run(rigproto::JogRequest{.axis = Axis::x, .position = 4'321}).state == JobState::done);
    CHECK(world.x == 4'321);
    REQUIRE(home(world).state == JobState::done);
    CHECK(world.x == 0);
    CHECK(world.steps.position(Axis::x) == 0);
}

TEST_CASE("homing: every way in which a flag can be wrong has its own alarm, and latches") {
    struct Row {
        const char* what;
        void (*break_it)(Breakage&);
        Fault fault;
    };
    const Row rows[] = {
        {"the X flag is never covered", [](Breakage& b) { b.x_flag = Sensor::stuck_off; }, Fault::x_home_not_found},
        {"the X flag is always covered", [](Breakage& b) { b.x_flag = Sensor::stuck_on; }, Fault::x_home_stuck},
        {"the X flag wanders", [](Breakage& b) { b.x_flag_wanders = 20; }, Fault::x_home_unrepeatable},
        {"the Z flag is never covered", [](Breakage& b) { b.z_flag = Sensor::stuck_off; }, Fault::z_home_not_found},
        {"the Z flag is always covered", [](Breakage& b) { b.z_flag = Sensor::stuck_on; }, Fault::z_home_stuck},
        {"the Z flag wanders", [](Breakage& b) { b.z_flag_wanders = 20; }, Fault::z_home_unrepeatable},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        World world;
        row.break_it(world.broken);
        const auto job = home(world);
        CHECK(job.state == JobState::failed);
        CHECK(job.fault == row.fault);
        CHECK(world.state() == State::latched);
        CHECK(world.fault() == row.fault);
        CHECK_FALSE(world.outputs.motors_on);
        CHECK(world.hazards.empty());
        world.broken = Breakage{};
        REQUIRE(world.clear().state == JobState::done);
        CHECK(world.state() == State::unhomed);
        CHECK(home(world).state == JobState::done);
    }
}

TEST_CASE("homing: the search ends after one and a half times the travel") {
    World world;
    world.broken.z_flag = Sensor::stuck_off;
    home(world);
    CHECK(world.steps.taken() == 1'800);
}

TEST_CASE("homing: a Z flag that is covered at the start is proven from above before Z goes down") {
    World world;
    world.z = 900; // in a reader, behind a flag that lies
    world.broken.z_flag = Sensor::stuck_on;
    const auto job = home(world);
    CHECK(job.fault == Fault::z_home_stuck);
    CHECK(world.z <= world.rig.z_travel / 8);
}

TEST_CASE("homing: a flag that wanders within the tolerance is good enough") {
    World world;
    world.broken.x_flag_wanders = 4;
    CHECK(home(world).state == JobState::done);
}

TEST_CASE("homing: X does not move when Z has not been found") {
    World world;
    world.broken.z_flag = Sensor::stuck_off;
    home(world);
    CHECK(world.steps.position(Axis::x) == 0);
}

TEST_CASE("a jog ends exactly where it should, on both axes") {
    World world;
    world.ready();
    for (const std::int32_t target : {1, 2, 3, 10, 11, 777, 13'000, 0, 6'500}) {
        CAPTURE(target);
        REQUIRE(world.run(rigproto::JogRequest{.axis = Axis::x, .position = target}).state == JobState::done);
        CHECK(world.x == target);
        CHECK(world.machine.status().x == target);
    }
    for (const std::int32_t target : {1, 400, 1'000, 3, 0}) {
        CAPTURE(target);
        REQUIRE(world.run(rigproto::JogRequest{.axis = Axis::z, .position = target}).state == JobState::done);
        CHECK(world.z == target);
    }
    CHECK(world.hazards.empty());
}
