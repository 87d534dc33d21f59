// SPDX-License-Identifier: GPL-3.0-or-later
// A bank of four readers: the bank with its comb, a guide over each reader, a cradle around each.
include <shapes.scad>

// Its left end is cut back: there the magazine ends.
bank_x = [port_x[0] - reader_cell.x / 2 - 1.3, port_x[bank - 1] + mm(x_port_pitch) / 2 - gap];
bank_screws = [bank_x[0] + 15, bank_x[1] - 15];
bank_inside = reader_cell.y / 2;
bank_wall = 6;
guide_screw = [9.2, bank_inside + 2.8];
guide_z = [mouth + 0.5, mouth + 4.5];
cradle_screws = [[-9.25, 18], [9.25, 9]];
cradle_tap = 2.5;               // its wall is thin here

module reader_bank() {
    places = [for (i = [0:bank - 1]) port_x[i]];
    both_sides() foot_plate(bank_x, bank_inside, bank_screws);
    // Wall at the back, where the screws of the guides go.
    difference() {
        block(bank_x, [bank_inside, bank_inside + bank_wall], [0, guide_z[0]]);
        guide_holes(places);
    }
    difference() {
        block(bank_x, [-bank_inside - bank_wall, -bank_inside], [0, guide_z[0]]);
        guide_holes(places);
        // Slots by which a cradle is set to its height.
        along_y([-bank_inside - bank_wall - 1, -bank_inside + 1]) for (x = places, at = cradle_screws)
            translate([x + at.x, at.y]) upright_slot(m3, 4);
    }
    wall = mm(x_port_pitch) - reader_cell.x;
    for (i = [0:bank]) {
        x = port_x[0] + (i - 0.5) * mm(x_port_pitch);
        block([max(x - wall / 2, bank_x[0]), min(x + wall / 2, bank_x[1])], [-bank_inside - 1, comb_y - 1], [0, guide_z[0]]);
    }
    comb(bank_x, places, bank_screws);
}
module guide_holes(places) {
    along_z([guide_z[0] - 12, guide_z[0] + 1]) for (x = places, dx = [-1, 1], side = [-1, 1])
        translate([x + dx * guide_screw.x, side * guide_screw.y]) circle(d = m3_tap);
}

/// Leads a card by its edges into the reader below. Its screws have play, so that it can be set to its tooth.
module slot_guide() {
    x = port_x[0];
    half = card.x / 2 + slot_play;
    post = [x - half - guide_lead_in - 1.6, x + half + guide_lead_in + 1.6];
    edge = card.y / 2 + slot_play;
    difference() {
        union() {
            along_z(guide_z) difference() {
                rectangle([x - 12.5, x + 12.5], [-bank_inside - bank_wall, bank_inside + bank_wall]);
                rectangle([x - 7.4, x + 6.6], [-rail_inside, rail_inside]);
                rectangle([x - half, x + half], [-edge, edge]);
                for (dx = [-1, 1], side = [-1, 1]) translate([x + dx * guide_screw.x, side * guide_screw.y]) circle(d = m3 + 2 * align_guide);
            }
            both_sides() {
                along_x(post) rail_wall(guide_z[0] + 1);
                along_y([rail_inside, edge + 0.3]) intersection() {
                    rail_fins(post, [x], guide_z[0] - 1, guide_lead_in);
                    rectangle(post, [guide_z[0] + 1, tops]);
                }
            }
        }
        tab_reliefs([x], guide_z[0] - 1);
    }
}

/// Holds one reader in its cell, its mouth at `mouth`. Made for the body of that reader.
module cradle() {
    x = port_x[0] - reader_slot.x;
    outer = [reader_cell.x / 2 - 0.3, reader_cell.y / 2 - 0.3];
    hole = [reader.x / 2 + 0.3, reader.y / 2 + 0.3];
    bottom = mouth - reader.z;
    middle = [x, -reader_slot.y];
    difference() {
        block([port_x[0] - outer.x, port_x[0] + outer.x], [-outer.y, outer.y], [bottom - 3, guide_z[0] - 3]);
        translate([middle.x, middle.y, 0]) {
            block([-hole.x, hole.x], [-hole.y, hole.y], [bottom, guide_z[0]]);
            block([-hole.x + 2, hole.x - 2], [-hole.y + 4, hole.y - 4], [bottom - 4, bottom + 1]); // the cable
        }
        cradle_holes(outer.y);
    }
}
module cradle_holes(outside) {
    along_y([-outside - 1, -outside + 6.5]) for (at = cradle_screws) translate([port_x[0] + at.x, at.y]) circle(d = cradle_tap);
}
function guide_screw() = guide_screw;
function cradle_screw_left() = cradle_screws[1].x - cradle_tap / 2;
function bank_left() = bank_x[0];
module reader_body() {
    difference() {
        reader_case();
        x = port_x[0];
        block([x - card.x / 2 - 0.15, x + card.x / 2 + 0.15], [-card.y / 2 - 0.15, card.y / 2 + 0.15], [mouth - card.z + standout - 0.1, mouth + 1]);
    }
}
module reader_case() {
    block([port_x[0] - reader_slot.x - reader.x / 2, port_x[0] - reader_slot.x + reader.x / 2],
          [-reader_slot.y - reader.y / 2, -reader_slot.y + reader.y / 2], [mouth - reader.z, mouth]);
}
