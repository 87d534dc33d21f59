// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs each suite on cards that fail in the four known ways, on the clock of the card models. Each failure gives a
/// finding and no crash, and earlier measurements are kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "host/lab/card/catalogue.hpp"
#include "host/workload/jobs/job.hpp"
#include "host/workload/metrics/implausible.hpp"
#include "host/workload/metrics/metrics.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/workload/card_system.hpp"
#include "tests/workload/cut_disk.hpp"
#include "tests/workload/machine.hpp"
#include "tests/workload/quick_job.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

constexpr std::chrono::seconds minute{60};

lab::CardConfig card(Bytes real) {
    lab::CardConfig config;
    config.claimed = 160_MiB;
    config.real = real;
    config.command_overhead = std::chrono::microseconds(300);
    config.read.rate = Rate{80e6};
    config.write.rate = Rate{30e6};
    config.flush_latency = std::chrono::milliseconds(2);
    return config;
}

/// True if the suite uses only the bare card, or verifies nothing on files.
bool is_raw(const suites::Suite& suite) {
    return !suite.instead_on_files.empty();
}

struct RunOnCard {
    JobSpec job;
    Watcher seen;
    Result<JobOutcome> outcome{fail(Errc::cancelled, "not run")};
    std::uint64_t requests{};

    [[nodiscard]] bool found(FindingKind kind) const {
        return seen.found(kind) != nullptr || std::ranges::any_of(seen.cells, [&](const CellResult& cell) {
                   return std::ranges::find(cell.findings, kind, &measure::Finding::kind) != cell.findings.end();
               });
    }
};

RunOnCard run_on(const suites::Suite& suite, const lab::CardConfig& config, CardFault fault, JobSpec job) {
    CardVolume volume(config, fault);
    RunOnCard ran{.job = std::move(job), .seen = {}};
    JobTarget target;
    target.kind = is_raw(suite) ? JobTarget::Kind::device : JobTarget::Kind::directory;
    target.path = "/card";
    target.device_fd = target.directory_fd = 1 << 20; // unused: this system has its own medium
    target.make_undo = [] { return std::make_unique<MemoryUndo>(); };
    JobControl control;
    ran.outcome = run_job(CardSystem(volume), ran.job, target, {}, control, ran.seen);
    ran.requests = volume.requests();
    return ran;
}

JobTarget bare_card() {
    JobTarget target;
    target.kind = JobTarget::Kind::device;
    target.path = "/card";
    target.device_fd = 1 << 20; // unused, as above
    return target;
}

/// Prints the tables of a pass, complete or not.
void show(const suites::Suite& suite, const RunOnCard& ran) {
    const auto measured = metrics::metrics_of(std::string(suite.name), "exfat", ran.seen.cells);
    for (const measure::MetricValues& each : measured)
        for (const double value : each.values) CHECK(std::isfinite(value));
    if (suite.view == nullptr) return;
    (void)suite.view({.value_of = [](const suites::Metric&) { return std::nullopt; },
                      .passes = {std::span<const CellResult>(ran.seen.cells)}});
}

std::vector<std::string> ids_of(const RunOnCard& ran) {
    std::vector<std::string> ids;
    for (const CellResult& cell : ran.seen.cells) ids.push_back(cell.cell.id);
    return ids;
}

/// Calls `check` with the suite's run on a card without a fault, which gives the positions of the faults.
template <class Check>
void for_each_suite(Check check) {
    for (const suites::Suite* suite : suites::all_suites()) {
        if (suite->name == "enumerate-million") continue; // the same as enumerate, but too large for a test
        CAPTURE(suite->name);
        const JobSpec job = quick_job(suite->name, 100_MiB);
        const RunOnCard good = run_on(*suite, card(160_MiB), {}, job);
        REQUIRE(reason(good.outcome) == "success");
        check(*suite, job, good);
    }
}

/// Returns the request number at which the fault occurs. The number of requests of the blog threads depends on the
/// machine: only the first ten are certain.
std::uint64_t requests_into(const JobSpec& job, std::uint64_t wanted) {
    return job.as<BlogJob>() == nullptr ? wanted : std::min<std::uint64_t>(wanted, 10);
}

} // namespace

TEST_CASE("each suite measures its cells on a good card without a fault") {
    for_each_suite([](const suites::Suite& suite, const JobSpec&, const RunOnCard& good) {
        CHECK((!good.seen.cells.empty() || good.outcome->verify));
        CHECK_FALSE(good.found(FindingKind::io_error));
        CHECK_FALSE(good.found(FindingKind::medium_lost));
        show(suite, good);
    });
}

TEST_CASE("a quick cell makes at least 8 operations on a slow card and takes at least 50 ms on a fast one") {
    const suites::Suite& quickbench = *suites::find_suite("quickbench");
    const JobSpec job = quick_job("quickbench", 100_MiB);
    for (const double rate : {3e6, 20e6, 2e9}) {
        CAPTURE(rate);
        lab::CardConfig config = card(160_MiB);
        config.command_overhead = std::chrono::microseconds(1);
        config.read.rate = config.write.rate = Rate{rate};
        const RunOnCard ran = run_on(quickbench, config, {}, job);
        REQUIRE(reason(ran.outcome) == "success");
        REQUIRE(ran.seen.cells.size() == 36);
        for (const CellResult& cell : ran.seen.cells) {
            CAPTURE(cell.cell.id, cell.operations, cell.elapsed.count());
            CHECK(cell.operations >= few_operations);
            // The minimum includes the time between transfers, in which payload is generated. The time after the last
            // one is in no result.
            CHECK(cell.elapsed + cell.prepare_time >= std::chrono::milliseconds(40));
            CHECK_FALSE(metrics::has_few_operations(cell));
        }
    }
}

TEST_CASE("a quick cell of a card that is too slow for 8 operations ends after its longest time") {
    const suites::Suite& quickbench = *suites::find_suite("quickbench");
    lab::CardConfig config = card(160_MiB);
    config.read.rate = config.write.rate = Rate{100e3};
    const RunOnCard ran = run_on(quickbench, config, {}, quick_job("quickbench", 100_MiB));
    REQUIRE(reason(ran.outcome) == "success");
    for (const CellResult& cell : ran.seen.cells) {
        CAPTURE(cell.cell.id);
        if (cell.cell.block <= 32_KiB) CHECK(cell.operations >= few_operations);
        // Blocks of 1 MiB take 10 s: the first operation ends after the longest time of 4 s.
        if (cell.cell.block == 1_MiB) CHECK(cell.operations == 1);
        if (cell.operations < few_operations) CHECK(cell.end == CellEnd::time);
    }
}

TEST_CASE("suite dd writes its file once, and reads the written part if its time ends first") {
    const suites::Suite& dd = *suites::find_suite("dd");
    const JobSpec job = quick_job("dd", 1_GiB);
    for (const double rate : {200e6, 1e6}) {
        CAPTURE(rate);
        lab::CardConfig config = card(160_MiB);
        config.write.rate = Rate{rate};
        const RunOnCard ran = run_on(dd, config, {}, job);
        REQUIRE(reason(ran.outcome) == "success");
        REQUIRE(ran.seen.cells.size() == 2);
        const CellResult& written = ran.seen.cells[0];
        CHECK(written.evidence.device_written == written.moved);
        CHECK((written.end == CellEnd::volume) == (rate == 200e6));
        CHECK(ran.seen.cells[1].moved > 0_B);
        CHECK_FALSE(ran.found(FindingKind::short_transfer));
        CHECK(std::ranges::count(ran.seen.phases, "layout") == 0);
    }
}

TEST_CASE("a sweep reports that the layout of its test file has used up the faster part of a card") {
    JobSpec job = sweep_of({cell_of(Access::sequential_write, 1_MiB, 8_MiB)}, 128_MiB);
    for (const bool cached : {true, false}) {
        CAPTURE(cached);
        lab::CardConfig config = card(160_MiB);
        config.write.rate = Rate{cached ? 60e6 : 10e6};
        if (cached)
            config.slc_cache = lab::SlcCache{.size = 40_MiB,
                                             .direct_rate = Rate{10e6},
                                             .recovery_rate = Rate{1e6},
                                             .recovery_after_idle = std::chrono::hours(1)};
        CardVolume volume(config, {});
        JobControl control;
        Watcher seen;
        REQUIRE(reason(run_job(CardSystem(volume), job, bare_card(), {}, control, seen)) == "success");
        const measure::Finding* const found = seen.found(FindingKind::rate_unstable);
        REQUIRE((found != nullptr) == cached);
        if (!cached) continue;
        CHECK(found->severity == measure::Severity::note);
        const std::string begin = "while the test file was laid out, the rate fell after the first ";
        REQUIRE(found->detail.starts_with(begin));
        CHECK(std::stod(found->detail.substr(begin.size())) == Approx(41.9).epsilon(0.1)); // 40 MiB, in MB
        CHECK_THAT(found->detail, ContainsSubstring("so none shows the faster rate"));
    }
}

TEST_CASE(
    "a rate that falls by less than half during the layout of the test file is reported only if the host was not "
    "busy") {
    const JobSpec job = sweep_of({cell_of(Access::sequential_write, 1_MiB, 8_MiB)}, 128_MiB);
    struct Row {
        double before;
        std::optional<double> processor_wait;
        bool stated;
    };
    for (const Row& row : {Row{16e6, 0.0, true}, Row{16e6, 0.5, false}, Row{16e6, {}, false}, Row{60e6, 0.5, true},
                           Row{12e6, 0.0, false}}) {
        CAPTURE(row.before, row.processor_wait.value_or(-1));
        lab::CardConfig config = card(160_MiB);
        config.write.rate = Rate{row.before};
        config.slc_cache = lab::SlcCache{.size = 40_MiB,
                                         .direct_rate = Rate{10e6},
                                         .recovery_rate = Rate{1e6},
                                         .recovery_after_idle = std::chrono::hours(1)};
        CardVolume volume(config, {});
        JobControl control;
        Watcher seen;
        REQUIRE(reason(run_job(CardSystem(volume, row.processor_wait), job, bare_card(), {}, control, seen)) ==
                "success");
        CHECK((seen.found(FindingKind::rate_unstable) != nullptr) == row.stated);
    }
}

TEST_CASE(
    "a job whose transfers fail slowly ends after the longest time for failures, also while it lays out the test "
    "file") {
    for (const char* suite : {"quickbench", "steady"}) {
        CAPTURE(suite);
        lab::CardConfig config = card(160_MiB);
        config.command_overhead = std::chrono::seconds(30);
        config.bad_sectors = {{.sectors = {.first = {}, .count = config.claimed / lab::sector_size},
                               .fail_reads = false,
                               .fail_writes = true}};
        CardVolume volume(config, {});
        JobControl control;
        Watcher seen;
        const auto outcome = run_job(CardSystem(volume), quick_job(suite, 100_MiB), bare_card(), {}, control, seen);
        REQUIRE_FALSE(outcome);
        CHECK_THAT(reason(outcome), ContainsSubstring("failed transfers took 5 minutes"));
        CHECK(volume.requests() <= 12);
        CHECK(control.failures.count() >= 10);
    }
}

TEST_CASE("a job whose flushes fail slowly ends after the longest time for failures") {
    for (const char* suite : {"quickbench", "verify"}) {
        CAPTURE(suite);
        CardVolume volume(card(160_MiB), {.kind = CardFault::Kind::no_flush});
        JobControl control;
        Watcher seen;
        const auto before = virtual_time();
        const auto outcome = run_job(CardSystem(volume), quick_job(suite, 100_MiB), bare_card(), {}, control, seen);
        // A sweep has more flushes than the bound permits, a verify of this size has few.
        CHECK(outcome.has_value() == (std::string_view(suite) != "quickbench"));
        if (!outcome) CHECK_THAT(reason(outcome), ContainsSubstring("failed transfers took 5 minutes"));
        CHECK(virtual_time() - before < std::chrono::minutes(15));
        CHECK(control.failures.took() <= std::chrono::minutes(6));
        const bool found = seen.found(FindingKind::flush_unavailable) != nullptr ||
                           std::ranges::any_of(seen.cells, [](const CellResult& cell) {
                               return std::ranges::find(cell.findings, FindingKind::flush_unavailable,
                                                        &measure::Finding::kind) != cell.findings.end();
                           });
        CHECK(found);
    }
}

TEST_CASE("the device counters of suite steady cover the bytes of all its rounds") {
    const suites::Suite& steady = *suites::find_suite("steady");
    const RunOnCard ran = run_on(steady, card(160_MiB), {}, quick_job("steady", 100_MiB));
    REQUIRE(reason(ran.outcome) == "success");
    REQUIRE(ran.seen.cells.size() == 4);
    for (const CellResult& cell : ran.seen.cells) {
        CAPTURE(cell.cell.id);
        CHECK(cell.series.size() >= 5);
        if (writes(cell.cell.access))
            CHECK(cell.evidence.device_written >= cell.moved);
        else
            CHECK(cell.evidence.device_read >= cell.moved);
    }
}

TEST_CASE("each suite runs to its end on a fake card, and suites that compare bytes report the fake") {
    for_each_suite([](const suites::Suite& suite, const JobSpec& job, const RunOnCard& good) {
        const RunOnCard fake = run_on(suite, card(12_MiB), {}, job);
        REQUIRE(reason(fake.outcome) == "success");
        if (good.outcome->verify) {
            REQUIRE(fake.outcome->verify);
            CHECK(fake.outcome->verify->verdict == CapacityVerdict::fake);
        } else if (job.as<BlogJob>() == nullptr) {
            CHECK(ids_of(fake) == ids_of(good));
        }
        show(suite, fake);
    });
}

TEST_CASE("each suite reports a card that fails midway, ends and keeps the finished cells") {
    std::size_t kept = 0;
    for_each_suite([&](const suites::Suite& suite, const JobSpec& job, const RunOnCard& good) {
        const RunOnCard died =
            run_on(suite, card(160_MiB),
                   {.kind = CardFault::Kind::dies, .after = requests_into(job, good.requests * 3 / 4)}, job);
        REQUIRE_FALSE(died.outcome);
        CHECK(died.outcome.error().code == Errc::no_medium);
        CHECK(died.found(FindingKind::medium_lost));
        for (const std::string& id : ids_of(died))
            CHECK(std::ranges::find(good.seen.cells, id, [](const CellResult& cell) { return cell.cell.id; }) !=
                  good.seen.cells.end());
        kept += died.seen.cells.empty() ? 0 : 1;
        show(suite, died);
    });
    // At least fifteen suites have finished a cell before the card fails. The others are still in their only cell.
    CHECK(kept >= 15);
}

TEST_CASE("each writing suite reports a card that becomes read-only and ends") {
    for_each_suite([](const suites::Suite& suite, const JobSpec& job, const RunOnCard& good) {
        const RunOnCard stopped =
            run_on(suite, card(160_MiB),
                   {.kind = CardFault::Kind::read_only, .after = requests_into(job, good.requests / 4)}, job);
        CHECK((stopped.found(FindingKind::io_error) || !stopped.outcome ||
               (stopped.outcome->verify && stopped.outcome->verify->verdict != CapacityVerdict::good)));
        // The files of the job cannot be removed from a read-only card, which is reported.
        if (!is_raw(suite)) {
            REQUIRE_FALSE(stopped.outcome);
            CHECK(stopped.outcome.error().code == Errc::io_failed);
        }
        show(suite, stopped);
    });
}

TEST_CASE("each suite continues after a read that stalls for a minute and reports the stall as the longest latency") {
    for_each_suite([](const suites::Suite& suite, const JobSpec& job, const RunOnCard& good) {
        const auto stalls = [](const RunOnCard& ran) {
            return std::ranges::any_of(ran.seen.cells, [](const CellResult& cell) {
                // The samples show rounds before the counting window.
                return cell.latency.max() >= minute || std::ranges::any_of(cell.series, [](const SeriesSample& round) {
                           return round.worst >= minute;
                       });
            });
        };
        const auto stalled_after = [&](std::uint64_t quarters) {
            return run_on(suite, card(160_MiB),
                          {.kind = CardFault::Kind::stalls, .after = good.requests * quarters / 4}, job);
        };
        // The stall occurs late enough for a counted read, also after the warm-up of a cell, and earlier if no read
        // follows.
        RunOnCard stalled = stalled_after(3);
        if (!stalls(stalled)) stalled = stalled_after(1);
        REQUIRE(reason(stalled.outcome) == "success");
        if (job.as<BlogJob>() != nullptr)
            CHECK_FALSE(stalled.seen.cells.empty()); // counted without latencies
        else if (!is_raw(suite))
            CHECK(stalls(stalled));
        show(suite, stalled);
    });
}

// Prints durations and tests nothing: `test_workload_cards "[.times]"`. Requests are sequential, and the time of the
// host and of a file system is excluded, so a real run takes somewhat longer.
TEST_CASE("duration of each suite on the good card of the lab", "[.times]") {
    const auto text = lab::find_card_config("good-uhs1");
    REQUIRE(text);
    const auto good = lab::parse_card_config(*text);
    REQUIRE(good);
    for (const suites::Suite* suite : suites::all_suites())
        for (const bool quick : {true, false}) {
            // Skips suites that compare bytes or run for hours.
            if (suite->name == "capacity" || suite->name == "check" || suite->name == "verify" ||
                suite->name == "enumerate-million")
                continue;
            suites::SuiteRequest request;
            request.name = suite->name;
            request.quick = quick;
            auto job = suites::expand(request, good->claimed - 1_GiB);
            REQUIRE(reason(job) == "success");
            // Single bytes stay in a real file system's cache. Here each byte would be a request to the card.
            if (auto* files = job->as<FilesJob>())
                std::erase_if(files->steps, [](const FileStep& step) {
                    return (step.work == FileWork::write || step.work == FileWork::read) && step.cell.block == 1_B;
                });
            CardVolume volume(*good, {}, false);
            JobTarget target;
            target.kind = JobTarget::Kind::directory;
            target.path = "/card";
            target.device_fd = target.directory_fd = 1 << 20;
            JobControl control;
            Watcher seen;
            const auto begin = virtual_time();
            CHECK(reason(run_job(CardSystem(volume), *job, target, {}, control, seen)) == "success");
            fmt::print("{:<16} {:<6} {:>8.1f} s\n", suite->name, quick ? "quick" : "full",
                       std::chrono::duration<double>(virtual_time() - begin).count());
            std::fflush(stdout);
        }
}
