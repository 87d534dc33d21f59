#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads hw/generated/*.net with kinparse, an independent reader of KiCad netlists, and compares each part and net.

Exit status 0: equal; 1: one line for each difference; 77: kinparse is not installed.
"""

import sys

import make
from schematic import outputs

try:
    from kinparse import parse_netlist
except ImportError:
    print("SKIPPED: kinparse is not installed (./run hw installs it)")
    raise SystemExit(77)


def read(text):
    """Returns ({net: {"ref.pin"}}, {ref: (value, footprint)}) as read by kinparse."""
    netlist = parse_netlist(text)
    return (
        {net.name: {f"{pin.ref}.{pin.num}" for pin in net.pins} for net in netlist.nets},
        {part.ref: (part.value, part.footprint) for part in netlist.parts},
    )


def differences(circuit, nets, parts):
    expected = outputs.dissolve(circuit)
    for name in sorted(nets.keys() | expected.keys()):
        if nets.get(name) != expected.get(name):
            yield f"{circuit.name}: net {name}: {nets.get(name)} read, {expected.get(name)} written"
    expected = {
        p.ref: (p.kind.value or p.kind.mpn, p.kind.footprint)
        for p in circuit.parts.values()
        if p.place == "board" and p.kind.pins
    }
    for ref in sorted(parts.keys() | expected.keys()):
        if parts.get(ref) != expected.get(ref):
            yield f"{circuit.name}: part {ref}: {parts.get(ref)} read, {expected.get(ref)} written"


def main():
    lines = []
    for view in make.views():
        circuit = view.circuit
        nets, parts = read((make.GENERATED / f"{circuit.name}.net").read_text(encoding="utf-8"))
        lines += differences(circuit, nets, parts)
        # The comparison must notice a lost pin; otherwise it would prove nothing.
        without = {name: nodes - {"U2.16"} for name, nodes in nets.items()}
        if len(list(differences(circuit, without, parts))) != 1:
            lines.append(f"{circuit.name}: a lost pin was not noticed")
        print(f"{circuit.name}: {len(parts)} parts and {len(nets)} nets were compared with kinparse")
    for line in lines:
        print(f"hw: {line}", file=sys.stderr)
    raise SystemExit(1 if lines else 0)


if __name__ == "__main__":
    main()
