// SPDX-License-Identifier: GPL-3.0-or-later
/// A directory as a target: its description before a measurement.
#pragma once

#include <atomic>

#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/mount/idle/idle.hpp"
#include "host/workload/io/job_control.hpp"

namespace mediarig::agent {

/// The directory is measured unchanged: its identity is its path, and its size is its free space. On the root file
/// system, which the machine needs to run, the description contains a refusal. Fails with io_failed.
[[nodiscard]] Result<media::Medium> describe_directory(const process::FoundFile& directory);

/// Writes back the mounted volume of `target` and polls the counters of its device until they are constant. `cancel`
/// may be null. Fails with cancelled.
[[nodiscard]] Result<media::IdleReport> wait_volume_idle(const workload::JobTarget& target,
                                                         const std::atomic<bool>* cancel);

} // namespace mediarig::agent
