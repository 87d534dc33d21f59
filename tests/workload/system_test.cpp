// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how a job reacts to its operating system, without a file, a device or a privilege.
#include "host/workload/io/system.hpp"

#include "host/workload/jobs/job.hpp"
#include "tests/catch.hpp"
#include "tests/fakes/fake_system.hpp"

using namespace mediarig;
using namespace mediarig::workload;
using namespace mediarig::tests;
using measure::FindingKind;

namespace {

class Findings final : public JobObserver {
public:
    std::vector<FindingKind> kinds;
    void on_phase(const std::string&) override {}
    void on_cell(const CellResult&) override {}
    void on_finding(const measure::Finding& finding) override { kinds.push_back(finding.kind); }
    [[nodiscard]] bool hold(FindingKind kind) const { return std::ranges::find(kinds, kind) != kinds.end(); }
};

JobSpec reading() {
    JobSpec job;
    job.suite = "tiny";
    SweepJob sweep;
    sweep.span = 1_MiB;
    sweep.cells.push_back({.id = "read",
                           .table = "t",
                           .access = Access::random_read,
                           .block = 4_KiB,
                           .volume = 1_MiB,
                           .time_limit = {},
                           .queue_depth = 1});
    job.kind = sweep;
    return job;
}

struct Outcome {
    Result<JobOutcome> job;
    Findings findings;
};

Outcome run_on(const FakeSystem& system, const JobSpec& job = reading()) {
    JobTarget target;
    target.path = "/medium";
    JobControl control;
    Findings findings;
    auto outcome = run_job(system, job, target, {}, control, findings);
    return {std::move(outcome), std::move(findings)};
}

} // namespace

TEST_CASE("a job creates and removes its folder and file") {
    const FakeSystem system;
    const Outcome done = run_on(system);
    REQUIRE(reason(done.job) == "success");
    CHECK(system.log == std::vector<std::string>{"make folder", "create span.bin", "remove folder"});
    CHECK(done.findings.kinds.empty());
    CHECK(done.job->cells.at(0).operations == 256);
    CHECK(done.job->cells[0].evidence.used == CachePolicy::direct);
    CHECK(done.job->cells[0].evidence.page_cache_dropped);
}

TEST_CASE("direct access refused at the first transfer is reported, and cells record the access that was used") {
    FakeSystem system;
    system.refuses_direct_transfers = true;
    const Outcome done = run_on(system);
    REQUIRE(reason(done.job) == "success");
    CHECK(done.findings.kinds == std::vector{FindingKind::direct_refused});
    CHECK(done.job->cells.at(0).evidence.used == CachePolicy::dropped);
}

TEST_CASE("a page cache that cannot be verified as empty is reported before reads through it") {
    FakeSystem system;
    system.refuses_direct_transfers = true;
    system.cache_can_be_emptied = false;
    const Outcome done = run_on(system);
    REQUIRE(reason(done.job) == "success");
    CHECK(done.findings.hold(FindingKind::cache_not_dropped));
    CHECK_FALSE(done.job->cells.at(0).evidence.page_cache_dropped);
}

TEST_CASE("a job fails before any write if the system lacks its engine") {
    FakeSystem system;
    system.engine_missing = Error{Errc::bad_request, "this kernel has no usable io_uring: use the engine psync"};
    const Outcome done = run_on(system);
    CHECK(reason(done.job) == "this kernel has no usable io_uring: use the engine psync");
    CHECK(system.log.empty());
}

TEST_CASE("a job too large for the file-size limit or the free space is refused before a file is created") {
    FakeSystem system;
    system.largest_file = 512_KiB;
    CHECK_THAT(reason(run_on(system).job), ContainsSubstring("takes at most 524 kB a file"));
    CHECK(system.log == std::vector<std::string>{"make folder"});
    system.largest_file.reset();
    system.free_space = 1_MiB - 1_B;
    const Outcome full = run_on(system);
    CHECK_THAT(reason(full.job), ContainsSubstring("has space for 1048575 bytes"));
    CHECK(full.findings.hold(FindingKind::medium_full));
}

TEST_CASE("a job with more files than the file system permits is refused before a file is created") {
    FakeSystem system;
    system.entries = 11; // the job needs 10 files, a folder in the work folder and a folder in that folder
    FilesJob files;
    files.sets.push_back({.files = 10, .sizes = {}, .law = {}, .first = 0, .folders = {1, 1}});
    FileStep step{.cell = reading().as<SweepJob>()->cells.front(), .work = FileWork::create};
    files.steps.push_back(step);
    JobSpec job = reading();
    job.cache = CachePolicy::cached;
    job.kind = files;
    const Outcome refused = run_on(system, job);
    CHECK(reason(refused.job) ==
          "the test needs 12 files and folders; the file system in /medium can have 11 more: make it with more inodes, "
          "or use a larger medium");
    CHECK(refused.findings.hold(FindingKind::medium_full));
    CHECK(system.log == std::vector<std::string>{"make folder"});
    system.entries.reset();
    CHECK(reason(run_on(system, job).job) == "a fake has no folders"); // the next requested operation
}

TEST_CASE("kernel workers of an engine are reported if they switch more than once in ten operations") {
    FakeSystem system;
    system.worker_switches = 25;
    CHECK_FALSE(run_on(system).findings.hold(FindingKind::engine_punted));
    system.worker_switches = 26;
    CHECK(run_on(system).findings.hold(FindingKind::engine_punted));
}
