// SPDX-License-Identifier: GPL-3.0-or-later
/// What a configuration keeps to by the word of both ends: the board refuses what breaks it, the host says what is
/// wrong before it asks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/rigproto/messages.hpp"

namespace mediarig::rigproto {

inline constexpr std::uint16_t min_inrush_window_ms = 5; ///< blanking and three samples fit well
inline constexpr std::uint16_t max_inrush_window_ms = 1000;

/// A place at which the cup goes down.
struct CupPlace {
    enum class Row : std::uint8_t { pocket, reader, bin, nest } row{};
    std::uint8_t number{}; ///< within its row, from 0
    std::int32_t x{};
};

/// At each of them a tooth of the comb stands. Of teeth closer than this nothing is learnt, and a cup that is off by
/// the tolerance could be over the other place.
[[nodiscard]] constexpr std::int32_t least_gap(const Config& rig) {
    return 2 * (rig.x_comb + 2 * rig.home_tolerance) + 1;
}

/// Two places that are closer to each other than that, if there are any; bins may be one and the same. Needs places
/// within the travel.
[[nodiscard]] constexpr std::optional<std::pair<CupPlace, CupPlace>> places_too_close(const Config& rig) {
    using Row = CupPlace::Row;
    std::array<CupPlace, std::size_t{max_pockets} + port_count + bin_count + 1> places{};
    std::size_t count = 0;
    const auto row = [&](Row kind, std::uint8_t size, const auto& at) {
        for (std::uint8_t number = 0; number < size; ++number) places[count++] = {kind, number, at(number)};
    };
    row(Row::pocket, rig.pockets,
        [&](std::uint8_t number) { return rig.x_first_pocket + rig.x_pocket_pitch * number; });
    row(Row::reader, rig.ports, [&](std::uint8_t number) { return rig.x_first_port + rig.x_port_pitch * number; });
    row(Row::bin, bin_count, [&](std::uint8_t number) { return rig.x_bin[number]; });
    row(Row::nest, rig.z_nest != 0 ? 1 : 0, [&](std::uint8_t) { return rig.x_nest; });
    for (std::size_t one = 0; one < count; ++one)
        for (std::size_t other = 0; other < one; ++other) {
            const CupPlace &a = places[other], &b = places[one];
            if (a.row == Row::bin && b.row == Row::bin && a.x == b.x) continue;
            const std::int32_t gap = a.x < b.x ? b.x - a.x : a.x - b.x;
            if (gap < least_gap(rig)) return std::pair(a, b);
        }
    return std::nullopt;
}

} // namespace mediarig::rigproto
