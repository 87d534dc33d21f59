// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/process/mount_namespace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mediarig::process {
namespace {

tl::unexpected<Error> cannot_set_apart() {
    return fail(Errc::io_failed, fmt::format("cannot set the mount namespace apart: {}", std::strerror(errno)));
}

/// In a plain chroot "/" is no mount point, and only mount points can be set apart. The same tree, attached where
/// nobody else sees it, becomes the root of this process: over /proc, the one place that is a mount of its own
/// wherever programs run. What is attached elsewhere would appear in the namespace that we came from.
Result<void> make_root_a_mount_point() {
    const int tree = ::open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
    if (tree < 0) return cannot_set_apart();
    const bool attached = ::mount(nullptr, "/proc", nullptr, MS_PRIVATE, nullptr) == 0 &&
                          ::move_mount(tree, "", AT_FDCWD, "/proc", MOVE_MOUNT_F_EMPTY_PATH) == 0 &&
                          ::chroot("/proc") == 0 && ::chdir("/") == 0;
    if (!attached) {
        const auto failed = cannot_set_apart();
        ::close(tree);
        return failed;
    }
    ::close(tree);
    return {};
}

} // namespace

Result<void> enter_private_mount_namespace() {
    if (::unshare(CLONE_NEWNS) != 0)
        return fail(errno == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot make a mount namespace: {}; run the agent as root", std::strerror(errno)));
    // Slave, not private: a copy of somebody's mount that never hears of their umount would keep their stick busy.
    const auto set_apart = [] { return ::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0; };
    if (set_apart()) return {};
    if (errno != EINVAL) return cannot_set_apart();
    if (auto made = make_root_a_mount_point(); !made) return made;
    if (!set_apart()) return cannot_set_apart();
    return {};
}

} // namespace mediarig::process
