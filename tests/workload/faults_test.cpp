// SPDX-License-Identifier: GPL-3.0-or-later
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

/// A loop device over a file that ends early: bytes beyond it cannot be read (the kernel's loop driver returns EIO).
struct BadEnd {
    explicit BadEnd(Bytes size) {
        make_file(folder.path("disk"), size);
        loop = Loop::over(folder.path("disk"));
    }
    void lose_from(Bytes offset) {
        ::sync(); // no later write-back may go beyond the end
        std::filesystem::resize_file(folder.path("disk"), offset.count);
    }
    Folder folder;
    std::optional<Loop> loop;
};

} // namespace

TEST_CASE("I/O errors of a block device give findings with offsets, and the cell continues") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        BadEnd bad(4_MiB);
        if (!bad.loop) MEDIARIG_SKIP("no loop device is available");
        JobSpec job = sweep_of(
            {cell_of(Access::sequential_write, 64_KiB, 4_MiB), cell_of(Access::random_read, 64_KiB, 4_MiB)}, 4_MiB);
        job.engine = engine;
        job.keep_raw_log = true;
        Watcher watcher;
        watcher.when_phase = [&](const std::string& name) {
            if (name == "test.random_read.65536") bad.lose_from(3_MiB);
        };
        JobControl control;
        const auto outcome = run_job(job, device(*bad.loop), {}, control, watcher);
        REQUIRE(reason(outcome) == "success");
        const CellResult& read = outcome->cells.at(1);
        CHECK(read.end == CellEnd::volume);
        CHECK(read.operations == 48);
        CHECK(read.moved == 3_MiB);
        CHECK(read.latency.count() == 48);
        CHECK(control.bytes_done == control.bytes_total);

        measure::Findings errors;
        for (const auto& finding : read.findings)
            if (finding.kind == FindingKind::io_error) errors.push_back(finding);
        REQUIRE(errors.size() == 1);
        CHECK(errors[0].offset == 3_MiB);
        CHECK(errors[0].length == 1_MiB);
        CHECK(errors[0].count == 16);
        CHECK(errors[0].detail == "read failed: Input/output error");
        CHECK(errors[0].severity == measure::Severity::fault);
    }
}

TEST_CASE("a job with stop-on-error ends at the first I/O error and keeps finished cells") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    BadEnd bad(4_MiB);
    if (!bad.loop) MEDIARIG_SKIP("no loop device is available");
    JobSpec job = sweep_of(
        {cell_of(Access::sequential_write, 64_KiB, 4_MiB), cell_of(Access::sequential_read, 64_KiB, 4_MiB)}, 4_MiB);
    job.on_io_error = OnIoError::stop;
    Watcher watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name == "test.seq_read.65536") bad.lose_from(3_MiB);
    };
    JobControl control;
    const auto outcome = run_job(job, device(*bad.loop), {}, control, watcher);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::io_failed);
    CHECK(reason(outcome) == "stopped at the first I/O error in cell test.seq_read.65536: Input/output error");
    CHECK(watcher.cells.size() == 1);
    REQUIRE(watcher.found(FindingKind::io_error));
    CHECK(watcher.found(FindingKind::io_error)->offset == 3_MiB);
}

TEST_CASE("a removed medium ends the job under any error policy, and finished cells are kept") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    for (const Engine engine : {Engine::psync, Engine::uring}) {
        BadEnd bad(4_MiB);
        if (!bad.loop) MEDIARIG_SKIP("no loop device is available");
        JobSpec job = sweep_of(
            {cell_of(Access::sequential_write, 64_KiB, 4_MiB), cell_of(Access::sequential_read, 64_KiB, 4_MiB)}, 4_MiB);
        job.engine = engine;
        Watcher watcher;
        watcher.when_phase = [&](const std::string& name) {
            if (name != "test.seq_read.65536") return;
            bad.lose_from(0_B); // as a card reader without a card: the node stays with size zero
            bad.loop->refresh_size();
        };
        JobControl control;
        const auto outcome = run_job(job, device(*bad.loop), {}, control, watcher);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().code == Errc::no_medium);
        CHECK(reason(outcome) ==
              "the medium vanished or stopped answering in cell test.seq_read.65536; check contact and power, then "
              "resume");
        CHECK(watcher.cells.size() == 1);
        CHECK(watcher.found(FindingKind::medium_lost));
    }
}

TEST_CASE("a file system that becomes full during a test gives a finding, and the job leaves no file") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    make_file(folder.path("disk"), 16_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop || run("mkfs.ext4 -q -F " + loop->node() + " 2>&1").status != 0) MEDIARIG_SKIP("no ext4 can be made");
    auto mount = Mount::of(loop->node(), folder.path("mnt"), "ext4");
    if (!mount) MEDIARIG_SKIP("ext4 cannot be mounted");

    JobControl control;
    Watcher watcher;
    Watcher* observer = &watcher;
    watcher.when_phase = [&](const std::string& name) {
        if (name == "layout") make_file(folder.path("mnt/somebody-else"), 6_MiB);
    };
    const JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 8_MiB);
    const auto outcome = run_job(job, directory(folder.path("mnt"), &*loop), {}, control, *observer);
    REQUIRE_FALSE(outcome);
    CHECK(outcome.error().code == Errc::io_failed);
    CHECK(reason(outcome) ==
          "the medium is full while the test file was laid out; free some space or choose a smaller span");
    CHECK(watcher.found(FindingKind::medium_full));
    std::filesystem::remove(folder.path("mnt/somebody-else"));
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("mnt")))
        CHECK(entry.path().filename() == "lost+found");
}

TEST_CASE("a job on a read-only file system fails and reports that it is read-only") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "size=16m");
    if (!mount) MEDIARIG_SKIP("no tmpfs can be mounted");
    REQUIRE(::mount("", folder.path("mnt").c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr) == 0);
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB),
                                 directory(folder.path("mnt")), {}, control, watcher);
    CHECK_THAT(reason(outcome), ContainsSubstring("Read-only file system; move the write-protect switch"));
}

TEST_CASE("a job on a device smaller than its span is refused, and the error contains both sizes") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    make_file(folder.path("disk"), 2_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    JobControl control;
    Watcher watcher;
    const auto outcome =
        run_job(sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 3_MiB), device(*loop), {}, control, watcher);
    CHECK(reason(outcome) == "the test needs 3.15 MB; " + loop->node() + " has 2.10 MB: choose a smaller span");
}
