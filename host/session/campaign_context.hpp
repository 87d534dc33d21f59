// SPDX-License-Identifier: GPL-3.0-or-later
/// What the lanes of one campaign share while it runs. Inner part of host/session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/session/admission.hpp"
#include "host/session/campaign.hpp"
#include "host/session/event_sink.hpp"
#include "host/session/medium_state.hpp"
#include "host/session/resume.hpp"
#include "host/session/transfers.hpp"

namespace mediarig::session {

struct CampaignContext {
    const plan::Plan& plan;
    const Campaign& campaign;
    Ports& ports;
    StopSignal& stop;
    EventSink tell;
    Admission admission;
    Transfers transfers{};
    Journal journal{};                ///< of the attempts before this one
    std::vector<MediumState> media{}; ///< as in the plan
    std::size_t told{};               ///< steps that have begun or were left out: the next one's index
    std::optional<Error> ending{};    ///< why the campaign ends before its last step

    [[nodiscard]] bool ends() const { return ending || stop.requested(); }
};

} // namespace mediarig::session
