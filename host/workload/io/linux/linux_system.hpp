// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// The System port on Linux.
[[nodiscard]] const System& linux_system();

} // namespace mediarig::workload
