// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests the view of a partition of a claimed medium as a separate device, on real loop devices.
#include "host/media/format/partition/linux/medium_view.hpp"

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

#include "host/media/claim/linux/kernel/sysfs.hpp"
#include "host/media/format/partition/linux/find_volume.hpp"
#include "tests/media/format/partition/partitioned_loop.hpp"
#include "tests/media/mount/mounting_exfat.hpp"

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

/// Number of loop devices on a node.
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
    std::string script; ///< script for sfdisk, in sectors
};

} // namespace

TEST_CASE("a view of a partition contains the partition from its first byte to its last byte") {
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
        auto view = open_view(medium.claim(), start, length);
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
        CHECK(reason(view->detach()) == "success");
        CHECK(view->descriptor() == -1);
        CHECK(reason(view->detach()) == "success");
    }
    CHECK(loops_upon(medium.node()).empty());
    CHECK(medium.read(start.count, 5) == "FIRST");
    CHECK(medium.read(start.count - 8, 8) == std::string(8, '\0'));
    CHECK(medium.read((start + length).count, 6) == "beyond");
    CHECK(reason(medium.claim().recheck(medium.discovery())) == "success");
}

TEST_CASE("a partition that is open through a loop device keeps its medium exclusive") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    REQUIRE(medium.claim().descriptor() >= 0);
    {
        const auto view = open_view(medium.claim(), 8_MiB, 32_MiB);
        REQUIRE(reason(view) == "success");
        CHECK(view->through_loop());
        CHECK(loops_upon(medium.node()).size() == 1);
        CHECK_FALSE(Descriptor(::open(medium.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC)));
        CHECK(errno == EBUSY);
        const auto claimed = claim_erasable(medium.discovery(), medium.node(), medium.image());
        REQUIRE_FALSE(claimed);
        CHECK(claimed.error().code == Errc::refused);
        CHECK_THAT(claimed.error().detail, ContainsSubstring("is in use by"));
    }
    CHECK(loops_upon(medium.node()).empty());
}

TEST_CASE("a span outside the medium is refused before anything is attached") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB, 4096);
    struct Row {
        Bytes start, length;
        std::string said;
    };
    const Row rows[] = {
        {64_MiB, 4_KiB, "reaches beyond the end of the medium, which has 67108864 bytes"},
        {32_MiB, 33_MiB, "reaches beyond the end of the medium, which has 67108864 bytes"},
        {4_KiB, Bytes{~std::uint64_t{4095}}, "reaches beyond the end of the medium, which has 67108864 bytes"},
        {1_MiB, 0_B, "does not consist of whole sectors of 4096 bytes"},
        {512_B, 1_MiB, "does not consist of whole sectors of 4096 bytes"},
        {1_MiB, 1_MiB + 512_B, "does not consist of whole sectors of 4096 bytes"},
    };
    for (const Row& row : rows) {
        const auto view = open_view(medium.claim(), row.start, row.length);
        REQUIRE_FALSE(view);
        CHECK(view.error() ==
              Error{Errc::bad_request, fmt::format("the partition of {} bytes at byte {} of {} {}", row.length.count,
                                                   row.start.count, medium.node(), row.said)});
    }
    CHECK(loops_upon(medium.node()).empty());
}

TEST_CASE("the error for a missing loop device names the purpose and the partition") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    const TemporaryFile no_control(1_B);
    const std::string which = "the partition of 33554432 bytes at byte 8388608 of " + medium.node();
    auto view = open_view(medium.claim(), 8_MiB, 32_MiB, {.loop_control = "/absent/loop-control"});
    CHECK(reason(view) == which + ": /absent/loop-control cannot be opened: No such file or directory");
    view = open_view(medium.claim(), 8_MiB, 32_MiB, {.loop_control = no_control.path()});
    CHECK(reason(view) == which + ": no free loop device: Inappropriate ioctl for device");
}

TEST_CASE("a claimed medium can be neither opened exclusively nor claimed again through any node") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    REQUIRE(medium.claim().descriptor() >= 0);
    const ToolFolder folder;
    const std::string alias = folder.path() + "/alias";
    struct stat status {};
    REQUIRE(::stat(medium.node().c_str(), &status) == 0);
    REQUIRE(::mknod(alias.c_str(), S_IFBLK | 0600, status.st_rdev) == 0);
    for (const std::string& node : {medium.node(), alias}) {
        CHECK_FALSE(Descriptor(::open(node.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC)));
        CHECK(errno == EBUSY);
    }
    CHECK_FALSE(run_checker("mkfs.ext4", {"-q", "-F", medium.node()}).succeeded());
    if (is_installed("udevadm"))
        CHECK_FALSE(run_checker("udevadm", {"lock", "--device=" + medium.node(), "--timeout=0", "true"}).succeeded());
    CHECK_FALSE(run_checker("sfdisk", {"--lock=nonblock", "--wipe=always", medium.node()}).succeeded());
    CHECK(std::system(("flock --nonblock --exclusive " + alias + " true").c_str()) == 0); // a lock belongs to one node
    const auto second = claim_erasable(medium.discovery(), medium.node(), medium.image());
    REQUIRE_FALSE(second);
    CHECK(second.error().code == Errc::refused);
    CHECK_THAT(second.error().detail, ContainsSubstring("is locked by another program"));
}

TEST_CASE("redirecting a loop device during a claim voids the claim") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    media::ErasableMedium& claim = medium.claim();
    CHECK(reason(claim.check_same()) == "success");
    const Descriptor root(::open(medium.node().c_str(), O_RDONLY | O_CLOEXEC));
    struct loop_info64 info {};
    REQUIRE(::ioctl(root.get(), LOOP_GET_STATUS64, &info) == 0);
    info.lo_offset = Bytes{1_MiB}.count;
    info.lo_sizelimit = Bytes{32_MiB}.count;
    REQUIRE(::ioctl(root.get(), LOOP_SET_STATUS64, &info) == 0);
    CHECK(claim.check_same().error().code == Errc::refused);
    CHECK_THAT(reason(open_view(claim, 0_B, 1_MiB)), ContainsSubstring("the range of this loop device was changed"));
    CHECK_FALSE(claim.recheck(medium.discovery()));
    CHECK(claim.descriptor() == -1);
}

TEST_CASE("a claim that released its medium acquires it again, or fails while a faster user has it") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    media::ErasableMedium& claim = medium.claim();
    CHECK(reason(claim.release()) == "success");
    CHECK(claim.descriptor() == -1);
    CHECK(claim.reading_descriptor() >= 0);
    {
        const Descriptor faster(::open(medium.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        REQUIRE(faster);
        CHECK_THAT(reason(claim.reacquire()), ContainsSubstring("is held exclusively"));
        CHECK_THAT(reason(open_view(claim, 8_MiB, 32_MiB)), ContainsSubstring("is not held any more"));
    }
    CHECK(reason(claim.reacquire()) == "success");
    CHECK(claim.descriptor() >= 0);
    CHECK(reason(claim.recheck(medium.discovery())) == "success");
}

TEST_CASE("a kernel node of another device is not used as the partition") {
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
    const ViewAccess access{.sysfs = sysfs.path(), .device_folder = dev.path()};

    // The number in sysfs differs from that of the node.
    std::ofstream(partition / "dev") << "259:77\n";
    const std::string node = dev.path() + "/sdz1";
    fs::copy_file(other.image(), node);
    CHECK(reason(open_partition_to_mount(claim, 8_MiB, 32_MiB, access)) == node + " is not a block device");
    fs::remove(node);
    fs::create_symlink(other.node(), node);
    CHECK_THAT(reason(open_partition_to_mount(claim, 8_MiB, 32_MiB, access)),
               ContainsSubstring(node + " cannot be opened for writing: Too many levels of symbolic links"));
    fs::remove(node);
    struct stat status {};
    REQUIRE(::stat(other.node().c_str(), &status) == 0);
    const dev_t of_other = status.st_rdev;
    REQUIRE(::mknod(node.c_str(), S_IFBLK | 0600, of_other) == 0);
    const auto taken = open_partition_to_mount(claim, 8_MiB, 32_MiB, access);
    REQUIRE_FALSE(taken);
    CHECK(taken.error() == Error{Errc::refused, node + " is not the partition of 33554432 bytes at byte 8388608 of " +
                                                    medium.node() + ": its name was given to another device"});
    // The number is equal, but the node belongs to another disk, with another disk sequence.
    std::ofstream(partition / "dev") << fmt::format("{}:{}\n", major(of_other), minor(of_other));
    CHECK(reason(open_partition_to_mount(claim, 8_MiB, 32_MiB, access)) == taken.error().detail);
    CHECK(loops_upon(other.node()).empty());
    // There is no node: a container shows only the disk.
    fs::remove(node);
    const auto by_loop = open_partition_to_mount(claim, 8_MiB, 32_MiB, access);
    REQUIRE(reason(by_loop) == "success");
    CHECK(by_loop->through_loop());
}

TEST_CASE("an exchanged medium is not opened as a view") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    media::ErasableMedium& claim = medium.claim();
    // State of a card that was pulled and inserted: same name, another disk sequence or size.
    const int fd = ::open(medium.node().c_str(), O_RDWR | O_CLOEXEC);
    std::filesystem::resize_file(medium.image(), Bytes{32_MiB}.count);
    REQUIRE(::ioctl(fd, LOOP_SET_CAPACITY) == 0);
    ::close(fd);
    CHECK_THAT(reason(open_view(claim, 8_MiB, 16_MiB)),
               ContainsSubstring("its size is 33.6 MB, but was 67.1 MB when it was identified"));
    CHECK_FALSE(claim.recheck(medium.discovery()));
    CHECK(reason(open_view(claim, 8_MiB, 16_MiB)) == medium.node() + " is not held any more: claim it again");
    CHECK(reason(find_volume(claim, {})) == medium.node() + " is not held any more: claim it again");
}

TEST_CASE("a killed process leaves no loop device on the medium") {
    NEEDS_TABLES();
    LoopMedium medium(64_MiB);
    // Open the device here, not in the child: this process has the loop device open for writing.
    REQUIRE(medium.claim().descriptor() >= 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const auto view = open_view(medium.claim(), 8_MiB, 32_MiB);
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
}

TEST_CASE("a volume is found in its partition by its bytes") {
    NEEDS_TABLES();
    if (!is_installed("mkfs.exfat")) MEDIARIG_SKIP("exfatprogs is not installed");
    LoopMedium medium(128_MiB);
    partition_by_sfdisk(medium, "label: gpt\nstart=2048, size=16384, type=U\nstart=32768, size=131072\n");
    REQUIRE(medium.claim().descriptor() >= 0);
    {
        const auto view = open_view(medium.claim(), 16_MiB, 64_MiB);
        REQUIRE(reason(view) == "success");
        CHECK(run_checker("mkfs.exfat", {view->node()}).succeeded());
    }
    const auto found = find_volume(medium.claim(), {.fs = FileSystem::exfat});
    REQUIRE(reason(found) == "success");
    CHECK(found->span == VolumeSpan{.start = 16_MiB, .length = 64_MiB, .partition = 2});
    CHECK_THAT(reason(find_volume(medium.claim(), {.fs = FileSystem::apfs})),
               ContainsSubstring(medium.node() +
                                 " holds no APFS (partition 1: nothing known (EFI system partition), "
                                 "2: exfat): make one with mediarig format, or measure the bare device (--raw)"));
}
