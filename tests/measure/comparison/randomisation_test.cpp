// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/comparison/randomisation.hpp"

#include <cmath>

#include "common/split_mix.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure::comparison;

namespace {

/// Blocks with one figure for each of `formats` formats. Format 0 is better by `effect`. All figures scatter uniformly
/// by +-0.01.
std::vector<BlockFigures> blocks_of(std::size_t formats, std::size_t count, double effect, std::uint64_t seed = 1) {
    SplitMix numbers(seed);
    std::vector<BlockFigures> blocks;
    for (std::size_t block = 0; block < count; ++block) {
        BlockFigures figures(1);
        for (std::size_t format = 0; format < formats; ++format) {
            const double scatter = 0.02 * (static_cast<double>(numbers.next() >> 11) * 0x1p-53 - 0.5);
            figures[0].emplace_back((format == 0 ? effect : 0) + scatter);
        }
        blocks.push_back(std::move(figures));
    }
    return blocks;
}

constexpr DifferenceClaim first_pair{.first = 0, .second = 1, .number = 0};

} // namespace

TEST_CASE("n blocks give a p of at least 2^(1 - n)") {
    for (std::size_t blocks = 4; blocks <= 12; ++blocks) {
        std::vector<double> values;
        for (std::size_t i = 0; i < blocks; ++i) values.push_back(1 + 0.001 * static_cast<double>(i % 3));
        CHECK(sign_flip_p(values, 0, 1) >= std::pow(0.5, static_cast<double>(blocks) - 1));
    }
    CHECK(sign_flip_p(std::vector<double>(6, 1.0), 0, 1) == Approx(1.0 / 32));
}

TEST_CASE("the p of random orders depends neither on the direction nor on the unit, and is reproducible") {
    const std::vector<double> values{.055, .030, .062, .051, .053, .051, .048};
    std::vector<double> negative, larger;
    for (const double value : values) {
        negative.push_back(-value);
        larger.push_back(8 * value);
    }
    const double p = sign_flip_p(values, 0, 1);
    CHECK(sign_flip_p(negative, 0, 1) == p);
    CHECK(sign_flip_p(larger, 0, 1) == p);
    std::vector<double> many; // too many blocks for an exact count of all orders
    for (int i = 0; i < 20; ++i) many.push_back(0.01 + 0.03 * (i % 3 - 1));
    CHECK(sign_flip_p(many, 0, 0.1) == sign_flip_p(many, 0, 0.1));
}

TEST_CASE("values whose signs alternate get a large p from random orders") {
    CHECK(sign_flip_p(std::vector<double>{.16, -.16, .161, -.159, .158, -.162, .16, -.16}, 0, 1) > 0.5);
    // As soon as p is above the given limit the count ends, and returns a p above the limit.
    CHECK(sign_flip_p(std::vector<double>{.16, -.16, .161, -.159, .158, -.162, .16, -.16}, 0, 0.03) > 0.03);
}

TEST_CASE("of three formats, the better one is found in each of its pairs, and the two equal ones do not differ") {
    const auto blocks = blocks_of(3, 10, 0.2);
    const RandomisedFamily family{.formats = 3};
    CHECK(randomised_p(blocks, family, first_pair, 0.03) <= 0.03);
    CHECK(randomised_p(blocks, family, {.first = 0, .second = 2, .number = 0}, 0.03) <= 0.03);
    CHECK(randomised_p(blocks, family, {.first = 1, .second = 2, .number = 0}, 0.03) > 0.03);
    SECTION("four formats need more blocks for the same pair") {
        // The p of a pair is doubled, because with four formats another pair may differ by chance at the same time.
        const auto four = blocks_of(4, 6, 0.2);
        CHECK(randomised_p(four, {.formats = 4}, first_pair, 1) >= 2.0 / 32);
        CHECK(randomised_p(four, {.formats = 4, .against_first = true}, first_pair, 1) < 2.0 / 32 + 0.02);
    }
}

TEST_CASE("a block with a missing figure still counts for the other formats") {
    auto blocks = blocks_of(3, 12, 0.2);
    for (std::size_t block = 0; block < 12; block += 2) blocks[block][0][2].reset();
    CHECK(randomised_p(blocks, {.formats = 3}, first_pair, 0.03) <= 0.03);
    for (BlockFigures& block : blocks) block[0][1].reset();
    CHECK(randomised_p(blocks, {.formats = 3}, first_pair, 0.03) == 1);
    CHECK(randomised_p({}, {.formats = 3}, first_pair, 0.03) == 1);
}

TEST_CASE(
    "a clear difference in one headline number does not hide a weaker difference in another number of its family") {
    auto blocks = blocks_of(2, 10, 0.03);
    const auto clear = blocks_of(2, 10, 1, 2), none = blocks_of(2, 10, 0, 3);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        blocks[block].push_back(clear[block][0]);
        blocks[block].push_back(none[block][0]);
    }
    const auto p = [&](std::size_t number) {
        return randomised_p(blocks, {}, {.first = 0, .second = 1, .number = number}, 1);
    };
    CHECK(p(0) <= 0.03);
    CHECK(p(1) <= p(0)); // the clearest difference has the smallest p
    CHECK(p(2) > 0.03);
    CHECK(p(2) >= p(0));
}
