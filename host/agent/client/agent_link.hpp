// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the line to one agent. Adapters: stream_link.hpp (a pair of descriptors), process/ (a child process).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <compare>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::agent {

/// Chosen by the caller, never used twice on one link.
struct RequestId {
    std::uint64_t number{};
    auto operator<=>(const RequestId&) const = default;
};

/// Everything happens on the executor the link was made with, which must run on one thread at a time.
class AgentLink {
public:
    /// What the agent said unasked. A handler that fails has met a message that breaks the protocol: the link closes
    /// and every pending call fails with the handler's error. Must not block.
    using NotificationHandler = std::function<Result<void>(const std::string& method, const nlohmann::json& params)>;

    virtual ~AgentLink() = default;

    /// Opens the line; nothing is said yet. Fails with agent_lost, no_permission, bad_request (no such program).
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> start() = 0;

    /// Asks and waits for the answer; calls may overlap. The agent's own errors come back with their Errc; besides:
    /// agent_lost (the line ended; the detail holds the agent's last words) and bad_format (the agent broke the
    /// protocol; the line was closed). After either, every pending and every later call fails at once.
    [[nodiscard]] virtual boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method,
                                                                              nlohmann::json params) = 0;

    /// To be set before start(); called for each notification in the order in which they came.
    virtual void on_notification(NotificationHandler handler) = 0;

    /// Ends the line and waits until the agent has put everything away. Idempotent; pending calls fail with agent_lost.
    /// Fails with agent_lost where the agent did not end in order: what it left behind is then unknown.
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> close() = 0;

    /// Somebody will not wait: close() takes less than a second from now on. The agent goes on putting things away.
    virtual void hurry() {}

    /// How the agent is reached, for records and error messages: "local", "sudo", …
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::agent
