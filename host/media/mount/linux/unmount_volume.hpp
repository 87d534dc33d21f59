// SPDX-License-Identifier: GPL-3.0-or-later
/// Unmounts in bounded time. Unmounting or syncing a hanging FUSE driver blocks until the driver is killed, even with
/// MNT_DETACH, so both run in a separate thread.
#pragma once

#include <atomic>
#include <string>

#include "host/base/result.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"

namespace mediarig::media {

enum class UnmountResult : unsigned char {
    in_order, ///< all data was written back
    by_force, ///< `expedite_close` was set: the volume was detached, and a hanging driver was killed
};

/// Writes back and unmounts the volume at `mount_point` in this process's namespace. When `expedite_close` becomes true
/// (null: never), the volume is detached instead, and a driver that does not end within driver_patience is killed.
/// Fails with io_failed (in use: names the processes, stays mounted; or write-back failed, unmounted; `detached`
/// distinguishes the two cases) and with timed_out: the kernel driver waits for its device and cannot be killed.
struct UnmountError {
    Error error;
    bool detached{}; ///< true if the volume is no longer mounted
};
[[nodiscard]] tl::expected<UnmountResult, UnmountError> unmount_volume(const std::string& mount_point,
                                                                       const FuseDriver& driver,
                                                                       const std::atomic<bool>* expedite_close);

} // namespace mediarig::media
