// SPDX-License-Identifier: GPL-3.0-or-later
/// Cleans up the mounts of a killed agent: ends the driver, which would wait for requests in a namespace that no
/// process can reach, and removes the folder.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"

namespace mediarig::media {

/// A small process in the caller's mount namespace. If the caller dies, it unmounts `mount_point` until nothing is
/// mounted there and the driver has ended, kills a driver that does not end, and removes the folder.
class UnmountGuard {
public:
    /// Call this in the namespace of the mount. `folder`: the folder of the mount point, both to be removed; or empty.
    /// Fails with io_failed.
    [[nodiscard]] static Result<UnmountGuard> start(const std::string& mount_point, const std::string& folder = {});
    UnmountGuard(UnmountGuard&&) noexcept;
    UnmountGuard& operator=(UnmountGuard&&) = delete;
    UnmountGuard(const UnmountGuard&) = delete;
    UnmountGuard& operator=(const UnmountGuard&) = delete;
    /// Stops the guard; the caller must have cleaned up.
    ~UnmountGuard();

    /// Pipe of the driver that serves the mount: FuseDriver::pipe().
    void has_driver(ino_t pipe) const;

private:
    UnmountGuard(pid_t process, Descriptor lifeline) : process_(process), lifeline_(std::move(lifeline)) {}
    pid_t process_;
    Descriptor lifeline_; ///< sends pipe inodes, or 0 for a normal end; closed when the agent dies
};

} // namespace mediarig::media
