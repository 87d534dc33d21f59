// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/sense.hpp"

#include "firmware/board/pico/clock.hpp"
#include "firmware/board/pico/pads.hpp"
#include "hw/parts.hpp"

namespace mediarig::pico {
namespace {

constexpr unsigned channel_current = pins::port_current - 26, channel_voltage = pins::port_voltage - 26,
                   channel_other = pins::vacuum_or_nest - 26;
constexpr std::uint32_t settle_us = (parts::settle_ns + 999) / 1000;
// Sampling all ports takes one wait and two conversions of 2 us per port.
static_assert(firmware::port_count * (settle_us + 1 + 4) <= firmware::tick_us / 4);
constexpr std::uint32_t reference_mv = 3300, steps = 4096;
/// A conversion takes 96 cycles of 48 MHz. A much longer wait means that the converter has no clock.
constexpr unsigned patience = 1000;

/// Sets the channel explicitly each time.
void begin(unsigned channel) {
    reg(adc::cs) = adc::enable | adc::select(channel);
    reg(adc::cs) = adc::enable | adc::select(channel) | adc::start_once;
}

std::optional<std::uint32_t> fetch_mv() {
    for (unsigned i = 0; i < patience; ++i) {
        const std::uint32_t status = reg(adc::cs);
        if ((status & adc::ready) == 0) continue;
        if ((status & adc::error) != 0) return std::nullopt;
        return (reg(adc::result) & (steps - 1)) * reference_mv / steps;
    }
    return std::nullopt;
}

std::optional<std::uint32_t> convert_mv(unsigned channel) {
    begin(channel);
    return fetch_mv();
}

unsigned selected = firmware::port_count; // none
std::uint32_t selected_at_us;

} // namespace

void start_adc() {
    reg(adc::cs) = adc::enable;
    for (unsigned i = 0; i < patience && (reg(adc::cs) & adc::ready) == 0; ++i) {
    }
}

void select_port(unsigned port) {
    if (port == selected) return;
    constexpr std::uint32_t all = bit(pins::sense_sel0) | bit(pins::sense_sel1) | bit(pins::sense_sel2);
    const std::uint32_t wanted = ((port & 1) != 0 ? bit(pins::sense_sel0) : 0) |
                                 ((port & 2) != 0 ? bit(pins::sense_sel1) : 0) |
                                 ((port & 4) != 0 ? bit(pins::sense_sel2) : 0);
    reg(sio::out_clear) = all & ~wanted;
    reg(sio::out_set) = wanted;
    selected = port;
    selected_at_us = now_us_low();
}

std::optional<firmware::PortSample> measure_port(unsigned port) {
    select_port(port);
    // Wait one microsecond longer, because the first one may be nearly over.
    while (now_us_low() - selected_at_us <= settle_us) {
    }
    const auto current = convert_mv(channel_current);
    const auto voltage = convert_mv(channel_voltage);
    if (!current || !voltage) return std::nullopt;
    // The shunt of 20 mOhm and the gain of 50 give 1 mV per milliampere. The divider of the voltage is 1:2.
    return firmware::PortSample{.millivolts = static_cast<std::uint16_t>(*voltage * 2),
                                .milliamperes = static_cast<std::uint16_t>(*current)};
}

void begin_vacuum_or_nest() {
    begin(channel_other);
}

std::optional<std::uint16_t> fetch_vacuum_or_nest() {
    const auto millivolts = fetch_mv();
    if (!millivolts) return std::nullopt;
    return static_cast<std::uint16_t>(*millivolts);
}

} // namespace mediarig::pico
