// SPDX-License-Identifier: GPL-3.0-or-later
// Fits that must hold for any parameters. Each row adds the errors of all parts in its chain: their sum is the worst
// case, the root of their squares is the expected case. A row that does not hold ends the program.
include <parameters.scad>
use <slide.scad>
use <readers.scad>

function total(list, i = 0) = i < len(list) ? list[i] + total(list, i + 1) : 0;
function root_of_squares(list) = sqrt(total([for (e = list) e * e]));
function figure(value) = round(value * 100) / 100;

/// Checks what is left of `room` after its errors: at least `least` in the worst case, and `reserve` more in the
/// expected case.
module fits(name, room, errors, least = 0, reserve = 0.15) {
    worst = room - total(errors);
    likely = room - root_of_squares(errors);
    echo(fit = name, room = figure(room), worst = figure(worst), likely = figure(likely), least = least);
    assert(worst >= least - 1e-6, str("fit: ", name, ": in the worst case ", figure(worst), " are left, at least ", least, " are needed"));
    assert(likely >= least + reserve - 1e-6,
           str("fit: ", name, ": by the root of squares ", figure(likely), " are left, at least ", least + reserve, " are needed"));
}
module holds(name, value, least) {
    echo(fit = name, value = figure(value), least = figure(least));
    assert(value >= least - 1e-6, str("fit: ", name, ": ", figure(value), " is less than ", figure(least)));
}

module check_cards() {
    t = print_tolerance;
    half_t = t / 2;
    card_play = slot_play + half_t + card_tolerance.x / 2;
    // A card leans in its pocket by its play over what the rails hold of it.
    lean = card_play * card.z / (tops - lead_in.z - pocket_floor);
    fits("card in a slot, along X", 2 * slot_play, [t, card_tolerance.x], reserve = 0.1);
    fits("card in a slot, along Y", 2 * slot_play, [t, card_tolerance.y]);
    holds("play of a card in a slot, each side, is not too much", 0.4 - slot_play, 0);
    fits("rails hold a card by its edges", card.y / 2 - rail_inside, [slot_play, half_t, card_tolerance.y / 2], 0.8);
    fits("nose between the rails", rail_inside - nose_half, [align_y, half_t, half_t], 0.2);
    fits("closed channel of the nose takes a card", channel_slack, [t, card_tolerance.x], 0, 0.1);
    fits("pad is pressed by a card", pad_proud - channel_slack, [t, card_tolerance.x], 0, 0.1);
    fits("pad is not crushed", pad_thickness * 0.45 - (pad_proud - channel_slack), [t, card_tolerance.x], 0, 0.1);
    errors = [stop_error, half_t, fork_error];
    fits("nose finds a card in its pocket", channel_slack / 2 + min(flare, jaw_mouth()), concat(errors, [lean]), 0);
    holds("nose finds a card as far beside as the plant says", channel_slack / 2 + min(flare, jaw_mouth()), mm(cup_reach));
    pitch = mm(x_pocket_pitch);
    fits("nose beside the card of the next pocket, left", pitch - card.x / 2 + nose_left(), concat(errors, [lean]), 0);
    fits("nose beside the card of the next pocket, right", pitch - card.x / 2 - nose_right(), concat(errors, [lean]), 0);
    // A held card lies on the finger of the nose; its lower edge follows the finger's squareness.
    swing = finger_error * card.z / grip_depth;
    mouth_x = slot_play + lead_in.x;
    fits("held card meets the mouth of a slot", mouth_x, concat(errors, [swing, channel_slack / 2]), 0);
    fits("held card meets the mouth of a guide", slot_play + guide_lead_in, concat(errors, [swing, channel_slack / 2, align_guide]), 0, 0.3);
    fits("held card meets the mouth of a slot, along Y", slot_play + lead_in.y, [align_y, half_t, card_tolerance.y, slot_play], 0);
    holds("card goes in as far beside as the plant says", mouth_x - swing, mm(slot_tolerance));
    holds("wall between two mouths", pitch - card.x - 2 * mouth_x, min_wall);

    // Heights. Homing lowers Z by an eighth of the travel, with or without a card on the cup.
    fits("held card above what stands", lift - card.z - mm(z_travel) / 8 - tops, [t, card_tolerance.z, align_z()], 0.5);
    fits("held card above standing cards", lift - card.z - mm(z_travel) / 8 - (pocket_floor + card.z), [half_t, card_tolerance.z], 0.2);
    fits("nose above a reader", shoulder(z_port) - grip_depth - mouth, [t, align_z()], 0.2);
    fits("slide above what stands, at its lower stop", slide_z[0] - mm(z_highest) - tops, [t, align_z()], 1);
    fits("carriage above what stands", carriage_z[0] - tops, [t, align_z()], 1);
    fits("fork above the comb's wall", fork_legs - comb_base, [t, align_z()], 1);
    fits("tooth below the ground of the fork", fork_legs + fork_depth - comb_top, [t, align_z()], 0.2);
    fits("tooth beyond the light of the fork", comb_top - fork_legs - fork_axis, [t, align_z()], 1);
    fits("tooth between the legs of the fork", (fork_gap - tooth_thickness) / 2, [align_y, half_t], 0.1);
    fits("card-detect closes while the nose still pushes", mm(contact_depth), [t, align_z()], 0.5);
    holds("bins: a card is let go below their edge", card.z + mm(z_bin) - (lift - tops), 5);
}
function align_z() = 0.4; // of a module's height against the nose: feet on the beams, rails on the gantry

module check_drive() {
    force = vacuum * 1e-3 * (pad[0] - 2 * pad_ring) * (pad[1] - 2 * pad_ring) * friction;
    holds("N: cup pulls a card out of a reader, with half as much again", force, 1.5 * reader_pull);
    holds("N: cup pulls a card off the nest's pins, with a quarter more", force, 1.25 * 2 * nest_pins * pin_force * pin_friction);
    push = motor_torque / (pulley_radius * 1e-3) - spring_force;
    holds("N: motor of Z pushes a card in, with half as much again", push, 1.5 * reader_push);
    holds("spring lifts Z without current, against the motor's detent", spring_force,
          1.5 * slide_mass * 9.81 + detent_torque / (pulley_radius * 1e-3) + slide_drag);
    holds("N: motor holds Z down on the nest's pins with its current at rest",
          motor_torque * standstill / (pulley_radius * 1e-3), spring_force + nest_pins * pin_force);
    holds("X rail carries the block from stop to stop", x_rail[1] - x_rail[0], mm(x_highest - x_lowest) + x_block.x + 2);
    holds("X block stays on its rail, left", mm(x_lowest) - x_block.x / 2 - x_rail[0], 1);
    holds("X block stays on its rail, right", x_rail[1] - mm(x_highest) - x_block.x / 2, 1);
    holds("Z block stays on its rail, above", z_rail[1] - z_block_middle + mm(z_lowest) - z_block.x / 2, 0.75);
    holds("Z block stays on its rail, below", z_block_middle - mm(z_highest) - z_block.x / 2 - z_rail[0], 0.5);
    holds("stops of Z leave its travel", z_highest - z_travel, 1);
    holds("upper stop of Z is within an eighth of its travel", z_travel / 8 + z_lowest, 0);
    holds("stops of X leave its travel", x_highest - x_travel, 1);
    holds("flag of Z is covered up to the stop", z_flag_width + z_lowest, 0);
    holds("flag of X is covered up to the stop", x_flag_width + x_lowest, 0);
    holds("carriage clears the pulley of X", carriage_x[0] + mm(x_lowest) - x_pulley.x - pulley_radius, 2);
    holds("slide clears the pulley of Z", z_pulley.y - 3 - pulley_radius - 1 - slide_z[1] + mm(z_lowest), 1);
}

module check_modules() {
    pitch = mm(x_pocket_pitch);
    holds("pockets halve", pockets % 2 == 0 && ports % 2 == 0 ? 1 : 0, 1);
    half_slot = card.x / 2 + slot_play;
    holds("end of half a magazine beside its last mouth", pitch / 2 - gap - half_slot - lead_in.x, min_wall);
    holds("magazine ends before the banks", bank_left() - pocket_x[pockets - 1] - pitch / 2 + gap, 0.2);
    holds("banks end before the bins", bins_x[0] - port_x[ports - 1] - mm(x_port_pitch) / 2, 0);
    for (i = [0:3]) fits(str("held card falls into bin ", i), min(bin_x[i] - drawer_x(i)[0], drawer_x(i)[1] - bin_x[i]) - drawer_wall - card.x / 2,
                         [stop_error, fork_error, print_tolerance, finger_error * card.z / grip_depth], 2);
    for (i = [0:3]) {
        inside = (drawer_x(i)[1] - drawer_x(i)[0] - 2 * drawer_wall) * (drawer_y[1] - drawer_y[0] - 2 * drawer_wall) * (drawer_z[1] - (slope[0] + slope[1]) / 2);
        // Cards that fell lie loosely: they fill about half of the room.
        holds(str("bin ", i, " takes a whole magazine"), 0.5 * inside, pockets * card.x * card.y * card.z);
    }
    holds("bins end before the nest", nest_span[0] - bins_x[1], 0.2);
    holds("nose clears the bins at the nest", nest_x + nose_left() - stop_error - fork_error - bins_x[1], 0.5);
    holds("teeth are told apart", pitch - 2 * mm(x_comb + 2 * home_tolerance), 0.5);
    holds("base beams carry all modules", base_x[1] - nest_span[1], 0);
    holds("cradle has walls beside its screws, towards the reader", cradle_screw_left() - reader.x / 2 - 0.3, min_wall);
    holds("reader fits its cell, along Y", reader_cell.y - reader.y, 5);
}

module check_jaw() {
    t = print_tolerance;
    ring = pad[0] * pad[1] - (pad[0] - 2 * pad_ring) * (pad[1] - 2 * pad_ring);
    squeeze = sponge_kpa * 1e-3 * ring * (pad_proud - channel_slack) / pad_thickness / 0.25;
    fits("closed jaw presses the thinnest card", jaw_rest - channel_slack, [t, card_tolerance.x], 0, 0.1);
    fits("closed jaw without a card leaves the cup open", card.x + channel_slack - jaw_rest - pad_proud, [t], 0.3);
    fits("open jaw takes its pressure off a card", channel_slack + jaw_opens - pad_proud, [t, card_tolerance.x, slot_play], 0.2);
    fits("open jaw beside the arm's end of its way", 3.2, [jaw_opens * jaw_above() / jaw_below(), t], 0.3);
    holds("N: jaw presses the pad tight", jaw_spring, squeeze);
    holds("N: jaw holds a card without vacuum, five times its weight", 2 * 0.3 * jaw_spring, 5 * 0.02);
    holds("N: solenoid opens the jaw, with half as much again",
          solenoid_push * jaw_above() / jaw_below(), 1.5 * jaw_spring * (jaw_spring_z - jaw_hinge.y) / jaw_below());
    holds("stroke of the solenoid", 4, (jaw_opens + jaw_rest) * jaw_above() / jaw_below());
    holds("hinge above standing cards", lift - mm(z_pocket) + jaw_hinge.y - 3.2, pocket_floor + card.z + 1);
    holds("hinge above the guides", shoulder(z_port) + jaw_hinge.y - 3.2, tops + 1);
    holds("lands beside the relief of the write protection carry a card", (card.x - tab_relief.x) / 2 - slot_play, 0.1);
    holds("wall behind the relief", rail_outside - card.y / 2 - slot_play - tab_relief.y, min_wall);
}

module check_all() {
    check_cards();
    check_drive();
    check_modules();
    check_jaw();
}
