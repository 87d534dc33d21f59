// SPDX-License-Identifier: GPL-3.0-or-later
// Dimensions, in steps, that the firmware's configuration and the plant model have under the same names. Only lines
// "name = number;". tests/hw/mechanics compares each of them with simulated_rig() and PlantConfig.

steps_per_mm = 20; // 40 teeth of a 2 mm belt are 80 mm a turn; 200 steps a turn, 8 microsteps. Both axes

// common/rigproto/simulated_rig.hpp
pockets = 30;
ports = 8;
x_first_pocket = 200;
x_pocket_pitch = 160;
x_first_port = 5200;
x_port_pitch = 600;
x_bin_pass = 10000;
x_bin_fail = 10800;
x_bin_retest = 11600;
x_bin_unknown = 12400;
x_nest = 12800;
x_travel = 13000;
x_comb = 20;         // half the width of a tooth
home_tolerance = 8;
z_travel = 1200;
z_pocket = 800;
z_port = 1000;
z_bin = 400;
z_nest = 700;

// firmware/plant/config.hpp
x_lowest = -80;      // hard stops
x_highest = 13060;
x_flag_width = 100;  // of a home flag, which covers -width..0
z_lowest = -100;
z_highest = 1260;
z_flag_width = 120;
cup_reach = 30;      // beside the middle of a card, where the cup still finds it
slot_tolerance = 12; // beside the middle of a slot, where a card still goes in
contact_depth = 40;  // before full insertion, where card-detect closes
