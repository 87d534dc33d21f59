// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/lab/virtual/time_keeper.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cerrno>
#include <cstring>
#include <utility>

#include "host/base/async/as_values.hpp"

namespace mediarig::lab {
namespace asio = boost::asio;

TimeKeeper::TimeKeeper(const asio::any_io_executor& executor, std::function<ClockTurn()> turn)
    : turn_(std::move(turn)),
      acceptor_(executor),
      guest_(executor),
      calendar_(std::chrono::system_clock::now().time_since_epoch()) {}

Result<void> TimeKeeper::listen(const std::string& path) {
    const asio::local::stream_protocol::endpoint endpoint(path);
    boost::system::error_code failed;
    acceptor_.open(endpoint.protocol(), failed);
    if (!failed) acceptor_.bind(endpoint, failed);
    if (!failed) acceptor_.listen(1, failed);
    if (failed) return fail(Errc::io_failed, fmt::format("cannot listen on {}: {}", path, failed.message()));
    asio::co_spawn(
        acceptor_.get_executor(), [self = shared_from_this()] { return self->serve(); }, asio::detached);
    return {};
}

asio::awaitable<void> TimeKeeper::serve() {
    const auto self = shared_from_this();
    auto [stopped, guest] = co_await acceptor_.async_accept(as_values);
    if (stopped) co_return;
    guest_ = std::move(guest);
    std::array<char, 1024> buffer{};
    while (!failure_) {
        const auto [ended, count] = co_await guest_.async_read_some(asio::buffer(buffer), as_values);
        if (ended) co_return;
        const auto answers = calendar_.received({buffer.data(), count});
        if (!answers) {
            failure_ = answers.error();
            co_return;
        }
        if (!answers->empty()) send(*answers);
        look_again();
    }
}

void TimeKeeper::look_again() {
    if (!calendar_.waiting() || failure_) return;
    switch (turn_()) {
        case ClockTurn::hold:
            return;
        case ClockTurn::exchanged:
            return send(calendar_.synchronise());
        case ClockTurn::run:
            if (calendar_.has_no_event()) {
                failure_ = Error{Errc::rig_fault, "the guest waits for input before it answers a request"};
                return;
            }
            ++slices_;
            return send(calendar_.grant());
    }
}

void TimeKeeper::send(const std::string& bytes) {
    // A few messages of 16 bytes always fit into the buffer of the socket.
    const ssize_t count = ::send(guest_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count != static_cast<ssize_t>(bytes.size()) && errno != EPIPE && errno != ECONNRESET)
        failure_ = Error{Errc::rig_fault, fmt::format("cannot send the time to the guest: {}", std::strerror(errno))};
}

void TimeKeeper::close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    guest_.close(ignored);
}

} // namespace mediarig::lab
