// SPDX-License-Identifier: GPL-3.0-or-later
/// Places of cards: types that do not mix, and the two numberings. Programs and the protocol count from 0, users from
/// 1.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "common/rigproto/messages.hpp"
#include "common/units.hpp"

namespace mediarig::rig {

/// A place in the magazine.
struct Pocket {
    std::uint8_t index{}; ///< from 0
    constexpr auto operator<=>(const Pocket&) const = default;
};

/// A reader and the switch of its supply.
struct PortIndex {
    std::uint8_t index{}; ///< from 0
    constexpr auto operator<=>(const PortIndex&) const = default;
};

/// Destination of a card from a reader.
using Destination = std::variant<Pocket, rigproto::Bin>;

/// Number for users, from 1: in messages and on the command line.
[[nodiscard]] constexpr unsigned number_of(Pocket pocket) {
    return pocket.index + 1U;
}
[[nodiscard]] constexpr unsigned number_of(PortIndex port) {
    return port.index + 1U;
}
/// The number must be 1 to 256.
[[nodiscard]] constexpr Pocket pocket_numbered(unsigned number) {
    return {static_cast<std::uint8_t>(number - 1)};
}
[[nodiscard]] constexpr PortIndex port_numbered(unsigned number) {
    return {static_cast<std::uint8_t>(number - 1)};
}

/// The slots of a campaign are the pockets of the magazine, with the same numbers.
[[nodiscard]] constexpr SlotId slot_of(Pocket pocket) {
    return {static_cast<std::uint8_t>(number_of(pocket))};
}
/// slot.number must be at least 1.
[[nodiscard]] constexpr Pocket pocket_of(SlotId slot) {
    return pocket_numbered(slot.number);
}

/// Set of ports in the format of the board. Ports must be below 8.
struct PortSet {
    std::uint8_t bits{}; ///< bit n: port n
    bool operator==(const PortSet&) const = default;

    [[nodiscard]] constexpr bool contains(PortIndex port) const { return (bits >> port.index & 1U) != 0; }
    constexpr void insert(PortIndex port) { bits = static_cast<std::uint8_t>(bits | 1U << port.index); }
    constexpr void erase(PortIndex port) { bits = static_cast<std::uint8_t>(bits & ~(1U << port.index)); }
};
/// "1, 4": numbers for users, from 1.
[[nodiscard]] inline std::string numbers_of(PortSet ports) {
    std::string numbers;
    for (std::uint8_t index = 0; index < rigproto::port_count; ++index)
        if (const PortIndex port{index}; ports.contains(port))
            numbers += (numbers.empty() ? "" : ", ") + std::to_string(number_of(port));
    return numbers;
}

} // namespace mediarig::rig
