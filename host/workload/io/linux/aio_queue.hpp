// SPDX-License-Identifier: GPL-3.0-or-later
/// io_submit(2) and io_getevents(2), as libaio calls them. Through the page cache the kernel does most of the work
/// within the submission.
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Fails with host_fault where this system allows no more of them, or has none.
[[nodiscard]] Result<std::unique_ptr<RequestQueue>> make_aio_queue(std::uint32_t depth);

} // namespace mediarig::workload
