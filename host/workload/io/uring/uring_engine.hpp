// SPDX-License-Identifier: GPL-3.0-or-later
/// io_uring with a registered file and registered buffers, at any queue depth.
#pragma once

#include <memory>

#include "host/workload/io/engine.hpp"

namespace mediarig::workload {

/// Fails with no_permission if the kernel forbids io_uring, bad_request if it lacks it. The detail names psync.
[[nodiscard]] Result<std::unique_ptr<IoEngine>> make_uring_engine();

} // namespace mediarig::workload
