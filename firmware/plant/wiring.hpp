// SPDX-License-Identifier: GPL-3.0-or-later
/// Models the circuit between the board's pins and the plant: shift registers, multiplexers, output enables, pulls, and
/// the charge pump of the motor supply. It follows hw/pins.csv.
///
/// The emulated board drives it edge by edge. Pins that are not in the map are unconnected.
#pragma once

#include <array>
#include <cstdint>

#include "firmware/plant/plant.hpp"
#include "hw/pins.hpp"

namespace mediarig::plant {

/// Minimum times of the parts. Sources: Nexperia 74HC595 and 74HC165 (pulse widths, between the figures for 2 V and 4.5
/// V), Trinamic TMC2209 (STEP high and low 100 ns, DIR set-up 20 ns).
struct PartTiming {
    static constexpr Nanoseconds chain_pulse = 30;
    static constexpr Nanoseconds step_pulse = 100;
    static constexpr Nanoseconds direction_setup = 20;
    static constexpr Nanoseconds nest_pulse =
        1'250; ///< half a period of 400 kHz, the maximum clock for card identification
    /// The charge pump needs this number of edges, each within supply_gap after the one before. It holds the motor
    /// supply for supply_hold after the last edge.
    static constexpr std::uint32_t supply_edges = 8;
    static constexpr Nanoseconds supply_gap = milliseconds(2);
    static constexpr Nanoseconds supply_hold = milliseconds(20);
};

class Wiring {
public:
    explicit Wiring(Plant& plant);

    /// An edge of one of the board's outputs. Time is monotonic.
    void drive(unsigned pin, bool level, Nanoseconds at);
    /// The board is in reset: no pin is driven, pulls determine the levels.
    void release(Nanoseconds at);
    /// Returns the level of an undriven pin: external pulls as in the map, otherwise the pull-down of a pad after
    /// reset.
    [[nodiscard]] static bool idle(unsigned pin);
    /// GPIOs driven by the wiring, one bit each.
    [[nodiscard]] static constexpr std::uint32_t inputs() {
        return 1U << pins::x_home | 1U << pins::safety_ok | 1U << pins::chain_in | 1U << pins::nest_cmd |
               1U << pins::nest_dat0;
    }
    /// Returns the levels of these GPIOs.
    [[nodiscard]] std::uint32_t levels(Nanoseconds at);
    /// Returns the result of a conversion that starts now: 0..4095 for 0..3.3 V. Unconnected channels return 0.
    [[nodiscard]] std::uint16_t convert(unsigned channel, Nanoseconds at);
    /// Time at which an input next changes without an action; nothing if none will.
    [[nodiscard]] std::optional<Nanoseconds> next_change() const { return plant_->next_change(); }

    [[nodiscard]] std::uint32_t latched() const { return outputs_; } ///< contents of the 74HC595, enabled or not
    [[nodiscard]] std::uint8_t leds() const;
    [[nodiscard]] bool motor_supply(Nanoseconds at) const;
    /// Number of edges that violated the timing of a part.
    [[nodiscard]] std::uint32_t too_fast() const { return too_fast_; }
    [[nodiscard]] unsigned too_fast_pin() const { return too_fast_pin_; }

private:
    [[nodiscard]] bool level(unsigned pin) const { return (levels_ >> pin & 1U) != 0; }
    [[nodiscard]] bool outputs_enabled() const { return !level(pins::out_en_n); }
    [[nodiscard]] unsigned selected() const;
    /// Voltages on the filters: they approach the output of the selected port and decay from the previous value.
    [[nodiscard]] std::array<double, 2> filtered(const Sensors& sensors, Nanoseconds at) const;
    void judge_width(unsigned pin, Nanoseconds at);
    void step(rigproto::Axis axis, unsigned direction_pin, Nanoseconds at);
    void load_inputs(Nanoseconds at);
    void drop_supply(Nanoseconds at);
    void actuate(Nanoseconds at);

    Plant* plant_;
    std::uint32_t levels_{};
    std::array<Nanoseconds, 30> changed_{};
    std::uint32_t shift_out_{}, outputs_{}, shift_in_{};
    unsigned shifted_{}; ///< bits shifted out of the 74HC165
    std::array<double, 2>
        filter_mv_{}; ///< values after the multiplexers at the last change of the selection: current, voltage
    Nanoseconds select_changed_{};
    std::uint32_t supply_charge_{};
    Nanoseconds supply_edge_{};
    bool supplied_{};
    std::uint32_t too_fast_{};
    unsigned too_fast_pin_{};
};

} // namespace mediarig::plant
