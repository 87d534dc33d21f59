// SPDX-License-Identifier: GPL-3.0-or-later
/// The load of this host from /proc/pressure, /proc/stat and getrusage(2).
#pragma once

#include <string>

#include "host/workload/io/system.hpp"

namespace mediarig::workload {

/// Counters that this kernel does not have are empty. `proc`: mount point of proc(5); tests pass another folder.
[[nodiscard]] HostCounters read_host_counters(const std::string& proc = "/proc");

} // namespace mediarig::workload
