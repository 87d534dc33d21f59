// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the rules for geometry, flags and supervision.
#include "common/rigproto/simulated_rig.hpp"
#include "firmware/core/carriage.hpp"
#include "firmware/core/geometry.hpp"
#include "firmware/core/supervision.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::firmware;

namespace {
constexpr rigproto::Config rig = rigproto::simulated_rig();

template <class Change>
constexpr bool plausible_with(Change change) {
    rigproto::Config changed = rig;
    change(changed);
    return plausible(changed);
}
} // namespace

static_assert(plausible(rig));
static_assert(!plausible(rigproto::Config{}));
static_assert(plausible(rigproto::simulated_rig(1, 1)));

static_assert(pocket_x(rig, 0) == 200 && pocket_x(rig, 29) == 4840);
static_assert(port_x(rig, 7) == 9400);
static_assert(!port_below(rig, 4899) && port_below(rig, 4900) == 0 && port_below(rig, 5200) == 0);
static_assert(port_below(rig, 5501) == 1 && port_below(rig, 9700) == 7 && !port_below(rig, 9701));
static_assert(seek_speed(rig, Axis::x) == 1600 && seek_speed(rig, Axis::z) == 1600);

// The flag must agree with the step count within the tolerance of 8.
static_assert(flag_agrees(true, 0, 0, 8) && flag_agrees(true, 20, 8, 8) && !flag_agrees(true, 20, 9, 8));
static_assert(flag_agrees(false, 100, 90, 8) && flag_agrees(false, 0, -8, 8) && !flag_agrees(false, -9, -12, 8));
static_assert(flag_agrees(false, -20, -8, 8) && flag_agrees(true, 5, 30, 8));

TEST_CASE("configuration: impossible values are refused") {
    using C = rigproto::Config;
    CHECK(plausible_with([](C&) {}));
    CHECK(plausible_with([](C& c) { c.pockets = 0; })); // no carriage
    CHECK_FALSE(plausible_with([](C& c) { c.pockets = 31; }));
    CHECK_FALSE(plausible_with([](C& c) { c.ports = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.ports = 9; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_travel = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_travel = -13000; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_travel = 0x7FFFFFFF; }));
    CHECK_FALSE(plausible_with([](C& c) { c.z_travel = 999; })); // less than z_port
    CHECK_FALSE(plausible_with([](C& c) { c.x_first_pocket = -1; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_pocket_pitch = 500; })); // the last pocket is beyond the travel
    CHECK_FALSE(plausible_with([](C& c) { c.x_pocket_pitch = 0x7FFFFFFF; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_port_pitch = -800; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_bin[3] = 13001; }));
    // A place is on a reader or on a pocket, or too close to another place. Bins may share a position.
    CHECK_FALSE(plausible_with([](C& c) { c.x_bin[0] = c.x_first_port; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_first_port = c.x_first_pocket + 400; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_nest = c.x_bin[3] + 72; }));
    CHECK(plausible_with([](C& c) { c.x_nest = c.x_bin[3] + 73; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_bin[1] = c.x_bin[0] + 1; }));
    CHECK(plausible_with([](C& c) { c.x_bin.fill(c.x_bin[0]); }));
    CHECK(plausible_with([](C& c) { c.pockets = 0, c.x_bin[0] = c.x_first_port; })); // unused
    CHECK_FALSE(plausible_with([](C& c) { c.z_pocket = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.z_bin = 1201; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_speed = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_speed = 60'000; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_speed = 2'000; })); // 6.5 s for the full travel
    CHECK_FALSE(plausible_with([](C& c) { c.z_acceleration = 100; }));
    CHECK_FALSE(plausible_with([](C& c) { c.z_acceleration = 20'000'000; }));
    CHECK_FALSE(plausible_with([](C& c) { c.home_speed = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.home_speed = 3'001; }));
    CHECK_FALSE(plausible_with([](C& c) { c.home_speed = 700; })); // overruns the distance by which homing backs off
    for (const std::int32_t acceleration : {4'159, 4'160}) {       // just sufficient: 8 * 2600 * 2600 / 13000
        CAPTURE(acceleration);
        CHECK(plausible_with([&](C& c) {
                  c.home_speed = 650, c.x_speed = 3'000, c.x_acceleration = acceleration, c.z_acceleration = 50'000;
              }) == (acceleration == 4'160));
    }
    CHECK_FALSE(plausible_with([](C& c) { c.home_tolerance = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.vacuum_picked_mv = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.port_limit_ma = 0; }));
    CHECK_FALSE(plausible_with([](C& c) { c.inrush_limit_ma = 800; }));
    CHECK_FALSE(plausible_with([](C& c) { c.trip_ma = 1'601; }));
    CHECK_FALSE(plausible_with([](C& c) { c.idle_ma = 900; }));
    CHECK_FALSE(plausible_with([](C& c) { c.x_nest = 13001; }));
    CHECK_FALSE(plausible_with([](C& c) { c.z_nest = -1; }));
    CHECK(plausible_with([](C& c) { c.x_nest = c.z_nest = 0; })); // a rig without a nest
    CHECK_FALSE(plausible_with([](C& c) { c.inrush_window_ms = 4; }));
    CHECK_FALSE(plausible_with([](C& c) { c.inrush_window_ms = 1'001; }));
}

TEST_CASE("supervision: the watchdog is fed while tick, link and step task are all alive") {
    Supervision supervision;
    std::uint64_t now_us = 0;
    std::uint32_t taken = 0;
    const auto pass = [&](std::uint64_t us, bool served, bool waiting, bool stepping) {
        bool fed = true;
        for (const std::uint64_t end = now_us + us; now_us < end;) {
            now_us += tick_us;
            if (served) supervision.link_served();
            if (stepping) ++taken;
            fed = supervision.tick(now_us, waiting, taken);
        }
        return fed;
    };
    CHECK(pass(1'000'000, true, false, false));
    CHECK(pass(1'000'000, true, true, true));
    CHECK(pass(49'000, false, false, false));
    CHECK_FALSE(pass(2'000, false, false, false)); // the link is not served
    CHECK(pass(500, true, false, false));
    CHECK(pass(59'000, true, true, false));
    CHECK_FALSE(pass(2'000, true, true, false)); // steps wait without being made
    CHECK(pass(500, true, true, true));
}
