// SPDX-License-Identifier: GPL-3.0-or-later
#include "firmware/core/firmware.hpp"

namespace mediarig::firmware {

Firmware::Firmware(Retained& retained, const BoardInfo& board)
    : opened_(retained),
      events_(retained),
      machine_(events_, retained, steps_),
      link_(retained, events_, machine_, board) {}

void Firmware::receive(HostInterface carrier, std::span<const std::uint8_t> bytes) {
    link_.receive(carrier, bytes, now_us_);
}

std::size_t Firmware::transmit(HostInterface carrier, std::span<std::uint8_t> into) {
    supervision_.link_served();
    return link_.transmit(carrier, into, now_us_);
}

Outputs Firmware::tick(const Inputs& inputs) {
    now_us_ = inputs.now_us;
    link_.tick(now_us_);
    Outputs outputs = machine_.tick(inputs);
    outputs.feed_watchdog = supervision_.tick(now_us_, steps_.waiting(), steps_.taken());
    return outputs;
}

} // namespace mediarig::firmware
