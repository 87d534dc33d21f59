// SPDX-License-Identifier: GPL-3.0-or-later
/// What an errno means for a test. The names that not every system has are known here alone.
#pragma once

#include <string>

#include "host/result.hpp"

namespace mediarig::workload {

/// `what` names the action and the thing, e.g. "create a folder in /mnt/card". Covers refusals, absence and lack of
/// room.
[[nodiscard]] Error error_from(int error, const std::string& what);

/// Errors that a device gives only when it is no longer there.
[[nodiscard]] bool says_gone(int error);

} // namespace mediarig::workload
