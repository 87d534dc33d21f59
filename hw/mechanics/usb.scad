// SPDX-License-Identifier: GPL-3.0-or-later
// The same rig with USB sticks: each lives in a sled, whose flat top the cup takes from above. Reader banks, carriage
// and slide stay; magazine, nose, guides and cradles are these.
include <shapes.scad>
use <slide.scad>
use <readers.scad>

sled_height = sled_length - plug.z - 3;  // walls; the plug and 3 mm of the stick stay outside
usb_floor = shoulder(usb_z_pocket) - usb_pad_proud / 2 - sled_height;
usb_mouth = shoulder(usb_z_port) - sled_length + plug.z;
receptacle = [9, 17, 30];                // overmould of an extension lead's socket; measure yours
usb_lead_in = [2.2, 1.5, 3];
usb_magazine_x = [usb_pocket_x[0] - mm(usb_x_pocket_pitch) / 2 + gap, usb_pocket_x[usb_pockets / 2 - 1] + mm(usb_x_pocket_pitch) / 2 - gap];
usb_tops = shoulder(usb_z_pocket) - 6;   // of the walls of a pocket
usb_guide_z = [mouth + 0.5, mouth + 5];

module sled() {
    wall = [(sled.x - stick.x) / 2, (sled.y - stick.y) / 2];
    difference() {
        block([-sled.x / 2, sled.x / 2], [-sled.y / 2, sled.y / 2], [lift - sled_height, lift]);
        block([-stick.x / 2, stick.x / 2], [-stick.y / 2, stick.y / 2], [lift - sled_height - 1, lift - sled_top]);
        // Two grub screws from either side hold the stick in the middle.
        for (z = [-10, -27]) along_x([-20, 20]) translate([0, lift + z]) circle(d = m3_tap);
    }
}
/// The hole for a sled at x = 0, widened at `top`.
module sled_pocket(bottom, top) {
    x = sled.x / 2 + slot_play;
    y = sled.y / 2 + slot_play;
    block([-x, x], [-y, y], [bottom, top + 1]);
    translate([0, 0, top - usb_lead_in.z]) hull() {
        block([-x, x], [-y, y], [0, 0.01]);
        block([-x - usb_lead_in.x, x + usb_lead_in.x], [-y - usb_lead_in.y, y + usb_lead_in.y], [usb_lead_in.z, usb_lead_in.z + 0.5]);
    }
}
module half_usb_magazine() {
    places = [for (i = [0:usb_pockets / 2 - 1]) usb_pocket_x[i]];
    screws = [usb_magazine_x[0] + 12, usb_magazine_x[1] - 12];
    wall = sled.y / 2 + slot_play + usb_lead_in.y + min_wall;
    both_sides() foot_plate(usb_magazine_x, wall - 1, screws);
    difference() {
        block(usb_magazine_x, [-wall, wall], [0, usb_tops]);
        for (x = places) translate([x, 0, 0]) {
            sled_pocket(usb_floor, usb_tops);
            block([-stick.x / 2 - 1, stick.x / 2 + 1], [-stick.y / 2 - 1, stick.y / 2 + 1], [-1, usb_floor + 1]);
        }
    }
    comb(usb_magazine_x, places, screws);
    for (x = [usb_magazine_x[0], usb_magazine_x[1] - 3]) block([x, x + 3], [wall - 1, comb_y - 1], [0, comb_base - 4]);
}
module usb_guide() {
    x = port_x[0];
    difference() {
        block([x - 12.5, x + 12.5], [-31, 31], usb_guide_z);
        translate([x, 0, 0]) sled_pocket(usb_guide_z[0] - 1, usb_guide_z[1]);
        along_z([usb_guide_z[0] - 1, usb_guide_z[1] + 1]) for (dx = [-1, 1], side = [-1, 1]) translate([x + dx * guide_screw().x, side * guide_screw().y]) circle(d = m3 + 2 * align_guide);
    }
}
module usb_cradle() {
    x = port_x[0];
    outer = [reader_cell.x / 2 - 0.3, reader_cell.y / 2 - 0.3];
    difference() {
        block([x - outer.x, x + outer.x], [-outer.y, outer.y], [usb_mouth - receptacle.z - 3, 23]);
        translate([x, 0, 0]) {
            block([-sled.x / 2 - 1, sled.x / 2 + 1], [-sled.y / 2 - 1, sled.y / 2 + 1], [usb_mouth, 24]);
            block([-receptacle.x / 2 - 0.2, receptacle.x / 2 + 0.2], [-receptacle.y / 2 - 0.2, receptacle.y / 2 + 0.2], [usb_mouth - receptacle.z, usb_mouth + 1]);
            block([-receptacle.x / 2 + 1.5, receptacle.x / 2 - 1.5], [-receptacle.y / 2 + 3, outer.y + 1], [usb_mouth - receptacle.z - 4, usb_mouth - receptacle.z + 1]);
            // A screw from the front holds the socket.
            along_y([-outer.y - 1, -receptacle.y / 2]) translate([0, usb_mouth - 12]) circle(d = m3_tap);
        }
        cradle_holes(outer.y);
    }
}
module usb_nose() {
    screws = [[-12, slide_z[0] + 7], [12, slide_z[0] + 7]];
    flange = [slide_z[0] + 1, slide_z[0] + 13];
    depth = usb_pad_thickness - usb_pad_proud;
    difference() {
        union() {
            along_y([-nose_half, nose_half]) rectangle([-sled.x / 2, sled.x / 2], [lift, flange[1]]);
            along_y([nose_half - 5, nose_half]) rectangle([-17, 17], flange);
            along_x([-sled.x / 2, sled.x / 2]) polygon([[-sled.y / 2, lift], [sled.y / 2, lift], [sled.y / 2, lift + 5], [nose_half, lift + 12], [-nose_half, lift + 12], [-sled.y / 2, lift + 5]]);
        }
        block([-usb_pad.x / 2, usb_pad.x / 2], [-usb_pad.y / 2, usb_pad.y / 2], [lift - 1, lift + depth]);
        block([-2, 2], [-2, 2], [lift, lift + hose + 2]);
        along_y([-nose_half - 1, 2]) translate([0, lift + hose]) circle(d = m5_tap);
        for (at = screws) along_y([nose_half - 6, nose_half + 1]) translate(at) circle(d = m3);
    }
}
function usb_lead_x() = usb_lead_in.x;
function usb_guide_top() = usb_guide_z[1];
module usb_stick() {
    block([-stick.x / 2, stick.x / 2], [-stick.y / 2, stick.y / 2], [lift - sled_length + plug.z, lift - sled_top]);
    block([-plug.x / 2, plug.x / 2], [-plug.y / 2, plug.y / 2], [lift - sled_length, lift - sled_length + plug.z + 1]);
}
