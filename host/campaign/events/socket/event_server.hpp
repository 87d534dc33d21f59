// SPDX-License-Identifier: GPL-3.0-or-later
/// Sends a campaign's events to the clients of its socket and receives their requests. A client cannot delay the
/// campaign: a slow client first misses events and is then disconnected.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "host/base/result.hpp"
#include "host/campaign/event.hpp"
#include "host/campaign/events/feed.hpp"
#include "host/campaign/events/history.hpp"
#include "host/campaign/events/request.hpp"

namespace mediarig::events {

/// `by`: the process id of the client.
using OnRequest = std::function<void(ControlRequest request, pid_t by)>;

/// Use this class only on the thread of its executor.
class EventServer {
public:
    using Socket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, boost::asio::any_io_executor>;

    EventServer(const boost::asio::any_io_executor& executor, std::string campaign, OnRequest on_request);
    EventServer(const EventServer&) = delete;
    EventServer& operator=(const EventServer&) = delete;
    /// The coroutines of the server's clients continue until the executor has run once more.
    ~EventServer();

    /// Fails with io_failed if the socket cannot be opened at `path`. Replaces an existing socket.
    [[nodiscard]] Result<void> listen(const std::string& path);
    /// Returns without waiting for clients.
    void publish(const campaign::SessionEvent& event);
    /// Accepts no more clients, and gives the connected clients one second to receive queued lines.
    [[nodiscard]] boost::asio::awaitable<void> close();
    [[nodiscard]] std::size_t clients() const;

private:
    struct State;
    struct Client;
    std::shared_ptr<State> state_;
};

} // namespace mediarig::events
