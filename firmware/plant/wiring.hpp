// SPDX-License-Identifier: GPL-3.0-or-later
/// What hangs on the board's pins, between them and the plant: shift registers, multiplexers, output enables, pulls,
/// the charge pump of the motor supply. Follows hw/pins.csv.
///
/// The emulated board drives it edge by edge. Pins that the map does not name are connected to nothing.
#pragma once

#include <array>
#include <cstdint>

#include "firmware/plant/plant.hpp"
#include "hw/pins.hpp"

namespace mediarig::plant {

/// Times that the parts need, and what they got. Sources: Nexperia 74HC595 and 74HC165 (pulse widths, between the
/// figures for 2 V and 4.5 V), Trinamic TMC2209 (STEP high and low 100 ns, DIR set-up 20 ns).
struct PartTiming {
    static constexpr Nanoseconds chain_pulse = 30;
    static constexpr Nanoseconds step_pulse = 100;
    static constexpr Nanoseconds direction_setup = 20;
    static constexpr Nanoseconds nest_pulse = 1'250; ///< half of 400 kHz, the fastest at which a card is identified
    /// The charge pump needs so many edges, each within the gap, and holds the motor supply so long after the last.
    static constexpr std::uint32_t supply_edges = 8;
    static constexpr Nanoseconds supply_gap = milliseconds(2);
    static constexpr Nanoseconds supply_hold = milliseconds(20);
};

class Wiring {
public:
    explicit Wiring(Plant& plant);

    /// An edge of one of the board's outputs. Time does not go back.
    void drive(unsigned pin, bool level, Nanoseconds at);
    /// The board is in reset: no pin is driven, pulls decide.
    void release(Nanoseconds at);
    /// What an undriven pin reads: external pulls as in the map, otherwise the pull-down that pads have after reset.
    [[nodiscard]] static bool idle(unsigned pin);
    /// GPIOs that the wiring drives, one bit each.
    [[nodiscard]] static constexpr std::uint32_t inputs() {
        return 1U << pins::x_home | 1U << pins::safety_ok | 1U << pins::chain_in | 1U << pins::nest_cmd |
               1U << pins::nest_dat0;
    }
    /// Their levels.
    [[nodiscard]] std::uint32_t levels(Nanoseconds at);
    /// What a conversion that starts now gives: 0..4095 for 0..3.3 V. Channels that nothing is connected to give 0.
    [[nodiscard]] std::uint16_t convert(unsigned channel, Nanoseconds at);
    /// When an input next changes by itself; nothing: not before somebody does something.
    [[nodiscard]] std::optional<Nanoseconds> next_change() const { return plant_->next_change(); }

    [[nodiscard]] std::uint32_t latched() const { return outputs_; } ///< what the 74HC595 hold, enabled or not
    [[nodiscard]] std::uint8_t leds() const;
    [[nodiscard]] bool motor_supply(Nanoseconds at) const;
    /// Edges that came too soon for the part that they went to.
    [[nodiscard]] std::uint32_t too_fast() const { return too_fast_; }
    [[nodiscard]] unsigned too_fast_pin() const { return too_fast_pin_; }

private:
    [[nodiscard]] bool level(unsigned pin) const { return (levels_ >> pin & 1U) != 0; }
    [[nodiscard]] bool outputs_enabled() const { return !level(pins::out_en_n); }
    [[nodiscard]] unsigned selected() const;
    /// What stands on the filters: what the port that is selected gives, and less and less of what was there before.
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
    unsigned shifted_{};                ///< bits that have left the 74HC165
    std::array<double, 2> filter_mv_{}; ///< behind the multiplexers, when the select last changed: current, voltage
    Nanoseconds select_changed_{};
    std::uint32_t supply_charge_{};
    Nanoseconds supply_edge_{};
    bool supplied_{};
    std::uint32_t too_fast_{};
    unsigned too_fast_pin_{};
};

} // namespace mediarig::plant
