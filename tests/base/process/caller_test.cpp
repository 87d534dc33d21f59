// SPDX-License-Identifier: GPL-3.0-or-later
/// Tests which user a privileged process works for, and which files it can open for this user. Uses real users, groups
/// and files.
#include "host/base/process/caller.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "host/base/process/mount_namespace.hpp"
#include "tests/catch.hpp"
#include "tests/scratch.hpp"

using namespace mediarig;
using namespace mediarig::process;
namespace fs = std::filesystem;

namespace {

// User and group ids that no system assigns automatically.
const Caller guest{.user = 61001, .group = 61002, .groups = {61002, 61003}, .name = "guest"};
constexpr uid_t neighbour = 61011;
constexpr gid_t shared_group = 61003; ///< one of the guest's groups
constexpr gid_t other_group = 61012;

/// A folder that every user may enter, with files of several owners.
class CallerFolder : public tests::Scratch {
public:
    CallerFolder() { REQUIRE(::chmod(path().c_str(), 0755) == 0); }
    std::string file(const std::string& name, uid_t user, gid_t group, mode_t mode) const {
        std::ofstream(path(name)) << "contents";
        REQUIRE(::chown(path(name).c_str(), user, group) == 0);
        REQUIRE(::chmod(path(name).c_str(), mode) == 0);
        return path(name);
    }
    std::string folder(const std::string& name, uid_t user, gid_t group, mode_t mode) const {
        REQUIRE(::mkdir(path(name).c_str(), 0700) == 0);
        REQUIRE(::chown(path(name).c_str(), user, group) == 0);
        REQUIRE(::chmod(path(name).c_str(), mode) == 0);
        return path(name);
    }
};

Errc code_of(const Result<FoundFile>& result) {
    REQUIRE_FALSE(result.has_value());
    return result.error().code;
}

std::uint64_t effective_capabilities() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
    REQUIRE(::syscall(SYS_capget, &header, sets.data()) == 0);
    return sets[0].effective | (std::uint64_t{sets[1].effective} << 32);
}

template <class Body>
int exit_of_child(const Body& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    int status = 0;
    if (pid < 0 || ::waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

/// Runs `body` in a mount namespace whose user database contains the guest.
template <class Body>
int with_guest_in_user_database(const CallerFolder& folder, const Body& body) {
    std::ofstream(folder.path("passwd")) << "root:x:0:0:root:/root:/bin/sh\nguest:x:61001:61002::/:/bin/false\n";
    std::ofstream(folder.path("group")) << "root:x:0:\nguest:x:61002:\nshared:x:61003:somebody,guest\nother:x:61012:\n";
    return exit_of_child([&] {
        if (!enter_private_mount_namespace()) return 100;
        for (const char* name : {"passwd", "group"})
            if (::mount(folder.path(name).c_str(), (std::string("/etc/") + name).c_str(), nullptr, MS_BIND, nullptr) !=
                0)
                return 101;
        ::unsetenv("SUDO_UID");
        ::unsetenv("PKEXEC_UID");
        return body();
    });
}

} // namespace

TEST_CASE("the caller is the user of SUDO_UID or PKEXEC_UID with the groups of the user database") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    for (const char* variable : {"SUDO_UID", "PKEXEC_UID"}) {
        CAPTURE(variable);
        CHECK(with_guest_in_user_database(folder, [&] {
                  ::setenv(variable, "61001", 1);
                  const auto caller = find_caller();
                  return caller && *caller == guest ? 0 : 1;
              }) == 0);
    }
    CHECK(with_guest_in_user_database(folder, [] {
              const auto caller = find_caller();
              return caller && caller->is_root() && caller->name.empty() ? 0 : 1;
          }) == 0);
}

TEST_CASE("find_caller() fails if SUDO_UID or PKEXEC_UID names an unknown user") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    for (const char* text : {"", "guest", "61001x", "-1", "4294967295", "99999999999", "61099"}) {
        for (const char* variable : {"SUDO_UID", "PKEXEC_UID"}) {
            CAPTURE(text, variable);
            CHECK(with_guest_in_user_database(folder, [&] {
                      ::setenv(variable, text, 1);
                      const auto caller = find_caller();
                      return !caller && caller.error().code == Errc::refused ? 0 : 1;
                  }) == 0);
        }
    }
    CHECK(with_guest_in_user_database(folder, [] {
              ::setenv("SUDO_UID", "61001", 1);
              ::setenv("PKEXEC_UID", "0", 1);
              const auto caller = find_caller();
              return !caller && caller.error().code == Errc::refused ? 0 : 1;
          }) == 0);
}

TEST_CASE("a process that root did not start uses its real user and ignores the environment") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    CHECK(with_guest_in_user_database(folder, [] {
              ::setenv("SUDO_UID", "0", 1);
              if (::setgid(61002) != 0 || ::setuid(61001) != 0) return 2;
              const auto caller = find_caller();
              return caller && caller->user == 61001 ? 0 : 1;
          }) == 0);
}

TEST_CASE("files are opened with the rights of the caller, not of root") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    struct Row {
        const char* name;
        uid_t user;
        gid_t group;
        mode_t mode;
        bool opens;
    };
    const Row rows[] = {
        {"his own", guest.user, 0, 0600, true},
        {"his own without write permission", guest.user, 0, 0400, false},
        {"root's", 0, 0, 0600, false},
        {"root's, of his main group", 0, guest.group, 0660, true},
        {"root's, of a supplementary group of his", 0, shared_group, 0660, true},
        {"root's, of a group of others", 0, other_group, 0660, false},
        {"another user's", neighbour, other_group, 0600, false},
        {"root's, readable for all", 0, 0, 0644, false},
        {"another user's, writable for all", neighbour, other_group, 0666, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        const std::string path = folder.file(row.name, row.user, row.group, row.mode);
        const auto opened = open_as(guest, path, S_IFREG, O_RDWR);
        if (row.opens) {
            REQUIRE(reason(opened) == "success");
            CHECK(opened->path == path);
            CHECK(opened->status.st_size == 8);
            CHECK((::fcntl(opened->descriptor.get(), F_GETFL) & (O_ACCMODE | O_NONBLOCK)) == O_RDWR);
            CHECK((::fcntl(opened->descriptor.get(), F_GETFD) & FD_CLOEXEC) != 0);
        } else {
            CHECK(code_of(opened) == Errc::no_permission);
            CHECK_THAT(reason(opened), ContainsSubstring("user guest, for whom mediarig runs"));
        }
        // root can open the file: the rights were restored, so the caller's rights caused the refusal.
        CHECK(reason(open_as({}, path, S_IFREG, O_RDWR)) == "success");
    }
}

TEST_CASE("a path in a folder that the caller may not enter is reported as missing") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    const std::string closed = folder.folder("closed", neighbour, other_group, 0700);
    folder.file("closed/a", neighbour, other_group, 0666);
    ::symlink((closed + "/a").c_str(), folder.path("a").c_str());
    ::symlink((closed + "/b").c_str(), folder.path("b").c_str());
    for (const std::string& base : {closed + "/", folder.path("")}) {
        const auto present = open_as(guest, base + "a", S_IFREG, O_RDONLY);
        const auto absent = open_as(guest, base + "b", S_IFREG, O_RDONLY);
        CHECK(code_of(present) == Errc::no_permission);
        CHECK(code_of(absent) == Errc::no_permission);
        std::string with_other_name = reason(absent);
        with_other_name.replace(with_other_name.find(base + "b"), base.size() + 1, base + "a");
        CHECK(reason(present) == with_other_name);
    }
    CHECK(code_of(open_as(guest, folder.path("c"), S_IFREG, O_RDONLY)) == Errc::bad_request);
}

TEST_CASE("open_as() follows links, except links of /proc that lead to files of a process") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    const std::string path = folder.file("file", guest.user, guest.group, 0600);
    ::symlink("file", folder.path("link").c_str());
    const auto opened = open_as(guest, folder.path("link"), S_IFREG, O_RDWR);
    REQUIRE(reason(opened) == "success");
    CHECK(opened->path == path);

    // This process holds open a file whose folder the caller may not enter.
    folder.folder("closed", 0, 0, 0700);
    const std::string hidden = folder.file("closed/hidden", 0, 0, 0666);
    const Descriptor held(::open(hidden.c_str(), O_RDWR | O_CLOEXEC));
    const std::string through_us = "/proc/self/fd/" + std::to_string(held.get());
    ::symlink(through_us.c_str(), folder.path("into").c_str());
    const std::string through_pid = "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(held.get());
    for (const std::string& into : {through_us, through_pid, folder.path("into"), std::string("/dev/stdin"),
                                    "/proc/self/root" + hidden, "/proc/1/root" + path, std::string("/proc/self/exe")}) {
        CAPTURE(into);
        const auto refused = open_as(guest, into, S_IFREG, O_RDONLY);
        CHECK((code_of(refused) == Errc::bad_request || code_of(refused) == Errc::no_permission));
    }
}

TEST_CASE("open_as() opens only a file of the requested kind") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    const std::string fifo = folder.path("fifo");
    REQUIRE(::mkfifo(fifo.c_str(), 0666) == 0);
    REQUIRE(::chmod(fifo.c_str(), 0666) == 0);
    const std::string sub = folder.folder("sub", guest.user, guest.group, 0700);
    const std::string file = folder.file("file", guest.user, guest.group, 0600);
    // A FIFO without a reader would block or answer ENXIO if it were opened.
    CHECK(reason(open_as(guest, fifo, S_IFREG, O_WRONLY)) == fifo + " is not a regular file; check the name");
    CHECK(reason(open_as(guest, sub, S_IFREG, O_RDONLY)) == sub + " is not a regular file; check the name");
    CHECK(reason(open_as(guest, file, S_IFDIR, O_RDONLY)) == file + " is not a directory; check the name");
    CHECK(reason(open_as(guest, file, S_IFBLK, O_RDONLY)) == file + " is not a block device; check the name");
    CHECK(reason(open_as(guest, file, S_IFCHR, O_RDONLY)) == file + " is not a character device; check the name");
    CHECK(reason(open_as(guest, "/dev/null", S_IFREG, O_RDONLY)) == "/dev/null is not a regular file; check the name");
    CHECK(reason(open_as(guest, sub, S_IFDIR, O_RDONLY)) == "success");
    CHECK(reason(open_as(guest, "/dev/null", S_IFCHR, O_RDWR)) == "success");
    CHECK(code_of(open_as(guest, std::string("/dev/null\0x", 11), S_IFCHR, O_RDWR)) == Errc::bad_request);
    CHECK(code_of(open_as(guest, "", S_IFDIR, O_RDONLY)) == Errc::bad_request);
}

TEST_CASE("a file under a lease of another process is refused at once") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    const std::string path = folder.file("leased", guest.user, guest.group, 0600);
    const Descriptor held(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    // When another process tries to open the file, the kernel sends SIGIO to the lease holder.
    ::signal(SIGIO, SIG_IGN);
    if (::fcntl(held.get(), F_SETLEASE, F_WRLCK) != 0) MEDIARIG_SKIP("this file system has no leases");
    CHECK(code_of(open_as(guest, path, S_IFREG, O_RDWR)) == Errc::refused);
    ::fcntl(held.get(), F_SETLEASE, F_UNLCK);
    ::signal(SIGIO, SIG_DFL);
}

TEST_CASE("reopen() opens the file that find_as() returned, although it was renamed") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const CallerFolder folder;
    const std::string path = folder.file("name", guest.user, guest.group, 0600);
    const auto found = find_as(guest, path);
    REQUIRE(reason(found) == "success");
    folder.file("other", 0, 0, 0600);
    REQUIRE(::syscall(SYS_renameat2, AT_FDCWD, path.c_str(), AT_FDCWD, folder.path("other").c_str(), 2) == 0);
    const auto opened = reopen(*found, O_RDWR);
    REQUIRE(reason(opened) == "success");
    CHECK(opened->status.st_uid == guest.user);
    CHECK(opened->path == folder.path("other"));
}

TEST_CASE("the rights of the caller apply to one thread and its child processes") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const auto user_of_thread = [] { return static_cast<uid_t>(::setfsuid(static_cast<uid_t>(-1))); };
    const std::uint64_t before = effective_capabilities();
    std::promise<void> taken, looked;
    std::thread worker([&] {
        const auto rights = CallerRights::of(guest);
        REQUIRE(reason(rights) == "success");
        CHECK(user_of_thread() == guest.user);
        CHECK(effective_capabilities() == 0);
        std::thread([&] { CHECK((user_of_thread() == guest.user && effective_capabilities() == 0)); }).join();
        CHECK(exit_of_child([] { return ::open("/etc/shadow", O_RDONLY) < 0 && ::geteuid() == 61001 ? 0 : 1; }) == 0);
        taken.set_value();
        looked.get_future().wait();
    });
    taken.get_future().wait();
    CHECK(user_of_thread() == 0);
    CHECK(::geteuid() == 0);
    CHECK(effective_capabilities() == before);
    // The caller may not signal the process that works on the caller's behalf.
    CHECK(exit_of_child([us = ::getpid()] {
              if (::setgid(61002) != 0 || ::setuid(61001) != 0) return 2;
              return ::kill(us, 0) != 0 ? 0 : 1;
          }) == 0);
    looked.set_value();
    worker.join();
}

TEST_CASE("a thread regains its own rights when CallerRights is destroyed") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    const std::uint64_t before = effective_capabilities();
    const auto own = find_caller();
    {
        const auto rights = CallerRights::of(guest);
        REQUIRE(reason(rights) == "success");
        const auto again = CallerRights::of(guest); // nested: nothing to change
        CHECK(reason(again) == "success");
    }
    CHECK(effective_capabilities() == before);
    CHECK(::setfsuid(static_cast<uid_t>(-1)) == 0);
    CHECK(::access("/etc/shadow", R_OK) == 0);
    CHECK(find_caller() == own);
}

TEST_CASE("an unprivileged process cannot take the rights of another user") {
    if (::geteuid() != 0) MEDIARIG_SKIP("needs root");
    CHECK(exit_of_child([] {
              if (::setgid(61002) != 0 || ::setuid(61001) != 0) return 2;
              const auto rights = CallerRights::of(Caller{.user = neighbour, .group = other_group});
              return !rights && rights.error().code == Errc::no_permission && ::geteuid() == 61001 ? 0 : 1;
          }) == 0);
}
