// SPDX-License-Identifier: GPL-3.0-or-later
/// Sees to it that nothing of a mount outlives an agent that was killed: not the driver, which would wait for requests
/// in a namespace that nobody else can reach, and not the folder.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// A small process in the caller's mount namespace. If the caller dies, it unmounts `mount_point` until nothing is
/// mounted there and the driver is gone, kills a driver that does not let go, and removes the folder.
class UnmountGuard {
public:
    /// To be called in the namespace in which the mount appears. `folder` is empty, or that of the mount point, both to
    /// be removed. Fails with io_failed.
    [[nodiscard]] static Result<UnmountGuard> start(const std::string& mount_point, const std::string& folder = {});
    UnmountGuard(UnmountGuard&&) noexcept;
    UnmountGuard& operator=(UnmountGuard&&) = delete;
    UnmountGuard(const UnmountGuard&) = delete;
    UnmountGuard& operator=(const UnmountGuard&) = delete;
    /// Ends it: from here on the caller has put everything away.
    ~UnmountGuard();

    /// Whose mount it is: FuseDriver::pipe().
    void has_driver(ino_t pipe) const;

private:
    UnmountGuard(pid_t process, Descriptor lifeline) : process_(process), lifeline_(std::move(lifeline)) {}
    pid_t process_;
    Descriptor lifeline_; ///< carries inodes of pipes, or 0 for "all is well"; its end says that the agent died
};

} // namespace mediarig::media
