// SPDX-License-Identifier: GPL-3.0-or-later
/// Offers a line of the guest at a Unix socket that stays when a client disconnects, as QEMU does for its ports. One
/// client at a time; the next one waits.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <memory>
#include <string>

#include "host/base/async/event.hpp"
#include "host/base/result.hpp"
#include "host/lab/qmp/unix_socket.hpp"
#include "host/lab/virtual/guest_line.hpp"

namespace mediarig::lab {

class LineRelay : public std::enable_shared_from_this<LineRelay> {
public:
    LineRelay(const boost::asio::any_io_executor& executor, std::shared_ptr<GuestLine> line);

    /// Accepts clients until close(). Fails with io_failed.
    [[nodiscard]] Result<void> listen(const std::string& path);
    void close();

private:
    boost::asio::awaitable<void> accept();
    boost::asio::awaitable<void> forward_requests();
    boost::asio::awaitable<void> forward_answers();

    std::shared_ptr<GuestLine> line_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    UnixSocket client_;
    std::string answers_;
    Event changed_;
    bool connected_{false}, forwarding_{false};
};

} // namespace mediarig::lab
