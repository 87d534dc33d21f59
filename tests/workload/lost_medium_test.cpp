// SPDX-License-Identifier: GPL-3.0-or-later
/// Verify and probe jobs on media that disappear, refuse writes or stop storing: each state has one result.
#include "host/workload/jobs/job.hpp"
#include "tests/catch.hpp"
#include "tests/workload/faulty_disk.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

struct Reports final : JobObserver {
    void on_phase(const std::string& name) override {
        if (when_phase) when_phase(name);
    }
    void on_cell(const CellResult&) override {}
    void on_finding(const measure::Finding& finding) override { findings.push_back(finding); }
    [[nodiscard]] const measure::Finding* found(FindingKind kind) const {
        const auto it = std::ranges::find(findings, kind, &measure::Finding::kind);
        return it == findings.end() ? nullptr : &*it;
    }
    std::function<void(const std::string&)> when_phase;
    measure::Findings findings;
};

JobSpec whole_verify() {
    JobSpec job;
    job.suite = "verify";
    job.kind = VerifyJob{};
    return job;
}

JobSpec short_probe() {
    JobSpec job;
    job.suite = "capacity";
    job.kind = ProbeJob{.assumed_cache = 4_MiB, .run_time = {}, .generation = 1};
    return job;
}

Result<JobOutcome> run(FaultyDisk& disk, const JobSpec& job, Reports& reports) {
    JobControl control;
    const FaultySystem system(disk);
    return run_job(system, job, FaultySystem::target(), {}, control, reports);
}

VerifyOutcome verified(FaultyDisk& disk, Reports& reports, const JobSpec& job = whole_verify()) {
    const auto outcome = run(disk, job, reports);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->verify);
    return *outcome->verify;
}

/// All transfers fail once this number of bytes was written or read.
void fail_all_after(FaultyDisk& disk, Bytes moved, int error) {
    disk.fault = [&disk, moved, error](bool, std::uint64_t, std::size_t) {
        return disk.written + disk.read >= moved.count ? error : 0;
    };
}

} // namespace

TEST_CASE("a medium that fails everywhere is reported as lost after a few failures, for each error number") {
    for (const int error : {EIO, EREMOTEIO, ETIMEDOUT})
        for (const Bytes moved : {0_B, 5_MiB + 512_B, 20_MiB, 40_MiB}) { // writing until 32 MiB, then reading
            CAPTURE(error, moved.count);
            FaultyDisk disk(32_MiB);
            fail_all_after(disk, moved, error);
            Reports reports;
            const auto outcome = run(disk, whole_verify(), reports);
            REQUIRE_FALSE(outcome);
            CHECK(outcome.error().code == Errc::no_medium);
            CHECK(reports.found(FindingKind::medium_lost));
            CHECK_FALSE(reports.found(FindingKind::data_damaged));
            CHECK_FALSE(reports.found(FindingKind::capacity_missing));
            CHECK(disk.failed < 32);
        }
}

TEST_CASE("a probe of a medium that fails everywhere reports the loss, not a fake") {
    for (const Bytes moved : {0_B, 300_KiB, 3_MiB}) {
        CAPTURE(moved.count);
        FaultyDisk disk(32_MiB);
        fail_all_after(disk, moved, EIO);
        Reports reports;
        const auto outcome = run(disk, short_probe(), reports);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == Errc::no_medium);
        CHECK(reports.found(FindingKind::medium_lost));
        CHECK(disk.failed < 32);
    }
}

TEST_CASE("a medium that is removed during reads of a bad region is reported as lost") {
    FaultyDisk disk(32_MiB);
    std::uint64_t failures = 0;
    disk.fault = [&](bool writing, std::uint64_t offset, std::size_t length) {
        if (failures >= 40) return EIO; // removed
        const bool bad = !writing && offset < (16_MiB).count && offset + length > (8_MiB).count;
        failures += bad ? 1 : 0;
        return bad ? EIO : 0;
    };
    Reports reports;
    const auto outcome = run(disk, whole_verify(), reports);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::no_medium);
    CHECK(disk.failed < 120);
}

TEST_CASE("if the presence of a medium cannot be tested, its read errors count as damage") {
    FaultyDisk disk(4_MiB);
    disk.known = false;
    disk.fault = [](bool writing, std::uint64_t offset, std::size_t length) {
        return !writing && offset + length > (3_MiB).count ? EIO : 0;
    };
    Reports reports;
    const VerifyOutcome outcome = verified(disk, reports);
    CHECK(outcome.verdict == CapacityVerdict::damaged);
    CHECK(outcome.damaged_bytes == 1_MiB);
}

TEST_CASE("refused writes count as damage exactly where they were refused") {
    struct Row {
        std::uint64_t begin, end;
    };
    for (const Row& row : {Row{(8_MiB).count, (8_MiB).count + 8192}, Row{4096, 65536},
                           Row{(3_MiB).count - 4096, (5_MiB).count + 4096}}) {
        CAPTURE(row.begin, row.end);
        FaultyDisk disk(16_MiB);
        disk.fault = [&](bool writing, std::uint64_t offset, std::size_t length) {
            return writing && offset < row.end && offset + length > row.begin ? EIO : 0;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::damaged);
        CHECK(outcome.damaged ==
              std::vector<DamagedRange>{{{row.begin}, {row.end - row.begin}, DamageKind::unwritten, {}}});
        CHECK(outcome.damaged_bytes == Bytes{row.end - row.begin});
        CHECK(outcome.good + outcome.damaged_bytes == 16_MiB);
        REQUIRE(reports.found(FindingKind::io_error));
        CHECK(reports.found(FindingKind::io_error)->offset == Bytes{row.begin});
        CHECK(reports.found(FindingKind::io_error)->length == Bytes{row.end - row.begin});
    }
}

TEST_CASE("a medium that refuses writes from some position to its end is reported as damaged, not as a fake") {
    for (const int error : {EROFS, EIO, EPERM}) {
        CAPTURE(error);
        FaultyDisk disk(32_MiB);
        disk.fault = [&](bool writing, std::uint64_t offset, std::size_t length) {
            return writing && offset + length > (20_MiB).count ? error : 0;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::damaged);
        CHECK_FALSE(outcome.true_capacity);
        CHECK(outcome.damaged_bytes == 12_MiB);
        CHECK_FALSE(reports.found(FindingKind::capacity_missing));
        CHECK_FALSE(reports.found(FindingKind::write_refused)); // the medium accepts writes at the start
    }
}

TEST_CASE("a medium that turns read-only is reported as damaged, and the test does not try every remaining write") {
    for (const Bytes then : {5_MiB, 20_MiB + 4_KiB}) {
        CAPTURE(then.count);
        FaultyDisk disk(64_MiB);
        disk.fault = [&](bool writing, std::uint64_t, std::size_t) {
            return writing && disk.written >= then.count ? EROFS : 0;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::damaged);
        CHECK_FALSE(outcome.fake);
        CHECK(outcome.written >= then);
        CHECK(outcome.written <= then + 1_MiB);
        REQUIRE(reports.found(FindingKind::write_refused));
        CHECK(reports.found(FindingKind::write_refused)->severity == measure::Severity::fault);
        CHECK_FALSE(reports.found(FindingKind::capacity_missing));
        CHECK(disk.failed < 4'000);
    }
}

TEST_CASE("a medium that refuses every write ends the test with a finding and without a capacity") {
    FaultyDisk disk(32_MiB);
    disk.fault = [](bool writing, std::uint64_t, std::size_t) { return writing ? EROFS : 0; };
    Reports reports;
    const auto outcome = run(disk, whole_verify(), reports);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::io_failed);
    CHECK(reports.found(FindingKind::write_refused));
}

TEST_CASE("a medium that silently stops storing data at some moment is reported as damaged, not as a fake") {
    FaultyDisk disk(64_MiB);
    bool stores = true;
    disk.keeps = [&](std::uint64_t) { return stores; };
    disk.fault = [&](bool writing, std::uint64_t, std::size_t) {
        if (writing && disk.written >= (24_MiB).count) stores = false;
        return 0;
    };
    Reports reports;
    const VerifyOutcome outcome = verified(disk, reports);
    CHECK(outcome.verdict == CapacityVerdict::damaged);
    CHECK_FALSE(outcome.true_capacity);
    CHECK(outcome.good == 24_MiB);
    CHECK_FALSE(reports.found(FindingKind::capacity_missing));
    CHECK(reports.found(FindingKind::data_damaged));
}

TEST_CASE("a medium that returns only zeros from some moment on is reported as damaged, not as a fake") {
    FaultyDisk disk(64_MiB);
    disk.fault = [&](bool writing, std::uint64_t, std::size_t) {
        if (!writing && disk.read >= (30_MiB).count) disk.returns_zeros = true;
        return 0;
    };
    Reports reports;
    const VerifyOutcome outcome = verified(disk, reports);
    CHECK(outcome.verdict == CapacityVerdict::damaged);
    CHECK_FALSE(outcome.fake);
    CHECK(outcome.good == 30_MiB);
}

TEST_CASE("a medium that always keeps data at its start and never at its end is reported as a fake") {
    for (const Bytes real : {1_MiB, 20_MiB + 512_B, 60_MiB}) {
        CAPTURE(real.count);
        FaultyDisk disk(64_MiB);
        disk.keeps = [&](std::uint64_t offset) { return offset < real.count; };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::fake);
        CHECK(outcome.fake == FakeKind::drop);
        CHECK(outcome.true_capacity == real);
    }
}

TEST_CASE("a fake whose cache returns the data written last is reported as a fake with its exact capacity") {
    for (const Bytes cache : {4_KiB, 1_MiB + 512_B, 16_MiB, 24_MiB})
        for (const bool only_lost : {false, true}) {
            CAPTURE(cache.count, only_lost);
            FaultyDisk disk(64_MiB);
            disk.keeps = [&](std::uint64_t offset) { return offset < (20_MiB).count; };
            disk.cache = cache.count;
            disk.caches_only_lost = only_lost;
            Reports reports;
            const VerifyOutcome outcome = verified(disk, reports);
            CHECK(outcome.verdict == CapacityVerdict::fake);
            CHECK(outcome.fake == FakeKind::drop);
            CHECK(outcome.true_capacity == 20_MiB);
            CHECK(outcome.good == 20_MiB + cache);
            CHECK_FALSE(reports.found(FindingKind::data_damaged));
        }
}

TEST_CASE("a fake that keeps single places beyond its real capacity in a cache is reported as a fake") {
    FaultyDisk disk(64_MiB);
    // Keeps each sixteenth 64 KiB of the missing part until the disk is written again from its start.
    bool again = false;
    disk.keeps = [&](std::uint64_t offset) {
        return offset < (32_MiB).count || (!again && offset / (64_KiB).count % 16 == 15);
    };
    disk.fault = [&](bool writing, std::uint64_t offset, std::size_t) {
        if (writing && offset == 0 && disk.written > 0) {
            again = true;
            std::fill(disk.bytes.begin() + (32 << 20), disk.bytes.end(), std::byte{0});
        }
        return 0;
    };
    Reports reports;
    const VerifyOutcome outcome = verified(disk, reports);
    CHECK(outcome.verdict == CapacityVerdict::fake);
    CHECK(outcome.true_capacity == 32_MiB);
    CHECK(outcome.good == 32_MiB + 2_MiB);
}

TEST_CASE("a medium that always keeps data beyond a lost part is reported as damaged, not as a fake") {
    struct Row {
        Bytes begin, end;
    };
    for (const Row& row : {Row{16_MiB, 48_MiB}, Row{30_MiB, 36_MiB}, Row{8_MiB, 56_MiB}}) {
        CAPTURE(row.begin.count, row.end.count);
        FaultyDisk disk(64_MiB);
        disk.keeps = [&](std::uint64_t offset) { return offset < row.begin.count || offset >= row.end.count; };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::damaged);
        CHECK_FALSE(outcome.true_capacity);
        CHECK(outcome.damaged_bytes == row.end - row.begin);
        CHECK(reports.found(FindingKind::data_damaged));
    }
}

TEST_CASE("a cache does not hide that a medium has stopped storing data") {
    for (const Bytes cache : {4_KiB, 1_MiB, 12_MiB}) {
        CAPTURE(cache.count);
        FaultyDisk disk(64_MiB);
        bool stores = true;
        disk.keeps = [&](std::uint64_t) { return stores; };
        disk.cache = cache.count;
        disk.fault = [&](bool writing, std::uint64_t, std::size_t) {
            if (writing && disk.written >= (24_MiB).count) stores = false;
            return 0;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.verdict == CapacityVerdict::damaged);
        CHECK_FALSE(outcome.fake);
        CHECK(outcome.good == 24_MiB + cache);
    }
}

TEST_CASE("a medium that stopped storing has one finding about damage, with the amount of the reading pass") {
    for (const Bytes stored : {10_MiB, 24_MiB, 40_MiB + 512_B}) {
        CAPTURE(stored.count);
        FaultyDisk disk(64_MiB);
        std::uint64_t written = 0;
        disk.keeps = [&](std::uint64_t) {
            written += FaultyDisk::sector;
            return written <= stored.count;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(std::ranges::count(reports.findings, FindingKind::data_damaged, &measure::Finding::kind) == 1);
        REQUIRE(reports.found(FindingKind::data_damaged));
        const measure::Finding& finding = *reports.found(FindingKind::data_damaged);
        CHECK(finding.count == outcome.damaged.size());
        CHECK(finding.length == outcome.damaged_bytes);
        CHECK(finding.offset == outcome.damaged.front().offset);
        CHECK_THAT(finding.detail, ContainsSubstring("it has stopped storing data"));
    }
}

TEST_CASE("the written amount contains only accepted writes") {
    struct Row {
        std::uint64_t begin, end;
    };
    for (const Row& row : {Row{(20_MiB).count, (21_MiB).count}, Row{4096, 8192}, Row{(60_MiB).count, (64_MiB).count}}) {
        CAPTURE(row.begin, row.end);
        FaultyDisk disk(64_MiB);
        disk.fault = [&](bool writing, std::uint64_t offset, std::size_t length) {
            return writing && offset < row.end && offset + length > row.begin ? EIO : 0;
        };
        Reports reports;
        const VerifyOutcome outcome = verified(disk, reports);
        CHECK(outcome.written == 64_MiB - Bytes{row.end - row.begin});
        CHECK(outcome.good == outcome.written);
    }
}

TEST_CASE("damaged data is visible while the job still reads back") {
    for (const Bytes lost : {1_MiB, 5_MiB + 512_B, 40_MiB}) {
        CAPTURE(lost.count);
        FaultyDisk disk(64_MiB);
        JobControl control;
        std::optional<FailedTransfers::FirstFailure> seen;
        disk.keeps = [&](std::uint64_t offset) { return offset < lost.count || offset >= lost.count + 4096; };
        disk.fault = [&](bool, std::uint64_t, std::size_t) {
            if (!seen && control.failures.count() > 0) seen = control.failures.first();
            return 0;
        };
        Reports reports;
        const FaultySystem system(disk);
        REQUIRE(reason(run_job(system, whole_verify(), FaultySystem::target(), {}, control, reports)) == "success");
        REQUIRE(seen); // the last 20 chunks are read after the damaged one was checked
        CHECK(seen->damaged);
        CHECK(seen->offset == lost.count);
        CHECK(control.failures.count() == 1);
    }
}

TEST_CASE("a medium that keeps no data is reported as damaged, not as a fake") {
    FaultyDisk disk(16_MiB);
    disk.keeps = [](std::uint64_t) { return false; };
    Reports reports;
    const VerifyOutcome outcome = verified(disk, reports);
    CHECK(outcome.verdict == CapacityVerdict::damaged);
    CHECK_FALSE(outcome.true_capacity);
}

TEST_CASE("a write permit that is refused after the first write is reported as a lost medium, not as a refusal") {
    FaultyDisk disk(32_MiB);
    Reports reports;
    JobControl control;
    const FaultySystem system(disk);
    bool exchanged = false;
    disk.fault = [&](bool writing, std::uint64_t, std::size_t) {
        exchanged = writing && disk.written >= (4_MiB).count;
        return 0;
    };
    control.may_write = WritePermit(system.clock(), [&]() -> Result<void> {
        if (exchanged) return fail(Errc::refused, "/dev/faulty is another medium now");
        return {};
    });
    // A permit is requested once a second: a longer transfer makes it due.
    const auto slow = disk.fault;
    disk.fault = [&, slow](bool writing, std::uint64_t offset, std::size_t length) {
        const int error = slow(writing, offset, length);
        const Ticks until = system.clock().now() + system.clock().from_ns(WritePermit::interval);
        while (exchanged && system.clock().now() < until) {
        }
        return error;
    };
    const auto outcome = run_job(system, whole_verify(), FaultySystem::target(), {}, control, reports);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::no_medium);
    CHECK_THAT(reason(outcome), ContainsSubstring("/dev/faulty is another medium now"));
    CHECK(reports.found(FindingKind::medium_lost));
}

TEST_CASE("the first failed transfer is visible while the job still runs") {
    FaultyDisk disk(4_MiB);
    JobControl control;
    std::optional<FailedTransfers::FirstFailure> seen;
    disk.fault = [&](bool writing, std::uint64_t offset, std::size_t length) {
        if (!seen && control.failures.count() > 0) seen = control.failures.first();
        return !writing && offset < (1_MiB).count + 4096 && offset + length > (1_MiB).count ? EIO : 0;
    };
    Reports reports;
    const FaultySystem system(disk);
    REQUIRE(reason(run_job(system, whole_verify(), FaultySystem::target(), {}, control, reports)) == "success");
    REQUIRE(seen);
    CHECK_FALSE(seen->writing);
    CHECK(seen->offset == (1_MiB).count);
    CHECK(seen->error == EIO);
    CHECK(control.failures.count() > 1);
}
