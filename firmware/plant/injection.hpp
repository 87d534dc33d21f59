// SPDX-License-Identifier: GPL-3.0-or-later
/// External events on the modelled rig: set-up, faults, repairs, manual actions, buttons. Pockets and ports count from
/// 0 here.
#pragma once

#include <cstdint>

#include "firmware/plant/values.hpp"

namespace mediarig::plant {

struct Injection {
    enum class What : std::uint8_t {
        empty_pocket,   ///< place: pocket; its card is removed
        fill_pocket,    ///< place: pocket; its own card is inserted, without defects
        card_fine,      ///< place: card
        card_bent,      ///< place: card; it does not go into a reader
        card_slippery,  ///< place: card; it falls off on the way
        card_porous,    ///< place: card; it holds no vacuum
        card_stuck,     ///< place: card; it does not come out of a reader
        card_clings,    ///< place: card; it stays on the cup after the release
        clear_cup,      ///< the card on the cup is removed by hand
        pull_card,      ///< place: port; its card is removed by hand
        shift_pocket,   ///< place: pocket; amount: offset in steps
        shift_port,     ///< place: port; amount: offset in steps
        contact_works,  ///< place: port
        contact_broken, ///< place: port; card-detect never closes
        contact_closed, ///< place: port; card-detect never opens
        vacuum_works,   ///< the pressure sensor
        vacuum_high,    ///< the sensor always reports vacuum
        vacuum_low,     ///< the sensor never reports vacuum
        switch_works,   ///< the changeover switch between the pressure sensor and the nest's current
        switch_on_vacuum,
        switch_on_nest,
        port_unread,       ///< place: port; its voltage reads 0
        jam_carriage,      ///< amount: X position that the carriage does not pass in either direction
        free_carriage,     ///<
        weak_motor,        ///< axis; amount: steps/s above which it loses steps
        strong_motor,      ///< axis
        lose_steps,        ///< axis; amount: number of next steps that are lost
        flag_fine,         ///< axis
        flag_covered,      ///< axis; reports home at every position
        flag_open,         ///< axis; never reports home
        comb_fine,         ///<
        comb_covered,      ///< the sensor reports a tooth at every position
        comb_open,         ///< the sensor never reports a tooth
        push_carriage,     ///< amount: steps by which a hand pushes the carriage along X, motors on or off
        flag_wanders,      ///< axis; amount: difference of the flag's edge between two approaches, in steps
        driver_fails,      ///< a motor driver reports an error
        driver_works,      ///<
        pump_fails,        ///<
        pump_works,        ///<
        jaw_works,         ///<
        jaw_sticks_closed, ///< the jaw does not open
        jaw_sticks_open,   ///< the jaw does not close
        spike,             ///< amount: Wire; one sample of this input is wrong
        press_estop,       ///<
        release_estop,     ///<
        open_door,         ///<
        close_door,        ///<
        port_fine,         ///< place: port
        port_shorted,      ///< place: port
        port_draws,        ///< place: port; amount: additional mA
        port_welds,        ///< place: port; after it is switched on it stays on
        port_stuck_on,     ///< place: port; on from now
        port_dead,         ///< place: port; no voltage when switched on
        port_back_fed,     ///< place: port; an external voltage stays on it
        port_slow,         ///< place: port; discharges slowly
        port_cuts_off,     ///< place: port; the limit switch trips without cause
        card_registers,    ///< place: card; amount: SdDefect, as seen by the identity nest
        lay_on_nest,       ///< place: card; it is moved from its place to the identity nest by hand
        clear_nest         ///< the card on the nest is removed by hand
    } what{};
    std::uint8_t place{};
    rigproto::Axis axis{};
    std::int32_t amount{};
    Nanoseconds
        lasting{}; ///< after this time the opposite happens; 0: permanent. Allowed only for injections with an opposite
    bool operator==(const Injection&) const = default;
};

/// Inputs that a spike can disturb.
enum class Wire : std::uint8_t { x_flag, z_flag, comb, driver };
inline constexpr std::size_t wire_count = 4;

/// Time of an injection.
struct InjectionTrigger {
    enum class On : std::uint8_t {
        now,
        delay,   ///< a time after the injection was entered
        passing, ///< the carriage passes a position
        counted, ///< an event has occurred this many times since it was entered
    } on{};
    Nanoseconds delay{};
    std::int32_t position{};
    PlantEvent::Kind kind{};
    std::uint32_t count{};
    bool operator==(const InjectionTrigger&) const = default;
};

struct TriggeredInjection {
    InjectionTrigger cue;
    Injection injection;
    bool operator==(const TriggeredInjection&) const = default;
};

} // namespace mediarig::plant
