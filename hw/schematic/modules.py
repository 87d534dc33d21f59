# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that are bought complete and wired to the board: supplies, readers, drivers, motors, sensors, switches."""

from schematic.discretes import pins
from schematic.netlist import Kind, PinKind

# These parts are sold under many names, so only their specification is fixed.
ANY = "generic"

SUPPLY_5V = Kind(
    "GST60A05-P1M",
    "Mean Well",
    "any certified desktop supply, 5 V 6 A, limited power source, 5.5 x 2.5 mm plug",
    "-",
    19.0,
    pins("1 PLUS power_out, 2 MINUS passive", PLUS={"amps": 6}),
    "5 V 6 A",
    "supply",
    rating=6.0,
    extra={"volts": 5.0, "hole_mm": 2.5},
)
SUPPLY_12V = Kind(
    "GST40A12-P1J",
    "Mean Well",
    "any certified desktop supply, 12 V 3 A or more, limited power source, 5.5 x 2.1 mm plug",
    "-",
    16.0,
    pins("1 PLUS power_out, 2 MINUS passive", PLUS={"amps": 5}),
    "12 V 3.3 A",
    "supply",
    rating=3.34,
    extra={"volts": 12.0, "hole_mm": 2.1},
)

# A reader takes 150 mA and its UHS-I card 400 mA: 0.55 A at 5 V, including the losses of the reader's converter.
READER_MA = 550
_READER = dict(VBUS={"draw": READER_MA, "max_volts": 5.5})
_READER_PINS = pins("1 VBUS power_in, 2 GND power_in, 3 CD open_drain, 4 CD_GND passive", **_READER)
READER_A = Kind(
    "TS-RDF5K",
    "Transcend",
    "any SD and microSD reader of USB 3 with a GL3224",
    "-",
    9.0,
    _READER_PINS,
    "USB 3 reader",
    extra={"detect": True, "farad": 10e-6},
)
READER_B = Kind(
    "SD and microSD reader, USB 3, RTS5306E",
    ANY,
    "any SD and microSD reader of USB 3 with an RTS5306E",
    "-",
    9.0,
    _READER_PINS,
    "USB 3 reader",
    extra={"detect": True, "farad": 10e-6},
)
HUB = Kind(
    "DUB-1340",
    "D-Link",
    "any hub of USB 3 with four ports and its own supply; a bus-powered one takes its current from the host's port",
    "-",
    27.0,
    {},
    "USB 3 hub, 4 ports, own supply",
)
EXTENSION = Kind(
    "USB 3 extension, A to A, 0.3 m",
    ANY,
    "any; SuperSpeed pairs must stay whole",
    "-",
    2.5,
    {},
    "USB 3 extension, VBUS conductor cut",
)
DETECT_WIRE = Kind(
    "XHP-4 with 4 SXH-001T-P0.6",
    "JST",
    "ready-made lead, XH 4 ways, 22 AWG",
    "-",
    0.35,
    {},
    "plug and contacts, 4 ways",
)
PLUG_2 = Kind(
    "XHP-2 with 2 SXH-001T-P0.6",
    "JST",
    "ready-made lead, XH 2 ways, 22 AWG",
    "-",
    0.25,
    {},
    "plug and contacts, 2 ways",
)
PLUG_3 = Kind(
    "XHP-3 with 3 SXH-001T-P0.6", "JST", "ready-made lead, XH 3 ways", "-", 0.30, {}, "plug and contacts, 3 ways"
)
PLUG_10 = Kind(
    "XHP-10 with 10 SXH-001T-P0.6", "JST", "ready-made lead, XH 10 ways", "-", 0.60, {}, "plug and contacts, 10 ways"
)
USB_CABLE = Kind("USB A to micro-B, 1 m", ANY, "any with data wires", "-", 2.0, {}, "USB cable of the Pico")
BOARD = Kind(
    "rig board, 2 layers, 35 um, 160 x 100 mm", ANY, "any maker of boards", "-", 10.0, {}, "circuit board (one of five)"
)
WIRE = Kind("0.34 mm² and 0.14 mm², 10 m in colours", ANY, "any, 22 AWG and 26 AWG", "-", 4.0, {}, "wire")

CONTACTS = {name: {"amps": 1} for name in ("VDD", "GND", "CLK", "CMD", "DAT0", "DAT1", "DAT2", "DAT3")}
_NEST = (
    "1 DAT3 passive, 2 CMD passive, 3 GND power_in, 4 VDD power_in, 5 CLK in, 6 GND2 power_in, 7 DAT0 io, 8 DAT1 passive,"
    "9 DAT2 passive, 10 CD open_drain"
)
# Current of a card during identification: the specification allows 100 mA until the speed of the card is changed.
_NEST_PINS = {
    n: PinKind(
        p.name,
        p.type,
        3.6,
        *((0.625 / 3.3, 0.7) if p.name == "CLK" else (None, None)),
        draw=100 if p.name == "VDD" else 0,
        amps=0.5
    )
    for n, p in pins(_NEST).items()
}
NEST_SOCKET = Kind(
    "DM1AA-SF-PEJ(82)",
    "Hirose",
    "any SD socket of the push-push kind with a detect switch to ground",
    "-",
    2.6,
    _NEST_PINS,
    "SD socket as identity nest",
    extra={"junction": 85},
)
# DAT1 and DAT2 are not needed in the 1-bit mode, and the width of a card has space for seven pins.
NEST_PINS = Kind(
    "P75-B1 with R75 sleeves",
    ANY,
    "any test probes of 1.02 mm with sleeves of 1.32 mm, 7 of them",
    "-",
    9.0,
    {n: p for n, p in _NEST_PINS.items() if p.name not in ("DAT1", "DAT2")},
    "7 sprung pins and a lever switch as identity nest",
)

# A driver on a carrier of 2 x 8 pins; DIAG is a separate pin, see below. Stand-alone: MS1 = MS2 = low is 1/8 step. At
# 1.0 A it has twice the force that holds the slide: hw/mechanics/parameters.scad computes the force with the same
# number.
PHASE_AMPS = 1.0
DRIVER = Kind(
    "TMC2209 v1.3",
    "BIGTREETECH",
    "FYSETC TMC2209, Watterott SilentStepStick TMC2209 (check the place of DIAG)",
    "Module:Pololu_Breakout-16_15.2x20.3mm",
    6.0,
    pins(
        "1 GND power_in, 2 VIO power_in, 3 M1B out, 4 M1A out, 5 M2A out, 6 M2B out, 7 GND2 power_in, 8 VM power_in,"
        "9 EN_N in, 10 MS1 in, 11 MS2 in, 12 PDN in, 13 PDN2 nc, 14 CLK in, 15 STEP in, 16 DIR in",
        **{n: {"low": 0.3, "high": 0.7} for n in ("MS1", "MS2", "PDN", "CLK", "STEP", "DIR")},
        EN_N={"low": 0.3, "high": 0.7, "off": "high"},
        VIO={"draw": 10, "max_volts": 5.25},
        VM={"draw": 700, "max_volts": 29}
    ),
    "stepper driver",
    supply="2",
    extra={"phase_amps": PHASE_AMPS, "phase_ohm": 0.38, "kelvin": 30, "junction": 125, "bridge": ("3", "4", "5", "6")},
)
DIAG_SOCKET = Kind(
    "PPPC011LFBN-RC",
    "Sullins",
    "one way cut from a socket strip of 2.54 mm",
    "Connector_PinSocket_2.54mm:PinSocket_1x01_P2.54mm_Vertical",
    0.15,
    pins("1 DIAG out"),
    "socket below DIAG of the driver, where its maker has that pin",
    extra={"output_volts": 3.3},
)
MOTOR = Kind(
    "17HE15-1504S",
    "StepperOnline",
    "any NEMA 17 of 200 steps, 1.5 A, 42 Ncm or more, at most 40 mm long, detent torque at most 22 mNm",
    "-",
    10.0,
    pins("1 A1 passive, 2 A2 passive, 3 B1 passive, 4 B2 passive"),
    "stepper motor",
    extra={"phase_amps": PHASE_AMPS},
)
PUMP = Kind(
    "370 vacuum pump, 12 V",
    ANY,
    "any of 12 V, at most 0.4 A, 50 kPa",
    "-",
    7.0,
    pins("1 PLUS power_in, 2 MINUS passive", PLUS={"draw": 400}),
    "vacuum pump",
    "load",
    extra={"volts": 12},
)
VALVE = Kind(
    "FA0520F, 12 V",
    ANY,
    "any small valve of 12 V, normally closed, at most 0.25 A",
    "-",
    3.5,
    pins("1 PLUS power_in, 2 MINUS passive", PLUS={"draw": 250}),
    "vent valve",
    "load",
    extra={"volts": 12},
)
JAW = Kind(
    "JF-0530B, 12 V",
    ANY,
    "any pull solenoid of 12 V, at most 0.35 A, 2 N or more at 4 mm, frame of 30 x 16 x 13 mm with two M3 holes 20 mm apart, 45 g or less",
    "-",
    4.0,
    pins("1 PLUS power_in, 2 MINUS passive", PLUS={"draw": 350}),
    "jaw solenoid",
    "load",
    extra={"volts": 12},
)
PRESSURE = Kind(
    "MPX5100DP",
    "NXP",
    "MPXV5100DP of the same maker (other pins and footprint); other makers need other dividers",
    "Connector_PinHeader_2.54mm:PinHeader_1x06_P2.54mm_Vertical",
    13.0,
    pins(
        "1 VOUT out, 2 GND power_in, 3 VS power_in, 4 NC4 nc, 5 NC5 nc, 6 NC6 nc",
        VS={"draw": 10, "max_volts": 5.5},
    ),
    "differential pressure sensor, vacuum at P2",
    supply="3",
    extra={"full_scale": 0.94},
)
FORK = Kind(
    "TCST1103",
    "Vishay",
    "Lite-On LTH-301-07 (aperture 1 mm, gap 3 mm)",
    "-",
    0.95,
    pins("1 A passive, 2 K passive, 3 C open_drain, 4 E passive"),
    "optical fork",
    "fork",
    extra={"volts": 1.25},
)
ESTOP = Kind(
    "XW1E-BV401MR",
    "IDEC",
    "any mushroom button of 22 mm that latches, one forced NC contact for 1 mA at 5 V (gold)",
    "-",
    22.0,
    pins("1 NC1 passive, 2 NC2 passive"),
    "e-stop",
    "contact",
    extra={"least": (5.0, 1.0)},
)
DOOR = Kind(
    "D2VW-01L1-1HS",
    "Omron",
    "any lever switch for 1 mA at 5 V (gold, class of 0.1 A) whose holes are 22.2 mm apart",
    "-",
    6.0,
    pins("1 COM passive, 3 NO passive"),
    "door switch; its contact that is closed while the door presses the lever",
    "contact",
    extra={"least": (5.0, 1.0)},
)
TEE = Kind("T-piece for hose of 4 mm", ANY, "any", "-", 0.4, {}, "T-piece: cup, pump, sensor, vent")
