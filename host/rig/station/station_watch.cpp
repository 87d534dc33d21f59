// SPDX-License-Identifier: GPL-3.0-or-later
/// Watching devices come and go, and keeping each slot's state.
#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "host/rig/station/station_rig.hpp"

namespace mediarig::rig {

namespace asio = boost::asio;

asio::awaitable<void> StationRig::pause() {
    asio::steady_timer timer(co_await asio::this_coro::executor, setup_.look_every);
    (void)co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

asio::awaitable<Result<media::Medium>> StationRig::wait_for_one(const std::vector<media::Medium>& before, Port port,
                                                                agent::AgentClient& agent) {
    const std::string place = port.index < setup_.reader_paths.size() ? setup_.reader_paths[port.index] : "";
    const auto deadline = std::chrono::steady_clock::now() + setup_.appears_within;
    Result<media::Medium> seen = fail(Errc::no_medium, "");
    bool late = false;
    for (;;) {
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        auto found = appeared_alone(between(before, *now), place);
        // Twice alike: what comes in several devices does not bring them all at once.
        if (found && seen && *found == *seen) co_return found;
        // A refusal too: what is just coming or going may look like anything for a moment.
        const bool refused = !found && found.error().code != Errc::no_medium;
        if (refused && !seen && seen.error().detail == found.error().detail) co_return found;
        seen = std::move(found);
        if (given_up_) co_return fail(Errc::cancelled, "cancelled while waiting for the card");
        if (std::chrono::steady_clock::now() > deadline) {
            // What is there is looked at once more: a machine that stood still for so long is not a dead card.
            if (!seen || late) break;
            late = true;
        }
        co_await pause();
    }
    co_return fail(Errc::no_medium,
                   fmt::format("no block device appeared within {} s after port {} was switched on: a dead card",
                               setup_.appears_within.count() / 1000, number_of(port)));
}

asio::awaitable<Result<void>> StationRig::wait_until_gone(const std::vector<media::Medium>& with,
                                                          const media::Medium& medium, agent::AgentClient& agent) {
    const auto deadline = std::chrono::steady_clock::now() + setup_.vanishes_within;
    std::string doubt;
    for (;;) {
        auto now = co_await agent.devices();
        if (!now) co_return fail(std::move(now.error()));
        auto gone = vanished_alone(between(with, *now), medium);
        if (gone) co_return gone;
        const bool refused = gone.error().code != Errc::no_medium;
        if (refused && gone.error().detail == doubt) co_return gone;
        doubt = refused ? gone.error().detail : "";
        if (std::chrono::steady_clock::now() > deadline) {
            if (refused) co_return gone;
            co_return fail(Errc::timed_out, gone.error().detail + ": it is not the one in this reader");
        }
        co_await pause();
    }
}

void StationRig::step(Pocket pocket, SlotEvent event) {
    if (const auto to = next(slots_[pocket], event)) slots_[pocket] = *to;
}

Result<void> StationRig::allows(Pocket pocket, SlotEvent event) const {
    const auto found = slots_.find(pocket);
    const Slot slot = found == slots_.end() ? Slot{} : found->second;
    if (next(slot, event)) return {};
    return fail(Errc::refused, fmt::format("slot {}: {} is not allowed while it is {}", slot_of(pocket).number,
                                           name_of(event), name_of(slot.state)));
}

std::optional<Port> StationRig::port_of(Pocket pocket) const {
    for (const auto& [port, other] : readers_)
        if (other == pocket) return port;
    return std::nullopt;
}

Error StationRig::set_aside(Pocket pocket, Errc code, const std::string& why) {
    if (allows(pocket, SlotEvent::failed)) step(pocket, SlotEvent::failed);
    return {code, fmt::format("slot {}: {}", slot_of(pocket).number, why)};
}

} // namespace mediarig::rig
