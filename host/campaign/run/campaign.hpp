// SPDX-License-Identifier: GPL-3.0-or-later
/// Runs a plan and records its results: one coroutine per lane, which tests one medium after another.
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

namespace mediarig::campaign {

/// Time is injected, so that tests control it.
struct Clock {
    std::function<store::TimePoint()> utc;
    std::function<std::chrono::nanoseconds()> monotonic;
    static Clock system();
};

struct CampaignPorts {
    agent::AgentClient& agent; ///< handshake is done
    store::AsyncStore& store;
    OnEvent tell;
    Clock clock;
    rig::Rig* rig{};        ///< null if nothing can be loaded; required for media in slots
    unsigned processors{1}; ///< of the agent's machine; limits the number of media measured at a time
    MakeSchedule schedule{schedule_for};
    UplinkUse uplinks{};
};

struct Campaign {
    std::string id; ///< a new id, or that of the campaign to be resumed
    store::Origin origin;
    bool resumed{false}; ///< the store contains its beginning
    /// Number of media that are tested in parallel; unset: as in the plan. A rig limits it.
    std::optional<unsigned> lanes{};
};

/// Runs, for each medium of the plan, the steps that its schedule requests. A failed step is reported, journaled and
/// handled as the plan defines; the campaign continues if possible. The rig loads and unloads media in slots. Without
/// lanes in plan and campaign, their number is that of the rig's independent slots if all media are in slots, otherwise
/// one. needs.hpp defines the use of shared resources. Fails only if nothing could be begun or nothing more can be
/// stored: store_failed, or bad_request for a resumed campaign whose medium was exchanged. In every case, claims are
/// released and all results so far are in the store.
[[nodiscard]] boost::asio::awaitable<Result<Summary>> run_campaign(const plan::Plan& plan, const Campaign& campaign,
                                                                   CampaignPorts ports, StopSignal& stop);

} // namespace mediarig::campaign
