// SPDX-License-Identifier: GPL-3.0-or-later
/// Positions of the rig, and checks that a configuration describes a rig that can be driven.
#pragma once

#include <cstdint>
#include <optional>

#include "common/rigproto/config_rules.hpp"
#include "common/rigproto/messages.hpp"
#include "hw/parts.hpp"

namespace mediarig::firmware {

using rigproto::Axis;
using rigproto::Config;

inline constexpr std::int32_t max_travel = 10'000'000; ///< steps
inline constexpr std::int32_t max_speed = 50'000;      ///< steps/s; at a higher speed the step interrupt is late
inline constexpr std::int32_t min_speed = 50; ///< steps/s; a slower motion cannot be distinguished from a stuck task
inline constexpr std::int32_t min_acceleration =
    500; ///< steps/s^2; a slower start cannot be distinguished from a stuck task
inline constexpr std::int32_t max_acceleration = 10'000'000; ///< steps/s^2
/// The limit switch may limit at this current already, so a higher trip current might never be reached.
inline constexpr std::uint16_t max_port_ma = parts::limit_least_ma;

[[nodiscard]] constexpr std::int32_t pocket_x(const Config& rig, std::uint8_t pocket) {
    return rig.x_first_pocket + rig.x_pocket_pitch * pocket;
}
[[nodiscard]] constexpr std::int32_t port_x(const Config& rig, std::uint8_t port) {
    return rig.x_first_port + rig.x_port_pitch * port;
}

/// Returns the reader into which the cup would go down at this position: the one within half a pitch.
[[nodiscard]] constexpr std::optional<std::uint8_t> port_below(const Config& rig, std::int32_t x) {
    const std::int32_t pitch = rig.x_port_pitch < 0 ? -rig.x_port_pitch : rig.x_port_pitch;
    const std::int32_t reach = pitch / 2 > rig.home_tolerance ? pitch / 2 : rig.home_tolerance;
    for (std::uint8_t port = 0; port < rig.ports; ++port) {
        const std::int32_t off = x - port_x(rig, port);
        if (off >= -reach && off <= reach) return port;
    }
    return std::nullopt;
}

/// A rig without pockets has no carriage: its readers are loaded by hand.
[[nodiscard]] constexpr bool has_carriage(const Config& rig) {
    return rig.pockets != 0;
}

/// Distance to the middle of the nearest tooth of the comb. A tooth marks each position at which the cup goes down.
[[nodiscard]] constexpr std::int32_t comb_distance(const Config& rig, std::int32_t x) {
    const auto beside = [x](std::int32_t middle) { return x < middle ? middle - x : x - middle; };
    const auto row = [&](std::int32_t first, std::int32_t pitch, std::uint8_t places) {
        std::int32_t index = pitch == 0 ? 0 : (2 * (x - first) + pitch) / (2 * pitch); // the nearest place
        if (index < 0) index = 0;
        if (index >= places) index = places - 1;
        return beside(first + index * pitch);
    };
    std::int32_t least = row(rig.x_first_pocket, rig.x_pocket_pitch, rig.pockets);
    const auto consider = [&](std::int32_t distance) {
        if (distance < least) least = distance;
    };
    consider(row(rig.x_first_port, rig.x_port_pitch, rig.ports));
    for (const std::int32_t bin : rig.x_bin) consider(beside(bin));
    if (rig.z_nest != 0) consider(beside(rig.x_nest));
    return least;
}

/// The deepest position of Z: the mechanics have no space below it.
[[nodiscard]] constexpr std::int32_t deepest(const Config& rig) {
    std::int32_t most = rig.z_pocket;
    for (const std::int32_t depth : {rig.z_port, rig.z_bin, rig.z_nest})
        if (depth > most) most = depth;
    return most;
}

/// True if the comb sensor agrees with the step count. `before` and `now`: positions of X at the last tick and at this
/// one.
[[nodiscard]] constexpr bool comb_agrees(const Config& rig, bool covered, std::int32_t before, std::int32_t now) {
    const std::int32_t middle = before + (now - before) / 2;
    const std::int32_t span = (before < now ? now - before : before - now) / 2 + 1;
    const std::int32_t distance = comb_distance(rig, middle);
    return covered ? distance - span <= rig.x_comb + rig.home_tolerance
                   : distance + span >= rig.x_comb - rig.home_tolerance;
}

/// Speed of the search for a home flag: a multiple of the slow approach, to keep the overrun small.
[[nodiscard]] constexpr std::uint32_t seek_speed(const Config& rig, Axis axis) {
    const std::int32_t full = axis == Axis::x ? rig.x_speed : rig.z_speed;
    const std::int32_t seek = 4 * rig.home_speed;
    return static_cast<std::uint32_t>(seek < full ? seek : full);
}

namespace detail {
[[nodiscard]] constexpr bool within(std::int64_t value, std::int64_t low, std::int64_t high) {
    return low <= value && value <= high;
}

[[nodiscard]] constexpr bool axis_plausible(const Config& rig, Axis axis) {
    const std::int32_t travel = axis == Axis::x ? rig.x_travel : rig.z_travel;
    const std::int32_t speed = axis == Axis::x ? rig.x_speed : rig.z_speed;
    const std::int32_t acceleration = axis == Axis::x ? rig.x_acceleration : rig.z_acceleration;
    if (!within(travel, 1, max_travel) || !within(speed, min_speed, max_speed) ||
        !within(acceleration, min_acceleration, max_acceleration) || !within(rig.home_speed, min_speed, speed))
        return false;
    // No move takes longer than 6 s, which limits the time for which a card is on the cup.
    if (travel > 5 * speed || speed > acceleration) return false;
    // The overrun of the search past the flag must be much smaller than the distance by which homing backs off, an
    // eighth of the travel.
    const std::uint64_t seek = seek_speed(rig, axis);
    return seek * seek * 8 <= static_cast<std::uint64_t>(acceleration) * static_cast<std::uint64_t>(travel);
}

[[nodiscard]] constexpr bool row_plausible(std::int32_t first, std::int32_t pitch, std::uint8_t places,
                                           std::int32_t travel) {
    if (places == 0) return true;
    const std::int64_t last = std::int64_t{first} + std::int64_t{pitch} * (places - 1);
    return within(first, 0, travel) && last >= 0 && last <= travel;
}
} // namespace detail

/// False if any value is impossible for a rig; the configuration is then rejected completely.
[[nodiscard]] constexpr bool plausible(const Config& rig) {
    using detail::within;
    if (!within(rig.pockets, 0, rigproto::max_pockets) || !within(rig.ports, 1, rigproto::port_count)) return false;
    if (!detail::axis_plausible(rig, Axis::x) || !detail::axis_plausible(rig, Axis::z)) return false;
    if (!detail::row_plausible(rig.x_first_pocket, rig.x_pocket_pitch, rig.pockets, rig.x_travel) ||
        !detail::row_plausible(rig.x_first_port, rig.x_port_pitch, rig.ports, rig.x_travel))
        return false;
    for (const std::int32_t bin : rig.x_bin)
        if (!within(bin, 0, rig.x_travel)) return false;
    for (const std::int32_t depth : {rig.z_pocket, rig.z_port, rig.z_bin})
        if (!within(depth, 1, rig.z_travel)) return false;
    if (!within(rig.x_nest, 0, rig.x_travel) || !within(rig.z_nest, 0, rig.z_travel)) return false;
    if (rig.home_tolerance < 1 || rig.vacuum_picked_mv < 1) return false;
    // Reject teeth that cannot be distinguished, or that are narrower than the tolerance: the comb would prove nothing.
    if (rig.x_comb <= rig.home_tolerance || (has_carriage(rig) && rigproto::colliding_positions(rig))) return false;
    return within(rig.port_limit_ma, 1, max_port_ma) && within(rig.inrush_limit_ma, rig.port_limit_ma, max_port_ma) &&
           within(rig.trip_ma, rig.port_limit_ma, max_port_ma) && rig.idle_ma < rig.port_limit_ma &&
           within(rig.inrush_window_ms, rigproto::min_inrush_window_ms, rigproto::max_inrush_window_ms);
}

} // namespace mediarig::firmware
