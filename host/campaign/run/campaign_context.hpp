// SPDX-License-Identifier: GPL-3.0-or-later
/// State that the lanes of one campaign share while it runs. Internal to host/campaign/run.
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
#include "host/campaign/run/campaign_ports.hpp"
#include "host/campaign/run/event_sink.hpp"
#include "host/campaign/run/medium_state.hpp"
#include "host/campaign/stop_signal.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::campaign {

struct CampaignContext {
    const plan::Plan& plan;
    const Campaign& campaign;
    CampaignPorts& ports;
    StopSignal& stop;
    EventSink tell;
    Admission admission;
    Transfers transfers{};
    Journal journal{};                ///< journal of the previous attempts
    std::vector<MediumState> media{}; ///< media in the order of the plan
    std::size_t told{};               ///< number of steps that were begun or skipped: index of the next step
    std::optional<Error> ending{};    ///< reason why the campaign ends before its last step, if it does

    /// Returns the reason why no step may begin or continue: a stop request, or a lane that ended the campaign.
    [[nodiscard]] std::optional<Error> stopped() const {
        if (stop.requested()) return Error{Errc::cancelled, stop.why()};
        if (ending) return Error{Errc::cancelled, ending->detail};
        return std::nullopt;
    }
    [[nodiscard]] bool ends() const { return ending || stop.requested(); }
};

/// Waits until `end`, until `over` (if set) returns true, or until the campaign ends. Checks the conditions ten times
/// per second.
[[nodiscard]] boost::asio::awaitable<void> wait_until(const CampaignContext& context,
                                                      std::chrono::steady_clock::time_point end,
                                                      std::function<bool()> over = {});

} // namespace mediarig::campaign
