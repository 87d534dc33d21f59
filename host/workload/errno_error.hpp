// SPDX-License-Identifier: GPL-3.0-or-later
/// From errno to an Error that says what to do next.
#pragma once

#include <string>

#include "host/result.hpp"

namespace mediarig::workload {

/// `what` names the action and the thing, e.g. "create a folder in /mnt/card". Covers refusals, absence and lack of
/// room.
[[nodiscard]] Error error_from(int error, const std::string& what);

} // namespace mediarig::workload
