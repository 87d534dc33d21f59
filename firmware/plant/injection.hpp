// SPDX-License-Identifier: GPL-3.0-or-later
/// What somebody or something does to the modelled rig: sets it up, breaks it, mends it, presses its buttons.
/// Pockets and ports count from 0 here.
#pragma once

#include <cstdint>

#include "firmware/plant/values.hpp"

namespace mediarig::plant {

struct Injection {
    enum class What : std::uint8_t {
        empty_pocket,   ///< place: pocket; its card is taken away
        fill_pocket,    ///< place: pocket; its own card is put in, in good order
        card_fine,      ///< place: card
        card_bent,      ///< place: card; does not go into a reader
        card_slippery,  ///< place: card; falls off on the way
        card_porous,    ///< place: card; no vacuum builds up on it
        card_stuck,     ///< place: card; does not come out of a reader
        pull_card,      ///< place: port; somebody takes its card out by hand
        shift_pocket,   ///< place: pocket; amount: steps by which it stands off
        shift_port,     ///< place: port; amount: steps
        contact_works,  ///< place: port
        contact_broken, ///< place: port; card-detect never closes
        contact_closed, ///< place: port; card-detect never opens
        vacuum_works,   ///< the pressure sensor
        vacuum_high,    ///< it says vacuum, whatever there is
        vacuum_low,     ///< it says none
        switch_works,   ///< the changeover switch between the pressure sensor and the nest's current
        switch_on_vacuum,
        switch_on_nest,
        port_unread,    ///< place: port; its voltage reads 0
        jam_carriage,   ///< amount: X position that it does not pass, in whichever direction
        free_carriage,  ///<
        weak_motor,     ///< axis; amount: steps/s above which steps are lost
        strong_motor,   ///< axis
        lose_steps,     ///< axis; amount: the next so many steps are lost
        flag_fine,      ///< axis
        flag_covered,   ///< axis; says home wherever it is
        flag_open,      ///< axis; never says home
        comb_fine,      ///<
        comb_covered,   ///< its sensor says so wherever it is
        comb_open,      ///< its sensor never sees a tooth
        push_carriage,  ///< amount: steps by which somebody pushes it along X, motors on or not
        flag_wanders,   ///< axis; amount: steps by which its edge differs from one approach to the next
        driver_fails,   ///< a motor driver reports an error
        driver_works,   ///<
        pump_fails,     ///<
        pump_works,     ///<
        press_estop,    ///<
        release_estop,  ///<
        open_door,      ///<
        close_door,     ///<
        port_fine,      ///< place: port
        port_shorted,   ///< place: port
        port_draws,     ///< place: port; amount: mA more than in good order
        port_welds,     ///< place: port; once on it stays on
        port_stuck_on,  ///< place: port; on from now
        port_dead,      ///< place: port; no voltage when switched on
        port_back_fed,  ///< place: port; a voltage from elsewhere stays on it
        port_slow,      ///< place: port; discharges slowly
        port_cuts_off,  ///< place: port; the limit switch gives up by itself
        card_registers, ///< place: card; amount: SdTrouble, what the identity nest sees of it
        lay_on_nest,    ///< place: card; somebody takes it from where it is and lays it on the identity nest
        clear_nest      ///< somebody takes away what lies there
    } what{};
    std::uint8_t place{};
    rigproto::Axis axis{};
    std::int32_t amount{};
    Nanoseconds lasting{}; ///< after it the opposite happens; 0: for good. Of those that have an opposite only
    bool operator==(const Injection&) const = default;
};

/// When a injection is done.
struct Cue {
    enum class On : std::uint8_t {
        now,
        delay,   ///< so long after it was said
        passing, ///< the carriage passes a position
        counted, ///< something happened so many times, counted from when it was said
    } on{};
    Nanoseconds delay{};
    std::int32_t position{};
    PlantEvent::Kind kind{};
    std::uint32_t count{};
    bool operator==(const Cue&) const = default;
};

struct CuedInjection {
    Cue cue;
    Injection injection;
    bool operator==(const CuedInjection&) const = default;
};

} // namespace mediarig::plant
