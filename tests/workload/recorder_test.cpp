// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/recorder.hpp"
#include "host/workload/io/linux/linux_system.hpp"

#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;

namespace {

constexpr Ticks ms = 1'000'000;

/// Ticks of this clock are nanoseconds, so that a test can set the times of events.
const TickClock& nanosecond_clock() {
    static const TickClock clock = TickClock::monotonic();
    return clock;
}

Recorder recorder_of(Bytes block, std::uint64_t expected) {
    return {nanosecond_clock(), block, Recorder::RawLog::on, expected};
}

CellResult delivered(Recorder recorder) {
    CellResult result;
    std::move(recorder).deliver(result);
    return result;
}

} // namespace

TEST_CASE("the recorder starts each consecutive transfer at the end of the previous transfer") {
    Recorder recorder = recorder_of(4_KiB, 3);
    recorder.begin(1000);
    const Ticks ends[] = {1000 + 2 * ms, 1000 + 5 * ms, 1000 + 6 * ms};
    recorder.completed_in_turn(1000, ends);
    recorder.pause(ends[2]);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.operations == 3);
    CHECK(result.moved == 12_KiB);
    CHECK(result.elapsed == milliseconds(6));
    CHECK(result.raw_log == std::vector<std::uint32_t>{2'000'000, 3'000'000, 1'000'000});
    CHECK(result.latency.count() == 3);
    CHECK(result.latency.max() == milliseconds(3));
    REQUIRE(result.series.size() == 1);
    CHECK(result.series[0].length == milliseconds(6));
    CHECK(result.series[0].operations == 3);
    CHECK(result.series[0].worst == milliseconds(3));
}

TEST_CASE("a pause is part of neither the elapsed time nor the seconds of the series") {
    Recorder recorder = recorder_of(1_MiB, 4);
    recorder.begin(0);
    recorder.completed(0, 600 * ms);
    recorder.pause(600 * ms);
    recorder.resume(5600 * ms);
    recorder.completed(5600 * ms, 5900 * ms);
    recorder.completed(5900 * ms, 6100 * ms);
    recorder.pause(6100 * ms);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.elapsed == milliseconds(1100));
    CHECK(result.prepare_time == seconds(5));
    REQUIRE(result.series.size() == 2);
    CHECK(result.series[0] == SeriesSample{seconds(1), 2_MiB, 2, milliseconds(600)});
    CHECK(result.series[1] == SeriesSample{milliseconds(100), 1_MiB, 1, milliseconds(200)});
}

TEST_CASE("payload generation while the clock runs is reported separately and does not change other times") {
    Recorder recorder = recorder_of(1_MiB, 4);
    recorder.begin(0);
    recorder.completed(0, 600 * ms);
    recorder.add_prepared(200 * ms);
    recorder.add_prepared(50 * ms);
    recorder.completed(100 * ms, 900 * ms);
    recorder.pause(900 * ms);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.elapsed == milliseconds(900));
    CHECK(result.prepare_time == milliseconds(250));
}

TEST_CASE("a transfer that lasts several seconds leaves empty seconds in the series") {
    Recorder recorder = recorder_of(4_KiB, 2);
    recorder.begin(0);
    const Ticks ends[] = {500 * ms, 3500 * ms};
    recorder.completed_in_turn(0, ends);
    recorder.pause(3500 * ms);
    const CellResult result = delivered(std::move(recorder));
    REQUIRE(result.series.size() == 4);
    CHECK(result.series[0] == SeriesSample{seconds(1), 4_KiB, 1, milliseconds(500)});
    CHECK(result.series[1] == SeriesSample{seconds(1), {}, 0, {}});
    CHECK(result.series[2] == SeriesSample{seconds(1), {}, 0, {}});
    CHECK(result.series[3] == SeriesSample{milliseconds(500), 4_KiB, 1, seconds(3)});
}

TEST_CASE("the seconds of a series add up to the total of the cell") {
    Recorder recorder = recorder_of(4_KiB, 0);
    recorder.begin(0);
    std::vector<Ticks> ends;
    for (Ticks i = 1; i <= 1000; ++i) ends.push_back(i * 7 * ms);
    for (std::size_t at = 0; at < ends.size(); at += 100)
        recorder.completed_in_turn(at == 0 ? 0 : ends[at - 1], std::span(ends).subspan(at, 100));
    recorder.pause(7000 * ms);
    const CellResult result = delivered(std::move(recorder));
    std::uint64_t operations = 0;
    nanoseconds length{};
    for (const SeriesSample& second : result.series) {
        operations += second.operations;
        length += second.length;
        CHECK(second.worst == milliseconds(7));
    }
    CHECK(operations == 1000);
    CHECK(length == seconds(7));
    CHECK(result.raw_log.empty());
}

TEST_CASE("the final sync is part of the elapsed time and recorded separately") {
    Recorder recorder = recorder_of(4_KiB, 1);
    recorder.begin(0);
    recorder.completed(0, 10 * ms);
    recorder.pause(10 * ms);
    recorder.resume(11 * ms);
    recorder.pause(41 * ms);
    recorder.add_sync(30 * ms);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.elapsed == milliseconds(40));
    CHECK(result.sync_time == milliseconds(30));
    CHECK(result.series.size() == 1);
}

TEST_CASE("a latency that exceeds 32 bits saturates in the raw log and is exact elsewhere") {
    Recorder recorder = recorder_of(4_KiB, 1);
    recorder.begin(0);
    recorder.completed(0, 5000 * ms);
    recorder.pause(5000 * ms);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.raw_log == std::vector<std::uint32_t>{0xFFFF'FFFF});
    CHECK(result.latency.max() == seconds(5));
}

TEST_CASE("the raw log records as many operations as its reserved size permits") {
    Recorder recorder = recorder_of(4_KiB, 2);
    recorder.begin(0);
    const Ticks ends[] = {1, 2, 3};
    recorder.completed_in_turn(0, ends);
    recorder.pause(3);
    const CellResult result = delivered(std::move(recorder));
    CHECK(result.raw_log.size() == 2);
    CHECK(result.operations == 3);
}

TEST_CASE("the fastest available clock runs at the rate of CLOCK_MONOTONIC") {
    const TickClock& best = linux_system().clock();
    const TickClock monotonic = TickClock::monotonic();
    const Ticks start = monotonic.now();
    const Ticks best_start = best.now();
    while (monotonic.now() - start < 50 * ms) {
    }
    const Ticks length = monotonic.now() - start;
    CHECK(static_cast<double>(best.to_ns(best.now() - best_start)) ==
          Approx(static_cast<double>(length)).epsilon(0.02));
    CHECK(best.to_ns(best.from_ns(seconds(3600))) == Approx(3.6e12).epsilon(1e-6));
}
