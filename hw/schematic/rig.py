# SPDX-License-Identifier: GPL-3.0-or-later
"""The circuit of the rig: Bank-8 (eight switched ports, no motion) and Swap-30 (the same board with the motion part).

The names of signals come from hw/pins.csv, by place: the names of a pin in netlist and firmware cannot differ.
"""

import pins_header
from schematic import catalog as c
from schematic import discretes as d
from schematic import modules as m
from schematic.motion import CHAIN_PULL_OHM, Motion
from schematic.netlist import Cable, Circuit, Kind, Wire

PORTS = 8
LEVELS = ("bank8", "swap30")
FREE_COLOURS = ("white", "blue", "green", "violet", "grey", "brown", "pink", "white-blue")
COLOURS = {"GND": "black", "+3V3": "orange", "NEST_VDD": "orange", "+5V": "red", "VBUS": "red", "+12V": "yellow"}


def build(level, rows):
    """The circuit of one level, built from the rows of the pin map."""
    rig = _Rig(level, rows)
    rig.supplies()
    rig.pico()
    rig.chain()
    rig.sense()
    for port in range(PORTS):
        rig.port(port)
    rig.nest()
    if level == "swap30":
        rig.safety()
        rig.motor_supply()
        rig.motors()
        rig.sensors()
        rig.vacuum()
        rig.carriage()
    else:
        rig.no_motion()
    rig.goods()
    return rig.circuit


class _Rig(Motion):
    def __init__(self, level, rows):
        self.level = level
        self.circuit = Circuit(level)
        self.signals = {}
        for row in rows:
            self.signals[pins_header.number(row["gp"])] = row["signal"]
        self.cable_count = 0

    # -- small things

    def add(self, *args, **more):
        return self.circuit.add(*args, **more)

    def resistor(self, ohm, a, b, block, **more):
        return self.add(d.resistor(ohm), "R", block, p1=a, p2=b, **more)

    def decouple(self, part, pin, net, block, kind=d.C100N, place="board"):
        number = part.pin(pin)[1]
        self.add(kind, "C", block, near=f"{part.ref}.{number}", place=place, p1=net, p2="GND")

    def esd(self, block, *nets):
        """One array of clamps for up to four lines."""
        pins = dict(zip(("K1", "K2", "K3", "K4"), (*nets, *("-",) * (4 - len(nets)))))
        self.add(d.ESD, "D", block, GND="GND", **pins)

    def cable(self, what, square, metres, pairs):
        """pairs: (part, pin, part, pin), the first one at the board."""
        self.cable_count += 1
        cable = Cable(f"W{self.cable_count}", what, square, metres)
        index = self.circuit.index()
        for part, pin, other, other_pin in pairs:
            number, other_number = part.pin(pin)[1], other.pin(other_pin)[1]
            net = index[(part.ref, number)].name
            colour = next((colour for name, colour in COLOURS.items() if net.startswith(name)), "")
            if not colour:
                taken = {wire.colour for wire in cable.wires}
                colour = next(free for free in FREE_COLOURS if free not in taken)
            cable.wires.append(Wire(net, f"{part.ref}.{number}", f"{other.ref}.{other_number}", colour))
        self.circuit.cables.append(cable)

    # -- supplies and the processor

    def supplies(self):
        rig = self.circuit
        rig.power("GND", 0.0, 5.0)
        rig.power("+5V_IN", 5.0, 5.0)
        rig.power("+5V", 5.0, 5.0)
        rig.power("+3V3", 3.3, 0.5)
        rig.power("VSYS", 5.0, 0.5)
        block = "5 V supply"
        supply = self.add(m.SUPPLY_5V, "PS", block, place="off", PLUS="+5V_IN", MINUS="GND")
        jack = self.add(c.JACK_5V, "J", block, ref="J20", TIP="+5V_IN", SLEEVE="GND", SWITCH="-")
        self.cable(
            "5 V supply, its own lead", 0.75, 1.2, [(jack, "TIP", supply, "PLUS"), (jack, "SLEEVE", supply, "MINUS")]
        )
        self.add(c.FUSE_HOLDER_7A5, "F", block, p1="+5V_IN", p2="+5V")
        self.add(c.FUSE_7A5, "FX", block)
        self.add(d.CLAMP, "D", block, K="+5V", A="GND")
        self.add(d.C470U, "C", block, p1="+5V", p2="GND")
        self.add(d.SCHOTTKY, "D", block, A="+5V", K="VSYS")
        # While only the USB of the processor has voltage, the diode's reverse current must not raise +5V.
        self.resistor(1_000, "+5V", "GND", block)

    def pico(self):
        connections = {}
        for number, gp in c.PICO_GPIO.items():
            signal = self.signals[("GP", gp)]
            connections[f"p{number}"] = "-" if signal == "NC" else signal
        for number in (3, 8, 13, 18, 23, 28, 33, 38, 42):
            connections[f"p{number}"] = "GND"
        pico = self.add(
            c.PICO,
            "U",
            "Pico",
            VSYS="VSYS",
            p36="+3V3",
            RUN="-",
            ADC_VREF="-",
            p37="-",
            VBUS="-",
            SWCLK="SWCLK",
            SWDIO="SWDIO",
            **connections,
        )
        self.decouple(pico, "VSYS", "VSYS", "Pico", d.C10U)
        self.add(d.C10U, "C", "Pico", p1="+3V3", p2="GND")
        # This load keeps +3V3 low while a self-powered reader feeds VBUS, whose divider leads to +3V3 through a
        # multiplexer without supply.
        self.resistor(1_000, "+3V3", "GND", "Pico")
        self.add(c.header(3, outputs=(3,)), "J", "Pico", ref="J21", p1="GND", p2="UART_TX_J", p3="UART_RX_J")
        self.resistor(330, "UART_TX", "UART_TX_J", "Pico")
        self.resistor(330, "UART_RX_J", "UART_RX", "Pico")
        self.add(c.header(3), "J", "Pico", ref="J23", p1="SWCLK", p2="GND", p3="SWDIO")
        self.esd("Pico", "UART_TX_J", "UART_RX_J", "SWCLK", "SWDIO")

    # -- shift registers

    def chain(self):
        block = "Output chain"
        out = ["QA", "QB", "QC", "QD", "QE", "QF", "QG", "QH"]
        self.resistor(10_000, "OUT_EN_N", "+3V3", block)
        for register in range(3):
            connections = {}
            for bit, pin in enumerate(out):
                signal = self.signals.get(("OUT", register * 8 + bit))
                used = signal and not (self.level == "bank8" and signal in ("PUMP", "VALVE", "JAW_OPEN", "MOTOR_ARM"))
                connections[pin] = signal if used else "-"
            part = self.add(
                c.SHIFT_OUT,
                "U",
                block,
                SER="CHAIN_OUT" if register == 0 else f"OUT_CARRY{register}",
                QH_S=f"OUT_CARRY{register + 1}" if register < 2 else "-",
                SRCLK="CHAIN_CLK",
                RCLK="CHAIN_LATCH",
                OE_N="OUT_EN_N",
                SRCLR_N="+3V3",
                VCC="+3V3",
                GND="GND",
                **connections,
            )
            self.decouple(part, "VCC", "+3V3", block)
        block = "Input chain"
        for register in range(3):
            connections = {}
            for bit in range(8):
                net = self.signals.get(("IN", register * 8 + bit), f"SPARE_IN{register * 8 + bit}")
                connections[f"D{bit}"] = net
                self.resistor(10_000, net, "+3V3", block)
            part = self.add(
                c.SHIFT_IN,
                "U",
                block,
                Q7="CHAIN_IN" if register == 0 else f"IN_CARRY{register}",
                Q7_N="-",
                DS=f"IN_CARRY{register + 1}" if register < 2 else "+3V3",
                CP="CHAIN_CLK",
                PL_N="CHAIN_LATCH",
                CE_N="GND",
                VCC="+3V3",
                GND="GND",
                **connections,
            )
            self.decouple(part, "VCC", "+3V3", block)
        block = "Slot lights"
        for port in range(PORTS):
            self.resistor(1_000, f"LED{port}", f"LED{port}_A", block)
            self.add(d.LED, "D", block, A=f"LED{port}_A", K="GND")

    def sense(self):
        block = "Port sense"
        for what, signal in (("CURRENT", "PORT_CURRENT"), ("VOLTAGE", "PORT_VOLTAGE")):
            part = self.add(
                c.MULTIPLEXER,
                "U",
                block,
                Z=f"{what}_MUX",
                S0="SENSE_SEL0",
                S1="SENSE_SEL1",
                S2="SENSE_SEL2",
                E_N="GND",
                VEE="GND",
                GND="GND",
                VCC="+3V3",
                **{f"Y{i}": f"{what}{i}" for i in range(PORTS)},
            )
            self.decouple(part, "VCC", "+3V3", block)
            self.resistor(1_000, f"{what}_MUX", signal, block)
            self.add(d.C100P, "C", block, p1=signal, p2="GND")

    # -- a port

    def port(self, n):
        block, rig = "Ports", self.circuit
        shunted, vbus = f"+5V_PORT{n}", f"VBUS{n}"
        rig.power(shunted, 5.0, 1.5)
        rig.power(vbus, 5.0, 1.5)
        self.add(d.SHUNT, "R", block, p1="+5V", p2=shunted)
        amplifier = self.add(
            c.CURRENT_AMPLIFIER, "U", block, IN_P="+5V", IN_N=shunted, OUT=f"CURRENT{n}", VS="+3V3", GND="GND"
        )
        self.decouple(amplifier, "VS", "+3V3", block)
        enable = self.signals[("OUT", n)]
        switch = self.add(
            c.LIMIT_SWITCH,
            "U",
            block,
            IN=shunted,
            GND="GND",
            EN=enable,
            FAULT_N=self.signals[("IN", 8 + n)],
            ILIM=f"ILIM{n}",
            OUT=vbus,
        )
        self.decouple(switch, "IN", shunted, block, d.C10U)
        self.resistor(15_000, f"ILIM{n}", "GND", block)
        self.resistor(100_000, enable, "GND", block)
        self.add(d.C1U, "C", block, p1=vbus, p2="GND")  # readers have up to 10 uF, all of which must be discharged
        self.resistor(1_000, vbus, "GND", block)
        self.resistor(10_000, vbus, f"VOLTAGE{n}", block)
        self.resistor(10_000, f"VOLTAGE{n}", "GND", block)
        # The diode isolates the board from a reader's own pull-up. It does not isolate a reader that is off from the
        # board's pull-up, so the contact must belong to the board alone (docs/guide/build-a-rig.md).
        self.add(d.SMALL_SCHOTTKY, "D", block, A=self.signals[("IN", n)], K=f"CARD{n}_J")
        if n % 4 == 3:
            self.esd(block, *(f"CARD{i}_J" for i in range(n - 3, n + 1)))
        jack = self.add(c.header(4), "J", block, ref=f"J{n + 1}", p1=vbus, p2="GND", p3=f"CARD{n}_J", p4="GND")
        reader = self.add(
            m.READER_A if n % 2 == 0 else m.READER_B,
            "RD",
            "Readers",
            place="off",
            VBUS=vbus,
            GND="GND",
            CD=f"CARD{n}_J",
            CD_GND="GND",
        )
        self.cable(
            f"reader {n + 1}: into the cut VBUS of its extension, and to its detect contact",
            0.34,
            0.5,
            [(jack, str(i), reader, str(i)) for i in range(1, 5)],
        )

    # -- the identity nest

    def nest(self):
        block = "Identity nest"
        self.circuit.power("NEST_3V3", 3.3, 0.3)
        switch = self.add(
            c.LOAD_SWITCH, "U", block, IN="+3V3", GND="GND", ON="NEST_POWER", QOD="NEST_3V3", OUT="NEST_3V3"
        )
        self.decouple(switch, "IN", "+3V3", block, d.C1U)
        self.resistor(100_000, "NEST_POWER", "GND", block)
        self.add(d.C4U7, "C", block, p1="NEST_3V3", p2="GND")
        self.circuit.power("NEST_VDD", 3.3, 0.3)
        # The shunt is behind pull-ups and discharge, so it measures only the current of the card.
        self.add(d.NEST_SHUNT, "R", block, p1="NEST_3V3", p2="NEST_VDD")
        amplifier = self.add(
            c.CURRENT_AMPLIFIER,
            "U",
            block,
            IN_P="NEST_3V3",
            IN_N="NEST_VDD",
            OUT="NEST_CURRENT_RAW",
            VS="+3V3",
            GND="GND",
        )
        self.decouple(amplifier, "VS", "+3V3", block)
        self.resistor(1_000, "NEST_CURRENT_RAW", "NEST_CURRENT", block)
        self.add(d.C100N, "C", block, p1="NEST_CURRENT", p2="GND")
        select = self.signals[("OUT", 20)]
        changeover = self.add(
            c.CHANGEOVER,
            "U",
            block,
            Y0="VACUUM",
            Y1="NEST_CURRENT",
            Z=self.signals[("GP", 28)],
            S=select,
            VCC="+3V3",
            GND="GND",
        )
        self.decouple(changeover, "VCC", "+3V3", block)
        self.resistor(100_000, select, "GND", block)
        self.resistor(10_000, "NEST_CMD", "NEST_3V3", block)
        for line in ("NEST_DAT0", "NEST_DAT1", "NEST_DAT2", "NEST_DAT3"):
            self.resistor(47_000, line, "NEST_3V3", block)
        self.resistor(33, "NEST_CLK", "NEST_CLK_J", block)
        self.resistor(33, "NEST_CMD", "NEST_CMD_J", block)
        self.esd(block, "NEST_CLK_J", "NEST_CMD_J", "NEST_DAT0", "NEST_DAT3")
        self.esd(block, "NEST_DAT1", "NEST_DAT2", "NEST_CARD", "NEST_VDD")
        lines = [
            "NEST_DAT3",
            "NEST_CMD_J",
            "GND",
            "NEST_VDD",
            "NEST_CLK_J",
            "GND",
            "NEST_DAT0",
            "NEST_DAT1",
            "NEST_DAT2",
            "NEST_CARD",
        ]
        jack = self.add(c.header(10), "J", block, ref="J9", **{f"p{i + 1}": net for i, net in enumerate(lines)})
        kind = m.NEST_PINS if self.level == "swap30" else m.NEST_SOCKET
        nest = self.add(
            kind,
            "NX",
            "Card on the nest",
            place="off",
            **{f"p{i + 1}": net for i, net in enumerate(lines) if str(i + 1) in kind.pins},
        )
        self.cable("identity nest, at most 0.1 m", 0.14, 0.1, [(jack, i, nest, i) for i in kind.pins])

    # -- parts of one level only

    def carriage(self):
        """Adds NO_CARRIAGE: a bridge that is closed by hand only while the board runs without its carriage."""
        self.add(OPEN_LINK, "JP", "Input chain", p1="NO_CARRIAGE", p2="GND")

    def no_motion(self):
        """Bank-8 omits the motion part; its remaining signals have a fixed level."""
        block = "Motion part, left off"
        self.resistor(10_000, "MOT_EN_N", "+3V3", block)
        self.resistor(CHAIN_PULL_OHM, "SAFETY_OK", "GND", block)
        self.resistor(10_000, "X_HOME", "+3V3", block)
        self.resistor(10_000, "VACUUM", "GND", block)
        # A link replaces e-stop and door, because Bank-8 moves nothing.
        self.add(LINK, "JP", block, p1="+3V3", p2="SAFETY_OK")
        # Another link reports to the firmware that there is no carriage.
        self.add(LINK, "JP", block, p1="NO_CARRIAGE", p2="GND")
        for signal in ("X_STEP", "X_DIR", "Z_STEP", "Z_DIR", "SAFETY_PUMP"):
            self.add(TEST_POINT, "TP", block, p1=signal)

    def goods(self):
        """Parts of the rig without pins in this netlist."""
        goods = [
            (m.HUB, 2),
            (m.EXTENSION, PORTS),
            (m.DETECT_WIRE, PORTS),
            (m.PLUG_10, 1),
            (m.USB_CABLE, 1),
            (m.BOARD, 1),
            (m.WIRE, 1),
        ]
        if self.level == "swap30":
            goods += [(m.PLUG_2, 4), (m.PLUG_3, 6), (m.DETECT_WIRE, 2), (m.WIRE, 1), (m.TEE, 2)]
        for kind, count in goods:
            for _ in range(count):
                self.add(kind, "X", "Goods", place="off")


LINK = Kind(
    "solder bridge",
    "-",
    "a piece of wire",
    "Jumper:SolderJumper-2_P1.3mm_Bridged_Pad1.0x1.5mm",
    0.0,
    d.pins("1 1 passive, 2 2 passive"),
    what="contact",
)
OPEN_LINK = Kind(
    "solder bridge, open",
    "-",
    "none needed",
    "Jumper:SolderJumper-2_P1.3mm_Open_Pad1.0x1.5mm",
    0.0,
    d.pins("1 1 passive, 2 2 passive"),
    what="open bridge",
)
TEST_POINT = Kind(
    "pad", "-", "none needed", "TestPoint:TestPoint_Pad_D1.5mm", 0.0, d.pins("1 1 passive"), what="test point"
)
