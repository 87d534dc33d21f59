// SPDX-License-Identifier: GPL-3.0-or-later
/// Waiting until an agent sees exactly one block device come or go.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/rig/station/presence.hpp"

namespace mediarig::rig {

struct PresenceWait {
    std::chrono::milliseconds within, look_every;
    const bool* given_up; ///< looked at while a device is waited for
};

boost::asio::awaitable<void> pause_for(std::chrono::milliseconds time);

/// The one device that appeared since `before`, seen twice alike: what comes in several devices does not bring them all
/// at once. Fails with no_medium (none in time; its detail is for the caller to word), refused (see appeared_alone()),
/// cancelled, and as the agent does.
[[nodiscard]] boost::asio::awaitable<Result<media::Medium>> await_appearance(const std::vector<media::Medium>& before,
                                                                             const std::string& place,
                                                                             agent::AgentClient& agent,
                                                                             const PresenceWait& wait);
/// That exactly `medium` goes. Fails with timed_out (it stays), refused (see vanished_alone()), and as the agent does.
[[nodiscard]] boost::asio::awaitable<Result<void>> await_vanishing(const std::vector<media::Medium>& with,
                                                                   const media::Medium& medium,
                                                                   agent::AgentClient& agent, const PresenceWait& wait);

/// Why the medium must keep its supply: it or what is on it is mounted or held. Empty: it need not.
[[nodiscard]] std::string holder_of(const media::Medium& medium);

} // namespace mediarig::rig
