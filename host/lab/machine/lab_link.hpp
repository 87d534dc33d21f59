// SPDX-License-Identifier: GPL-3.0-or-later
/// Connects to the guest's agent through a QEMU socket. Its virtio port stays open when a controller disconnects.
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
    std::chrono::milliseconds
        open; ///< time limit until the agent has answered and cleaned up after an earlier controller
    std::chrono::milliseconds release; ///< time limit until the agent has cleaned up after this controller
    /// Returns the reason why no connection is possible any more, else nothing. May be empty.
    std::function<std::optional<Error>()> over{};
    /// Number of exits of the guest's agent; the port does not report them. May be empty.
    std::function<std::size_t()> agent_ends{};
    /// Returns the reason why the connection ended unexpectedly. May be empty.
    std::function<boost::asio::awaitable<Error>()> exit_reason{};
};

/// start() connects and resets the agent, so that no output for an earlier controller is received. close() resets the
/// agent again and returns when the agent has cleaned up.
[[nodiscard]] std::unique_ptr<agent::AgentLink> make_lab_link(boost::asio::any_io_executor executor,
                                                              LabLinkOptions options);

} // namespace mediarig::lab
