// SPDX-License-Identifier: GPL-3.0-or-later
/// What the lanes of one campaign share while it runs. Inner part of host/campaign/run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/campaign/resources/admission.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/resume.hpp"
#include "host/campaign/run/campaign.hpp"
#include "host/campaign/run/event_sink.hpp"
#include "host/campaign/run/medium_state.hpp"

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

    /// Why no step is to begin or go on: somebody asked to stop, or a lane has ended the campaign.
    [[nodiscard]] std::optional<Error> stopped() const {
        if (stop.requested()) return Error{Errc::cancelled, stop.why()};
        if (ending) return Error{Errc::cancelled, ending->detail};
        return std::nullopt;
    }
    [[nodiscard]] bool ends() const { return ending || stop.requested(); }
};

/// Until `end`, or until `over` holds where it is set, or the campaign ends: both are looked at every tenth of a
/// second.
[[nodiscard]] boost::asio::awaitable<void> wait_until(const CampaignContext& context,
                                                      std::chrono::steady_clock::time_point end,
                                                      std::function<bool()> over = {});

} // namespace mediarig::session
