// SPDX-License-Identifier: GPL-3.0-or-later
/// Serves the calendar of a guest in virtual time on a Unix socket. All methods run on its executor.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/base/result.hpp"
#include "host/lab/qmp/unix_socket.hpp"
#include "host/lab/virtual/calendar.hpp"

namespace mediarig::lab {

/// Decision about a guest that waits for time.
enum class ClockTurn : std::uint8_t {
    hold,      ///< until look_again()
    exchanged, ///< bytes were transferred to or from the guest: ask again when it has handled them
    run,
};

class TimeKeeper : public std::enable_shared_from_this<TimeKeeper> {
public:
    /// `turn` is called while the guest waits.
    TimeKeeper(const boost::asio::any_io_executor& executor, std::function<ClockTurn()> turn);

    /// Fails with io_failed.
    [[nodiscard]] Result<void> listen(const std::string& path);
    /// Calls `turn` again if the guest waits.
    void look_again();
    /// Number of slices so far: it rises while the guest makes progress in virtual time.
    [[nodiscard]] std::uint64_t slices() const { return slices_; }
    /// True if the guest's clock is stopped.
    [[nodiscard]] bool is_held() const { return calendar_.waiting(); }
    [[nodiscard]] Calendar::Time now() const { return calendar_.now(); }
    /// Error of the protocol, or a guest that should run but waits for input; nothing while it works.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    void close();

private:
    boost::asio::awaitable<void> serve();
    void send(const std::string& bytes);

    std::function<ClockTurn()> turn_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    UnixSocket guest_;
    Calendar calendar_;
    std::uint64_t slices_{0};
    std::optional<Error> failure_;
};

} // namespace mediarig::lab
