// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <sys/types.h>

namespace mediarig::process {

/// True if the main thread of the process has begun to exit, even if a driver or device that does not respond keeps its
/// files open. False if the process cannot be examined. `proc`: descriptor of /proc. Does not allocate: safe after the
/// fork of a multithreaded process.
[[nodiscard]] bool is_exiting(int proc, pid_t process);

} // namespace mediarig::process
