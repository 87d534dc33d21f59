// SPDX-License-Identifier: GPL-3.0-or-later
/// One open line to a board, and the session on this line. A lost line stays lost: open another line.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/serial_port.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.hpp"
#include "host/rig/serial/host_link.hpp"
#include "host/rig/serial/open_line.hpp"
#include "host/rig/serial/wakeup.hpp"

namespace mediarig::rig {

/// Use this class only on the executor's one thread. Requests are queued: only one request is in flight.
class BoardLine : public std::enable_shared_from_this<BoardLine> {
public:
    /// Fails with io_failed: the system cannot poll this line.
    [[nodiscard]] static Result<std::shared_ptr<BoardLine>> over(const boost::asio::any_io_executor& executor,
                                                                 SerialPort line, std::string path);

    /// Starts to receive. Calls `news` whenever data was received, and when the line is lost.
    void start(std::function<void()> news);
    /// Drops pending events of the session before.
    void begin_session(std::uint16_t nonce);

    /// Fails with io_failed: the line is lost, or the board does not answer.
    [[nodiscard]] boost::asio::awaitable<Result<Answer>> request(rigproto::Op op, std::vector<std::uint8_t> payload);

    /// Ends the session, if the line accepts the message at once. Close the line after this call.
    void bye();
    void stop();
    [[nodiscard]] std::optional<rigproto::StatusReply> take_stopped() { return link_.take_stopped(); }
    void acknowledge(std::uint32_t event);
    [[nodiscard]] std::optional<BoardEvent> take_event() { return link_.take_event(); }

    /// Reason why the line is lost; nothing while it works.
    [[nodiscard]] const std::optional<Error>& lost() const { return lost_; }
    void close(Error why);
    [[nodiscard]] const std::string& path() const { return path_; }
    /// True if any data was received.
    [[nodiscard]] bool has_received() const { return heard_anything_; }
    [[nodiscard]] const HostLink::Counters& counters() const { return link_.counters(); }

private:
    BoardLine(boost::asio::serial_port port, std::string path);
    boost::asio::awaitable<void> read();
    boost::asio::awaitable<void> write();
    void flush();
    [[nodiscard]] Error end_reason() const;

    boost::asio::serial_port port_;
    std::string path_;
    std::function<void()> news_;
    Wakeup wakeup_;
    HostLink link_{0};
    std::vector<std::uint8_t> outbox_;
    bool writing_{};
    bool asking_{};
    unsigned session_{};
    bool heard_anything_{};
    std::optional<Error> lost_;
};

} // namespace mediarig::rig
