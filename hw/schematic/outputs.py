# SPDX-License-Identifier: GPL-3.0-or-later
"""Netlist, parts lists, harness and tables of a circuit, as text."""

import csv
import io
import re

from schematic import budget, failsafe
from schematic.catalog import PRICES_OF
from schematic.netlist import GROUND
from schematic.view import trace_amps


def by_reference(part):
    letters = part.ref.rstrip("0123456789")
    return (letters, int(part.ref[len(letters) :] or 0))


def _quoted(text):
    return '"' + str(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def kicad(circuit):
    """Returns the board as KiCad's exported netlist. Modules bought complete and wired are not on the board."""
    board = sorted((p for p in circuit.parts.values() if p.place == "board" and p.kind.pins), key=by_reference)
    lines = [
        '(export (version "E")',
        f'  (design (source {_quoted(circuit.name)}) (tool "hw/schematic"))',
        "  (components",
    ]
    for part in board:
        lines.append(
            f"    (comp (ref {_quoted(part.ref)}) (value {_quoted(part.kind.value or part.kind.mpn)})"
            f' (footprint {_quoted(part.kind.footprint)}) (fields (field (name "MPN") {_quoted(part.kind.mpn)}))'
            f' (libsource (lib "rig") (part {_quoted(part.kind.mpn)}) (description "")))'
        )
    lines += ["  )", "  (nets"]
    on_board = {part.ref for part in board}
    for code, net in enumerate(sorted(circuit.nets.values(), key=lambda n: n.name), 1):
        nodes = sorted((p.ref, int(n)) for p, n in net.pins if p.ref in on_board)
        if nodes:
            lines.append(f'    (net (code "{code}") (name {_quoted(net.name)})')
            lines += [f'      (node (ref "{ref}") (pin "{number}"))' for ref, number in nodes]
            lines.append("    )")
    return "\n".join(lines + ["  )", ")", ""])


def _table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def parts_list(circuit):
    """Returns (rows, total in EUR): one row per kind of part."""
    groups = {}
    for part in sorted(circuit.parts.values(), key=by_reference):
        groups.setdefault((part.kind.mpn, part.kind.value), []).append(part)
    rows, total = [], 0.0
    for members in groups.values():
        kind = members[0].kind
        total += kind.price * len(members)
        refs = " ".join(p.ref for p in members if p.kind.pins)
        rows.append(
            [
                refs,
                len(members),
                kind.value,
                kind.mpn,
                kind.maker,
                kind.second,
                kind.footprint,
                f"{kind.price:.2f}",
                f"{kind.price * len(members):.2f}",
                PRICES_OF,
            ]
        )
    return rows, total


def bom(circuit):
    rows, total = parts_list(circuit)
    head = [
        "references",
        "quantity",
        "value",
        "part number",
        "maker",
        "second source",
        "footprint",
        "EUR each",
        "EUR",
        "estimate of",
    ]
    return _table([head, *rows, ["", "", "total", "", "", "", "", "", f"{total:.2f}", PRICES_OF]])


def _end(circuit, end):
    ref, number = end.split(".")
    part = circuit.parts[ref]
    return ref, number, part.kind.pins[number].name, part.kind.value or part.kind.mpn


def harness(circuit):
    rows = [["cable", "what", "net", "from", "pin", "to", "part", "pin", "colour", "mm²", "m"]]
    for cable in circuit.cables:
        for wire in cable.wires:
            ref, number, _, _ = _end(circuit, wire.at)
            other, other_number, other_name, other_part = _end(circuit, wire.to)
            rows.append(
                [
                    cable.ref,
                    cable.what,
                    wire.net,
                    ref,
                    number,
                    other,
                    other_part,
                    f"{other_number} {other_name}",
                    wire.colour,
                    f"{cable.square:g}",
                    f"{cable.metres:g}",
                ]
            )
    return _table(rows)


def _markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(c) for c in row) + " |" for row in rows])


def _alike(rows):
    """Merges rows that differ only in numbers of parts and ports."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(re.sub(r"(?<=[A-Z])\d+", "#", str(cell)) for cell in row), []).append(row)
    return [
        [f"{members[0][0]} and {len(members) - 1} alike" if len(members) > 1 else members[0][0], *members[0][1:]]
        for members in groups.values()
    ]


def fail_safe_table(view):
    """Returns the state of each output of pins.csv while no firmware runs."""
    states = [
        (
            name,
            volts,
            failsafe.released(view, volts),
            {(p.ref, n): (level, off) for p, n, level, off in failsafe.judge(view, volts)},
        )
        for name, volts in failsafe.STATES
    ]
    rows = []
    for row in view.rows:
        signal = row["signal"]
        if row["direction"] != "out" and "driven only" not in row["note"]:
            continue
        net = view.circuit.nets.get(signal)
        if net is None:
            if row["gp"].isdigit():
                rows.append([signal, row["safe"], "on the Pico", *["-"] * len(states), "a light"])
            continue
        switched = _switched(view, net)
        held = ", ".join(failsafe.pulls(view, signal)) or (
            "pull-down of the RP2040" if row["gp"].isdigit() else "nothing"
        )
        held = ", ".join([held, *(f"{p.ref} in series" for p, _ in net.pins if p.kind.what == "capacitor")])
        cells = []
        for _, volts, (with_pulls, without, _), _ in states:
            level = without.get(signal, with_pulls.get(signal))
            if level is not None and signal in without and row["safe"] == "1":
                level = min(level, with_pulls[signal])
            cells.append("floats" if level is None else f"{level:.2f} V")
        effect = []
        for part, number in switched:
            pin = part.kind.pins[number]
            offs = [judged[(part.ref, number)][1] for *_, judged in states]
            if all(offs) and "off_means" in part.kind.extra:
                effect.append(f"{part.ref} {part.kind.extra['off_means']}")
            elif all(offs):
                effect.append(f"{part.ref} {part.kind.value or part.kind.mpn} off")
            else:
                effect.append(f"{part.ref} {pin.name} not off")
        note = "; ".join(sorted(set(effect))) or _harmless(view, signal)
        rows.append([signal, row["safe"], held, *cells, note])
    return _markdown(["output", "safe", "held by", *[name for name, *_ in states], "so"], _alike(rows))


def _switched(view, net):
    """Returns the switching pins on a net, or behind one resistor or capacitor."""
    names = {net.name}
    for part, number in net.pins:
        if part.kind.what in ("resistor", "capacitor", "diode"):
            names |= {view.at(part, n) for n in part.kind.pins if view.at(part, n)}
    names = {n for n in names if view.volts_of(n) is None}
    if net.name == "SAFETY_PUMP":
        names.add("PUMPED")
    return [
        (p, n)
        for name in names
        if name in view.circuit.nets
        for p, n in view.circuit.nets[name].pins
        if p.kind.pins[n].off
    ]


def _harmless(view, signal):
    if signal.endswith(("_STEP", "_DIR")):
        return "drivers are off by MOT_EN_N" if view.circuit.name == "swap30" else "goes nowhere"
    if signal.startswith("CHAIN"):
        return "the 74HC595 show nothing by OUT_EN_N"
    if signal.startswith("LED"):
        return "a light"
    if signal.startswith("NEST"):
        return "its card has no supply"
    if signal.startswith("SENSE"):
        return "selects what is measured"
    return "an idle line" if signal == "UART_TX" else "goes nowhere"


def pin_table(view):
    rows = [[r["gp"], r["signal"], r["direction"], r["safe"], r["note"]] for r in view.rows]
    return _markdown(["place", "signal", "direction", "safe", "what"], rows)


def report(view):
    """Returns power, heat, times, traces and the fail-safe table of a level as one page."""
    circuit = view.circuit
    supplies = [
        [
            name,
            f"{volts:g} V",
            f"{amps * 1000:.0f} mA",
            f"{volts * amps:.2f} W",
            source,
            f"{circuit.nets[name].trace:g} mm, {trace_amps(circuit.nets[name].trace):.1f} A",
        ]
        for name, volts, amps, source in budget.supplies(view)
    ]
    heat = [
        [ref, mpn, f"{watts * 1000:.0f} mW", f"{rise:.0f} K", f"{hottest:.0f} °C", f"{allowed} °C"]
        for ref, mpn, watts, rise, hottest, allowed in budget.heat(view)
    ]
    times = [[what, f"{value:.2f} {unit}", f"{demand:g} {unit}"] for what, value, demand, unit, _ in budget.times(view)]
    _, total = parts_list(circuit)
    title = {"bank8": "Bank-8", "swap30": "Swap-30"}[circuit.name]
    return "\n".join(
        [
            f"# {title}: what is computed from its parts",
            "",
            "Made by `hw/make.py`; do not edit. Nothing here was measured: figures are those of data sheets, worst case.",
            "",
            f"{len([p for p in circuit.parts.values() if p.place == 'board' and p.kind.pins])} parts on the board, {len(circuit.nets)} nets,"
            f" {len(circuit.cables)} cables; all parts {total:.2f} EUR (estimate of {PRICES_OF}, without freight).",
            "",
            "## Without firmware",
            "",
            "Reset and boot loader let all GPIOs go; the pulls inside the RP2040 are counted where they are against us.",
            "",
            fail_safe_table(view),
            "",
            "## Supplies",
            "",
            _markdown(["net", "", "at most", "power", "from", "narrowest trace"], _alike(supplies)),
            "",
            f"## Heat at {budget.AMBIENT:g} °C",
            "",
            _markdown(["", "part", "heat", "rise", "hottest", "stands"], _alike(heat)),
            "",
            "## Times and levels",
            "",
            _markdown(["what", "computed", "demanded"], _alike(times)),
            "",
            "## Pins",
            "",
            pin_table(view),
            "",
        ]
    )


def dissolve(circuit):
    """Returns the nets as sets of "ref.pin" of the board, for comparison with another reader of the netlist."""
    found = {}
    for net in circuit.nets.values():
        nodes = {f"{p.ref}.{n}" for p, n in net.pins if p.place == "board"}
        if nodes:
            found[net.name] = nodes
    assert GROUND in found
    return found
