#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the transients of the rig's supplies in ngspice and compares them with their limits.

Exit status 0: all hold; 1: one line for each limit that does not; 77: ngspice is not installed.
"""

import shutil
import sys

import make
from schematic import transients


def main():
    if not shutil.which("ngspice"):
        print("SKIPPED: ngspice is not installed (./run hw installs it)")
        raise SystemExit(77)
    wrong = 0
    for view in make.views():
        print(f"{view.circuit.name}:")
        for deck in transients.decks(view):
            for limit, value in transients.run(deck).items():
                shown = "nothing" if value is None else f"{value:.3g} {limit.unit}"
                print(f"  {deck.name}: {limit.name}: {shown}, {limit.text()}")
                if not limit.holds(value):
                    wrong += 1
                    print(f"hw: {view.circuit.name}: {deck.name}: {limit.name}: {shown}, {limit.text()}", file=sys.stderr)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
