// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/io/linux/backing_device.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "host/base/descriptor.hpp"
#include "tests/catch.hpp"
#include "tests/workload/fake_disk.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;
using HostCache = JobTarget::HostCache;

namespace {

JobSpec probe_of(Bytes assumed_cache) {
    JobSpec job;
    job.suite = "probe";
    job.kind = ProbeJob{};
    job.as<ProbeJob>()->assumed_cache = assumed_cache;
    return job;
}

/// A loop device over a file, through the cache of the file's file system.
struct Stacked {
    explicit Stacked(std::string over) : path(std::move(over)), loop(Loop::over(path)) {
        file = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    }
    JobTarget target(HostCache cache) const {
        JobTarget target = device(*loop);
        target.host_cache = cache;
        target.host_file = file.get();
        target.host_path = path;
        return target;
    }
    std::string path;
    std::optional<Loop> loop;
    Descriptor file;
};

VerifyOutcome outcome_of(const JobSpec& job, const JobTarget& target, Watcher& watcher) {
    JobControl control;
    auto outcome = run_job(job, target, {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    REQUIRE(outcome->verify);
    return *outcome->verify;
}

void make_sparse(const std::string& path, Bytes size) {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    REQUIRE(file);
    REQUIRE(::ftruncate(file.get(), static_cast<off_t>(size.count)) == 0);
}

} // namespace

TEST_CASE("probe and verify detect a fake that is accessed through a file cached by the host") {
    if (!are_root()) MEDIARIG_SKIP("FUSE and loop devices need root here");
    const auto beyond = GENERATE(FakeDisk::OverflowBehaviour::wrap, FakeDisk::OverflowBehaviour::drop);
    for (const JobSpec& job : {probe_of(1_MiB), verify_of(0_B)}) {
        FakeDisk fake(16_MiB, 64_MiB, 1_GiB, beyond);
        if (!fake.there()) MEDIARIG_SKIP("needs nbdkit, nbdfuse, /dev/fuse and a C compiler");
        Stacked stacked(fake.path());
        if (!stacked.loop) MEDIARIG_SKIP("no loop device is available");
        Watcher watcher;
        const VerifyOutcome outcome = outcome_of(job, stacked.target(HostCache::file), watcher);
        CHECK(outcome.verdict == CapacityVerdict::fake);
        CHECK(outcome.true_capacity == 16_MiB);
        REQUIRE(watcher.found(FindingKind::cache_suspected));
        CHECK_THAT(watcher.found(FindingKind::cache_suspected)->detail, ContainsSubstring(fake.path()));
        stacked.loop.reset();
    }
}

TEST_CASE("probe and verify give no good verdict if the host's cache below the device cannot be dropped") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    make_file(folder.path("disk"), 32_MiB);
    Stacked stacked(folder.path("disk"));
    if (!stacked.loop) MEDIARIG_SKIP("no loop device is available");
    for (const JobSpec& job : {probe_of(1_MiB), verify_of(0_B)}) {
        Watcher emptied;
        CHECK(outcome_of(job, stacked.target(HostCache::file), emptied).verdict == CapacityVerdict::good);
        CHECK_FALSE(emptied.found(FindingKind::capacity_unclear));

        // A page of the file that a process has mapped stays in the cache.
        void* const view = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, stacked.file.get(), 0);
        REQUIRE(view != MAP_FAILED);
        REQUIRE(::mlock(view, 4096) == 0);
        Watcher watcher;
        CHECK(outcome_of(job, stacked.target(HostCache::file), watcher).verdict == CapacityVerdict::inconclusive);
        ::munmap(view, 4096);
        REQUIRE(watcher.found(FindingKind::capacity_unclear));
        CHECK_THAT(watcher.found(FindingKind::capacity_unclear)->detail,
                   ContainsSubstring("this host's cache of " + folder.path("disk")));

        Watcher unknown;
        CHECK(outcome_of(job, stacked.target(HostCache::unknown), unknown).verdict == CapacityVerdict::inconclusive);
        CHECK(unknown.found(FindingKind::capacity_unclear));
    }
}

TEST_CASE("a reading cell drops the host's cache below the device first, or reports the failure") {
    if (!are_root()) MEDIARIG_SKIP("loop devices need root");
    Folder folder;
    make_file(folder.path("disk"), 8_MiB);
    Stacked stacked(folder.path("disk"));
    if (!stacked.loop) MEDIARIG_SKIP("no loop device is available");
    const JobSpec job = sweep_of({cell_of(Access::random_read, 64_KiB, 4_MiB)}, 4_MiB);
    Watcher emptied;
    JobControl control;
    REQUIRE(run_job(job, stacked.target(HostCache::file), {}, control, emptied));
    CHECK(emptied.cells.at(0).evidence.page_cache_dropped);
    CHECK(emptied.found(FindingKind::cache_suspected));
    CHECK_FALSE(emptied.found(FindingKind::cache_not_dropped));

    Watcher unknown;
    REQUIRE(run_job(job, stacked.target(HostCache::unknown), {}, control, unknown));
    CHECK_FALSE(unknown.cells.at(0).evidence.page_cache_dropped);
    CHECK(unknown.found(FindingKind::cache_not_dropped));

    Watcher none;
    REQUIRE(run_job(job, stacked.target(HostCache::none), {}, control, none));
    CHECK(none.findings.empty());
}

TEST_CASE("an image on a memory file system has no cache below the device") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "size=64m");
    if (!mount) MEDIARIG_SKIP("no tmpfs can be mounted");
    make_file(folder.path("mnt/disk"), 16_MiB);
    Stacked stacked(folder.path("mnt/disk"));
    if (!stacked.loop) MEDIARIG_SKIP("no loop device is available");
    Watcher watcher;
    CHECK(outcome_of(verify_of(0_B), stacked.target(HostCache::file), watcher).verdict == CapacityVerdict::good);
    CHECK(watcher.findings.empty());
}

TEST_CASE("a full file system below a sparse image ends the job without a finding about the medium") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    const bool on_ext4 = GENERATE(false, true);
    Folder folder;
    std::optional<Loop> host;
    std::optional<Mount> mount;
    if (on_ext4) {
        make_file(folder.path("host"), 48_MiB);
        host = Loop::over(folder.path("host"));
        if (!host || run("mkfs.ext4 -q -F " + host->node() + " 2>&1").status != 0) MEDIARIG_SKIP("no ext4 can be made");
        if (auto mounted = Mount::of(host->node(), folder.path("mnt"), "ext4")) mount.emplace(std::move(*mounted));
    } else if (auto mounted = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "size=24m")) {
        mount.emplace(std::move(*mounted));
    }
    if (!mount) MEDIARIG_SKIP("nothing can be mounted");
    const std::string image = folder.path("mnt/disk");

    std::vector<JobSpec> jobs;
    for (const CachePolicy cache : {CachePolicy::direct, CachePolicy::dropped}) {
        jobs.push_back(sweep_of({cell_of(Access::random_read, 64_KiB, 1_MiB)}, 96_MiB));
        jobs.back().cache = cache;
        jobs.push_back(verify_of(0_B));
        jobs.back().cache = cache;
    }
    jobs.push_back(probe_of(96_MiB));
    for (const JobSpec& job : jobs) {
        make_sparse(image, 512_MiB);
        {
            Stacked stacked(image);
            if (!stacked.loop) MEDIARIG_SKIP("no loop device is available");
            JobControl control;
            Watcher watcher;
            const auto outcome = run_job(job, stacked.target(HostCache::none), {}, control, watcher);
            REQUIRE_FALSE(outcome);
            CHECK(outcome.error().code == Errc::host_fault);
            CHECK_THAT(reason(outcome), ContainsSubstring("the disk that holds " + image + " is full"));
            for (const auto& finding : watcher.findings) CHECK(finding.severity != measure::Severity::fault);
        }
        std::filesystem::remove(image);
    }
}

TEST_CASE("a failed write is attributed to the host only for a sparse file on a full file system") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "size=8m");
    if (!mount) MEDIARIG_SKIP("no tmpfs can be mounted");
    const auto full = [](const std::string& path) {
        const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        JobTarget target;
        target.host_file = file.get();
        target.host_path = path;
        return LinuxBackingDevice::of(target).host_full(4_KiB).has_value();
    };
    make_sparse(folder.path("mnt/sparse"), 64_MiB);
    make_file(folder.path("mnt/stored"), 2_MiB);
    CHECK_FALSE(full(folder.path("mnt/sparse")));
    make_file(folder.path("mnt/filler"), 6_MiB);
    CHECK(full(folder.path("mnt/sparse")));
    CHECK_FALSE(full(folder.path("mnt/stored")));
    CHECK_FALSE(LinuxBackingDevice::of(JobTarget{}).host_full(4_KiB));
}
