// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which image files a caller may use, and faults of the machine that affect an image during use.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/image/loop.hpp"
#include "tests/media/format/format_loop.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;
namespace fs = std::filesystem;

TEST_CASE("permission to write an image depends on the caller's rights, not the agent's") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root to work for another user");
    const TemporaryFile image(16_MiB);
    const process::Caller nobody{.user = 65534, .group = 65534, .groups = {}, .name = "nobody"};
    const auto read_only_for = [&](const process::Caller& caller) {
        const auto file = process::find_as(caller, image.path());
        REQUIRE(reason(file) == "success");
        const auto medium = describe_image(*file, caller);
        REQUIRE(reason(medium) == "success");
        return medium->read_only;
    };
    fs::permissions(image.path(), fs::perms(0644));
    CHECK_FALSE(read_only_for({}));
    CHECK(read_only_for(nobody));
    fs::permissions(image.path(), fs::perms(0666));
    CHECK_FALSE(read_only_for(nobody));
}

TEST_CASE("an image that is truncated during use is reported and does not count as a fault of the medium") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    CHECK_FALSE(loop->backing_fault());
    fs::resize_file(image.path(), Bytes{8_MiB}.count);
    REQUIRE(loop->backing_fault());
    CHECK(loop->backing_fault()->detail ==
          image.path() +
              " was truncated to 8388608 bytes during the test: the results are discarded; "
              "create it again, and try again");
}

TEST_CASE("an image that was unlinked or replaced by a rename is reported") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    CHECK_FALSE(loop->backing_fault());
    SECTION("unlinked") {
        fs::remove(image.path());
    }
    SECTION("renamed over") {
        std::ofstream(image.path() + ".new") << "another";
        fs::rename(image.path() + ".new", image.path());
    }
    REQUIRE(loop->backing_fault());
    CHECK(loop->backing_fault()->code == Errc::host_fault);
    CHECK(loop->backing_fault()->detail ==
          image.path() + " was removed, renamed or replaced during the test: the results are discarded; try again");
}

TEST_CASE("an image written and closed, or truncated and extended, by another process is reported") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const std::vector<std::function<void(const std::string&)>> changes{
        [](const std::string& path) {
            const Descriptor other(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
            CHECK(::pwrite(other.get(), "x", 1, 4711) == 1);
        },
        [](const std::string& path) {
            fs::resize_file(path, 4096);
            fs::resize_file(path, Bytes{16_MiB}.count);
        },
    };
    for (const auto& change : changes) {
        const TemporaryFile image(16_MiB);
        const auto loop = attach_loop(image.path());
        REQUIRE(reason(loop) == "success");
        if (!loop->direct_io()) MEDIARIG_SKIP("/var/tmp has no direct I/O");
        // Writes through the loop device itself are not reported.
        const Descriptor device(::open(loop->node().c_str(), O_RDWR | O_CLOEXEC));
        const std::string block(4096, 'b');
        REQUIRE(::pwrite(device.get(), block.data(), block.size(), 8192) == 4096);
        REQUIRE(::fsync(device.get()) == 0);
        CHECK_FALSE(loop->backing_fault());
        change(image.path());
        REQUIRE(loop->backing_fault());
        CHECK(loop->backing_fault()->code == Errc::host_fault);
        CHECK_THAT(loop->backing_fault()->detail, ContainsSubstring("another process wrote to " + image.path()));
        CHECK(loop->backing_fault().has_value()); // the fault is permanent
    }
}

TEST_CASE("writes through a mapping, or through a loop device that is detached again, are a fault of this machine") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const auto mapped = [](const std::string& path, int flags, bool close_first) {
        Descriptor other(::open(path.c_str(), flags | O_CLOEXEC));
        const bool writes = flags != O_RDONLY;
        void* const map =
            ::mmap(nullptr, 4096, writes ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, other.get(), 0);
        REQUIRE(map != MAP_FAILED);
        if (close_first) other.close();
        if (writes) *static_cast<char*>(map) = 'x';
        ::munmap(map, 4096);
    };
    const auto attached_once = [](const std::string& path, const std::string& options) {
        const std::string command =
            "l=$(losetup -f --show " + options + " " + path +
            ") && { dd if=/dev/zero of=$l bs=4096 count=1 conv=fsync 2>/dev/null; losetup -d $l; }";
        REQUIRE(std::system(command.c_str()) == 0);
    };
    struct Row {
        std::function<void(const std::string&)> change;
        bool told;
    };
    const std::vector<Row> rows{
        {[&](const std::string& path) { mapped(path, O_RDWR, true); }, true},
        {[&](const std::string& path) { mapped(path, O_RDWR, false); }, true},
        {[&](const std::string& path) { attached_once(path, ""); }, true},
        {[&](const std::string& path) { attached_once(path, "--direct-io=on -o 1048576"); }, true},
        {[](const std::string& path) {
             fs::create_hard_link(path, path + ".link");
             std::ofstream(path + ".link", std::ios::in | std::ios::out) << "x";
             fs::remove(path + ".link");
         },
         true},
        // A process that only reads the image, like a backup, is no fault after it has ended.
        {[&](const std::string& path) { mapped(path, O_RDONLY, true); }, false},
    };
    for (const std::string& where : {std::string("/var/tmp"), std::string("/dev/shm")}) {
        for (const Row& row : rows) {
            CAPTURE(where, &row - rows.data());
            std::string path = where + "/mediarig-image-XXXXXX";
            Descriptor(::mkstemp(path.data())).close();
            fs::resize_file(path, Bytes{16_MiB}.count);
            {
                const auto loop = attach_loop(path);
                REQUIRE(reason(loop) == "success");
                const Descriptor device(::open(loop->node().c_str(), O_RDWR | O_CLOEXEC));
                const std::string block(4096, 'b');
                REQUIRE(::pwrite(device.get(), block.data(), block.size(), 8192) == 4096);
                REQUIRE(::fsync(device.get()) == 0);
                CHECK_FALSE(loop->backing_fault());
                row.change(path);
                // udev may hold the other loop device for a moment.
                for (int i = 0; i < 2000 && row.told && loop->check_unused().has_value() && !loop->backing_fault(); ++i)
                    ::usleep(1000);
                const auto backing_fault = loop->backing_fault();
                CHECK(backing_fault.has_value() == row.told);
                if (!backing_fault) continue;
                CHECK(backing_fault->code == Errc::host_fault);
                CHECK_THAT(backing_fault->detail, ContainsSubstring("the results are discarded"));
            }
            fs::remove(path);
        }
    }
}

TEST_CASE("an attempt to attach an attached image does not affect the existing attachment") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    CHECK_FALSE(attach_loop(image.path()));
    const auto backing_fault = loop->backing_fault();
    CHECK((backing_fault ? backing_fault->detail : "") == "");
}

TEST_CASE("a loop device that was left write-protected is writable after it is attached again") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    for (int round = 0; round < 2; ++round) {
        const auto loop = attach_loop(image.path());
        REQUIRE(reason(loop) == "success");
        const Descriptor device(::open(loop->node().c_str(), O_RDWR | O_CLOEXEC));
        CHECK(::pwrite(device.get(), "x", 1, 0) == 1);
        CHECK(::fsync(device.get()) == 0);
        const int on = 1, off = 0;
        REQUIRE(::ioctl(device.get(), BLKROSET, round == 0 ? &on : &off) == 0);
    }
}

TEST_CASE("an image that another process opens during use is reported and does not count as a fault of the medium") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const TemporaryFile image(16_MiB);
    const auto loop = attach_loop(image.path());
    REQUIRE(reason(loop) == "success");
    Descriptor other(::open(image.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (!loop->backing_fault()) MEDIARIG_SKIP("/var/tmp is on a file system without reliable leases");
    CHECK_THAT(loop->backing_fault()->detail,
               ContainsSubstring("the results are discarded: " + image.path() + " is in use: ") &&
                   ContainsSubstring(": end that use, then try again") && !ContainsSubstring("is attached to"));
    other.close();
    CHECK_FALSE(loop->backing_fault());
}

TEST_CASE("a full disk is reported for a sparse image, but not for a fully allocated image") {
    if (!may_make_loops()) MEDIARIG_SKIP("needs root");
    const ToolFolder folder;
    if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=24m") != 0) MEDIARIG_SKIP("no tmpfs can be mounted");
    const auto fill = [](const std::string& path, Bytes bytes) {
        std::ofstream(path, std::ios::binary) << std::string(bytes.count, 'x');
    };
    const std::string sparse = folder.path() + "/sparse.img", stored = folder.path() + "/stored.img";
    std::ofstream(sparse).close();
    fs::resize_file(sparse, Bytes{64_MiB}.count);
    fill(stored, 2_MiB);
    {
        const auto on_sparse = attach_loop(sparse);
        REQUIRE(reason(on_sparse) == "success");
        const auto on_stored = attach_loop(stored);
        REQUIRE(reason(on_stored) == "success");
        CHECK_FALSE(on_sparse->backing_fault());
        fill(folder.path() + "/filler", 20_MiB);
        REQUIRE(on_sparse->backing_fault());
        CHECK_THAT(on_sparse->backing_fault()->detail, ContainsSubstring("the disk that holds " + sparse + " is full"));
        CHECK_FALSE(on_stored->backing_fault());
    }
    CHECK(::umount2(folder.path().c_str(), MNT_DETACH) == 0);
}
