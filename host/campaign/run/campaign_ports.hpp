// SPDX-License-Identifier: GPL-3.0-or-later
/// A campaign and its connections to the agent, the store, the rig and the clock.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "host/agent/client/agent_client.hpp"
#include "host/campaign/event.hpp"
#include "host/campaign/resources/transfers.hpp"
#include "host/campaign/schedule.hpp"
#include "host/rig/port/rig.hpp"
#include "host/rig/station/operator.hpp"
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
    rig::Rig* rig{}; ///< null if the campaign cannot load media; required for media in slots
    unsigned processors{
        1}; ///< number of processors of the agent's machine; limits the number of media measured at a time
    MakeSchedule schedule{schedule_for};
    UplinkUse uplinks{};
    rig::Operator* person{}; ///< replugs media that are in no slot; null without a terminal
    std::chrono::milliseconds person_within{300'000};
};

struct Campaign {
    std::string id; ///< a new id, or the id of the campaign to be resumed
    store::Origin origin;
    bool resumed{false}; ///< the store contains the beginning of the campaign
    /// Number of media that are tested in parallel; unset: as in the plan. A rig limits this number.
    std::optional<unsigned> lanes{};
    std::string name{}; ///< empty: the name of the plan
    [[nodiscard]] const std::string& title(const plan::Plan& plan) const { return name.empty() ? plan.name : name; }
};

} // namespace mediarig::campaign
