// SPDX-License-Identifier: GPL-3.0-or-later
/// Asks the operator to remove a medium and to connect it again, which cuts its power.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>

#include "host/agent/client/agent_client.hpp"
#include "host/base/result.hpp"
#include "host/media/identity/medium.hpp"
#include "host/rig/station/operator.hpp"

namespace mediarig::rig {

struct ReplugWait {
    std::chrono::milliseconds within{300'000}, poll_interval{300};
    std::function<bool()> given_up{[] { return false; }}; ///< true: the wait ends with cancelled
};

/// True if the medium can be removed by hand: it is no loop device, image or mapped device.
[[nodiscard]] bool can_be_replugged(const media::Medium& medium);

/// Returns the medium as the agent describes it afterwards, with the same media::device_key() and size; its node may
/// differ. Nothing on it may be in use. Another medium is reported to the operator, and the wait continues. Fails with
/// no_medium (not removed, not connected in time, or another medium connected instead), cancelled, and like the agent.
[[nodiscard]] boost::asio::awaitable<Result<media::Medium>> replugged(const media::Medium& medium, Operator& person,
                                                                      agent::AgentClient& agent,
                                                                      const ReplugWait& wait);

} // namespace mediarig::rig
