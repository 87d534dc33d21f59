// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/pass_pace.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using std::chrono::milliseconds;

namespace {

/// 1 MiB transfers over `span`, each with a duration of `length` for its offset.
template <class Length>
PassSpeed paced(Bytes span, Length length) {
    PassPace pace(Access::sequential_read, span, 1_MiB);
    for (std::uint64_t at = 0; at < span.count; at += (1_MiB).count) pace.moved(at, 1_MiB, length(at));
    return pace.speed();
}

} // namespace

TEST_CASE("a pass with a constant rate has a median rate and no slow region") {
    const PassSpeed speed = paced(256_MiB, [](std::uint64_t) { return milliseconds(10); });
    CHECK(speed.region == 16_MiB);
    CHECK(speed.median_bytes_per_second == (100_MiB).count);
    CHECK(speed.slow_below == (50_MiB).count);
    CHECK(speed.slow.empty());
    CHECK(slow_findings(speed).empty());
}

TEST_CASE("a region below half of the median rate is slow, and adjacent slow regions are merged") {
    const PassSpeed speed = paced(
        256_MiB, [](std::uint64_t at) { return milliseconds(at >= (64_MiB).count && at < (96_MiB).count ? 40 : 10); });
    CHECK(speed.slow == std::vector<SlowRegion>{{64_MiB, 32_MiB, (25_MiB).count}});
    const auto findings = slow_findings(speed);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].kind == measure::FindingKind::slow_region);
    CHECK(findings[0].severity == measure::Severity::note);
    CHECK(findings[0].offset == 64_MiB);
    CHECK(findings[0].length == 32_MiB);
}

TEST_CASE("on a busy host a region is slow only below a quarter of the median and with a delay of a second") {
    struct Row {
        int slow_ms; ///< per MiB; the median is 100
        bool idle, busy;
    };
    // The 15 transfers of a region beside its longest one take 1.6 s at the median.
    for (const Row& row : {Row{190, false, false}, Row{250, true, false}, Row{390, true, false}, Row{410, true, true}}) {
        CAPTURE(row.slow_ms);
        const PassSpeed speed = paced(256_MiB, [&](std::uint64_t at) {
            return milliseconds(at >= (64_MiB).count && at < (80_MiB).count ? row.slow_ms : 100);
        });
        CHECK(slow_findings(speed).empty() != row.idle);
        const auto busy = slow_findings(speed, "processes waited for a processor for 40 % of the time");
        CHECK(busy.empty() != row.busy);
        if (row.busy)
            CHECK_THAT(busy.at(0).detail,
                       ContainsSubstring("read at less than 2.62 MB/s, a quarter of the median") &&
                           ContainsSubstring(": probably the busy host (processes waited for a processor for 40 % of "
                                             "the time), otherwise worn cells"));
    }
    // A fast medium: an eighth of the rate, but a delay of 112 ms, which is a usual delay by another process.
    const PassSpeed fast = paced(256_MiB, [](std::uint64_t at) { return milliseconds(at < (16_MiB).count ? 8 : 1); });
    CHECK(slow_findings(fast).size() == 1);
    CHECK(slow_findings(fast, "busy").empty());
}

TEST_CASE("a rotating disk that halves its rate from the outer to the inner tracks has no slow region") {
    const PassSpeed speed = paced(1_GiB, [](std::uint64_t at) {
        const double rate = 1.0 - 0.5 * static_cast<double>(at) / static_cast<double>((1_GiB).count);
        return std::chrono::nanoseconds(static_cast<std::int64_t>(1e7 / rate));
    });
    CHECK(speed.slow.empty());
}

TEST_CASE("a single long transfer is a stall, not a slow region") {
    const PassSpeed speed = paced(256_MiB, [](std::uint64_t at) {
        return milliseconds(at == (100_MiB).count ? 3000 : at == (7_MiB).count ? 500 : 10);
    });
    CHECK(speed.slow.empty());
    REQUIRE(speed.stalls.size() == PassPace::most_stalls);
    CHECK(speed.stalls[0] == Stall{100_MiB, milliseconds(3000)});
    CHECK(speed.stalls[1] == Stall{7_MiB, milliseconds(500)});
}

TEST_CASE("the regions of a small medium are not compared") {
    const PassSpeed speed = paced(96_MiB, [](std::uint64_t at) { return milliseconds(at < (16_MiB).count ? 100 : 1); });
    CHECK(speed.median_bytes_per_second == 0);
    CHECK(speed.slow.empty());
    CHECK(speed.stalls.size() == PassPace::most_stalls);
}

TEST_CASE("a large medium is divided into at most 1024 regions, including the end of the span") {
    PassPace pace(Access::sequential_write, 1024_GiB + 512_B, 1_MiB);
    pace.moved((1024_GiB).count, 512_B, milliseconds(1));
    CHECK(pace.speed().region == 1_GiB + 1_MiB);
}
