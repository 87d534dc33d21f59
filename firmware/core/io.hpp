// SPDX-License-Identifier: GPL-3.0-or-later
/// What the core sees and what it wants, as plain values: the only thing that the core knows of a board.
///
/// A board reads Inputs every 500 us, gives them to the core, and makes its pins say what Outputs say. Steps are not
/// among them: they leave through a StepQueue, which the board's step timer empties on its own.
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

/// What is to be done on the lines of the identity nest until the next tick. Bits stand with the first one in bit 31.
struct NestBurst {
    bool power{};          ///< supply of the card on the nest
    std::uint8_t clocks{}; ///< 0..32, at 100 to 400 kHz; the clock rests low before and after
    bool drives{};         ///< CMD is driven with `bits`; otherwise it is left to the card
    std::uint32_t bits{};
    bool operator==(const NestBurst&) const = default;
};
/// The lines at the rising edges of a burst's clocks; empty where there was none.
struct NestSample {
    std::uint8_t clocks{};
    std::uint32_t command{}, data{}; ///< CMD and DAT0
};

struct Inputs {
    std::uint64_t now_us{};     ///< since the board started; never goes back
    bool x_home{}, z_home{};    ///< the flag is covered: X at its origin, Z retracted
    bool x_comb{};              ///< a tooth of the comb is in its sensor: the cup is over a place
    bool no_carriage{};         ///< the board's jumper is fitted, which says that the rig has none
    bool safety_closed{};       ///< e-stop and door
    bool driver_fault{};        ///< a motor driver reports an error: short circuit, too hot, too little supply
    std::uint8_t cards{};       ///< bit n: card-detect of port n, as it is (not debounced)
    std::uint8_t port_faults{}; ///< bit n: the limit switch of port n cut off by itself
    /// More is more vacuum. Nothing while the converter looks at the nest's supply instead.
    std::optional<std::uint16_t> vacuum_mv{};
    std::uint8_t sampled{}; ///< bit n: ports[n] is new in this tick
    std::array<PortSample, port_count> ports{};
    bool nest_card{};  ///< card-detect of the identity nest, not debounced
    NestSample nest{}; ///< of the burst that the last tick asked for
    /// Into the card on the nest, where the last tick asked for it instead of the vacuum.
    std::optional<std::uint32_t> nest_microamperes{};
};

struct Outputs {
    bool enabled{};          ///< false: every output below is cut off in hardware, whatever it says
    bool motors_on{};        ///< drivers energised
    bool arm{};              ///< rising: the motor supply, which an open safety chain took away, may come back
    bool pump{}, valve{};    ///< vacuum on; vent open
    std::uint8_t ports_on{}; ///< bit n: voltage on port n
    std::uint8_t sample{};   ///< bit n: read the port's voltage and current in the next tick
    std::uint8_t leds{};     ///< bit n: slot light of port n
    NestBurst nest{};        ///< once
    bool nest_sense{};       ///< the nest's current is to be measured, and the vacuum is not
    bool feed_watchdog{};    ///< every task has checked in since the last tick; also toggles the safety pump
    bool enter_bootloader{}; ///< leave for the boot ROM; all else is safe when this is set
    bool operator==(const Outputs&) const = default;
};

} // namespace mediarig::firmware
