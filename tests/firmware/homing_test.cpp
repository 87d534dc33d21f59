// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/catch.hpp"
#include "tests/firmware/rig_model.hpp"

using namespace mediarig;
using namespace mediarig::firmware::test;
using firmware::Axis;
using rigproto::HomeRequest;

namespace {
rigproto::JobStatusReply home(RigModel& model) {
    model.pass(30'000);
    return model.run(HomeRequest{});
}
} // namespace

TEST_CASE("homing: the origin is at the edge of the home flags for any start position") {
    for (const std::int32_t x : {-30, 0, 1, 500, 6'000, 13'000}) {
        for (const std::int32_t z : {-20, 0, 1, 300, 1'200}) {
            RigModel model;
            model.x = x;
            model.z = z;
            CAPTURE(x, z);
            REQUIRE(home(model).state == JobState::done);
            CHECK(model.state() == State::ready);
            CHECK(model.steps.position(Axis::x) == model.x);
            CHECK(model.steps.position(Axis::z) == model.z);
            CHECK(model.x == 0);
            CHECK(model.z == 0);
            CHECK(model.hazards.empty());
        }
    }
}

TEST_CASE("homing: supply, drivers, Z and X follow in order, with time for the drivers to settle") {
    RigModel model;
    model.pass(30'000);
    // Errors that motor drivers report without a supply do not count.
    model.broken.driver_fault = true;
    REQUIRE(model.ask(HomeRequest{}).reject == Reject::none);
    CHECK(model.state() == State::homing);
    model.pass(19'000);
    CHECK(model.outputs.arm);
    CHECK_FALSE(model.outputs.motors_on);
    model.broken.driver_fault = false;
    model.pass(2'000);
    CHECK(model.outputs.motors_on);
    model.pass(137'000);
    CHECK(model.steps.taken() == 0);
    REQUIRE(model.until([&] { return model.steps.position(Axis::x) != 0; }));
    CHECK(model.z == 0);
    CHECK(model.finish().state == JobState::done);
    CHECK(model.stages == std::vector<JobStage>{JobStage::homing_z, JobStage::homing_x});
}

TEST_CASE("homing: a driver error after the supply is up ends homing") {
    RigModel model;
    model.pass(30'000);
    model.broken.driver_fault = true;
    REQUIRE(model.ask(HomeRequest{}).reject == Reject::none);
    CHECK(model.finish().fault == Fault::driver_fault);
    CHECK(model.steps.taken() == 0);
}

TEST_CASE("homing: repeated homing finds the same origin") {
    RigModel model;
    model.ready();
    REQUIRE(model.run(rigproto::JogRequest{.axis = Axis::x, .position = 4'321}).state == JobState::done);
    CHECK(model.x == 4'321);
    REQUIRE(home(model).state == JobState::done);
    CHECK(model.x == 0);
    CHECK(model.steps.position(Axis::x) == 0);
}

TEST_CASE("homing: each fault of a home flag is reported separately and latches") {
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
        RigModel model;
        row.break_it(model.broken);
        const auto job = home(model);
        CHECK(job.state == JobState::failed);
        CHECK(job.fault == row.fault);
        CHECK(model.state() == State::latched);
        CHECK(model.fault() == row.fault);
        CHECK_FALSE(model.outputs.motors_on);
        CHECK(model.hazards.empty());
        model.broken = Breakage{};
        REQUIRE(model.clear().state == JobState::done);
        CHECK(model.state() == State::unhomed);
        CHECK(home(model).state == JobState::done);
    }
}

TEST_CASE("homing: the search ends after 1.5 times the travel") {
    RigModel model;
    model.broken.z_flag = Sensor::stuck_off;
    home(model);
    CHECK(model.steps.taken() == 1'800);
}

TEST_CASE("homing: a Z flag covered at the start is verified from above before Z goes down") {
    RigModel model;
    model.z = 900; // in a reader, with a false flag
    model.broken.z_flag = Sensor::stuck_on;
    const auto job = home(model);
    CHECK(job.fault == Fault::z_home_stuck);
    CHECK(model.z <= model.rig.z_travel / 8);
}

TEST_CASE("homing: a flag that drifts within the tolerance is accepted") {
    RigModel model;
    model.broken.x_flag_wanders = 4;
    CHECK(home(model).state == JobState::done);
}

TEST_CASE("homing: X does not move before the origin of Z is found") {
    RigModel model;
    model.broken.z_flag = Sensor::stuck_off;
    home(model);
    CHECK(model.steps.position(Axis::x) == 0);
}

TEST_CASE("jog: both axes end exactly at the target") {
    RigModel model;
    model.ready();
    for (const std::int32_t target : {1, 2, 3, 10, 11, 777, 13'000, 0, 6'500}) {
        CAPTURE(target);
        REQUIRE(model.run(rigproto::JogRequest{.axis = Axis::x, .position = target}).state == JobState::done);
        CHECK(model.x == target);
        CHECK(model.machine.status().x == target);
    }
    for (const std::int32_t target : {1, 400, 1'000, 3, 0}) {
        CAPTURE(target);
        REQUIRE(model.run(rigproto::JogRequest{.axis = Axis::z, .position = target}).state == JobState::done);
        CHECK(model.z == target);
    }
    CHECK(model.hazards.empty());
}
