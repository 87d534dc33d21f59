// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/payload/offsets.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;

namespace {

std::vector<std::uint64_t> take(OffsetStream& stream, std::size_t count) {
    std::vector<std::uint64_t> offsets(count);
    stream.fill(offsets);
    return offsets;
}

} // namespace

TEST_CASE("sequential offsets increase block by block and wrap at the end of the span") {
    OffsetStream stream(Access::sequential_write, 4_KiB, 12_KiB + 1_B, 1);
    CHECK(take(stream, 5) == std::vector<std::uint64_t>{0, 4096, 8192, 0, 4096});
}

TEST_CASE("random offsets visit every block of the span once before any repetition") {
    for (const std::uint64_t blocks : {1u, 2u, 3u, 7u, 64u, 1000u, 4097u}) {
        CAPTURE(blocks);
        OffsetStream stream(Access::random_read, 8_KiB, 8_KiB * blocks, 42);
        for (int round = 0; round < 3; ++round) {
            const auto offsets = take(stream, blocks);
            const std::set<std::uint64_t> distinct(offsets.begin(), offsets.end());
            CHECK(distinct.size() == blocks);
            CHECK(*distinct.rbegin() == (blocks - 1) * 8192);
        }
    }
}

TEST_CASE("each round, seed and access has a separate reproducible order") {
    const auto order = [](Access access, std::uint64_t seed) {
        OffsetStream stream(access, 4_KiB, 4_MiB, seed);
        return take(stream, 1024);
    };
    CHECK(order(Access::random_read, 1) == order(Access::random_read, 1));
    CHECK(order(Access::random_read, 1) != order(Access::random_read, 2));
    CHECK(order(Access::random_read, 1) != order(Access::random_write, 1));

    OffsetStream stream(Access::random_read, 4_KiB, 4_MiB, 1);
    const auto first = take(stream, 1024);
    CHECK(take(stream, 1024) != first);
    CHECK(first == order(Access::random_read, 1));
}

TEST_CASE("offsets do not depend on the sizes of the batches in which they are requested") {
    OffsetStream whole(Access::random_write, 4_KiB, 400_KiB, 5);
    OffsetStream portions(Access::random_write, 4_KiB, 400_KiB, 5);
    const auto expected = take(whole, 250);
    std::vector<std::uint64_t> got;
    for (const std::size_t count : {1u, 99u, 100u, 3u, 47u})
        for (const std::uint64_t offset : take(portions, count)) got.push_back(offset);
    CHECK(got == expected);
}

TEST_CASE("random offsets have neither small distances nor a trend") {
    constexpr std::size_t blocks = 65536;
    for (const std::uint64_t seed : {1u, 2u, 3u, 99u}) {
        OffsetStream stream(Access::random_read, 4_KiB, 4_KiB * blocks, seed);
        const auto offsets = take(stream, blocks);
        double distance = 0;
        std::size_t neighbours = 0;
        for (std::size_t i = 1; i < blocks; ++i) {
            const double step = (static_cast<double>(offsets[i]) - static_cast<double>(offsets[i - 1])) / 4096;
            distance += std::abs(step);
            if (std::abs(step) <= 1) ++neighbours;
        }
        // Independent uniform positions are a third of the span apart on average.
        CHECK(distance / blocks == Approx(blocks / 3.0).epsilon(0.05));
        CHECK(neighbours < 20);
        // Any short part spreads over the span: a cell that ends early has covered all of it.
        const auto [low, high] = std::minmax_element(offsets.begin(), offsets.begin() + 64);
        CHECK(*high - *low > 4096 * blocks / 2);
    }
}

TEST_CASE("a start position is added to each offset") {
    for (const Access access : {Access::sequential_write, Access::random_read}) {
        OffsetStream whole(access, 4_KiB, 64_KiB, 5), moved(access, 4_KiB, 64_KiB, 5, 1_MiB);
        std::vector<std::uint64_t> a(20), b(20);
        whole.fill(a);
        moved.fill(b);
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(b[i] == a[i] + (1 << 20));
    }
}
