// SPDX-License-Identifier: GPL-3.0-or-later
// All parts, where they stand, and how they are printed.
//   openscad -D 'part="nose"' -o nose.stl rig.scad      one part, as it lies on the bed (printed=false: as it stands in the rig)
//   openscad -D 'part="list"' -o list.echo rig.scad     checks all fits, and lists parts and panels
include <parameters.scad>
use <fits.scad>
use <magazine.scad>
use <readers.scad>
use <nest.scad>
use <bins.scad>
use <carriage.scad>
use <slide.scad>
use <frame.scad>
use <enclosure.scad>

part = "list";
printed = true;

front_down = [90, 0, 0];
back_down = [-90, 0, 0];
as_drawn = [0, 0, 0];
here = [[0, 0, 0]];
other_bank = [[0, 0, 0], [bank_span, 0, 0]];
each_port = [for (x = port_x) [x - port_x[0], 0, 0]];

// Name, what moves it, how it lies on the bed (OpenSCAD's rotation), where it stands.
printed_parts = [
    ["half_magazine", "frame", as_drawn, [[0, 0, 0], [magazine_span, 0, 0]]],
    ["reader_bank", "frame", as_drawn, other_bank],
    ["slot_guide", "frame", as_drawn, each_port],
    ["cradle", "frame", as_drawn, each_port],
    ["bins_base", "frame", as_drawn, here],
    ["drawer_pass", "frame", as_drawn, here],
    ["drawer_fail", "frame", as_drawn, here],
    ["drawer_retest", "frame", as_drawn, here],
    ["drawer_unknown", "frame", as_drawn, here],
    ["nest", "frame", as_drawn, here],
    ["pin_block", "frame", [0, -90, 0], here],
    ["motor_bracket", "frame", back_down, here],
    ["idler_bracket", "frame", back_down, here],
    ["x_home_bracket", "frame", [0, 90, 0], here],
    ["carriage", "carriage", back_down, here],
    ["fork_arm", "carriage", front_down, here],
    ["x_belt_clamp", "carriage", front_down, here],
    ["slide", "slide", front_down, here],
    ["nose", "slide", back_down, here],
    ["jaw", "slide", front_down, here],
    ["corner", "enclosure", as_drawn, here],
    ["edge_joint", "enclosure", as_drawn, here],
    ["hinge_leaf", "enclosure", as_drawn, here],
    ["door_switch_mount", "enclosure", as_drawn, here]];
copies = [["corner", 8], ["edge_joint", 12], ["hinge_leaf", 4], ["door_switch_mount", 1]];

bought_parts = [
    ["beams", "frame", here], ["x_rail", "frame", here], ["x_motor", "frame", here], ["x_idler", "frame", here],
    ["x_belt", "frame", here], ["home_fork", "frame", here], ["reader", "frame", each_port],
    ["x_block", "carriage", here], ["z_rail", "carriage", here], ["z_motor", "carriage", here], ["z_idler", "carriage", here],
    ["comb_fork", "carriage", here], ["spring", "carriage", here], ["z_fork", "carriage", here],
    ["z_block", "slide", here], ["barb", "slide", here], ["pad", "slide", here],
    ["solenoid", "slide", here], ["axle", "slide", here],
    ["card", "card", [for (x = pocket_x) [x, 0, -mm(z_pocket) - depth_play]]]];

module draw(name) {
    if (name == "half_magazine") half_magazine();
    if (name == "reader_bank") reader_bank();
    if (name == "slot_guide") slot_guide();
    if (name == "cradle") cradle();
    if (name == "bins_base") bins_base();
    if (name == "drawer_pass") drawer(0);
    if (name == "drawer_fail") drawer(1);
    if (name == "drawer_retest") drawer(2);
    if (name == "drawer_unknown") drawer(3);
    if (name == "nest") nest();
    if (name == "pin_block") pin_block();
    if (name == "motor_bracket") motor_bracket();
    if (name == "idler_bracket") idler_bracket();
    if (name == "x_home_bracket") x_home_bracket();
    if (name == "carriage") carriage();
    if (name == "fork_arm") fork_arm();
    if (name == "x_belt_clamp") x_belt_clamp();
    if (name == "slide") slide();
    if (name == "nose") nose();
    if (name == "jaw") jaw();
    if (name == "corner") corner();
    if (name == "edge_joint") edge_joint();
    if (name == "hinge_leaf") hinge_leaf();
    if (name == "door_switch_mount") door_switch_mount();
    if (name == "beams") beams();
    if (name == "x_rail") x_rail();
    if (name == "x_motor") x_motor();
    if (name == "x_idler") x_idler();
    if (name == "x_belt") x_belt();
    if (name == "home_fork") home_fork();
    if (name == "reader") reader_body();
    if (name == "x_block") x_carriage_block();
    if (name == "z_rail") z_rail();
    if (name == "z_motor") z_motor();
    if (name == "z_idler") z_idler();
    if (name == "comb_fork") comb_fork();
    if (name == "z_fork") z_fork();
    if (name == "spring") spring();
    if (name == "barb") barb();
    if (name == "z_block") z_slide_block();
    if (name == "pad") nose_pad();
    if (name == "card") held_card();
    if (name == "solenoid") jaw_solenoid();
    if (name == "axle") jaw_axle();
}

module list() {
    check_all();
    for (row = printed_parts) {
        counted = search([row[0]], copies)[0];
        echo(printed = row[0], moved_by = row[1], turn = row[2], at = row[3], count = is_num(counted) ? copies[counted][1] : len(row[3]));
    }
    for (row = bought_parts) echo(bought = row[0], moved_by = row[1], at = row[2]);
    inside = [room_x[1] - room_x[0], room_y[1] - room_y[0], room_z[1] - room_z[0]];
    for (row = [["floor and ceiling", inside.x + 2 * panel, inside.y + 2 * panel, 2], ["back", inside.x + 2 * panel, inside.z, 1],
                ["door (front)", inside.x + 2 * panel, inside.z, 1], ["left and right", inside.y, inside.z, 2]])
        echo(sheet = row[0], width = row[1], height = row[2], count = row[3]);
    echo(limits = [["bed", bed], ["min_wall", min_wall], ["max_overhang", max_overhang], ["max_bridge", max_bridge], ["max_lip", max_lip], ["room", [[room_x[0], room_y[0], room_z[0]], [room_x[1], room_y[1], room_z[1]]]], ["panel", panel]]);
    echo(stations = [["pocket", pocket_x, mm(z_pocket)], ["port", port_x, mm(z_port)], ["bin", bin_x, mm(z_bin)], ["nest", [nest_x], mm(z_nest)]],
         x_stops = [mm(x_lowest), mm(x_highest)], z_stops = [mm(z_lowest), mm(z_highest)], stop_error = stop_error, depth_play = depth_play);
}

if (part == "list") list();
else {
    rows = [for (row = printed_parts) if (row[0] == part) row];
    rotate(printed && len(rows) == 1 ? rows[0][2] : as_drawn) draw(part);
}
