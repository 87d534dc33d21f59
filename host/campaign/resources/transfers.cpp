// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/campaign/resources/transfers.hpp"

#include <algorithm>
#include <utility>

namespace mediarig::campaign {

struct Transfers::State {
    struct Active {
        Transfer transfer;
        std::set<Neighbour> seen;
    };
    std::map<std::uint64_t, Active> active;
    std::uint64_t next{1};

    [[nodiscard]] static bool meet(const Transfer& one, const Transfer& other) {
        return std::ranges::any_of(
            one.uplinks, [&](const std::string& each) { return std::ranges::count(other.uplinks, each) > 0; });
    }
    [[nodiscard]] static Neighbour name_of(const Transfer& transfer) { return {transfer.medium, transfer.step}; }
    [[nodiscard]] std::set<Neighbour> beside(std::uint64_t id) const {
        std::set<Neighbour> found;
        for (const auto& [other, each] : active)
            if (other != id && meet(each.transfer, active.at(id).transfer)) found.insert(name_of(each.transfer));
        return found;
    }
};

Transfers::Transfers() : state_(std::make_shared<State>()) {}

Transfers::Token Transfers::begin(Transfer transfer) {
    const std::uint64_t id = state_->next++;
    for (auto& [other, each] : state_->active)
        if (State::meet(each.transfer, transfer)) each.seen.insert(State::name_of(transfer));
    state_->active[id].transfer = std::move(transfer);
    state_->active[id].seen = state_->beside(id);
    return {state_, id};
}

Transfers::Token::Token(Token&& other) noexcept : state_(std::move(other.state_)), id_(other.id_) {}

Transfers::Token& Transfers::Token::operator=(Token&& other) noexcept {
    std::swap(state_, other.state_);
    std::swap(id_, other.id_);
    return *this;
}

Transfers::Token::~Token() {
    if (state_) state_->active.erase(id_);
}

std::set<Neighbour> Transfers::Token::take_seen() {
    if (!state_) return {};
    return std::exchange(state_->active.at(id_).seen, state_->beside(id_));
}

std::vector<measure::BusLink> links_of(const media::Medium& medium) {
    std::vector<measure::BusLink> links;
    if (medium.usb) links.push_back(measure::usb_link(medium.usb->speed_mbit));
    if (medium.sd && !medium.sd->bus_timing.empty())
        links.push_back(measure::sd_link(medium.sd->bus_timing, medium.sd->bus_clock_hz, medium.sd->bus_width));
    return links;
}

} // namespace mediarig::campaign
