// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds a process by a pipe that was given to it alone. A FUSE driver puts itself into the background and says to
/// nobody which process it is then. Allocates nothing: for a child between fork and exec, too.
#pragma once

#include <sys/types.h>

namespace mediarig::media {

/// /proc, opened for these functions: they work also where it is not mounted any more. -1 where there is none.
[[nodiscard]] int open_proc();

/// A pidfd of a process whose descriptor `number` is the writing end of the pipe with this inode; -1 where there is
/// none.
[[nodiscard]] int open_pipe_holder(int proc, ino_t pipe, int number);

/// SIGKILL to every such process.
void kill_pipe_holders(int proc, ino_t pipe, int number);

} // namespace mediarig::media
