// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/catch.hpp"

using namespace mediarig::measure;
using std::chrono::nanoseconds;

TEST_CASE("an empty histogram has no figures") {
    const Histogram empty;
    CHECK(empty.empty());
    CHECK(empty.count() == 0);
    CHECK(empty.min() == nanoseconds(0));
    CHECK(empty.max() == nanoseconds(0));
    CHECK_FALSE(empty.mean());
    CHECK_FALSE(empty.quantile(0.5));
    CHECK(empty.buckets().empty());
}

TEST_CASE("buckets are contiguous, without overlap, and at most 1/64 of their values wide") {
    std::size_t last = 0;
    for (std::uint64_t ns = 0; ns < 300'000; ++ns) {
        const std::size_t bucket = Histogram::bucket_of(ns);
        REQUIRE((bucket == last || bucket == last + 1));
        last = bucket;
    }
    for (std::uint64_t ns = 1; ns < 100'000'000'000; ns = ns * 21 / 20 + 1) {
        HistogramRecorder one;
        one.record(ns);
        one.record(ns + ns / 64 + 1);
        REQUIRE(one.histogram().buckets().size() == 2);
    }
}

TEST_CASE("values below 128 ns have exact buckets, and values beyond the range use the last bucket") {
    for (std::uint64_t ns = 0; ns < 128; ++ns) CHECK(Histogram::bucket_of(ns) == ns);
    CHECK(Histogram::bucket_of((std::uint64_t{1} << 41) - 1) == Histogram::bucket_count - 1);
    CHECK(Histogram::bucket_of(std::uint64_t{1} << 41) == Histogram::bucket_count - 1);
    CHECK(Histogram::bucket_of(~std::uint64_t{0}) == Histogram::bucket_count - 1);
}

TEST_CASE("quantiles are within 0.8 % of the sorted latencies, and extremes and mean are exact") {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> latencies;
    HistogramRecorder recorder;
    std::uint64_t sum = 0;
    for (int i = 0; i < 50'000; ++i) {
        // The latencies are distributed evenly over the orders of magnitude from 1 µs to 100 ms.
        const double exponent = 3 + 5 * (static_cast<double>(random() >> 11) / static_cast<double>(1ull << 53));
        const auto ns = static_cast<std::uint64_t>(std::pow(10.0, exponent));
        latencies.push_back(ns);
        recorder.record(ns);
        sum += ns;
    }
    const Histogram histogram = recorder.histogram();
    std::sort(latencies.begin(), latencies.end());
    for (const double quantile : {0.0, 0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
        CAPTURE(quantile);
        const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(quantile * 50'000)));
        const auto exact = static_cast<double>(latencies[rank - 1]);
        CHECK(static_cast<double>(histogram.quantile(quantile)->count()) == Approx(exact).epsilon(1.0 / 128));
    }
    CHECK(histogram.min().count() == static_cast<std::int64_t>(latencies.front()));
    CHECK(histogram.max().count() == static_cast<std::int64_t>(latencies.back()));
    CHECK(histogram.quantile(1.0) == histogram.max());
    CHECK(histogram.mean()->count() == static_cast<std::int64_t>(sum / 50'000));
}

TEST_CASE("a single slow operation is the maximum and does not change the median") {
    HistogramRecorder recorder;
    for (int i = 0; i < 999; ++i) recorder.record(100);
    recorder.record(250'000'000);
    const Histogram histogram = recorder.histogram();
    CHECK(histogram.quantile(0.5) == nanoseconds(100));
    CHECK(histogram.quantile(0.999) == nanoseconds(100));
    CHECK(histogram.max() == nanoseconds(250'000'000));
    CHECK(histogram.quantile(2.0) == histogram.max());
    CHECK(histogram.quantile(-1.0) == histogram.min());
}

TEST_CASE("merged histograms equal one histogram of all values") {
    HistogramRecorder everything, some, others;
    for (std::uint64_t i = 1; i < 5000; ++i) {
        everything.record(i * i);
        (i % 3 == 0 ? some : others).record(i * i);
    }
    const Histogram all = everything.histogram();
    Histogram left = some.histogram();
    left.merge(others.histogram());
    CHECK(left == all);
    left.merge(Histogram());
    CHECK(left == all);
    Histogram empty;
    empty.merge(all);
    CHECK(empty == all);
}

TEST_CASE("stored buckets give the same histogram, and invalid buckets are refused") {
    HistogramRecorder recorder;
    for (std::uint64_t ns : {0ull, 5ull, 5ull, 128ull, 1'000'000ull, 1ull << 50}) recorder.record(ns);
    const Histogram histogram = recorder.histogram();
    const std::vector<Histogram::Bucket> sparse = histogram.buckets();
    CHECK(Histogram::restore(sparse, histogram.summary()) == histogram);
    CHECK(Histogram::restore({}, {}) == Histogram());
    std::vector<Histogram::Bucket> in_any_order(sparse.rbegin(), sparse.rend());
    CHECK(Histogram::restore(in_any_order, histogram.summary()) == histogram);

    auto out_of_range = sparse;
    out_of_range.front().first = Histogram::bucket_count;
    CHECK_FALSE(Histogram::restore(out_of_range, histogram.summary()));
    auto repeated = sparse;
    repeated.push_back(repeated.front());
    CHECK_FALSE(Histogram::restore(repeated, histogram.summary()));
    auto nothing = sparse;
    nothing.front().second = 0;
    CHECK_FALSE(Histogram::restore(nothing, histogram.summary()));
    CHECK_FALSE(Histogram::restore(sparse, {.sum_ns = 1, .min_ns = 9, .max_ns = 3}));
}
