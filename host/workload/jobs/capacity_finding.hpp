// SPDX-License-Identifier: GPL-3.0-or-later
/// What is known of a real capacity, in words and as findings. Pure.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// What happens to data beyond the real capacity, as part of a sentence: "what is written beyond …".
[[nodiscard]] std::string_view text_of(FakeKind kind);

/// One for a fake, one for damage, one for doubt, where there are any.
[[nodiscard]] measure::Findings capacity_findings(const VerifyOutcome& probed, const std::string& doubt);

/// Whether a whole verify wrote and read back only a part of what is claimed, and found no fault there.
[[nodiscard]] bool is_good_in_part(const VerifyOutcome& outcome);
/// Of such an outcome of a bare device: a fake may hold as much, so it keeps a medium from PASS.
[[nodiscard]] measure::Finding only_in_part(const VerifyOutcome& outcome);

} // namespace mediarig::workload
