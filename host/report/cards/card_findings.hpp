// SPDX-License-Identifier: GPL-3.0-or-later
/// What was noticed about one device, a line a kind: a pulled card makes hundreds of findings and is one fact. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::report {

struct FindingGroup {
    measure::FindingKind kind{};
    measure::Severity severity{}; ///< the worst among them
    std::uint64_t times{};
    std::string place;                ///< of the worst of them, as PlacedFinding::place; empty: the device
    std::string detail;               ///< of the worst of them
    std::optional<Bytes> first, last; ///< the lowest place on the tested span, and the end of the highest
    std::uint64_t swallowed{};        ///< of medium_lost: errors of other kinds that came with it
};

/// Faults first, then by how often. Where a pass has lost the medium, the errors of that pass count as `swallowed`.
[[nodiscard]] std::vector<FindingGroup> grouped_findings(const store::DeviceView& device);

/// "fault io_error, 171 times between 4.10 and 4.90 GB: read failed … (worst in exFAT pass 1, …)".
/// Of what was seen more than once, the first sentence of the worst; the whole is among the findings of the page.
[[nodiscard]] std::string text_of(const FindingGroup& group);

} // namespace mediarig::report
