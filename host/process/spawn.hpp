// SPDX-License-Identifier: GPL-3.0-or-later
/// The first half of run_process: a started child and the reading ends of its output.
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

} // namespace mediarig::process
