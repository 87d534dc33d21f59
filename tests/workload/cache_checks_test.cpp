// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/workload/jobs/cache_checks.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/workload/io/linux/backing_device.hpp"
#include "host/workload/io/linux/medium_file.hpp"
#include "host/workload/io/linux/page_cache.hpp"
#include "host/workload/io/linux/work_folder.hpp"
#include "host/workload/io/uring/punt_watch.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"
#include "tests/workload/fake_disk.hpp"
#include "tests/workload/machine.hpp"

using namespace mediarig;
using namespace mediarig::tests;
using namespace mediarig::workload;
using measure::FindingKind;

namespace {

/// A folder like /sys/dev/block with one device.
class Sysfs {
public:
    explicit Sysfs(const std::string& file) {
        struct stat info {};
        REQUIRE(::stat(file.c_str(), &info) == 0);
        entry_ = folder_.path(std::to_string(major(info.st_dev)) + ":" + std::to_string(minor(info.st_dev)));
        std::filesystem::create_directories(entry_ + "/queue");
    }
    void put(const std::string& name, const std::string& text) { tests::write(entry_ + "/" + name, text); }
    void unplug() { std::filesystem::remove_all(entry_); }
    std::string path() const { return folder_.path(); }

private:
    Folder folder_;
    std::string entry_;
};

CellResult reading(Bytes moved) {
    CellResult result;
    result.cell = cell_of(Access::sequential_read, 4_KiB, moved);
    result.moved = moved;
    result.evidence.used = CachePolicy::direct;
    result.evidence.sync = SyncLevel::at_end;
    return result;
}

} // namespace

TEST_CASE("the cached pages of a file are counted, dropped and verified as dropped") {
    Folder folder;
    make_file(folder.path("file"), 4_MiB);
    const int fd = ::open(folder.path("file").c_str(), O_RDWR);
    REQUIRE(fd >= 0);
    CHECK(resident(fd, 4_MiB) == 4_MiB);
    const CacheDrop dropped = drop_page_cache(fd, 4_MiB);
    CHECK(dropped.error == 0);
    CHECK(dropped.verified());
    CHECK(resident(fd, 4_MiB) == 0_B);
    char byte{};
    REQUIRE(::pread(fd, &byte, 1, 1 << 20) == 1);
    CHECK(resident(fd, 4_MiB) > 0_B);
    ::close(fd);
    CHECK_FALSE(drop_page_cache(-1, 4_MiB).verified());
}

TEST_CASE("a page mapped by a process is reported as not dropped") {
    Folder folder;
    make_file(folder.path("file"), 1_MiB);
    const int fd = ::open(folder.path("file").c_str(), O_RDWR);
    void* view = ::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0);
    REQUIRE(view != MAP_FAILED);
    REQUIRE(*static_cast<volatile char*>(view) == 0); // now the page is in this process's page table
    const CacheDrop dropped = drop_page_cache(fd, 1_MiB);
    CHECK(dropped.left >= 4_KiB);
    CHECK_FALSE(dropped.verified());
    ::munmap(view, 4096);
    ::close(fd);
}

TEST_CASE("a cell records the cache policy and the sync level that were used") {
    Folder folder;
    for (const CachePolicy cache : {CachePolicy::direct, CachePolicy::dropped, CachePolicy::cached})
        for (const SyncLevel sync : {SyncLevel::none, SyncLevel::at_end, SyncLevel::each_io}) {
            JobSpec job = sweep_of(
                {cell_of(Access::sequential_write, 64_KiB, 1_MiB), cell_of(Access::sequential_read, 64_KiB, 1_MiB)},
                1_MiB);
            job.cache = cache;
            job.sync = sync;
            JobControl control;
            Watcher watcher;
            REQUIRE(reason(run_job(job, directory(folder.path()), {}, control, watcher)) == "success");
            const CellResult& write = watcher.cells.at(0);
            const CellResult& read = watcher.cells.at(1);
            CHECK(write.evidence.used == cache);
            CHECK(write.evidence.sync == sync);
            CHECK(write.evidence.sync_calls == (sync == SyncLevel::at_end ? 1 : 0));
            CHECK((write.sync_time.count() > 0) == (sync == SyncLevel::at_end));
            CHECK(write.evidence.write_cache_flushed);
            CHECK(read.evidence.page_cache_dropped == (cache != CachePolicy::cached));
            if (read.evidence.device_read && cache != CachePolicy::cached) CHECK(read.evidence.device_read >= 1_MiB);
            CHECK_FALSE(watcher.found(FindingKind::cache_suspected));
        }
}

TEST_CASE("the device's counters reveal a second read of the same bytes from the page cache") {
    Folder folder;
    JobSpec job = sweep_of({cell_of(Access::sequential_read, 64_KiB, 4_MiB)}, 1_MiB);
    job.cache = CachePolicy::dropped;
    JobControl control;
    Watcher watcher;
    REQUIRE(run_job(job, directory(folder.path()), {}, control, watcher));
    if (!watcher.cells.at(0).evidence.device_read) MEDIARIG_SKIP("the device under /var/tmp keeps no counters");
    const auto* finding = watcher.found(FindingKind::cache_suspected);
    REQUIRE(finding);
    CHECK_THAT(finding->detail, ContainsSubstring("while the test read 4194304"));
    CHECK(watcher.cells[0].findings.size() == 1);
}

TEST_CASE("a device that transferred fewer bytes than the test is suspicious, a device that transferred more is not") {
    Folder folder;
    make_file(folder.path("file"), 1_MiB);
    const auto opened = open_directory(folder.path());
    REQUIRE(opened);
    const auto file = LinuxMediumFile::open_existing(opened->get(), "file", CachePolicy::direct, SyncLevel::at_end);
    REQUIRE(file);
    Sysfs sysfs(folder.path("file"));
    sysfs.put("stat", "1 0 2000 0 1 0 1000 0 0 0 0");
    const LinuxBackingDevice device = LinuxBackingDevice::of(directory(folder.path()), sysfs.path());
    const CacheChecks cache_checks(*file, device);
    const BackingDevice::Totals before{0_B, 0_B};

    CellResult enough = reading(Bytes{2000 * 512});
    CHECK(cache_checks.weigh(enough, before, 1_MiB).empty());
    CHECK(enough.evidence.device_read == Bytes{2000 * 512});
    CHECK(enough.evidence.device_written == Bytes{1000 * 512});

    CellResult too_much = reading(Bytes{2000 * 512 + 4096});
    CHECK(cache_checks.weigh(too_much, before, 1_MiB).at(0).kind == FindingKind::cache_suspected);

    CellResult cached = too_much;
    cached.evidence.used = CachePolicy::cached;
    CHECK(cache_checks.weigh(cached, before, 1_MiB).empty());

    CellResult unsynced = too_much;
    unsynced.cell.access = Access::sequential_write;
    unsynced.evidence.sync = SyncLevel::none;
    CHECK(cache_checks.weigh(unsynced, before, 1_MiB).empty());
    unsynced.evidence.sync = SyncLevel::at_end;
    CHECK(cache_checks.weigh(unsynced, before, 1_MiB).size() == 1);

    CellResult unknown = reading(1_MiB);
    CHECK(cache_checks.weigh(unknown, std::nullopt, 1_MiB).empty());
    CHECK_FALSE(unknown.evidence.device_read);
}

TEST_CASE("a directory on a loop device whose file this host caches is reported, and a directory on a medium is not") {
    Folder folder;
    Sysfs sysfs(folder.path());
    const auto told = [&](const JobTarget& target) {
        const auto finding = LinuxBackingDevice::of(target, sysfs.path()).finding_about_directory();
        return finding ? finding->detail : "";
    };
    sysfs.put("size", "1000");
    CHECK(told(directory(folder.path())) == "");
    sysfs.put("loop/backing_file", "/images/card.img");
    sysfs.put("loop/dio", "0");
    CHECK_THAT(told(directory(folder.path())),
               ContainsSubstring(", whose file /images/card.img this host caches: speeds "
                                 "are those of this host and not of a medium"));
    sysfs.put("loop/dio", "1");
    CHECK(told(directory(folder.path())) == "");
    SECTION("a device of the device mapper is judged by the devices below it") {
        sysfs.put("loop/backing_file", "");
        sysfs.put("slaves/loop7/loop/backing_file", "/images/below.img");
        sysfs.put("slaves/loop7/loop/dio", "0");
        CHECK_THAT(told(directory(folder.path())),
                   ContainsSubstring("/dev/loop7, whose file /images/below.img this host caches"));
    }
    SECTION("a disk in memory is reported") {
        sysfs.put("slaves/zram0/size", "1000");
        CHECK_THAT(told(directory(folder.path())),
                   ContainsSubstring("/dev/zram0, which is in the memory of this host"));
    }
    SECTION("a volume that the agent mounted is not reported, because its device has its own finding") {
        sysfs.put("loop/dio", "0");
        JobTarget own = directory(folder.path());
        own.own_mount = true;
        CHECK(told(own) == "");
    }
}

TEST_CASE("data read back from a directory are no proof if memory of this host may have served them") {
    Folder folder;
    Sysfs sysfs(folder.path());
    const auto doubt = [&](bool emptied, bool served, bool own = false) {
        JobTarget target = directory(folder.path());
        target.own_mount = own;
        const auto finding =
            LinuxBackingDevice::of(target, sysfs.path()).finding_about_directory_read_back(emptied, served);
        if (finding) CHECK(finding->kind == FindingKind::capacity_unclear);
        return finding ? finding->detail : "";
    };
    sysfs.put("size", "1000");
    sysfs.put("loop/backing_file", "/images/card.img");
    sysfs.put("loop/dio", "0");
    CHECK_THAT(doubt(true, false),
               ContainsSubstring("whose file /images/card.img this host caches: data that was read"));
    CHECK(doubt(true, false, true) == ""); // the agent has emptied the cache below its own mount
    sysfs.put("loop/dio", "1");
    CHECK(doubt(true, false) == "");
    CHECK_THAT(doubt(true, true), ContainsSubstring("served by a process (FUSE) and its device is unknown"));
    CHECK_THAT(doubt(false, false), ContainsSubstring("the page cache of the directory could not be emptied"));
    sysfs.put("loop/backing_file", "");
    sysfs.put("slaves/loop7/loop/backing_file", "/images/below.img");
    sysfs.put("slaves/loop7/loop/dio", "0");
    CHECK_THAT(doubt(true, false), ContainsSubstring("/dev/loop7, whose file /images/below.img this host caches"));
}

TEST_CASE("a job in a directory in memory reports that its speeds are not those of a medium") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("tmpfs", folder.path("mnt"), "tmpfs", "size=16m");
    if (!mount) MEDIARIG_SKIP("no tmpfs can be mounted");
    JobSpec job = sweep_of({cell_of(Access::sequential_read, 64_KiB, 1_MiB)}, 1_MiB);
    job.cache = CachePolicy::dropped;
    JobControl control;
    Watcher watcher;
    REQUIRE(reason(run_job(job, directory(folder.path("mnt")), {}, control, watcher)) == "success");
    REQUIRE(watcher.found(FindingKind::cache_suspected));
    CHECK_THAT(watcher.found(FindingKind::cache_suspected)->detail,
               ContainsSubstring("the directory is on tmpfs, which is in the memory of this host"));
}

TEST_CASE("the backing device reports its sector sizes and its removal") {
    Folder folder;
    Sysfs sysfs(folder.path());
    sysfs.put("size", "1000");
    sysfs.put("queue/logical_block_size", "512");
    sysfs.put("queue/physical_block_size", "4096");
    const LinuxBackingDevice device = LinuxBackingDevice::of(directory(folder.path()), sysfs.path());
    REQUIRE(device.sectors());
    CHECK(device.sectors()->logical == 512_B);
    CHECK(device.sectors()->physical == 4_KiB);
    CHECK_FALSE(device.gone());
    CHECK_FALSE(device.totals());
    sysfs.put("size", "0"); // a reader without its card
    CHECK(device.gone());
    sysfs.unplug();
    CHECK(device.gone());

    const LinuxBackingDevice unknown = LinuxBackingDevice::of(directory(folder.path()), folder.path("nothing"));
    CHECK_FALSE(unknown.gone());
    CHECK_FALSE(unknown.sectors());
    CHECK_FALSE(unknown.flush_and_drop());
}

TEST_CASE("a job on a volume in a partition drops the caches of partition and medium") {
    Folder folder;
    JobTarget target = directory(folder.path());
    const std::string medium = folder.path("medium"), partition = folder.path("partition");
    const auto read_into_cache = [](const std::string& name) {
        make_file(name, 1_MiB);
        CHECK(tests::text_of(name).size() == Bytes{1_MiB}.count);
        return Descriptor(::open(name.c_str(), O_RDONLY | O_CLOEXEC));
    };
    const Descriptor held_medium = read_into_cache(medium), held_partition = read_into_cache(partition);
    target.backing_fd = held_medium.get();
    target.partition_fd = held_partition.get();
    const auto cached = [](const Descriptor& file) {
        const auto bytes = resident(file.get(), 1_MiB);
        REQUIRE(bytes);
        return *bytes;
    };
    // Other files have taken their names in the meantime.
    std::vector<Descriptor> others;
    for (const std::string& name : {medium, partition}) {
        std::filesystem::rename(name, name + ".held");
        others.push_back(read_into_cache(name));
    }
    const LinuxBackingDevice device = LinuxBackingDevice::of(target);
    CHECK(cached(held_partition) > 0_B);
    CHECK(device.flush() == 0);
    CHECK(device.flush_and_drop());
    CHECK(cached(held_partition) == 0_B);
    CHECK(cached(held_medium) == 0_B);
    for (const Descriptor& other : others) CHECK(cached(other) > 0_B);

    const Descriptor cannot_be_written_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    target.partition_fd = cannot_be_written_back.get();
    CHECK(LinuxBackingDevice::of(target).flush() == EINVAL);
    CHECK_FALSE(LinuxBackingDevice::of(target).flush_and_drop());
}

TEST_CASE("the file-size limit of a test file exists for FAT only") {
    CHECK(largest_file_of(MSDOS_SUPER_MAGIC) == Bytes{4'294'967'295});
    CHECK_FALSE(largest_file_of(EXT4_SUPER_MAGIC));
    CHECK_FALSE(largest_file_of(0x2011BAB0)); // exFAT
}

TEST_CASE("a file system that refuses O_DIRECT is used through the page cache with a finding") {
    if (!are_root()) MEDIARIG_SKIP("mounting needs root");
    Folder folder;
    auto mount = Mount::of("ramfs", folder.path("ramfs"), "ramfs");
    if (!mount) MEDIARIG_SKIP("no ramfs can be mounted");
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB);
    JobControl control;
    Watcher watcher;
    const auto outcome = run_job(job, directory(folder.path("ramfs")), {}, control, watcher);
    REQUIRE(reason(outcome) == "success");
    CHECK(outcome->cells.at(0).evidence.used == CachePolicy::dropped);
    REQUIRE(watcher.found(FindingKind::direct_refused));
    CHECK(outcome->findings.at(0).kind == FindingKind::direct_refused);
    // The pages of a memory file system are the only copy of the data and cannot be dropped, which is also reported.
    CHECK_FALSE(outcome->cells[0].evidence.page_cache_dropped);
    CHECK(watcher.found(FindingKind::cache_not_dropped));
}

TEST_CASE("a driver that accepts O_DIRECT and refuses the transfer is used through the page cache with a finding") {
    Folder folder;
    make_file(folder.path("file"), 1_MiB);
    const auto opened = open_directory(folder.path());
    REQUIRE(opened);
    auto file = LinuxMediumFile::open_existing(opened->get(), "file", CachePolicy::direct, SyncLevel::each_io);
    REQUIRE(file);
    REQUIRE(file->disable_direct());
    CHECK(file->used() == CachePolicy::dropped);
    CHECK(file->direct_refused());
    const int flags = ::fcntl(file->fd(), F_GETFL);
    CHECK((flags & O_DIRECT) == 0);
    CHECK((flags & O_DSYNC) != 0);
}

TEST_CASE("a failed flush gives a fault if data were lost and a warning if the driver cannot flush") {
    CHECK(flush_failed(EIO).severity == measure::Severity::fault);
    CHECK(flush_failed(EINVAL).severity == measure::Severity::warning);
    CHECK(flush_failed(EIO).kind == FindingKind::flush_unavailable);
}

TEST_CASE("thread switches of io_uring workers are counted, and switches of other threads are not") {
    Folder tasks;
    const auto put = [&](const std::string& id, const std::string& name, int switches) {
        std::filesystem::create_directories(tasks.path(id));
        std::ofstream(tasks.path(id) + "/status") << "Name:\t" << name << "\nGroups:\t \nvoluntary_ctxt_switches:\t"
                                                  << switches << "\nnonvoluntary_ctxt_switches:\t7\n";
    };
    put("1", "agent", 1000);
    const PuntWatch watch(tasks.path());
    CHECK(watch.worker_switches() == 0);
    put("1", "agent", 5000);
    put("2", "iou-wrk-1", 30);
    put("3", "iou-wrk-1", 12);
    CHECK(watch.worker_switches() == 30 + 7 + 12 + 7);
}

TEST_CASE("a FUSE file system on an unknown device is reported") {
    if (!are_root()) MEDIARIG_SKIP("FUSE needs root here");
    FakeDisk fuse(8_MiB, 8_MiB, 1_GiB);
    if (!fuse.there()) MEDIARIG_SKIP("needs nbdkit, nbdfuse, /dev/fuse and a C compiler");
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 1_MiB)}, 1_MiB);
    JobControl control;
    Watcher watcher;
    REQUIRE(reason(run_job(job, fuse.target(), {}, control, watcher)) == "success");
    const auto* driver = watcher.found(FindingKind::driver_limit);
    REQUIRE(driver);
    CHECK(driver->severity == measure::Severity::warning);
    CHECK_THAT(driver->detail, ContainsSubstring("its device is unknown"));
}

TEST_CASE("io_uring with transfers on kernel workers is reported") {
    Zram zram(8_MiB);
    if (zram.fd() < 0) MEDIARIG_SKIP("no zram device can be added");
    // zram cannot start a transfer asynchronously, so that the kernel passes each to a worker.
    JobSpec job = sweep_of({cell_of(Access::random_read, 4_KiB, 4_MiB)}, 1_MiB);
    job.engine = Engine::uring;
    JobTarget target;
    target.kind = JobTarget::Kind::device;
    target.path = zram.node();
    target.device_fd = zram.fd();
    JobControl control;
    Watcher watcher;
    REQUIRE(reason(run_job(job, target, {}, control, watcher)) == "success");
    const auto* finding = watcher.found(FindingKind::engine_punted);
    REQUIRE(finding);
    CHECK(finding->count > 102);
    CHECK(watcher.cells.at(0).findings.size() == 1);

    job.engine = Engine::psync;
    Watcher quiet;
    REQUIRE(run_job(job, target, {}, control, quiet));
    CHECK_FALSE(quiet.found(FindingKind::engine_punted));
}

TEST_CASE("each reading cell on a FUSE file system begins with an empty page cache of the device") {
    Folder folder;
    make_file(folder.path("disk"), 64_MiB);
    auto loop = Loop::over(folder.path("disk"));
    if (!loop) MEDIARIG_SKIP("no loop device is available");
    std::string why_not;
    auto served = ServedExfat::on(*loop, folder.path("mnt"), why_not);
    if (!served) MEDIARIG_SKIP(why_not);
    JobSpec job =
        sweep_of({cell_of(Access::sequential_write, 64_KiB, 8_MiB), cell_of(Access::sequential_read, 64_KiB, 8_MiB),
                  cell_of(Access::random_read, 64_KiB, 8_MiB)},
                 8_MiB);
    JobControl control;
    Watcher watcher;
    JobTarget target = directory(folder.path("mnt"), &*loop);
    target.own_mount = true;
    const auto outcome = run_job(job, target, {}, control, watcher);
    REQUIRE(served->unmount());
    REQUIRE(reason(outcome) == "success");
    CHECK(watcher.found(FindingKind::driver_limit)->severity == measure::Severity::note);
    CHECK(outcome->cells[0].evidence.device_written >= 8_MiB);
    CHECK(outcome->cells[1].evidence.device_read >= 8_MiB);
    CHECK(outcome->cells[2].evidence.device_read >= 8_MiB);
    CHECK(outcome->cells[1].evidence.page_cache_dropped);
    CHECK_FALSE(watcher.found(FindingKind::cache_suspected));
    CHECK(run("fsck.exfat -n " + loop->node() + " 2>&1").status == 0);
}

TEST_CASE("a file reports its offset in the volume if known, and no offset for a hole") {
    Folder folder;
    const auto opened = open_directory(folder.path());
    REQUIRE(opened);
    const auto place_of = [&](const char* name) {
        const auto file = LinuxMediumFile::open_existing(opened->get(), name, CachePolicy::dropped, SyncLevel::at_end);
        REQUIRE(file);
        CHECK(file->flush() == 0);
        return file->place();
    };
    make_file(folder.path("one"), 1_MiB);
    make_file(folder.path("other"), 1_MiB);
    const auto one = place_of("one"), other = place_of("other");
    std::ofstream(folder.path("hole")).close();
    std::filesystem::resize_file(folder.path("hole"), 1024 * 1024);
    CHECK_FALSE(place_of("hole"));
    if (!one || !other) MEDIARIG_SKIP("the file system under /var/tmp does not report where a file is stored");
    CHECK(*one != *other);
    CHECK(one->count % 512 == 0);
}
