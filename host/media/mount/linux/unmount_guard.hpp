// SPDX-License-Identifier: GPL-3.0-or-later
/// Cleans up the mount of a killed agent. The kernel removes the mount together with the agent's mount namespace. The
/// guard removes it immediately if another process keeps that namespace, ends a hanging driver, and removes the folder.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// A small process in the caller's mount namespace. If the caller dies, it unmounts `mount_point` until nothing is
/// mounted there and the driver has ended, and removes the folder. If the driver does not release the mount, the guard
/// aborts its connection, which ends every call that waits for the driver, and kills the process.
class UnmountGuard {
public:
    /// Call it in the namespace in which the mount appears. `folder` contains the mount point. Fails with io_failed.
    [[nodiscard]] static Result<UnmountGuard> start(const std::string& mount_point, const std::string& folder);
    UnmountGuard(UnmountGuard&&) noexcept;
    UnmountGuard& operator=(UnmountGuard&&) = delete;
    UnmountGuard(const UnmountGuard&) = delete;
    UnmountGuard& operator=(const UnmountGuard&) = delete;
    /// Stops the guard; the caller must have cleaned up.
    ~UnmountGuard();

    /// Call it before the driver starts. `pipe`: FuseDriver::pipe(); `device`: the block device that it serves.
    void has_driver(ino_t pipe, int device) const;

private:
    UnmountGuard(pid_t process, Descriptor lifeline) : process_(process), lifeline_(std::move(lifeline)) {}
    pid_t process_;
    Descriptor lifeline_; ///< carries the driver, or an empty one for "all is well"; its end means: the agent died
};

} // namespace mediarig::media
