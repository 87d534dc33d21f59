// SPDX-License-Identifier: GPL-3.0-or-later
/// Measured rates from campaigns, in the order that a gage study or a control chart requires. Values are MB/s (10^6).
#pragma once

#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/measure/gage/gage_study.hpp"
#include "host/store/record.hpp"

namespace mediarig::calibration {

struct StudiedGage {
    measure::GageData data;
    std::vector<std::string> parts, slots; ///< device keys and slots, in the order of the data
    std::vector<std::string> left_out;     ///< media and slots with too few values, one line each
};

/// Returns the data of a crossed study, in which every medium was measured in every slot. `cell` is a cell's id:
/// "standard.seq_read.1048576". Excludes media that were not measured in every slot. Uses the number of trials that all
/// media have, the oldest first. Fails with bad_request if fewer than 2 media, slots or trials remain.
[[nodiscard]] Result<StudiedGage> gage_from(std::vector<store::CampaignView> campaigns, const std::string& cell);

struct ChartedValue {
    store::TimePoint at{}; ///< start of its pass
    double value{};
};
/// Returns the values of one medium, given by key or name, in the order of measurement. Fails with bad_request if it
/// has no values.
[[nodiscard]] Result<std::vector<ChartedValue>> chart_from(const std::vector<store::CampaignView>& campaigns,
                                                           const std::string& device, const std::string& cell);

} // namespace mediarig::calibration
