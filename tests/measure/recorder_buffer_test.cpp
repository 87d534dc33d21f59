// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/recorder_buffer.hpp"

#include <algorithm>
#include <vector>

#include "common/split_mix.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;
using namespace std::chrono_literals;

namespace {

/// A second per rate in MB/s.
std::vector<WriteInterval> seconds_of(std::initializer_list<std::uint64_t> rates) {
    std::vector<WriteInterval> series;
    for (const std::uint64_t rate : rates) series.push_back({.length = 1s, .moved = {rate * 1'000'000}});
    return series;
}

/// Simulates the recorder: largest content of its buffer in bytes.
double filled(const std::vector<WriteInterval>& series, double rate) {
    double content = 0, most = 0;
    for (const WriteInterval& interval : series) {
        const double pause = std::chrono::duration<double>(interval.longest).count();
        content += rate * pause;
        most = std::max(most, content);
        content += rate * (std::chrono::duration<double>(interval.length).count() - pause) -
                   static_cast<double>(interval.moved.count);
        content = std::max(content, 0.0);
        most = std::max(most, content);
    }
    return most;
}

} // namespace

TEST_CASE("a slow second needs a buffer for its missing data") {
    const RecorderBuffer buffer(seconds_of({60, 60, 10, 60, 60}));
    CHECK(buffer.length() == 5s);
    CHECK(buffer.mean().megabytes_per_second() == Approx(50));
    CHECK(buffer.buffer_for({50e6}) == 40'000'000_B);
    CHECK(buffer.buffer_for({60e6}) == 50'000'000_B);
    CHECK(buffer.buffer_for({10e6}) == 0_B);
    CHECK(buffer.highest_rate(40'000'000_B).megabytes_per_second() == Approx(50));
    CHECK(buffer.highest_rate(0_B).megabytes_per_second() == Approx(10));
}

TEST_CASE("two slow seconds with little time between them add up") {
    // At 50 MB/s: 40 MB, minus 10 MB in the fast second, plus 40 MB.
    const RecorderBuffer buffer(seconds_of({60, 10, 60, 10, 60}));
    CHECK(buffer.buffer_for({50e6}) == 70'000'000_B);
    CHECK(buffer.highest_rate(70'000'000_B).megabytes_per_second() == Approx(50));
}

TEST_CASE("a pause within a second needs a buffer even if the second is fast") {
    const RecorderBuffer buffer(std::vector<WriteInterval>{{.length = 1s, .moved = 90'000'000_B, .longest = 500ms}});
    CHECK(buffer.buffer_for({60e6}) == 30'000'000_B);
    CHECK(buffer.highest_rate(30'000'000_B).megabytes_per_second() == Approx(60));
    CHECK(buffer.highest_rate(0_B).bytes_per_second == Approx(0).margin(1e-6));
}

TEST_CASE("a series without data supports no rate") {
    const RecorderBuffer buffer(std::vector<WriteInterval>{});
    CHECK(buffer.length() == 0s);
    CHECK(buffer.highest_rate(1'000'000_B).bytes_per_second == 0);
    CHECK(buffer.buffer_for({1e6}) == 0_B);
}

TEST_CASE("the closed form agrees with a simulated recorder at each buffer size") {
    SplitMix numbers(3);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<WriteInterval> series;
        for (int i = 0; i < 40; ++i) {
            const auto length = std::chrono::milliseconds(100 + numbers.next() % 900);
            series.push_back({.length = length,
                              .moved = {numbers.next() % 80'000'000},
                              .longest = std::chrono::milliseconds(numbers.next() % 100)});
        }
        const RecorderBuffer buffer(series);
        double previous = 0;
        for (const std::uint64_t megabytes : {0u, 1u, 4u, 16u, 64u, 256u, 1024u}) {
            CAPTURE(trial, megabytes);
            const Bytes size{megabytes * 1'000'000};
            const double rate = buffer.highest_rate(size).bytes_per_second;
            CHECK(rate >= previous);
            previous = rate;
            CHECK(filled(series, rate) <= static_cast<double>(size.count) + 1);
            CHECK(filled(series, rate * 1.001 + 1000) > static_cast<double>(size.count));
            if (rate > 0) CHECK(filled(series, rate) <= static_cast<double>(buffer.buffer_for({rate}).count) + 1);
        }
    }
}
