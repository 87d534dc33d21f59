// SPDX-License-Identifier: GPL-3.0-or-later
/// Control socket of a resident lab: receives and answers lines, and lends the connection to the agent to one client at
/// a time.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <optional>

#include "host/base/async/event.hpp"
#include "host/lab/qmp/unix_socket.hpp"
#include "host/lab/resident/resident_lab.hpp"

namespace mediarig::lab {

class LabServer {
public:
    /// `lab` outlives the server. `idle`: time without requests after which the lab ends.
    LabServer(const boost::asio::any_io_executor& executor, ResidentLab& lab, nlohmann::json facts,
              std::optional<std::chrono::milliseconds> idle);

    /// Clients can connect after this call; they wait until they are served. Fails with io_failed.
    [[nodiscard]] Result<void> listen(const std::filesystem::path& socket);
    /// Runs until a client stops the lab, end() is called, or the idle time has passed. When it returns, the machine
    /// and the cards are stopped. Fails like the machine's stop().
    [[nodiscard]] boost::asio::awaitable<Result<void>> serve();
    /// Makes serve() return.
    void end();

private:
    boost::asio::awaitable<void> accept_clients();
    boost::asio::awaitable<void> watch_idleness(std::chrono::milliseconds limit);
    boost::asio::awaitable<void> converse(UnixSocket socket);
    boost::asio::awaitable<void> lend_agent(UnixSocket& socket);
    boost::asio::awaitable<Result<nlohmann::json>> answer(LabRequest request);
    [[nodiscard]] nlohmann::json status() const;

    boost::asio::any_io_executor executor_;
    ResidentLab& lab_;
    nlohmann::json facts_; ///< facts about the boot, included in every status
    std::optional<std::chrono::milliseconds> idle_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    Event changed_;
    std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
    std::size_t clients_{0};
    bool ending_{false};
    std::optional<Result<void>> ended_; ///< result of stopping the machine
};

} // namespace mediarig::lab
