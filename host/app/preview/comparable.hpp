// SPDX-License-Identifier: GPL-3.0-or-later
/// Checks if a comparison is possible on the agent's machine, before a plan is written or a medium erased.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

/// Succeeds without a check for a plan without a comparison, for media in slots, for missing media, and if the agent
/// may not mount: the campaign reports those. Otherwise fails as a claim of the medium would; fails with no_driver if a
/// format lacks tools or a driver, and with bad_request if a profile has no such format on the medium. The detail names
/// each such format, the missing parts and the remedy.
[[nodiscard]] boost::asio::awaitable<Result<void>> check_comparable(agent::AgentClient& agent,
                                                                    const agent::HelloReport& machine,
                                                                    const plan::Plan& plan);
/// For a plan without a comparison, in which media and formats are independent: one line per reason, with the media
/// that are missing, refused or too small for their steps, and those on which a format cannot be measured. The campaign
/// tests all others.
[[nodiscard]] boost::asio::awaitable<std::vector<std::string>> failures_ahead(agent::AgentClient& agent,
                                                                              const agent::HelloReport& machine,
                                                                              const plan::Plan& plan);
[[nodiscard]] Result<void> check_comparable(const AgentChoice& choice, const plan::Plan& plan);

} // namespace mediarig::app
