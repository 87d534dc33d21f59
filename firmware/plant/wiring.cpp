// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/plant/wiring.hpp"

#include <algorithm>
#include <cmath>

#include "hw/parts.hpp"

namespace mediarig::plant {

namespace {

constexpr std::uint32_t chain_mask = (1U << pins::chain_bits) - 1;

/// Returns the bit of the input chain that is shifted out as number `order`: each register outputs its D7 first.
constexpr unsigned chain_bit(unsigned order) {
    return order / 8 * 8 + 7 - order % 8;
}

} // namespace

Wiring::Wiring(Plant& plant) : plant_(&plant) {
    release(0);
}

bool Wiring::idle(unsigned pin) {
    return pin == pins::mot_en_n || pin == pins::out_en_n || pin == pins::uart_tx || pin == pins::uart_rx ||
           pin == pins::nest_cmd;
}

void Wiring::release(Nanoseconds at) {
    levels_ = 0;
    for (unsigned pin = 0; pin < changed_.size(); ++pin)
        if (idle(pin)) levels_ |= 1U << pin;
    supply_charge_ = 0;
    actuate(at);
}

void Wiring::drive(unsigned pin, bool high, Nanoseconds at) {
    if (pin >= changed_.size() || level(pin) == high) return;
    drop_supply(at);
    const bool select = pin == pins::sense_sel0 || pin == pins::sense_sel1 || pin == pins::sense_sel2;
    const auto filter = select ? filtered(plant_->sense(at), at) : filter_mv_;
    judge_width(pin, at);
    levels_ ^= 1U << pin;
    changed_[pin] = at;
    switch (pin) {
        case pins::x_step:
            if (high) step(rigproto::Axis::x, pins::x_dir, at);
            break;
        case pins::z_step:
            if (high) step(rigproto::Axis::z, pins::z_dir, at);
            break;
        case pins::chain_clk:
            if (!high) break;
            shift_out_ = (shift_out_ << 1U | (level(pins::chain_out) ? 1U : 0U)) & chain_mask;
            ++shifted_;
            break;
        case pins::chain_latch:
            load_inputs(at); // the 74HC165 follow the inputs while the latch is low, and hold them when it rises
            if (!high) break;
            outputs_ = shift_out_;
            actuate(at);
            break;
        case pins::sense_sel0:
        case pins::sense_sel1:
        case pins::sense_sel2:
            filter_mv_ = filter;
            select_changed_ = at;
            break;
        case pins::safety_pump:
            supply_charge_ = at - supply_edge_ <= PartTiming::supply_gap ? supply_charge_ + 1 : 1;
            supply_edge_ = at;
            if (!supplied_ && supply_charge_ >= PartTiming::supply_edges) actuate(at);
            break;
        case pins::nest_clk:
        case pins::nest_cmd:
            plant_->nest_lines(level(pins::nest_clk), level(pins::nest_cmd), at);
            break;
        case pins::mot_en_n:
        case pins::out_en_n:
            actuate(at);
            break;
        default:
            break;
    }
}

void Wiring::judge_width(unsigned pin, Nanoseconds at) {
    Nanoseconds needed = 0;
    if (pin == pins::chain_clk || pin == pins::chain_latch) needed = PartTiming::chain_pulse;
    if (pin == pins::x_step || pin == pins::z_step) needed = PartTiming::step_pulse;
    if (pin == pins::nest_clk) needed = PartTiming::nest_pulse;
    if (needed == 0 || changed_[pin] == 0 || at - changed_[pin] >= needed) return;
    ++too_fast_;
    too_fast_pin_ = pin;
}

void Wiring::step(rigproto::Axis axis, unsigned direction_pin, Nanoseconds at) {
    if (changed_[direction_pin] != 0 && at - changed_[direction_pin] < PartTiming::direction_setup) {
        ++too_fast_;
        too_fast_pin_ = direction_pin;
    }
    plant_->step(axis, level(direction_pin) ? 1 : -1, at);
}

void Wiring::load_inputs(Nanoseconds at) {
    const Sensors sensors = plant_->sense(at);
    std::uint32_t active = std::uint32_t{sensors.cards} << pins::in::card0 | std::uint32_t{sensors.port_faults}
                                                                                 << pins::in::fault0;
    if (sensors.z_home) active |= 1U << pins::in::z_home;
    if (sensors.x_comb) active |= 1U << pins::in::x_comb;
    if (sensors.nest_card) active |= 1U << pins::in::nest_card;
    if (sensors.no_carriage) active |= 1U << pins::in::no_carriage;
    if (sensors.driver_fault) active |= 1U << pins::in::driver_fault;
    shift_in_ = chain_mask & ~active; // all have pull-ups and are active low
    shifted_ = 0;
}

unsigned Wiring::selected() const {
    return (level(pins::sense_sel0) ? 1U : 0U) | (level(pins::sense_sel1) ? 2U : 0U) |
           (level(pins::sense_sel2) ? 4U : 0U);
}

bool Wiring::motor_supply(Nanoseconds at) const {
    return supply_charge_ >= PartTiming::supply_edges && at - supply_edge_ <= PartTiming::supply_hold;
}

void Wiring::drop_supply(Nanoseconds at) {
    if (!supplied_ || motor_supply(at)) return;
    const Nanoseconds dropped = supply_edge_ + PartTiming::supply_hold;
    supply_charge_ = 0;
    actuate(std::min(dropped, at));
}

void Wiring::actuate(Nanoseconds at) {
    const bool on = outputs_enabled();
    const auto out = [&](unsigned bit) { return on && (outputs_ >> bit & 1U) != 0; };
    supplied_ = motor_supply(at);
    plant_->set({.motors_on = !level(pins::mot_en_n) && supplied_,
                 .pump = out(pins::out::pump),
                 .valve = out(pins::out::valve),
                 .jaw_open = out(pins::out::jaw_open),
                 .arm = out(pins::out::motor_arm),
                 .ports_on = on ? static_cast<std::uint8_t>(outputs_ >> pins::out::port_en0 & 0xFFU) : std::uint8_t{},
                 .nest_power = out(pins::out::nest_power)},
                at);
}

std::uint32_t Wiring::levels(Nanoseconds at) {
    drop_supply(at);
    const Sensors sensors = plant_->sense(at);
    if (!level(pins::chain_latch)) load_inputs(at);
    std::uint32_t levels = 0;
    if (!sensors.x_home) levels |= 1U << pins::x_home; // covered is low
    if (sensors.safety_closed) levels |= 1U << pins::safety_ok;
    // After its last bit the chain shifts out its serial input, which is tied high.
    const bool bit = shifted_ >= pins::chain_bits || (shift_in_ >> chain_bit(shifted_) & 1U) != 0;
    if (bit) levels |= 1U << pins::chain_in;
    // The pull-ups are at the supply of the nest: without it the lines are low.
    const bool supplied = plant_->actuators().nest_power;
    if (supplied && level(pins::nest_cmd) && plant_->nest().command()) levels |= 1U << pins::nest_cmd;
    if (supplied && plant_->nest().data()) levels |= 1U << pins::nest_dat0;
    return levels;
}

std::array<double, 2> Wiring::filtered(const Sensors& sensors, Nanoseconds at) const {
    const firmware::PortSample& port = sensors.ports[selected()];
    const auto after = [&](double goal, double before, std::uint32_t tau_ns) {
        if (select_changed_ == 0) return goal;
        return goal + (before - goal) * std::exp(-static_cast<double>(at - select_changed_) / tau_ns);
    };
    // 20 mOhm and gain 50: 1 mV/mA. Divider 1:2.
    return {after(port.milliamperes, filter_mv_[0], parts::current_tau_ns),
            after(port.millivolts / 2.0, filter_mv_[1], parts::voltage_tau_ns)};
}

std::uint16_t Wiring::convert(unsigned channel, Nanoseconds at) {
    drop_supply(at);
    const Sensors sensors = plant_->sense(at);
    const auto filter = filtered(sensors, at);
    std::uint32_t millivolts = 0;
    switch (channel + pins::port_current) {
        case pins::port_current:
            millivolts = static_cast<std::uint32_t>(std::lround(filter[0]));
            break;
        case pins::port_voltage:
            millivolts = static_cast<std::uint32_t>(std::lround(filter[1]));
            break;
        case pins::vacuum_or_nest: {
            const bool nest = outputs_enabled() && (outputs_ >> pins::out::nest_sense & 1U) != 0;
            millivolts = nest ? sensors.nest_microamperes / parts::nest_ua_per_mv : sensors.vacuum_mv;
            break;
        }
        default:
            break;
    }
    return static_cast<std::uint16_t>(std::min(millivolts * 4096U / 3300U, 4095U));
}

std::uint8_t Wiring::leds() const {
    return outputs_enabled() ? static_cast<std::uint8_t>(outputs_ >> pins::out::led0 & 0xFFU) : std::uint8_t{};
}

} // namespace mediarig::plant
