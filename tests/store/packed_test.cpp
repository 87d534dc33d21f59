// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/store/packed.hpp"

#include "tests/catch.hpp"
#include "tests/store/scripted_campaign.hpp"

using namespace mediarig;
using namespace mediarig::store;
using measure::Histogram;
using workload::SeriesSample;

TEST_CASE("packing and unpacking preserves histograms, also empty and extreme ones") {
    measure::HistogramRecorder extreme;
    for (const std::uint64_t ns : {std::uint64_t{0}, std::uint64_t{127}, std::uint64_t{1} << 41, ~std::uint64_t{0}})
        extreme.record(ns);
    for (const Histogram& histogram : {Histogram{}, extreme.histogram(), scripted_cell("c", 5000, 3).latency}) {
        const auto back = unpack_histogram(pack(histogram));
        REQUIRE(back);
        CHECK(*back == histogram);
    }
    CHECK(pack(Histogram{}) == std::vector<std::uint8_t>{1, 0, 0, 0, 0});
}

TEST_CASE("packing and unpacking preserves series, also empty and extreme ones") {
    const SeriesSample extreme{
        std::chrono::nanoseconds::max(), {~std::uint64_t{0}}, ~std::uint64_t{0}, std::chrono::nanoseconds::min()};
    for (const auto& series : {std::vector<SeriesSample>{}, {extreme}, scripted_cell("c", 0, 1).series})
        CHECK(unpack_series(pack(series)) == series);
    CHECK(pack(std::vector<SeriesSample>{}) == std::vector<std::uint8_t>{1, 0});
}

TEST_CASE("a truncated, extended or changed packed histogram or series is refused") {
    const auto histogram = pack(scripted_cell("c", 5000, 3).latency);
    const auto series = pack(scripted_cell("c", 0, 1).series);
    for (std::size_t length = 0; length < histogram.size(); ++length)
        REQUIRE_FALSE(unpack_histogram(std::span(histogram).first(length)));
    for (std::size_t length = 0; length < series.size(); ++length)
        REQUIRE_FALSE(unpack_series(std::span(series).first(length)));
    for (auto packed : {histogram, series}) {
        packed.push_back(0);
        CHECK_FALSE(unpack_histogram(packed));
        CHECK_FALSE(unpack_series(packed));
    }

    using Raw = std::vector<std::uint8_t>;
    CHECK_FALSE(unpack_histogram(Raw{2, 0, 0, 0, 0}));                      // an unknown format number
    CHECK_FALSE(unpack_histogram(Raw{1, 9, 3, 3, 1, 0x80, 0x40, 1}));       // a bucket beyond the last
    CHECK_FALSE(unpack_histogram(Raw{1, 9, 3, 3, 2, 3, 1, 0, 1}));          // a bucket twice
    CHECK_FALSE(unpack_histogram(Raw{1, 9, 3, 3, 1, 3, 0}));                // an empty bucket
    CHECK_FALSE(unpack_histogram(Raw{1, 9, 5, 3, 1, 3, 1}));                // minimum above maximum
    CHECK_FALSE(unpack_histogram(Raw{1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F})); // more buckets than exist
    CHECK_FALSE(unpack_series(Raw{1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F}));       // a count that exceeds the data
    CHECK_FALSE(unpack_series(
        Raw{1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02, 0, 0, 0})); // a number of 65 bits
    CHECK_FALSE(unpack_series(Raw{2, 0}));
}
