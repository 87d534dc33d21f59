// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/gripper.hpp"

#include "firmware/core/io.hpp"
#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {

constexpr std::uint16_t picked = 1500;

struct GripperBench {
    Gripper gripper;
    std::uint64_t now_us{};
    /// Runs the gripper for this number of microseconds at this vacuum, tick by tick.
    constexpr GripperBench& pass(std::uint64_t us, std::optional<std::uint16_t> vacuum_mv) {
        for (const std::uint64_t end = now_us + us; now_us < end;) {
            now_us += tick_us;
            gripper.tick(now_us, vacuum_mv, picked);
        }
        return *this;
    }
    constexpr GripperBench& grip() { return gripper.grip(now_us), *this; }
    constexpr GripperBench& release() { return gripper.release(now_us), *this; }
    constexpr GripperBench& test() { return gripper.test(now_us), *this; }
    [[nodiscard]] constexpr GripperState state() const { return gripper.state(); }
};

constexpr GripperState after_grip(std::uint64_t us, std::uint16_t vacuum_mv) {
    return GripperBench().grip().pass(us, vacuum_mv).state();
}

} // namespace

static_assert(Gripper().state() == GripperState::idle && !Gripper().pump() && !Gripper().valve());
static_assert(after_grip(4'000, picked) == GripperState::gripping);
static_assert(after_grip(6'000, picked) == GripperState::holding);
static_assert(after_grip(900'000, picked - 1) == GripperState::gripping);
static_assert(after_grip(1'000'000, picked - 1) == GripperState::missed);
static_assert(GripperBench().grip().gripper.pump());
static_assert(!GripperBench().grip().gripper.valve());
static_assert(!GripperBench().grip().pass(1'000'000, 0).gripper.pump(), "a missed pick leaves nothing on");

TEST_CASE("gripper: a short rise of vacuum does not count as a card") {
    GripperBench bench;
    bench.grip();
    for (int i = 0; i < 20; ++i) bench.pass(4'000, picked).pass(1'000, 0);
    CHECK(bench.state() == GripperState::gripping);
}

TEST_CASE("gripper: a held card counts as lost after 20 ms without vacuum, but not after a short dip") {
    GripperBench bench;
    bench.grip().pass(10'000, 2500);
    REQUIRE(bench.state() == GripperState::holding);
    bench.pass(15'000, 0).pass(1'000, 2500).pass(15'000, 0);
    CHECK(bench.state() == GripperState::holding);
    bench.pass(6'000, 0);
    CHECK(bench.state() == GripperState::lost);
    CHECK_FALSE(bench.gripper.pump());
}

TEST_CASE("gripper: a release vents until the vacuum is gone, and for at least 100 ms") {
    GripperBench bench;
    bench.grip().pass(10'000, 2500).release();
    CHECK(bench.gripper.valve());
    CHECK_FALSE(bench.gripper.pump());
    bench.pass(99'000, 0);
    CHECK(bench.state() == GripperState::venting);
    bench.pass(2'000, 0);
    CHECK(bench.state() == GripperState::open);
    CHECK_FALSE(bench.gripper.valve());
}

TEST_CASE("gripper: the jaw is open on the way to a card and after the release, and closed with the pump on") {
    GripperBench bench;
    CHECK_FALSE(bench.gripper.jaw_open());
    bench.gripper.reach(bench.now_us);
    CHECK(bench.gripper.jaw_open());
    CHECK_FALSE(bench.pass(jaw_moves_us - 1'000, 0).gripper.reached());
    CHECK(bench.pass(2'000, 0).gripper.reached());
    bench.grip();
    CHECK_FALSE(bench.gripper.jaw_open());
    bench.pass(10'000, 2500).release();
    CHECK(bench.gripper.jaw_open());
    bench.pass(150'000, 0);
    REQUIRE(bench.state() == GripperState::open);
    CHECK(bench.gripper.jaw_open());
    bench.test();
    CHECK_FALSE(bench.gripper.jaw_open());
}

TEST_CASE("gripper: the solenoid of the jaw has a time limit") {
    GripperBench bench;
    bench.gripper.reach(bench.now_us);
    bench.pass(jaw_longest_us - 1'000, 0);
    CHECK(bench.gripper.jaw_open());
    bench.pass(2'000, 0);
    CHECK(bench.state() == GripperState::overtime);
    CHECK_FALSE(bench.gripper.jaw_open());
}

TEST_CASE("gripper: a request to close the jaw has an effect only while the jaw is open") {
    GripperBench bench;
    bench.gripper.reach(bench.now_us);
    bench.gripper.close();
    CHECK(bench.state() == GripperState::idle);
    bench.grip().gripper.close();
    CHECK(bench.state() == GripperState::gripping);
}

TEST_CASE("gripper: after a test of an empty cup, pump, vent and jaw are off, and the vacuum of the test is gone") {
    GripperBench bench;
    bench.grip().pass(40'000, 0).pass(10'000, 2500).release().pass(200'000, 0).test();
    bench.pass(jaw_moves_us + test_least_us - 1'000, 400);
    CHECK(bench.gripper.pump());
    bench.pass(2'000, 400);
    CHECK(bench.state() == GripperState::airing);
    CHECK_FALSE(bench.gripper.pump());
    bench.pass(100'000, 400); // above a quarter of the threshold
    CHECK(bench.gripper.under_test());
    bench.pass(1'000, 300);
    CHECK(bench.state() == GripperState::idle);
    CHECK_FALSE(bench.gripper.under_test());
}

TEST_CASE("gripper: vacuum during a test shows a card on the cup, a short rise of vacuum does not") {
    GripperBench bench;
    bench.grip().pass(50'000, 2500).release().pass(200'000, 0).test();
    bench.pass(50'000, 0).pass(4'000, 2500).pass(1'000, 0);
    CHECK(bench.state() == GripperState::testing);
    bench.pass(6'000, 2500);
    CHECK(bench.state() == GripperState::clings);
    CHECK_FALSE(bench.gripper.pump());
}

TEST_CASE("gripper: the test of an empty cup lasts twice as long as the newest pick") {
    const auto test_after_pick_of = [](std::uint64_t us) {
        GripperBench bench;
        bench.grip().pass(us, 0).pass(6'000, 2500);
        REQUIRE(bench.gripper.holding());
        return bench.gripper.test_us() - jaw_moves_us;
    };
    CHECK(test_after_pick_of(20'000) == test_least_us);
    CHECK(test_after_pick_of(300'000) >= 600'000);
    CHECK(test_after_pick_of(900'000) == grip_timeout_us);
    CHECK(Gripper().test_us() == jaw_moves_us + grip_timeout_us); // before the first pick
}

TEST_CASE("gripper: a test without a vacuum measurement proves nothing") {
    GripperBench bench;
    bench.grip().pass(50'000, 2500).release().pass(200'000, 0).test();
    bench.pass(1'000'000, std::nullopt);
    CHECK(bench.state() == GripperState::testing);
    bench.pass(test_timeout_us, std::nullopt);
    CHECK(bench.state() == GripperState::stuck);
    CHECK_FALSE(bench.gripper.pump());
}

TEST_CASE("gripper: vacuum that persists with an open vent is reported and the valve closes") {
    GripperBench bench;
    bench.grip().pass(10'000, 2500).release().pass(999'000, 2500);
    CHECK(bench.state() == GripperState::venting);
    bench.pass(2'000, 2500);
    CHECK(bench.state() == GripperState::stuck);
    CHECK_FALSE(bench.gripper.valve());
}

TEST_CASE("gripper: the pump stops at its time limit") {
    GripperBench bench;
    bench.grip().pass(pump_longest_us - 1'000, 2500);
    CHECK(bench.gripper.pump());
    bench.pass(2'000, 2500);
    CHECK(bench.state() == GripperState::overtime);
    CHECK_FALSE(bench.gripper.pump());
}

TEST_CASE("gripper: the safe state switches everything off from any state") {
    for (const bool venting : {false, true}) {
        GripperBench bench;
        bench.grip().pass(10'000, 2500);
        if (venting) bench.release().pass(5'000, 2500);
        bench.gripper.make_safe();
        CHECK_FALSE(bench.gripper.pump());
        CHECK_FALSE(bench.gripper.valve());
        bench.pass(100'000, 2500);
        CHECK(bench.state() == GripperState::idle);
    }
}

TEST_CASE("gripper: time without a vacuum measurement counts neither as time with vacuum nor as time without vacuum") {
    GripperBench bench;
    bench.grip().pass(10'000, 2500);
    REQUIRE(bench.gripper.senses_vacuum());
    bench.pass(15'000, 0).pass(2'000'000, std::nullopt);
    CHECK(bench.state() == GripperState::holding);
    CHECK(bench.gripper.pump());
    CHECK_FALSE(bench.gripper.senses_vacuum());
    bench.pass(15'000, 0);
    CHECK(bench.state() == GripperState::holding);
    bench.pass(6'000, 0);
    CHECK(bench.state() == GripperState::lost);

    CHECK(GripperBench().grip().pass(900'000, std::nullopt).state() == GripperState::gripping);
    CHECK(GripperBench().grip().pass(1'000'000, std::nullopt).state() == GripperState::missed);
    CHECK(GripperBench().release().pass(1'000'000, std::nullopt).state() == GripperState::stuck);
    CHECK(GripperBench().grip().pass(10'000, 2500).pass(pump_longest_us, std::nullopt).state() ==
          GripperState::overtime);
}

TEST_CASE("gripper: without a vacuum measurement the cup may hold a card") {
    GripperBench bench;
    bench.pass(1'000, 0);
    CHECK_FALSE(bench.gripper.hanging());
    bench.pass(1'000, std::nullopt);
    CHECK(bench.gripper.hanging());
    bench.pass(1'000, 0);
    CHECK_FALSE(bench.gripper.hanging());
}

TEST_CASE("gripper: a card left on the cup by an aborted job is blown off unless the sensor detects it") {
    GripperBench bench;
    bench.grip().pass(10'000, 2500).pass(25'000, 0); // the card fell, or the sensor failed
    REQUIRE(bench.state() == GripperState::lost);
    bench.gripper.make_safe();
    bench.pass(1'000, 0).gripper.blow_off(bench.now_us);
    CHECK(bench.gripper.valve());
    bench.pass(vent_least_us, 0);
    CHECK(bench.state() == GripperState::idle);
    // // A second request does not open the vent again.
    bench.gripper.blow_off(bench.now_us);
    CHECK_FALSE(bench.gripper.valve());

    bench.grip().pass(10'000, 2500);
    bench.gripper.make_safe();
    bench.pass(1'000, 2500).gripper.blow_off(bench.now_us);
    CHECK_FALSE(bench.gripper.valve());
    CHECK(bench.gripper.hanging());
}
