// SPDX-License-Identifier: GPL-3.0-or-later
/// Models the mechanics and electronics around the board in virtual time: carriage, magazine, readers, ports, vacuum,
/// safety chain. The simulated board and the emulated image use the same model.
///
/// Pure and deterministic: time is a parameter and monotonic, random values depend only on a start value, and reading
/// the state changes nothing.
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
#include "firmware/plant/hazards.hpp"
#include "firmware/plant/injection.hpp"
#include "firmware/plant/port.hpp"
#include "firmware/plant/vacuum.hpp"
#include "firmware/plant/values.hpp"

namespace mediarig::plant {

class Plant {
public:
    explicit Plant(const PlantConfig& config = {});

    /// Executes all events due until then. A time before now() counts as now().
    void advance(Nanoseconds to);
    /// Processes one edge of a STEP pin. `direction` is +1 away from home (for Z: down), -1 towards home. Ignores steps
    /// while the motors are off.
    void step(rigproto::Axis axis, int direction, Nanoseconds at);
    void set(const Actuators& actuators, Nanoseconds at);
    /// Levels driven by the board on the lines of the identity nest; an undriven CMD is high.
    void nest_lines(bool clock, bool command, Nanoseconds at);
    void cause(const TriggeredInjection& injection, Nanoseconds at);
    /// Executes an injection given as a sentence (injection_text.hpp). The error describes the fault in the sentence,
    /// or the missing part of this rig.
    [[nodiscard]] tl::expected<void, std::string> say(std::string_view sentence, Nanoseconds at);

    /// Adopts the places of all cards from the rig that this one replaces. A card on its cup counts as fallen.
    void take_over(const Cards& cards);

    [[nodiscard]] Sensors sense() const; ///< state at now()
    [[nodiscard]] Sensors sense(Nanoseconds at) {
        advance(at);
        return sense();
    }
    [[nodiscard]] bool safety_closed() const { return safety_.read(now_); } ///< the safety chain of sense()
    [[nodiscard]] Nanoseconds now() const { return now_; }
    /// Supply of motors, pump and vent: an open safety chain cuts it in hardware, and a latch keeps it off until it is
    /// armed again with the chain closed.
    [[nodiscard]] bool powered() const { return armed_ && chain_closed(); }
    void lose_logic_supply() { armed_ = false; }
    /// Returns the time after now() at which a digital signal next changes without input; nothing if none will.
    [[nodiscard]] std::optional<Nanoseconds> next_change() const;
    /// Returns the events in order; each is returned once.
    [[nodiscard]] std::vector<PlantEvent> take_events();

    // Internal state that only a model can provide, for tests and displays.
    [[nodiscard]] std::int32_t position(rigproto::Axis axis) const;
    [[nodiscard]] std::uint32_t steps_made(rigproto::Axis axis) const; ///< steps that moved the axis
    [[nodiscard]] const Cards& cards() const { return cards_; }
    [[nodiscard]] const SdCard& nest() const { return nest_; }      ///< the card model on the contacts
    [[nodiscard]] bool holding() const { return held_ != no_card; } ///< a card is on the cup
    [[nodiscard]] const Actuators& actuators() const { return actuators_; }
    [[nodiscard]] const Hazards& hazards() const { return hazards_; }
    [[nodiscard]] const PlantConfig& config() const { return config_; }
    /// Hash of the whole state: two runs with equal inputs have equal hashes.
    [[nodiscard]] std::uint64_t fingerprint() const;

private:
    struct PendingInjection {
        TriggeredInjection injection;
        Nanoseconds due{};    ///< used for a delay
        std::uint32_t seen{}; ///< used for a count
        std::int32_t from{};  ///< used for a passing: position of the carriage at entry
    };
    /// The place below the cup, within its reach.
    struct Spot {
        enum class Kind : std::uint8_t { none, pocket, port, bin, nest } kind{};
        std::uint8_t index{};
        bool aligned{}; ///< the cup is so close to the place that a card can go in
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
    static constexpr std::int32_t clear_of_everything = 60; ///< Z position above which the cup is clear of everything
    [[nodiscard]] std::int32_t mouth() const { return config_.geometry.z_port - 4 * config_.contact_depth; }
    [[nodiscard]] bool jaw_open() const {
        if (jaw_fault_ != Injection::What::jaw_works) return jaw_fault_ == Injection::What::jaw_sticks_open;
        return actuators_.jaw_open && powered();
    }
    /// True if only the vacuum keeps the card on the cup.
    [[nodiscard]] bool loose() const { return held_ != no_card && jaw_open() && !cards_[held_].clings; }
    [[nodiscard]] bool spike(Wire wire) const { return now_ < spike_ends_[static_cast<std::size_t>(wire)]; }
    [[nodiscard]] bool chain_closed() const { return !estop_ && !door_open_; }
    [[nodiscard]] std::uint8_t touched() const;
    void moved_x();
    void moved_z(std::int32_t before);
    void lift_or_lower();
    void enter(const Spot& spot);
    void leave();
    void detach();
    void drop();
    void remove_card(std::uint8_t card);
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
    Injection::What jaw_fault_{Injection::What::jaw_works};
    std::array<Nanoseconds, wire_count> spike_ends_{};
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
    std::int32_t carried_{}; ///< steps of X since the card was lifted
    std::vector<PendingInjection> waiting_;
    std::vector<PlantEvent> events_;
    Hazards hazards_;
};

} // namespace mediarig::plant
