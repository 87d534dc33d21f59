// SPDX-License-Identifier: GPL-3.0-or-later
/// Rules for a configuration, shared by both ends: the board rejects a violation, and the host reports it before
/// sending.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "common/rigproto/messages.hpp"

namespace mediarig::rigproto {

inline constexpr std::uint16_t min_inrush_window_ms = 5; ///< enough for blanking and three samples
inline constexpr std::uint16_t max_inrush_window_ms = 1000;

/// A place where the cup moves down.
struct CupPosition {
    enum class Row : std::uint8_t { pocket, reader, bin, nest } row{};
    std::uint8_t number{}; ///< number of the place within its row, from 0
    std::int32_t x{};
};

/// Minimum distance of two places, in steps. Each place has a tooth of the comb. The sensor could not distinguish
/// closer teeth, and a cup that is displaced by the tolerance could be above the other place.
[[nodiscard]] constexpr std::int32_t least_gap(const Config& rig) {
    return 2 * (rig.x_comb + 2 * rig.home_tolerance) + 1;
}

/// Returns two places that are closer than least_gap(), if there are any; bins may share a place. All places must be
/// within the travel.
[[nodiscard]] constexpr std::optional<std::pair<CupPosition, CupPosition>> colliding_positions(const Config& rig) {
    using Row = CupPosition::Row;
    std::array<CupPosition, std::size_t{max_pockets} + port_count + bin_count + 1> places{};
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
            const CupPosition &a = places[other], &b = places[one];
            if (a.row == Row::bin && b.row == Row::bin && a.x == b.x) continue;
            const std::int32_t gap = a.x < b.x ? b.x - a.x : a.x - b.x;
            if (gap < least_gap(rig)) return std::pair(a, b);
        }
    return std::nullopt;
}

} // namespace mediarig::rigproto
