// SPDX-License-Identifier: GPL-3.0-or-later
/// Findings for display: equal ones together, or all of one kind. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::report {

struct FindingGroup {
    measure::Finding worst;           ///< the first finding of the worst severity
    std::size_t device{};             ///< index into CampaignView::devices
    std::string place;                ///< place of `worst`: "exFAT pass 2, sequential write 128 KB"; empty: the device
    std::uint64_t times{1};           ///< number of observations in all passes
    std::optional<Bytes> first, last; ///< lowest offset in the tested span, and end of the highest
    std::uint64_t swallowed{};        ///< for medium_lost: number of resulting errors of other kinds

    [[nodiscard]] measure::FindingKind kind() const { return worst.kind; }
};
using FindingGroups = std::vector<FindingGroup>;

/// Returns the findings of the devices, their passes and the passes' cells, worst first. A finding of both a cell and
/// its pass counts once. Equal findings of whole passes are one group; `place` includes the number of further passes.
[[nodiscard]] FindingGroups findings_of(const store::CampaignView& campaign);

/// Returns one group per kind: a removed card causes hundreds of findings with one cause. Sorted by severity (faults
/// first), then by frequency. If a pass lost the medium, the errors of that pass count as `swallowed`.
[[nodiscard]] FindingGroups findings_by_kind(const store::DeviceView& device);

/// Returns "fault io error, 171 times between 4.10 and 4.90 GB, worst in exFAT pass 1, …: read failed …". For repeated
/// findings the text contains only the first sentence of the worst finding; the page lists the complete findings.
[[nodiscard]] std::string text_of(const FindingGroup& group);

} // namespace mediarig::report
