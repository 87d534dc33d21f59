// SPDX-License-Identifier: GPL-3.0-or-later
/// Lets coroutines of one thread wait for a change. After a wake-up each checks its condition again.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace mediarig::rig {

/// Must outlive all waiting coroutines: make it a member of an object that they own.
class Wakeup {
public:
    using Clock = std::chrono::steady_clock;

    explicit Wakeup(const boost::asio::any_io_executor& executor) : changed_(executor, Clock::time_point::max()) {}

    void all() { changed_.cancel(); }

    /// Waits for all() or `until`; other coroutines run in any case.
    [[nodiscard]] boost::asio::awaitable<void> wait(Clock::time_point until) {
        if (Clock::now() >= until) {
            co_await boost::asio::post(changed_.get_executor(), boost::asio::use_awaitable);
            co_return;
        }
        boost::asio::steady_timer patience(changed_.get_executor(), until);
        // Wakes other coroutines too.
        patience.async_wait([this](boost::system::error_code stopped) {
            if (!stopped) changed_.cancel();
        });
        (void)co_await changed_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }

private:
    boost::asio::steady_timer changed_; ///< never expires; cancelled to wake all
};

} // namespace mediarig::rig
