// SPDX-License-Identifier: GPL-3.0-or-later
/// A partition of a claimed medium as a device of its own, on real loop devices.
#include "host/media/partition/partition_view.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/media/linux/sysfs.hpp"
#include "host/media/partition/find_volume.hpp"
#include "host/media/partition/kernel_partition.hpp"
#include "tests/media/mounting_exfat.hpp"
#include "tests/media/partitioned_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

namespace {

#define NEEDS_TABLES()                                  \
    if (!may_make_loops()) MEDIARIG_SKIP("needs root"); \
    if (!is_installed("sfdisk")) MEDIARIG_SKIP("fdisk is not installed")

std::string bytes_at(int descriptor, std::uint64_t offset, std::size_t length) {
    std::string bytes(length, '\0');
    REQUIRE(::pread(descriptor, bytes.data(), length, static_cast<off_t>(offset)) == static_cast<ssize_t>(length));
    return bytes;
}

/// The loop devices that stand on a node.
std::vector<std::string> loops_upon(const std::string& node) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/sys/class/block")) {
        const auto backing = read_file_if_there(entry.path() / "loop/backing_file");
        if (backing && *backing && **backing == node + "\n") found.push_back(entry.path().filename());
    }
    return found;
}

struct Layout {
    std::uint32_t sector;
    std::string script; ///< for sfdisk, in sectors
};

} // namespace

TEST_CASE("a partition is a device of its own: its first byte is the partition's, and it ends with it") {
    NEEDS_TABLES();
    const Layout layout = GENERATE(Layout{512, "label: dos\n16384,65536,7\n"}, Layout{512, "label: gpt\n16384,65536\n"},
                                   Layout{4096, "label: dos\n2048,8192,7\n"}, Layout{4096, "label: gpt\n2048,8192\n"});
    CAPTURE(layout.sector, layout.script);
    LoopMedium medium(64_MiB, layout.sector);
    partition_by_sfdisk(medium, layout.script);
    const Bytes start = 8_MiB, length = 32_MiB;
    medium.write(start.count, "first");
    medium.write((start + length).count - 4, "last");
    medium.write((start + length).count, "beyond");
    {
        auto view = open_partition(medium.claim(), start, length);
        REQUIRE(reason(view) == "success");
        CHECK(view->start() == start);
        CHECK(view->length() == length);
        CHECK(bytes_at(view->descriptor(), 0, 5) == "first");
        CHECK(bytes_at(view->descriptor(), length.count - 4, 4) == "last");
        std::uint64_t size = 0;
        int sector = 0;
        REQUIRE(::ioctl(view->descriptor(), BLKGETSIZE64, &size) == 0);
        REQUIRE(::ioctl(view->descriptor(), BLKSSZGET, &sector) == 0);
        CHECK(size == length.count);
        CHECK(sector == static_cast<int>(layout.sector));
        char beyond = 0;
        CHECK(::pread(view->descriptor(), &beyond, 1, static_cast<off_t>(length.count)) == 0);

        REQUIRE(::pwrite(view->descriptor(), "FIRST", 5, 0) == 5);
        REQUIRE(::fsync(view->descriptor()) == 0);
        CHECK(reason(view->give_back()) == "success");
        CHECK(view->descriptor() == -1);
        CHECK(reason(view->give_back()) == "success");
    }
    CHECK(loops_upon(medium.node()).empty());
    CHECK(medium.is_free());
    CHECK(medium.read(start.count, 5) == "FIRST");
    CHECK(medium.read(start.count - 8, 8) == std::string(8, '\0'));
    CHECK(medium.read((start + length).count, 6) == "beyond");
    CHECK(reason(medium.claim().recheck(medium.discovery())) == "success");
}

TEST_CASE("while a partition is open through a loop device its medium is nobody else's") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    REQUIRE(medium.claim().descriptor() >= 0);
    {
        const auto view = open_partition(medium.claim(), 8_MiB, 32_MiB);
        REQUIRE(reason(view) == "success");
        if (!view->through_loop()) MEDIARIG_SKIP("this kernel has a node for the partition");
        CHECK(loops_upon(medium.node()).size() == 1);
        CHECK_FALSE(medium.is_free());
        const auto second = open_partition(medium.claim(), 8_MiB, 32_MiB);
        REQUIRE_FALSE(second);
        CHECK(second.error() ==
              Error{Errc::refused, medium.node() + " is held by somebody else: unmount it, or close what uses it"});
        const auto claimed = claim_erasable(medium.discovery(), medium.node(), medium.image());
        REQUIRE_FALSE(claimed);
        CHECK(claimed.error().code == Errc::refused);
        CHECK_THAT(claimed.error().detail, ContainsSubstring("held ("));
    }
    CHECK(medium.is_free());
    CHECK(loops_upon(medium.node()).empty());
}

TEST_CASE("a span that is not on the medium is refused before anything is attached") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB, 4096);
    struct Row {
        Bytes start, length;
        std::string said;
    };
    const Row rows[] = {
        {64_MiB, 4_KiB, "reaches beyond its end: it has 67108864 bytes"},
        {32_MiB, 33_MiB, "reaches beyond its end: it has 67108864 bytes"},
        {4_KiB, Bytes{~std::uint64_t{4095}}, "reaches beyond its end: it has 67108864 bytes"},
        {1_MiB, 0_B, "is not whole sectors of 4096 bytes"},
        {512_B, 1_MiB, "is not whole sectors of 4096 bytes"},
        {1_MiB, 1_MiB + 512_B, "is not whole sectors of 4096 bytes"},
    };
    for (const Row& row : rows) {
        const auto view = open_partition(medium.claim(), row.start, row.length);
        REQUIRE_FALSE(view);
        CHECK(view.error() ==
              Error{Errc::bad_request, fmt::format("the partition of {} bytes at byte {} of {} {}", row.length.count,
                                                   row.start.count, medium.node(), row.said)});
    }
    CHECK(loops_upon(medium.node()).empty());
}

TEST_CASE("without a loop device to be had the error says what was wanted for which partition") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    const TemporaryFile no_control(1_B);
    const std::string which = "the partition of 33554432 bytes at byte 8388608 of " + medium.node();
    auto view = open_partition(medium.claim(), 8_MiB, 32_MiB, {.loop_control = "/absent/loop-control"});
    CHECK(reason(view) == which + ": /absent/loop-control cannot be opened: No such file or directory");
    view = open_partition(medium.claim(), 8_MiB, 32_MiB, {.loop_control = no_control.path()});
    CHECK(reason(view) == which + ": no free loop device: Inappropriate ioctl for device");
    CHECK(medium.is_free());
}

TEST_CASE("a partition or medium that somebody holds is not opened") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    media::ErasableMedium& claim = medium.claim();
    const Descriptor somebody(::open(medium.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
    REQUIRE(somebody);
    CHECK(reason(open_partition(claim, 8_MiB, 32_MiB)) ==
          medium.node() + " is held by somebody else: unmount it, or close what uses it");
    CHECK(loops_upon(medium.node()).empty());
}

TEST_CASE("a node that the kernel names but that is another device is not taken for the partition") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB), other(32_MiB);
    media::ErasableMedium& claim = medium.claim();
    const ToolFolder sysfs, dev;
    namespace fs = std::filesystem;
    const auto number = medium.claim().medium().number;
    const fs::path partition =
        fs::path(sysfs.path()) / "dev/block" / fmt::format("{}:{}", number.major, number.minor) / "sdz1";
    fs::create_directories(partition);
    for (const auto& [name, text] : {std::pair{"partition", "1"}, {"start", "16384"}, {"size", "65536"}})
        std::ofstream(partition / name) << text << "\n";
    const PartitionAccess access{.sysfs = sysfs.path(), .device_folder = dev.path()};

    // The number that sysfs gives is not that of the node.
    std::ofstream(partition / "dev") << "259:77\n";
    const std::string node = dev.path() + "/sdz1";
    fs::copy_file(other.image(), node);
    CHECK(reason(open_partition(claim, 8_MiB, 32_MiB, access)) == node + " is no block device");
    fs::remove(node);
    fs::create_symlink(other.node(), node);
    CHECK_THAT(reason(open_partition(claim, 8_MiB, 32_MiB, access)),
               ContainsSubstring(node + " cannot be opened for writing: Too many levels of symbolic links"));
    fs::remove(node);
    struct stat status {};
    REQUIRE(::stat(other.node().c_str(), &status) == 0);
    const dev_t of_other = status.st_rdev;
    REQUIRE(::mknod(node.c_str(), S_IFBLK | 0600, of_other) == 0);
    const auto taken = open_partition(claim, 8_MiB, 32_MiB, access);
    REQUIRE_FALSE(taken);
    CHECK(taken.error() == Error{Errc::refused, node + " is not the partition of 33554432 bytes at byte 8388608 of " +
                                                    medium.node() + ": its name was given to another device"});
    // The same number, but a node of another disk: its disk sequence tells.
    std::ofstream(partition / "dev") << fmt::format("{}:{}\n", major(of_other), minor(of_other));
    CHECK(reason(open_partition(claim, 8_MiB, 32_MiB, access)) == taken.error().detail);
    CHECK(loops_upon(other.node()).empty());
    // No node at all: a container that shows the disk alone.
    fs::remove(node);
    const auto by_loop = open_partition(claim, 8_MiB, 32_MiB, access);
    REQUIRE(reason(by_loop) == "success");
    CHECK(by_loop->through_loop());
}

TEST_CASE("the kernel makes the nodes of partitions in a devtmpfs, and in no container's folder") {
    const std::string root = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
    const std::string machine = root + "24 27 0:6 / /dev rw,relatime shared:2 - devtmpfs udev rw,mode=755\n";
    const std::string container = root + "31 27 0:40 / /dev rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755\n";
    CHECK(kernel_makes_nodes(machine, "/dev"));
    CHECK_FALSE(kernel_makes_nodes(container, "/dev"));
    CHECK_FALSE(kernel_makes_nodes(machine, "/srv/dev"));
    // The last mount on a folder is the one that is seen.
    CHECK_FALSE(kernel_makes_nodes(machine + "31 24 0:40 / /dev rw - tmpfs tmpfs rw\n", "/dev"));
    CHECK_FALSE(kernel_makes_nodes("", "/dev"));
    CHECK_FALSE(kernel_makes_nodes("no mountinfo", "/dev"));
}

TEST_CASE("a medium that was exchanged is not opened") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    media::ErasableMedium& claim = medium.claim();
    // As a card that is pulled out and put in again: the same name, another disk sequence or size.
    const int fd = ::open(medium.node().c_str(), O_RDWR | O_CLOEXEC);
    std::filesystem::resize_file(medium.image(), Bytes{32_MiB}.count);
    REQUIRE(::ioctl(fd, LOOP_SET_CAPACITY) == 0);
    ::close(fd);
    CHECK(reason(open_partition(claim, 8_MiB, 16_MiB)) == medium.node() + " is another device now: claim it again");
    CHECK_FALSE(claim.recheck(medium.discovery()));
    CHECK(reason(open_partition(claim, 8_MiB, 16_MiB)) == medium.node() + " is not held any more: claim it again");
    CHECK(reason(find_volume(claim, {})) == medium.node() + " is not held any more: claim it again");
}

TEST_CASE("a process that is killed leaves no loop device on the medium") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    REQUIRE(medium.claim().descriptor() >= 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto view = open_partition(medium.claim(), 8_MiB, 32_MiB);
        ::raise(view ? SIGSTOP : SIGABRT);
        ::_exit(1);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, WUNTRACED) == child);
    CHECK(WIFSTOPPED(status));
    CHECK(loops_upon(medium.node()).size() == 1);
    REQUIRE(::kill(child, SIGKILL) == 0);
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(soon([&] { return loops_upon(medium.node()).empty(); }));
    CHECK(soon([&] { return medium.is_free(); }));
}

TEST_CASE("a volume is found in its partition by what its bytes say") {
    NEEDS_TABLES();
    if (!is_installed("mkfs.exfat")) MEDIARIG_SKIP("exfatprogs is not installed");
    LoopMedium medium(128_MiB);
    partition_by_sfdisk(medium, "label: gpt\nstart=2048, size=16384, type=U\nstart=32768, size=131072\n");
    REQUIRE(medium.claim().descriptor() >= 0);
    {
        const auto view = open_partition(medium.claim(), 16_MiB, 64_MiB);
        REQUIRE(reason(view) == "success");
        CHECK(judge("mkfs.exfat", {view->node()}).succeeded());
    }
    const auto found = find_volume(medium.claim(), {.fs = FileSystem::exfat});
    REQUIRE(reason(found) == "success");
    CHECK(found->span == VolumeSpan{.start = 16_MiB, .length = 64_MiB, .partition = 2});
    CHECK_THAT(reason(find_volume(medium.claim(), {.fs = FileSystem::apfs})),
               ContainsSubstring(medium.node() + " holds no APFS (partition 1: nothing known (EFI system partition), "
                                                 "2: exfat); format it first"));
}
