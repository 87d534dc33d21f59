// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/board/pico/pads.hpp"

namespace mediarig::pico {
namespace {

std::uint32_t pad_of(const pins::Pin& pin) {
    // The digital functions of an analogue pin are disabled.
    if (pin.direction == pins::Direction::analog) return io::pad_output_disable;
    std::uint32_t pad = io::pad_input | io::pad_drive_4ma | io::pad_schmitt;
    if (pin.pull == pins::Pull::up) pad |= io::pad_pull_up;
    if (pin.pull == pins::Pull::down) pad |= io::pad_pull_down;
    return pad;
}

std::uint32_t function_of(const pins::Pin& pin) {
    switch (pin.function) {
        case pins::Function::sio:
            return io::function_sio;
        case pins::Function::uart:
            return io::function_uart;
        case pins::Function::analog:
            break;
    }
    return io::function_none;
}

} // namespace

void set_up_pads() {
    for (const pins::Pin& pin : pins::set_up) {
        const std::uint32_t mask = bit(pin.number);
        if (pin.direction == pins::Direction::out && pin.function == pins::Function::sio) {
            reg(pin.safe_high ? sio::out_set : sio::out_clear) = mask;
            reg(sio::enable_set) = mask;
        }
        reg(io::pad(pin.number)) = pad_of(pin);
        reg(io::ctrl(pin.number)) = function_of(pin);
    }
}

} // namespace mediarig::pico
