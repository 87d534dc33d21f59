// SPDX-License-Identifier: GPL-3.0-or-later
// Four drawers (pass, fail, retest, unknown) on a base with their teeth of the comb.
include <shapes.scad>

bins_screws = [for (x = bin_x) x];

module bins_base() {
    difference() {
        along_z([0, 6]) difference() {
            rectangle(bins_x, [-foot_y, foot_y]);
            for (x = bins_screws, side = [-1, 1]) translate([x, side * beam_y]) slot(m5, 6);
            // Nothing lies on the middle.
            for (i = [0:3]) rectangle([drawer_x(i)[0] + 4, drawer_x(i)[1] - 4], [-24, 24]);
        }
        for (x = bins_screws) translate([0, 0, 3]) along_z([0, 4]) translate([x, -beam_y]) slot(m5_head, 6);
    }
    // Fences between the drawers, and a stop behind them.
    for (i = [0:2]) block([drawer_x(i)[1] + 0.15, drawer_x(i + 1)[0] - 0.15], [-foot_y, drawer_y[1]], [5, 13]);
    comb(bins_x, bin_x, bins_screws);
    for (x = [bins_x[0], bins_x[1] - 3]) block([x, x + 3], [drawer_y[1] + 0.5, comb_y - 1], [0, comb_base - 4]);
}

module drawer(i) {
    x = drawer_x(i);
    inside = [x[0] + drawer_wall, x[1] - drawer_wall];
    difference() {
        block(x, drawer_y, drawer_z);
        along_x(inside) polygon([
            [drawer_y[0] + drawer_wall, slope[1]], [drawer_y[1] - drawer_wall, slope[0]],
            [drawer_y[1] - drawer_wall, drawer_z[1] + 1], [drawer_y[0] + drawer_wall, drawer_z[1] + 1]]);
    }
    // A grip whose underside prints without support.
    along_x([bin_x[i] - 7, bin_x[i] + 7]) polygon([
        [drawer_y[0] + 1, 30], [drawer_y[0] - 9, 42], [drawer_y[0] - 9, 45], [drawer_y[0] + 1, 45]]);
}
