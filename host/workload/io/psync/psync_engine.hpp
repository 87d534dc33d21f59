// SPDX-License-Identifier: GPL-3.0-or-later
/// Engine on pread and pwrite, one transfer at a time.
#pragma once

#include <memory>

#include "host/workload/io/engine.hpp"

namespace mediarig::workload {

[[nodiscard]] std::unique_ptr<IoEngine> make_psync_engine();

} // namespace mediarig::workload
