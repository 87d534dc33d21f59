// SPDX-License-Identifier: GPL-3.0-or-later
/// What a quick probe says, as findings. Pure.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// What happens to data beyond the real capacity, as part of a sentence: "what is written beyond …".
[[nodiscard]] std::string_view text_of(FakeKind kind);

/// One for a fake, one for damage, one for doubt, where there are any.
[[nodiscard]] measure::Findings capacity_findings(const VerifyOutcome& probed, const std::string& doubt);

} // namespace mediarig::workload
