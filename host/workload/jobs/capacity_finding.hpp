// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts and findings about the real capacity. Pure.
#pragma once

#include <string>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// Returns the behaviour of data beyond the real capacity, as part of a sentence.
[[nodiscard]] std::string_view text_of(FakeKind kind);

/// Returns up to three findings: about a fake, about damage and about contradictory results.
[[nodiscard]] measure::Findings capacity_findings(const VerifyOutcome& probed, const std::string& doubt);

/// Returns true if a whole verify wrote and read back only a part of the claimed capacity and found no fault there.
[[nodiscard]] bool is_good_in_part(const VerifyOutcome& outcome);
/// The finding for such an outcome on a bare device: a fake may have that capacity, so the finding prevents PASS.
[[nodiscard]] measure::Finding only_in_part(const VerifyOutcome& outcome);

} // namespace mediarig::workload
