// SPDX-License-Identifier: GPL-3.0-or-later
/// Whether a comparison can be made on the agent's machine at all: before a plan is kept or a medium erased.
#pragma once

#include <boost/asio/awaitable.hpp>

#include <string>
#include <vector>

#include "host/app/agent/agent_runner.hpp"
#include "host/plan/plan.hpp"

namespace mediarig::app {

/// Of a plan that compares nothing, of media in slots, and where a medium is not there or the agent may not mount:
/// nothing is said here, the campaign says it. Else this fails as a claim of the medium would, and each format must
/// have its tools and its driver, or this fails with no_driver, or bad_request where a profile has no such format on
/// the medium; the detail names each format with what it lacks and what would do.
[[nodiscard]] boost::asio::awaitable<Result<void>> check_comparable(agent::AgentClient& agent,
                                                                    const agent::HelloReport& machine,
                                                                    const plan::Plan& plan);
/// Of a plan that compares nothing, where each medium and each format stands for itself: a line for each reason, with
/// those of several media that are not there, are refused or too small for their steps, and those of which a format
/// cannot be measured. The campaign tests all others.
[[nodiscard]] boost::asio::awaitable<std::vector<std::string>> failures_ahead(agent::AgentClient& agent,
                                                                              const agent::HelloReport& machine,
                                                                              const plan::Plan& plan);
[[nodiscard]] Result<void> check_comparable(const AgentChoice& choice, const plan::Plan& plan);

} // namespace mediarig::app
