// SPDX-License-Identifier: GPL-3.0-or-later
/// Nest reading of a good card.
#pragma once

#include <cstdint>

#include "common/units.hpp"
#include "host/rig/port/nest_reading.hpp"

namespace mediarig::rig {

/// `number` makes the card unique. `size` in units of 512 KiB is the capacity of its CSD.
inline NestReading sample_reading(std::uint8_t number, Bytes size) {
    using rigproto::RegisterState;
    NestReading reading;
    reading.report = {.job = 1,
                      .end = rigproto::NestEnd::finished,
                      .command = 13,
                      .cid = RegisterState::read,
                      .csd = RegisterState::read,
                      .scr = RegisterState::read,
                      .ssr = RegisterState::read,
                      .card = 1,
                      .ocr = 0xC0FF8000,
                      .supply = rigproto::NestSupply::measured,
                      .rest_ua = 2'000,
                      .most_ua = 40'000};
    reading.registers.job = 1;
    reading.registers.cid = {0x27, 0x50, 0x48, 0x53, 0x44,   0x31, 0x36, 0x47,
                             0x30, 0xDA, 0x89, 0xB8, number, 0x00, 0xFB, 0x61};
    const std::uint64_t units = (size.count >> 19U) - 1;
    reading.registers.csd = {0x40, 0x0E, 0x00, 0x32, 0x5B, 0x59, 0x00, 0x00,
                             0x00, 0x00, 0x7F, 0x80, 0x0A, 0x40, 0x00, 0xEB};
    reading.registers.csd[8] = static_cast<std::uint8_t>(units >> 8U);
    reading.registers.csd[9] = static_cast<std::uint8_t>(units);
    reading.registers.scr = {0x02, 0x35, 0x80, 0x03};
    reading.registers.ssr[8] = 4;
    return reading;
}

} // namespace mediarig::rig
