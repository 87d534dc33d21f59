// SPDX-License-Identifier: GPL-3.0-or-later
/// The other end of a lab that stays: what commands of a user ask it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "host/agent/client/agent_link.hpp"
#include "host/base/result.hpp"
#include "host/lab/resident/place.hpp"
#include "host/lab/resident/request.hpp"

namespace mediarig::lab {

/// Sends one request and waits for the answer, up to a limit of size and time. Nothing is sent to another user's
/// process or into a folder that others may enter: refused. Fails with rig_fault (no lab runs, it ended meanwhile, its
/// answer breaks a limit) and as the lab did.
[[nodiscard]] Result<nlohmann::json> ask_lab(const LabPlace& place, const LabRequest& request);

/// The line to the lab's agent; described as "lab". Fails likewise, also where another client works with it.
[[nodiscard]] boost::asio::awaitable<Result<std::unique_ptr<agent::AgentLink>>> link_to_lab(LabPlace place);

} // namespace mediarig::lab
