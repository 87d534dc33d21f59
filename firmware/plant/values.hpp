// SPDX-License-Identifier: GPL-3.0-or-later
/// Inputs and outputs of the plant model.
#pragma once

#include <array>
#include <cstdint>

#include "common/rigproto/messages.hpp"
#include "firmware/core/io.hpp"

namespace mediarig::plant {

using Nanoseconds = std::uint64_t; ///< board time since the plant was built

constexpr Nanoseconds microseconds(std::uint64_t count) {
    return count * 1'000;
}
constexpr Nanoseconds milliseconds(std::uint64_t count) {
    return count * 1'000'000;
}

/// Commands of the board's pins, after wiring and output enable.
struct Actuators {
    bool motors_on{};
    bool pump{}, valve{};
    bool jaw_open{}; ///< current in the solenoid of the jaw
    bool arm{};      ///< clock of the latch in front of the motor supply
    std::uint8_t ports_on{};
    bool nest_power{};
    bool operator==(const Actuators&) const = default;
};

/// Inputs of the board's pins, before debouncing.
struct Sensors {
    bool x_home{}, z_home{}, safety_closed{}, driver_fault{};
    std::uint8_t cards{}, port_faults{};
    std::uint16_t vacuum_mv{};
    bool nest_card{};
    std::uint32_t nest_microamperes{}; ///< into the card on the nest
    bool x_comb{};                     ///< a tooth of the comb is in its sensor
    bool no_carriage{};                ///< the jumper for a rig without a carriage is fitted
    std::array<firmware::PortSample, firmware::port_count> ports{};
};

inline constexpr std::uint8_t no_card = 0xFF;

/// A physical event, for the models at the readers (the virtual lab, a test).
struct PlantEvent {
    Nanoseconds at{};
    enum class Kind : std::uint8_t {
        card_picked,   ///< a card was picked from a pocket
        card_inserted, ///< a card was inserted into a port's reader
        card_removed,  ///< a card was removed from a port's reader
        card_stored,   ///< a card was put into a pocket
        card_binned,   ///< a card was put into a bin
        card_lost,     ///< a card fell off the cup
        voltage_up,    ///< the voltage of a port rose above 4.5 V
        voltage_down   ///< the voltage of a port fell below 0.5 V
    } kind{};
    std::uint8_t place{};       ///< number of the pocket or port, or Bin
    std::uint8_t card{no_card}; ///< initial pocket of the card (from 0); no_card: none
    bool operator==(const PlantEvent&) const = default;
};

} // namespace mediarig::plant
