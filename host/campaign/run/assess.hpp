// SPDX-License-Identifier: GPL-3.0-or-later
/// Computes a verdict from the records of a device. Pure.
#pragma once

#include <vector>

#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

/// Uses limits, findings and untested steps. If the only test was the verification of a part, the verdict is
/// INCONCLUSIVE instead of PASS, because such a test cannot exclude a fake. A test without measurements can pass if
/// formats were made and checked.
[[nodiscard]] measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits);

} // namespace mediarig::campaign
