// SPDX-License-Identifier: GPL-3.0-or-later
/// The control socket of a lab that stays: lines in, lines out, and the line to the agent lent to one client at a time.
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
    /// `lab` outlives the server. `idle`: how long nobody has to ask for anything before the lab ends by itself.
    LabServer(const boost::asio::any_io_executor& executor, ResidentLab& lab, nlohmann::json facts,
              std::optional<std::chrono::milliseconds> idle);

    /// From now on clients can connect, and wait until they are served. Fails with io_failed.
    [[nodiscard]] Result<void> listen(const std::filesystem::path& socket);
    /// Until somebody asks the lab to stop, end() is called, or nobody asks for anything for too long. When it returns,
    /// machine and cards are stopped. Fails as the machine's stop() does.
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
    nlohmann::json facts_; ///< about the boot, repeated in every status
    std::optional<std::chrono::milliseconds> idle_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    Event changed_;
    std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
    std::size_t clients_{0};
    bool ending_{false};
    std::optional<Result<void>> ended_; ///< how stopping the machine went
};

} // namespace mediarig::lab
