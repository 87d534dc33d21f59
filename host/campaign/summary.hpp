// SPDX-License-Identifier: GPL-3.0-or-later
/// A short result of a campaign.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/campaign/resources/uplink/meter.hpp"
#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::campaign {

struct MediumGrade {
    std::string medium;
    measure::Grade grade{};
};

struct Summary {
    std::string campaign;
    store::CampaignState state{};
    std::vector<MediumGrade> grades; ///< grades of the judged media
    std::size_t media{};             ///< number of media in the plan, including media that were never begun
    std::string detail;              ///< reason why the campaign did not finish; one line
    bool incomplete{false};          ///< the campaign reached its last step, but some steps could not be done
    std::vector<uplink::MeasuredCeiling> uplinks{}; ///< set if UplinkUse::measure is true
    int status_of_left{3}; ///< exit status of the remaining errors if all have the same status; otherwise 3
};

/// Returns the documented exit status: the worst of the media's grades (1, then 3, then 0); 3 a test could not be done
/// or the campaign was interrupted; 4 if all remaining steps were refused for safety; 2 if all remaining requests were
/// invalid and nothing was tested. A fault takes precedence over an incomplete test.
[[nodiscard]] int exit_status(const Summary& summary);

} // namespace mediarig::campaign
