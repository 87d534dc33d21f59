// SPDX-License-Identifier: GPL-3.0-or-later
/// From what was recorded about a device to a verdict. Pure.
#pragma once

#include <vector>

#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

[[nodiscard]] measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits);

} // namespace mediarig::session
