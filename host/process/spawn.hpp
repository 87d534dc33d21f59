// SPDX-License-Identifier: GPL-3.0-or-later
/// The first half of run_process: a started child and the reading ends of its output. And what a start does to others:
/// until it runs its program, a child has a copy of every descriptor that is open anywhere in this process.
#pragma once

#include <sys/types.h>

#include <string>

#include "host/process/run_process.hpp"
#include "host/result.hpp"

namespace mediarig::process {

/// Owned by the caller: the child is to be waited for, both descriptors (non-blocking) to be closed.
struct Spawned {
    pid_t child{};
    int out{-1};
    int err{-1};
};

/// Fails with bad_request (a descriptor number below 3), no_permission, io_failed.
[[nodiscard]] Result<Spawned> spawn(const std::string& path, const Command& command);

/// Returns when no child has a copy of a descriptor that was closed before this call: a device that was held
/// exclusively is free, and a file that was open is not. Takes as long as the starts that are under way: some
/// milliseconds, more on a busy machine.
void wait_for_starts();

/// Forks a child in which only `kept` is open, runs `work` there with it, and ends it. This process may have threads,
/// so `work` may call only functions that are safe in a signal handler. Returns the child, to be waited for by the
/// caller, once that has closed its copies of all other descriptors. Fails with io_failed.
[[nodiscard]] Result<pid_t> fork_with(int kept, void (*work)(int kept));

} // namespace mediarig::process
