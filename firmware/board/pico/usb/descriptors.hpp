// SPDX-License-Identifier: GPL-3.0-or-later
/// Descriptors of the device: a serial port of class CDC-ACM, one configuration, full speed. Sources: USB 2.0, chapter
/// 9; CDC 1.2; PSTN 1.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace mediarig::pico::usb {

enum class StringIndex : std::uint8_t { languages = 0, manufacturer = 1, product = 2, serial = 3 };

[[nodiscard]] std::span<const std::uint8_t> device_descriptor();
[[nodiscard]] std::span<const std::uint8_t> configuration_descriptor();

/// Sets the unique id in hexadecimal, or "no-unique-id". Call before the host reads descriptors: at the earliest 100 ms
/// after the device is attached.
void set_serial(const std::array<std::uint8_t, 8>& unique_id);

/// Returns an empty span if there is no such string. Valid until the next call.
[[nodiscard]] std::span<const std::uint8_t> string_descriptor(std::uint8_t index);

} // namespace mediarig::pico::usb
