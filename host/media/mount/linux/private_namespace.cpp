// SPDX-License-Identifier: GPL-3.0-or-later
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>

#include "host/media/mount/linux/linux_mounter.hpp"

namespace mediarig::media {

Result<void> enter_private_mount_namespace() {
    if (::unshare(CLONE_NEWNS) != 0)
        return fail(errno == EPERM ? Errc::no_permission : Errc::io_failed,
                    fmt::format("cannot make a mount namespace: {}; run the agent as root", std::strerror(errno)));
    // Slave, not private: a copy of somebody's mount that never hears of their umount would keep their stick busy.
    if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
        return fail(Errc::io_failed, fmt::format("cannot set the mount namespace apart: {}", std::strerror(errno)));
    return {};
}

} // namespace mediarig::media
