// SPDX-License-Identifier: GPL-3.0-or-later
/// From a plan to a record: one coroutine a lane, one medium after another in each.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <optional>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/base/result.hpp"
#include "host/campaign/event.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/schedule.hpp"
#include "host/campaign/stop_signal.hpp"
#include "host/campaign/summary.hpp"
#include "host/plan/plan.hpp"
#include "host/rig/port/rig.hpp"
#include "host/store/async/async_store.hpp"

namespace mediarig::session {

/// Time comes from outside, so that tests choose it.
struct Clock {
    std::function<store::TimePoint()> utc;
    std::function<std::chrono::nanoseconds()> monotonic;
    static Clock system();
};

struct Ports {
    agent::AgentClient& agent; ///< has said hello
    store::AsyncStore& store;
    OnEvent tell;
    Clock clock;
    rig::Rig* rig{};        ///< null where nothing can be loaded; needed by media in slots
    unsigned processors{1}; ///< of the agent's machine: as many media are measured at one time
    MakeSchedule schedule{schedule_for};
    UplinkUse uplinks{};
};

struct Campaign {
    std::string id; ///< new, or that of the campaign to be resumed
    store::Origin origin;
    bool resumed{false}; ///< the store holds its beginning
    /// How many media are tested side by side; unset: as the plan says. A rig caps it.
    std::optional<unsigned> lanes{};
};

/// Walks through the plan's media and, for each, through the steps that its schedule asks for. A step that fails is
/// told, journaled and dealt with as the plan says; the campaign goes on where that is possible. Media in slots are
/// loaded and unloaded by the rig. Without lanes in plan and campaign there are as many as the rig has independent
/// slots, where all media sit in slots; else one. What media share is used as needs.hpp says. Fails only where nothing
/// could be begun or nothing more can be kept: store_failed, or bad_request for a resumed campaign whose medium is now
/// another one. Whatever happens, claims are released, and everything measured until then is in the store.
[[nodiscard]] boost::asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign,
                                                                   Ports ports, StopSignal& stop);

} // namespace mediarig::session
