// SPDX-License-Identifier: GPL-3.0-or-later
/// All findings of a campaign, each once, worst first.
#pragma once

#include <string>
#include <vector>

#include "host/store/record.hpp"

namespace mediarig::report {

struct PlacedFinding {
    std::size_t device{}; ///< index into CampaignView::devices
    std::string pass;     ///< PassRecord::id; empty: about the device
    std::string cell;     ///< empty: about the pass
    std::string place;    ///< for display: "exFAT pass 2, standard.seq_write.131072"; empty: the device
    measure::Finding finding;
    std::size_t further_passes{}; ///< number of other passes of the device with the same text; included in `place`
};

/// Collects the findings of the devices, their passes and the passes' cells. A finding of both a cell and its pass
/// counts once, and so does one that several passes have as a whole in the same words.
[[nodiscard]] std::vector<PlacedFinding> findings_of(const store::CampaignView& campaign);

/// Returns the findings of one device; their `device` is 0.
[[nodiscard]] std::vector<PlacedFinding> findings_of(const store::DeviceView& device);

} // namespace mediarig::report
