// SPDX-License-Identifier: GPL-3.0-or-later
/// Defines the inputs and outputs of the core as plain values. They are the core's only interface to a board.
///
/// Every 500 us a board reads Inputs, passes them to the core, and sets its pins according to Outputs. Steps are
/// separate: the board's step timer takes them from a StepQueue.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "common/rigproto/messages.hpp"

namespace mediarig::firmware {

using rigproto::port_count;

inline constexpr std::uint32_t tick_us = 500; ///< 2 kHz: fast trip needs 3 samples within 2 ms

struct PortSample {
    std::uint16_t millivolts{};
    std::uint16_t milliamperes{};
};

/// Signals on the lines of the identity nest until the next tick. The first bit is bit 31.
struct NestBurst {
    bool power{};          ///< supply of the card on the nest
    std::uint8_t clocks{}; ///< 0..32, at 100 to 400 kHz; the clock is low before and after
    bool drives{};         ///< CMD is driven with `bits`; false: the card may drive it
    std::uint32_t bits{};
    bool operator==(const NestBurst&) const = default;
};
/// The lines at the rising edges of a burst's clocks; empty without a burst.
struct NestSample {
    std::uint8_t clocks{};
    std::uint32_t command{}, data{}; ///< CMD and DAT0
};

struct Inputs {
    std::uint64_t now_us{};     ///< time since the board started; monotonic
    bool x_home{}, z_home{};    ///< the flag is covered: X at its origin, Z retracted
    bool x_comb{};              ///< a tooth of the comb is in its sensor: the cup is at a position
    bool no_carriage{};         ///< the board's jumper for a rig without a carriage is fitted
    bool safety_closed{};       ///< e-stop and door
    bool driver_fault{};        ///< a motor driver reports an error: short circuit, overtemperature, undervoltage
    std::uint8_t cards{};       ///< bit n: card-detect of port n, not debounced
    std::uint8_t port_faults{}; ///< bit n: the limit switch of port n has tripped
    /// A higher value is more vacuum. Unset while the converter measures the nest's supply instead.
    std::optional<std::uint16_t> vacuum_mv{};
    std::uint8_t sampled{}; ///< bit n: ports[n] is new in this tick
    std::array<PortSample, port_count> ports{};
    bool nest_card{};  ///< card-detect of the identity nest, not debounced
    NestSample nest{}; ///< levels during the burst requested in the last tick
    /// Current into the card on the nest; set if the last tick requested this measurement instead of the vacuum.
    std::optional<std::uint32_t> nest_microamperes{};
};

struct Outputs {
    bool enabled{};          ///< false: the hardware switches off every output below
    bool motors_on{};        ///< drivers energised
    bool arm{};              ///< rising edge: re-enables the motor supply after an open safety chain
    bool pump{}, valve{};    ///< vacuum on; vent open
    bool jaw_open{};         ///< current in the solenoid of the gripper's jaw
    std::uint8_t ports_on{}; ///< bit n: voltage on port n
    std::uint8_t sample{};   ///< bit n: read the port's voltage and current in the next tick
    std::uint8_t leds{};     ///< bit n: slot light of port n
    NestBurst nest{};        ///< generated once, in this tick
    bool nest_sense{};       ///< measure the nest's current instead of the vacuum
    bool feed_watchdog{};    ///< every task has checked in since the last tick; also toggles the safety pump
    bool enter_bootloader{}; ///< enter the boot ROM; all other outputs are safe when this is set
    bool operator==(const Outputs&) const = default;
};

} // namespace mediarig::firmware
