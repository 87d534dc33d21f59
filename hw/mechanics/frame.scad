// SPDX-License-Identifier: GPL-3.0-or-later
// Holders of the drive at the gantry, and models of bought parts.
include <shapes.scad>

plate_y = [gantry_face - 4.5, gantry_face];
idler_at = [x_rail[1] + 22, x_belt_z + idler_radius];
stop_z = [gantry_z + 11, gantry_z + 21];
stop_y = [carriage_y[0] + 1, plate_y[1]];

module motor_bracket() {
    difference() {
        union() {
            along_y(plate_y) difference() {
                union() {
                    rectangle([x_pulley.x - 21, x_rail[0] - 1.5], [gantry_z - 10, x_pulley.y + 21]);
                    rectangle([x_pulley.x - 21, x_pulley.x + 21], [stop_z[0], x_pulley.y + 21]);
                }
                translate(x_pulley) {
                    circle(d = 23);
                    for (x = [-15.5, 15.5], z = [-15.5, 15.5]) translate([x, z]) circle(d = m3);
                }
                for (x = [-12, 6]) translate([x_pulley.x + x, gantry_z]) circle(d = m5);
            }
            // Above the rail, with the stop of X.
            along_y(plate_y) rectangle([x_rail[0] - 5, carriage_x[0] + mm(x_lowest)], stop_z);
            along_y(stop_y) rectangle([carriage_x[0] + mm(x_lowest) - 6, carriage_x[0] + mm(x_lowest)], stop_z);
        }
    }
}
module idler_bracket() {
    along_y(plate_y) difference() {
        rectangle([x_rail[1] + 2, gantry_x[1]], [gantry_z - 10, idler_at.y + 10]);
        translate(idler_at) slot(m5, 12);
        for (x = [10, 30]) translate([x_rail[1] + x, gantry_z]) circle(d = m5);
    }
    along_y(stop_y) rectangle([carriage_x[1] + mm(x_highest), carriage_x[1] + mm(x_highest) + 6], stop_z);
}
/// Hangs under the gantry beam and holds the sensor of the X home flag, which opens forward.
module x_home_bracket() {
    x = -34;
    back = 38 + fork.z; // base of the sensor
    difference() {
        along_x([x - 8, x + 8]) polygon([[back, 60], [back + 4, 60], [back + 4, 98], [63, 98], [63, 115], [back, 115]]);
        along_y([40, 70]) translate([x, home_fork_z]) square([5, 10], center = true); // the fork's wires
        along_z([90, 120]) translate([x, 58]) circle(d = m5);
    }
}

// ---- bought ----------------------------------------------------------------------------------------------------------
module beams() {
    half = beam / 2;
    for (side = [-1, 1]) block(base_x, [side * beam_y - half, side * beam_y + half], [-beam, 0]);
    for (x = [base_x[0] - beam, base_x[1]]) {
        block([x, x + beam], [-foot_y, gantry_face + beam], [-beam, 0]);
        block([x, x + beam], [gantry_face, gantry_face + beam], [0, gantry_z - half]);
        for (y = [-foot_y, gantry_face]) block([x, x + beam], [y, y + beam], [-beam - leg, -beam]);
    }
    block(gantry_x, [gantry_face, gantry_face + beam], [gantry_z - half, gantry_z + half]);
}
module x_rail() { block(x_rail, [gantry_face - 8, gantry_face], [gantry_z - 6, gantry_z + 6]); }
module x_motor() {
    block([x_pulley.x - motor / 2, x_pulley.x + motor / 2], [gantry_face, gantry_face + motor_depth], [x_pulley.y - motor / 2, x_pulley.y + motor / 2]);
    along_y([belt_y - 12, gantry_face]) translate(x_pulley) circle(d = 5);
    along_y([belt_y - 4, belt_y + 4]) translate(x_pulley) circle(r = pulley_radius);
}
module x_idler() { along_y([belt_y - 4, belt_y + 4]) translate(idler_at) circle(r = idler_radius); }
module x_belt() {
    along_y([belt_y - belt[0] / 2, belt_y + belt[0] / 2]) difference() {
        hull() { translate(x_pulley) circle(r = pulley_radius + 0.7); translate(idler_at) circle(r = idler_radius + 0.7); }
        hull() { translate(x_pulley) circle(r = pulley_radius - 0.7); translate(idler_at) circle(r = idler_radius - 0.7); }
    }
}
module home_fork() { // of X: its gap across Z, open forward
    along_x([-34 - fork.x / 2, -34 + fork.x / 2]) fork_outline([38 + fork.z, home_fork_z], 90);
}
module fork_outline(base, turn) {
    translate(base) rotate(turn) difference() {
        translate([-fork.y / 2, 0]) square([fork.y, fork.z]);
        translate([-fork_gap / 2, fork.z - fork_depth]) square([fork_gap, fork_depth + 1]);
    }
}
// Carried by the carriage:
module x_carriage_block() {
    block([-x_block.x / 2, x_block.x / 2], [carriage_y[1], gantry_face - 4], [gantry_z + 6.3, gantry_z + x_block.y / 2]);
    block([-x_block.x / 2, x_block.x / 2], [carriage_y[1], gantry_face - 4], [gantry_z - x_block.y / 2, gantry_z - 6.3]);
    block([-x_block.x / 2, x_block.x / 2], [carriage_y[1], gantry_face - 8.3], [gantry_z - 7, gantry_z + 7]);
}
module z_rail() { block([-4.5, 4.5], [carriage_y[0] - 6.5, carriage_y[0]], z_rail); }
module z_motor() {
    block([z_pulley.x - motor / 2, z_pulley.x + motor / 2], [carriage_y[1], carriage_y[1] + motor_depth], [z_pulley.y - motor / 2, z_pulley.y + motor / 2]);
    along_y([14, carriage_y[1]]) translate(z_pulley) circle(d = 5);
    along_y([14.5, 22.5]) translate(z_pulley) circle(r = pulley_radius + 0.7);
}
module z_idler() {
    along_y([14.5, 22.5]) translate(z_idler) circle(r = idler_radius + 0.7);
    along_y([12, carriage_y[1]]) translate(z_idler) circle(d = 5);
}
module comb_fork() { along_x([-fork.x / 2, fork.x / 2]) fork_outline([comb_y, fork_legs + fork.z], 180); }
module z_fork() {
    along_z([145 - fork.x / 2, 145 + fork.x / 2]) fork_outline([-29, carriage_y[0]], 180);
}
module spring() {
    along_y([14.5, 21.5]) translate([-20.8, 208]) circle(r = 8);
    block([-12.9, -12.6], [14.8, 20.2], [154 - mm(z_travel), 208]); // its band, drawn out
}
// Carried by the slide:
module barb() { along_y([-24, -nose_half]) translate([-1.5, lift + hose]) circle(d = 9); }
module z_slide_block() {
    x = z_block.y / 2;
    z = [z_block_middle - z_block.x / 2, z_block_middle + z_block.x / 2];
    for (side = [[-x, -4.8], [4.8, x]]) block(side, [slide_y[1], carriage_y[0] - 2], z);
    block([-5, 5], [slide_y[1], carriage_y[0] - 6.8], z);
}
