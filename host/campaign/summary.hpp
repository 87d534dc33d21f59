// SPDX-License-Identifier: GPL-3.0-or-later
/// How a campaign ended, in a few words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/campaign/resources/uplink/meter.hpp"
#include "host/measure/verdict.hpp"
#include "host/store/record.hpp"

namespace mediarig::session {

struct MediumGrade {
    std::string medium;
    measure::Grade grade{};
};

struct Summary {
    std::string campaign;
    store::CampaignState state{};
    std::vector<MediumGrade> grades;                ///< of the media that were judged
    std::size_t media{};                            ///< of the plan: also those that were never begun
    std::string detail;                             ///< why it did not finish; one line
    bool incomplete{false};                         ///< came to its last step, with work left that could not be done
    std::vector<uplink::MeasuredCeiling> uplinks{}; ///< where UplinkUse::measure asked for it
    int status_of_left{3}; ///< the exit status that all errors of what is left have; 3 where they differ
};

/// The documented exit status: 0 every medium PASS; 1 something was found (MARGINAL, FAIL, FAKE); 3 something could not
/// be tested, or the campaign was interrupted; 4 where everything that is left was refused for safety, 2 where all of
/// it was asked for wrongly and nothing was tested. What was found counts more than what could not be tested.
[[nodiscard]] int exit_status(const Summary& summary);

} // namespace mediarig::session
