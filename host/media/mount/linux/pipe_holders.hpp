// SPDX-License-Identifier: GPL-3.0-or-later
/// Finds a process by a pipe that only this process inherited. A FUSE driver that forks into the background does not
/// report its new process number. Allocates nothing, so it is usable in a child between fork and exec.
#pragma once

#include <sys/types.h>

namespace mediarig::media {

/// Descriptor number of the write end of the life pipe in a driver.
inline constexpr int driver_life_number = 4;

/// Opens /proc for these functions, which then work even after /proc was unmounted. -1 if /proc is missing.
[[nodiscard]] int open_proc();

/// Returns a pidfd of the process whose descriptor `number` is the write end of the pipe with this inode; -1 if no
/// process has it.
[[nodiscard]] int open_pipe_holder(int proc, ino_t pipe, int number);

/// Sends SIGKILL to every process that has the write end of this pipe.
void kill_pipe_holders(int proc, ino_t pipe, int number);

} // namespace mediarig::media
