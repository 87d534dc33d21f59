// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>

#include "host/lab/card/timing.hpp"
#include "tests/catch.hpp"

using namespace mediarig;
using namespace mediarig::lab;
using namespace std::chrono_literals;
using std::chrono::nanoseconds;

namespace {

constexpr Rate per_second(double megabytes) {
    return {megabytes * 1e6};
}

CardConfig honest(Bytes size) {
    return {.claimed = size, .real = size};
}

/// Sequential requests without a pause, as in a benchmark.
struct Run {
    explicit Run(const CardConfig& config) : timing(config) {}
    nanoseconds read(std::uint64_t offset, Bytes size) {
        return add(timing.transfer(Timing::Transfer::read, offset, size, now));
    }
    nanoseconds write(std::uint64_t offset, Bytes size) {
        return add(timing.transfer(Timing::Transfer::write, offset, size, now));
    }
    void idle(nanoseconds time) { now += time; }
    nanoseconds add(nanoseconds took) {
        now += took;
        return took;
    }
    Timing timing;
    Moment now{};
};

} // namespace

TEST_CASE("card timing: a medium without limits takes no time") {
    Run run(honest(1_GiB));
    CHECK(run.read(0, 1_MiB) == 0ns);
    CHECK(run.write((512_MiB).count, 1_MiB) == 0ns);
    CHECK(run.timing.flush(run.now) == 0ns);
}

TEST_CASE("card timing: a request costs its command, the latency of its kind and its data") {
    CardConfig config = honest(1_GiB);
    config.command_overhead = 10us;
    config.read = {.rate = per_second(100), .latency = 1ms};
    config.write = {.rate = per_second(10), .latency = 2ms};
    config.flush_latency = 5ms;
    Run run(config);
    CHECK(run.read(0, {1'000'448}) == 10us + 1ms + 10'004'480ns);
    CHECK(run.write(0, {1'000'448}) == 10us + 2ms + 100'044'800ns);
    CHECK(run.timing.flush(run.now) == 10us + 5ms);
    CHECK(run.timing.command(run.now) == 10us);
}

TEST_CASE("card timing: a non-sequential request costs more time") {
    CardConfig config = honest(1_GiB);
    config.read.random_latency = 300us;
    config.write.random_latency = 2ms;
    Run run(config);
    struct Row {
        Timing::Transfer kind;
        std::uint64_t offset;
        nanoseconds took;
    };
    using enum Timing::Transfer;
    const Row rows[] = {
        {read, 0, 300us},    // the first read
        {read, 4096, 0ns},   // sequential
        {write, 8192, 2ms},  // the first write
        {read, 8192, 0ns},   // reads have their own sequence
        {write, 12288, 0ns}, // writes have their own sequence too
        {write, 12288, 2ms}, // the same offset again
        {read, 0, 300us},
    };
    for (const Row& row : rows) {
        CAPTURE(row.offset);
        CHECK(run.timing.transfer(row.kind, row.offset, 4_KiB, run.now) == row.took);
    }
}

TEST_CASE("card timing: a sequential request within the time limit extends the command, any other begins a new one") {
    CardConfig config = honest(1_GiB);
    config.command_overhead = 10us;
    config.joins_within = 5us;
    config.write.latency = 100us;
    Timing timing(config);
    using enum Timing::Transfer;
    const auto write_at = [&](std::uint64_t offset, nanoseconds now) {
        return timing.transfer(write, offset, 512_B, now);
    };
    CHECK(write_at(0, 0ns) == 110us);
    CHECK(write_at(512, 110us) == 0us);
    CHECK(write_at(1024, 114us) == 0us);
    CHECK(write_at(1536, 119us) == 110us);                    // too late
    CHECK(write_at(4096, 229us) == 110us);                    // another offset
    CHECK(timing.transfer(read, 4608, 512_B, 339us) == 10us); // another kind of request
    CHECK(write_at(4608, 349us) == 110us);                    // the former kind again
}

TEST_CASE("card timing: request sizes can have their own costs") {
    CardConfig config = honest(1_GiB);
    config.write = {.rate = per_second(10),
                    .latency = 1ms,
                    .by_size = {{.from = 4_KiB, .latency = 3ms}, {.from = 64_KiB, .rate = per_second(100)}}};
    Run run(config);
    CHECK(run.write(0, 512_B) == 1ms + 51'200ns);
    CHECK(run.write(0, 4_KiB) == 3ms + 409'600ns);
    CHECK(run.write(0, 32_KiB) == 3ms + 3'276'800ns);
    CHECK(run.write(0, 64_KiB) == 1ms + 655'360ns); // rate of the size class, latency of the operation
}

TEST_CASE("card timing: writes slow down exactly at the SLC size and recover after rest") {
    CardConfig config = honest(1_GiB);
    config.write.rate = per_second(100);
    config.slc_cache = SlcCache{.size = {100'000'256}, // not a multiple of the request size, but whole sectors
                                .direct_rate = per_second(10),
                                .recovery_rate = per_second(20),
                                .recovery_after_idle = 1s};
    Run run(config);
    const Bytes piece{1'000'448};
    const nanoseconds fast = 10'004'480ns, slow = 100'044'800ns;
    std::uint64_t offset = 0;
    int fast_ones = 0;
    nanoseconds took = 0ns;
    for (; (took = run.write(offset, piece)) == fast; offset += piece.count) ++fast_ones;
    CHECK(fast_ones == 99); // 99 044 352 bytes, and the hundredth crosses the SLC limit
    const double over = static_cast<double>(100 * piece.count - 100'000'256);
    CHECK(took.count() == std::llround((static_cast<double>(piece.count) - over) * 10 + over * 100));
    CHECK(run.timing.slc_free_space() == 0_B);
    CHECK(run.write(0, piece) == slow);

    struct Row {
        nanoseconds idle;
        std::uint64_t free_space;
    };
    for (const Row& row :
         {Row{900ms, 0}, Row{1s, 0}, Row{2s, 20'000'000}, Row{3s, 40'000'000}, Row{60s, 100'000'256}}) {
        Run rested = run;
        rested.idle(row.idle);
        rested.read(0, 512_B);
        CAPTURE(row.idle.count());
        CHECK(rested.timing.slc_free_space() == Bytes{row.free_space});
    }
    // The cache does not recover during reads.
    for (int i = 0; i < 100; ++i) run.read(0, 1_MiB);
    CHECK(run.timing.slc_free_space() == 0_B);
}

TEST_CASE("card timing: a hot medium is throttled above one temperature until it is below another") {
    CardConfig config = honest(16_GiB);
    config.read.rate = per_second(1000);
    config.thermal = Thermal{.ambient_celsius = 20,
                             .degrees_per_gigabyte = 10,
                             .cooling_time = 100s,
                             .throttle_at_celsius = 50,
                             .resume_at_celsius = 40,
                             .throttled_rate = per_second(100)};
    Run run(config);
    const Bytes piece{102'400'000};
    const nanoseconds fast = 102'400us, slow = 1024ms;
    CHECK(run.timing.celsius() == 20);
    int fast_ones = 0;
    while (run.read(0, piece) == fast) ++fast_ones;
    // Without cooling 30 degrees are 3 GB, that is 29.3 pieces; 3 s of 100 s let it lose about half a degree.
    CHECK(fast_ones == 30);
    CHECK(run.timing.celsius() > 49);
    CHECK(run.read(0, piece) == slow);
    // 30 above ambient, to be 20 above: 100 s * ln(30/20) = 40.5 s.
    Run early = run;
    early.idle(30s);
    CHECK(early.read(0, 512_B) == 5'120ns);
    Run late = run;
    late.idle(60s);
    CHECK(late.read(0, 512_B) == 512ns);
    late.idle(100s);
    late.read(0, 512_B);
    CHECK(late.timing.celsius() == Approx(20 + 30 * std::exp(-1.6)).margin(1));
}

TEST_CASE("card timing: the seed determines the sequence of stalls") {
    CardConfig config = honest(1_GiB);
    config.garbage_collection = GarbageCollection{.every = 1_MiB, .stall = 100ms, .jitter_percent = 50};
    const auto stalls_of = [&](std::uint64_t start_value, Bytes piece) {
        config.start_value = start_value;
        Run run(config);
        std::vector<std::pair<std::uint64_t, nanoseconds>> stalls; // after a number of bytes, duration
        for (std::uint64_t offset = 0; offset < (64_MiB).count; offset += piece.count)
            if (const auto took = run.write(offset, piece); took > 0ns) stalls.emplace_back(offset, took);
        return stalls;
    };
    const auto stalls = stalls_of(1, 16_KiB);
    CHECK(stalls == stalls_of(1, 16_KiB));
    CHECK(stalls != stalls_of(2, 16_KiB));
    CHECK(stalls.size() > 50);
    CHECK(stalls.size() < 80);
    for (std::size_t i = 0; i < stalls.size(); ++i) {
        CHECK(stalls[i].second >= 50ms);
        CHECK(stalls[i].second <= 150ms);
        const std::uint64_t since = stalls[i].first - (i == 0 ? 0 : stalls[i - 1].first);
        CHECK(since <= (1536_KiB).count + (16_KiB).count);
        CHECK(since + (16_KiB).count >= (512_KiB).count - (16_KiB).count);
    }
    config.garbage_collection->jitter_percent = 0;
    const auto regular = stalls_of(1, 64_KiB);
    REQUIRE(regular.size() == 64);
    CHECK(regular[0] == std::pair((1_MiB).count - (64_KiB).count, nanoseconds(100ms)));
    CHECK(regular[63].first == (64_MiB).count - (64_KiB).count);
    Run reading(config);
    for (int i = 0; i < 100; ++i) CHECK(reading.read(0, 1_MiB) == 0ns);
}

TEST_CASE("card timing: a disk is faster at its outer edge, and a seek takes time") {
    CardConfig config = honest({2'000'000'000'000});
    config.disk = Disk{.outer_rate = per_second(200),
                       .inner_rate = per_second(100),
                       .track_to_track = 2ms,
                       .full_stroke = 20ms,
                       .revolutions_per_minute = 6000};
    const auto rate_at = [&](std::uint64_t offset) {
        Run run(config);
        run.read(offset, 1_MiB);
        const auto took = run.read(offset + (1_MiB).count, 10_MiB); // sequential: no seek, no rotational delay
        return rate_of(10_MiB, took).megabytes_per_second();
    };
    CHECK(rate_at(0) == Approx(200).epsilon(1e-4));
    CHECK(rate_at(1'000'000'000'256) == Approx(std::sqrt((200.0 * 200 + 100.0 * 100) / 2)).epsilon(1e-4));
    CHECK(rate_at(1'999'900'000'256) == Approx(100).epsilon(1e-3));

    // From the outer edge. A turn takes 10 ms, and the sector passes at a random time in it.
    struct Row {
        std::uint64_t offset;
        nanoseconds seek;
    };
    for (const Row& row : {Row{1'000'448, 2ms}, Row{500'000'000'512, 11ms}, Row{1'999'999'999'488, 20ms}}) {
        CAPTURE(row.offset);
        double sum = 0;
        constexpr int trials = 400;
        for (int i = 0; i < trials; ++i) {
            config.start_value = static_cast<std::uint64_t>(i);
            Run run(config);
            const auto took = run.read(row.offset, 512_B);
            CHECK(took >= row.seek);
            CHECK(took <= row.seek + 10ms + 50us);
            sum += static_cast<double>((took - row.seek).count());
        }
        CHECK(sum / trials / 1e6 == Approx(5).margin(0.6));
    }
}

TEST_CASE("card timing: a slow region slows exactly its bytes") {
    CardConfig config = honest(1_GiB);
    config.read.rate = per_second(100);
    config.slow_regions = {
        {.sectors = {.first = {2000}, .count = 1000}, .rate = per_second(1)},
        {.sectors = {.first = {5000}, .count = 1}, .extra = 7ms},
    };
    Run run(config);
    const auto ns = [](double fast_sectors, double slow_sectors) {
        return nanoseconds(std::llround((fast_sectors * 10 + slow_sectors * 1000) * 512));
    };
    struct Row {
        std::uint64_t first, count;
        nanoseconds took;
    };
    const Row rows[] = {
        {0, 2000, ns(2000, 0)}, {1999, 2, ns(1, 1)},          {2000, 1000, ns(0, 1000)},
        {2999, 2, ns(1, 1)},    {1000, 3000, ns(2000, 1000)}, {3000, 1, ns(1, 0)},
        {4999, 1, ns(1, 0)},    {5000, 1, ns(1, 0) + 7ms},    {4000, 2000, ns(2000, 0) + 7ms},
    };
    for (const Row& row : rows) {
        CAPTURE(row.first, row.count);
        CHECK(run.read(row.first * 512, sector_size * row.count) == row.took);
    }
}

TEST_CASE("card timing: partly written erase units cost extra time") {
    CardConfig config = honest(1_GiB);
    const auto unit = [](std::uint64_t number) { return number * (64_KiB).count; };
    struct Write {
        std::uint64_t offset;
        Bytes size;
        int copies;
    };
    struct Row {
        const char* what;
        std::uint64_t open_units;
        std::vector<Write> writes;
    };
    const Row rows[] = {
        {"whole units anywhere are free", 1, {{unit(9), 64_KiB, 0}, {unit(3), 128_KiB, 0}, {unit(9), 64_KiB, 0}}},
        {"small writes in a row are free", 1, {{unit(2), 4_KiB, 0}, {unit(2) + 4096, 60_KiB, 0}, {unit(3), 4_KiB, 0}}},
        {"half a unit off: a write begins in the middle of a unit and leaves the second unit open",
         1,
         {{unit(4) + 32768, 64_KiB, 1}, {unit(8) + 32768, 64_KiB, 2}, {unit(12) + 32768, 64_KiB, 2}}},
        {"a write goes back inside an open unit",
         1,
         {{unit(5), 8_KiB, 0}, {unit(5), 8_KiB, 1}, {unit(5) + 8192, 4_KiB, 0}}},
        {"two streams with one open unit", 1, {{unit(1), 4_KiB, 0}, {unit(7), 4_KiB, 1}, {unit(1) + 4096, 4_KiB, 2}}},
        {"two streams with two open units", 2, {{unit(1), 4_KiB, 0}, {unit(7), 4_KiB, 0}, {unit(1) + 4096, 4_KiB, 0}}},
        {"the unit that was not written for longest is closed",
         2,
         {{unit(1), 4_KiB, 0},
          {unit(7), 4_KiB, 0},
          {unit(1) + 4096, 4_KiB, 0},
          {unit(9), 4_KiB, 1},
          {unit(1) + 8192, 4_KiB, 0}}},
    };
    for (const Row& row : rows) {
        config.erase_unit = EraseUnit{.size = 64_KiB, .partial = 3ms, .open_units = row.open_units};
        Run run(config);
        for (const Write& write : row.writes) {
            CAPTURE(row.what, write.offset);
            CHECK(run.write(write.offset, write.size) == write.copies * 3ms);
        }
    }
}

TEST_CASE("card timing: each partly filled program unit of a command costs extra time") {
    CardConfig config = honest(1_GiB);
    constexpr std::uint64_t unit = 32768;
    struct Row {
        const char* what;
        std::uint64_t offset;
        Bytes size;
        int aligned_at_0, aligned_at_512; ///< number of partial units, by the start of the first unit
    };
    const Row rows[] = {
        {"a whole unit", 5 * unit, 32_KiB, 0, 2},
        {"whole units", 5 * unit, 128_KiB, 0, 2},
        {"a whole unit, a sector further on", 5 * unit + 512, 32_KiB, 2, 0},
        {"less than a unit, at its start", 5 * unit, 4_KiB, 1, 2},
        {"less than a unit, in its middle", 5 * unit + 8192, 4_KiB, 1, 1},
        {"less than a unit, across a border", 5 * unit - 2048, 4_KiB, 2, 2},
        {"up to the end of a unit", 5 * unit + 8192, 24_KiB, 1, 1},
        {"a unit and a half", 5 * unit, 48_KiB, 1, 2},
        {"behind sector 63", 63 * 512, 64_KiB, 2, 2},
        {"the first sector of the card", 0, {512}, 1, 1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        config.program_unit = ProgramUnit{.size = 32_KiB, .partial = 3ms};
        CHECK(Run(config).write(row.offset, row.size) == row.aligned_at_0 * 3ms);
        CHECK(Run(config).read(row.offset, row.size) == 0ms);
        config.program_unit->first = {512};
        CHECK(Run(config).write(row.offset, row.size) == row.aligned_at_512 * 3ms);
    }
    SECTION("commands are not merged") {
        config.program_unit = ProgramUnit{.size = 32_KiB, .partial = 3ms};
        Run run(config);
        CHECK(run.write(0, 16_KiB) == 3ms);
        CHECK(run.write(16384, 16_KiB) == 3ms);
        CHECK(run.write(65536, 32_KiB) == 0ms);
    }
}

TEST_CASE("card timing: if the bus transfers single sectors, program units are counted over the complete command") {
    CardConfig config = honest(1_GiB);
    config.joins_within = 1ms;
    config.program_unit = ProgramUnit{.size = 32_KiB, .partial = 3ms};
    const auto command = [](Run& run, std::uint64_t offset, Bytes size) {
        nanoseconds took{};
        for (std::uint64_t at = offset; at < offset + size.count; at += 512) took += run.write(at, {512});
        run.idle(5ms); // expired
        return took;
    };
    Run run(config);
    CHECK(command(run, 0, 64_KiB) == 0ms);
    // for the first unit of the command; the next command decides about its last unit
    CHECK(command(run, 65536 + 32256, 64_KiB) == 3ms);
    CHECK(run.timing.flush(run.now) == 3ms);
    CHECK(run.timing.flush(run.now) == 0ms);
    CHECK(command(run, 0, 4_KiB) == 0ms);
    CHECK(run.read(0, {512}) == 3ms);
    CHECK(command(run, 4096, 4_KiB) == 0ms);
    CHECK(run.timing.command(run.now) == 3ms);
    CHECK(command(run, 8192, 4_KiB) == 0ms);
    // for the last unit of the former command, and for the first unit of this command
    CHECK(command(run, 12288, 20_KiB) == 3ms + 3ms);
}

TEST_CASE("card timing: a throttle limits one direction and can be removed") {
    CardConfig config = honest(1_GiB);
    config.read.rate = per_second(100);
    config.write.rate = per_second(100);
    Run run(config);
    run.timing.throttle({.read = {}, .write = per_second(4)});
    CHECK(run.read(0, {4'000'256}) == 40'002'560ns);
    CHECK(run.write(0, {4'000'256}) == 1'000'064'000ns);
    run.timing.throttle({});
    CHECK(run.write(0, {4'000'256}) == 40'002'560ns);
}

TEST_CASE("card timing: extreme figures give a long time, not a wrong one") {
    CardConfig config = honest(1024_GiB);
    config.write.rate = Rate{1};
    Run run(config);
    CHECK(run.write(0, 1024_GiB) == 1'000'000s);
}
