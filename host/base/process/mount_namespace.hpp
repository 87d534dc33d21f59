// SPDX-License-Identifier: GPL-3.0-or-later
/// What a process mounts, kept to itself.
#pragma once

#include "host/base/result.hpp"

namespace mediarig::process {

/// Gives the calling thread, and all that it starts, a mount namespace of its own: what is mounted there is seen by
/// nobody else and ends with it, also by SIGKILL. What others mount and unmount still reaches it. A process calls it
/// once, before any other thread is started. Fails with no_permission, io_failed.
[[nodiscard]] Result<void> enter_private_mount_namespace();

/// Moves the calling thread, and the programs that it starts, to the mount namespace and the root that this process had
/// before it entered its private one. Does nothing if it never did. Fails with io_failed.
[[nodiscard]] Result<void> return_to_first_mount_namespace();

} // namespace mediarig::process
