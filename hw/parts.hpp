// SPDX-License-Identifier: GPL-3.0-or-later
/// Values of parts for firmware and model, listed in docs/guide/build-a-rig.md.
#pragma once

#include <cstdint>

namespace mediarig::parts {

// Before the ADC's voltage channel: divider, multiplexer (74HC4051 at 3.3 V, at worst), filter.
inline constexpr std::uint32_t divider_top_ohm = 10'000, divider_bottom_ohm = 10'000;
inline constexpr std::uint32_t mux_ohm = 200;
inline constexpr std::uint32_t filter_ohm = 1'000;
inline constexpr std::uint32_t filter_pf = 100;

/// Time constants of the filter after the multiplexers: after each select it still contains the previous port. The
/// capacitor charges through all resistances before it; the current amplifier has almost none.
inline constexpr std::uint32_t voltage_tau_ns =
    (divider_top_ohm * divider_bottom_ohm / (divider_top_ohm + divider_bottom_ohm) + mux_ohm + filter_ohm) * filter_pf /
    1'000;
inline constexpr std::uint32_t current_tau_ns = (mux_ohm + filter_ohm) * filter_pf / 1'000;
/// Current limit of a port's switch: RILIM is for 1.7 A, and 6 % less is within its tolerance. After 8 ms of limitation
/// the switch turns off and reports FAULT.
inline constexpr std::uint16_t limit_ma = 1'700, limit_least_ma = 1'600;
/// Shunt in the supply of a card on the nest, and the gain of its amplifier.
inline constexpr std::uint32_t nest_shunt_milliohm = 200, nest_gain = 50;
inline constexpr std::uint32_t nest_ua_per_mv = 1'000'000 / (nest_shunt_milliohm * nest_gain);
/// After eight time constants 0.03 % of the difference remains: 2 mV of 5 V.
inline constexpr std::uint32_t settle_ns = 8 * voltage_tau_ns;

} // namespace mediarig::parts
