# SPDX-License-Identifier: GPL-3.0-or-later
"""Chips, fuses and connectors of the rig: numbers, sources, pins, and the figures for rules and budgets.

Figures are those of the makers' data sheets, at the worst end of their range where a range is given. Prices are
estimates in euros for the quantity of one rig, without freight.
"""

from schematic.discretes import pins
from schematic.netlist import Kind, PinKind

PRICES_OF = "2026-11"

# Input levels of 74HC at 3.3 V, as fractions of the supply.
HC = {"low": 0.3, "high": 0.7}


def hc(text, draw=0.1, **more):
    made = {}
    for number, pin in pins(text).items():
        extra = dict(HC) if pin.type == "in" else {}
        if pin.name == "VCC":
            extra = {"draw": draw}
        extra.update(more.get(pin.name, {}))
        made[number] = PinKind(pin.name, pin.type, **extra)
    return made


# Switch of the card supply. The resistor at ILIM sets its current limit: see `extra` and view.limit_ma().
LIMIT_SWITCH = Kind(
    "TPS2553DBVR",
    "Texas Instruments",
    "Diodes AP2553W6-7 (check its own formula for ILIM)",
    "Package_TO_SOT_SMD:SOT-23-6",
    0.75,
    pins(
        "1 IN power_in, 2 GND power_in, 3 EN in, 4 FAULT_N open_drain, 5 ILIM passive, 6 OUT power_out",
        IN={"draw": 0.15, "max_volts": 7},
        EN={"low": 0.66, "high": 1.1, "max_volts": 7, "off": "low"},
        FAULT_N={"max_volts": 7},
    ),
    what="switch",
    rating=1.5,
    supply="1",
    ratio=False,
    extra={"carries": ("1", "6"), "ohm": 0.135, "kelvin": 183, "junction": 125},
)
CURRENT_AMPLIFIER = Kind(
    "INA180A2IDBVR",
    "Texas Instruments",
    "none with these pins; INA185A2 on another footprint",
    "Package_TO_SOT_SMD:SOT-23-5",
    0.55,
    pins(
        "1 OUT out, 2 GND power_in, 3 IN_P passive, 4 IN_N passive, 5 VS power_in",
        VS={"draw": 0.5, "max_volts": 6},
        IN_P={"max_volts": 28},
        IN_N={"max_volts": 28},
    ),
    supply="5",
    extra={"gain": 50},
)
LOAD_SWITCH = Kind(
    "TPS22919DCKR",
    "Texas Instruments",
    "Diodes AP22916 (other footprint), or TPS22918 with the same functions",
    "Package_TO_SOT_SMD:SOT-363_SC-70-6",
    0.45,
    pins(
        "1 IN power_in, 2 GND power_in, 3 ON in, 4 NC nc, 5 QOD passive, 6 OUT power_out",
        IN={"draw": 0.02, "max_volts": 6},
        ON={"low": 0.35, "high": 1.0, "max_volts": 6, "off": "low"},
    ),
    what="switch",
    rating=1.5,
    supply="1",
    ratio=False,
    extra={"carries": ("1", "6"), "ohm": 0.15, "kelvin": 190, "junction": 125, "discharge": 24},
)

# Holds the gate of an external transistor at ground until ON is high, then raises it by 5 to 20 uA, so that the gate's
# capacitor sets the slope. Latches off after a time in current limit; a low ON clears that.
HOT_SWAP = Kind(
    "LT1641-1CS8#PBF",
    "Analog Devices",
    "LT1641-1IS8#PBF of the same maker",
    "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    6.80,
    pins(
        "1 ON in, 2 FB passive, 3 PWRGD open_drain, 4 GND power_in, 5 TIMER passive, 6 GATE passive, 7 SENSE passive,"
        "8 VCC power_in",
        ON={"low": 1.221, "high": 1.35, "max_volts": 60, "off": "low"},
        VCC={"draw": 5.5, "max_volts": 100},
    ),
    "hot-swap controller",
    supply="8",
    ratio=False,
    extra={
        "gate_amps": (5e-6, 20e-6),
        "gate_off_amps": 35e-3,
        "limit_volts": (0.039, 0.055),
        "folded_volts": (0.008, 0.017),
        "on_volts": (1.221, 1.35),
        "off_means": "off",
    },
)

SHIFT_OUT = Kind(
    "74HC595D,118",
    "Nexperia",
    "Texas Instruments SN74HC595DR",
    "Package_SO:SOIC-16_3.9x9.9mm_P1.27mm",
    0.30,
    hc(
        "1 QB tristate, 2 QC tristate, 3 QD tristate, 4 QE tristate, 5 QF tristate, 6 QG tristate, 7 QH tristate,"
        "8 GND power_in, 9 QH_S out, 10 SRCLR_N in, 11 SRCLK in, 12 RCLK in, 13 OE_N in, 14 SER in, 15 QA tristate,"
        "16 VCC power_in",
        OE_N={**HC, "off": "high"},
    ),
    supply="16",
    output_enable=("13", "low"),
    extra={"pin_ma": 6, "total_ma": 50},
)
SHIFT_IN = Kind(
    "74HC165D,653",
    "Nexperia",
    "Texas Instruments SN74HC165DR",
    "Package_SO:SOIC-16_3.9x9.9mm_P1.27mm",
    0.30,
    hc(
        "1 PL_N in, 2 CP in, 3 D4 in, 4 D5 in, 5 D6 in, 6 D7 in, 7 Q7_N out, 8 GND power_in, 9 Q7 out, 10 DS in,"
        "11 D0 in, 12 D1 in, 13 D2 in, 14 D3 in, 15 CE_N in, 16 VCC power_in"
    ),
    supply="16",
    extra={"pin_ma": 4, "total_ma": 50},
)
MULTIPLEXER = Kind(
    "74HC4051D,653",
    "Nexperia",
    "Texas Instruments CD74HC4051M96",
    "Package_SO:SOIC-16_3.9x9.9mm_P1.27mm",
    0.32,
    hc(
        "1 Y4 passive, 2 Y6 passive, 3 Z passive, 4 Y7 passive, 5 Y5 passive, 6 E_N in, 7 VEE power_in, 8 GND power_in,"
        "9 S2 in, 10 S1 in, 11 S0 in, 12 Y3 passive, 13 Y0 passive, 14 Y1 passive, 15 Y2 passive, 16 VCC power_in",
        **{name: {"max_volts": 3.6} for name in ["Z"] + [f"Y{i}" for i in range(8)]},
    ),
    supply="16",
    extra={"on_ohm": 200},
)
# One contact, connected to Y0 while S is low.
CHANGEOVER = Kind(
    "74LVC1G3157GW,125",
    "Nexperia",
    "Texas Instruments SN74LVC1G3157DCKR",
    "Package_TO_SOT_SMD:SOT-363_SC-70-6",
    0.15,
    pins(
        "1 Y1 passive, 2 GND power_in, 3 Y0 passive, 4 Z passive, 5 VCC power_in, 6 S in",
        VCC={"draw": 0.01, "max_volts": 5.5},
        S={"low": 0.3, "high": 0.7, "max_volts": 5.5, "off": "low"},
        **{name: {"max_volts": 3.6} for name in ("Y0", "Y1", "Z")},
    ),
    "analogue changeover switch",
    supply="5",
    extra={"off_means": "shows the vacuum"},
)
FLIP_FLOP = Kind(
    "74HC74D,653",
    "Nexperia",
    "Texas Instruments SN74HC74DR",
    "Package_SO:SOIC-14_3.9x8.7mm_P1.27mm",
    0.28,
    hc(
        "1 CLR1_N in, 2 D1 in, 3 CLK1 in, 4 PRE1_N in, 5 Q1 out, 6 Q1_N out, 7 GND power_in, 8 Q2_N out, 9 Q2 out,"
        "10 PRE2_N in, 11 CLK2 in, 12 D2 in, 13 CLR2_N in, 14 VCC power_in",
        CLK1={**HC, "off": "low"},
    ),
    supply="14",
    extra={"pin_ma": 4, "total_ma": 50},
)
SUPERVISOR = Kind(
    "TLV803SDBZR",
    "Texas Instruments",
    "Diodes APX803S-29SA-7",
    "Package_TO_SOT_SMD:SOT-23",
    0.30,
    pins("1 GND power_in, 2 RESET_N open_drain, 3 VDD power_in", VDD={"draw": 0.02, "max_volts": 6}),
    supply="3",
    extra={"threshold": 2.93},
)

PICO_GPIO = {
    1: 0,
    2: 1,
    4: 2,
    5: 3,
    6: 4,
    7: 5,
    9: 6,
    10: 7,
    11: 8,
    12: 9,
    14: 10,
    15: 11,
    16: 12,
    17: 13,
    19: 14,
    20: 15,
    21: 16,
    22: 17,
    24: 18,
    25: 19,
    26: 20,
    27: 21,
    29: 22,
    31: 26,
    32: 27,
    34: 28,
}


def _pico_pins():
    found = {str(p): PinKind(f"GP{gp}", "io", max_volts=3.63, low=0.8, high=2.0) for p, gp in PICO_GPIO.items()}
    for number in (3, 8, 13, 18, 23, 28, 33, 38):
        found[str(number)] = PinKind("GND", "power_in")
    found["30"] = PinKind("RUN", "passive", max_volts=3.6)
    found["35"] = PinKind("ADC_VREF", "passive")
    found["36"] = PinKind("3V3", "power_out")
    found["37"] = PinKind("3V3_EN", "passive")
    found["39"] = PinKind("VSYS", "power_in", max_volts=5.5, draw=5)
    found["40"] = PinKind("VBUS", "passive")
    found["41"] = PinKind("SWCLK", "passive")
    found["42"] = PinKind("GND", "power_in")
    found["43"] = PinKind("SWDIO", "passive")
    return found


# The Pico's processor takes up to 100 mA from the Pico's 3.3 V converter. The 3.3 V pin may supply 300 mA.
PICO = Kind(
    "SC0915",
    "Raspberry Pi",
    "none with RP2040 and the same pads is equal in every pad; Raspberry Pi SC0917 (with headers)",
    "Module:RaspberryPi_Pico_Common_SMD",
    4.60,
    _pico_pins(),
    "Raspberry Pi Pico",
    "converter",
    rating=0.3,
    supply="36",
    ratio=False,
    extra={
        "converts": ("39", "36"),
        "efficiency": 0.85,
        "own_ma": 100,
        "pull_ohm": (50e3, 80e3),
        "pin_ma": 4,
        "total_ma": 50,
        "kelvin": 60,
        "junction": 85,
    },
)

FUSE_HOLDER_7A5 = Kind(
    "3568",
    "Keystone",
    "Littelfuse 01530008Z (other footprint)",
    "Fuse:Fuseholder_Blade_Mini_Keystone_3568",
    0.80,
    pins("1 1 passive, 2 2 passive"),
    "holder of a 7.5 A fuse",
    "fuse",
    rating=15,
    extra={"carries": ("1", "2"), "ohm": 0.01, "kelvin": 40, "junction": 105, "fuse_amps": 7.5},
)
FUSE_7A5 = Kind("029707.5WXNV", "Littelfuse", "Eaton ATM-7-1/2", "-", 0.35, {}, "7.5 A blade fuse, mini")
FUSE_3A = Kind("0297003.WXNV", "Littelfuse", "Eaton ATM-3", "-", 0.35, {}, "3 A blade fuse, mini")
FUSE_HOLDER_3A = Kind(
    "3568",
    "Keystone",
    "Littelfuse 01530008Z (other footprint)",
    "Fuse:Fuseholder_Blade_Mini_Keystone_3568",
    0.80,
    pins("1 1 passive, 2 2 passive"),
    "holder of a 3 A fuse",
    "fuse",
    rating=15,
    extra={"carries": ("1", "2"), "ohm": 0.03, "kelvin": 40, "junction": 105, "fuse_amps": 3.0},
)
RESETTABLE = Kind(
    "MF-MSMF010-2",
    "Bourns",
    "Littelfuse 1812L010DR",
    "Fuse:Fuse_1812_4532Metric",
    0.18,
    pins("1 1 passive, 2 2 passive"),
    "0.1 A resettable",
    "fuse",
    rating=0.1,
    extra={"carries": ("1", "2"), "ohm": 2.5, "kelvin": 60, "junction": 85, "fuse_amps": 0.3},
)


def _jack(mpn, pin_mm):
    return Kind(
        mpn,
        "Same Sky (CUI)",
        "none with these pads at 8 A; a screw terminal of 10 A on wires",
        "Connector_BarrelJack:BarrelJack_CUI_PJ-063AH_Horizontal",
        1.50,
        pins(
            "1 TIP power_out, 2 SLEEVE passive, 3 SWITCH passive",
            TIP={"amps": 8},
            SLEEVE={"amps": 8},
            SWITCH={"amps": 0.5},
        ),
        f"supply jack, 8 A, pin of {pin_mm} mm",
        extra={"pin_mm": pin_mm},
    )


# The jack of the lower voltage has the thicker pin, so the 12 V plug does not fit into it.
JACK_5V = _jack("PJ-063BH", 2.5)
JACK_12V = _jack("PJ-063AH", 2.0)


def header(ways, amps=3.0, outputs=()):
    """JST XH, top entry. Pins in `outputs` carry a logic level of 3.3 V from outside."""
    listed = {str(i): PinKind(str(i), "out" if i in outputs else "passive", amps=amps) for i in range(1, ways + 1)}
    return Kind(
        f"B{ways}B-XH-A",
        "JST",
        f"Würth 6190{ways:02d}11121 with its own plug",
        f"Connector_JST:JST_XH_B{ways}B-XH-A_1x{ways:02d}_P2.50mm_Vertical",
        0.10 + 0.05 * ways,
        listed,
        f"JST XH, {ways} ways",
        "header",
        extra={"output_volts": 3.3},
    )
