// SPDX-License-Identifier: GPL-3.0-or-later
/// Starts a FUSE driver on a held device. When the driver calls mount(2), this process makes the mount instead.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/descriptor.hpp"
#include "host/base/process/mount_request.hpp"
#include "host/base/result.hpp"
#include "host/media/format/linux/tool.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"
#include "host/media/mount/linux/run_folder.hpp"

namespace mediarig::media {

/// Number of the device's descriptor in the driver.
inline constexpr int driver_device_number = 5;

/// Releases the device for the driver. Called when all other preparations are complete.
using ReleaseDevice = std::function<Result<void>()>;

/// The driver never shares a mount namespace with its mount, and no other process ever has a descriptor of the
/// connection of a running driver. Otherwise a killed process could wait for its own answer.
class FuseMount {
public:
    /// Starts a separate thread, because the thread that starts the driver has dropped its rights. `device` and
    /// `release` must outlive the object. Fails with io_failed.
    [[nodiscard]] static Result<std::unique_ptr<FuseMount>> prepare(int device, std::string mount_point,
                                                                    const ReleaseDevice& release);
    FuseMount(const FuseMount&) = delete;
    FuseMount& operator=(const FuseMount&) = delete;
    ~FuseMount() { stop(); }

    /// Answers mount requests from now on, until the volume is mounted or stop() is called. Call it at most once.
    void answer(Descriptor listener);
    /// Waits for the thread to end; the results are valid afterwards.
    void stop();
    [[nodiscard]] bool is_mounted() const { return mounted_; }
    /// Failure of a mount that the driver requested.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

private:
    FuseMount(int device, std::string mount_point, const ReleaseDevice& release, Descriptor orders,
              Descriptor orders_writer)
        : device_(device),
          mount_point_(std::move(mount_point)),
          release_(release),
          orders_(std::move(orders)),
          orders_writer_(std::move(orders_writer)) {}
    void work();
    void execute_mount(int listener, const process::MountRequest& request);
    /// Makes the mount. Returns an errno; 0 after success.
    [[nodiscard]] int mount_with(int connection, const process::MountRequest& request);

    int device_;
    std::string mount_point_;
    const ReleaseDevice& release_;
    Descriptor orders_, orders_writer_; ///< a pipe that carries the descriptor number of the listener; closing the pipe
                                        ///< stops the thread
    std::thread thread_;
    bool device_free_{};
    bool mounted_{};
    std::optional<Error> failure_;
};

/// Runs `driver OPTIONS DEVICE MOUNT_POINT`, with the mount point of `folder`, and mounts for the driver, with the
/// options nosuid, nodev, noexec and noatime. The driver has no capability and runs in the first mount namespace of
/// this process. This process becomes the parent of drivers in the background. After a failure neither the driver nor a
/// mount remains. Fails with no_driver (not installed), no_permission, timed_out, cancelled, io_failed (with the
/// driver's message), and the errors of `release`.
[[nodiscard]] Result<FuseDriver> mount_with_fuse(const Tool& driver, const std::vector<std::string>& options,
                                                 int device, const RunFolder& folder, const ToolSetting& setting,
                                                 const ReleaseDevice& release);

} // namespace mediarig::media
