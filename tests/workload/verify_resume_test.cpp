// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/verify_passes.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/catch.hpp"
#include "tests/workload/fake_disk.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;

namespace {

constexpr Bytes disk_size = 576_MiB; // two checkpoints per pass
constexpr Bytes every = VerifyPasses::checkpoint_every;

std::vector<PreviousCell> checkpoints(const Watcher& watcher) {
    std::vector<PreviousCell> done;
    for (const CellResult& cell : watcher.cells)
        if (cell.end == CellEnd::cancelled) done.push_back({.id = cell.cell.id, .up_to = cell.moved});
    return done;
}

/// Cancels after the `count`th cell of any kind.
Result<JobOutcome> interrupted(const Loop& loop, const std::vector<PreviousCell>& done, std::size_t count,
                               Watcher& watcher) {
    JobControl control;
    watcher.when_cell = [&](const CellResult&) { control.cancel = watcher.cells.size() >= count; };
    return run_job(verify_of(0_B), device(loop), done, control, watcher);
}

} // namespace

TEST_CASE("a verify job ignores finished cells with an impossible position") {
    const auto progress = [](const std::vector<PreviousCell>& done) { return progress_in(done, 1_MiB, 64_MiB); };
    const auto written = [](Bytes up_to) { return PreviousCell{.id = verify_write_id, .up_to = up_to}; };
    const PreviousCell all{.id = verify_write_id}, read{.id = verify_read_id, .up_to = 8_MiB};
    CHECK(progress({}).written == 0_B);
    CHECK(progress({written(8_MiB)}).written == 8_MiB);
    CHECK_FALSE(progress({written(8_MiB)}).all_written);
    CHECK(progress({written(8_MiB), written(16_MiB)}).written == 16_MiB);
    CHECK(progress({all, read}).read == 8_MiB);
    CHECK(progress({all}).all_written);
    CHECK(progress({read}).read == 0_B); // a read position does not count before everything is written
    for (const Bytes bad : {1000_B, 128_MiB}) CHECK(progress({written(bad)}).written == 0_B);
}

TEST_CASE("an interrupted verify job resumes at the last checkpoint of either pass without a gap") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    std::ofstream(folder.path("disk")).close();
    std::filesystem::resize_file(folder.path("disk"), disk_size.count);
    auto loop = Loop::directly_over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");

    Watcher first; // stopped during writing
    CHECK(interrupted(*loop, {}, 1, first).error().code == Errc::cancelled);
    CHECK(checkpoints(first) == std::vector<PreviousCell>{{.id = verify_write_id, .up_to = every}});

    Watcher second; // stopped during reading: one checkpoint of writing, the cell, one of reading
    CHECK(interrupted(*loop, checkpoints(first), 3, second).error().code == Errc::cancelled);
    REQUIRE(second.cells.size() == 3);
    CHECK(second.cells[1].cell.id == "verify.write");
    CHECK(second.cells[1].end == CellEnd::volume);
    CHECK(second.cells[1].moved == disk_size - every);
    CHECK(second.cells[2].cell.id == "verify.read");
    CHECK(second.cells[2].end == CellEnd::cancelled);

    Watcher third;
    JobControl control;
    const auto outcome =
        run_job(verify_of(0_B), device(*loop),
                {{.id = verify_write_id}, {.id = verify_read_id, .up_to = second.cells[2].moved}}, control, third);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->resumed_at == second.cells[2].moved);
    REQUIRE(third.found(measure::FindingKind::resumed));
    CHECK(third.found(measure::FindingKind::resumed)->severity == measure::Severity::note);
    CHECK(outcome->verify->good == disk_size);
    CHECK(outcome->verify->written == disk_size);
    CHECK(outcome->verify->verdict == CapacityVerdict::good);
    CHECK(control.bytes_done == control.bytes_total);
    CHECK(std::find(third.phases.begin(), third.phases.end(), "verify.write") == third.phases.end());
}

TEST_CASE("an interrupted verify job starts again and reports it if other data was written to the medium") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    std::ofstream(folder.path("disk")).close();
    std::filesystem::resize_file(folder.path("disk"), disk_size.count);
    auto loop = Loop::directly_over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    const auto use = [&](Bytes at) {
        write_part(loop->node(), at.count, std::vector<std::byte>(4096, std::byte{7}));
        ::sync();
    };

    Watcher first; // stopped during reading
    CHECK(interrupted(*loop, {}, 4, first).error().code == Errc::cancelled);
    REQUIRE(first.cells.back().cell.id == "verify.read");
    std::vector<PreviousCell> done{{.id = verify_write_id}, {.id = verify_read_id, .up_to = first.cells.back().moved}};
    CHECK(progress_in(done, 1_MiB, disk_size).read >= every); // more on a slow machine

    // A new file system writes the start of the medium, and another test may also write its end.
    const Bytes at = GENERATE(0_B, disk_size - 4096_B);
    use(at);
    Watcher second; // stopped soon after its start
    CHECK(interrupted(*loop, done, 2, second).error().code == Errc::cancelled);
    REQUIRE(second.found(measure::FindingKind::resumed));
    CHECK(second.found(measure::FindingKind::resumed)->severity == measure::Severity::warning);
    CHECK_THAT(second.found(measure::FindingKind::resumed)->detail, ContainsSubstring("no longer on the medium"));
    // Only the checkpoints of the second attempt count: it began again, so nothing of the first attempt is resumed.
    done = checkpoints(second);
    CHECK(progress_in(done, 1_MiB, disk_size).written == 0_B);
    CHECK_FALSE(progress_in(done, 1_MiB, disk_size).all_written);

    Watcher third;
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*loop), done, control, third);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->verdict == CapacityVerdict::good);
    CHECK(outcome->verify->good == disk_size);
    CHECK(outcome->verify->resumed_at == std::nullopt);
}

TEST_CASE("a verify pass reports no checkpoints after damage, so that a resumed job finds the damage again") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    std::ofstream(folder.path("disk")).close();
    std::filesystem::resize_file(folder.path("disk"), disk_size.count);
    auto loop = Loop::directly_over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    Watcher watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name != "verify.read") return;
        // In the file: a write through the loop device would be noticed.
        write_part(folder.path("disk"), (3_MiB).count, std::vector<std::byte>(512, std::byte{7}));
        ::sync();
    };
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*loop), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->verdict == CapacityVerdict::damaged);
    CHECK(outcome->verify->damaged_bytes == 512_B);
    for (const PreviousCell& cell : checkpoints(watcher)) CHECK(cell.id == verify_write_id);
    REQUIRE(outcome->verify->speeds.size() == 2);
    CHECK(outcome->verify->speeds[0].access == Access::sequential_write);
    CHECK(outcome->verify->speeds[1].median_bytes_per_second > 0);
    CHECK(outcome->verify->speeds[1].stalls.size() == 10);
}

TEST_CASE("a write of another program to the verified device is a fault of this machine, not damage") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    std::ofstream(folder.path("disk")).close();
    std::filesystem::resize_file(folder.path("disk"), (64_MiB).count);
    auto loop = Loop::directly_over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    const std::string phase = GENERATE("verify.write", "verify.read");
    CAPTURE(phase);
    Watcher watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name != phase) return;
        // Open only for a moment, so a search for processes that have the device open finds nothing.
        write_part(loop->node(), (3_MiB).count, std::vector<std::byte>(4096, std::byte{7}));
        ::sync();
    };
    JobControl control;
    const auto outcome = run_job(verify_of(0_B), device(*loop), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error() ==
          Error{Errc::host_fault, "another program wrote 4.10 kB to " + loop->node() +
                                      " during the test: the results are discarded; end that program, then try again"});
    for (const measure::Finding& finding : watcher.findings) CHECK(finding.severity != measure::Severity::fault);
}

TEST_CASE("a probe job detects a fake block device and reports the kind of fake") {
    if (!are_root()) MEDIARIG_SKIP("FUSE and loop devices need root");
    FakeDisk fake(24_MiB + 512_B, 512_MiB, 1_GiB);
    if (!fake.there()) MEDIARIG_SKIP("needs nbdkit, nbdfuse, /dev/fuse and a C compiler");
    auto loop = Loop::directly_over(fake.path());
    REQUIRE(loop);
    JobSpec job = verify_of(0_B);
    job.suite = "capacity";
    job.kind = ProbeJob{.assumed_cache = 8_MiB};
    Watcher watcher;
    JobControl control;
    const auto outcome = run_job(job, device(*loop), {}, control, watcher);
    loop.reset();
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->verify->verdict == CapacityVerdict::fake);
    CHECK(outcome->verify->fake == FakeKind::wrap);
    CHECK(outcome->verify->true_capacity == 24_MiB + 512_B);
    CHECK(outcome->verify->probe->assumed_cache == 8_MiB);
    REQUIRE(watcher.found(measure::FindingKind::capacity_missing));
    CHECK(watcher.found(measure::FindingKind::capacity_missing)->detail ==
          "the medium is a fake: it claims 537 MB and holds 25.2 MB, and data written beyond that position overwrites "
          "data at "
          "lower positions");
    REQUIRE(watcher.cells.size() == 1);
    CHECK(watcher.cells[0].cell.id == "probe.run");
    CHECK(watcher.cells[0].moved == 8_MiB);
    CHECK(control.bytes_done == control.bytes_total);
}

TEST_CASE("a probe of a directory is refused") {
    Folder folder;
    JobSpec job = verify_of(0_B);
    job.kind = ProbeJob{};
    Watcher watcher;
    JobControl control;
    CHECK(reason(run_job(job, directory(folder.path()), {}, control, watcher)) ==
          "the true capacity can only be probed on a bare device: a file system chooses the positions of its data; run "
          "verify instead");
}

namespace {

/// A verify of 8 MiB that is interrupted by a loss of power.
struct PowerCycledVerify {
    Folder folder;
    std::optional<Loop> loop;
    JobSpec job = verify_of(0_B);
    Watcher watcher;

    PowerCycledVerify() {
        std::ofstream(folder.path("disk")).close();
        std::filesystem::resize_file(folder.path("disk"), (8_MiB).count);
        loop = Loop::directly_over(folder.path("disk"));
    }
    Result<JobOutcome> run(PowerCycle state, const std::vector<PreviousCell>& done) {
        job.as<VerifyJob>()->power_cycle = state;
        JobControl control;
        return run_job(job, device(*loop), done, control, watcher);
    }
    void lose(Bytes at, Bytes length) const {
        write_part(loop->node(), at.count, std::vector<std::byte>(static_cast<std::size_t>(length.count)));
        ::sync();
    }
};

const std::vector<PreviousCell> all_written{{.id = verify_write_id}};

} // namespace

TEST_CASE("a verify job with a due loss of power ends after writing, and a second job reads the data back") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    PowerCycledVerify test;
    if (!test.loop) MEDIARIG_SKIP("no loop device is available");
    const auto written = test.run(PowerCycle::due, {});
    REQUIRE(reason(written) == "success");
    REQUIRE(written->verify);
    CHECK_FALSE(written->verify->verdict);
    CHECK(written->verify->written == 8_MiB);
    CHECK(written->verify->speeds.size() == 1);
    REQUIRE(test.watcher.cells.size() == 1);
    CHECK(test.watcher.cells.front().cell.id == verify_write_id);

    const auto read = test.run(PowerCycle::done, all_written);
    REQUIRE(reason(read) == "success");
    CHECK(read->verify->verdict == CapacityVerdict::good);
    CHECK(read->verify->good == 8_MiB);
    CHECK_FALSE(test.watcher.found(measure::FindingKind::resumed));
}

TEST_CASE("data that a loss of power destroyed are damage and are not written again") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    PowerCycledVerify test;
    if (!test.loop) MEDIARIG_SKIP("no loop device is available");
    REQUIRE(test.run(PowerCycle::due, {}));
    test.lose(0_B, 4096_B);
    const auto read = test.run(PowerCycle::done, all_written);
    REQUIRE(reason(read) == "success");
    CHECK(read->verify->verdict == CapacityVerdict::damaged);
    CHECK(read->verify->damaged_bytes == 4096_B);
    CHECK(test.watcher.found(measure::FindingKind::data_damaged));
}

TEST_CASE("a medium without any written data after a loss of power is not judged and not written") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    PowerCycledVerify test;
    if (!test.loop) MEDIARIG_SKIP("no loop device is available");
    REQUIRE(test.run(PowerCycle::due, {}));
    test.lose(0_B, 8_MiB);
    const auto read = test.run(PowerCycle::done, all_written);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == Errc::no_medium);
    CHECK_THAT(read.error().detail, ContainsSubstring("none of the written data"));
    CHECK(read_part(test.folder.path("disk"), 0, 4096) == std::vector<std::byte>(4096));
    CHECK(test.run(PowerCycle::done, {}).error().code == Errc::bad_request);
}
