// SPDX-License-Identifier: GPL-3.0-or-later
/// The line to the guest's agent: a socket of QEMU, behind it a virtio port that stays when a controller goes.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/agent/client/agent_link.hpp"

namespace mediarig::lab {

struct LabLinkOptions {
    std::string socket_path;
    std::chrono::milliseconds open;    ///< until the agent has answered, and put away what an earlier controller left
    std::chrono::milliseconds release; ///< until it has put away what this one leaves
    /// Why there is nobody to connect to any more; nothing while there may be. May be empty.
    std::function<std::optional<Error>()> over{};
    /// How often the guest's agent has ended: the port does not tell. May be empty.
    std::function<std::size_t()> agent_ends{};
    /// What to say about a line that ended by itself; may be empty.
    std::function<boost::asio::awaitable<Error>()> why_it_ended{};
};

/// start() connects and has the agent start over, so that nothing of an earlier controller is heard; close() has it
/// start over again, which is answered when everything is put away.
[[nodiscard]] std::unique_ptr<agent::AgentLink> make_lab_link(boost::asio::any_io_executor executor,
                                                              LabLinkOptions options);

} // namespace mediarig::lab
