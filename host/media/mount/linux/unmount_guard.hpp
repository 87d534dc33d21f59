// SPDX-License-Identifier: GPL-3.0-or-later
/// Cleans up the mount of a killed agent. The kernel removes the mount together with the agent's mount namespace. The
/// guard removes it immediately if another process keeps that namespace, ends a hanging driver, and removes the folder.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// A small process in the caller's mount namespace. If the caller dies, the guard unmounts `mount_point` until the
/// mount point is free and the driver has ended, and removes the folder. If the driver does not release the mount, the
/// guard aborts its connection, which ends every call that waits for the driver, and kills the process.
class UnmountGuard {
public:
    /// Starts the guard. Call this in the namespace in which the mount appears. `folder` contains the mount point.
    /// Fails with io_failed.
    [[nodiscard]] static Result<UnmountGuard> start(const std::string& mount_point, const std::string& folder);
    UnmountGuard(UnmountGuard&&) noexcept;
    UnmountGuard& operator=(UnmountGuard&&) = delete;
    UnmountGuard(const UnmountGuard&) = delete;
    UnmountGuard& operator=(const UnmountGuard&) = delete;
    /// Stops the guard; the caller must have unmounted the volume and removed the folder.
    ~UnmountGuard();

    /// Names the driver. Call this before the driver starts. `pipe`: FuseDriver::pipe(); `device`: the block device of
    /// the volume.
    void has_driver(ino_t pipe, int device) const;

private:
    UnmountGuard(pid_t process, Descriptor lifeline) : process_(process), lifeline_(std::move(lifeline)) {}
    pid_t process_;
    Descriptor lifeline_; ///< carries the driver, or an empty message to stop the guard; if it closes without that
                          ///< message, the agent died
};

} // namespace mediarig::media
