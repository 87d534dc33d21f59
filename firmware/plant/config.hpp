// SPDX-License-Identifier: GPL-3.0-or-later
/// Configuration of the modelled rig. The defaults are a rig without faults; faults are injections (injection.hpp).
///
/// Values without a stated source are plausible for the parts in hw/, not measured.
#pragma once

#include <cstdint>
#include <map>

#include "common/rigproto/simulated_rig.hpp"
#include "firmware/plant/sd_card.hpp"
#include "firmware/plant/values.hpp"
#include "hw/parts.hpp"

namespace mediarig::plant {

/// One axis. Positions are in steps; 0 is the edge of its home flag.
struct AxisConfig {
    std::int32_t start{};             ///< initial position
    std::int32_t lowest{}, highest{}; ///< hard stops: steps beyond are lost
    std::int32_t flag_width{};        ///< the flag covers -width..0
    std::int32_t flag_hysteresis{2};  ///< the flag uncovers this many steps later than it covers
};

/// One switched port with its reader.
struct PortConfig {
    std::uint16_t supply_mv{5'050};
    std::uint16_t on_resistance_mohm{120};
    std::uint16_t limit_ma{
        parts::limit_ma}; ///< current of the limit switch while it charges the load, and into a short circuit
    std::uint16_t capacitance_uf{330};
    std::uint16_t reader_ma{80}; ///< current of the reader without a card
    std::uint16_t card_ma{120};  ///< additional current of a card
    std::uint16_t back_fed_mv{2'200};
    Nanoseconds discharge{milliseconds(25)}; ///< time constant of a port without faults
    Nanoseconds slow_discharge{milliseconds(1'200)};
    Nanoseconds cuts_off_after{milliseconds(8)}; ///< time in limitation until the switch trips (TPS2553: 8 ms)
};

/// The cup and its vacuum system. Values are millivolts of the pressure sensor; a higher value means more vacuum.
struct VacuumConfig {
    std::uint16_t sealed_mv{2'400}; ///< pump on, a card on the cup
    std::uint16_t open_mv{350};     ///< pump on, cup empty
    std::uint16_t grips_mv{900};    ///< a card sticks to the cup from this value on
    std::uint16_t drops_mv{500};    ///< the card falls off below this value
    Nanoseconds rise{milliseconds(40)};
    Nanoseconds vent{milliseconds(12)};
    Nanoseconds leak{milliseconds(3'000)}; ///< pump off, vent closed, a card on the cup
};

struct PlantConfig {
    rigproto::Config geometry{rigproto::simulated_rig()};
    std::uint32_t full_pockets{0xFFFF'FFFF}; ///< bit n: a card is in pocket n
    std::map<std::uint8_t, SdRegisters>
        registers{};       ///< registers of single cards; all others have simulated_registers()
    std::uint64_t seed{1}; ///< start value for contact bounce and a wandering flag
    AxisConfig x{.start = 3'000, .lowest = -80, .highest = 13'060, .flag_width = 100};
    AxisConfig z{.start = 0, .lowest = -100, .highest = 1'260, .flag_width = 120};
    PortConfig port;
    VacuumConfig vacuum;
    std::int32_t cup_reach{30};           ///< steps from the middle of a card within which the cup finds it
    std::int32_t slot_tolerance{12};      ///< steps from the middle of a slot within which a card goes in
    std::int32_t pocket_depth{60};        ///< steps of Z between the top of a pocket and a card in it
    std::int32_t contact_depth{40};       ///< steps of Z before full insertion at which card-detect closes
    std::int32_t slips_after{400};        ///< steps of X at which a slippery card falls off
    Nanoseconds spike{microseconds(450)}; ///< duration of a spike on a wire, shorter than a tick
    Nanoseconds contact_bounce{milliseconds(3)};
    Nanoseconds safety_bounce{milliseconds(2)};
    Nanoseconds drivers_wake{
        milliseconds(8)}; ///< time from arming the supply until enabled drivers report no undervoltage
};

/// Returns a rig without faults with this number of pockets (all full) and readers.
[[nodiscard]] inline PlantConfig simulated_plant(std::uint8_t pockets, std::uint8_t ports) {
    PlantConfig config;
    config.geometry = rigproto::simulated_rig(pockets, ports);
    return config;
}

} // namespace mediarig::plant
