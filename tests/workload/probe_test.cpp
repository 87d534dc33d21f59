// SPDX-License-Identifier: GPL-3.0-or-later
#include <cerrno>
#include <chrono>
#include <cstdio>

#include "common/split_mix.hpp"
#include "host/workload/jobs/capacity_finding.hpp"
#include "host/workload/jobs/probe_sampler.hpp"
#include "host/workload/jobs/probe_search.hpp"
#include "host/workload/outcome.hpp"
#include "tests/catch.hpp"
#include "tests/workload/fake_card.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using OverflowBehaviour = FakeCardSpec::OverflowBehaviour;

namespace {

constexpr Bytes terabyte{1'000'000'000'000};
constexpr Bytes small_cache = 64_MiB; // keeps the tables below short; the default has its own tests

ProbeRequest with_cache(Bytes cache, std::uint64_t order_seed = 1) {
    return {.assumed_cache = cache, .seed = 1, .generation = 77, .order_seed = order_seed};
}

ProbeResult probed(FakeCard& card, const ProbeRequest& request = with_cache(small_cache)) {
    JobControl control;
    auto result = probe(card, request, control);
    REQUIRE(reason(result) == "success");
    return std::move(*result);
}

std::string told(const ProbeResult& result) {
    const VerifyOutcome& outcome = result.outcome;
    std::string text(name_of(*outcome.verdict));
    if (outcome.fake) text += " " + std::string(name_of(*outcome.fake));
    if (outcome.true_capacity) text += " " + std::to_string(outcome.true_capacity->count);
    if (!result.doubt.empty()) text += ": " + result.doubt;
    return text;
}

std::string fake(FakeKind kind, Bytes real) {
    return "fake " + std::string(name_of(kind)) + " " + std::to_string(real.count);
}

struct Kind {
    OverflowBehaviour beyond;
    FakeKind expected;
};
constexpr Kind kinds[] = {
    {OverflowBehaviour::wrap, FakeKind::wrap},       {OverflowBehaviour::drop_zeros, FakeKind::drop},
    {OverflowBehaviour::drop_ones, FakeKind::drop},  {OverflowBehaviour::drop_old, FakeKind::drop},
    {OverflowBehaviour::garbage, FakeKind::garbage}, {OverflowBehaviour::garbage_anew, FakeKind::garbage},
};
constexpr Bytes reals[] = {
    8_MiB, 8_MiB + 512_B, 100_MiB - 3_KiB, 1_GiB, {7'948'206'080}, 16_GiB + 1536_B, {31'914'983'424}, 64_GiB,
};

} // namespace

TEST_CASE("a probe names each kind of fake and its real size exact to the sector") {
    for (const Kind& kind : kinds)
        for (const Bytes real : reals)
            for (const Bytes claimed : {terabyte, Bytes{128'000'000'000}}) {
                CAPTURE(static_cast<int>(kind.beyond), real.count, claimed.count);
                FakeCard card({.claimed = claimed, .real = real, .beyond = kind.beyond});
                CHECK(told(probed(card)) == fake(kind.expected, real));
            }
}

TEST_CASE("a probe writes some hundred blocks, and one contiguous range on a good medium or two ranges on a fake") {
    const Bytes cache = 64_MiB;
    FakeCard good({.claimed = 128_GiB, .real = 128_GiB});
    CHECK(told(probed(good, with_cache(cache))) == "good");
    CHECK(Bytes{good.written} <= cache + 1_MiB);
    for (const Kind& kind : kinds) {
        CAPTURE(static_cast<int>(kind.beyond));
        FakeCard card({.claimed = terabyte, .real = 15_GiB, .beyond = kind.beyond});
        const ProbeResult result = probed(card, with_cache(cache));
        CHECK(told(result) == fake(kind.expected, 15_GiB));
        CHECK(Bytes{card.written} <= cache * 2 + 4_MiB);
        CHECK(result.outcome.probe->assumed_cache == cache);
    }
}

TEST_CASE("a probe detects a fake with a volatile cache of the assumed size") {
    for (const auto caches : {FakeCardSpec::Caches::everything, FakeCardSpec::Caches::only_what_it_cannot_keep})
        for (const Kind& kind : kinds)
            for (const Bytes cache : {1_MiB, 16_MiB - 4_KiB}) {
                CAPTURE(static_cast<int>(caches), static_cast<int>(kind.beyond), cache.count);
                FakeCard card({.claimed = 64_GiB,
                               .real = 3_GiB + 512_B,
                               .beyond = kind.beyond,
                               .cache = cache,
                               .caches = caches});
                CHECK(told(probed(card, with_cache(16_MiB))) == fake(kind.expected, 3_GiB + 512_B));
            }
}

TEST_CASE("with the default assumption, a probe detects fakes with a large cache and writes little more than needed") {
    struct Row {
        Bytes claimed, real, cache;
    };
    for (const Row& row :
         {Row{64_GiB, 7_GiB, 256_MiB - 64_KiB}, Row{2_GiB, 500_MiB, 600_MiB}, Row{4_GiB, 64_MiB, 400_MiB}}) {
        CAPTURE(row.claimed.count, row.real.count, row.cache.count);
        FakeCard card({.claimed = row.claimed,
                       .real = row.real,
                       .beyond = OverflowBehaviour::drop_zeros,
                       .cache = row.cache,
                       .caches = FakeCardSpec::Caches::only_what_it_cannot_keep});
        const ProbeResult result = probed(card, with_cache(ProbeJob{}.assumed_cache));
        CHECK(told(result) == fake(FakeKind::drop, row.real));
        CHECK(result.outcome.probe->assumed_cache == 1_GiB);
        // The cache is measured by reads, so the ranges of the proof are a quarter longer than the cache.
        CHECK(Bytes{card.written} <= 1_GiB + (row.cache + Bytes{row.cache.count / 4} + 40_MiB) * 4);
    }
}

TEST_CASE("if all reads from a position to the end fail, a probe reports damage, not a fake") {
    for (const OverflowBehaviour beyond : {OverflowBehaviour::errors, OverflowBehaviour::read_errors})
        for (const Bytes real : {1_GiB, 20_GiB + 512_B}) {
            CAPTURE(static_cast<int>(beyond), real.count);
            FakeCard card({.claimed = 64_GiB, .real = real, .beyond = beyond});
            const ProbeResult result = probed(card);
            CHECK(told(result) == "damaged");
            CHECK_FALSE(result.outcome.true_capacity);
            CHECK_FALSE(result.outcome.damaged.empty());
            const bool writes = beyond == OverflowBehaviour::errors;
            CHECK(result.outcome.damaged.back().kind == (writes ? DamageKind::unwritten : DamageKind::unreadable));
        }
}

TEST_CASE("the length of the contiguous range depends on the time limit, from 32 MiB to the assumed cache") {
    using namespace std::chrono_literals;
    // The first 32 MiB took 4.8 s, as on a card of 7 MB/s.
    CHECK(largest_run_within(32_MiB, 4800ms, 8s, 256_MiB) == Bytes{(32_MiB).count * 5 / 3});
    CHECK(largest_run_within(32_MiB, 20s, 8s, 256_MiB) == 32_MiB);
    CHECK(largest_run_within(32_MiB, 100ms, 8s, 256_MiB) == 256_MiB);
    CHECK(largest_run_within(32_MiB, 0ns, 8s, 256_MiB) == 256_MiB);
    CHECK(largest_run_within(32_MiB, 1s, 8s, 16_MiB) == 32_MiB); // never less than the bytes already written

    const TickClock clock = TickClock::monotonic();
    for (const auto& [time, length] : {std::pair<std::chrono::nanoseconds, Bytes>{1ns, 32_MiB}, {1h, 128_MiB}})
        for (const Kind& kind : kinds)
            for (const Bytes real : {100_MiB - 3_KiB, 7_GiB + 512_B, 64_GiB}) {
                CAPTURE(time.count(), static_cast<int>(kind.beyond), real.count);
                const bool fake_one = real < 64_GiB;
                FakeCard card({.claimed = 64_GiB,
                               .real = real,
                               .beyond = fake_one ? kind.beyond : OverflowBehaviour::nothing,
                               .cache = 16_MiB,
                               .caches = FakeCardSpec::Caches::only_what_it_cannot_keep});
                ProbeRequest request = with_cache(128_MiB);
                request.run_time = time;
                JobControl control;
                Recorder recorder(clock, ProbeSampler::run_transfer, Recorder::RawLog::off, 0);
                const auto result = probe(card, request, control, &recorder);
                REQUIRE(reason(result) == "success");
                CHECK(told(*result) == (fake_one ? fake(kind.expected, real) : "good"));
                CHECK(result->outcome.probe->assumed_cache == length);
                CHECK(control.bytes_total == control.bytes_done);
            }
}

TEST_CASE("a contiguous range on a small medium removes the samples that it overwrites") {
    using namespace std::chrono_literals;
    const TickClock clock = TickClock::monotonic();
    FakeCard card({.claimed = 1_GiB, .real = 900_MiB, .beyond = OverflowBehaviour::drop_zeros});
    ProbeRequest request = with_cache(256_MiB);
    request.run_time = 1h;
    JobControl control;
    Recorder recorder(clock, ProbeSampler::run_transfer, Recorder::RawLog::off, 0);
    const auto result = probe(card, request, control, &recorder);
    REQUIRE(reason(result) == "success");
    CHECK(told(*result) == fake(FakeKind::drop, 900_MiB));
    CHECK(result->outcome.probe->assumed_cache == 256_MiB);
}

TEST_CASE("a probe misses a fake with a cache larger than assumed, and its outcome contains the assumption") {
    FakeCard card({.claimed = 8_GiB,
                   .real = 1_GiB,
                   .beyond = OverflowBehaviour::drop_zeros,
                   .cache = 64_MiB,
                   .caches = FakeCardSpec::Caches::only_what_it_cannot_keep});
    const ProbeResult result = probed(card, with_cache(16_MiB));
    CHECK(result.outcome.verdict != CapacityVerdict::fake); // not detected, with the assumption in the outcome
    CHECK(result.outcome.probe->assumed_cache == 16_MiB);
}

TEST_CASE("a probe never reports a good medium as bad, for any offsets, sizes, sectors and contents") {
    for (std::uint64_t seed = 1; seed <= 32; ++seed) {
        SplitMix numbers(seed);
        const Bytes sector = seed % 3 == 0 ? 4_KiB : 512_B;
        const Bytes size =
            align_down(Bytes{(8_MiB).count + numbers.next() % (std::uint64_t{1} << (23 + seed % 15))}, sector);
        CAPTURE(seed, size.count);
        FakeCard card({.claimed = size,
                       .real = size,
                       .sector = sector,
                       .cache = seed % 2 == 0 ? 2_MiB : 0_B,
                       .caches = FakeCardSpec::Caches::everything});
        if (seed % 4 == 1) card.old = [](std::uint64_t offset) { return std::byte(offset * 37 >> 5); };
        const ProbeResult result = probed(card, with_cache(small_cache, seed));
        CHECK(told(result) == "good");
        CHECK(result.outcome.damaged.empty());
        CHECK(result.outcome.good.count > 0);
        // Probes the same medium again. Data left by the first probe must not affect the second probe.
        ProbeRequest again = with_cache(small_cache, seed + 1000);
        again.generation = 4711;
        CHECK(told(probed(card, again)) == "good");
    }
}

TEST_CASE("a probe detects a fake that still contains data of an earlier probe") {
    for (const Kind& kind : kinds) {
        CAPTURE(static_cast<int>(kind.beyond));
        FakeCard card({.claimed = 256_GiB, .real = 12_GiB, .beyond = kind.beyond});
        ProbeRequest request = with_cache(small_cache);
        for (const std::uint32_t generation : {77u, 77u, 0xFFFF'FFFEu}) {
            request.generation = generation;
            CHECK(told(probed(card, request)) == fake(kind.expected, 12_GiB));
        }
    }
}

TEST_CASE("a probe finds the end of memory that ends before its addresses wrap") {
    for (const OverflowBehaviour beyond :
         {OverflowBehaviour::drop_zeros, OverflowBehaviour::garbage, OverflowBehaviour::errors}) {
        CAPTURE(static_cast<int>(beyond)); // errors: the wrap alone proves the fake
        FakeCard card({.claimed = 256_GiB, .real = 7_GiB, .beyond = beyond, .modulus = 8_GiB});
        const ProbeResult result = probed(card);
        CHECK(result.outcome.verdict == CapacityVerdict::fake);
        CHECK(result.outcome.true_capacity == 7_GiB);
    }
}

namespace {

/// Addresses from `real` on are folded into the last `window` bytes before it.
std::function<std::uint64_t(std::uint64_t)> folded_into(Bytes real, Bytes window) {
    const std::uint64_t begin = (real - window).count;
    return [=](std::uint64_t at) { return at < real.count ? at : begin + (at - begin) % window.count; };
}

/// Probes with a run of a constant length, then with a run whose end is written first.
void check_both_runs(const FakeCardSpec& spec, const std::function<std::uint64_t(std::uint64_t)>& memory,
                     const std::string& expected) {
    FakeCard card(spec);
    card.memory = memory;
    CHECK(told(probed(card, with_cache(1_GiB))) == expected);

    const TickClock clock = TickClock::monotonic();
    FakeCard timed(spec);
    timed.memory = memory;
    ProbeRequest request = with_cache(1_GiB);
    request.run_time = std::chrono::hours(1);
    JobControl control;
    Recorder recorder(clock, ProbeSampler::run_transfer, Recorder::RawLog::off, 0);
    const auto result = probe(timed, request, control, &recorder);
    REQUIRE(reason(result) == "success");
    CHECK(told(*result) == expected);
}

} // namespace

TEST_CASE("a probe of a medium that folds its upper addresses into a window finds the part below the window") {
    struct Row {
        Bytes claimed, real, window;
    };
    for (const Row& row : {Row{256_MiB, 100_MiB, 16_MiB}, Row{256_MiB, 60_MiB, 24_MiB}, Row{1_GiB, 300_MiB, 7_MiB},
                           Row{64_GiB, 8_GiB + 512_B, 1_GiB}}) {
        CAPTURE(row.claimed.count, row.real.count);
        check_both_runs({.claimed = row.claimed, .real = row.real}, folded_into(row.real, row.window),
                        fake(FakeKind::wrap, row.real - row.window));
    }
    // The upper addresses are folded into the first 16 MiB: the memory above them is intact.
    check_both_runs({.claimed = 256_MiB, .real = 100_MiB},
                    [](std::uint64_t at) { return at < (100_MiB).count ? at : at % (16_MiB).count; },
                    fake(FakeKind::wrap, 100_MiB));
}

TEST_CASE("a probe of a medium with a window and a cache reports no more than the part below the window") {
    FakeCard card({.claimed = 256_MiB, .real = 100_MiB, .cache = 16_MiB, .caches = FakeCardSpec::Caches::everything});
    card.memory = folded_into(100_MiB, 16_MiB);
    const VerifyOutcome outcome = probed(card, with_cache(1_GiB)).outcome;
    CHECK(outcome.fake == FakeKind::wrap);
    REQUIRE(outcome.true_capacity);
    CHECK(*outcome.true_capacity <= 84_MiB);
    CHECK(*outcome.true_capacity > 80_MiB);
}

TEST_CASE("a probe detects each ignored address bit, and two of them") {
    const auto check = [](Bytes claimed, std::uint64_t ignored, const std::string& expected) {
        CAPTURE(claimed.count, ignored);
        check_both_runs({.claimed = claimed, .real = claimed}, [=](std::uint64_t at) { return at & ~ignored; },
                        expected);
    };
    for (unsigned bit = 20; bit < 28; ++bit)
        check(256_MiB, std::uint64_t{1} << bit, fake(FakeKind::wrap, {std::uint64_t{1} << bit}));
    for (const unsigned bit : {26u, 31u, 34u})
        check(64_GiB, std::uint64_t{1} << bit, fake(FakeKind::wrap, {std::uint64_t{1} << bit}));
    check(256_MiB, (32_MiB).count | (64_MiB).count, fake(FakeKind::wrap, 32_MiB));
    check(256_MiB, (2_MiB).count | (128_MiB).count, fake(FakeKind::wrap, 2_MiB));
    // A capacity below 1 MiB is not plausible: the address lines are faulty.
    for (const unsigned bit : {12u, 16u, 19u}) check(256_MiB, std::uint64_t{1} << bit, "damaged");
}

TEST_CASE("exchanged address bits change no data, and a probe reports a good medium") {
    for (const auto& [one, other] : {std::pair{24u, 26u}, {12u, 27u}, {20u, 21u}})
        check_both_runs({.claimed = 256_MiB, .real = 256_MiB},
                        [=](std::uint64_t at) {
                            const std::uint64_t first = at >> one & 1, second = at >> other & 1;
                            return (at & ~(std::uint64_t{1} << one | std::uint64_t{1} << other)) | first << other |
                                   second << one;
                        },
                        "good");
}

TEST_CASE("of several samples with the data of one place, the two lowest give the distance") {
    using State = Sample::State;
    CHECK_FALSE(nearest_alias(std::vector<Sample>{{.offset = 0}, {.offset = 8192, .state = State::echo, .distance = 4096}}));
    struct Row {
        std::vector<Sample> samples;
        std::uint64_t at, written_at, distance;
    };
    const auto over = [](std::uint64_t offset, std::uint64_t distance) {
        return Sample{.offset = offset, .state = State::overwritten, .distance = distance};
    };
    for (const Row& row :
         {Row{{over(0, 98'304), {.offset = 98'304}}, 0, 98'304, 98'304},
          Row{{over(0, 98'304), over(32'768, 65'536), over(65'536, 32'768)}, 0, 98'304, 32'768},
          Row{{over(4096, 1'000'448), over(8192, 16'384), over(16'384, 8192)}, 8192, 24'576, 8192}}) {
        const auto alias = nearest_alias(row.samples);
        REQUIRE(alias);
        CHECK(alias->at == row.at);
        CHECK(alias->written_at == row.written_at);
        CHECK(alias->distance == row.distance);
    }
}

TEST_CASE("a probe of a medium that stops storing during the run reports damage") {
    for (const Bytes stored : {2_MiB, 10_MiB, 30_MiB, 63_MiB}) {
        CAPTURE(stored.count);
        FakeCard card({.claimed = 256_MiB, .real = 256_MiB});
        card.stores_until = stored.count;
        CHECK(probed(card).outcome.verdict != CapacityVerdict::good);
    }
    FakeCard card({.claimed = 256_MiB, .real = 256_MiB});
    card.stores_until = (30_MiB).count;
    CHECK(told(probed(card)) == "damaged");
}

TEST_CASE("a probe finds a real size just below the claimed size") {
    for (const Kind& kind : kinds)
        for (const Bytes missing : {2_GiB, 700_MiB}) {
            CAPTURE(static_cast<int>(kind.beyond), missing.count);
            FakeCard card({.claimed = 64_GiB, .real = 64_GiB - missing, .beyond = kind.beyond});
            CHECK(told(probed(card)) == fake(kind.expected, 64_GiB - missing));
        }
}

TEST_CASE("a probe reports a bad region in the middle as damage with its offset, not as missing capacity") {
    const ProbeLayout layout = probe_layout(16_GiB, 4_KiB, small_cache, 1);
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    const std::uint64_t place = layout.samples[60];
    card.bad = {place + 1024};
    const ProbeResult result = probed(card);
    CHECK(told(result) == "damaged");
    REQUIRE(result.outcome.damaged.size() == 1);
    CHECK(result.outcome.damaged[0] == DamagedRange{{place}, 4_KiB, DamageKind::unwritten, {}});
}

TEST_CASE("a bad sector at the end of a sampled block does not affect the next block") {
    std::optional<std::uint64_t> first; // the first of two sampled blocks
    std::uint64_t places = 0;
    while (!first) {
        const auto samples = probe_layout(16_MiB, 4_KiB, small_cache, ++places).samples;
        const auto near = std::ranges::adjacent_find(
            samples, [](std::uint64_t one, std::uint64_t next) { return next == one + (4_KiB).count; });
        if (near != samples.end()) first = *near;
    }
    FakeCard card({.claimed = 16_MiB, .real = 16_MiB});
    card.bad = {*first + (4_KiB - 512_B).count};
    CHECK(probed(card, with_cache(small_cache, places)).outcome.damaged ==
          std::vector<DamagedRange>{{{*first}, 4_KiB, DamageKind::unwritten, {}}});
}

TEST_CASE("the expected reads of a probe are the samples of two rounds and little else") {
    JobSpec job;
    job.kind = ProbeJob{.assumed_cache = 256_MiB, .run_time = std::chrono::seconds(8), .generation = 1};
    ProbeLayout shortest = probe_layout(terabyte, 4_KiB, 256_MiB, 1);
    lengthen_run(shortest, terabyte, 4_KiB, ProbeJob::least_run);
    const Bytes looks{2 * shortest.looks.size() * (4_KiB).count};
    CHECK(traffic_of(job, terabyte).read >= looks);
    CHECK(traffic_of(job, terabyte).read <= looks + 4_MiB);
}

TEST_CASE("a probe finds the end of a fake and a bad region below that end") {
    const ProbeLayout layout = probe_layout(64_GiB, 4_KiB, small_cache, 1);
    FakeCard card({.claimed = 64_GiB, .real = 32_GiB, .beyond = OverflowBehaviour::drop_zeros});
    card.bad = {layout.samples[20]};
    const ProbeResult result = probed(card);
    CHECK(told(result) == fake(FakeKind::drop, 32_GiB));
    CHECK(result.outcome.damaged.size() == 1);
}

TEST_CASE("a probe reports write errors in its contiguous range as damage of an otherwise good medium") {
    const ProbeLayout layout = probe_layout(16_GiB, 4_KiB, small_cache, 1);
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    card.bad = {layout.run.begin + (1_MiB).count + 512};
    const ProbeResult result = probed(card);
    CHECK(told(result) == "damaged");
    CHECK(result.outcome.damaged ==
          std::vector<DamagedRange>{{{layout.run.begin + (1_MiB).count}, 4_KiB, DamageKind::unwritten, {}}});
}

TEST_CASE("failed writes and failed reads of a probe are findings with their kind, number and place") {
    const auto place = [](Bytes at, DamageKind kind) { return DamagedRange{at, 4_KiB, kind, {}}; };
    struct Row {
        std::vector<DamagedRange> damaged;
        std::string damage; ///< start of the finding about damage
        std::vector<std::string> errors;
    };
    for (const Row& row :
         {Row{{place(1_MiB, DamageKind::unwritten), place(3_MiB, DamageKind::unwritten)},
              "2 of the checked places cannot be written;",
              {"writes failed at 2 of the checked places"}},
          Row{{place(1_MiB, DamageKind::unreadable)},
              "1 of the checked places cannot be read;",
              {"reads failed at 1 of the checked places"}},
          Row{{place(1_MiB, DamageKind::unreadable), place(2_MiB, DamageKind::stale),
               place(5_MiB, DamageKind::unwritten)},
              "3 of the checked places do not keep their data;",
              {"writes failed at 1 of the checked places", "reads failed at 1 of the checked places"}},
          Row{{place(1_MiB, DamageKind::foreign)}, "1 of the checked places do not keep their data;", {}}}) {
        VerifyOutcome outcome{.claimed = 8_MiB};
        outcome.damaged = row.damaged;
        outcome.damaged_bytes = Bytes{row.damaged.size() * 4096};
        const auto findings = capacity_findings(outcome, "");
        REQUIRE(findings.size() == 1 + row.errors.size());
        CHECK(findings[0].detail.starts_with(row.damage));
        for (std::size_t i = 0; i < row.errors.size(); ++i) {
            CHECK(findings[i + 1].kind == measure::FindingKind::io_error);
            CHECK(findings[i + 1].detail == row.errors[i]);
            CHECK(findings[i + 1].offset.has_value());
        }
    }
}

TEST_CASE("a probe distinguishes refused writes at some places from a medium that has turned read-only") {
    struct Row {
        std::uint64_t accepted; ///< writes before the first failure
        std::uint64_t failing;  ///< number of failing writes
        bool refuses;
    };
    constexpr std::uint64_t all = ~std::uint64_t{0};
    for (const Row& row : {Row{0, all, true}, Row{40, all, true}, Row{180, all, true}, Row{180, 3, false}}) {
        CAPTURE(row.accepted, row.failing);
        struct Refusing final : ProbedMedium {
            explicit Refusing(const Row& row) : limits(row) {}
            Bytes size() const override { return card.size(); }
            Bytes sector() const override { return card.sector(); }
            int read(std::span<std::byte> bytes, std::uint64_t offset) override { return card.read(bytes, offset); }
            bool gone(int) override { return false; }
            int flush() override { return 0; }
            int write(std::span<const std::byte> bytes, std::uint64_t offset) override {
                if (writes++ < limits.accepted || writes - limits.accepted > limits.failing)
                    return card.write(bytes, offset);
                return EROFS;
            }
            Row limits;
            FakeCard card{{.claimed = 1_GiB, .real = 1_GiB}};
            std::uint64_t writes{};
        } medium(row);
        JobControl control;
        const auto result = probe(medium, with_cache(small_cache), control);
        REQUIRE(reason(result) == "success");
        CHECK(result->refuses_writes == row.refuses);
        CHECK((result->outcome.written == 0_B) == (row.accepted == 0));
        CHECK_FALSE(result->outcome.fake);
        for (const DamagedRange& range : result->outcome.damaged) CHECK(range.kind == DamageKind::unwritten);
    }
}

TEST_CASE("a medium that loses data once and keeps the next write gives an inconclusive result") {
    const ProbeLayout layout = probe_layout(16_GiB, 4_KiB, small_cache, 1);
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    card.loses_once = {layout.samples[30]};
    CHECK(told(probed(card)) == "inconclusive: 1 places lost their data and kept it after a second write");
}

TEST_CASE("a medium that loses its upper half once and keeps a second write is not reported as a fake") {
    const ProbeLayout layout = probe_layout(16_GiB, 4_KiB, small_cache, 1, boundary_places(16_GiB, 4_KiB));
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    for (const std::uint64_t sample : layout.samples)
        if (sample >= (8_GiB).count) card.loses_once.insert(sample);
    CHECK(told(probed(card)) ==
          "inconclusive: data beyond a certain position was lost, and was kept there at another time");
}

TEST_CASE("a probe reports no capacity for a medium with good and lost blocks everywhere") {
    const ProbeLayout layout = probe_layout(16_GiB, 4_KiB, small_cache, 1);
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    for (std::size_t i = 1; i + 1 < layout.samples.size(); i += 2) card.bad.insert(layout.samples[i]);
    const ProbeResult result = probed(card);
    CHECK(result.outcome.verdict == CapacityVerdict::inconclusive);
    CHECK_FALSE(result.outcome.true_capacity);
    CHECK(result.doubt.find("do not keep their data, with good places between them") != std::string::npos);
}

TEST_CASE("a medium that stores no data is reported as damaged, not as a fake") {
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    card.read_only = true;
    const ProbeResult result = probed(card);
    CHECK(told(result) == "damaged");
    CHECK(result.outcome.good == 0_B);
}

TEST_CASE("a probe reports bad sectors at the very end as damage, not as a fake") {
    FakeCard card({.claimed = 16_GiB, .real = 16_GiB});
    card.bad = {(16_GiB - 4_KiB).count};
    CHECK(told(probed(card)) == "damaged");
}

TEST_CASE("a probe accepts a medium of 8 MiB and refuses a medium that is one sector smaller") {
    FakeCard smallest({.claimed = 8_MiB, .real = 8_MiB});
    const ProbeResult result = probed(smallest, with_cache(256_MiB));
    CHECK(told(result) == "good");
    CHECK(result.outcome.probe->assumed_cache == 4_MiB); // half of the medium

    FakeCard too_small({.claimed = 8_MiB - 512_B, .real = 8_MiB - 512_B});
    JobControl control;
    const auto refused = probe(too_small, with_cache(small_cache), control);
    CHECK(reason(refused) == "a medium of 8.39 MB is too small to be probed; run verify, which is quick there");
    CHECK(refused.error().code == Errc::bad_request);
    CHECK(too_small.written == 0);
}

TEST_CASE("a probe ends at once on cancel and reports a removed medium") {
    for (const std::uint64_t after : {1u, 100u, 150u}) {
        CAPTURE(after);
        JobControl control;
        FakeCard card({.claimed = 64_GiB, .real = 2_GiB, .beyond = OverflowBehaviour::drop_zeros});
        std::uint64_t writes = 0;
        card.when_written = [&](std::uint64_t) {
            if (++writes == after) control.cancel = true;
        };
        const auto stopped = probe(card, with_cache(small_cache), control);
        CHECK(reason(stopped) == "cancelled during the probe of the capacity");
        CHECK(stopped.error().code == Errc::cancelled);
        CHECK(writes == after);

        FakeCard pulled({.claimed = 64_GiB, .real = 64_GiB});
        writes = 0;
        pulled.when_written = [&](std::uint64_t) { pulled.vanished = ++writes >= after; };
        JobControl other;
        const auto lost = probe(pulled, with_cache(small_cache), other);
        REQUIRE_FALSE(lost);
        CHECK(lost.error().code == Errc::no_medium);
    }
}

TEST_CASE("figures of the probe over kinds and sizes of fakes", "[.figures]") {
    std::printf("| kind | real bytes | found | written MB | read MB | rounds | s (model) |\n");
    for (const Kind& kind : kinds)
        for (const Bytes real : reals) {
            FakeCard card({.claimed = terabyte, .real = real, .beyond = kind.beyond});
            const auto start = std::chrono::steady_clock::now();
            const ProbeResult result = probed(card, with_cache(ProbeJob{}.assumed_cache));
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            std::printf("| %d | %llu | %s | %.1f | %.1f | %llu | %.2f |\n", static_cast<int>(kind.beyond),
                        static_cast<unsigned long long>(real.count), told(result).c_str(),
                        static_cast<double>(card.written) / 1e6,
                        static_cast<double>(result.outcome.probe->read.count) / 1e6,
                        static_cast<unsigned long long>(result.outcome.probe->rounds), took.count());
        }
}
