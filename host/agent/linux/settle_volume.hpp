// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>

#include "host/media/settle/settle.hpp"
#include "host/workload/job.hpp"

namespace mediarig::agent {

/// Has what the mounted volume of `target` holds back written, and watches the counters of the device below it until
/// they stand still. `cancel` may be null. Fails with cancelled.
[[nodiscard]] Result<media::SettleReport> settle_volume(const workload::Target& target,
                                                        const std::atomic<bool>* cancel);

} // namespace mediarig::agent
