// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/measure/plausibility.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::measure;
using namespace std::chrono_literals;

namespace {

std::vector<SweepPoint> sweep(std::initializer_list<double> megabytes_per_second) {
    std::vector<SweepPoint> points;
    Bytes block = 4_KiB;
    for (const double rate : megabytes_per_second) {
        points.push_back({block, Rate{rate * 1e6}});
        block = block * 2;
    }
    return points;
}

std::vector<RateSample> series(std::initializer_list<std::uint64_t> megabytes) {
    std::vector<RateSample> samples;
    for (const std::uint64_t moved : megabytes) samples.push_back({1s, Bytes{moved * 1'000'000}});
    return samples;
}

using Indexes = std::vector<std::size_t>;

} // namespace

TEST_CASE("a sweep that rises, or falls within the tolerance, is plausible") {
    CHECK(outside_envelope({}).empty());
    CHECK(outside_envelope(sweep({10})).empty());
    CHECK(outside_envelope(sweep({1, 2, 4, 8, 8})).empty());
    CHECK(outside_envelope(sweep({10, 20, 18.1, 20})).empty());
}

TEST_CASE("on a busy host a falling pair needs three times the difference") {
    const auto told = [](double second, bool first_busy, bool second_busy) {
        std::vector<SweepPoint> points = sweep({10, second});
        points[0].host_was_busy = first_busy;
        points[1].host_was_busy = second_busy;
        return !outside_envelope(points).empty();
    };
    CHECK(told(8.5, false, false));
    CHECK_FALSE(told(8.5, true, false));
    CHECK_FALSE(told(8.5, false, true));
    CHECK(told(6.9, true, true));
}

TEST_CASE("of two falling cells, the cell that differs more from its neighbours is named") {
    CHECK(outside_envelope(sweep({1, 2, 4, 1.5, 16, 20})) == Indexes{3}); // a dip
    CHECK(outside_envelope(sweep({1, 2, 40, 8, 16, 20})) == Indexes{2});  // a peak
    CHECK(outside_envelope(sweep({90, 2, 4, 8})) == Indexes{0});          // the first cell, served from a cache
    CHECK(outside_envelope(sweep({2, 4, 6, 7, 4.5})) == Indexes{4});      // the last cell
    CHECK(outside_envelope(sweep({1, 2, 0.4, 8, 16, 3, 40})) == Indexes{2, 5});
}

TEST_CASE("the distance of a cell from its neighbours is the logarithm of the ratio to their geometric mean") {
    CHECK(distance_from_neighbours(sweep({10, 10, 1000}), 1) == Approx(std::log(10.0)));
    CHECK(distance_from_neighbours(sweep({10, 40}), 0) == Approx(std::log(4.0)));
    CHECK(distance_from_neighbours(sweep({10, 40}), 1) == Approx(std::log(4.0)));
    CHECK(distance_from_neighbours(sweep({10}), 0) == 0);
}

TEST_CASE("the finding about a falling sweep names cell, neighbours, probable cause and remedy") {
    const auto points = sweep({12.447, 7.729, 29.881});
    const Finding finding = not_monotone("sequential write", points, 1);
    CHECK(finding.kind == FindingKind::not_monotone);
    CHECK(finding.severity == Severity::warning);
    CHECK(finding.detail ==
          "sequential write at 8 KB: 7.73 MB/s does not fit between 4 KB (12.4) and 16 KB (29.9); the medium's own "
          "garbage collection, or a host that was disturbed: compare the other passes, or repeat");
    CHECK_THAT(
        not_monotone("sequential write", points, 1, "processes waited for a processor for 40 % of the time").detail,
        ContainsSubstring("(29.9); probably the busy host (processes waited for a processor for 40 % of the "
                          "time), otherwise the medium's own garbage collection: compare"));
    CHECK_THAT(not_monotone("random read", points, 0).detail, ContainsSubstring("does not fit beside 8 KB (7.73); "));
}

TEST_CASE("4 KB transfers that are faster than 256 KB transfers indicate a cache") {
    const auto cached = small_blocks_too_fast("sequential write", sweep({58.67, 60, 60, 60, 60, 60, 24.25}));
    REQUIRE(cached);
    CHECK(cached->kind == FindingKind::cache_suspected);
    CHECK(cached->detail ==
          "sequential write: 4 KB transfers (58.670 MB/s) are 2.4 times as fast as those of 256 KB (24.250 MB/s); "
          "probably a cache served the requests: use direct I/O or drop the cache");
    CHECK_FALSE(small_blocks_too_fast("sequential write", sweep({1, 2, 4, 8, 16, 20, 24})));
    CHECK_FALSE(small_blocks_too_fast("sequential write", sweep({90, 2, 4}))); // no 256 KB to compare with
}

TEST_CASE("4 KB transfers that are slightly faster than 256 KB transfers are attributed to scatter, not to a cache") {
    const auto told = [](double small, double large, bool busy) {
        std::vector<SweepPoint> points = sweep({small, 20, 20, 20, 20, 20, large});
        points.front().host_was_busy = busy;
        return small_blocks_too_fast("sequential read", points).has_value();
    };
    CHECK_FALSE(told(20.8, 20, false)); // 4 %
    CHECK_FALSE(told(38, 20, false));
    CHECK(told(41, 20, false));
    CHECK(told(880, 20, false)); // published: 44 times
    CHECK_FALSE(told(60, 20, true));
    CHECK(told(81, 20, true));
}

TEST_CASE("a weak slope needs less evidence than a steady slope") {
    // Scatter of 8 % about a fall of 16 %: the line explains less than half of the squares.
    const auto scattered = series({108, 92, 104, 90, 102, 84, 100, 82, 95, 83});
    CHECK_FALSE(steady_slope(scattered));
    REQUIRE(weak_slope(scattered));
    CHECK(weak_slope(scattered)->change() < -0.05);
    CHECK_FALSE(weak_slope(series({100, 92, 101, 93, 99, 92, 101, 92, 100, 93}))); // no direction
    CHECK_FALSE(weak_slope(series({100, 90, 80, 70})));                            // too short
    CHECK(weak_slope(series({100, 98, 96, 94, 92, 90, 88, 86, 84, 82})));
}

TEST_CASE("a write cache that becomes full within a cell is found, with the time and both rates") {
    const auto change = level_change(series({90, 91, 89, 90, 90, 21, 20, 20, 19, 20}));
    REQUIRE(change);
    CHECK(change->at == 5s);
    CHECK(change->before.megabytes_per_second() == Approx(90));
    CHECK(change->after.megabytes_per_second() == Approx(20));
    CHECK(rate_unstable("sequential write 1024KB", *change).detail ==
          "sequential write 1024KB: the rate fell from 90.000 to 20.000 MB/s after 5 s; probably a full write cache or "
          "a throttled medium: the mean of both is not meaningful");
    CHECK_THAT(rate_unstable("sequential write 1024KB", *change, "the hypervisor ran other guests for 30 % of the time")
                   .detail,
               ContainsSubstring("; probably the busy host (the hypervisor ran other guests for 30 % of the time), "
                                 "otherwise a full write cache or a throttled medium: "));
    const auto rise = level_change(series({20, 20, 20, 60, 60, 60}));
    REQUIRE(rise);
    CHECK_THAT(rate_unstable("random read", *rise).detail, ContainsSubstring("rose from 20.000 to 60.000"));
}

TEST_CASE("noise, a slow first sample, an outlier and a short series are not a change of level") {
    CHECK_FALSE(level_change({}));
    CHECK_FALSE(level_change(series({90, 90, 20, 20, 20})));               // too short for a decision
    CHECK_FALSE(level_change(series({90, 80, 95, 85, 92, 88, 91, 84})));   // less than 25 %
    CHECK_FALSE(level_change(series({90, 10, 95, 8, 92, 88, 11, 84, 9}))); // erratic, not two levels
    CHECK_FALSE(level_change(series({20, 90, 90, 90, 90, 90, 90, 90})));   // one slow second
    CHECK_FALSE(level_change(series({20, 20, 20, 20, 20, 20, 20, 900})));  // one outlier
    auto tail = series({50, 50, 50, 50, 50, 50});
    tail.push_back({10ms, Bytes{0}});
    CHECK_FALSE(level_change(tail));
    CHECK_FALSE(level_change(std::vector<RateSample>(8, RateSample{}))); // no time passed: no rate is defined
}
