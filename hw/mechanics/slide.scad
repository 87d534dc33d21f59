// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that move along Z: the slide, and the nose with the cup. Drawn at Z = 0, retracted.
include <shapes.scad>
use <carriage.scad>

nose_screws = [[-12, slide_z[0] + 7], [12, slide_z[0] + 7]];
nose_flange = [[-17, 17], [slide_z[0] + 1, slide_z[0] + 13]];

module slide() {
    y = slide_y;
    difference() {
        union() {
            along_y(y) difference() {
                union() {
                    rectangle(slide_x, slide_z);
                    rectangle([0, z_belt_x + 5.5], z_clamp_z);
                }
                for (x = [-7.5, 7.5], z = [-5, 5]) translate([x, z_block_middle + z]) circle(d = m3);
                for (at = nose_screws) translate(at) circle(d = m3);
            }
            // Lug between the stops of Z.
            block([-20, -13], [y[0], carriage_y[0] - 3], lug_z);
            // Flag of Z: its upper edge passes the light at Z = 0.
            block([-31, -19], [y[0], y[0] + 3], [z_fork_z() - mm(z_flag_width) - 3, z_fork_z() + 3]);
            block([z_fork_x() - 0.8, z_fork_x() + 0.8], [y[0], carriage_y[0] - 4.5], [z_fork_z() - mm(z_flag_width), z_fork_z()]);
            // Plate for the solenoid of the jaw.
            along_y([y[0], y[0] + 4]) difference() {
                rectangle([slide_x[1] - 1, solenoid_x()[1]], [lift + jaw_arm - solenoid.z / 2, lift + jaw_arm + solenoid.z / 2]);
                for (dx = [-10, 10]) translate([(solenoid_x()[0] + solenoid_x()[1]) / 2 + dx, lift + jaw_arm]) circle(d = m3);
            }
            // Clamp of the belt, open towards the carriage.
            along_y([y[1] - 0.2, carriage_y[0] - 1.6]) difference() {
                rectangle([z_belt_x - 3.2, z_belt_x + 5.5], z_clamp_z);
                translate([z_belt_x, (z_clamp_z[0] + z_clamp_z[1]) / 2]) rotate(90) belt_groove(44);
            }
        }
        along_x([-21, -12]) translate([17.5, 154]) circle(d = m3_tap); // end of the spring's band
        for (at = nose_screws) along_y([y[1] - m3_nut[1], y[1] + 1]) translate(at) circle(d = m3_nut[0], $fn = 6);
    }
}
function z_fork_x() = -29;
function z_fork_z() = 145;

/// Where the nose takes a card: from the middle of the card along X.
channel = card.x + channel_slack;
back = channel / 2 + (pad_thickness - pad_proud) + duct + min_wall; // outer face of the wall with the cup, on the left
front = channel / 2 + finger;                                       // outer face of the closed jaw, on the right
function jaw_below() = jaw_hinge.y + pad_top + pad[1] / 2;          // lever from the hinge down to the middle of the pad
function jaw_above() = jaw_arm - jaw_hinge.y;                       // and up to the solenoid
function jaw_mouth() = jaw_opens * (jaw_hinge.y + grip_depth) / jaw_below(); // opening at the mouth of the nose
function nose_left() = -back;
function nose_right() = front + jaw_mouth();                        // of the open jaw
nose_face = 3;                  // right face of the nose, beside the arm of the jaw
jaw_inside = 5.6;               // left face of the arm
jaw_knuckle = [-nose_half, -2.9]; // Y: the rest beside the hinge is the lug of the nose
lug_radius = 3.2;
// The jaw without a card rests with its finger at the end of the nose's roof.
roof_end = channel / 2 - jaw_rest * jaw_hinge.y / jaw_below();

module nose() {
    hinge = [jaw_hinge.x, lift + jaw_hinge.y];
    difference() {
        union() {
            along_y([-nose_half, nose_half]) polygon([
                [nose_face, nose_flange[1][1]], [-back, nose_flange[1][1]], [-back, lift - grip_depth],
                [-channel / 2 - flare, lift - grip_depth], [-channel / 2, lift - grip_depth + flare],
                [-channel / 2, lift], [roof_end, lift], [roof_end, lift + 1], [nose_face, lift + 7]]);
            along_y([nose_half - 5, nose_half]) rectangle(nose_flange[0], nose_flange[1]);
            along_y([jaw_knuckle[1] + 0.4, nose_half]) hull() {
                translate(hinge) circle(r = lug_radius);
                rectangle([0, nose_face], [hinge.y - lug_radius, hinge.y + lug_radius]);
            }
        }
        along_y([-nose_half - 1, nose_half + 1]) translate(hinge) circle(d = m3_tap);
        // Seat of the spring that closes the jaw.
        along_x([nose_face - 5, nose_face + 1]) translate([0, lift + jaw_spring_z]) circle(d = 5.2);
        // Seat of the pad, and the duct behind it up to the hose.
        depth = pad_thickness - pad_proud;
        block([-channel / 2 - depth, -channel / 2 + 0.1], [-pad[0] / 2, pad[0] / 2], [lift - pad_top - pad[1], lift - pad_top]);
        seat = -channel / 2 - depth;
        along_z([lift - pad_top - pad[1] + 2, lift - pad_top]) duct_profile(seat, 0.1);
        along_z([lift - pad_top - 1, lift + hose + 1]) duct_profile(seat, 0);
        along_y([-nose_half - 1, 3]) translate([-1.5, lift + hose]) circle(d = m5_tap);
        for (at = nose_screws) along_y([nose_half - 6, nose_half + 1]) translate(at) circle(d = m3);
    }
}
/// Its end is a roof that prints without support. XY.
module duct_profile(right, beyond) {
    polygon([[right - duct, 4], [right + beyond, 4], [right + beyond, -4], [right, -4], [right - duct, -4 + duct]]);
}
module nose_pad() {
    x = -channel / 2 - (pad_thickness - pad_proud);
    along_x([x, x + pad_thickness]) difference() {
        translate([0, lift - pad_top - pad[1] / 2]) square(pad, center = true);
        translate([0, lift - pad_top - pad[1] / 2]) square([pad[0] - 2 * pad_ring, pad[1] - 2 * pad_ring], center = true);
    }
}
/// The wall on the right of the card. Its hinge turns on an M3 screw in the lug of the nose.
module jaw() {
    hinge = [jaw_hinge.x, lift + jaw_hinge.y];
    translate([hinge.x, 0, hinge.y]) rotate([0, jaw_angle, 0]) translate([-hinge.x, 0, -hinge.y]) difference() {
        union() {
            along_y([-nose_half, nose_half])
                polygon([[channel / 2, lift - grip_depth], [front, lift - grip_depth], [front, lift + 1], [jaw_inside + 2.4, lift + 8],
                         [jaw_inside, lift + 8], [channel / 2, lift + 1]]);
            // Beside the flange of the nose.
            along_y([-nose_half, nose_half - 5.6]) rectangle([jaw_inside, jaw_inside + 3], [hinge.y + lug_radius + 1.6, lift + jaw_arm + 4]);
            along_y(jaw_knuckle) hull() {
                translate(hinge) circle(r = lug_radius);
                rectangle([jaw_inside, jaw_inside + 3], [lift + 7, hinge.y + lug_radius + 3]);
            }
        }
        along_y([-nose_half - 1, nose_half + 1]) translate(hinge) circle(d = m3);
    }
}
module jaw_axle() {
    along_y([-nose_half - 2, nose_half - 1.5]) translate([jaw_hinge.x, lift + jaw_hinge.y]) circle(d = m3_tap - 0.1);
}
function solenoid_x() = [jaw_inside + 3 + 4, jaw_inside + 7 + solenoid.x];
module jaw_solenoid() {
    z = lift + jaw_arm;
    block(solenoid_x(), [slide_y[0] - solenoid.y, slide_y[0]], [z - solenoid.z / 2, z + solenoid.z / 2]);
    along_x([jaw_inside + 3.2, solenoid_x()[0] + 1]) translate([slide_y[0] - solenoid.y / 2, z]) circle(d = 3);
}
module held_card() {
    x = card.x / 2;
    block([-x, x], [-card.y / 2, card.y / 2], [lift - card.z, lift]);
}
