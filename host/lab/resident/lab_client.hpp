// SPDX-License-Identifier: GPL-3.0-or-later
/// Client of a resident lab, for the user's commands.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/agent/client/agent_link.hpp"
#include "host/base/result.hpp"
#include "host/lab/resident/lab_paths.hpp"
#include "host/lab/resident/request.hpp"

namespace mediarig::lab {

/// Sends one request and waits for the answer, up to a limit of size and time. Sends nothing to a process of another
/// user or into a folder that other users may enter: refused. Fails with rig_fault (no lab runs, it ended before the
/// answer, or the answer exceeds a limit) and with the lab's errors.
[[nodiscard]] Result<nlohmann::json> ask_lab(const LabPaths& place, const LabRequest& request);

/// Returns the connection to the lab's agent; described as "lab". Fails like ask_lab(), also if another client uses the
/// agent.
[[nodiscard]] boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> link_to_lab(LabPaths place);

} // namespace mediarig::lab
