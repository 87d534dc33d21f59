// SPDX-License-Identifier: GPL-3.0-or-later
/// A board in virtual time: the firmware's core on one side, the plant model on the other, and between them what the
/// real board does in hardware (tick, step timer, edge interrupt of the safety chain, watchdog, motor supply that
/// drops when the firmware stands still).
///
/// Exact and deterministic: nothing depends on how often, or in what portions of time, it is run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "firmware/core/firmware.hpp"
#include "firmware/core/link/retained.hpp"
#include "firmware/plant/plant.hpp"

namespace mediarig::board {

using plant::Nanoseconds;

inline constexpr Nanoseconds watchdog_bites_after = plant::milliseconds(500);
/// The charge pump on SAFETY_PUMP holds the motor supply so long without an edge.
inline constexpr Nanoseconds motor_supply_holds = plant::milliseconds(20);
inline constexpr Nanoseconds start_takes = plant::milliseconds(1); ///< from reset to the first tick

class VirtualBoard {
public:
    /// Starts the firmware at once. `plant` and `retained` outlive the board; `info.reset` says how it came to start.
    VirtualBoard(plant::Plant& plant, firmware::Retained& retained, const firmware::BoardInfo& info);

    void run_until(Nanoseconds time);
    [[nodiscard]] Nanoseconds now() const { return plant_->now(); }

    /// Bytes of the host, as of now(). Nobody hears them while the firmware does not run.
    void receive(std::span<const std::uint8_t> bytes);
    [[nodiscard]] std::size_t transmit(std::span<std::uint8_t> into);

    /// The main loop stands still: interrupts go on, the watchdog is not fed any more.
    void hang() { hung_ = true; }
    void cut_power();     ///< all outputs fall, what was retained is gone
    void restore_power(); ///< a cold start; nothing if there is power
    [[nodiscard]] bool running() const { return firmware_.has_value(); }
    [[nodiscard]] std::uint32_t starts() const { return starts_; }
    [[nodiscard]] const firmware::Outputs& outputs() const { return outputs_; }

private:
    void start(rigproto::ResetReason reason);
    void stop();
    void tick();
    void step();
    void apply();
    void see_safety_edge();
    void clock_nest();

    plant::Plant* plant_;
    firmware::Retained* retained_;
    firmware::BoardInfo info_;
    std::optional<firmware::Firmware> firmware_;
    firmware::Outputs outputs_;
    firmware::NestSample nest_; ///< of the newest burst
    bool hung_{}, safety_closed_{true};
    std::uint32_t starts_{};
    Nanoseconds started_{}, next_tick_{}, fed_{};
    std::optional<Nanoseconds> next_step_; ///< when the step timer's alarm is due
    std::optional<Nanoseconds> restart_;   ///< when a reset is over
};

} // namespace mediarig::board
