# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes the level at every switching input while no firmware runs: in reset, in the boot loader, in a brown-out,
without 3.3 V.

Only resistors of the schematic count. The pulls inside the RP2040 count where they act against the safe level.
"""

from schematic.netlist import GROUND

# States of the 3.3 V supply: nominal, rising or falling, absent. One value is enough for rising or falling, because the
# ratios of resistors are constant.
STATES = (("reset, boot loader", 3.3), ("brown-out, 1.8 V left", 1.8), ("no 3.3 V", 0.0))
# Below this supply voltage the logic drives no output.
ALIVE_VOLTS = 1.0


def _supplies(view, volts):
    """Returns every net of 3.3 V at `volts`. Nets behind a switch are off, because the rule proves the state of the
    switches."""
    supplies = {name: volts for name, net in view.circuit.nets.items() if net.volts == 3.3}
    supplies.update({down: 0.0 for _, down, part in view.carriers() if part.kind.what == "switch"})
    return supplies


def released(view, volts):
    """Returns the levels with all GPIOs released, and the 74HC595 whose outputs are released: ({net: V} with the
    on-chip pulls, without, refs)."""
    supplies = _supplies(view, volts)
    pulls = []
    pico = next((p for p in view.parts() if "pull_ohm" in p.kind.extra), None)
    for number, pin in (pico.kind.pins.items() if pico else ()):
        net = view.net.get((pico.ref, number))
        if net and pin.type == "io":
            pulls.append((net.name, GROUND, pico.kind.extra["pull_ohm"][0]))
    with_pulls = view.levels({}, supplies=supplies, extra=pulls)
    without = view.levels({}, supplies=supplies)
    free = set()
    for part in view.parts():
        if not part.kind.output_enable:
            continue
        number, active = part.kind.output_enable
        pin = part.kind.pins[number]
        net = view.at(part, number)
        lo, hi = (
            min(l.get(net, volts / 2) for l in (with_pulls, without)),
            max(l.get(net, volts / 2) for l in (with_pulls, without)),
        )
        off = lo >= pin.high * volts if active == "low" else hi <= pin.low * volts
        if off or volts < ALIVE_VOLTS:
            free.add(part.ref)
    return with_pulls, without, free


def threshold(part, pin, volts):
    """Returns (low, high) in volts while the logic supply is at `volts`."""
    share = volts if part.kind.ratio else 1.0
    return pin.low * share, pin.high * share


def judge(view, state_volts, standing=None):
    """Yields (part, number, level or None, off?) for each switching pin. `standing`: {net: level} held by a hung
    board."""
    with_pulls, without, free = released(view, state_volts)
    if standing:
        supplies = _supplies(view, state_volts)
        with_pulls = without = view.levels(standing, supplies=supplies)
    results = []
    for net, part, number, pin in view.pins():
        if not pin.off:
            continue
        drivers = [(p, n) for p, n in view.drivers(net) if p.kind.pins[n].type != "io" and p.ref not in free]
        level = None
        if not drivers or state_volts < ALIVE_VOLTS:
            # A net without a resistor floats: its level is unknown.
            candidates = [levels.get(net.name) for levels in (with_pulls, without)]
            if standing is None and net.name not in without:
                candidates = [None]
            level = None if None in candidates else (max(candidates) if pin.off == "low" else min(candidates))
        low, high = threshold(part, pin, state_volts)
        # Without its logic supply, a part whose levels are fractions of that supply switches nothing on.
        dead = part.kind.ratio and state_volts < ALIVE_VOLTS
        off = dead or (level is not None and (level <= low if pin.off == "low" else level >= high))
        results.append([part, number, level, off])
    _series(view, results)
    return results


def _series(view, results):
    """A transistor whose drain leads only to transistors that are off carries no current."""
    off = {part.ref for part, _, _, is_off in results if is_off}
    for row in results:
        part = row[0]
        if row[3] or part.kind.what != "fet":
            continue
        drain = view.circuit.nets.get(view.at(part, "D"))
        others = [(p, n) for p, n in drain.pins if p is not part] if drain else []
        if others and all(p.kind.what == "fet" and p.kind.pins[n].name == "S" and p.ref in off for p, n in others):
            row[3] = True


def pulls(view, name, through=()):
    """Returns the resistors that pull a net: ['R3 10K to +3V3'], also through a small one in series."""
    found = []
    for a, b, ohm, part in view.resistors():
        if name not in (a, b) or part.kind.what != "resistor":
            continue
        other = b if a == name else a
        if view.volts_of(other) is not None:
            found.append(f"{part.ref} {part.kind.value} to {other}")
        elif ohm <= 1_000 and other not in through:
            found += pulls(view, other, (*through, name))
    return found
