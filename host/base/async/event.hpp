// SPDX-License-Identifier: GPL-3.0-or-later
/// An event that occurs once or repeatedly. Coroutines of one executor can wait for it.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mediarig {

/// Waiters must check their condition again after each wait: `while (!ready) co_await event.wait();`.
class Event {
public:
    explicit Event(const boost::asio::any_io_executor& executor)
        : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

    void notify() { timer_.cancel(); }
    [[nodiscard]] boost::asio::any_io_executor executor() { return timer_.get_executor(); }
    [[nodiscard]] boost::asio::awaitable<void> wait() {
        co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }

private:
    boost::asio::steady_timer timer_;
};

} // namespace mediarig
