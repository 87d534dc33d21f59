// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/base/process/mount_namespace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "host/base/descriptor.hpp"

namespace mediarig::process {
namespace {

tl::unexpected<Error> cannot_set_apart() {
    return fail(Errc::io_failed, fmt::format("cannot separate the mount namespace: {}", std::strerror(errno)));
}

/// Slave, not private: a private copy of another process's mount would not receive its unmount and would keep the
/// medium busy.
bool set_root_apart() {
    return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

bool at_the_top() {
    struct stat here {};
    struct stat above {};
    return ::stat(".", &here) == 0 && ::stat("..", &above) == 0 && here.st_dev == above.st_dev &&
           here.st_ino == above.st_ino;
}

/// Requires a current folder above the root of this thread.
bool climb_and_set_apart() {
    while (!at_the_top())
        if (::chdir("..") != 0) return false;
    return ::chroot(".") == 0 && set_root_apart();
}

/// In a plain chroot "/" is not a mount point, and only mount points can be made slaves. Therefore this function uses
/// the root of the namespace: the thread leaves its root for a moment, which only root may do, and returns.
bool set_apart_from_outside() {
    const int root = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int folder = ::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    // A process whose current folder is above its root can leave that root.
    const bool apart =
        root >= 0 && folder >= 0 && ::chroot("/proc") == 0 && ::fchdir(root) == 0 && climb_and_set_apart();
    const int why = errno;
    const bool back = root >= 0 && ::fchdir(root) == 0 && ::chroot(".") == 0 && ::fchdir(folder) == 0;
    // With another root every path would refer to another file: abort.
    if (!back) std::abort();
    ::close(root);
    ::close(folder);
    errno = why;
    return apart;
}

struct FirstNamespace {
    Descriptor mounts, root;
};

/// The first namespace of the process; set before the process starts its first thread.
std::optional<FirstNamespace>& first_namespace() {
    static std::optional<FirstNamespace> first;
    return first;
}

} // namespace

Result<void> enter_private_mount_namespace() {
    FirstNamespace outside{.mounts = Descriptor(::open("/proc/thread-self/ns/mnt", O_RDONLY | O_CLOEXEC)),
                           .root = Descriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC))};
    if (::unshare(CLONE_NEWNS) != 0)
        return fail(errno == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot make a mount namespace: {}; run the agent as root", std::strerror(errno)));
    first_namespace() = std::move(outside);
    if (set_root_apart() || (errno == EINVAL && set_apart_from_outside())) return {};
    return cannot_set_apart();
}

Result<void> return_to_first_mount_namespace() {
    const auto& first = first_namespace();
    if (!first) return {};
    // A thread that shares its root with others cannot change its namespace.
    if (::unshare(CLONE_FS) == 0 && ::setns(first->mounts.get(), CLONE_NEWNS) == 0 &&
        ::fchdir(first->root.get()) == 0 && ::chroot(".") == 0)
        return {};
    return fail(Errc::io_failed, fmt::format("cannot return to the first mount namespace: {}", std::strerror(errno)));
}

} // namespace mediarig::process
