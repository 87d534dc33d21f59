// SPDX-License-Identifier: GPL-3.0-or-later
/// Mounts in a private mount namespace are invisible to other processes, also if the process has another root folder.
#include <poll.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "host/base/process/mount_namespace.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig::process;
namespace fs = std::filesystem;

namespace {

/// Runs `injection` in a child process and returns its exit status, or -1 if the child did not exit.
template <class Injection>
int in_child(const Injection& injection) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(injection());
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

/// Returns 0 if this process could mount "/apart" and write a file there.
int mount_apart() {
    if (!enter_private_mount_namespace()) return 11;
    if (::mount("apart", "/apart", "tmpfs", 0, nullptr) != 0) return 12;
    if (!std::ofstream("/apart/mark").put('x')) return 13;
    // The files of mounts that existed before are still accessible.
    return ::access("/proc/self/status", F_OK) == 0 && ::access("/kept", F_OK) == 0 ? 0 : 14;
}

/// Makes a plain folder the root of this process, so the root is not a mount point. Makes all mounts shared, as systemd
/// does.
int enter_plain_chroot(const std::string& root) {
    if (!enter_private_mount_namespace()) return 1;
    // EINVAL: this test itself runs in a chroot, so mounts cannot be made shared here.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0 && errno != EINVAL) return 2;
    if (::mount("proc", (root + "/proc").c_str(), "proc", 0, nullptr) != 0) return 3;
    if (::chroot(root.c_str()) != 0 || ::chdir("/") != 0) return 4;
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0
               ? 5
               : 0; // success would mean that "/" is a mount point
}

int keep_to_oneself(const std::string& root) {
    if (const int failed = enter_plain_chroot(root); failed != 0) return failed;
    if (const int failed = in_child(mount_apart); failed != 0) return failed;
    return ::access("/apart/mark", F_OK) != 0 && ::access("/proc/self/status", F_OK) == 0 ? 0 : 6;
}

/// Returns 0 if the kernel releases a file system when its last visible mount ends, while a process runs in a private
/// namespace.
int release(const std::string& root) {
    if (const int failed = enter_plain_chroot(root); failed != 0) return failed;
    if (::mount("held", "/apart", "tmpfs", 0, nullptr) != 0) return 21;
    if (::mount(nullptr, "/apart", nullptr, MS_PRIVATE, nullptr) != 0) return 22;
    int done[2], life[2];
    if (::pipe(done) != 0 || ::pipe(life) != 0) return 23;
    const pid_t apart = ::fork();
    if (apart == 0) {
        ::close(life[1]);
        const bool good = enter_private_mount_namespace() && ::umount2("/apart", MNT_DETACH) == 0;
        char word = good ? 'y' : 'n';
        (void)!::write(done[1], &word, 1);
        (void)!::read(life[0], &word, 1); // until the parent ends
        ::_exit(0);
    }
    char word = 0;
    if (::read(done[0], &word, 1) != 1 || word != 'y') return 24;
    const int events = ::inotify_init1(IN_CLOEXEC);
    if (::inotify_add_watch(events, "/apart", IN_DELETE_SELF) < 0 || ::umount("/apart") != 0) return 25;
    pollfd waiting{.fd = events, .events = POLLIN, .revents = 0};
    constexpr int patience_ms = 10'000;
    inotify_event event{};
    while (::poll(&waiting, 1, patience_ms) == 1 && ::read(events, &event, sizeof event) > 0)
        if ((event.mask & IN_UNMOUNT) != 0) return 0;
    return 26;
}

} // namespace

TEST_CASE("a private mount namespace works in a plain chroot whose root is not a mount point") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const mediarig::tests::Scratch scratch;
    const std::string root = scratch.path();
    for (const char* folder : {"/proc", "/apart"}) fs::create_directory(root + folder);
    std::ofstream(root + "/kept").put('x');
    CHECK(in_child([&] { return keep_to_oneself(root); }) == 0);
    CHECK(in_child([&] { return release(root); }) == 0);
    CHECK_FALSE(fs::exists(root + "/apart/mark"));
    CHECK(fs::is_empty(root + "/proc"));
}
