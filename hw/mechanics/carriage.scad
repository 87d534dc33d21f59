// SPDX-License-Identifier: GPL-3.0-or-later
// The X carriage: a plate between the block of the X rail behind it and the rail of Z before it. Drawn at X = 0.
include <shapes.scad>

z_fork = [-29, 145];            // sensor of the Z home flag: X and Z
arm_screws = [[-12, 92], [12, 92]];
clamp_screws = [[-13, 158.5], [13, 158.5]];
spring_at = [-20.8, 208];       // axis of the drum: its band leaves it at x = -12.8, beside the stops
z_stop_x = [-21, -14];

module carriage() {
    front = carriage_y[0];
    difference() {
        union() {
            along_y(carriage_y) difference() {
                rectangle(carriage_x, carriage_z);
                // No plate where nothing is held.
                rectangle([carriage_x[0] - 1, -18], [carriage_z[1] - 8, carriage_z[1] + 1]);
                for (x = [-10, 10], z = [-10, 10]) translate([x, gantry_z + z]) circle(d = m3); // block of X
                for (z = [z_rail[0] + 10 : 20 : z_rail[1]]) translate([0, z]) circle(d = m3_tap); // rail of Z
                translate(z_idler) circle(d = m5);
                translate(z_pulley) {
                    upright_slot(23, 6);
                    for (x = [-15.5, 15.5], z = [-15.5, 15.5]) translate([x, z]) upright_slot(m3, 6);
                }
                for (at = concat(arm_screws, clamp_screws)) translate(at) circle(d = m3);
                translate(spring_at) circle(d = 4.4);
                translate(z_fork) square([10, 5], center = true);
            }
            // Stops of Z.
            for (z = [[lug_z[0] - mm(z_highest) - 6, lug_z[0] - mm(z_highest)], [lug_z[1] - mm(z_lowest), lug_z[1] - mm(z_lowest) + 6]])
                block(z_stop_x, [front - 8, front + 1], z);
        }
        for (x = [-10, 10], z = [-10, 10]) along_y([front - 1, front + 3.2]) translate([x, gantry_z + z]) circle(d = m3_head);
        for (at = concat(arm_screws, clamp_screws)) along_y([front - 1, front + 3.2]) translate(at) circle(d = m3_head);
    }
}

/// Behind the carriage: holds the fork that looks at the comb, and is the home flag of X with its left edge.
module fork_arm() {
    y = carriage_y[1];
    along_y([y, y + 4]) difference() {
        rectangle([-18, 18], [arm_z, 100]);
        for (at = arm_screws) translate(at) circle(d = m3_tap);
    }
    difference() {
        along_z([arm_z, arm_z + 1.6]) difference() {
            rectangle([-34, 18], [y, 44]);
            translate([0, comb_y]) square([6, 10], center = true); // the fork's wires
        }
    }
    // Ribs, beside the fork.
    for (x = [-18, 16]) along_x([x, x + 2]) polygon([[y + 3, arm_z], [44, arm_z], [44, arm_z + 2], [y + 3, arm_z + 14]]);
}

/// Behind the carriage: holds both ends of the X belt.
module x_belt_clamp() {
    y = carriage_y[1];
    along_y([y, y + 1.2]) clamp_outline();
    along_y([y + 1, y + 8.5]) difference() {
        clamp_outline();
        translate([0, x_belt_z]) belt_groove(40);
    }
}
module clamp_outline() {
    difference() {
        rectangle([-18, 18], [x_belt_z - 5, x_belt_z + 14]);
        for (at = clamp_screws) translate(at) circle(d = m3_tap);
    }
}
