// SPDX-License-Identifier: GPL-3.0-or-later
/// Attaches images to real loop devices, claims them with the real node operations, and tests all refusals.
#include "host/media/claim/image/loop.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "host/base/process/mount_namespace.hpp"
#include "host/media/claim/claim.hpp"
#include "host/media/claim/image/image_file.hpp"
#include "host/media/claim/linux/blkid_probe.hpp"
#include "host/media/claim/linux/hotplug_monitors.hpp"
#include "host/media/claim/linux/linux_discovery.hpp"
#include "host/media/claim/linux/linux_media.hpp"
#include "tests/catch.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::media;
namespace fs = std::filesystem;

namespace {

/// A temporary folder, removed with its contents.
class Folder : public tests::Scratch {
public:
    ~Folder() {
        for (const fs::path& point : mounted_) ::umount2(point.c_str(), MNT_DETACH);
    }
    [[nodiscard]] std::string image(const std::string& name, Bytes size = 16_MiB) const {
        return Scratch::image(name, size);
    }
    /// Makes a mount that is unmounted with the folder, also if the test fails.
    fs::path mount_point(const std::string& name) {
        mounted_.push_back(*this / name);
        fs::create_directory(mounted_.back());
        return mounted_.back();
    }

private:
    std::vector<fs::path> mounted_;
};

int run(const std::string& command) {
    return std::system(("{ " + command + "; } >/dev/null 2>&1").c_str());
}

std::string loop_of(const std::string& image) {
    const auto medium = describe_image(image);
    for (const Refusal& refusal : medium->refusals) {
        if (refusal.kind == RefusalKind::held) return refusal.detail;
    }
    return "none";
}

} // namespace

TEST_CASE("an image is described without being attached") {
    const Folder folder;
    const std::string image = folder.image("card.img", 20_MiB);
    const auto medium = make_linux_discovery()->identify(image);
    REQUIRE(reason(medium) == "success");
    CHECK(medium->node == image);
    CHECK(medium->transport == Transport::image);
    CHECK(medium->size == 20_MiB);
    CHECK(medium->number == DeviceNumber{0, 0});
    CHECK(medium->refusals.empty());
    CHECK(confirmation_of(*medium) == image);

    fs::create_symlink(image, folder.path() / "link.img");
    CHECK(describe_image((folder.path() / "link.img").string())->node == image);
}

TEST_CASE("a file that is not a medium is refused") {
    const Folder folder;
    const std::string path = folder.path().string();
    CHECK_THAT(reason(describe_image(path + "/absent.img")),
               ContainsSubstring("absent.img cannot be used: No such file"));
    CHECK(reason(describe_image(path)) == path + " is not an image file: it is not a regular file");
    CHECK(reason(make_linux_discovery()->identify(path)) ==
          path + " is a directory: name a block device or an image file");
    const auto small = describe_image(folder.image("small.img", 4_KiB));
    REQUIRE(small);
    CHECK(small->refusals ==
          std::vector<Refusal>{{RefusalKind::too_small, path + "/small.img has 4.10 kB, less than 1 MiB"}});
    const std::string locked = folder.image("locked.img");
    const std::string unwritable =
        " cannot be written by this user: change its permissions or attributes, or remount "
        "its file system without ro, then try again";
    fs::permissions(locked, fs::perms::owner_read);
    CHECK(describe_image(locked)->refusals == std::vector<Refusal>{{RefusalKind::read_only, locked + unwritable}});

    CHECK(attach_loop(path + "/absent.img").error().code == Errc::bad_request);
    CHECK(attach_loop(path).error().code == Errc::bad_request);
    CHECK(attach_loop(path + "/small.img").error().code == Errc::bad_request);
    CHECK(attach_loop(locked).error() == Error{Errc::refused, locked + unwritable});
}

TEST_CASE("a file of another type is not an image even if confirmed") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string database = folder.image("notes.db"), disk = folder.image("machine.qcow2");
    std::fstream(database) << "SQLite format 3";
    std::fstream(disk) << "QFI\xfb";
    CHECK_THAT(reason(attach_loop(database)), ContainsSubstring("is an SQLite database and not the image of a medium"));
    CHECK_THAT(reason(attach_loop(disk)), ContainsSubstring("is a qcow2 image"));
    const std::string photo = folder.image("holiday.jpg"), letter = folder.image("letter.txt"),
                      pattern = folder.image("pattern.img");
    std::fstream(photo) << "\xff\xd8\xff\xe0";
    std::fstream(letter) << "Dear Ada,\n" << std::string(600, 'x');
    std::fstream(pattern) << std::string(4096, 'U');
    CHECK_THAT(reason(attach_loop(photo)), ContainsSubstring("is a picture and not the image of a medium"));
    CHECK_THAT(reason(attach_loop(letter)), ContainsSubstring("is a text file and not the image of a medium"));
    CHECK(reason(attach_loop(pattern)) == "success");
}

TEST_CASE("an image is attached only once whatever path is used, and is detached without a trace") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img");
    fs::create_hard_link(image, folder.path() / "other name.img");
    {
        auto loop = attach_loop(image);
        REQUIRE(reason(loop) == "success");
        CHECK(loop->image() == image);
        CHECK_THAT(loop_of(image), ContainsSubstring("is attached to " + loop->node()));
        CHECK_THAT(reason(attach_loop(image)), ContainsSubstring("card.img is attached to "));
        const auto by_other_name = attach_loop((folder.path() / "other name.img").string());
        REQUIRE_FALSE(by_other_name);
        CHECK(by_other_name.error().code == Errc::refused);
        CHECK(reason(loop->detach()) == "success");
        CHECK(reason(loop->detach()) == "success");
        CHECK(loop_of(image) == "none");
    }
    {
        const auto again = attach_loop(image);
        REQUIRE(reason(again) == "success");
    }
    CHECK(loop_of(image) == "none");
}

TEST_CASE("a loop device uses direct I/O if the file system of its backing file supports it, and reports this") {
    NEEDS_LOOPS();
    const Folder folder;
    const auto loop = attach_loop(folder.image("card.img"));
    REQUIRE(reason(loop) == "success");
    std::ifstream dio("/sys/class/block/" + loop->node().substr(5) + "/loop/dio");
    int kernel_says = -1;
    dio >> kernel_says;
    CHECK(loop->direct_io() == (kernel_says == 1));
}

TEST_CASE("an image on a file system without direct I/O is attached") {
    NEEDS_LOOPS();
    Folder folder;
    const fs::path memory = folder.mount_point("memory");
    REQUIRE(::mount("none", memory.c_str(), "ramfs", 0, nullptr) == 0);
    std::ofstream(memory / "card.img").close();
    fs::resize_file(memory / "card.img", (4_MiB).count);
    const auto loop = attach_loop((memory / "card.img").string());
    REQUIRE(reason(loop) == "success");
    CHECK_FALSE(loop->direct_io());
}

TEST_CASE("a killed process leaves no attached device") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img");
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const auto loop = attach_loop(image);
        const char answer = loop ? 'y' : 'n';
        if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    CHECK(loop_of(image) != "none");
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    // The kernel detaches asynchronously after the last descriptor is closed.
    for (int i = 0; i < 1000 && loop_of(image) != "none"; ++i) ::poll(nullptr, 0, 10);
    CHECK(loop_of(image) == "none");
}

TEST_CASE("an attached image is claimed by its path, and writes reach only that image") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img"), bystander = folder.image("bystander.img");
    const auto loop = attach_loop(image);
    const auto other = attach_loop(bystander);
    REQUIRE(reason(loop) == "success");
    REQUIRE(reason(other) == "success");
    const auto discovery = make_linux_discovery();

    CHECK_THAT(reason(claim_erasable(*discovery, loop->node(), bystander)),
               ContainsSubstring("the confirmation does not match"));
    auto claim = claim_erasable(*discovery, loop->node(), image);
    REQUIRE(reason(claim) == "success");
    CHECK(claim->medium().backing_file == image);
    CHECK(claim->medium().transport == Transport::loop);
    CHECK(device_key(claim->medium()) != device_key(*describe_image(bystander)));
    CHECK((::fcntl(claim->descriptor(), F_GETFD) & FD_CLOEXEC) != 0);
    REQUIRE(reason(claim->recheck(*discovery)) == "success");

    const std::vector<char> pattern(4096, 'W');
    REQUIRE(::pwrite(claim->descriptor(), pattern.data(), pattern.size(), 8192) == 4096);
    REQUIRE(::fsync(claim->descriptor()) == 0);
    std::vector<char> found(4096);
    std::ifstream(image).seekg(8192).read(found.data(), 4096);
    CHECK(found == pattern);
    std::vector<char> untouched((16_MiB).count, 'x');
    std::ifstream(bystander).read(untouched.data(), static_cast<std::streamsize>(untouched.size()));
    CHECK(untouched == std::vector<char>(untouched.size(), '\0'));
}

TEST_CASE("an image file cannot be claimed before it is attached") {
    const Folder folder;
    const std::string image = folder.image("card.img");
    const auto discovery = make_linux_discovery();
    const auto claim = claim_erasable(*discovery, image, image);
    REQUIRE_FALSE(claim);
    CHECK(claim.error() ==
          Error{Errc::bad_request, image + " is an image file: attach it to a loop device and claim the loop device"});
}

TEST_CASE("the error for a device with an exclusive holder names the holder") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img");
    const auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    const auto discovery = make_linux_discovery();
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
        const int fd = ::open(loop->node().c_str(), O_RDWR | O_EXCL | O_CLOEXEC);
        const char answer = fd >= 0 ? 'y' : 'n';
        if (::write(ready[1], &answer, 1) != 1) ::_exit(1);
        ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    CHECK(answer == 'y');
    const auto claim = claim_erasable(*discovery, loop->node(), image);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    REQUIRE_FALSE(claim);
    CHECK(claim.error().code == Errc::refused);
    CHECK_THAT(reason(claim),
               ContainsSubstring("is held exclusively") && ContainsSubstring("process " + std::to_string(child)));
    CHECK(reason(claim_erasable(*discovery, loop->node(), image)) == "success");
}

TEST_CASE("a mounted image is refused and not detached") {
    NEEDS_LOOPS();
    Folder folder;
    const std::string image = folder.image("card.img");
    if (run("mkfs.ext4 -q -F " + image) != 0) MEDIARIG_SKIP("mkfs.ext4 is not installed");
    auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    const fs::path point = folder.mount_point("point");
    if (::mount(loop->node().c_str(), point.c_str(), "ext4", 0, nullptr) != 0)
        MEDIARIG_SKIP("this kernel does not mount ext4");
    const auto discovery = make_linux_discovery();
    const std::string name = loop->node().substr(5);
    CHECK_THAT(reason(claim_erasable(*discovery, loop->node(), image)),
               ContainsSubstring(name + " is mounted on " + point.string()));
    CHECK(reason(loop->detach()) == loop->node() + " cannot be detached: it is mounted or held by another device");
    ::umount(point.c_str());
    CHECK(reason(claim_erasable(*discovery, loop->node(), image)) == "success");
    CHECK(reason(loop->detach()) == "success");
}

TEST_CASE("an image replaced under its loop device voids the claim") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img"), other = folder.image("other.img");
    auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    const auto discovery = make_linux_discovery();
    auto claim = claim_erasable(*discovery, loop->node(), image);
    REQUIRE(reason(claim) == "success");
    // Another process enlarges the file: the kernel and the claim detect it.
    fs::resize_file(image, (32_MiB).count);
    REQUIRE(run("losetup -c " + loop->node()) == 0);
    CHECK_THAT(reason(claim->recheck(*discovery)),
               ContainsSubstring("its size is 33.6 MB, but was 16.8 MB when it was identified"));
    CHECK(claim->descriptor() == -1);
}

TEST_CASE("a changed offset of a loop device voids its claim, even if the size of the device stays the same") {
    NEEDS_LOOPS();
    const Folder folder;
    const std::string image = folder.image("card.img");
    auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    const auto discovery = make_linux_discovery();
    auto claim = claim_erasable(*discovery, loop->node(), image);
    REQUIRE(reason(claim) == "success");
    fs::resize_file(image, (17_MiB).count);
    {
        const Descriptor device(::open(loop->node().c_str(), O_RDONLY | O_CLOEXEC));
        struct loop_info64 window {};
        REQUIRE(::ioctl(device.get(), LOOP_GET_STATUS64, &window) == 0);
        window.lo_offset = (1_MiB).count;
        REQUIRE(::ioctl(device.get(), LOOP_SET_STATUS64, &window) == 0);
    }
    CHECK_THAT(reason(claim->check_same()), ContainsSubstring("the range of this loop device was changed"));
    CHECK_FALSE(claim->recheck(*discovery));
    CHECK(claim->descriptor() == -1);
}

TEST_CASE("signatures are read from the medium, from the whole device and its partitions") {
    NEEDS_LOOPS();
    if (run("sfdisk --version") != 0) MEDIARIG_SKIP("sfdisk is not installed");
    const Folder folder;
    const std::string image = folder.image("disk.img", 64_MiB);
    REQUIRE(run("printf 'label: gpt\\nstart=2048,size=32768\\nstart=40960,size=40960\\n' | sfdisk " + image) == 0);
    {
        // The label of a physical volume as written by LVM into the second sector of the second partition.
        std::fstream file(image, std::ios::in | std::ios::out | std::ios::binary);
        std::string label(512, '\0');
        label.replace(0, 8, "LABELONE");
        label[8] = 1;
        label[20] = 32;
        label.replace(24, 8, "LVM2 001");
        label.replace(32, 32, "aaaaaaaabbbbbbbbccccccccdddddddd");
        // CRC-32 of LVM without the final inversion, over bytes 20 to 511 with the initial value 0xf597a6cf.
        std::uint32_t crc = 0xf597a6cf;
        for (std::size_t i = 20; i < 512; ++i) {
            crc ^= static_cast<unsigned char>(label[i]);
            for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
        }
        for (unsigned i = 0; i < 4; ++i) label[16 + i] = static_cast<char>(crc >> (8 * i));
        file.seekp(40960 * 512 + 512);
        file.write(label.data(), 512);
    }
    const int fd = ::open(image.c_str(), O_RDONLY | O_CLOEXEC);
    const auto scan = probe_signatures(fd, 64_MiB);
    ::close(fd);
    REQUIRE(reason(scan) == "success");
    REQUIRE(scan->found.size() == 1);
    CHECK(scan->found.front().type == "LVM2_member");
    CHECK(scan->found.front().offset == Bytes{40960 * 512});

    const auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    CHECK_THAT(reason(claim_erasable(*make_linux_discovery(), loop->node(), image)),
               ContainsSubstring(loop->node()) && ContainsSubstring("the signature LVM2_member"));
}

TEST_CASE("without udev, an encrypted image is refused by its contents") {
    NEEDS_LOOPS();
    if (run("cryptsetup --version") != 0) MEDIARIG_SKIP("cryptsetup is not installed");
    const Folder folder;
    const std::string image = folder.image("vault.img", 32_MiB);
    REQUIRE(run("printf pass | cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 " + image +
                " -") == 0);
    const auto loop = attach_loop(image);
    REQUIRE(reason(loop) == "success");
    LinuxDiscovery blind(without_udev(), [](const std::string&) { return Result<std::vector<Signature>>(); });
    CHECK_THAT(reason(claim_erasable(blind, loop->node(), image)),
               ContainsSubstring(loop->node() + " holds crypto_LUKS data"));
}

TEST_CASE("the device list of this machine contains its root with a refusal, equally with and without udev") {
    const auto with_udev = make_linux_discovery();
    LinuxDiscovery without(without_udev(), read_signatures_of);
    const auto a = with_udev->list(), b = without.list();
    REQUIRE(reason(a) == "success");
    REQUIRE(reason(b) == "success");
    struct stat root {};
    REQUIRE(::stat("/", &root) == 0);
    REQUIRE(a->size() == b->size());
    for (std::size_t i = 0; i < a->size(); ++i) {
        CHECK((*a)[i].node == (*b)[i].node);
        CHECK((*a)[i].number == (*b)[i].number);
        const bool carries_root = (*a)[i].number == DeviceNumber{static_cast<std::uint32_t>(root.st_dev >> 8 & 0xfff),
                                                                 static_cast<std::uint32_t>(root.st_dev & 0xff)};
        if (carries_root) CHECK((*a)[i].refusals != std::vector<Refusal>{});
    }
}

TEST_CASE("the kernel reports a change of a loop device if udev is not used") {
    NEEDS_LOOPS();
    auto monitor = make_kernel_monitor();
    if (!monitor) MEDIARIG_SKIP(reason(monitor));
    const Folder folder;
    const auto loop = attach_loop(folder.image("card.img"));
    REQUIRE(reason(loop) == "success");
    bool seen = false;
    for (int i = 0; i < 100 && !seen; ++i) {
        struct pollfd waiting {
            (*monitor)->descriptor(), POLLIN, 0
        };
        ::poll(&waiting, 1, 100);
        while (const auto event = (*monitor)->next()) seen = seen || event->node == loop->node();
    }
    CHECK(seen);
}
