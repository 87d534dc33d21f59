// SPDX-License-Identifier: GPL-3.0-or-later
/// A FUSE driver that stops responding or dies while a caller waits for its end.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>

#include "host/base/process/run_process.hpp"
#include "tests/media/format/format_loop.hpp"
#include "tests/media/mount/mounting_exfat.hpp"

using namespace mediarig;
using namespace mediarig::media;
using namespace mediarig::test;

TEST_CASE("a driver that dies during write-back is reported and does not count against the medium") {
    NEEDS_EXFAT_FUSE();
    MountedExfat medium;
    const pid_t driver = driver_of(medium.mount_point);
    REQUIRE(driver > 0);
    REQUIRE(::kill(driver, SIGSTOP) == 0);
    std::thread killer([&] {
        ::poll(nullptr, 0, 200);
        ::kill(driver, SIGKILL);
    });
    const auto unmounted = (*medium.mounted)->unmount();
    killer.join();
    REQUIRE_FALSE(unmounted);
    CHECK(unmounted.error().code == Errc::host_fault);
    CHECK(medium.is_free());
}

TEST_CASE("a hanging driver loses its volume within a second if a caller waits for the end of the driver") {
    NEEDS_EXFAT_FUSE();
    for (const int after_ms : {0, 100}) {
        CAPTURE(after_ms);
        MounterSetting setting = fuse_only();
        std::atomic<bool> cancel{false};
        setting.cancel = &cancel;
        MountedExfat medium(setting);
        const pid_t driver = driver_of(medium.mount_point);
        REQUIRE(driver > 0);
        REQUIRE(::kill(driver, SIGSTOP) == 0);
        cancel = after_ms == 0;
        std::thread asker([&] {
            ::poll(nullptr, 0, after_ms);
            cancel = true;
        });
        const auto begun = std::chrono::steady_clock::now();
        const auto unmounted = (*medium.mounted)->unmount();
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
        asker.join();
        CHECK(reason(unmounted) == "success");
        CHECK(medium.is_free());
        CHECK_FALSE(is_mounted(medium.mount_point));
        // The driver gets 0.7 s. The remaining time is for a busy machine.
        CHECK(took.count() < 5);
        std::cout << "taken from a stopped driver after " << took.count() << " s\n";
    }
}

TEST_CASE(
    "if a mount is cancelled right after its driver has mounted, the driver ends at once and its mount disappears") {
    NEEDS_EXFAT_FUSE();
    const auto before = zombies();
    ExfatMedium medium(256_MiB);
    const auto real = process::find_program("mount.exfat-fuse");
    REQUIRE(reason(real) == "success");
    ToolFolder tools;
    tools.add("mount.exfat-fuse",
              *real + " \"$@\"; [ \"$1\" = -V ] && exit 0\necho > " + tools.path() + "/started; exec sleep 600");
    std::atomic<bool> cancel{false};
    std::atomic<bool> over{false};
    std::chrono::steady_clock::time_point asked;
    std::thread canceller([&] {
        while (!over && ::access((tools.path() + "/started").c_str(), F_OK) != 0) ::poll(nullptr, 0, 1);
        asked = std::chrono::steady_clock::now();
        cancel = true;
    });
    const auto mounted = mount_whole(
        make_linux_mounter({.search_path = tools.search_path(), .kernel_file_systems = "/dev/null", .cancel = &cancel}),
        medium, FileSystem::exfat);
    const auto ended = std::chrono::steady_clock::now();
    over = true;
    canceller.join();
    REQUIRE_FALSE(mounted);
    CHECK(mounted.error().code == Errc::cancelled);
    CHECK(medium.is_free());
    CHECK(run_folders(std::to_string(::getpid())).empty());
    const std::chrono::duration<double> took = ended - asked;
    std::cout << "cancelled with the mount made after " << took.count() << " s\n";
    CHECK(took.count() < 5);
    CHECK(zombies() == before);
}

TEST_CASE("a volume whose last user ends during the unmount is unmounted") {
    NEEDS_EXFAT_FUSE();
    MountedExfat medium;
    // A program that another worker starts has copies of this worker's descriptors until its exec.
    const int held = ::open((medium.mount_point + "/held").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(held >= 0);
    std::thread user([&] {
        ::poll(nullptr, 0, 200);
        ::close(held);
    });
    const auto unmounted = (*medium.mounted)->unmount();
    user.join();
    CHECK(reason(unmounted) == "success");
    CHECK(medium.is_free());
    CHECK(is_clean(medium));
}

TEST_CASE("an agent that mounts repeatedly leaves no zombie process") {
    NEEDS_EXFAT_FUSE();
    const auto before = zombies(); // zombies of agents killed by other tests
    LoopMedium medium(64_MiB), none(64_MiB);
    format_exfat(medium);
    const auto mounter = make_linux_mounter(fuse_only());
    for (int time = 0; time < 10; ++time) {
        auto mounted = mount_whole(mounter, medium, FileSystem::exfat);
        REQUIRE(reason(mounted) == "success");
        // The volume was unmounted, the device removed, or the driver died.
        const pid_t driver = driver_of((*mounted)->report().mount_point);
        if (time % 3 == 0) REQUIRE(reason((*mounted)->unmount()) == "success");
        if (time % 3 == 1) (*mounted)->end_driver();
        if (time % 3 == 2) REQUIRE(::kill(driver, SIGKILL) == 0);
        mounted->reset();
        REQUIRE_FALSE(mount_whole(mounter, none, FileSystem::exfat));
        CHECK(zombies() == before);
    }
}
