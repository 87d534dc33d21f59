// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/step_queue.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {
std::vector<std::uint32_t> drain(StepQueue& queue) {
    std::vector<std::uint32_t> intervals;
    for (MotorStep step; queue.next(step);) intervals.push_back(step.interval_us);
    return intervals;
}
} // namespace

TEST_CASE("step queue: every step of every segment appears once, in order, with its interval") {
    StepQueue queue;
    CHECK_FALSE(queue.waiting());
    REQUIRE(queue.push({100, 2, Axis::x, Direction::away}));
    REQUIRE(queue.push({50, 0, Axis::x, Direction::away}));
    REQUIRE(queue.push({80, 1, Axis::x, Direction::away}));
    CHECK(queue.waiting());
    CHECK(queue.ahead_us() == 280);
    CHECK(drain(queue) == std::vector<std::uint32_t>{100, 100, 80});
    CHECK_FALSE(queue.waiting());
    CHECK(queue.ahead_us() == 0);
}

TEST_CASE("step queue: steps are counted when handed out, by axis and direction") {
    StepQueue queue;
    queue.push({100, 5, Axis::x, Direction::away});
    queue.push({100, 2, Axis::z, Direction::home});
    MotorStep step;
    REQUIRE(queue.next(step));
    CHECK(queue.position(Axis::x) == 1);
    drain(queue);
    CHECK(queue.position(Axis::x) == 5);
    CHECK(queue.position(Axis::z) == -2);
    CHECK(queue.taken() == 7);
    queue.set_position(Axis::z, 40);
    CHECK(queue.position(Axis::z) == 40);
    CHECK(queue.position(Axis::x) == 5);
}

TEST_CASE("step queue: a full queue refuses a segment and accepts one segment for each consumed one") {
    StepQueue queue;
    for (std::uint32_t i = 0; i < StepQueue::capacity; ++i) REQUIRE(queue.push({10, 1, Axis::x, Direction::away}));
    CHECK(queue.free_space() == 0);
    CHECK_FALSE(queue.push({10, 1, Axis::x, Direction::away}));
    MotorStep step;
    REQUIRE(queue.next(step));
    REQUIRE(queue.next(step)); // the second step shows that the first segment is consumed
    CHECK(queue.free_space() == 1);
    CHECK(queue.push({10, 1, Axis::x, Direction::away}));
    CHECK(drain(queue).size() == StepQueue::capacity - 1);
}

TEST_CASE("step queue: the ring wraps many times without losing a step") {
    StepQueue queue;
    std::uint32_t given = 0;
    for (std::uint32_t round = 0; round < 5000; ++round) {
        for (std::uint16_t count = 0; count < 5; ++count) {
            REQUIRE(queue.push({7, count, Axis::z, Direction::away}));
            given += count;
        }
        drain(queue);
    }
    CHECK(queue.taken() == given);
    CHECK(queue.position(Axis::z) == static_cast<std::int32_t>(given));
}

TEST_CASE("step queue: a halt drops the queued steps and stops all steps until its release") {
    StepQueue queue;
    queue.push({100, 10, Axis::x, Direction::away});
    MotorStep step;
    REQUIRE(queue.next(step));
    queue.halt();
    CHECK_FALSE(queue.next(step));
    CHECK_FALSE(queue.waiting());
    queue.push({100, 10, Axis::x, Direction::away});
    CHECK_FALSE(queue.next(step));
    queue.drop(); // does not end the halt
    CHECK(queue.halted());
    queue.release();
    CHECK_FALSE(queue.next(step));
    CHECK(queue.position(Axis::x) == 1);
    queue.push({100, 1, Axis::x, Direction::away});
    CHECK(queue.next(step));
}

TEST_CASE("step queue: dropped steps of a segment are not made, and the next segment is complete") {
    StepQueue queue;
    queue.push({100, 10, Axis::x, Direction::away});
    MotorStep step;
    for (int i = 0; i < 4; ++i) REQUIRE(queue.next(step));
    queue.drop();
    CHECK_FALSE(queue.waiting());
    CHECK(queue.ahead_us() == 0);
    queue.push({100, 3, Axis::x, Direction::home});
    CHECK(drain(queue).size() == 3);
    CHECK(queue.position(Axis::x) == 1);
}
