// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/card/plugin/pacer.hpp"
#include "tests/catch.hpp"

using namespace mediarig::lab;
using namespace std::chrono_literals;

namespace {

/// A clock that advances only by sleep or work, and whose sleeps are always too long.
struct Virtual {
    explicit Virtual(double time_scale, Pacer::Time oversleep = 0ns)
        : pacer(
              time_scale, [this] { return now; },
              [this, oversleep](Pacer::Time time) {
                  now += time + oversleep;
                  ++sleeps;
              }) {}
    /// One request. This machine needs the time `work` to execute it.
    void request(Pacer::Time took, Pacer::Time work = 0ns) {
        arrived = pacer.arrive();
        now += work;
        pacer.leave(took);
    }
    Pacer::Time now{1h};
    Pacer::Time arrived{};
    int sleeps{};
    Pacer pacer;
};

} // namespace

TEST_CASE("pacer: the excess of a sleep is subtracted from the next sleeps, so that the sum is exact") {
    Virtual clock(1, 137us);
    for (int i = 0; i < 10'000; ++i) clock.request(333us, 20us);
    CHECK(clock.now - 1h >= 3'330ms);
    CHECK(clock.now - 1h <= 3'330ms + 137us);
}

TEST_CASE("pacer: delays too short for a sleep accumulate") {
    Virtual clock(1);
    for (int i = 0; i < 10'000; ++i) clock.request(1us);
    CHECK(clock.now - 1h <= 10ms);
    CHECK(clock.now - 1h >= 10ms - 60us);
    CHECK(clock.sleeps == 166);
}

TEST_CASE("pacer: on a machine slower than the medium, the accumulated delay is limited") {
    Virtual clock(1);
    for (int i = 0; i < 100; ++i) clock.request(1ms, 10ms); // 900 ms late
    const auto before = clock.now;
    for (int i = 0; i < 100; ++i) clock.request(1ms);
    CHECK(clock.now - before == 50ms);
}

TEST_CASE("pacer: modelled time passes between requests, multiplied by the scale") {
    Virtual clock(10);
    clock.request(1ms);
    CHECK(clock.now - 1h == 10ms);
    clock.now += 90ms;
    clock.request(0ms);
    CHECK(clock.arrived == 10ms);
}

TEST_CASE("pacer: at scale 0 nothing waits and the clock does not advance") {
    Virtual clock(0);
    clock.request(1h);
    clock.now += 1h;
    clock.request(1h);
    CHECK(clock.sleeps == 0);
    CHECK(clock.arrived == 0ns);
}

TEST_CASE("pacer: a hold takes real time at any scale except 0") {
    for (const double scale : {1.0, 0.001, 50.0}) {
        Virtual clock(scale);
        clock.pacer.hold(5s);
        CHECK(clock.now == 1h + 5s);
    }
    Virtual still(0);
    still.pacer.hold(5s);
    CHECK(still.sleeps == 0);
}
