// SPDX-License-Identifier: GPL-3.0-or-later
/// A rig script: an operator's scenario, one sentence per line. README.md describes the language.
///
///     Scenario: an empty pocket is reported and the rig continues with the next one
///     a magazine of 8 cards
///     pocket 3 is empty
///     the host greets the rig
///     job 1 homes the rig
///     job 2 loads pocket 3 into reader 1
///     then job 2 fails with pick_missed
///     and reader 1 is empty
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "firmware/plant/injection.hpp"
#include "firmware/plant/pattern.hpp"

namespace mediarig::scenario {

/// Meaning of a sentence that is no injection. `Gaps` has its numbers and names.
enum class Say : std::uint8_t {
    injection, ///< Line::injection
    // action of the host
    greet,
    greet_only,
    silence,
    silence_for,
    stop,
    pass,
    home,
    load,
    unload_to_pocket,
    unload_to_bin,
    switch_on,
    switch_off,
    clear,
    park,
    jog,
    guard,
    guard_none,
    identify,
    read_nest,
    declare_empty,
    reconfigure,
    reconfigure_without_carriage,
    // actions on the board
    hang,
    power_fails,
    power_returns,
    // expectations
    job_done,
    job_fails,
    job_refused,
    job_accepted,
    config_taken,
    config_refused,
    rig_is,
    rig_latched,
    still_for,
    safe_within,
    still_within,
    reader_holds,
    reader_empty,
    pocket_holds,
    pocket_empty,
    bin_holds,
    card_lost,
    card_hangs,
    port_is,
    voltage_gone,
    voltage_there,
    motors_off,
    supply_off,
    supply_on,
    pump_off,
    nest_off,
    nest_on,
    nest_says,
    reset_by,
    hears_of,
    happened
};

struct Line {
    std::size_t number{}; ///< from 1
    std::string text;
    Say say{};
    plant::Gaps gaps;
    plant::TriggeredInjection injection;
};

struct Scenario {
    std::string title;
    plant::RigSize rig{8, 2};
    bool full{true}; ///< state of the pockets
    std::vector<Line> lines;
};

struct Complaint {
    std::size_t line{}; ///< from 1
    std::string text;   ///< expected form
    bool operator==(const Complaint&) const = default;
};

/// Accepts any bytes. Every unknown line is reported, in order.
[[nodiscard]] tl::expected<Scenario, std::vector<Complaint>> read_scenario(std::string_view text);

} // namespace mediarig::scenario
