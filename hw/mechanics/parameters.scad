// SPDX-License-Identifier: GPL-3.0-or-later
// Dimensions of media, of printing and of bought parts, and values computed from them. Millimetres, newtons,
// kilopascals. X: along the row of places, 0 where the home flag opens. Y: away from the person, 0 in the middle of a
// card. Z: up, 0 on top of the base beams. The firmware's Z counts down from `lift`.
include <geometry.scad>

function mm(steps) = steps / steps_per_mm;
$fn = 24;

// ---- media ---------------------------------------------------------------------------------------------------------
card = [2.1, 24, 32];           // SD: thickness, width, length. A microSD card travels in an adapter of this outline
card_tolerance = [0.15, 0.1, 0.1];
// Slider for write protection, in the edge of an SD card or an adapter. A wall that touches it would push it to "lock".
tab_relief = [1.2, 0.8];        // groove in each wall beside a card: along X, depth along Y

// ---- printing ------------------------------------------------------------------------------------------------------
bed = [220, 220, 250];
print_tolerance = 0.2;          // a printed length is off by at most this; calibrate the printer until it holds
min_wall = 1.2;                 // three lines of a 0.4 mm nozzle
max_overhang = 50;              // degrees from the vertical that print without support
max_bridge = 14;                // mm that print freely between two sides
max_lip = 1.2;                  // mm that print freely at one side

// ---- errors of assembly --------------------------------------------------------------------------------------------
stop_error = mm(x_comb - home_tolerance); // beside a place, where the firmware still lets Z go down
fork_error = 0.2;               // of the comb's fork against the middle of the nose, after adjustment
align_y = 0.5;                  // of a module against the nose, along Y
align_guide = 0.3;              // of a slot guide against its tooth, along X
slot_play = 0.3;                // beside a card in a slot, each side
depth_play = 0.5;               // below a card whose top edge the shoulder of the nose would just touch

// ---- heights -------------------------------------------------------------------------------------------------------
lift = 100;                     // shoulder of the nose, and so a held card's top edge, at the origin of Z
tops = 58;                      // of everything that stands below the carriage, but for the comb
function shoulder(steps) = lift - mm(steps);
pocket_floor = shoulder(z_pocket) - card.z - depth_play;
nest_floor = shoulder(z_nest) - card.z - depth_play;
standout = 13.5;                // of a card that is fully inserted, out of its reader
mouth = shoulder(z_port) - standout;

// ---- rails that guide a card by its edges --------------------------------------------------------------------------
rail_inside = 10.4;             // |y| where a rail begins
rail_outside = 16.4;
lead_in = [1.25, 1.5, 4];       // widening of a slot towards its mouth: along X and Y, over a height
guide_lead_in = 1.9;            // along X, where neighbours leave room
finger_error = print_tolerance / 2; // squareness of the nose's finger, over its length

// ---- nose and cup --------------------------------------------------------------------------------------------------
nose_half = 9;                  // |y|
// The wall on the right of the card is a jaw: a spring closes it, a solenoid opens it. Drawn with a card in it.
jaw_hinge = [7.1, 14];          // X, and Z above the shoulder
jaw_arm = 46;                   // Z above the shoulder where the solenoid pushes
jaw_spring_z = 34;              // Z above the shoulder of the spring
jaw_opens = 1.4;                // along X at the middle of the pad
jaw_rest = 0.9;                 // further closed without a card, at the middle of the pad
jaw_angle = 0;                  // degrees; drawn turned by so much
jaw_spring = 2.0;               // N, closing
solenoid_push = 2.0;            // N at its stroke
solenoid = [30, 16, 13];        // X, Y, Z
grip_depth = 12;                // of the channel, from the shoulder to the mouth of the nose
channel_slack = 0.45;           // channel minus card, along X
finger = 1.6;                   // thickness of the jaw
pad = [15.6, 9.5];                // ring of silicone sponge, outside: Y, Z
pad_ring = 1.5;
pad_thickness = 2;
pad_proud = 0.8;               // out of the wall of the channel
sponge_kpa = 35;               // at 25 % compression, the most: ASTM D1056 grade 2A1
duct = 1.6;
hose = 18;                      // above the shoulder
pad_top = 1.0;                  // below the shoulder
flare = 1.5;                    // of the mouth of the channel, at the left
vacuum = 50;                    // kPa that pump and seal hold, at the least
friction = 0.5;                 // silicone on a card's label
reader_pull = 1.2;              // N: the most that a reader may hold a card back with; measure each reader
nest_pins = 7;
pin_force = 0.5;                // N, of a sprung pin
pin_friction = 0.2;

// ---- drive ---------------------------------------------------------------------------------------------------------
phase_amps = 1.0;               // RMS, set by the drivers' VREF: hw/schematic/modules.py has the same
motor_rated = [0.42, 1.5];      // Nm with both phases at so many amperes
motor_torque = motor_rated[0] * phase_amps / motor_rated[1] * 0.9; // Nm at the speed of Z
standstill = 0.5;               // of the current that the drivers keep at rest (53 %, PDN at ground)
detent_torque = 0.022;          // Nm that the motor holds back without current, at the most
slide_drag = 0.5;               // N of rail and belt
pulley_radius = 40 * 2 / (2 * PI);
reader_push = 8;                // N: the most that a card may need to go in
slide_mass = 0.17;              // kg: slide, nose, jaw, solenoid, block, screws
spring_force = 5.0;             // N: constant-force spring that holds Z up without current

// ---- bought parts --------------------------------------------------------------------------------------------------
beam = 20;                      // 2020 profile, slots for M5
beam_y = 40;                    // middle of the base beams
base_x = [-60, 720];            // base beams lie between the cross members
leg = 80;
gantry_x = [-80, 740];
gantry_z = lift + 25;           // middle of the gantry beam and of its rail
gantry_face = 43;               // y
x_rail = [-50, 700];            // MGN12
x_block = [45.4, 27, 13];       // MGN12H: length, width, height over the face
z_rail = [69, 169];             // MGN9, 100 mm
z_block = [28.9, 20, 10];       // MGN9C
motor = 42.3;                   // NEMA17
motor_depth = 40;
belt = [6, 1.4];                // GT2: width, thickness
x_pulley = [-64, lift + 62];
z_pulley = [27, lift + 107];
idler_radius = 20 * 2 / (2 * PI);
fork = [6.3, 11.9, 10.8];       // slotted sensor: thickness, length across its gap, height
fork_gap = 3.1;
fork_depth = 7.5;               // of the gap
fork_axis = 2.6;                // of the light, from the end of the legs
tooth_thickness = 1.4;
m3 = 3.4;
m3_tap = 2.8;                   // M3 cuts its own thread
m3_head = 6.2;
m3_nut = [6.5, 2.6];            // over the corners, depth
m5 = 5.4;
m5_tap = 4.2;
m5_head = 9.6;

// ---- comb ----------------------------------------------------------------------------------------------------------
comb_y = 37;
comb_base = 54;
comb_top = 64;
fork_legs = 58;                 // lower end of the fork that looks at it
arm_z = fork_legs + fork.z;     // shelf above the fork, whose left edge is the flag of X
home_fork_z = arm_z + 0.8;

// ---- carriage and slide --------------------------------------------------------------------------------------------
carriage_y = [24, 30];
carriage_x = [-38, 50];
carriage_z = [lift - 38, lift + 129];
slide_y = [9, 14];
slide_x = [-20, 17.5];         // but for the clamp: its lower end passes the idler
slide_z = [lift + 26, lift + 76];
z_block_middle = lift + 48;
lug_z = [138, 160];             // on the slide, between the stops of Z
z_belt_x = z_pulley.x - pulley_radius; // the run that the slide holds
z_clamp_z = [lift + 45.5, slide_z[1] - 2]; // on the slide
z_idler = [z_belt_x + idler_radius, lift - 26];
x_belt_z = x_pulley.y - pulley_radius; // the run that the carriage holds
belt_y = 34;

// ---- modules on the base -------------------------------------------------------------------------------------------
pocket_x = [for (i = [0:pockets - 1]) mm(x_first_pocket + i * x_pocket_pitch)];
port_x = [for (i = [0:ports - 1]) mm(x_first_port + i * x_port_pitch)];
bin_x = [mm(x_bin_pass), mm(x_bin_fail), mm(x_bin_retest), mm(x_bin_unknown)];
nest_x = mm(x_nest);
half_magazine = pockets / 2;
bank = ports / 2;
magazine_span = half_magazine * mm(x_pocket_pitch); // of half a magazine
bank_span = bank * mm(x_port_pitch);
reader_cell = [24, 50];         // between the ribs of a bank
reader = [13, 40, 60];          // body of a reader, mouth up; measure yours
reader_slot = [0, 0];           // middle of its slot from the middle of its body
foot = 5;                       // thickness of what is screwed to the beams
foot_y = 50;
gap = 0.2;                      // between neighbouring modules, each side

bins_x = [485.2, 631.5];
drawer_wall = 1.6;
slope = [26, 8];                // of a drawer's floor: height at the back, at the front
drawer_z = [6.5, 57.5];
drawer_y = [-64, 30];
/// Outer left and right edge of each drawer.
function drawer_x(i) = [i == 0 ? bins_x[0] + 0.6 : (bin_x[i - 1] + bin_x[i]) / 2 + 0.8,
                        i == 3 ? bins_x[1] - 0.6 : (bin_x[i] + bin_x[i + 1]) / 2 - 0.8];
nest_span = [631.8, 674];
contact_height = 4;             // middle of an SD card's contacts above its lower edge
contact_pitch = 2.5;
contact_1_y = -7.1;             // contact 1 (DAT3); taken as if the row stood in the middle: check with a card

// ---- enclosure -----------------------------------------------------------------------------------------------------
room_x = [-100, 760];           // inside of the panels
room_y = [-120, 110];
room_z = [-beam - leg, 260];
panel = 3;
