// SPDX-License-Identifier: GPL-3.0-or-later
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <thread>
#include <vector>

#include "host/base/process/mount_namespace.hpp"
#include "host/media/format/linux/formatters.hpp"
#include "host/media/mount/linux/drivers.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"
#include "host/media/mount/linux/kernel_driver.hpp"
#include "host/media/mount/linux/linux_mounter.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/media/mount/mounting_exfat.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

namespace fs = std::filesystem;

void write_file(const std::string& path, const std::string& text) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    REQUIRE(::fsync(fd) == 0);
    ::close(fd);
}

} // namespace

TEST_CASE("an exFAT volume is mounted, written, unmounted and contains the written data") {
    NEEDS_EXFAT_FUSE();
    LoopMedium medium(256_MiB);
    const Bytes usable = format_exfat(medium);
    const auto mounter = make_linux_mounter(fuse_only());
    {
        auto mounted = mount_whole(mounter, medium, FileSystem::exfat);
        REQUIRE(reason(mounted) == "success");
        const MountReport& report = (*mounted)->report();
        CHECK(report.driver == "exfat-fuse");
        CHECK_THAT(report.driver_version, ContainsSubstring("1."));
        CHECK_THAT(report.options, ContainsSubstring("rw,nosuid,nodev,noexec,noatime - fuseblk rw"));
        CHECK(report.total == 256_MiB);
        CHECK(report.free == usable);
        REQUIRE(report.limits.size() == 3);
        CHECK(report.limits[0].kind == measure::FindingKind::driver_limit);
        struct stat folder {};
        REQUIRE(::stat(fs::path(report.mount_point).parent_path().c_str(), &folder) == 0);
        CHECK((folder.st_mode & 0777) == 0700);
        CHECK(is_mounted(report.mount_point));
        CHECK_FALSE(medium.is_free());

        write_file(report.mount_point + "/kept", "what was written");
        CHECK(reason((*mounted)->unmount()) == "success");
        // Everything is released without waiting: the driver has ended, the device is free, the folder and the mount
        // are gone.
        CHECK(driver_of(report.mount_point) == 0);
        CHECK(medium.is_free());
        CHECK_FALSE(is_mounted(report.mount_point));
        CHECK(reason((*mounted)->unmount()) == "success");
    }
    CHECK(run_folders(std::to_string(::getpid())).empty());
    CHECK(is_clean(medium));
    {
        const auto again = mount_whole(mounter, medium, FileSystem::exfat);
        REQUIRE(reason(again) == "success");
        CHECK(tests::text_of((*again)->report().mount_point + "/kept") == "what was written");
    }
    CHECK(medium.is_free()); // the destructor unmounts
    CHECK(run_folders(std::to_string(::getpid())).empty());
}

TEST_CASE("a busy volume stays mounted and the error names its users") {
    NEEDS_EXFAT_FUSE();
    MountedExfat medium;
    const int held = ::open((medium.mount_point + "/held").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(held >= 0);
    const auto busy = (*medium.mounted)->unmount();
    REQUIRE_FALSE(busy);
    CHECK(busy.error().code == Errc::io_failed);
    CHECK_THAT(busy.error().detail, ContainsSubstring(fmt::format("cannot unmount {}: in use by process {} (",
                                                                  medium.mount_point, ::getpid())));
    CHECK(is_mounted(medium.mount_point));
    CHECK(::write(held, "x", 1) == 1);
    ::close(held);
    CHECK(reason((*medium.mounted)->unmount()) == "success");
    CHECK(is_clean(medium));
}

TEST_CASE("the first of two volumes is free after its unmount although the driver of the second volume still runs") {
    NEEDS_EXFAT_FUSE();
    LoopMedium first(64_MiB), second(64_MiB);
    format_exfat(first);
    format_exfat(second);
    const auto mounter = make_linux_mounter(fuse_only());
    const auto one = mount_whole(mounter, first, FileSystem::exfat);
    const auto two = mount_whole(mounter, second, FileSystem::exfat);
    REQUIRE(reason(one) == "success");
    REQUIRE(reason(two) == "success");
    CHECK((*one)->report().mount_point != (*two)->report().mount_point);
    write_file((*two)->report().mount_point + "/two", "2");
    CHECK(reason((*one)->unmount()) == "success");
    CHECK(first.is_free());
    CHECK_FALSE(second.is_free());
    CHECK(tests::text_of((*two)->report().mount_point + "/two") == "2");
    CHECK(reason((*two)->unmount()) == "success");
    CHECK(second.is_free());
}

TEST_CASE("a medium can be formatted by every formatter while the volume of another medium is mounted") {
    NEEDS_EXFAT_FUSE();
    LoopMedium mounted_medium(64_MiB), other(128_MiB);
    format_exfat(mounted_medium);
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), mounted_medium, FileSystem::exfat);
    REQUIRE(reason(mounted) == "success");
    const Formatters formatters = make_formatters();
    for (const auto& [fs, program] :
         {std::pair{FileSystem::fat32, "mkfs.fat"}, {FileSystem::exfat, "mkfs.exfat"}, {FileSystem::apfs, "mkapfs"}}) {
        if (!is_installed(program)) continue;
        CAPTURE(program);
        const auto made = format_medium(other.claim(), other.discovery(), formatters, {.fs = fs, .label = "OTHER"});
        CHECK(reason(made) == "success");
    }
}

TEST_CASE("a driver that died is reported at unmount, and the device is free") {
    NEEDS_EXFAT_FUSE();
    MountedExfat medium;
    const pid_t driver = driver_of(medium.mount_point);
    REQUIRE(driver > 0);
    REQUIRE(::kill(driver, SIGKILL) == 0);
    REQUIRE(soon([&] { return ::access(medium.mount_point.c_str(), F_OK) != 0; }));
    const auto unmounted = (*medium.mounted)->unmount();
    REQUIRE_FALSE(unmounted);
    CHECK(unmounted.error() ==
          Error{Errc::host_fault, "exfat-fuse ended by signal 9 while " + medium.node() +
                                      " was mounted: the results are discarded; see this machine's log, and try "
                                      "again"});
    CHECK_FALSE(is_mounted(medium.mount_point));
    CHECK(medium.is_free());
    CHECK(reason((*medium.mounted)->unmount()) == "success");
    CHECK_FALSE(is_clean(medium));
}

TEST_CASE("mounting a medium without the file system gives the driver's error and leaves no mount") {
    NEEDS_EXFAT_FUSE();
    LoopMedium medium(64_MiB);
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), medium, FileSystem::exfat);
    REQUIRE_FALSE(mounted);
    CHECK(mounted.error().code == Errc::io_failed);
    CHECK(mounted.error().detail == medium.node() +
                                        ": mount.exfat-fuse could not mount with exit status 1: ERROR: exFAT "
                                        "file system is not found.");
    CHECK(run_folders(std::to_string(::getpid())).empty());
    CHECK(medium.is_free());
}

TEST_CASE("if no driver exists, the error names the remedy") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    const MounterSetting bare{.search_path = "/nowhere", .kernel_file_systems = "/dev/null"};
    const auto mounter = make_linux_mounter(bare);
    const auto exfat = mount_whole(mounter, medium, FileSystem::exfat);
    REQUIRE_FALSE(exfat);
    CHECK(exfat.error() ==
          Error{Errc::no_driver, medium.node() + ": no driver for exFAT on this machine: apt install "
                                                 "exfat-fuse, or boot a kernel with the exfat module"});
    const auto apfs = mount_whole(mounter, medium, FileSystem::apfs);
    REQUIRE_FALSE(apfs);
    CHECK(apfs.error() ==
          Error{Errc::no_driver, medium.node() + ": no driver for APFS on this machine: formatting and checking need "
                                                 "no driver; to mount, apt install apfs-dkms (experimental), or test "
                                                 "the medium on a Mac"});
    const auto hfs = mount_whole(mounter, medium, FileSystem::hfs_plus_journaled);
    REQUIRE_FALSE(hfs);
    CHECK(hfs.error() ==
          Error{Errc::no_driver, medium.node() + ": no driver for HFS+ Journaled on this machine: boot a "
                                                 "kernel with the hfsplus module (linux-modules-extra on "
                                                 "Ubuntu)"});
    CHECK(run_folders(std::to_string(::getpid())).empty());
    const auto nowhere = mount_whole(make_linux_mounter({.run_directory = "/proc/nowhere"}), medium, FileSystem::exfat);
    REQUIRE_FALSE(nowhere);
    CHECK_THAT(nowhere.error().detail, ContainsSubstring("cannot make /proc/nowhere/mediarig-") &&
                                           ContainsSubstring(": No such file or directory"));
}

TEST_CASE("a driver that blocks at its start can be cancelled") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    tools.add("mount.exfat-fuse", "[ \"$1\" = -V ] && exit 0\necho $$ > " + tools.path() + "/started; exec sleep 600");
    std::atomic<bool> cancel{false};
    std::atomic<bool> over{false};
    std::thread canceller([&] {
        while (!over && ::access((tools.path() + "/started").c_str(), F_OK) != 0) std::this_thread::yield();
        cancel = true;
    });
    const auto mounted = mount_whole(
        make_linux_mounter({.search_path = tools.search_path(), .kernel_file_systems = "/dev/null", .cancel = &cancel}),
        medium, FileSystem::exfat);
    over = true;
    canceller.join();
    REQUIRE_FALSE(mounted);
    CHECK(mounted.error() == Error{Errc::cancelled, medium.node() + ": mount.exfat-fuse was cancelled"});
    CHECK(medium.is_free());
    CHECK(run_folders(std::to_string(::getpid())).empty());
}

TEST_CASE("an agent that is killed while its driver mounts leaves neither driver nor mount") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium(256_MiB);
    const auto real = process::find_program("mount.exfat-fuse");
    REQUIRE(reason(real) == "success");
    ToolFolder tools;
    // The script kills its parent at the worst moment: the mount exists, and the driver keeps it.
    tools.add("mount.exfat-fuse", *real + " \"$@\"; [ \"$1\" = -V ] || kill -9 $PPID");
    medium.release_for_fork();
    const pid_t agent = ::fork();
    REQUIRE(agent >= 0);
    if (agent == 0) {
        MounterSetting setting = fuse_only();
        setting.search_path = tools.search_path();
        ::_exit(mount_whole(make_linux_mounter(setting), medium, FileSystem::exfat) ? 0 : 1);
    }
    int status = 0;
    REQUIRE(::waitpid(agent, &status, 0) == agent);
    REQUIRE(WIFSIGNALED(status));
    CHECK(soon([&] { return medium.is_free(); }));
}

TEST_CASE("a driver that reports success without a mount is detected") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    LoopMedium medium(64_MiB);
    ToolFolder tools;
    tools.add("mount.exfat-fuse", "exit 0");
    const auto mounted =
        mount_whole(make_linux_mounter({.search_path = tools.search_path(), .kernel_file_systems = "/dev/null"}),
                    medium, FileSystem::exfat);
    REQUIRE_FALSE(mounted);
    CHECK(mounted.error().detail == medium.node() + ": mount.exfat-fuse reported success and mounted nothing");
}

namespace {

/// A child that mounts and waits, and the parent's end of its output pipe.
struct MountingChild {
    pid_t pid{};
    std::string mount_point;
    std::string folder;
};

/// The device belongs to the parent: the device must become free, but the loop device stays attached.
MountingChild mount_in_child(LoopMedium& medium, bool private_namespace) {
    std::array<int, 2> said{};
    REQUIRE(::pipe2(said.data(), O_CLOEXEC) == 0);
    medium.release_for_fork();
    const pid_t pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL); // a failed test must not wait for this process
        if (private_namespace && !process::enter_private_mount_namespace()) ::_exit(2);
        const auto mounted = mount_whole(make_linux_mounter(fuse_only()), medium, FileSystem::exfat);
        if (!mounted) ::_exit(3);
        const std::string mount_point = (*mounted)->report().mount_point;
        const int fd = ::open((mount_point + "/kept").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || ::write(fd, "x", 1) != 1) ::_exit(4); // the file stays open and is not synced
        if (::write(said[1], mount_point.data(), mount_point.size()) < 0) ::_exit(5);
        ::close(said[1]);
        while (true) ::pause();
    }
    ::close(said[1]);
    std::string mount_point;
    std::array<char, 256> part{};
    for (ssize_t got = 0; (got = ::read(said[0], part.data(), part.size())) > 0;)
        mount_point.append(part.data(), static_cast<std::size_t>(got));
    ::close(said[0]);
    REQUIRE_FALSE(mount_point.empty());
    return {.pid = pid, .mount_point = mount_point, .folder = fs::path(mount_point).parent_path()};
}

std::vector<pid_t> children_of(pid_t parent) {
    std::vector<pid_t> found;
    for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(parent) + "/task")) {
        std::ifstream children(task.path() / "children");
        for (pid_t child = 0; children >> child;) found.push_back(child);
    }
    return found;
}

void kill_child(const MountingChild& child) {
    REQUIRE(::kill(child.pid, SIGKILL) == 0);
    REQUIRE(::waitpid(child.pid, nullptr, 0) == child.pid);
}

} // namespace

TEST_CASE("in a private namespace a mount ends with its process, also by SIGKILL, and the volume is clean") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, true);
    CHECK_FALSE(is_mounted(child.mount_point)); // invisible outside
    CHECK_FALSE(medium.is_free());
    CHECK(driver_of(child.mount_point) > 0);
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && driver_of(child.mount_point) == 0; }));
    CHECK(is_clean(medium));
    CHECK(soon([&] { return !fs::exists(child.folder); }));
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), medium, FileSystem::exfat);
    REQUIRE(reason(mounted) == "success");
    CHECK(tests::text_of((*mounted)->report().mount_point + "/kept") == "x");
}

TEST_CASE("without a private mount namespace a killed process leaves no mount") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, false);
    CHECK(is_mounted(child.mount_point));
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && !is_mounted(child.mount_point) && !fs::exists(child.folder); }));
    CHECK(is_clean(medium));
}

TEST_CASE("a killed process with a stopped driver leaves neither driver, mount nor folder") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, true);
    const pid_t driver = driver_of(child.mount_point);
    REQUIRE(driver > 0);
    REQUIRE(::kill(driver, SIGSTOP) == 0);
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && driver_of(child.mount_point) == 0 && !fs::exists(child.folder); }));
}

TEST_CASE("if guard and driver are killed together with their process, neither driver nor mount remains") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, true);
    const pid_t driver = driver_of(child.mount_point);
    REQUIRE(driver > 0);
    std::vector<pid_t> all = children_of(child.pid); // the guard, and the driver
    CHECK(std::find(all.begin(), all.end(), driver) != all.end());
    CHECK(all.size() == 2);
    for (const pid_t each : all) REQUIRE(::kill(each, SIGKILL) == 0);
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && driver_of(child.mount_point) == 0; }));
    // The next mount removes the empty folder.
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), medium, FileSystem::exfat);
    REQUIRE(reason(mounted) == "success");
    CHECK_FALSE(fs::exists(child.folder));
}

TEST_CASE("if the guard is killed together with its process, no driver or mount remains and the volume is clean") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, true);
    const pid_t driver = driver_of(child.mount_point);
    for (const pid_t each : children_of(child.pid))
        if (each != driver) REQUIRE(::kill(each, SIGKILL) == 0);
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && driver_of(child.mount_point) == 0; }));
    CHECK(is_clean(medium));
}

TEST_CASE("a driver has no capability and does not share a mount namespace with its mount") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium;
    const MountingChild child = mount_in_child(medium, true);
    const std::string driver = "/proc/" + std::to_string(driver_of(child.mount_point));
    CHECK_THAT(tests::text_of(driver + "/status"), ContainsSubstring("CapEff:\t0000000000000000"));
    CHECK(fs::read_symlink(driver + "/ns/mnt") == fs::read_symlink("/proc/self/ns/mnt"));
    CHECK_THAT(tests::text_of(driver + "/mountinfo"), !ContainsSubstring(child.mount_point));
    CHECK_THAT(tests::text_of("/proc/" + std::to_string(child.pid) + "/mountinfo"),
               ContainsSubstring(child.mount_point));
    kill_child(child);
    CHECK(soon([&] { return medium.is_free() && !fs::exists(child.folder); }));
}

TEST_CASE("the folder of a living process is not removed") {
    NEEDS_EXFAT_FUSE();
    LoopMedium medium(64_MiB), other(64_MiB);
    format_exfat(medium);
    format_exfat(other);
    other.release_for_fork();
    const MountingChild child = mount_in_child(medium, true);
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), other, FileSystem::exfat);
    CHECK(fs::exists(child.folder));
    CHECK_FALSE(medium.is_free());
    kill_child(child);
    CHECK(soon([&] { return medium.is_free(); }));
    REQUIRE(reason(mounted) == "success");
    CHECK(reason((*mounted)->unmount()) == "success");
    CHECK(soon([&] { return !fs::exists(child.folder); }));
}

TEST_CASE("a kernel driver mounts the held device with the same options") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    if (!is_installed("mkfs.ext4")) MEDIARIG_SKIP("e2fsprogs is not installed");
    if (!kernel_has("ext4", {})) MEDIARIG_SKIP("this kernel has no ext4");
    LoopMedium medium(64_MiB);
    REQUIRE(run_checker("mkfs.ext4", {"-q", medium.node()}).succeeded());
    const ToolFolder folder;
    const int device = medium.claim().reading_descriptor();
    REQUIRE(reason(medium.claim().release()) == "success");
    REQUIRE(reason(mount_with_kernel("ext4", device, folder.path(), "")) == "success");
    const std::string mounts = tests::text_of("/proc/self/mountinfo");
    CHECK_THAT(mounts, ContainsSubstring(" " + folder.path() + " rw,nosuid,nodev,noexec,noatime "));
    CHECK_FALSE(medium.is_free());
    REQUIRE(run_checker("umount", {folder.path()}).succeeded());
    CHECK(medium.is_free());

    const auto wrong = mount_with_kernel("ext4", device, "/nowhere", "");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error() ==
          Error{Errc::io_failed, "the kernel's ext4 driver could not mount the medium: No such file or directory"});
    CHECK_FALSE(kernel_has("no-such-fs", {}));
    CHECK_THAT(kernel_version(), ContainsSubstring("Linux "));
}

TEST_CASE("exfat-fuse has exactly the limits that the findings describe") {
    NEEDS_EXFAT_FUSE();
    ExfatMedium medium(256_MiB);
    const auto mounted = mount_whole(make_linux_mounter(fuse_only()), medium, FileSystem::exfat);
    REQUIRE(reason(mounted) == "success");
    const std::string path = (*mounted)->report().mount_point + "/file";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);                      // O_DIRECT is accepted …
    CHECK(::pwrite(fd, "abc", 3, 1) == 3); // … and has no effect: odd offset, length and address
    CHECK(::fallocate(fd, 0, 0, 1 << 20) == -1);
    CHECK(errno == EOPNOTSUPP);
    CHECK(::fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == -1);
    REQUIRE(::ftruncate(fd, 8 << 20) == 0);
    struct stat status {};
    REQUIRE(::fstat(fd, &status) == 0);
    CHECK(status.st_blocks * 512 == 8 << 20); // not sparse: every cluster is allocated
    const auto written = [&medium] {
        std::ifstream file("/sys/block/" + fs::path(medium.node()).filename().string() + "/stat");
        std::uint64_t value = 0;
        for (int field = 0; field < 7; ++field) file >> value;
        return value * 512;
    };
    // The zeros are on their way to the medium, and are on the medium after fsync.
    const std::uint64_t before = written();
    REQUIRE(::pwrite(fd, std::string(1 << 20, 'x').data(), 1 << 20, 0) == 1 << 20);
    REQUIRE(::fsync(fd) == 0);
    CHECK(written() >= before + (1 << 20));
    ::close(fd);
}

TEST_CASE("the name of a file system is the last word of its line in the kernel's list") {
    const std::string listing = "nodev\tsysfs\nnodev\tfuse\n\text4\n\texfat\n";
    CHECK(lists_file_system(listing, "exfat"));
    CHECK(lists_file_system(listing, "fuse"));
    CHECK_FALSE(lists_file_system(listing, "ext"));
    CHECK_FALSE(lists_file_system(listing, "nodev"));
    CHECK_FALSE(lists_file_system("", "exfat"));
}
