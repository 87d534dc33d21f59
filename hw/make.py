#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the circuit of the rig and generates the files derived from it.

make.py            writes hw/generated if every rule holds
make.py --check    writes nothing; exit status 1 and one line for each violated rule and each outdated file
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pins_header  # noqa: E402
from schematic import budget, drawing, erc, outputs, rig  # noqa: E402
from schematic.view import View  # noqa: E402

GENERATED = HERE / "generated"
TITLES = {"bank8": "Bank-8: eight switched ports, no motion", "swap30": "Swap-30: eight ports, magazine and carriage"}
# Greatest price of a level for a hobbyist. Bank-8 includes 54 EUR for two hubs with their own supplies.
MOST_EUR = {"bank8": 230.0}


def views():
    rows = pins_header.read((HERE / "pins.csv").read_text(encoding="utf-8"))
    problems = list(pins_header.wrong(rows))
    if problems:
        raise SystemExit("\n".join(f"pins: {problem}" for problem in problems))
    return [View(rig.build(level, rows), rows) for level in rig.LEVELS]


def wrong(view):
    parts_hpp = (HERE / "parts.hpp").read_text(encoding="utf-8")
    name = view.circuit.name
    found = [f"{name}: {rule}: {line}" for rule, line in erc.check(view, parts_hpp)]
    found += [f"{name}: budget: {line}" for line in budget.wrong(view)]
    _, total = outputs.parts_list(view.circuit)
    if total > MOST_EUR.get(name, total):
        found.append(f"{name}: {total:.2f} EUR, at most {MOST_EUR[name]:.0f}")
    return found


def files(view):
    circuit, name = view.circuit, view.circuit.name
    return {
        f"{name}.net": outputs.kicad(circuit),
        f"{name}-parts.csv": outputs.bom(circuit),
        f"{name}-harness.csv": outputs.harness(circuit),
        f"{name}-report.md": outputs.report(view),
        f"{name}-overview.svg": drawing.overview(circuit, TITLES[name]),
        f"{name}-harness.svg": drawing.harness(circuit, f"Cables of {TITLES[name].split(':')[0]}"),
    }


def main():
    checking = sys.argv[1:] == ["--check"]
    if sys.argv[1:] not in ([], ["--check"]):
        raise SystemExit(__doc__)
    found = views()
    problems = [line for view in found for line in wrong(view)]
    made = {name: text for view in found for name, text in files(view).items()} if not problems else {}
    for name, text in made.items():
        path = GENERATED / name
        if not checking:
            GENERATED.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            problems.append(
                f"hw/generated/{name} is not what the schematic gives: run hw/make.py and look at the difference"
            )
    for problem in problems:
        print(f"hw: {problem}", file=sys.stderr)
    if problems:
        raise SystemExit(1)
    for view in found:
        parts, total = outputs.parts_list(view.circuit)
        print(
            f"{view.circuit.name}: {len(view.circuit.parts)} parts, {len(parts)} lines to order, {len(view.circuit.nets)} nets, "
            f"{total:.2f} EUR; every rule holds"
        )


if __name__ == "__main__":
    main()
