// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes that several parts contain.
include <parameters.scad>

/// A profile in Y and Z, drawn out along X.
module along_x(span) { translate([span[0], 0, 0]) rotate([90, 0, 90]) linear_extrude(span[1] - span[0]) children(); }
/// A profile in X and Z, drawn out along Y.
module along_y(span) { translate([0, span[1], 0]) rotate([90, 0, 0]) linear_extrude(span[1] - span[0]) children(); }
module along_z(span) { translate([0, 0, span[0]]) linear_extrude(span[1] - span[0]) children(); }
module rectangle(x, y) { translate([x[0], y[0]]) square([x[1] - x[0], y[1] - y[0]]); }
module block(x, y, z) { along_z(z) rectangle(x, y); }
/// A slot for a screw: a hole that is `longer` along the first axis of its plane.
module slot(diameter, longer) {
    hull() for (side = [-1, 1]) translate([side * longer / 2, 0]) circle(d = diameter);
}
module upright_slot(diameter, longer) { rotate(90) slot(diameter, longer); }

/// The inner layer of a rail: what stands between the slots at `places`, from `floor` up. XZ.
module rail_fins(span, places, floor, widening = lead_in.x) {
    half = card.x / 2 + slot_play;
    difference() {
        rectangle(span, [floor - 2, tops]);
        for (x = places) translate([x, 0]) polygon([
            [-half, floor], [half, floor], [half, tops - lead_in.z], [half + widening, tops], [half + widening, tops + 1],
            [-half - widening, tops + 1], [-half - widening, tops], [-half, tops - lead_in.z]]);
    }
}
/// The outer layer of a rail, on the side of positive Y. YZ.
module rail_wall(bottom, width = card.y) {
    edge = width / 2 + slot_play;
    polygon([[edge, bottom], [edge, tops - lead_in.z], [edge + lead_in.y, tops], [edge + rail_outside - card.y / 2 - slot_play, tops],
             [edge + rail_outside - card.y / 2 - slot_play, bottom]]);
}
/// Grooves in the walls beside the cards at `places`, so that nothing pushes the slider of the write protection.
module tab_reliefs(places, bottom) {
    edge = card.y / 2 + slot_play;
    both_sides() for (x = places)
        block([x - tab_relief.x / 2, x + tab_relief.x / 2], [edge - 0.5, edge + tab_relief.y], [bottom, tops + 1]);
}
module both_sides() { children(); mirror([0, 1, 0]) children(); }

/// The comb of a module: a tooth at each place. `screws`: where its wall makes room for screw heads.
module comb(span, places, screws = []) {
    // Thin towards the screws, so that a key reaches them.
    along_y([comb_y - 1.5, comb_y + tooth_thickness / 2]) difference() {
        rectangle(span, [0, comb_base]);
        for (x = screws) translate([x, foot]) polygon([[-7, 0], [7, 0], [7, 8], [0, 15], [-7, 8]]);
    }
    along_y([comb_y - tooth_thickness / 2, comb_y + tooth_thickness / 2]) for (x = places)
        rectangle([x - mm(x_comb), x + mm(x_comb)], [comb_base - 1, comb_top]);
}
/// What is screwed to one base beam, with slots to shift a module along X. The side of positive Y.
module foot_plate(span, inside, screws) {
    along_z([0, foot]) difference() {
        rectangle(span, [inside, foot_y]);
        for (x = screws) translate([x, beam_y]) slot(m5, 6);
    }
}
/// A groove for an end of a GT2 belt, along the first axis: the belt and its teeth.
module belt_groove(length) {
    translate([-length / 2, -belt[1] / 2 + 0.1]) square([length, 0.9]);
    for (x = [-length / 2 : 2 : length / 2]) translate([x, 0.5]) circle(d = 1.2, $fn = 8);
    translate([-length / 2, 0]) square([length, 0.5]);
}
