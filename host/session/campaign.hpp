// SPDX-License-Identifier: GPL-3.0-or-later
/// The story: one coroutine from a plan to a record.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/plan/plan.hpp"
#include "host/result.hpp"
#include "host/rig/rig.hpp"
#include "host/session/event.hpp"
#include "host/session/stop_signal.hpp"
#include "host/session/summary.hpp"
#include "host/store/store.hpp"

namespace mediarig::session {

/// Time comes from outside, so that tests choose it.
struct Clock {
    std::function<store::TimePoint()> utc;
    std::function<std::chrono::nanoseconds()> monotonic;
    static Clock system();
};

struct Ports {
    agent::AgentClient& agent; ///< has said hello
    store::Store& store;
    EventSink tell;
    Clock clock;
    rig::Rig* rig{}; ///< null where nothing can be loaded; needed by media in slots
};

struct Campaign {
    std::string id; ///< new, or that of the campaign to be resumed
    store::Origin origin;
    bool resumed{false}; ///< the store holds its beginning
};

/// Walks through the plan's steps. A step that fails is told, journaled and dealt with as the plan says; the campaign
/// goes on where that is possible. Media in slots are loaded and unloaded by the rig. Fails only where nothing could be
/// begun or nothing more can be kept: store_failed, or bad_request for a resumed campaign whose medium is now another
/// one. Whatever happens, claims are released, and everything measured until then is in the store.
[[nodiscard]] boost::asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign,
                                                                   Ports ports, StopSignal& stop);

} // namespace mediarig::session
