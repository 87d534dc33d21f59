// SPDX-License-Identifier: GPL-3.0-or-later
/// Geometry and limits of the simulated rig, used by the plant model and sent by the host as its configuration. 20
/// steps are 1 mm on X (2 mm belt, 40 teeth, 1/8 steps, the coarsest that the drivers support without UART).
#pragma once

#include "common/rigproto/messages.hpp"

namespace mediarig::rigproto {

[[nodiscard]] constexpr Config simulated_rig(std::uint8_t pockets = max_pockets, std::uint8_t ports = port_count) {
    Config rig;
    rig.pockets = pockets;
    rig.ports = ports;
    rig.x_first_pocket = 200;
    rig.x_pocket_pitch = 160;
    rig.x_first_port = 5200;
    rig.x_port_pitch = 600;
    rig.x_bin = {10000, 10800, 11600, 12400};
    rig.x_travel = 13000;
    rig.z_travel = 1200;
    rig.z_pocket = 800;
    rig.z_port = 1000;
    rig.z_bin = 400;
    rig.x_speed = 6000;
    rig.x_acceleration = 40000;
    rig.z_speed = 3000;
    rig.z_acceleration = 20000;
    rig.home_speed = 400;
    rig.home_tolerance = 8;
    rig.vacuum_picked_mv = 1500;
    rig.port_limit_ma = 900;
    rig.inrush_limit_ma = 1400;
    rig.inrush_window_ms = 50;
    rig.trip_ma = 1500; // below the threshold of the limit switch: a higher current never flows
    rig.idle_ma = 20;
    rig.x_nest = 12800;
    rig.z_nest = 700;
    rig.x_comb = 20;
    return rig;
}

} // namespace mediarig::rigproto
