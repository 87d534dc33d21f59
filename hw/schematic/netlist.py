# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts, pins, nets and cables of a circuit. Computes the direct voltages of nets from the resistors."""

from dataclasses import dataclass, field

# Kinds of pins for the electrical rules.
PIN_TYPES = {"in", "out", "io", "open_drain", "tristate", "power_in", "power_out", "passive", "nc"}
GROUND = "GND"


@dataclass(frozen=True)
class PinKind:
    """A pin of a kind of part. Voltages in volts, currents in milliamperes."""

    name: str
    type: str
    max_volts: float | None = None  # absolute; None: supply of the part + 0.3 V for logic pins, otherwise no limit
    low: float | None = None  # an input is low at or below this: volts, or a fraction of the supply (see `Kind.ratio`)
    high: float | None = None  # an input is high at or above this
    off: str | None = None  # "low" or "high": the level that switches the load of the pin off
    draw: float = 0.0  # greatest current of a power input
    amps: float | None = None  # rating of a contact


@dataclass(frozen=True)
class Kind:
    """A part that can be bought. `second`: maker and number of another source, or the reason for its absence."""

    mpn: str
    maker: str
    second: str
    footprint: str
    price: float  # EUR for one, in the quantity of one rig
    pins: dict
    value: str = ""
    what: str = ""  # "resistor", "capacitor", … for rules; "" for parts without a model
    number: float = 0.0  # ohms, farads
    rating: float = 0.0  # a resistor's watts, a capacitor's volts, an element's amperes
    supply: str = ""  # number of the pin that supplies the logic pins
    ratio: bool = True  # `low` and `high` of its pins are fractions of the supply
    output_enable: tuple = ()  # (pin, level): outputs drive only while the pin has that level
    extra: dict = field(default_factory=dict)  # figures for the budgets


@dataclass
class Part:
    ref: str
    kind: Kind
    block: str
    place: str = "board"  # "board", "sensor" (small boards at the mechanics) or "off" (bought complete, wired)
    near: str = ""  # of a capacitor: the supply pin "U1.16" that it decouples

    def pin(self, name_or_number):
        for number, pin in self.kind.pins.items():
            if name_or_number in (number, pin.name):
                return (self, number)
        raise KeyError(f"{self.ref} has no pin {name_or_number}")


@dataclass
class Net:
    name: str
    volts: float | None = None  # of a supply; None: a signal
    pins: list = field(default_factory=list)  # (Part, number)
    trace: float = 0.2  # narrowest trace, mm


@dataclass
class Wire:
    net: str
    at: str  # "J1.2"
    to: str  # "MX.1"
    colour: str


@dataclass
class Cable:
    ref: str
    what: str
    square: float  # mm² of each wire
    metres: float
    wires: list = field(default_factory=list)


class Circuit:
    def __init__(self, name):
        self.name = name
        self.parts, self.nets, self.cables = {}, {}, []
        self.counts = {}
        self.loads = {}  # net -> amperes of loads outside the netlist
        self.unused = set()  # (ref, number): left open on purpose

    def add(self, kind, letter, block, *, ref=None, place="board", near="", **connections):
        """Adds a part; connections are NAME_OR_NUMBER="net". A number is written p12; "-" leaves the pin open."""
        if ref is None:
            self.counts[letter] = self.counts.get(letter, 0) + 1
            ref = f"{letter}{self.counts[letter]}"
        if ref in self.parts:
            raise ValueError(f"{ref} is there twice")
        part = self.parts[ref] = Part(ref, kind, block, place, near)
        for name, net in connections.items():
            self.connect(part, name[1:] if name[:1] == "p" and name[1:].isdigit() else name, net)
        return part

    def connect(self, part, pin, net):
        _, number = part.pin(pin)
        if net == "-":
            self.unused.add((part.ref, number))
            return
        self.net(net).pins.append((part, number))

    def net(self, name):
        if name not in self.nets:
            self.nets[name] = Net(name)
        return self.nets[name]

    def power(self, name, volts, trace):
        net = self.net(name)
        net.volts, net.trace = volts, trace

    def net_of(self, part, number):
        for net in self.nets.values():
            if any(p is part and n == number for p, n in net.pins):
                return net
        return None

    def index(self):
        """Returns (ref, number) -> net, for rules that look up often."""
        return {(part.ref, number): net for net in self.nets.values() for part, number in net.pins}


def solve(nets, resistors, fixed):
    """Returns the voltages of `nets` with `resistors` [(net, net, ohm)] between them and `fixed` {net: volts}.

    A net without a path of resistors to a fixed one floats and is omitted.
    """
    neighbours = {}
    for a, b, ohm in resistors:
        neighbours.setdefault(a, []).append((b, ohm))
        neighbours.setdefault(b, []).append((a, ohm))
    volts = dict(fixed)
    seen = set(fixed)
    for start in nets:
        if start in seen:
            continue
        group, todo, held = [], [start], False
        seen.add(start)
        while todo:
            net = todo.pop()
            group.append(net)
            for other, _ in neighbours.get(net, []):
                if other in fixed:
                    held = True
                elif other not in seen:
                    seen.add(other)
                    todo.append(other)
        if held:
            volts.update(_solve_group(group, neighbours, fixed))
    return volts


def _solve_group(group, neighbours, fixed):
    """Solves the nodes of one connected group by Gaussian elimination."""
    place = {net: i for i, net in enumerate(group)}
    rows = []
    for net in group:
        row = [0.0] * (len(group) + 1)
        for other, ohm in neighbours[net]:
            row[place[net]] += 1 / ohm
            if other in fixed:
                row[-1] += fixed[other] / ohm
            else:
                row[place[other]] -= 1 / ohm
        rows.append(row)
    size = len(group)
    for i in range(size):
        pivot = max(range(i, size), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(size):
            if j != i and rows[j][i]:
                share = rows[j][i] / rows[i][i]
                rows[j] = [a - share * b for a, b in zip(rows[j], rows[i])]
    return {net: rows[place[net]][-1] / rows[place[net]][place[net]] for net in group}
