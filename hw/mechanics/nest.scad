// SPDX-License-Identifier: GPL-3.0-or-later
// The identity nest: one pocket, sprung pins against the contacts of the card, a switch below it.
include <shapes.scad>
use <magazine.scad>

nest_screws = [nest_span[0] + 10, nest_span[1] - 10];
pin_block_x = [nest_x + card.x / 2 + 2, nest_x + card.x / 2 + 16];
pin_block_z = [nest_floor - 6, nest_floor + 10];
pin_screw = [pin_block_x[0] + 7, 12];

module nest() {
    difference() {
        body(nest_span, [nest_x], nest_floor, nest_screws);
        // Open behind the contacts, for the block of pins, and for the lever of the switch.
        block([nest_x + card.x / 2 + 1.2, nest_span[1] + 1], [-rail_inside, rail_inside], [pin_block_z[0], tops + 1]);
        block([pin_block_x[0] - 0.3, nest_span[1] + 1], [-rail_outside - 1, rail_outside + 1], [pin_block_z[0], tops + 1]);
        block([nest_x - 3, nest_x + 3], [-7, 7], [foot + 4, nest_floor + 1]);
        along_z([nest_floor - 18, nest_floor]) for (side = [-1, 1])
            translate([pin_screw.x, side * pin_screw.y]) circle(d = m3_tap);
    }
}
/// Carries the pins: their sleeves are pressed into holes along X. Drill them to the sleeve.
module pin_block() {
    difference() {
        along_x(pin_block_x) difference() {
            rectangle([-rail_outside, rail_outside], pin_block_z);
            for (i = [0:nest_pins - 1]) translate([contact_1_y + i * contact_pitch, nest_floor + contact_height])
                circle(d = 1.3, $fn = 8);
        }
        for (side = [-1, 1]) translate([pin_screw.x, side * pin_screw.y, pin_block_z[0] - 1]) {
            cylinder(d = m3, h = 30);
            translate([0, 0, 13]) cylinder(d = m3_head, h = 30);
        }
    }
}
