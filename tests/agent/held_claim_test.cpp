// SPDX-License-Identifier: GPL-3.0-or-later
/// Claims of the agent's backend on the local kernel, and their protection against other processes.
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>

#include "host/agent/linux/linux_backend.hpp"
#include "host/media/claim/image/loop.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::agent;
namespace fs = std::filesystem;

namespace {

bool may_attach() {
    return ::geteuid() == 0 && ::access("/dev/loop-control", R_OK | W_OK) == 0;
}
#define NEEDS_LOOPS() \
    if (!may_attach()) MEDIARIG_SKIP("attaching loop devices needs root and /dev/loop-control")

class HeldClaimFixture : public tests::Scratch {
public:
    HeldClaimFixture() : Scratch("/var/tmp") {}
    ~HeldClaimFixture() {
        backend_.reset();
        for (const std::string& point : mounted_) ::umount2(point.c_str(), MNT_DETACH);
    }
    [[nodiscard]] std::string image(const std::string& name, Bytes size = 16_MiB) const {
        return Scratch::image(name, size);
    }
    [[nodiscard]] MediaBackend& backend() { return *backend_; }
    /// Attaches `image` as another process would.
    [[nodiscard]] media::LoopAttachment attach(const std::string& image, Bytes offset = {}, Bytes length = {}) const {
        const Descriptor file(::open(image.c_str(), O_RDWR | O_CLOEXEC));
        auto loop = media::attach_to_free_loop(file.get(), image, {.offset = offset, .length = length});
        REQUIRE(reason(loop) == "success");
        return std::move(*loop);
    }
    /// Mounts a device. Returns false if this kernel does not support the file system.
    [[nodiscard]] bool mount(const std::string& node) {
        if (std::system(("mkfs.ext4 -q -F " + node + " >/dev/null 2>&1").c_str()) != 0) return false;
        const std::string point = path("mounted");
        fs::create_directory(point);
        if (::mount(node.c_str(), point.c_str(), "ext4", 0, nullptr) != 0) return false;
        mounted_.push_back(point);
        return true;
    }

private:
    std::vector<std::string> mounted_;
    std::atomic<bool> stop_{false};
    std::unique_ptr<MediaBackend> backend_{make_linux_backend(media::make_linux_discovery(), {.stop_work = stop_})};
};

std::string bytes_at(const std::string& path, Bytes offset, std::size_t length) {
    std::string bytes(length, '?');
    std::ifstream(path)
        .seekg(static_cast<std::streamoff>(offset.count))
        .read(bytes.data(), static_cast<std::streamsize>(length));
    return bytes;
}

} // namespace

TEST_CASE("claim refuses a loop device on an image if another loop device on the image is mounted, at any offset") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img", 64_MiB);
    const auto used = fixture.attach(image, 16_MiB, 32_MiB);
    if (!fixture.mount(used.node())) MEDIARIG_SKIP("this kernel does not mount ext4");
    const auto whole = fixture.attach(image), overlapping = fixture.attach(image, 8_MiB, 16_MiB);
    for (const std::string& target : {whole.node(), overlapping.node(), image}) {
        CAPTURE(target);
        const auto claimed = fixture.backend().claim({target, target});
        REQUIRE_FALSE(claimed);
        CHECK(claimed.error().code == Errc::refused);
        CHECK_THAT(claimed.error().detail, ContainsSubstring("mounted"));
    }
    CHECK(fixture.backend().claim({used.node(), used.node()}).error().code == Errc::refused);
}

TEST_CASE("claim accepts a medium only once under all its names, and again after its release") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img");
    auto claim = fixture.backend().claim({image, image});
    REQUIRE(reason(claim) == "success");
    const auto by_name = fixture.backend().claim({image, image});
    REQUIRE_FALSE(by_name);
    CHECK(by_name.error().code == Errc::refused);
    const std::string node = (*claim)->medium().node;
    const auto by_node = fixture.backend().claim({node, image});
    REQUIRE_FALSE(by_node);
    CHECK(by_node.error().code == Errc::refused);
    CHECK(std::system(("mkfs.ext4 -q -F " + node + " >/dev/null 2>&1").c_str()) != 0);
    CHECK(reason((*claim)->release()) == "success");
    CHECK(reason(fixture.backend().claim({image, image})) == "success");
}

TEST_CASE("writes reach the claimed bytes although the named loop device is redirected") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img", 64_MiB);
    const auto named = fixture.attach(image, 8_MiB, 16_MiB);
    auto claim = fixture.backend().claim({named.node(), image});
    REQUIRE(reason(claim) == "success");
    CHECK((*claim)->medium().size == 16_MiB);
    CHECK((*claim)->medium().node != named.node());
    {
        const Descriptor exclusive(::open(named.node().c_str(), O_RDONLY | O_EXCL | O_CLOEXEC));
        CHECK_FALSE(exclusive); // the device is also held exclusively, so that no process can mount it
    }
    struct loop_info64 info {};
    REQUIRE(::ioctl(named.descriptor(), LOOP_GET_STATUS64, &info) == 0);
    info.lo_offset = Bytes{32_MiB}.count;
    REQUIRE(::ioctl(named.descriptor(), LOOP_SET_STATUS64, &info) == 0);

    const auto target = (*claim)->device();
    REQUIRE(reason(target) == "success");
    const std::string written(4096, 'W');
    REQUIRE(::pwrite(target->device_fd, written.data(), written.size(), 0) == 4096);
    REQUIRE(::fsync(target->device_fd) == 0);
    CHECK(bytes_at(image, 8_MiB, 4096) == written);
    CHECK(bytes_at(image, 32_MiB, 4096) == std::string(4096, '\0'));
    CHECK(reason((*claim)->release()) == "success");
}

TEST_CASE("a loop device that was set to another range of its file loses its claim before the next phase") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img", 64_MiB);
    auto claim = fixture.backend().claim({image, image});
    REQUIRE(reason(claim) == "success");
    const Descriptor somebody(::open((*claim)->medium().node.c_str(), O_RDONLY | O_CLOEXEC));
    struct loop_info64 info {};
    REQUIRE(::ioctl(somebody.get(), LOOP_GET_STATUS64, &info) == 0);
    info.lo_offset = Bytes{32_MiB}.count;
    info.lo_sizelimit = Bytes{16_MiB}.count;
    REQUIRE(::ioctl(somebody.get(), LOOP_SET_STATUS64, &info) == 0);
    const auto fault = (*claim)->backing_fault();
    REQUIRE(fault);
    CHECK(fault->code == Errc::host_fault);
    CHECK_THAT(fault->detail, ContainsSubstring(image + " got another range of its file during the test"));
    CHECK((*claim)->device().error().code == Errc::refused);
    CHECK((*claim)->format({.fs = media::FileSystem::hfs_plus_journaled}).error().code != Errc::io_failed);
    CHECK(bytes_at(image, 32_MiB, 4096) == std::string(4096, '\0'));
}

TEST_CASE("a typed name selects exactly the file with that name") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img"), with_space = fixture.image("card.img ");
    auto claim = fixture.backend().claim({with_space, with_space});
    REQUIRE(reason(claim) == "success");
    CHECK((*claim)->medium().backing_file == with_space);
    const auto target = (*claim)->device();
    REQUIRE(reason(target) == "success");
    REQUIRE(::pwrite(target->device_fd, "WWWW", 4, 0) == 4);
    REQUIRE(::fsync(target->device_fd) == 0);
    CHECK(bytes_at(with_space, 0_B, 4) == "WWWW");
    CHECK(bytes_at(image, 0_B, 4) == std::string(4, '\0'));
    const std::string control = fixture.image("card\x1b.img");
    CHECK(fixture.backend().claim({control, control}).error().code == Errc::bad_request);
    CHECK(fixture.backend().identify("/dev/../etc/passwd").error().code == Errc::bad_request);
}

TEST_CASE("claim refuses an image that was replaced after its inspection") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img"), other = fixture.image("other.img");
    const auto seen = fixture.backend().identify(image);
    REQUIRE(reason(seen) == "success");
    REQUIRE(::renameat2(AT_FDCWD, image.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0);
    const auto claimed = fixture.backend().claim({image, image, media::presence_of(*seen)});
    REQUIRE_FALSE(claimed);
    CHECK(claimed.error() ==
          Error{Errc::refused, image + " is not the device or image that was identified: identify it again"});
    const auto now = fixture.backend().identify(image);
    REQUIRE(reason(now) == "success");
    CHECK(reason(fixture.backend().claim({image, image, media::presence_of(*now)})) == "success");
}

TEST_CASE("claim refuses an image that was removed and created again") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img");
    const auto seen = fixture.backend().identify(image);
    REQUIRE(reason(seen) == "success");
    if (seen->file_born_ns == 0) MEDIARIG_SKIP("this file system keeps no birth times");
    // Most file systems reuse the inode number of a removed file for the next file.
    const auto tick = [] {
        timespec now{};
        ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
        return std::pair(now.tv_sec, now.tv_nsec);
    };
    for (const auto made = tick(); tick() == made;) {
    }
    for (int i = 0; i < 20; ++i) {
        REQUIRE(::unlink(image.c_str()) == 0);
        REQUIRE(fixture.image("card.img") == image);
        const auto claimed = fixture.backend().claim({image, image, media::presence_of(*seen)});
        REQUIRE_FALSE(claimed);
        CHECK(claimed.error().code == Errc::refused);
    }
}

TEST_CASE("an image is confirmed by its exact path, not by a link that leads to the image") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("card.img"), folder = image.substr(0, image.rfind('/'));
    fs::create_symlink(image, folder + "/link.img");
    CHECK(reason(fixture.backend().claim({folder + "/link.img", image})) == "success");
    for (const std::string& confirm :
         {folder, folder + "/other.img", std::string("card.img"), folder + "/link.img", folder + "/./card.img"}) {
        CAPTURE(confirm);
        CHECK(fixture.backend().claim({image, confirm}).error().code == Errc::refused);
    }
}

TEST_CASE("a loop device that another process attaches over claimed bytes is detected before mount and run") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img", 64_MiB);
    // The kernel grants no lease on a file below a loop device of another process.
    const auto named = fixture.attach(image);
    auto claim = fixture.backend().claim({named.node(), image});
    REQUIRE(reason(claim) == "success");
    const auto made = (*claim)->format({.fs = media::FileSystem::exfat});
    if (!made && made.error().code == Errc::no_driver) MEDIARIG_SKIP(made.error().detail);
    REQUIRE(reason(made) == "success");
    const media::VolumeRequest exfat{.fs = media::FileSystem::exfat, .partition = {}};
    {
        const auto later = fixture.attach(image);
        const auto mounted = (*claim)->mount(exfat);
        REQUIRE_FALSE(mounted);
        CHECK(mounted.error().code == Errc::refused);
        CHECK_THAT(mounted.error().detail, ContainsSubstring(later.node().substr(5) + " shows the same bytes"));
    }
    // The failed check has voided that claim.
    CHECK((*claim)->device().error().code == Errc::refused);
    REQUIRE(reason((*claim)->release()) == "success");
    claim = fixture.backend().claim({named.node(), image});
    REQUIRE(reason(claim) == "success");
    const auto mounted = (*claim)->mount(exfat);
    if (!mounted && mounted.error().code == Errc::no_driver) MEDIARIG_SKIP(mounted.error().detail);
    REQUIRE(reason(mounted) == "success");
    CHECK(reason((*claim)->directory()) == "success");
    {
        const auto later = fixture.attach(image);
        const auto target = (*claim)->directory();
        REQUIRE_FALSE(target);
        CHECK(target.error().code == Errc::refused);
        CHECK_THAT(target.error().detail, ContainsSubstring(later.node() + " shows the same bytes"));
    }
    CHECK(reason((*claim)->directory()) == "success");
    CHECK(reason((*claim)->unmount()) == "success");
    CHECK((*claim)->directory().error().code == Errc::bad_request);
    CHECK(reason((*claim)->release()) == "success");
}

TEST_CASE("a loop device on a file of another kind is refused, whatever part of the file the loop device shows") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const auto put = [](const std::string& path, std::streamoff at, const std::string& bytes) {
        std::fstream file(path);
        file.seekp(at);
        file << bytes;
    };
    const std::string database = fixture.image("notes.db"), machine = fixture.image("machine.qcow2"),
                      disk = fixture.image("disk.img"), footer = fixture.image("macos.dmg");
    put(database, 0, "SQLite format 3");
    put(machine, 0, "QFI\xfb");
    put(disk, 4 << 20, "%PDF-1.7");
    put(footer, (16 << 20) - 512, std::string("koly\0\0\0\4\0\0\2\0", 12));
    struct Row {
        std::string image;
        Bytes offset;
        const char* title;
    };
    for (const Row& row : {Row{database, 0_B, " is an SQLite database"},
                           {database, 8_MiB, " is an SQLite database"},
                           {machine, 0_B, " is a qcow2 image"},
                           {machine, 1_MiB, " is a qcow2 image"},
                           {footer, 0_B, " is a disk image of macOS (UDIF)"},
                           {disk, 4_MiB, " contains a PDF document at byte 4194304"}}) {
        CAPTURE(row.image, row.offset.count);
        const auto named = fixture.attach(row.image, row.offset);
        const auto claimed = fixture.backend().claim({named.node(), row.image});
        REQUIRE_FALSE(claimed);
        CHECK(claimed.error().code == Errc::refused);
        CHECK_THAT(claimed.error().detail, ContainsSubstring(row.image + row.title));
    }
    const auto named = fixture.attach(disk);
    CHECK(reason(fixture.backend().claim({named.node(), disk})) == "success");
}

TEST_CASE("claim refuses a loop device that another process has locked or opened for writing") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img");
    const auto named = fixture.attach(image);
    const auto refused_while = [&](const std::function<bool()>& does) {
        const pid_t other = ::fork();
        if (other == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            const bool done = does();
            ::raise(done ? SIGSTOP : SIGKILL);
            ::_exit(0);
        }
        int status = 0;
        REQUIRE(::waitpid(other, &status, WUNTRACED) == other);
        REQUIRE(WIFSTOPPED(status));
        const std::string outcome = reason(fixture.backend().claim({named.node(), image}));
        ::kill(other, SIGKILL);
        ::waitpid(other, nullptr, 0);
        return outcome;
    };
    const auto alone = [&](int flags) {
        // exec closes inherited descriptors, one of which is this loop device.
        ::close_range(3, ~0U, 0);
        return ::open(named.node().c_str(), flags);
    };
    CHECK_THAT(refused_while([&] { return ::flock(alone(O_RDONLY), LOCK_EX) == 0; }),
               ContainsSubstring(named.node() + " is locked by another program"));
    CHECK_THAT(refused_while([&] { return alone(O_RDWR) >= 0; }),
               ContainsSubstring(named.node() + " is open for writing in process"));
    CHECK(refused_while([&] { return alone(O_RDONLY) >= 0; }) == "success");
}

TEST_CASE("a loop device that another process makes read-only is reported as a fault of this machine") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img");
    const auto claim = fixture.backend().claim({image, image});
    REQUIRE(reason(claim) == "success");
    CHECK_FALSE((*claim)->backing_fault());
    const Descriptor other(::open((*claim)->medium().node.c_str(), O_RDONLY | O_CLOEXEC));
    const int read_only = 1;
    REQUIRE(::ioctl(other.get(), BLKROSET, &read_only) == 0);
    const auto fault = (*claim)->backing_fault();
    REQUIRE(fault);
    CHECK(fault->code == Errc::host_fault);
    CHECK_THAT(fault->detail, ContainsSubstring(image + " was made read-only during the test"));
}

TEST_CASE("a process that has a claimed device open for writing is reported as a fault of this machine") {
    NEEDS_LOOPS();
    HeldClaimFixture fixture;
    const std::string image = fixture.image("disk.img");
    const auto named = fixture.attach(image);
    const auto claim = fixture.backend().claim({named.node(), image});
    REQUIRE(reason(claim) == "success");
    CHECK_FALSE((*claim)->backing_fault());

    const pid_t other = ::fork();
    if (other == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // exec closes inherited descriptors, one of which is this loop device.
        ::close_range(3, ~0U, 0);
        const bool open = ::open(named.node().c_str(), O_RDWR) >= 0;
        ::raise(open ? SIGSTOP : SIGKILL);
        ::_exit(0);
    }
    int status = 0;
    REQUIRE(::waitpid(other, &status, WUNTRACED) == other);
    REQUIRE(WIFSTOPPED(status));
    const auto backing_fault = (*claim)->backing_fault();
    ::kill(other, SIGKILL);
    ::waitpid(other, nullptr, 0);
    REQUIRE(backing_fault);
    CHECK(backing_fault->code == Errc::host_fault);
    CHECK_THAT(backing_fault->detail, ContainsSubstring("another process can write to"));
    CHECK_FALSE((*claim)->backing_fault());
}
