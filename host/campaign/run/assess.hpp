// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes a verdict from the records of a device. Pure.
#pragma once

#include <vector>

#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

/// Uses limits, findings, untested steps, and the deepest test of the device (measure::decide). PASS requires limits
/// that are met, or that every byte was written and read back.
[[nodiscard]] measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits);

} // namespace mediarig::campaign
