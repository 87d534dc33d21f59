// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/payload_rates.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace mediarig::measure;

TEST_CASE("the payload with the largest difference is named with its ratio") {
    const std::vector<PayloadRates> rates{{30, 31, 30, 31}, {60, 61, 62, 61}, {36, 37, 36, 37}};
    const auto found = payload_difference(rates, 0);
    REQUIRE(found);
    CHECK(found->payload == 1);
    CHECK(std::abs(found->ratio - 2.0) < 0.01);
    CHECK(std::abs(found->spread - 62.0 / 60) < 1e-9);
}

TEST_CASE("a slower payload is named too") {
    const std::vector<PayloadRates> rates{{60, 61, 60}, {30, 31, 30}};
    const auto found = payload_difference(rates, 0);
    REQUIRE(found);
    CHECK(std::abs(found->ratio - 0.503) < 0.001);
}

TEST_CASE("no payload is named if the scatter does not permit it") {
    using Rates = std::vector<PayloadRates>;
    // The rates overlap.
    CHECK_FALSE(payload_difference(Rates{{30, 40, 30}, {39, 50, 60}}, 0));
    // The gap of 1.2 is smaller than the spread of 1.5 of a third payload.
    CHECK_FALSE(payload_difference(Rates{{30, 30, 30}, {36, 36, 36}, {30, 45, 30}}, 0));
    // A drift by half over the pass.
    CHECK_FALSE(payload_difference(Rates{{30, 25, 20}, {29, 24, 19}}, 0));
}

TEST_CASE("no payload is named for a small difference or for too few rates") {
    using Rates = std::vector<PayloadRates>;
    CHECK_FALSE(payload_difference(Rates{{100, 100, 100}, {109, 109, 109}}, 0));
    CHECK(payload_difference(Rates{{100, 100, 100}, {111, 111, 111}}, 0));
    CHECK_FALSE(payload_difference(Rates{{100, 100}, {200, 200}}, 0));
    CHECK_FALSE(payload_difference(Rates{{0, 0, 0}, {200, 200, 200}}, 0));
    CHECK_FALSE(payload_difference(Rates{}, 0));
}
