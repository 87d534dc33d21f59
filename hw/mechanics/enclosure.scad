// SPDX-License-Identifier: GPL-3.0-or-later
// Joints of the enclosure's panels. The panels are cut from sheet; rig.scad lists their sizes.
include <shapes.scad>

joint = [34, 5];                // length of a side, thickness

/// Joins three panels. Every corner has the same part.
module corner() {
    difference() {
        cube(joint[0]);
        translate([joint[1], joint[1], joint[1]]) cube(joint[0]);
        for (turn = [[0, 0, 0], [90, 0, 90], [-90, -90, 0]]) rotate(turn) translate([joint[0] * 0.6, joint[0] * 0.6, -1]) {
            cylinder(d = m3, h = joint[1] + 2);
            translate([0, 0, 1 + joint[1] - m3_nut[1]]) cylinder(d = m3_nut[0], h = 5, $fn = 6);
        }
    }
}
/// Joins two panels along an edge.
module edge_joint() {
    difference() {
        linear_extrude(joint[0]) difference() {
            square(joint[0]);
            translate([joint[1], joint[1]]) square(joint[0]);
        }
        for (turn = [[90, 0, 0], [90, 0, 90]]) rotate(turn) translate([joint[0] * 0.6, joint[0] / 2, turn.z == 0 ? -joint[1] - 1 : -1]) {
            cylinder(d = m3, h = joint[1] + 2);
            translate([0, 0, turn.z == 0 ? -1 : 1 + joint[1] - m3_nut[1]]) cylinder(d = m3_nut[0], h = m3_nut[1] + (turn.z == 0 ? 2 : 3), $fn = 6);
        }
    }
}
/// One leaf of a hinge of the door; two of them and an M4 screw are a hinge.
module hinge_leaf() {
    difference() {
        union() {
            linear_extrude(4) difference() {
                translate([0, 5.5]) square([30, 22]);
                for (x = [7, 23]) translate([x, 19]) circle(d = m3);
            }
            translate([0, 0, 0]) rotate([90, 0, 90]) linear_extrude(14.7) hull() {
                translate([0, 4.5]) circle(d = 9);
                translate([0, 0]) square([8, 4]);
            }
        }
        translate([-1, 0, 4.5]) rotate([0, 90, 0]) cylinder(d = 4.3, h = 20);
    }
}
/// Holds the door's contact (a lever switch with holes 22.2 mm apart) inside the edge of the door.
module door_switch_mount() {
    difference() {
        linear_extrude(30) difference() {
            square([36, 30]);
            translate([4, 4]) square([40, 40]);
        }
        // Slots for the screws to the panel, and holes for the screws of the switch.
        for (z = [8, 22]) translate([-1, 18, z]) rotate([90, 0, 90]) linear_extrude(6) slot(m3, 6);
        for (x = [9, 31.2]) translate([x, 5, 15]) rotate([90, 0, 0]) cylinder(d = 3.2, h = 6);
    }
}
