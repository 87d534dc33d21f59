// SPDX-License-Identifier: GPL-3.0-or-later
// Half a magazine: 15 pockets between two slotted rails, and their teeth of the comb. The middle is open for the nose.
include <shapes.scad>

magazine_x = [pocket_x[0] - mm(x_pocket_pitch) / 2 + gap, pocket_x[half_magazine - 1] + mm(x_pocket_pitch) / 2 - gap];
magazine_screws = [magazine_x[0] + 12, magazine_x[1] - 12];

module half_magazine() {
    places = [for (i = [0:half_magazine - 1]) pocket_x[i]];
    body(magazine_x, places, pocket_floor, magazine_screws);
}

/// A row of pockets of cards whose lower edge stands at `floor`.
module body(span, places, floor, screws) {
    both_sides() foot_plate(span, rail_outside - 1, screws);
    along_x(span) difference() {
        translate([-rail_outside, 0]) square([2 * rail_outside, floor]);
        // A tunnel with a roof of 45 degrees needs no support.
        polygon([[-12, foot], [12, foot], [12, floor - 17], [0, floor - 5], [-12, floor - 17]]);
    }
    difference() {
        both_sides() along_x(span) rail_wall(floor - 1);
        tab_reliefs(places, floor);
    }
    both_sides() {
        along_y([rail_inside, card.y / 2 + slot_play + 0.3]) rail_fins(span, places, floor);
    }
    comb(span, places, screws);
    for (x = [span[0], span[1] - 3]) block([x, x + 3], [rail_outside - 1, comb_y - 1], [0, comb_base - 4]);
}
