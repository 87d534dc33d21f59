# SPDX-License-Identifier: GPL-3.0-or-later
"""Resistors, capacitors, diodes and transistors of the rig. catalog.py explains figures and prices."""

from schematic.netlist import Kind, PinKind


def pins(text, **more):
    """'1 IN power_in, 2 GND power_in' -> {"1": PinKind, …}; `more` adds members by name of the pin."""
    found = {}
    for entry in text.split(","):
        number, name, kind = entry.split()
        found[number] = PinKind(name, kind, **more.get(name, {}))
    return found


def _resistance_code(ohm):
    for unit, letter in ((1e6, "M"), (1e3, "K"), (1, "R")):
        if ohm >= unit:
            whole = f"{ohm / unit:g}"
            return whole.replace(".", letter) if "." in whole else whole + letter
    raise ValueError(ohm)


def resistor(ohm):
    """0603, 1 %, 0.1 W."""
    code = _resistance_code(ohm)
    digits, letter = code[:-1], code[-1]
    four = f"{digits}{letter}" + "00"[: 3 - len(digits)]  # the other maker uses 10K0, 1K00, 330R
    return Kind(
        f"RC0603FR-07{code}L",
        "Yageo",
        f"Vishay CRCW0603{four}FKEA",
        "Resistor_SMD:R_0603_1608Metric",
        0.02,
        pins("1 1 passive, 2 2 passive"),
        code,
        "resistor",
        ohm,
        0.1,
    )


def _capacitor(mpn, maker, second, footprint, price, value, farad, volts):
    return Kind(
        mpn, maker, second, footprint, price, pins("1 1 passive, 2 2 passive"), value, "capacitor", farad, volts
    )


C0603, C0805 = "Capacitor_SMD:C_0603_1608Metric", "Capacitor_SMD:C_0805_2012Metric"
C100P = _capacitor("CL10C101JB8NNNC", "Samsung", "Murata GRM1885C1H101JA01D", C0603, 0.02, "100p C0G", 100e-12, 50)
C10N = _capacitor("CL10B103KB8NNNC", "Samsung", "Murata GRM188R71H103KA01D", C0603, 0.02, "10n X7R", 10e-9, 50)
C47N = _capacitor("CL10B473KB8NNNC", "Samsung", "Murata GRM188R71H473KA61D", C0603, 0.02, "47n X7R", 47e-9, 50)
C100N = _capacitor("CL10B104KB8NNNC", "Samsung", "Murata GRM188R71H104KA93D", C0603, 0.02, "100n X7R", 100e-9, 50)
C1U = _capacitor("CL10A105KB8NNNC", "Samsung", "Murata GRM188R61H105KAALD", C0603, 0.03, "1u X5R", 1e-6, 50)
C4U7 = _capacitor("CL21A475KAQNNNE", "Samsung", "Murata GRM21BR61E475KA12L", C0805, 0.05, "4u7 X5R", 4.7e-6, 25)
C10U = _capacitor("CL21A106KAYNNNE", "Samsung", "Murata GRM21BR61E106KA73L", C0805, 0.08, "10u X5R", 10e-6, 25)
C470U = _capacitor(
    "EEE-FK1C471P", "Panasonic", "Nichicon UWT1C471MNL1GS", "Capacitor_SMD:CP_Elec_8x10.5", 0.45, "470u 16V", 470e-6, 16
)
C100U = _capacitor(
    "EEE-FK1V101P", "Panasonic", "Nichicon UWT1V101MNL1GS", "Capacitor_SMD:CP_Elec_8x10.5", 0.40, "100u 35V", 100e-6, 35
)

SHUNT = Kind(
    "WSL1206R0200FEA",
    "Vishay",
    "Bourns CRE1206-FZ-R020E-3",
    "Resistor_SMD:R_1206_3216Metric",
    0.35,
    pins("1 1 passive, 2 2 passive"),
    "0R02 1%",
    "resistor",
    0.02,
    0.25,
    extra={"carries": True, "kelvin": 75},
)
# Shunt of the 12 V switch. The switch's controller limits at 47 mV across the shunt, which is 3.1 A.
SUPPLY_SHUNT = Kind(
    "WSL2010R0150FEA",
    "Vishay",
    "Bourns CRM2010-FX-R015ELF",
    "Resistor_SMD:R_2010_5025Metric",
    0.40,
    pins("1 1 passive, 2 2 passive"),
    "0R015 1%",
    "resistor",
    0.015,
    0.5,
    extra={"carries": True, "kelvin": 60},
)
NEST_SHUNT = Kind(
    "WSL2010R2000FEA",
    "Vishay",
    "Bourns CRM2010-FX-R200ELF",
    "Resistor_SMD:R_2010_5025Metric",
    0.40,
    pins("1 1 passive, 2 2 passive"),
    "0R2 1%",
    "resistor",
    0.2,
    0.5,
    extra={"carries": True, "kelvin": 60},
)
BLEEDER = Kind(
    "CRCW2512470RFKEG",
    "Vishay",
    "Yageo RC2512FK-07470RL",
    "Resistor_SMD:R_2512_6332Metric",
    0.10,
    pins("1 1 passive, 2 2 passive"),
    "470R 1W",
    "resistor",
    470,
    1.0,
)

SCHOTTKY = Kind(
    "SS14",
    "onsemi",
    "Vishay SS14-E3/61T",
    "Diode_SMD:D_SMA",
    0.08,
    pins("1 K passive, 2 A passive"),
    what="diode",
    rating=1.0,
    extra={"carries": ("2", "1"), "volts": 0.5, "kelvin": 88, "junction": 125},
)
PAIR = Kind(
    "BAT54S,215",
    "Nexperia",
    "onsemi BAT54SLT1G",
    "Package_TO_SOT_SMD:SOT-23",
    0.06,
    pins("1 A passive, 2 K passive, 3 COM passive"),
    what="diode",
    rating=0.2,
    extra={"volts": 0.3},
)
SMALL_SCHOTTKY = Kind(
    "BAT54,215",
    "Nexperia",
    "onsemi BAT54LT1G",
    "Package_TO_SOT_SMD:SOT-23",
    0.05,
    pins("1 A passive, 2 NC nc, 3 K passive"),
    what="diode",
    rating=0.2,
    extra={"volts": 0.3},
)
CLAMP = Kind(
    "SMBJ5.0A",
    "Littelfuse",
    "Vishay SMBJ5.0A-E3/52",
    "Diode_SMD:D_SMB",
    0.20,
    pins("1 K passive, 2 A passive"),
    what="diode",
)
CLAMP12 = Kind(
    "SMBJ15A",
    "Littelfuse",
    "Vishay SMBJ15A-E3/52",
    "Diode_SMD:D_SMB",
    0.20,
    pins("1 K passive, 2 A passive"),
    what="diode",
)
LED = Kind(
    "150060GS75000",
    "Würth",
    "Kingbright APT1608CGCK",
    "LED_SMD:LED_0603_1608Metric",
    0.12,
    pins("1 K passive, 2 A passive"),
    "green",
    "led",
    extra={"volts": 2.0},
)

# Four lines to ground, for contacts and cables that hands touch.
ESD = Kind(
    "PESD5V0L4UG,115",
    "Nexperia",
    "any array of four clamps of 5 V with common anode in SOT-353, 25 pF or less",
    "Package_TO_SOT_SMD:SOT-353_SC-70-5",
    0.22,
    pins("1 K1 passive, 2 GND passive, 3 K2 passive, 4 K3 passive, 5 K4 passive"),
    "ESD clamp, 4 lines",
    what="esd",
)
# Keeps the gate of the 12 V switch within 15 V of its source.
GATE_CLAMP = Kind(
    "BZX84-C15,215",
    "Nexperia",
    "onsemi BZX84C15LT1G",
    "Package_TO_SOT_SMD:SOT-23",
    0.05,
    pins("1 A passive, 2 NC nc, 3 K passive"),
    what="diode",
    rating=0.2,
    extra={"volts": 15},
)

SIGNAL_FET = Kind(
    "2N7002,215",
    "Nexperia",
    "onsemi 2N7002LT1G",
    "Package_TO_SOT_SMD:SOT-23",
    0.05,
    pins("1 G in, 2 S passive, 3 D open_drain", G={"max_volts": 20, "low": 0.8, "high": 2.5}, D={"max_volts": 60}),
    what="fet",
    ratio=False,
    rating=0.1,
)
POWER_FET = Kind(
    "AO3400A",
    "Alpha & Omega",
    "Diodes DMN3023L-7",
    "Package_TO_SOT_SMD:SOT-23",
    0.12,
    pins(
        "1 G in, 2 S passive, 3 D open_drain",
        G={"max_volts": 12, "low": 0.65, "high": 2.5, "off": "low"},
        D={"max_volts": 30},
    ),
    what="fet",
    ratio=False,
    rating=3.0,
    extra={"ohm": 0.048, "kelvin": 125, "junction": 150, "threshold": (0.65, 1.45)},
)
SUPPLY_FET = Kind(
    "AO4406A",
    "Alpha & Omega",
    "Infineon IRF7413ZTRPBF",
    "Package_SO:SOIC-8_3.9x4.9mm_P1.27mm",
    0.45,
    pins(
        "1 S1 power_out, 2 S2 passive, 3 S3 passive, 4 G passive, 5 D1 power_in, 6 D2 passive, 7 D3 passive,"
        "8 D4 passive",
        D1={"max_volts": 30},
    ),
    what="switch",
    rating=8.0,
    extra={"carries": ("5", "1"), "ohm": 0.0165, "kelvin": 75, "junction": 150, "reverse_farad": 150e-12},
)
# Passes the logic supply on to the enable input of the 12 V switch while its gate is pulled low.
ENABLE_FET = Kind(
    "AO3401A",
    "Alpha & Omega",
    "Diodes DMP3099L-7",
    "Package_TO_SOT_SMD:SOT-23",
    0.12,
    pins(
        "1 G in, 2 S passive, 3 D open_drain",
        G={"max_volts": 12, "low": 0.3, "high": 0.85, "off": "high"},
        D={"max_volts": 30},
    ),
    what="fet",
    rating=3.0,
    extra={"ohm": 0.06},
)
