// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/plan/steps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/catch.hpp"
#include "tests/json.hpp"
#include "tests/plan/plan_cases.hpp"

using namespace mediarig;
using namespace mediarig::plan;
using namespace std::chrono_literals;

namespace {

using Keys = std::vector<std::string>;

Keys keys_of(const Plan& plan) {
    Keys keys;
    for (const Step& step : unroll(plan)) keys.push_back(step.key);
    return keys;
}

Step only_run(const Plan& plan) {
    const auto steps = unroll(plan);
    const auto is_run = [](const Step& step) { return step.kind == StepKind::run; };
    REQUIRE(std::count_if(steps.begin(), steps.end(), is_run) == 1);
    return *std::find_if(steps.begin(), steps.end(), is_run);
}

constexpr Rate card_reader{20e6};

} // namespace

TEST_CASE("a medium is claimed once, and each format is created, mounted, measured, unmounted and checked") {
    CHECK(keys_of(plan_with(R"({"formats": ["exfat", "apfs"], "suites": ["quickbench", "verify"]})")) ==
          Keys{"m0.identify", "m0.claim", "m0.r1.exfat.format", "m0.r1.exfat.mount", "m0.r1.exfat.quickbench.run",
               "m0.r1.exfat.verify.run", "m0.r1.exfat.unmount", "m0.r1.exfat.check", "m0.r1.apfs.format",
               "m0.r1.apfs.mount", "m0.r1.apfs.quickbench.run", "m0.r1.apfs.verify.run", "m0.r1.apfs.unmount",
               "m0.r1.apfs.check", "m0.release", "m0.verdict"});
}

TEST_CASE("a format without suites is created and checked, but never mounted") {
    CHECK(keys_of(plan_with(R"({"formats": [{"fs": "apfs", "suites": []}]})")) ==
          Keys{"m0.identify", "m0.claim", "m0.r1.apfs.format", "m0.r1.apfs.check", "m0.release", "m0.verdict"});
}

TEST_CASE("a plan that keeps the present volume does not format it") {
    CHECK(keys_of(plan_with(R"({"formats": ["keep"]})")) == Keys{"m0.identify", "m0.claim", "m0.r1.keep.mount",
                                                                 "m0.r1.keep.quickbench.run", "m0.r1.keep.unmount",
                                                                 "m0.r1.keep.check", "m0.release", "m0.verdict"});
}

TEST_CASE("raw suites precede the formats in each repeat, since they are destructive") {
    CHECK(keys_of(plan_with(R"({"repeats": 2, "suites": [{"suite": "verify", "where": "raw"}, "quickbench"]})")) ==
          Keys{"m0.identify", "m0.claim", "m0.r1.raw.verify.run", "m0.r1.exfat.format", "m0.r1.exfat.mount",
               "m0.r1.exfat.quickbench.run", "m0.r1.exfat.unmount", "m0.r1.exfat.check", "m0.r2.raw.verify.run",
               "m0.r2.exfat.format", "m0.r2.exfat.mount", "m0.r2.exfat.quickbench.run", "m0.r2.exfat.unmount",
               "m0.r2.exfat.check", "m0.release", "m0.verdict"});
}

TEST_CASE("a plan with only raw suites creates no file system") {
    CHECK(keys_of(plan_with(R"({"formats": null, "suites": [{"suite": "disktester", "where": "raw"}]})")) ==
          Keys{"m0.identify", "m0.claim", "m0.r1.raw.disktester.run", "m0.release", "m0.verdict"});
}

TEST_CASE("a directory is neither claimed nor released") {
    CHECK(keys_of(plan_with(R"({"formats": null, "media": [{"directory": "/a"}, {"directory": "/b"}]})")) ==
          Keys{"m0.identify", "m0.r1.directory.quickbench.run", "m0.verdict", "m1.identify",
               "m1.r1.directory.quickbench.run", "m1.verdict"});
}

TEST_CASE("two entries of the same suite or format have stable names in any order") {
    const Plan plan = plan_with(R"({"formats": [{"fs": "exfat", "cluster_size": 4096}, {"fs": "exfat", "suites": []}],
                                    "suites": ["quickbench", {"suite": "quickbench", "quick": true}],
                                    "order": "reversed"})");
    CHECK(keys_of(plan) == Keys{"m0.identify", "m0.claim", "m0.r1.exfat-2.format", "m0.r1.exfat-2.check",
                                "m0.r1.exfat.format", "m0.r1.exfat.mount", "m0.r1.exfat.quickbench.run",
                                "m0.r1.exfat.quickbench-2.run", "m0.r1.exfat.unmount", "m0.r1.exfat.check",
                                "m0.release", "m0.verdict"});
    // Passes with different cluster sizes must not be pooled as repeats of the same format.
    CHECK(unroll(plan)[2].format_name == "exfat-2");
}

TEST_CASE("a format takes its name from the profile, followed by the file system if the plan names one") {
    const Plan plan = plan_with(R"({"formats": [{"profile": "sd"}, {"profile": "macos", "fs": "apfs"},
                                                {"profile": "sd", "label": "CARD"}, "exfat"]})");
    const auto keys = keys_of(plan);
    for (const char* name : {"sd", "macos-apfs", "sd-2", "exfat"})
        CHECK(std::count(keys.begin(), keys.end(), "m0.r1." + std::string(name) + ".format") == 1);
}

TEST_CASE("the capacity determines the explicit format of a profile, and the plan can override its members") {
    const Plan plan = plan_with(R"({"formats": [{"profile": "sd"}, {"profile": "macos", "fs": "apfs"},
        {"profile": "sd", "cluster_size": "4KiB", "label": "CARD"}, {"profile": "sd", "fs": "fat32"}, "exfat"]})");
    const auto spec = [&](std::size_t index) { return spec_for(plan.formats.at(index), 64_GiB, 512); };
    CHECK(spec(0) == media::spec_for(media::FormatProfile::sd, 64_GiB, 512, {}));
    CHECK(spec(1)->fs == media::FileSystem::apfs);
    CHECK(spec(2)->cluster_size == 4_KiB);
    CHECK(spec(2)->label == "CARD");
    CHECK(spec(2)->partition == spec(0)->partition);
    // More clusters need a longer FAT than the FAT of the profile.
    CHECK(spec(0)->fat_length == 8_MiB);
    CHECK_FALSE(spec(2)->fat_length);
    CHECK(reason(spec(3)) == "the profile sd does not support FAT32 on this medium, only exFAT on a medium of 68.7 GB");
    CHECK(spec(4) == plan.formats.at(4).spec);
}

TEST_CASE("a medium in a slot is loaded first and unloaded after its verdict") {
    CHECK(
        keys_of(plan_with(R"({"media": [{"slot": 4}], "formats": [{"fs": "apfs", "suites": []}], "suites": null})")) ==
        Keys{"m0.load", "m0.identify", "m0.claim", "m0.r1.apfs.format", "m0.r1.apfs.check", "m0.release", "m0.verdict",
             "m0.unload"});
}

TEST_CASE("each step contains the parameters from the plan") {
    const Plan plan = plan_with(R"({"media": [{"slot": 4}, {"slot": 5}], "formats": [{"fs": "exfat", "label": "X"}],
                                    "suites": ["verify"], "repeats": 2})");
    const auto steps = unroll(plan);
    const auto found =
        std::find_if(steps.begin(), steps.end(), [](const Step& step) { return step.key == "m1.r2.exfat.verify.run"; });
    REQUIRE(found != steps.end());
    CHECK(found->kind == StepKind::run);
    CHECK(found->medium == 1);
    CHECK(found->repeat == 2);
    CHECK(found->format == plan.formats.front());
    CHECK(found->format_name == "exfat");
    CHECK(found->suite == plan.suites.front());
    CHECK(found->pass == "m1.r2.exfat.verify");

    for (const Step& step : steps) {
        CAPTURE(step.key);
        CHECK(step.suite.has_value() == (step.kind == StepKind::run));
        CHECK(step.pass.empty() == (step.kind != StepKind::run));
        CHECK(step.key.ends_with(name_of(step.kind)));
    }
}

TEST_CASE("keys are unique and step counts are exact for every valid plan") {
    for (const PlanCase& row : good_plans()) {
        CAPTURE(row.change);
        const Plan plan = plan_with(row.change);
        const Keys keys = keys_of(plan);
        CHECK(std::set<std::string>(keys.begin(), keys.end()).size() == keys.size());
        CHECK(keys.size() == step_count(plan));
        CHECK(keys == keys_of(plan));
    }
}

TEST_CASE("formats run in listed or reversed order") {
    using Orders = std::vector<std::vector<std::size_t>>;
    CHECK(format_order(plan_with(R"({"formats": ["exfat", "apfs", "hfs+"], "repeats": 2})")) ==
          Orders{{0, 1, 2}, {0, 1, 2}});
    CHECK(format_order(plan_with(R"({"formats": ["exfat", "apfs", "hfs+"], "order": "reversed"})")) ==
          Orders{{2, 1, 0}});
    CHECK(format_order(plan_with(R"({"formats": null, "media": [{"directory": "/a"}]})")) == Orders{{}});
}

TEST_CASE("random pairs are a random order and its mirror image, so that drift cancels") {
    const auto orders = format_order(
        plan_with(R"({"formats": ["exfat", "apfs", "hfs+", "fat32"], "repeats": 40, "order": "random_pairs"})"));
    REQUIRE(orders.size() == 40);
    std::vector<std::size_t> place_sums(4);
    std::set<std::vector<std::size_t>> seen;
    for (std::size_t i = 0; i < orders.size(); i += 2) {
        CHECK(std::vector<std::size_t>(orders[i].rbegin(), orders[i].rend()) == orders[i + 1]);
        CHECK(std::is_permutation(orders[i].begin(), orders[i].end(), std::vector<std::size_t>{0, 1, 2, 3}.begin()));
        seen.insert(orders[i]);
    }
    for (const auto& order : orders)
        for (std::size_t place = 0; place < order.size(); ++place) place_sums[order[place]] += place;
    CHECK(place_sums == std::vector<std::size_t>(4, 60)); // every format has position 1.5 on average
    CHECK(seen.size() > 10);                              // 20 draws from 24 possible orders
}

TEST_CASE("random pairs depend only on the seed, on each platform") {
    using Orders = std::vector<std::vector<std::size_t>>;
    const auto orders_with = [](const char* patch) { return format_order(plan_with(patch)); };
    // SplitMix64 gives 0x975835de1c9756ce, 0xbfc846100bfc1e42 for the seed 2. The first modulo 3 is 1: swap places 2
    // and 1. The second modulo 2 is 0: swap places 1 and 0.
    CHECK(orders_with(R"({"formats": ["exfat", "apfs", "hfs+"], "repeats": 2,
                          "order": {"kind": "random_pairs", "seed": 2}})") == Orders{{2, 0, 1}, {1, 0, 2}});
    CHECK(
        orders_with(
            R"({"formats": ["exfat", "apfs", "hfs+"], "repeats": 8, "order": {"kind": "random_pairs", "seed": 2}})") !=
        orders_with(
            R"({"formats": ["exfat", "apfs", "hfs+"], "repeats": 8, "order": {"kind": "random_pairs", "seed": 3}})"));
}

TEST_CASE("an estimate counts every byte, and the estimated time depends on the rate") {
    const Step step =
        only_run(plan_with(R"({"suites": [{"suite": "quickbench", "blocks": ["1MiB"], "tables": ["standard"],
        "accesses": ["seq_read", "seq_write"], "span": "40MiB", "volume": "20MiB", "time_limit_s": 1000}]})"));
    const auto slow = estimate(step, 1_GiB, Rate{20e6});
    REQUIRE(slow);
    CHECK(slow->written == 60_MiB);
    CHECK(slow->read == 20_MiB);
    // 80 MiB at 20 MB/s are 4.2 s; each 1 MiB transfer costs an eighth more for a write and 1/32 more for a read.
    CHECK(slow->time == 5s);
    const auto fast = estimate(step, 1_GiB, Rate{2e6});
    REQUIRE(fast);
    CHECK(fast->time == 47s);
}

TEST_CASE("an estimate of paced requests includes their pauses for any medium") {
    const Step step = only_run(plan_with(R"({"suites": ["ioping"]})"));
    const auto told = estimate(step, 1_GiB, Rate{1e9});
    REQUIRE(told);
    // Ten requests of each kind and one request before them, one request per second.
    CHECK(told->time >= 20s);
    CHECK(told->time <= 22s);
}

TEST_CASE("small transfers take longer than their number of bytes alone implies") {
    const auto time_of = [](const char* patch) {
        const auto result = estimate(only_run(plan_with(patch)), 1_GiB, card_reader);
        REQUIRE(result);
        return result->time;
    };
    const auto large = time_of(R"({"suites": [{"suite": "quickbench", "blocks": ["1MiB"], "span": "1MiB",
                                   "accesses": ["seq_write"], "volume": "64MiB", "time_limit_s": 1000}]})");
    const auto small = time_of(R"({"suites": [{"suite": "quickbench", "blocks": ["4KiB"], "span": "1MiB",
                                   "accesses": ["seq_write"], "volume": "64MiB", "time_limit_s": 1000}]})");
    CHECK(small > 20 * large);
}

TEST_CASE("the time and rate estimates of Bonnie++ do not count writes of single bytes as transfers to the medium") {
    const Step step = only_run(plan_with(R"({"suites": [{"suite": "bonnie", "quick": true}]})"));
    const auto quick = estimate(step, 4_GiB, Rate{20e6});
    REQUIRE(quick);
    CHECK(quick->time < std::chrono::minutes(2));
    const auto full = estimate(only_run(plan_with(R"({"suites": ["bonnie"]})")), 4_GiB, Rate{20e6});
    REQUIRE(full);
    CHECK(full->time < std::chrono::hours(2));
    // 3 MiB written byte by byte within 3 s: the rate of a host, not of a medium.
    workload::CellResult bytes;
    bytes.cell = {.id = "putc",
                  .table = "putc",
                  .access = workload::Access::sequential_write,
                  .block = 1_B,
                  .volume = 3_MiB,
                  .time_limit = {},
                  .queue_depth = 1};
    bytes.moved = 3_MiB;
    bytes.elapsed = 3s;
    CHECK(rate_seen(std::span(&bytes, 1))->megabytes_per_second() < 50);
    // 200 files of 18 kB cost as many transfers of their size; a simultaneous walk adds no information about the rate.
    std::vector<workload::CellResult> tree(2, bytes);
    tree[0].cell.block = tree[1].cell.block = 1_MiB;
    tree[0].operations = 200;
    tree[0].moved = Bytes{200 * 18'000};
    tree[1].operations = 235;
    tree[1].moved = {};
    CHECK(rate_seen(tree)->megabytes_per_second() == Approx((3.6 + 200 * 0.131072) / 3).epsilon(1e-6));
}

TEST_CASE("an estimate of the same cells with the observed rate is exact") {
    const Step step = only_run(plan_with(R"({"suites": [{"suite": "quickbench", "quick": true}]})"));
    const auto sweep = suites::expand(step.suite->request, 1_GiB);
    REQUIRE(sweep);
    // A card with a full rate of 7 MB/s and the cost of small transfers that the estimate assumes.
    constexpr Rate slow{7e6};
    std::vector<workload::CellResult> cells;
    for (const workload::CellSpec& cell : sweep->as<workload::SweepJob>()->cells) {
        workload::CellResult& result = cells.emplace_back();
        result.cell = cell;
        result.moved = cell.volume;
        const double overhead = workload::writes(cell.access) ? 131072.0 : 32768.0;
        const double bytes =
            static_cast<double>(cell.volume.count) * (1 + overhead / static_cast<double>(cell.block.count));
        result.elapsed = std::chrono::nanoseconds(static_cast<std::int64_t>(bytes / 7e6 * 1e9));
    }
    const auto seen = rate_seen(cells);
    REQUIRE(seen);
    CHECK(seen->bytes_per_second == Approx(slow.bytes_per_second).epsilon(1e-6));
    CHECK(estimate(step, 1_GiB, *seen)->time == estimate(step, 1_GiB, slow)->time);
    CHECK_FALSE(rate_seen({}));
    cells.front().elapsed = {};
    CHECK_FALSE(rate_seen(std::span(cells).first(1)));
}

TEST_CASE("time limits of cells cap an estimate's time, not its bytes") {
    const auto limited = estimate(only_run(plan_with(R"({"suites": [{"suite": "quickbench", "blocks": ["4KiB"],
        "accesses": ["random_write"], "span": "1MiB", "volume": "1GiB", "time_limit_s": 2}]})")),
                                  4_GiB, card_reader);
    REQUIRE(limited);
    CHECK(limited->time == 3s); // 2 s, plus the time for writing the test file of 1 MiB
    CHECK(limited->written == 1_GiB + 1_MiB);
}

TEST_CASE("the estimate of a probe on a slow card is half a minute") {
    const auto probe = [](const std::string& more, Rate rate) {
        const std::string patch =
            R"({"suites": [{"suite": "capacity", "where": "raw")" + more + R"(}], "formats": null})";
        const auto result = estimate(only_run(plan_with(patch.c_str())), Bytes{64'000'000'000}, rate);
        REQUIRE(result);
        return *result;
    };
    CHECK(probe("", Rate{7e6}).time <= 45s);
    CHECK(probe("", Rate{20e6}).time <= 45s);
    // If the plan names a cache size, the probe writes the complete cache, twice if it must prove a fake.
    CHECK(probe(R"(, "assumed_cache": "256MiB")", Rate{7e6}).time >= 80s);
    CHECK(probe("", Rate{7e6}).written == probe(R"(, "assumed_cache": "1GiB")", Rate{7e6}).written);
}

TEST_CASE("the estimate for verify contains one write and one read of the whole medium") {
    const auto whole =
        estimate(only_run(plan_with(R"({"suites": [{"suite": "verify", "where": "raw"}], "formats": null})")), 64_GiB,
                 card_reader);
    REQUIRE(whole);
    CHECK(whole->written == 64_GiB);
    CHECK(whole->read == 64_GiB);
    CHECK(whole->time > 6400s);
    CHECK(whole->time < 8000s);
}

TEST_CASE("an estimate for a directory of unknown size uses the suite's span") {
    const auto unknown =
        estimate(only_run(plan_with(R"({"formats": null, "media": [{"directory": "/a"}]})")), Bytes{}, card_reader);
    REQUIRE(unknown);
    CHECK(unknown->known);
    CHECK(unknown->written > 1_GiB);
}

TEST_CASE("the amount of data of a suite for the whole medium is unknown without the size") {
    for (const char* suite : {"disktester-fill", "steady", "verify"}) {
        CAPTURE(suite);
        const auto step_of = [&](const char* more) {
            return only_run(
                plan_with(std::string(R"({"formats": null, "media": [{"directory": "/a"}], "suites": [{"suite": ")") +
                          suite + '"' + more + "}]}"));
        };
        const auto unknown = estimate(step_of(""), Bytes{}, card_reader);
        REQUIRE(unknown);
        CHECK_FALSE(unknown->known);
        CHECK(unknown->written == 0_B);
        CHECK(unknown->time == 0s);
        const auto with_span = estimate(step_of(R"(, "span": "64MiB")"), Bytes{}, card_reader);
        REQUIRE(with_span);
        CHECK(with_span->known);
        CHECK(with_span->written >= 64_MiB);
        CHECK(with_span->written < 4_GiB);
        CHECK(estimate(step_of(""), 1_GiB, card_reader)->known);
    }
}

TEST_CASE("steps around the measurement have estimates, and an impossible estimate has a reason") {
    const auto steps = unroll(plan_with(R"({})"));
    for (const Step& step : steps) {
        CAPTURE(step.key);
        const auto result = estimate(step, 8_GiB, card_reader);
        REQUIRE(result);
        if (step.kind != StepKind::run) CHECK(result->written == 0_B);
        if (step.kind == StepKind::format || step.kind == StepKind::check) CHECK(result->time > 0s);
    }
    CHECK(reason(estimate(steps.front(), 8_GiB, Rate{0})) == "an estimate needs a rate above 0");
    const Step run = only_run(plan_with(R"({"suites": [{"suite": "quickbench", "span": "2GiB"}]})"));
    CHECK_THAT(reason(estimate(run, 1_GiB, card_reader)), ContainsSubstring("does not fit"));
}

TEST_CASE("a choice of all slots expands to the slots of the lab, or of the rig once the rig is known") {
    const auto names = [](const Plan& plan) {
        std::vector<std::string> all;
        for (const MediumRef& medium : plan.media) all.push_back(medium.name + " " + medium.lot);
        return all;
    };
    CHECK(names(plan_with(R"({"media": null, "slots": {"numbers": [5, 2], "lot": "L"}})")) ==
          std::vector<std::string>{"slot-5 L", "slot-2 L"});
    CHECK(names(plan_with(R"({"media": null, "slots": "all", "lab": [{"slot": 3, "kind": "usb", "card": "a"},
                                                                     {"slot": 1, "kind": "usb", "card": "b"}]})")) ==
          std::vector<std::string>{"slot-3 ", "slot-1 "});
    const Plan open = plan_with(R"({"media": null, "slots": {"numbers": "all", "lot": "L"}})");
    CHECK(open.media.empty());
    CHECK(unroll(open).empty());
    const Plan known = with_slots(open, 2);
    CHECK(names(known) == std::vector<std::string>{"slot-1 L", "slot-2 L"});
    CHECK_FALSE(known.all_slots);
    CHECK(with_slots(known, 9) == known);
    CHECK(unroll(known).front().key == "m0.load");
}
