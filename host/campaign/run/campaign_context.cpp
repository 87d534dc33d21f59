// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/run/campaign_context.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "host/base/async/as_values.hpp"

namespace mediarig::campaign {

namespace asio = boost::asio;

asio::awaitable<void> wait_until(const CampaignContext& context, std::chrono::steady_clock::time_point end,
                                 std::function<bool()> over) {
    constexpr std::chrono::milliseconds slice{100};
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (auto now = std::chrono::steady_clock::now(); now < end; now = std::chrono::steady_clock::now()) {
        if (context.ends() || (over && over())) co_return;
        timer.expires_after(std::min<std::chrono::steady_clock::duration>(slice, end - now));
        co_await timer.async_wait(as_values);
    }
}

} // namespace mediarig::campaign
