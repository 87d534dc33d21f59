// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks by the counters of the medium that file jobs read from the medium, and that reads from memory are reported.
#include "host/workload/jobs/files_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/workload/io/linux/backing_device.hpp"
#include "host/workload/io/linux/file_tree.hpp"
#include "host/workload/io/linux/linux_system.hpp"
#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/suites/suite.hpp"
#include "tests/catch.hpp"
#include "tests/workload/machine.hpp"
#include "tests/workload/quick_job.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

bool asks_for_names(const CellResult& cell) {
    return cell.cell.id.ends_with("walk") || cell.cell.id.ends_with("_stat");
}

/// The reading cells of the job, after a check of the device's counters for all of them.
std::vector<CellResult> read_from_the_device(const char* suite, const JobTarget& target) {
    CAPTURE(suite);
    const BackingDevice::Totals before = LinuxBackingDevice::of(target).totals().value_or(BackingDevice::Totals{});
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(quick_job(suite, 200_MiB), target, {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    std::vector<CellResult> reading;
    Bytes read;
    for (const CellResult& cell : outcome->cells) {
        if (writes(cell.cell.access) || cell.cell.id.ends_with("pieces")) continue;
        CAPTURE(cell.cell.id);
        CHECK(cell.evidence.page_cache_dropped);
        if (cell.evidence.device_read && cell.cell.access == Access::sequential_read)
            CHECK(*cell.evidence.device_read >= cell.moved);
        if (cell.cell.access == Access::sequential_read) read += cell.moved;
        reading.push_back(cell);
    }
    CHECK(LinuxBackingDevice::of(target).totals()->read - before.read >= read);
    return reading;
}

bool suspects_memory(const CellResult& cell) {
    return std::ranges::any_of(cell.findings, [](const measure::Finding& finding) {
        return finding.kind == FindingKind::cache_suspected || finding.kind == FindingKind::cache_not_dropped;
    });
}

} // namespace

TEST_CASE("a privileged file job reads files and names of a directory from the device") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    make_file(folder.path("disk"), 256_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    REQUIRE(run("mkfs.ext4 -q " + loop->node() + " 2>&1").status == 0);
    std::filesystem::create_directory(folder.path("mnt"));
    const auto mount = Mount::of(loop->node(), folder.path("mnt"), "ext4");
    if (!mount) MEDIARIG_SKIP("ext4 cannot be mounted");
    for (const char* suite : {"enumerate", "bonnie", "stibium"})
        for (const CellResult& cell : read_from_the_device(suite, directory(folder.path("mnt")))) {
            CAPTURE(cell.cell.id);
            CHECK_FALSE(suspects_memory(cell));
            if (asks_for_names(cell)) CHECK(*cell.evidence.device_read > 0_B);
        }
}

TEST_CASE("a file job on a FUSE file system reads from the device and not from its page cache") {
    Folder folder;
    make_file(folder.path("disk"), 256_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    std::string why_not;
    auto served = ServedExfat::on(*loop, folder.path("mnt"), why_not);
    if (!served) MEDIARIG_SKIP(why_not);
    JobTarget target = directory(folder.path("mnt"), &*loop);
    target.own_mount = true;
    for (const char* suite : {"stibium", "bonnie"})
        for (const CellResult& cell : read_from_the_device(suite, target)) {
            CAPTURE(cell.cell.id);
            // exfat-fuse caches names in its own memory, which cannot be dropped; the job reports this.
            CHECK(suspects_memory(cell) == asks_for_names(cell));
        }
    CHECK(served->unmount());
}

TEST_CASE("reads of a file job from memory give one finding for all steps of a cell") {
    Folder folder;
    const Result<Descriptor> root = open_directory(folder.path());
    REQUIRE(root);
    const LinuxFileTree tree(Descriptor(::dup(root->get())));
    const JobTarget target = directory(folder.path());
    const LinuxBackingDevice device = LinuxBackingDevice::of(target, folder.path("nothing"));
    JobSpec job = quick_job("stibium", 200_MiB);
    const auto told = [&](FileWork work, std::vector<CellResult> cells, const StepsSeen& seen, Bytes repeated = {}) {
        Watcher watcher;
        JobOutcome outcome;
        Reporter reporter(watcher, outcome);
        FilesCache(linux_system(), job, device, tree, reporter).weigh(work, cells, repeated, seen);
        std::string all;
        for (const measure::Finding& finding : watcher.findings) all += finding.detail + "\n";
        return all;
    };
    CellResult reading;
    reading.cell = cell_of(Access::sequential_read, 1_MiB, 4_MiB);
    reading.moved = 4_MiB;
    CellResult writing = reading;
    writing.cell.access = Access::sequential_write;
    CellResult walking = reading;
    walking.moved = {};
    const auto moved = [](Bytes read, Bytes written) {
        return StepsSeen{.moved_by_device = BackingDevice::Totals{.read = read, .written = written}};
    };
    // The device's counters are read for both file sizes together.
    CHECK(told(FileWork::read, {reading, reading}, moved(8_MiB, 0_B)).empty());
    CHECK(told(FileWork::read, {reading, reading}, moved(0_B, 0_B)) ==
          "the device read 0 bytes while the test read 8388608: a cache served the rest\n");
    // Offsets that were read before need no access to the device.
    CHECK(told(FileWork::seek, {reading}, moved(3_MiB, 0_B), 1_MiB).empty());
    CHECK_FALSE(told(FileWork::seek, {reading}, moved(3_MiB, 0_B)).empty());
    CHECK(told(FileWork::write, {writing}, moved(0_B, 4_MiB)).empty());
    CHECK(told(FileWork::write, {writing}, moved(0_B, 3_MiB)) ==
          "the device wrote 3145728 bytes while the test wrote 4194304: a cache or a compressing file system served "
          "the rest\n");
    CHECK(told(FileWork::copy, {writing}, moved(1_MiB, 4_MiB)) ==
          "the device read 1048576 bytes while the test read 4194304: a cache served the rest\n");
    // A walk itself moves no bytes.
    StepsSeen walks = moved(1_MiB, 0_B);
    walks.steps = 3;
    CHECK(told(FileWork::walk, {walking}, walks).empty());
    walks.from_memory = 2;
    CHECK(told(FileWork::walk, {walking}, walks) ==
          "the device read nothing 2 of 3 times: this host's memory served the requests\n");
    walks.from_memory = 0;
    walks.forgotten = false;
    CHECK(told(FileWork::walk, {walking}, walks) ==
          "it could not be confirmed that names and attributes were out of this host's memory before they were read\n");
    StepsSeen uncounted{.forgotten = false, .moved_by_device = std::nullopt};
    CHECK(told(FileWork::read, {reading}, uncounted) ==
          "it could not be confirmed that the files were out of this host's memory before they were read\n");
    CHECK(told(FileWork::write, {writing}, uncounted).empty());
    job.cache = CachePolicy::cached;
    CHECK(told(FileWork::read, {reading}, moved(0_B, 0_B)).empty());
    CHECK(told(FileWork::walk, {walking}, walks).empty());
}
