// SPDX-License-Identifier: GPL-3.0-or-later
/// Everything that was noticed in a campaign, each once, worst first.
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
    std::size_t further_passes{}; ///< of the device that it was said of in the same words; told in `place`
};

/// From the devices, their passes and the passes' cells. What stands both with a cell and with its pass counts once,
/// and so does what is said of several passes as wholes in the same words.
[[nodiscard]] std::vector<PlacedFinding> findings_of(const store::CampaignView& campaign);

/// Of one device alone: `device` is 0 in all of them.
[[nodiscard]] std::vector<PlacedFinding> findings_of(const store::DeviceView& device);

} // namespace mediarig::report
