// SPDX-License-Identifier: GPL-3.0-or-later
/// Findings about one device, one line per kind: a removed card causes hundreds of findings with one cause. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::report {

struct FindingGroup {
    measure::FindingKind kind{};
    measure::Severity severity{}; ///< worst severity
    std::uint64_t times{};
    std::string place;                ///< PlacedFinding::place of the worst finding; empty: the device
    std::string detail;               ///< detail of the worst finding
    std::optional<Bytes> first, last; ///< lowest place on the tested span, and end of the highest
    std::uint64_t swallowed{};        ///< for medium_lost: number of resulting errors of other kinds
};

/// Sorted by severity (faults first), then by frequency. If a pass lost the medium, the errors of that pass count as
/// `swallowed`.
[[nodiscard]] std::vector<FindingGroup> grouped_findings(const store::DeviceView& device);

/// Returns "fault io_error, 171 times between 4.10 and 4.90 GB: read failed … (worst in exFAT pass 1, …)". For repeated
/// findings only the first sentence of the worst one; the page lists the complete findings.
[[nodiscard]] std::string text_of(const FindingGroup& group);

} // namespace mediarig::report
