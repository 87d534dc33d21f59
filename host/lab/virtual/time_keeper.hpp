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

class TimeKeeper : public std::enable_shared_from_this<TimeKeeper> {
public:
    /// `may_run` is asked at the end of each slice: false stops the guest's clock until look_again().
    TimeKeeper(const boost::asio::any_io_executor& executor, std::function<bool()> may_run);

    /// Fails with io_failed.
    [[nodiscard]] Result<void> listen(const std::string& path);
    /// Asks `may_run` again if the guest waits.
    void look_again();
    /// Number of slices so far: it rises while the guest makes progress in virtual time.
    [[nodiscard]] std::uint64_t slices() const { return slices_; }
    /// True if the guest's clock is stopped.
    [[nodiscard]] bool is_held() const { return calendar_.waiting(); }
    [[nodiscard]] Calendar::Time now() const { return calendar_.now(); }
    /// Error of the protocol; nothing while it works.
    [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
    void close();

private:
    boost::asio::awaitable<void> serve();
    void send(const std::string& bytes);

    std::function<bool()> may_run_;
    boost::asio::local::stream_protocol::acceptor acceptor_;
    UnixSocket guest_;
    Calendar calendar_;
    std::uint64_t slices_{0};
    std::optional<Error> failure_;
};

} // namespace mediarig::lab
