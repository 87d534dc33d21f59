// SPDX-License-Identifier: GPL-3.0-or-later
/// Private mounts of a process.
#pragma once

#include "host/base/result.hpp"

namespace mediarig::process {

/// Gives the calling thread, and every thread and program that it starts, a private mount namespace: its mounts are
/// invisible to other processes and end with the namespace, also on SIGKILL. Mounts and unmounts of other processes
/// still propagate into the namespace. A process calls this function once, before it starts another thread. Fails with
/// no_permission, io_failed.
[[nodiscard]] Result<void> enter_private_mount_namespace();

/// Moves the calling thread, and the programs that it starts, to the mount namespace and the root that this process had
/// before enter_private_mount_namespace(). Does nothing if that function was not called. Fails with io_failed.
[[nodiscard]] Result<void> return_to_first_mount_namespace();

} // namespace mediarig::process
