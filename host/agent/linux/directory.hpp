// SPDX-License-Identifier: GPL-3.0-or-later
/// A directory as a target: what is known of it before something is measured there.
#pragma once

#include <atomic>

#include "host/base/process/caller.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/media/mount/settle/settle.hpp"
#include "host/workload/jobs/job.hpp"

namespace mediarig::agent {

/// It is measured as it is: it has no identity but its path, and no size but its free space. Where it lies on the file
/// system that carries /, without which the machine stops, a refusal says so. Fails with io_failed.
[[nodiscard]] Result<media::Medium> describe_directory(const process::FoundFile& directory);

/// Has what the mounted volume of `target` holds back written, and watches the counters of the device below it until
/// they stand still. `cancel` may be null. Fails with cancelled.
[[nodiscard]] Result<media::SettleReport> settle_volume(const workload::Target& target,
                                                        const std::atomic<bool>* cancel);

} // namespace mediarig::agent
