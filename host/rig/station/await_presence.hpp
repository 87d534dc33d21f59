// SPDX-License-Identifier: GPL-3.0-or-later
/// Waits until an agent sees exactly one block device appear or disappear.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/rig/station/presence.hpp"

namespace mediarig::rig {

struct PresenceWait {
    std::chrono::milliseconds within, poll_interval;
    const bool* given_up; ///< checked while waiting for a device
};

boost::asio::awaitable<void> pause_for(std::chrono::milliseconds time);

/// Returns the one device that appeared since `before`, after two equal results: a unit with several devices does not
/// present them all at once. Fails with no_medium (none in time; the caller provides the text), refused (see
/// appeared_alone()), cancelled, and like the agent.
[[nodiscard]] boost::asio::awaitable<Result<media::Medium>> await_appearance(const std::vector<media::Medium>& before,
                                                                             const std::string& place,
                                                                             agent::AgentClient& agent,
                                                                             const PresenceWait& wait);
/// Waits until exactly `medium` disappears. Fails with timed_out (it stays), refused (see vanished_alone()), and like
/// the agent.
[[nodiscard]] boost::asio::awaitable<Result<void>> await_vanishing(const std::vector<media::Medium>& with,
                                                                   const media::Medium& medium,
                                                                   agent::AgentClient& agent, const PresenceWait& wait);

/// Returns the reason why the medium must keep its supply: it or its contents are mounted or held. Empty if the supply
/// may be switched off.
[[nodiscard]] std::string holder_of(const media::Medium& medium);

} // namespace mediarig::rig
