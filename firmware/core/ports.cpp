// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/ports.hpp"

namespace mediarig::firmware {

namespace {
constexpr std::uint8_t bit(std::uint8_t port) {
    return static_cast<std::uint8_t>(1U << port);
}

template <class Question>
std::uint8_t which(const std::array<Port, port_count>& ports, Question question) {
    std::uint8_t mask = 0;
    for (std::uint8_t port = 0; port < port_count; ++port)
        if (question(ports[port])) mask |= bit(port);
    return mask;
}
} // namespace

void Ports::start(std::uint64_t now_us) {
    for (std::uint8_t port = 0; port < port_count; ++port) {
        ports_[port].start(now_us);
        // Report no event for a port that was never on and is off.
        reported_[port] = {rigproto::PortState::off, rigproto::Fault::none};
    }
    switched_at_us_ = now_us;
}

void Ports::tick(const Inputs& inputs, const rigproto::Config& limits, std::uint8_t cards) {
    for (std::uint8_t port = 0; port < port_count; ++port) {
        const PortSample* sample = (inputs.sampled & bit(port)) != 0 ? &inputs.ports[port] : nullptr;
        // Most ports are settled in most ticks, and only a sample can change that.
        if (sample == nullptr && ports_[port].settled()) continue;
        const bool before = ports_[port].output();
        ports_[port].tick(inputs.now_us, limits, (cards & bit(port)) != 0, (inputs.port_faults & bit(port)) != 0,
                          sample);
        if (before != ports_[port].output()) switched_at_us_ = inputs.now_us;
        tell(port, inputs.now_us);
    }
    do turn_ = static_cast<std::uint8_t>((turn_ + 1) % port_count);
    while (turn_ != 0 && !ports_[turn_].settled());
}

void Ports::tell(std::uint8_t port, std::uint64_t now_us) {
    const ReportedState now{ports_[port].state(), ports_[port].fault()};
    const bool first_measurement =
        reported_[port].state == rigproto::PortState::off && now.state == rigproto::PortState::discharging;
    if (now == reported_[port] || first_measurement) return;
    reported_[port] = now;
    events_->port({port, now.state, now.fault, ports_[port].millivolts()}, now_us);
}

void Ports::switch_on(std::uint8_t port, std::uint64_t now_us) {
    ports_[port].switch_on(now_us);
    switched_at_us_ = now_us;
}

void Ports::switch_off(std::uint8_t port, std::uint64_t now_us) {
    ports_[port].switch_off(now_us);
    switched_at_us_ = now_us;
}

void Ports::switch_off_all_but(std::uint8_t kept, std::uint64_t now_us) {
    for (std::uint8_t port = 0; port < port_count; ++port)
        if ((kept & bit(port)) == 0 && ports_[port].output()) switch_off(port, now_us);
}

std::uint8_t Ports::outputs() const {
    return which(ports_, [](const Port& port) { return port.output(); });
}

std::uint8_t Ports::ports_not_off() const {
    return which(ports_, [](const Port& port) { return port.state() != rigproto::PortState::off; });
}

std::uint8_t Ports::tripped() const {
    return which(ports_, [](const Port& port) { return port.state() == rigproto::PortState::tripped; });
}

bool Ports::all_discharged() const {
    return which(ports_, [](const Port& port) { return port.without_voltage(); }) == 0xFF;
}

std::uint8_t Ports::wanted() const {
    std::uint8_t mask = which(ports_, [](const Port& port) { return !port.settled(); });
    if (ports_[turn_].settled()) mask |= bit(turn_);
    return mask;
}

} // namespace mediarig::firmware
