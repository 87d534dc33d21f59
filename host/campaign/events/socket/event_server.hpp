// SPDX-License-Identifier: GPL-3.0-or-later
/// Tells a campaign's events to whoever connects to its socket, and hears what they ask. No client can delay the
/// campaign: what one does not take in time it does not get, and in the end it is let go.
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

/// `by`: the client's process.
using OnRequest = std::function<void(Request request, pid_t by)>;

/// Used on the thread of its executor only.
class EventServer {
public:
    using Socket = boost::asio::basic_stream_socket<boost::asio::local::stream_protocol, boost::asio::any_io_executor>;

    EventServer(const boost::asio::any_io_executor& executor, std::string campaign, OnRequest on_request);
    EventServer(const EventServer&) = delete;
    EventServer& operator=(const EventServer&) = delete;
    /// What runs for its clients lives on without it until the executor has run once more.
    ~EventServer();

    /// Fails with io_failed where nothing can listen at `path`; a socket that lies there already is replaced.
    [[nodiscard]] Result<void> listen(const std::string& path);
    /// Does not wait for anybody.
    void publish(const session::SessionEvent& event);
    /// Lets no more clients in and gives those who are there a second to take what is still to be sent.
    [[nodiscard]] boost::asio::awaitable<void> close();
    [[nodiscard]] std::size_t clients() const;

private:
    struct State;
    struct Client;
    std::shared_ptr<State> state_;
};

} // namespace mediarig::events
