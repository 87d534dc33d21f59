// SPDX-License-Identifier: GPL-3.0-or-later
/// USB-CDC: the first carrier of the link. Main context.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::usb_link {

/// Shows the device to the host; `unique_id` becomes its serial number.
void start(const std::array<std::uint8_t, 8>& unique_id);
/// To be called at every tick, with microseconds that may wrap. True: the controller does not serve the bus any more
/// (erratum RP2040-E15, or whatever else made it deaf); it is reset now, and shown to the host anew a moment later.
[[nodiscard]] bool watch(std::uint32_t now_us);
/// Takes what has come; returns how much.
[[nodiscard]] std::size_t receive(std::span<std::uint8_t> into);
/// How many bytes `send` takes now. With the port closed it takes any number: nobody listens, they go nowhere, and what
/// must not be lost is repeated by the core.
[[nodiscard]] std::size_t room();
/// At most `room()` bytes.
void send(std::span<const std::uint8_t> bytes);

} // namespace mediarig::pico::usb_link
