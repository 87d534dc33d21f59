// SPDX-License-Identifier: GPL-3.0-or-later
/// A FUSE driver started on a held device, and its mount.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/format/linux/tool.hpp"
#include "host/media/mount/linux/fuse_mount.hpp"

namespace mediarig::media {

/// Time for a driver to release a volume if an unmount must be fast; then the driver is killed.
inline constexpr std::chrono::milliseconds driver_patience{700};

/// Number of the device's descriptor in the driver.
inline constexpr int driver_device_number = 5;

class RunFolder;

/// The process that serves a mounted volume; empty if a kernel driver does.
class FuseDriver {
public:
    FuseDriver() = default;
    /// `life`: read end of a pipe whose write end only the driver has.
    explicit FuseDriver(Descriptor life);
    FuseDriver(FuseDriver&&) = default;
    FuseDriver& operator=(FuseDriver&&) = default;
    FuseDriver(const FuseDriver&) = delete;
    FuseDriver& operator=(const FuseDriver&) = delete;
    ~FuseDriver();

    explicit operator bool() const { return static_cast<bool>(life_); }
    [[nodiscard]] ino_t pipe() const { return pipe_; }
    /// Stores a pidfd of the process to wait for it and get its exit status. Call it after the driver has become a
    /// child of this process by forking into the background, and before it can have ended.
    void find();
    /// True if there is no driver.
    [[nodiscard]] bool ended(std::chrono::milliseconds within = {}) const;
    void kill() const;
    /// "signal 9" or "exit status 1" for an abnormal end; otherwise empty, also if unknown.
    [[nodiscard]] std::string death();

private:
    Descriptor life_, process_;
    ino_t pipe_{};
    std::string death_;
};

/// Runs `driver OPTIONS DEVICE MOUNT_POINT`, with the mount point of `folder`, and mounts for the driver, with the
/// options nosuid, nodev, noexec and noatime. The driver has no capability and runs in the first mount namespace of
/// this process. This process becomes the parent of drivers in the background. After a failure neither the driver nor a
/// mount remains. Fails with no_driver (not installed), no_permission, timed_out, cancelled, io_failed (with the
/// driver's message), and like `let_go`.
[[nodiscard]] Result<FuseDriver> mount_with_fuse(const Tool& driver, const std::vector<std::string>& options,
                                                 int device, const RunFolder& folder, const ToolSetting& setting,
                                                 const LetGo& let_go);

} // namespace mediarig::media
