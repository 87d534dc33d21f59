// SPDX-License-Identifier: GPL-3.0-or-later
/// pread and pwrite, one at a time.
#pragma once

#include <memory>

#include "host/workload/io/engine.hpp"

namespace mediarig::workload {

[[nodiscard]] std::unique_ptr<IoEngine> make_psync_engine();

} // namespace mediarig::workload
