// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/panel.hpp"

#include <bit>

#include "firmware/board/pico/chains.hpp"
#include "firmware/board/pico/clock.hpp"
#include "firmware/board/pico/fast.hpp"
#include "firmware/board/pico/nest.hpp"
#include "firmware/board/pico/pads.hpp"
#include "firmware/board/pico/sense.hpp"
#include "hw/parts.hpp"

namespace mediarig::pico {
namespace {

// Eight adjacent entries of the map form one byte.
static_assert(pins::out::port_en7 == pins::out::port_en0 + 7 && pins::out::led7 == pins::out::led0 + 7);
static_assert(pins::in::card7 == pins::in::card0 + 7 && pins::in::fault7 == pins::in::fault0 + 7);

std::uint32_t chain_word(const firmware::Outputs& outputs) {
    return static_cast<std::uint32_t>(outputs.ports_on) << pins::out::port_en0 |
           static_cast<std::uint32_t>(outputs.leds) << pins::out::led0 | (outputs.pump ? bit(pins::out::pump) : 0) |
           (outputs.valve ? bit(pins::out::valve) : 0) | (outputs.nest.power ? bit(pins::out::nest_power) : 0) |
           (outputs.jaw_open ? bit(pins::out::jaw_open) : 0) | (outputs.arm ? bit(pins::out::motor_arm) : 0) |
           (outputs.nest_sense ? bit(pins::out::nest_sense) : 0);
}

} // namespace

Panel::Panel() {
    static_cast<void>(exchange(0));
}

firmware::Inputs Panel::read(std::uint8_t sample) {
    begin_vacuum_or_nest();
    const std::uint32_t seen = exchange(chain_);
    firmware::Inputs inputs{.now_us = now_us(),
                            .x_home = !is_high(pins::x_home),
                            .z_home = (seen & bit(pins::in::z_home)) != 0,
                            .safety_closed = is_high(pins::safety_ok),
                            .driver_fault = (seen & bit(pins::in::driver_fault)) != 0,
                            .cards = static_cast<std::uint8_t>(seen >> pins::in::card0),
                            .port_faults = static_cast<std::uint8_t>(seen >> pins::in::fault0)};
    inputs.x_comb = (seen & bit(pins::in::x_comb)) != 0;
    inputs.no_carriage = (seen & bit(pins::in::no_carriage)) != 0;
    inputs.nest_card = (seen & bit(pins::in::nest_card)) != 0;
    inputs.nest = nest_;
    const auto millivolts = fetch_vacuum_or_nest();
    // The state of the chain at the start of the conversion determines whether the vacuum or the nest's current was
    // measured.
    if ((chain_ & bit(pins::out::nest_sense)) != 0) {
        if (millivolts) inputs.nest_microamperes = *millivolts * parts::nest_ua_per_mv;
    } else {
        if (millivolts) vacuum_mv_ = *millivolts;
        inputs.vacuum_mv = vacuum_mv_;
    }
    for (unsigned port = 0; port < firmware::port_count; ++port) {
        if ((sample >> port & 1u) == 0) continue;
        if (const auto measured = measure_port(port)) {
            inputs.ports[port] = *measured;
            inputs.sampled = static_cast<std::uint8_t>(inputs.sampled | 1u << port);
        }
    }
    return inputs;
}

void Panel::apply(const firmware::Outputs& outputs, std::uint32_t known_drops) {
    const std::uint32_t wanted = chain_word(outputs);
    if (wanted != chain_) {
        static_cast<void>(exchange(wanted));
        chain_ = wanted;
    }
    enable_outputs(outputs.enabled, outputs.motors_on, known_drops);
    if (outputs.feed_watchdog) reg(sio::out_toggle) = bit(pins::safety_pump);
    reg(outputs.enabled ? sio::out_set : sio::out_clear) = bit(pins::led);
    nest_ = clock_nest(outputs.nest);
    if (outputs.sample != 0) select_port(static_cast<unsigned>(std::countr_zero(outputs.sample)));
}

} // namespace mediarig::pico
