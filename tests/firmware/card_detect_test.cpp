// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/card_detect.hpp"

#include "firmware/core/io.hpp"
#include "tests/catch.hpp"

using namespace mediarig::firmware;

namespace {

struct DetectBench {
    CardDetect cards;
    std::uint64_t now_us{1'000};
    std::uint8_t changes{}; // all reported changes
    constexpr DetectBench& pass(std::uint64_t us, std::uint8_t raw) {
        for (const std::uint64_t end = now_us + us; now_us < end; now_us += tick_us) changes |= cards.tick(now_us, raw);
        return *this;
    }
};

} // namespace

static_assert(!DetectBench().pass(19'000, 0).cards.settled());
static_assert(DetectBench().pass(21'000, 0).cards.settled());
static_assert(DetectBench().pass(21'000, 0x81).cards.cards() == 0x81);
static_assert(DetectBench().pass(21'000, 0x81).changes == 0, "what is there at the start has not changed");
static_assert(DetectBench().pass(21'000, 0).pass(19'000, 4).cards.cards() == 0);
static_assert(DetectBench().pass(21'000, 0).pass(21'000, 4).cards.cards() == 4);
static_assert(DetectBench().pass(21'000, 0).pass(21'000, 4).changes == 4);
static_assert(DetectBench().pass(21'000, 0xFF).pass(21'000, 0xFE).cards.present(1));
static_assert(!DetectBench().pass(21'000, 0xFF).pass(21'000, 0xFE).cards.present(0));

TEST_CASE("card-detect: a bouncing switch is not reported as changed") {
    DetectBench bench;
    bench.pass(30'000, 0);
    for (int i = 0; i < 30; ++i) bench.pass(15'000, 1).pass(2'000, 0);
    CHECK(bench.changes == 0);
    CHECK(bench.cards.cards() == 0);
}

TEST_CASE("card-detect: one bouncing switch does not delay the others") {
    DetectBench bench;
    bench.pass(30'000, 0);
    for (int i = 0; i < 10; ++i) bench.pass(3'000, 0x12).pass(3'000, 0x10);
    CHECK(bench.cards.cards() == 0x10);
    CHECK(bench.changes == 0x10);
}

TEST_CASE("card-detect: a switch that bounces from the start counts as settled once it has rested") {
    DetectBench bench;
    for (int i = 0; i < 10; ++i) bench.pass(5'000, 1).pass(5'000, 0);
    CHECK_FALSE(bench.cards.settled());
    bench.pass(21'000, 1);
    CHECK(bench.cards.settled());
    CHECK(bench.cards.cards() == 1);
}

TEST_CASE("card-detect: a change after the 71-minute wrap of the 32-bit clock is reported after 20 ms") {
    DetectBench bench;
    bench.pass(30'000, 0);
    // The clock needs ticks to notice its wrap, but a few long ticks are enough for hours.
    for (int hours = 0; hours < 3; ++hours)
        for (int minute = 0; minute < 60; ++minute) {
            bench.now_us += 60'000'000;
            bench.cards.tick(bench.now_us, 0);
        }
    bench.pass(19'000, 1);
    CHECK(bench.cards.cards() == 0);
    bench.pass(2'000, 1);
    CHECK(bench.cards.cards() == 1);
}
