// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/two_of_three.hpp"

#include <initializer_list>

#include "tests/catch.hpp"

using mediarig::firmware::TwoOfThree;

namespace {
constexpr bool after(std::initializer_list<bool> samples) {
    TwoOfThree input;
    for (const bool sample : samples) input.tick(sample);
    return input.value();
}
} // namespace

static_assert(!after({}) && !after({true}));
static_assert(after({true, true}) && after({true, false, true}) && after({false, true, true}));
static_assert(!after({true, false, false}) && !after({true, true, false, false}));

TEST_CASE("two of three: a single wrong sample at any position does not change the value") {
    for (const bool level : {false, true})
        for (int wrong = 0; wrong < 6; ++wrong) {
            TwoOfThree input;
            for (int i = 0; i < 3; ++i) input.tick(level);
            for (int i = 0; i < 6; ++i) CHECK(input.tick(i == wrong ? !level : level) == level);
        }
}

TEST_CASE("two of three: a change takes effect with its second sample, and a reset clears all samples") {
    TwoOfThree input;
    CHECK_FALSE(input.tick(true));
    CHECK(input.tick(true));
    input.reset();
    CHECK_FALSE(input.value());
    CHECK_FALSE(input.tick(true));
}
