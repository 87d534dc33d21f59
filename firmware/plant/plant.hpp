// SPDX-License-Identifier: GPL-3.0-or-later
/// The mechanics and electronics around the board, as a model in virtual time: carriage, magazine, readers, ports,
/// vacuum, safety chain. The same model stands around the simulated board and around the emulated image.
///
/// Pure and deterministic: time is passed in and never goes back, nothing is random but what a start value says, and
/// how often somebody looks changes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "firmware/plant/axis.hpp"
#include "firmware/plant/cards.hpp"
#include "firmware/plant/config.hpp"
#include "firmware/plant/contact.hpp"
#include "firmware/plant/injection.hpp"
#include "firmware/plant/port.hpp"
#include "firmware/plant/vacuum.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

/// How often something was done that a rig must never do. All zero after any scenario, whatever broke in it.
struct Hazards {
    std::uint32_t x_moved_with_z_down{};
    std::uint32_t reached_into_live_port{}; ///< the cup went down at a reader whose port had 0.5 V or more
    std::uint32_t pressed_into_live_port{}; ///< it went further down in a reader that has voltage
    std::uint32_t voltage_onto_cup{};       ///< a port was switched on while the cup was in its reader
    std::uint32_t card_moved_under_voltage{};
    std::uint32_t empty_reader_switched_on{};
    std::uint32_t card_pushed_onto_card{};
    std::uint32_t card_moved_on_live_nest{}; ///< by the cup, while the nest had supply
    bool operator==(const Hazards&) const = default;
};

class Plant {
public:
    explicit Plant(const PlantConfig& config = {});

    /// Lets everything happen that happens by itself until then. A time before now() is now().
    void advance(Nanoseconds to);
    /// One edge of a STEP pin; `direction` +1: away from home (Z: down), -1: towards it. Steps of motors that are off
    /// are nothing.
    void step(rigproto::Axis axis, int direction, Nanoseconds at);
    void set(const Actuators& actuators, Nanoseconds at);
    /// Levels that the board drives on the lines of the identity nest; an undriven CMD is high.
    void nest_lines(bool clock, bool command, Nanoseconds at);
    void cause(const CuedInjection& injection, Nanoseconds at);
    /// The same in words (words.hpp). The error says what is wrong with the sentence, or what this rig has not got.
    [[nodiscard]] tl::expected<void, std::string> say(std::string_view sentence, Nanoseconds at);

    /// Puts each card where the other rig, of which this one takes the place, had it. What hung on a cup has fallen.
    void take_over(const Cards& cards);

    [[nodiscard]] Sensors sense() const; ///< as of now()
    [[nodiscard]] Sensors sense(Nanoseconds at) {
        advance(at);
        return sense();
    }
    [[nodiscard]] bool safety_closed() const { return safety_.read(now_); } ///< of sense(), alone
    [[nodiscard]] Nanoseconds now() const { return now_; }
    /// Of motors, pump and vent: an open safety chain cuts it in hardware, and a latch keeps it so until it is armed
    /// anew with the chain closed.
    [[nodiscard]] bool powered() const { return armed_ && chain_closed(); }
    void lose_logic_supply() { armed_ = false; }
    /// When something digital next changes by itself, after now(). Nothing: not before somebody does something.
    [[nodiscard]] std::optional<Nanoseconds> next_change() const;
    /// In the order in which it happened; each is given out once.
    [[nodiscard]] std::vector<PlantEvent> take_events();

    // What only a model can say, for tests and for whoever shows the rig.
    [[nodiscard]] std::int32_t position(rigproto::Axis axis) const;
    [[nodiscard]] std::uint32_t steps_made(rigproto::Axis axis) const; ///< that moved something
    [[nodiscard]] const Cards& cards() const { return cards_; }
    [[nodiscard]] const SdCard& nest() const { return nest_; }      ///< whatever is on its contacts
    [[nodiscard]] bool holding() const { return held_ != no_card; } ///< a card sticks to the cup
    [[nodiscard]] const Actuators& actuators() const { return actuators_; }
    [[nodiscard]] const Hazards& hazards() const { return hazards_; }
    [[nodiscard]] const PlantConfig& config() const { return config_; }
    /// Of all state: two runs with the same inputs have the same one.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    struct Waiting {
        CuedInjection injection;
        Nanoseconds due{};    ///< of a delay
        std::uint32_t seen{}; ///< of a count
        std::int32_t from{};  ///< of a passing: where the carriage was when it was said
    };
    /// What the cup is above, within its reach.
    struct Spot {
        enum class Kind : std::uint8_t { none, pocket, port, bin, nest } kind{};
        std::uint8_t index{};
        bool aligned{}; ///< so well that a card goes in
    };

    [[nodiscard]] std::optional<Nanoseconds> next_event() const;
    void settle();
    void happen(PlantEvent::Kind kind, std::uint8_t place, std::uint8_t card);
    void act(const Injection& injection);
    void act_on_port(const Injection& injection);
    void act_on_axis(const Injection& injection);
    void act_on_nest(const Injection& injection);
    [[nodiscard]] static std::optional<Injection> opposite(const Injection& injection);
    void cue_position(std::int32_t before);

    [[nodiscard]] Spot spot() const;
    static constexpr std::int32_t clear_of_everything = 60; ///< Z, above which the cup is
    [[nodiscard]] std::int32_t mouth() const { return config_.geometry.z_port - 4 * config_.contact_depth; }
    [[nodiscard]] bool chain_closed() const { return !estop_ && !door_open_; }
    [[nodiscard]] std::uint8_t touched() const;
    void moved_x();
    void moved_z(std::int32_t before);
    void lift_or_lower();
    void enter(const Spot& spot);
    void leave();
    void detach();
    void drop();
    void take_away(std::uint8_t card);
    void chain_changed();
    void update_vacuum();
    void update_ports();
    void update_nest();
    [[nodiscard]] std::uint8_t on_contacts() const;

    PlantConfig config_;
    Nanoseconds now_{};
    Actuators actuators_;
    AxisModel x_, z_;
    Cards cards_;
    VacuumModel vacuum_;
    std::array<PortModel, firmware::port_count> ports_;
    std::array<Contact, firmware::port_count> contacts_;
    std::array<bool, firmware::port_count> contact_broken_{}, contact_closed_{}, unread_{};
    std::optional<std::uint16_t> vacuum_stuck_; ///< mV
    Injection::What nest_switch_{Injection::What::switch_works};
    std::array<std::int32_t, rigproto::max_pockets> pocket_shift_{};
    std::array<std::int32_t, firmware::port_count> port_shift_{};
    Contact safety_, nest_contact_;
    SdCard nest_;
    std::uint8_t on_nest_{no_card};
    AxisModel::Flag comb_fault_{AxisModel::Flag::fine};
    bool armed_{};
    Nanoseconds armed_at_{};
    bool estop_{}, door_open_{}, pump_broken_{}, driver_failed_{};
    std::uint8_t held_{no_card};
    std::int32_t carried_{}; ///< steps of X since the card came out
    std::vector<Waiting> waiting_;
    std::vector<PlantEvent> events_;
    Hazards hazards_;
};

} // namespace mediarig::plant
