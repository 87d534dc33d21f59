# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers queries of rules and budgets about a circuit: drivers of a net, levels in a state of the board, currents."""

from schematic.netlist import GROUND, solve

CONTACT_OHM = 0.1
SMALL_OHM = 47  # a resistor up to this passes a supply on
# IPC-2221, outer layer, 35 um copper, 20 K above the board.
COPPER_MIL = 35 / 25.4
TRACE_RISE = 20.0
# PVC wire, single in air: A by mm².
WIRE_AMPS = {0.14: 2.5, 0.34: 6.0, 0.75: 12.0}


def trace_amps(millimetres):
    area = millimetres / 0.0254 * COPPER_MIL
    return 0.048 * TRACE_RISE**0.44 * area**0.725


def limit_ma(ohm):
    """Returns least, nominal and greatest current of a TPS2553 with this ILIM resistor (data sheet, current-limit
    equations)."""
    kilo = ohm / 1000
    return 25230 / kilo**1.016, 23950 / kilo**0.977, 22980 / kilo**0.94


class View:
    def __init__(self, circuit, rows):
        self.circuit, self.rows = circuit, rows
        self.net = circuit.index()
        self.gpio = {row["signal"]: row for row in rows if row["gp"].isdigit()}

    def parts(self, what=None):
        return [p for p in self.circuit.parts.values() if what is None or p.kind.what == what]

    def at(self, part, pin):
        """Returns the name of the net at a pin, or None."""
        number = part.pin(pin)[1]
        net = self.net.get((part.ref, number))
        return net.name if net else None

    def volts_of(self, name):
        net = self.circuit.nets.get(name)
        return net.volts if net else None

    def supply_volts(self, part, number=None):
        """Returns the supply of the logic of a part; for outputs of a bridge the motor supply."""
        if number in part.kind.extra.get("bridge", ()):
            return self.volts_of(self.at(part, "VM"))
        if "output_volts" in part.kind.extra:
            return part.kind.extra["output_volts"]
        return self.volts_of(self.at(part, part.kind.supply)) if part.kind.supply else None

    def pins(self):
        for name, net in self.circuit.nets.items():
            for part, number in net.pins:
                yield net, part, number, part.kind.pins[number]

    def drives(self, net, pin):
        """True if a pin drives both levels."""
        if pin.type == "io":
            row = self.gpio.get(net.name)
            return row is not None and (row["direction"] == "out" or "driven only" in row["note"])
        return pin.type in ("out", "tristate")

    def drivers(self, net):
        return [(part, n) for part, n in net.pins if self.drives(net, part.kind.pins[n])]

    def resistors(self):
        """Returns the connections between nets for direct current."""
        found = []
        for part in self.parts():
            kind = part.kind
            if kind.what == "resistor":
                ohm = kind.number
            elif kind.what == "fuse":
                ohm = kind.extra["ohm"]
            elif kind.what == "contact":
                ohm = CONTACT_OHM
            elif kind.what == "load":
                ohm = kind.extra["volts"] / (kind.pins["1"].draw / 1000)
            else:
                continue
            first, second = list(kind.pins)[:2]
            a, b = self.net.get((part.ref, first)), self.net.get((part.ref, second))
            if a and b and a is not b:
                found.append((a.name, b.name, ohm, part))
        return found

    def levels(self, driven, *, supplies=None, without=(), extra=()):
        """Returns the voltages with the nets in `driven` {net: volts}. `supplies` replaces the voltage of some;
        `extra` adds resistors."""
        fixed = {name: net.volts for name, net in self.circuit.nets.items() if net.volts is not None}
        fixed.update(supplies or {})
        fixed.update(driven)
        fixed[GROUND] = 0.0
        joined = [(a, b, ohm) for a, b, ohm, part in self.resistors() if part.ref not in without] + list(extra)
        return solve(list(self.circuit.nets), joined, fixed)

    def highest(self):
        """Returns the voltages with every output at its highest level and all transistors open."""
        driven = {}
        for net in self.circuit.nets.values():
            if net.volts is not None:
                continue
            volts = [self.supply_volts(part, n) or 0.0 for part, n in self.drivers(net)]
            if volts:
                driven[net.name] = max(volts)
        return self.levels(driven)

    def carriers(self):
        """Returns (upstream net, downstream net, part) of each part that passes a supply on."""
        found = []
        for part in self.parts():
            ends = part.kind.extra.get("carries")
            if ends is True or (part.kind.what == "resistor" and not ends and part.kind.number <= SMALL_OHM):
                ends = ("1", "2")
            elif not ends:
                ends = part.kind.extra.get("converts")
            if not ends:
                continue
            a, b = (self.net.get((part.ref, n)) for n in ends)
            if a and b and a.volts is not None and b.volts is not None:
                found.append((a.name, b.name, part))
        return found

    def amps(self):
        """Returns the greatest continuous current of each supply net and of nets with loads: {net: A}."""
        carriers = self.carriers()
        found = {}

        def current_of(name):
            if name in found:
                return found[name]
            total = 0.0
            for part, n in self.circuit.nets[name].pins:
                total += part.kind.pins[n].draw / 1000
            for _, down, part in (c for c in carriers if c[0] == name):
                amps = current_of(down)
                if "converts" in part.kind.extra:
                    watts = (amps + part.kind.extra["own_ma"] / 1000) * self.volts_of(down)
                    amps = watts / part.kind.extra["efficiency"] / self.volts_of(name)
                total += amps
            total += self._through_resistors(name)
            found[name] = total
            return total

        for name, net in self.circuit.nets.items():
            if net.volts is not None and name != GROUND:
                current_of(name)
        found[GROUND] = sum(found[name] for name in found if name.endswith("_IN"))
        for part in self.parts():
            phase = part.kind.extra.get("phase_amps")
            if phase:
                for n in part.kind.extra.get("bridge", part.kind.pins):
                    found[self.net[(part.ref, n)].name] = phase
            if part.kind.what == "load":
                found[self.at(part, "MINUS")] = part.kind.pins["1"].draw / 1000
        return found

    def _through_resistors(self, name):
        """Returns pull-ups, lights and dividers at a supply, with all their paths at ground."""
        total = 0.0
        for a, b, ohm, part in self.resistors():
            if part.kind.what != "resistor" or name not in (a, b) or ohm <= SMALL_OHM or part.kind.extra.get("carries"):
                continue
            other = b if a == name else a
            if self.volts_of(other) is None or other == GROUND:
                total += self.volts_of(name) / ohm
        if name == "+3V3":  # outputs feed lights
            for led in self.parts("led"):
                ohm = next(o for a, b, o, _ in self.resistors() if self.at(led, "A") in (a, b))
                total += (self.volts_of(name) - led.kind.extra["volts"]) / ohm
        return total

    def protection(self, name, seen=()):
        """Returns the limited current of a net that is shorted to ground, in A."""
        if name in seen:
            return float("inf")
        best = float("inf")
        for part, n in self.circuit.nets[name].pins:
            if part.kind.what == "supply" and part.kind.pins[n].type == "power_out":
                best = min(best, part.kind.rating * 1.3)
        for up, _, part in (c for c in self.carriers() if c[1] == name):
            own = {"fuse": part.kind.extra.get("fuse_amps"), "switch": part.kind.rating * 1.3, "converter": 1.0}.get(
                part.kind.what
            )
            if part.kind.mpn.startswith("TPS2553"):
                own = self.port_limit_ma(part)[2] / 1000
            if part.kind.what == "resistor":
                own = self.volts_of(up) / part.kind.number
            best = min(best, min(own or float("inf"), self.protection(up, (*seen, name))))
        if self.circuit.nets[name].volts is None:
            for a, b, ohm, part in self.resistors():
                if name not in (a, b):
                    continue
                other = b if a == name else a
                if part.kind.what in ("load", "contact"):
                    best = min(best, self.protection(other, (*seen, name)))
                elif self.volts_of(other):
                    best = min(best, self.volts_of(other) / ohm)
            if best == float("inf"):
                best = 0.05  # a logic output
        return best

    def faulty_amps(self, name, amps):
        """Returns the greatest current of a supply net while one wire that leaves the board is shorted."""
        outside = any(w.net == name for cable in self.circuit.cables for w in cable.wires)
        if outside:
            return max(amps[name], self.protection(name))
        worst = amps[name]
        for up, down, part in self.carriers():
            if up == name:
                share = self.volts_of(down) / self.volts_of(up) if "converts" in part.kind.extra else 1.0
                worst = max(worst, amps[name] + share * (self.faulty_amps(down, amps) - amps[down]))
        return worst

    def port_limit_ma(self, switch):
        """Returns the current limit of a switch from the resistor at its ILIM."""
        net = self.at(switch, "ILIM")
        ohm = next((ohm for a, b, ohm, _ in self.resistors() if net in (a, b)), None)
        return limit_ma(ohm) if ohm else (0.0, 0.0, float("inf"))
