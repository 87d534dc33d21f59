# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a circuit: its blocks with the signals between them, and its cables. SVG without other tools."""

import re
from html import escape

from schematic.outputs import by_reference

LINE, TITLE = 15, 24
INK = {
    "black": "#222",
    "white": "#bbb",
    "red": "#c22",
    "orange": "#d80",
    "yellow": "#cb0",
    "blue": "#26c",
    "green": "#292",
    "violet": "#83b",
    "grey": "#888",
    "brown": "#853",
    "pink": "#d6a",
    "white-blue": "#8ad",
}

# Blocks by column. Blocks of one level only are omitted in the other.
COLUMNS = [
    ["E-stop and door", "5 V supply", "12 V supply"],
    ["Safety chain", "Pico", "Motion part, left off"],
    ["Motor drivers", "Output chain", "Input chain", "Port sense", "Identity nest"],
    ["Motors", "Ports", "Slot lights", "Vacuum", "Forks", "Card on the nest"],
    ["Readers", "Pump, valve and jaw", "Fork boards"],
]
BOX, GAP, TOP, SPACE = 232, 250, 64, 26


def shorten(names):
    """['A0', 'A1', 'A2', 'B'] -> 'A0..2, B'"""
    groups, others = {}, []
    for name in sorted(names):
        found = re.fullmatch(r"(.*?)(\d+)(_\w+)?", name)
        if found:
            groups.setdefault((found[1], found[3] or ""), []).append(int(found[2]))
        else:
            others.append(name)
    for (stem, tail), numbers in groups.items():
        numbers.sort()
        run = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
        others += [f"{stem}{numbers[0]}..{numbers[-1]}{tail}"] if run else [f"{stem}{n}{tail}" for n in numbers]
    return ", ".join(sorted(others))


def _wrapped(text, width):
    lines, line = [], ""
    for word in text.split(" "):
        if line and len(line) + len(word) + 1 > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return lines + [line]


def _text(x, y, text, size=12, anchor="start", weight="normal", fill="#111"):
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}" fill="{fill}">'
        f"{escape(text)}</text>"
    )


def _svg(width, height, body, title):
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
            ' font-family="DejaVu Sans, Arial, sans-serif">',
            f"<title>{escape(title)}</title>",
            f'<rect width="{width:g}" height="{height:g}" fill="white"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def _contents(circuit, block):
    groups = {}
    for part in sorted((p for p in circuit.parts.values() if p.block == block), key=by_reference):
        if part.kind.what in ("resistor", "capacitor") and not part.kind.extra.get("carries"):
            continue
        groups[part.kind.value or part.kind.mpn] = groups.get(part.kind.value or part.kind.mpn, 0) + 1
    lines = []
    for what, count in groups.items():
        lines += _wrapped(f"{count} x {what}" if count > 1 else what, 32)
    return lines


def _links(circuit):
    """Returns {(block, block): signals}, and the supplies of each block."""
    links, fed = {}, {}
    for net in circuit.nets.values():
        blocks = {p.block for p, _ in net.pins if p.block != "Goods"}
        if net.volts is not None and not net.name.startswith("VBUS"):
            for block in blocks if net.name != "GND" and "_PORT" not in net.name else ():
                fed.setdefault(block, set()).add(net.name)
            continue
        for a in blocks:
            for b in blocks:
                if a < b:
                    links.setdefault((a, b), set()).add(net.name)
    return links, fed


def overview(circuit, title):
    links, fed = _links(circuit)
    present = {p.block for p in circuit.parts.values()}
    columns = [[b for b in column if b in present] for column in COLUMNS]
    missing = present - {b for column in columns for b in column} - {"Goods"}
    if missing:
        raise ValueError(f"no place in the overview for {missing}")
    column_of = {b: i for i, column in enumerate(columns) for b in column}
    sides, notes = {b: ([], []) for b in column_of}, {b: [] for b in column_of}
    edges = []
    for (a, b), signals in sorted(links.items()):
        left, right = (a, b) if column_of[a] <= column_of[b] else (b, a)
        label = shorten(signals)
        if column_of[right] - column_of[left] == 1:
            edges.append((left, right, label))
            sides[left][1].append(len(edges) - 1)
            sides[right][0].append(len(edges) - 1)
        else:
            notes[left].append(f"{label} with {right}")
            notes[right].append(f"{label} with {left}")
    labels = [_wrapped(label, 27) for *_, label in edges]
    place, body, bottom = {}, [], 0
    for i, column in enumerate(columns):
        y = TOP
        for block in column:
            lines = _contents(circuit, block)
            for note in notes[block]:
                lines += [*([None] if note == notes[block][0] else []), *_wrapped(note, 34)]
            supplies = shorten(fed.get(block, ()))
            ports = max(sum(len(labels[e]) * LINE + 10 for e in side) for side in sides[block])
            supply_lines = _wrapped(f"supplies: {supplies}", 34) if supplies else []
            height = TITLE + 12 + max((len(lines) + len(supply_lines)) * LINE + 6, ports)
            place[block] = (20 + i * (BOX + GAP), y, height)
            x = place[block][0]
            body.append(f'<rect x="{x}" y="{y}" width="{BOX}" height="{height}" rx="5" fill="#f5f7fa" stroke="#456"/>')
            body.append(_text(x + 10, y + 18, block, 14, weight="bold"))
            at = y + TITLE + 14
            for line in lines:
                if line is not None:
                    note = lines.index(line) >= len(_contents(circuit, block))
                    body.append(_text(x + 10, at, line, 11 if note else 12, fill="#357" if note else "#111"))
                at += LINE
            for line in supply_lines:
                body.append(_text(x + 10, at, line, 11, fill="#a40"))
                at += LINE
            y += height + SPACE
        bottom = max(bottom, y)
    ends = {}
    for block, (left_side, right_side) in sides.items():
        x, y, _ = place[block]
        for side, edge_x in ((left_side, x), (right_side, x + BOX)):
            other = {e: (edges[e][1] if edges[e][0] == block else edges[e][0]) for e in side}
            at = y + TITLE + 10
            for e in sorted(side, key=lambda e: place[other[e]][1]):
                ends[(e, block)] = (edge_x, at + len(labels[e]) * LINE)
                at += len(labels[e]) * LINE + 10
    lanes = {}
    for e, (left, right, _) in sorted(enumerate(edges), key=lambda item: ends[(item[0], item[1][0])][1]):
        (x1, y1), (x2, y2) = ends[(e, left)], ends[(e, right)]
        lane = lanes.get(column_of[left], 0)
        lanes[column_of[left]] = lane + 1
        mid = x2 - 8 - 6 * lane
        body.append(f'<path d="M{x1} {y1} H{mid} V{y2} H{x2}" fill="none" stroke="#357" stroke-width="1.4"/>')
        for i, line in enumerate(labels[e]):
            body.append(_text(x1 + 5, y1 - 4 - (len(labels[e]) - 1 - i) * LINE, line, 11, fill="#357"))
    width = 20 + len(columns) * (BOX + GAP) - GAP + 20
    body.insert(0, _text(20, 36, title, 20, weight="bold"))
    return _svg(width, bottom + 10, body, title)


def _pattern(circuit, cable):
    """Returns the common parts of two cables, which are drawn once."""
    strip = lambda text: re.sub(r"\d+", "#", text)
    ends = tuple((strip(w.net), w.at.split(".")[1], w.to.split(".")[1], w.colour) for w in cable.wires)
    return (strip(cable.what), cable.square, cable.metres, ends)


def harness(circuit, title):
    groups = {}
    for cable in circuit.cables:
        groups.setdefault(_pattern(circuit, cable), []).append(cable)
    body, y = [_text(20, 34, title, 20, weight="bold")], 60
    for cables in groups.values():
        cable = cables[0]
        names = cable.ref if len(cables) == 1 else f"{cable.ref} to {cables[-1].ref}"
        what = (
            cable.what
            if len(cables) == 1
            else (
                re.sub(r" \d+:", " 1 to 8:", cable.what)
                if "reader" in cable.what
                else " and ".join(c.what for c in cables)
            )
        )
        body.append(_text(20, y, f"{names}: {what}", 14, weight="bold"))
        body.append(_text(20, y + 17, f"{cable.square:g} mm², {cable.metres:g} m", 12, fill="#555"))
        rows = len(cable.wires)
        y += 28
        for x, end in ((60, "at"), (620, "to")):
            body.append(
                f'<rect x="{x}" y="{y}" width="220" height="{rows * 22 + 8}" rx="4" fill="#f5f7fa" stroke="#456"/>'
            )
        for i, wire in enumerate(cable.wires):
            at = y + 20 + i * 22
            nets = wire.net if len(cables) == 1 else shorten({c.wires[i].net for c in cables})
            for x, end, anchor, dot in ((70, wire.at, "start", 280), (830, wire.to, "end", 620)):
                ref, number = end.split(".")
                which = shorten({getattr(c.wires[i], "at" if dot == 280 else "to").split(".")[0] for c in cables})
                pin = circuit.parts[ref].kind.pins[number].name
                shown = f"{which} pin {number}" + (f" {pin}" if pin != number else "")
                body.append(_text(x, at + 4, shown, 12, anchor))
                body.append(f'<circle cx="{dot}" cy="{at}" r="4" fill="{INK[wire.colour]}"/>')
            body.append(f'<line x1="284" y1="{at}" x2="616" y2="{at}" stroke="{INK[wire.colour]}" stroke-width="3"/>')
            body.append(
                f'<rect x="{450 - 4.2 * len(nets + wire.colour) - 12}" y="{at - 9}" width="{8.4 * len(nets + wire.colour) + 24}" height="18" fill="white"/>'
            )
            body.append(_text(450, at + 4, f"{nets} ({wire.colour})", 12, "middle"))
        y += rows * 22 + 48
    return _svg(900, y, body, title)
