// SPDX-License-Identifier: GPL-3.0-or-later
/// Measured rates out of campaigns, in the order that a gage study or a control chart wants. Values are MB/s (10^6).
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/gage/gage_study.hpp"
#include "host/store/record.hpp"

namespace mediarig::calibration {

struct StudiedGage {
    measure::GageData data;
    std::vector<std::string> parts, slots; ///< device keys and slots, as the data has them
    std::vector<std::string> left_out;     ///< what has too few values, one line each
};

/// A crossed study: every medium in every slot. `cell` is a cell's id: "standard.seq_read.1048576". Media that were not
/// measured in every slot are left out; of the trials as many are taken as all have, the oldest first. Fails with
/// bad_request where fewer than 2 media, slots or trials are left.
[[nodiscard]] Result<StudiedGage> gage_from(std::vector<store::CampaignView> campaigns, const std::string& cell);

struct ChartedValue {
    store::TimePoint at{}; ///< begin of its pass
    double value{};
};
/// Of one medium, by its key or name, in the order in which they were measured. Fails with bad_request: nothing was.
[[nodiscard]] Result<std::vector<ChartedValue>> chart_from(const std::vector<store::CampaignView>& campaigns,
                                                           const std::string& device, const std::string& cell);

} // namespace mediarig::calibration
