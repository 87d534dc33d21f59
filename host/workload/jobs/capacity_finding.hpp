// SPDX-License-Identifier: GPL-3.0-or-later
/// Texts and findings about the real capacity. Pure.
#pragma once

#include <optional>
#include <string>

#include "host/measure/finding.hpp"
#include "host/workload/outcome.hpp"

namespace mediarig::workload {

/// Returns the behaviour of data beyond the real capacity, as part of a sentence.
[[nodiscard]] std::string_view text_of(FakeKind kind);

/// Returns the finding about a medium that refuses all writes. `accepted_before`: it accepted others in this job.
[[nodiscard]] measure::Finding writes_refused(bool accepted_before, std::optional<Bytes> offset);
/// Returns the first place of a probe whose write failed.
[[nodiscard]] std::optional<Bytes> first_unwritten(const VerifyOutcome& probed);

/// Returns up to five findings: about a fake, about damage, about failed writes and reads, and about contradictory
/// results.
[[nodiscard]] measure::Findings capacity_findings(const VerifyOutcome& probed, const std::string& doubt);

/// Returns true if a whole verify wrote and read back only a part of the claimed capacity and found no fault there.
[[nodiscard]] bool is_good_in_part(const VerifyOutcome& outcome);

/// Returns true if a whole verify wrote only a part of the claimed capacity, whatever it found there.
[[nodiscard]] bool is_of_part(const VerifyOutcome& outcome);

/// Extent of a test that found no fault, as the reason for its grade; one line without a full stop.
[[nodiscard]] std::string part_text(const VerifyOutcome& outcome);  ///< for a test of a part of the medium
[[nodiscard]] std::string whole_text(const VerifyOutcome& outcome); ///< for a test of all that the medium offers
/// Text for a probe, with the size of the cache that could have misled the probe.
[[nodiscard]] std::string probe_text(const VerifyOutcome& outcome);
/// "a cache of more than 537 MB could have misled it", as part of a sentence.
[[nodiscard]] std::string misleading_cache_text(const ProbeEffort& probe);

} // namespace mediarig::workload
