// SPDX-License-Identifier: GPL-3.0-or-later
/// Watching devices come and go, and keeping each slot's state.
#include <fmt/format.h>

#include "host/rig/station/station_rig.hpp"

namespace mediarig::rig {

namespace asio = boost::asio;

asio::awaitable<Result<media::Medium>> StationRig::wait_for_one(const std::vector<media::Medium>& before, Port port,
                                                                agent::AgentClient& agent) {
    const std::string place = port.index < setup_.reader_paths.size() ? setup_.reader_paths[port.index] : "";
    auto found = co_await await_appearance(before, place, agent, waiting(setup_.appears_within));
    if (!found && found.error().code == Errc::no_medium)
        found.error().detail =
            fmt::format("no block device appeared within {} s after port {} was switched on: a dead card",
                        setup_.appears_within.count() / 1000, number_of(port));
    co_return found;
}

PresenceWait StationRig::waiting(std::chrono::milliseconds within) const {
    return {.within = within, .look_every = setup_.look_every, .given_up = &given_up_};
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
