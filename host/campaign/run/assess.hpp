// SPDX-License-Identifier: GPL-3.0-or-later
/// From what was recorded about a device to a verdict. Pure.
#pragma once

#include <vector>

#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

/// By limits, findings and what was not tested. Where nothing was asked but to verify the medium, and only a part of it
/// was, INCONCLUSIVE in place of PASS: the answer about a fake is not known.
[[nodiscard]] measure::Verdict assess(const store::DeviceView& device, const std::vector<measure::Limit>& limits);

} // namespace mediarig::session
