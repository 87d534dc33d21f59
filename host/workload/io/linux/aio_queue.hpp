// SPDX-License-Identifier: GPL-3.0-or-later
/// Request queue on io_submit(2) and io_getevents(2), the calls that libaio uses. Through the page cache, the kernel
/// does most of the work during submission.
#pragma once

#include <memory>

#include "host/base/result.hpp"
#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Fails with host_fault if this system allows no further queue or does not support AIO.
[[nodiscard]] Result<std::unique_ptr<RequestQueue>> make_aio_queue(std::uint32_t depth);

} // namespace mediarig::workload
