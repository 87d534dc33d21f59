// SPDX-License-Identifier: GPL-3.0-or-later
/// How the modelled rig is built. The defaults are a rig in good order; faults come as injections (injection.hpp).
///
/// Where a number has no other source it is a plausible one of the parts that hw/ names, not a measurement.
#pragma once

#include <cstdint>
#include <map>

#include "common/rigproto/simulated_rig.hpp"
#include "firmware/plant/sd_card.hpp"
#include "firmware/plant/values.hpp"
#include "hw/parts.hpp"

namespace mediarig::plant {

/// One axis. Positions are steps; 0 is the edge of its home flag.
struct AxisConfig {
    std::int32_t start{};             ///< where it stands when the model begins
    std::int32_t lowest{}, highest{}; ///< hard stops: steps beyond are lost
    std::int32_t flag_width{};        ///< the flag covers -width..0
    std::int32_t flag_hysteresis{2};  ///< it uncovers so many steps later than it covered
};

/// One switched port with its reader.
struct PortConfig {
    std::uint16_t supply_mv{5'050};
    std::uint16_t on_resistance_mohm{120};
    std::uint16_t limit_ma{parts::limit_ma}; ///< of the limit switch: while it charges the load, and into a short
    std::uint16_t capacitance_uf{330};
    std::uint16_t reader_ma{80}; ///< without a card
    std::uint16_t card_ma{120};  ///< that a card adds
    std::uint16_t back_fed_mv{2'200};
    Nanoseconds discharge{milliseconds(25)}; ///< time constant of a port in good order
    Nanoseconds slow_discharge{milliseconds(1'200)};
    Nanoseconds cuts_off_after{milliseconds(8)}; ///< in limitation, until the switch gives up (TPS2553: 8 ms)
};

/// The cup and what pulls at it. Millivolts of the pressure sensor; more is more vacuum.
struct VacuumConfig {
    std::uint16_t sealed_mv{2'400}; ///< pump on, a card on the cup
    std::uint16_t open_mv{350};     ///< pump on, nothing on the cup
    std::uint16_t grips_mv{900};    ///< from here on a card goes with the cup
    std::uint16_t drops_mv{500};    ///< below, it falls off
    Nanoseconds rise{milliseconds(40)};
    Nanoseconds vent{milliseconds(12)};
    Nanoseconds leak{milliseconds(3'000)}; ///< pump off, vent closed, a card on the cup
};

struct PlantConfig {
    rigproto::Config geometry{rigproto::simulated_rig()};
    std::uint32_t full_pockets{0xFFFF'FFFF};         ///< bit n: a card is in pocket n
    std::map<std::uint8_t, SdRegisters> registers{}; ///< of a card; others have simulated_registers()
    std::uint64_t seed{1};                           ///< of contact bounce and of a wandering flag
    AxisConfig x{.start = 3'000, .lowest = -80, .highest = 13'060, .flag_width = 100};
    AxisConfig z{.start = 0, .lowest = -100, .highest = 1'260, .flag_width = 120};
    PortConfig port;
    VacuumConfig vacuum;
    std::int32_t cup_reach{30};      ///< steps beside the middle of a card at which the cup still finds it
    std::int32_t slot_tolerance{12}; ///< steps beside the middle of a slot at which a card still goes in
    std::int32_t pocket_depth{60};   ///< steps of Z that a card sits within its pocket
    std::int32_t contact_depth{40};  ///< steps of Z before full insertion at which card-detect closes
    std::int32_t slips_after{400};   ///< steps of X at which a slippery card falls off
    Nanoseconds contact_bounce{milliseconds(3)};
    Nanoseconds safety_bounce{milliseconds(2)};
    Nanoseconds drivers_wake{
        milliseconds(8)}; ///< from the arming of their supply until drivers that are on are content
};

/// The rig in good order with so many pockets (all full) and readers.
[[nodiscard]] inline PlantConfig simulated_plant(std::uint8_t pockets, std::uint8_t ports) {
    PlantConfig config;
    config.geometry = rigproto::simulated_rig(pockets, ports);
    return config;
}

} // namespace mediarig::plant
