// SPDX-License-Identifier: GPL-3.0-or-later
/// A board in virtual time: connects the firmware's core to the plant model, and models the hardware of the real board
/// (tick, step timer, edge interrupt of the safety chain, watchdog, motor supply that drops when the firmware stops).
///
/// Exact and deterministic: the result does not depend on the number or length of the calls.
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
/// The charge pump on SAFETY_PUMP holds the motor supply for this time after its last edge.
inline constexpr Nanoseconds motor_supply_holds = plant::milliseconds(20);
inline constexpr Nanoseconds start_takes = plant::milliseconds(1); ///< from reset to the first tick

class VirtualBoard {
public:
    /// Starts the firmware at once. `plant` and `retained` outlive the board; `info.reset` is the reason of the start.
    VirtualBoard(plant::Plant& plant, firmware::Retained& retained, const firmware::BoardInfo& info);

    void run_until(Nanoseconds time);
    [[nodiscard]] Nanoseconds now() const { return plant_->now(); }

    /// Receives bytes from the host at now(). They are lost while the firmware does not run.
    void receive(std::span<const std::uint8_t> bytes);
    [[nodiscard]] std::size_t transmit(std::span<std::uint8_t> into);

    /// Stops the main loop: interrupts continue, but the watchdog is not fed any more.
    void hang() { hung_ = true; }
    void cut_power();     ///< switches off all outputs and clears the retained memory
    void restore_power(); ///< a cold start; no effect if there is power
    [[nodiscard]] bool running() const { return firmware_.has_value(); }
    [[nodiscard]] std::uint32_t starts() const { return starts_; }
    [[nodiscard]] const firmware::Outputs& outputs() const { return outputs_; }

private:
    void start(rigproto::ResetReason reason);
    void stop();
    void tick();
    void step();
    void apply();
    void detect_safety_edge();
    void clock_nest();

    plant::Plant* plant_;
    firmware::Retained* retained_;
    firmware::BoardInfo info_;
    std::optional<firmware::Firmware> firmware_;
    firmware::Outputs outputs_;
    firmware::NestSample nest_; ///< levels during the newest burst
    bool hung_{}, safety_closed_{true};
    std::uint32_t starts_{};
    Nanoseconds started_{}, next_tick_{}, fed_{};
    std::optional<Nanoseconds> next_step_; ///< time of the step timer's alarm
    std::optional<Nanoseconds> restart_;   ///< end of a reset
};

} // namespace mediarig::board
