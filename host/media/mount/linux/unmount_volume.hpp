// SPDX-License-Identifier: GPL-3.0-or-later
/// Unmounts in bounded time. Whoever unmounts a FUSE driver that hangs, or writes back to it, is blocked until that
/// driver is killed, with MNT_DETACH as well; so it is done on a thread of its own.
#pragma once

#include <atomic>
#include <string>

#include "host/base/result.hpp"
#include "host/media/mount/linux/fuse_driver.hpp"

namespace mediarig::media {

enum class Unmounted : unsigned char {
    in_order, ///< everything was written back
    by_force, ///< somebody waits for the end: it was detached, and a driver that hung was killed
};

/// Writes back and unmounts what is mounted at `mount_point` in this process's namespace. As soon as `hurry` is true
/// (null: never) it is detached instead, and a driver that does not let go within driver_patience is killed.
/// Fails with io_failed (in use: names the processes, and stays mounted; write-back failed, and it is unmounted:
/// `detached` says which) and with timed_out: the kernel's own driver hangs on its device, and nobody can end that.
struct UnmountError {
    Error error;
    bool detached{}; ///< not mounted any more
};
[[nodiscard]] tl::expected<Unmounted, UnmountError> unmount_volume(const std::string& mount_point,
                                                                   const FuseDriver& driver,
                                                                   const std::atomic<bool>* hurry);

} // namespace mediarig::media
