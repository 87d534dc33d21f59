#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes single tokens of the core at random, runs the tests of the module, and lists the changes that no test notices.

usage: mutants.py N [START [ONLY]]    N changes; START: the start value of an earlier run, for the same changes;
                                      ONLY: numbers of these changes ("7,23"), to try no others

Works on a copy of the sources in build/mutants/tree, so that the tree itself never holds a change. Exit status: 0 at least
95 of 100 were noticed, 1 fewer were, 2 the request is wrong, 3 the tests fail without any change.
"""

import random
import subprocess
import sys
import time
from pathlib import Path

from modules import MODULES, tests_of
from tokens import candidates
from trial import TestsFail, Trial

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS_ALLOWED = 0.05


def draws(tree, start):
    """Endless: (number from 1, module, change). They depend on the start value and on the sources of the modules alone."""
    chosen = random.Random(start)
    known = {}
    number = 0
    while True:
        number += 1
        module = chosen.choice(list(MODULES))
        if module not in known:
            known[module] = candidates(tree, MODULES[module].sources)
        yield number, module, chosen.choice(known[module])


def arguments():
    if not 2 <= len(sys.argv) <= 4:
        raise ValueError
    wanted = int(sys.argv[1])
    start = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    only = {int(number) for number in sys.argv[3].split(",")} if len(sys.argv) > 3 else None
    if wanted < 1:
        raise ValueError
    return len(only) if only else wanted, start, only


def main():
    try:
        wanted, start, only = arguments()
    except ValueError:
        print(__doc__, file=sys.stderr)
        return 2
    trial = Trial(ROOT, ROOT / "build" / "mutants")
    print(f"start value {start}", flush=True)
    survivors, noticed, odd = [], 0, 0
    for number, module, change in draws(trial.tree, start):
        if noticed + len(survivors) + (odd if only else 0) >= wanted:
            break
        if only and number not in only:
            continue
        tests = tests_of(module, change.path)
        began = time.monotonic()
        try:
            outcome = trial.of(change, tests)
        except TestsFail as problem:
            print(problem, file=sys.stderr)
            return 3
        said = f"{number}: {outcome:<20} {change}   [{time.monotonic() - began:.0f} s]"
        print(said, flush=True)
        if outcome == "survived":
            survivors.append(said)
        elif outcome == "does not compile":
            odd += 1  # nobody can make that mistake
        else:
            noticed += 1
    print(f"{noticed} of {noticed + len(survivors)} changes were noticed; {odd} more did not compile; start value {start}")
    for said in survivors:
        print(said)
    return 0 if len(survivors) <= SURVIVORS_ALLOWED * (noticed + len(survivors)) else 1


if __name__ == "__main__":
    sys.exit(main())
