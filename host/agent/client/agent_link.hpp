// SPDX-License-Identifier: GPL-3.0-or-later
/// Port: the connection to one agent. Adapters: stream_link.hpp (a pair of descriptors), process/ (a child process).
#pragma once

#include <boost/asio/awaitable.hpp>
#include <compare>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.hpp"

namespace mediarig::agent {

/// Chosen by the caller; must be unique within one connection.
struct RequestId {
    std::uint64_t number{};
    auto operator<=>(const RequestId&) const = default;
};

/// Uses only the executor passed to the constructor, which must run one thread at a time.
class AgentLink {
public:
    /// Receives notifications of the agent. If a handler fails, the message violates the protocol: the connection
    /// closes and every pending call fails with the handler's error. Handlers must not block.
    using NotificationHandler = std::function<Result<void>(const std::string& method, const nlohmann::json& params)>;

    virtual ~AgentLink() = default;

    /// Opens the connection without sending anything. Fails with agent_lost, no_permission, bad_request (no such
    /// program).
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> start() = 0;

    /// Sends a request and waits for the answer; calls may overlap. Errors of the agent keep their Errc; additional
    /// errors: agent_lost (the connection ended; the detail contains the agent's last messages) and bad_format
    /// (protocol violation; the connection was closed). After either error, all pending and later calls fail
    /// immediately.
    [[nodiscard]] virtual boost::asio::awaitable<Result<nlohmann::json>> call(RequestId id, std::string method,
                                                                              nlohmann::json params) = 0;

    /// Set the handler before start(); it is called for each notification in the order of arrival.
    virtual void on_notification(NotificationHandler handler) = 0;

    /// Closes the connection and waits until the agent has cleaned up. Idempotent; pending calls fail with agent_lost.
    /// Fails with agent_lost if the agent did not end properly: it may then have left mounts, loop devices or claims.
    [[nodiscard]] virtual boost::asio::awaitable<Result<void>> close() = 0;

    /// Limits close() to less than a second from now on. The agent continues its cleanup.
    virtual void expedite_close() {}

    /// Kind of connection, for records and error messages: "local", "sudo", …
    [[nodiscard]] virtual std::string description() const = 0;
};

} // namespace mediarig::agent
