// SPDX-License-Identifier: GPL-3.0-or-later
/// Counts of actions that a rig must never perform. All zero after any scenario with one fault.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace mediarig::plant {

struct Hazards {
    std::uint32_t x_moved_with_z_down{};
    std::uint32_t reached_into_live_port{}; ///< the cup went down into a reader whose port had 0.5 V or more
    std::uint32_t pressed_into_live_port{}; ///< the cup moved further down in a reader with voltage
    std::uint32_t voltage_onto_cup{};       ///< a port was switched on while the cup was in its reader
    std::uint32_t card_moved_under_voltage{};
    std::uint32_t empty_reader_switched_on{};
    std::uint32_t card_pushed_onto_card{};
    std::uint32_t card_moved_on_live_nest{}; ///< the cup moved a card while the nest had supply
    bool operator==(const Hazards&) const = default;
};

/// Names of the hazards that happened.
[[nodiscard]] inline std::vector<std::string_view> names_of(const Hazards& hazards) {
    std::vector<std::string_view> names;
    for (const auto& [count, name] :
         {std::pair<std::uint32_t, std::string_view>{hazards.x_moved_with_z_down, "X moved while Z was down"},
          {hazards.reached_into_live_port, "the cup went down into a reader under voltage"},
          {hazards.pressed_into_live_port, "the cup went further down in a reader under voltage"},
          {hazards.voltage_onto_cup, "a reader was switched on with the cup in it"},
          {hazards.card_moved_under_voltage, "a card was moved in a reader under voltage"},
          {hazards.empty_reader_switched_on, "a reader without a card was switched on"},
          {hazards.card_pushed_onto_card, "a card was pushed onto another one"},
          {hazards.card_moved_on_live_nest, "a card was moved on a nest with supply"}})
        if (count != 0) names.push_back(name);
    return names;
}

} // namespace mediarig::plant
