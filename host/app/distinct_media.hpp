// SPDX-License-Identifier: GPL-3.0-or-later
/// One medium that a plan names twice by different names: links, loop devices, /dev/disk/by-id. Two lanes would write
/// over each other's data, and the record would hold one device with both fates.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <vector>

#include "host/agent/client/agent_client.hpp"
#include "host/media/medium.hpp"
#include "host/plan/plan.hpp"
#include "host/result.hpp"

namespace mediarig::app {

struct NamedMedium {
    std::string name; ///< as the plan says where it is
    media::Medium identity;
};

/// Fails with bad_request, naming both, where two are the same file or would be recorded under the same key.
[[nodiscard]] Result<void> check_distinct(const std::vector<NamedMedium>& media);

/// Of those that are named by a path and are there now.
[[nodiscard]] boost::asio::awaitable<Result<void>> check_distinct(agent::AgentClient& agent, const plan::Plan& plan);

} // namespace mediarig::app
