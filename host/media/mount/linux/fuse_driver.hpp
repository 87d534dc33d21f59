// SPDX-License-Identifier: GPL-3.0-or-later
/// Starts a FUSE driver on a held device, in a separate mount namespace.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/result.hpp"
#include "host/media/format/linux/tool.hpp"

namespace mediarig::media {

/// Time for a driver to release a volume if an unmount must be fast; then the driver is killed.
inline constexpr std::chrono::milliseconds driver_patience{700};

/// Descriptor number of the write end of the life pipe in a driver.
inline constexpr int driver_life_number = 4;
/// Descriptor number of the device in a driver. It differs from that of tools (see held_device): the mount table
/// contains the device path, and mkfs.fat refuses a device whose path is in the mount table.
inline constexpr int driver_device_number = 5;

/// The process that serves a mounted volume; empty for kernel drivers.
class FuseDriver {
public:
    FuseDriver() = default;
    /// `life`: the read end of a pipe whose write end only the driver has.
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

struct FuseVolume {
    Descriptor tree; ///< the detached mount; closing it unmounts, and the driver ends
    FuseDriver driver;
};

/// Releases the device for the driver; called after all other preparations.
using LetGo = std::function<Result<void>()>;

/// Starts `driver OPTIONS DEVICE mount_point` and takes over its mount; `mount_point` stays unused. This process
/// becomes the parent of drivers that fork into the background. No driver is left after a failure. Fails with no_driver
/// (not installed), no_permission, timed_out, cancelled, io_failed (with the driver's message), and as `let_go` does.
[[nodiscard]] Result<FuseVolume> start_fuse_driver(const Tool& driver, const std::vector<std::string>& options,
                                                   int device, const std::string& mount_point,
                                                   const ToolSetting& setting, const LetGo& let_go);

/// Unmounts a detached mount; kills the driver if it hangs.
void end_fuse_driver(FuseVolume volume);

} // namespace mediarig::media
