// SPDX-License-Identifier: GPL-3.0-or-later
/// Values of parts that firmware and model both compute with, as docs/guide/build-a-rig.md lists them.
#pragma once

#include <cstdint>

namespace mediarig::parts {

// In front of the ADC's voltage channel: divider, multiplexer (74HC4051 at 3.3 V, at worst), filter.
inline constexpr std::uint32_t divider_top_ohm = 10'000, divider_bottom_ohm = 10'000;
inline constexpr std::uint32_t mux_ohm = 200;
inline constexpr std::uint32_t filter_ohm = 1'000;
inline constexpr std::uint32_t filter_pf = 100;

/// Time constants of the filter behind the multiplexers, which shows the port before for a while after each select.
/// The capacitor charges through all that is in front of it; the current amplifier has next to no resistance.
inline constexpr std::uint32_t voltage_tau_ns =
    (divider_top_ohm * divider_bottom_ohm / (divider_top_ohm + divider_bottom_ohm) + mux_ohm + filter_ohm) * filter_pf /
    1'000;
inline constexpr std::uint32_t current_tau_ns = (mux_ohm + filter_ohm) * filter_pf / 1'000;
/// What the limit switch of a port lets through: RILIM is for 1.7 A, and 6 % less is within its tolerance. In
/// limitation it gives up after 8 ms, and says so on FAULT.
inline constexpr std::uint16_t limit_ma = 1'700, limit_least_ma = 1'600;
/// In the supply of a card on the nest, and the gain of the amplifier across it.
inline constexpr std::uint32_t nest_shunt_milliohm = 200, nest_gain = 50;
inline constexpr std::uint32_t nest_ua_per_mv = 1'000'000 / (nest_shunt_milliohm * nest_gain);
/// Eight of them leave 0.03 % of the difference: 2 mV of 5 V.
inline constexpr std::uint32_t settle_ns = 8 * voltage_tau_ns;

} // namespace mediarig::parts
