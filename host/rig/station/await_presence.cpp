// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/rig/station/await_presence.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace mediarig::rig {

namespace asio = boost::asio;
using std::chrono::steady_clock;

asio::awaitable<void> pause_for(std::chrono::milliseconds time) {
    asio::steady_timer timer(co_await asio::this_coro::executor, time);
    (void)co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<Result<media::Medium>> await_appearance(const std::vector<media::Medium>& before,
                                                        const std::string& place, agent::AgentClient& agent,
                                                        const PresenceWait& wait) {
    const auto deadline = steady_clock::now() + wait.within;
    Result<media::Medium> seen = fail(Errc::no_medium, "");
    bool late = false;
    for (;;) {
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        auto found = appeared_alone(between(before, *now), place);
        if (found && seen && *found == *seen) co_return found;
        // Require two equal results, also for a refusal: a device that is just appearing or disappearing may look
        // different for a moment.
        const bool refused = !found && found.error().code != Errc::no_medium;
        if (refused && !seen && seen.error().detail == found.error().detail) co_return found;
        seen = std::move(found);
        if (*wait.given_up) co_return fail(Errc::cancelled, "cancelled while waiting for the card");
        if (steady_clock::now() > deadline) {
            // Check once more after the deadline: the machine may have been stalled, which is not the card's fault.
            if (!seen || late) break;
            late = true;
        }
        co_await pause_for(wait.poll_interval);
    }
    co_return fail(Errc::no_medium, "no block device appeared");
}

asio::awaitable<Result<void>> await_vanishing(const std::vector<media::Medium>& with, const media::Medium& medium,
                                              agent::AgentClient& agent, const PresenceWait& wait) {
    const auto deadline = steady_clock::now() + wait.within;
    std::string doubt;
    for (;;) {
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        auto gone = vanished_alone(between(with, *now), medium);
        if (gone) co_return gone;
        const bool refused = gone.error().code != Errc::no_medium;
        if (refused && gone.error().detail == doubt) co_return gone;
        doubt = refused ? gone.error().detail : "";
        if (steady_clock::now() > deadline) {
            if (refused) co_return gone;
            co_return fail(Errc::timed_out, gone.error().detail + ": it is not the card in this reader");
        }
        co_await pause_for(wait.poll_interval);
    }
}

std::string holder_of(const media::Medium& medium) {
    for (const media::Refusal& refusal : medium.refusals)
        if (refusal.kind == media::RefusalKind::mounted || refusal.kind == media::RefusalKind::held)
            return refusal.detail;
    return {};
}

} // namespace mediarig::rig
