// SPDX-License-Identifier: GPL-3.0-or-later
/// Ends a driver that keeps a cancelled job waiting.
#pragma once

#include <thread>

#include "host/workload/job.hpp"

namespace mediarig::agent {

/// A transfer to a driver that is stopped or hangs cannot be interrupted, so that a cancelled job would wait for it for
/// ever. Nothing runs until the job is cancelled but one look in a tenth of a second.
/// The thread ends with the value that is returned; `control` must outlive it.
[[nodiscard]] std::jthread end_stuck_driver(const workload::Target& target, const workload::JobControl& control);

} // namespace mediarig::agent
