// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs suites on media that fail. The kernel answers as for a card that is removed, turns read-only or stalls. Each
/// failure gives a finding and no crash. Measurements are kept, and no files are left.
#include <algorithm>
#include <filesystem>

#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/workload/driven.hpp"
#include "tests/workload/quick_job.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using std::chrono::milliseconds;

namespace {

// All suites that use a file system by calls of their own thread. Suites with a queue make no system calls that strace
// could make fail.
constexpr const char* suites_on_files[] = {
    "quickbench",      "disktester", "disktester-fill", "xbench", "blackmagic", "dd",        "dd-direct", "ioping-rate",
    "sysbench-fileio", "steady",     "stibium",         "bonnie", "enumerate",  "blogbench", "payloads"};

/// Returns a job that is shorter than the quick job of the suite.
JobSpec short_job(const char* suite) {
    JobSpec job = quick_job(suite, 1_GiB);
    if (auto* blog = job.as<BlogJob>()) blog->intervals = 2;
    if (auto* sweep = job.as<SweepJob>()) {
        for (CellSpec& cell : sweep->cells)
            if (!sweep->no_layout || &cell != &sweep->cells.front()) cell.time_limit = milliseconds(50);
        if (sweep->pace) sweep->pace->interval = {};
    }
    return job;
}

bool can_inject(const Folder& folder) {
    return have("strace") && run("strace -o " + folder.path("probe") + " true 2>&1").status == 0;
}

Driven driven_with(const std::string& fault, const JobSpec& job, const Folder& folder) {
    std::filesystem::create_directories(folder.path("medium"));
    return drive("timeout 120 strace -f --seccomp-bpf -o " + folder.path("trace") +
                     " -e trace=pwrite64,pread64 -e inject=" + fault,
                 job, folder, "directory", folder.path("medium"));
}

bool found(const Driven& driven, const char* kind) {
    return std::ranges::any_of(driven.report["findings"],
                               [&](const nlohmann::json& finding) { return finding["kind"] == kind; });
}

} // namespace

TEST_CASE("each suite reports a removed medium, ends and leaves no folder") {
    Folder folder;
    if (!can_inject(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    for (const char* suite : suites_on_files) {
        CAPTURE(suite);
        const Driven driven = driven_with("pwrite64:error=ENODEV:when=20+", short_job(suite), folder);
        REQUIRE(driven.report.is_object());
        CHECK(driven.report["error"]["errc"] == "no_medium");
        CHECK(found(driven, "medium_lost"));
        CHECK(std::filesystem::is_empty(folder.path("medium")));
    }
}

TEST_CASE("each suite reports write errors and ends on a medium that refuses writes") {
    Folder folder;
    if (!can_inject(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    for (const char* suite : suites_on_files) {
        CAPTURE(suite);
        const Driven driven = driven_with("pwrite64:error=EROFS:when=20+", short_job(suite), folder);
        REQUIRE(driven.report.is_object());
        CHECK(driven.status == 0);
        CHECK(found(driven, "io_error"));
        CHECK_FALSE(driven.report["cells"].empty());
        CHECK(std::filesystem::is_empty(folder.path("medium")));
    }
}

TEST_CASE("a stalled read is reported as the longest latency of its cell") {
    Folder folder;
    if (!can_inject(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    for (const char* suite : {"ioping-rate", "sysbench-fileio", "stibium", "bonnie"}) {
        CAPTURE(suite);
        const Driven driven = driven_with("pread64:delay_enter=1500000:when=20", short_job(suite), folder);
        REQUIRE(driven.status == 0);
        CHECK(std::ranges::any_of(driven.report["cells"], [](const nlohmann::json& cell) {
            return cell["latency"]["max_ns"].get<std::uint64_t>() >= 1'400'000'000;
        }));
    }
}

TEST_CASE("a mix that flushes each write ends when a flush detects a removed medium, with and without a queue") {
    Folder folder;
    if (!can_inject(folder)) MEDIARIG_SKIP("strace is missing or may not trace");
    for (const MixMode mode : {MixMode::sync, MixMode::async}) {
        CAPTURE(static_cast<int>(mode));
        JobSpec job;
        job.suite = "mix";
        job.cache = CachePolicy::dropped;
        const MixCell writes{.cell = {.id = "rndwr",
                                      .table = "rndwr",
                                      .access = Access::random_write,
                                      .block = 16_KiB,
                                      .volume = 16_KiB * 400,
                                      .time_limit = {},
                                      .queue_depth = 1},
                             .reads = 0,
                             .writes = 1,
                             .on_new_files = false};
        job.kind = MixJob{.files = 2, .file_size = 1_MiB, .cells = {writes}, .sync_every = 0, .rounds = {}};
        job.as<MixJob>()->mode = mode;
        job.as<MixJob>()->backlog = 4;
        job.as<MixJob>()->syncs_each_write = true;
        std::filesystem::create_directories(folder.path("medium"));
        const Driven driven = drive("timeout 120 strace -f --seccomp-bpf -o " + folder.path("trace") +
                                        " -e trace=fsync,fdatasync -e inject=fsync,fdatasync:error=ENODEV:when=40+",
                                    job, folder, "directory", folder.path("medium"));
        REQUIRE(driven.report.is_object());
        CAPTURE(driven.report.dump());
        CHECK(driven.report["error"]["errc"] == "no_medium");
        CHECK(found(driven, "medium_lost"));
        for (const nlohmann::json& cell : driven.report["cells"]) CHECK(cell["operations"].get<unsigned>() < 60);
        CHECK(std::filesystem::is_empty(folder.path("medium")));
    }
}
