#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes single tokens of the core at random, runs the tests of the module, and lists the undetected changes.

usage: mutants.py N [START [ONLY]]    N changes; START: the start value of an earlier run, for equal changes;
                                      ONLY: numbers of these changes ("7,23"), to try no others

Works on copies of the sources in build/mutants, one for each processor, so that the tree itself is never changed. Exit
status: 0 at least 95 of 100 were detected, 1 fewer were, 2 the request is wrong, 3 the tests fail without any change.
"""

import os
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from modules import MODULES, tests_of
from tokens import candidates
from trial import TestsFail, Trial

ROOT = Path(__file__).resolve().parents[2]
SURVIVORS_ALLOWED = 0.05


def draws(tree, start):
    """Endless: (number from 1, module, change). They depend only on the start value and on the sources of the
    modules."""
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


class Tally:
    """Results of the changes; supplies the next changes until enough were tried."""

    def __init__(self, wanted, drawn, only):
        self.wanted, self.drawn, self.only = wanted, drawn, only
        self.lock = threading.Lock()
        self.survivors, self.noticed, self.odd, self.under_way = [], 0, 0, 0

    def next(self):
        with self.lock:
            tried = self.noticed + len(self.survivors) + (self.odd if self.only else 0)
            if tried + self.under_way >= self.wanted:
                return None
            self.under_way += 1
            return next(each for each in self.drawn if not self.only or each[0] in self.only)

    def count(self, outcome, said):
        with self.lock:
            self.under_way -= 1
            print(said, flush=True)
            if outcome == "survived":
                self.survivors.append(said)
            elif outcome == "does not compile":
                self.odd += 1  # not a mistake that a developer can make
            else:
                self.noticed += 1


def work(folder, tally):
    """Tries changes in a private copy of the tree until there are enough."""
    trial = Trial(ROOT, folder)
    while (drawn := tally.next()) is not None:
        number, module, change = drawn
        began = time.monotonic()
        outcome = trial.outcome_of(change, tests_of(module, change.path))
        tally.count(outcome, f"{number}: {outcome:<20} {change}   [{time.monotonic() - began:.0f} s]")


def main():
    try:
        wanted, start, only = arguments()
    except ValueError:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"start value {start}", flush=True)
    tally = Tally(wanted, draws(ROOT, start), only)
    workers = min(os.cpu_count() or 1, wanted)
    with ThreadPoolExecutor(workers) as pool:
        working = [pool.submit(work, ROOT / "build" / "mutants" / str(number), tally) for number in range(workers)]
        try:
            for each in working:
                each.result()
        except TestsFail as problem:
            tally.wanted = 0
            print(problem, file=sys.stderr)
            return 3
    survivors, noticed = tally.survivors, tally.noticed
    print(f"{noticed} of {noticed + len(survivors)} changes were noticed; {tally.odd} more did not compile; start value {start}")
    for said in survivors:
        print(said)
    return 0 if len(survivors) <= SURVIVORS_ALLOWED * (noticed + len(survivors)) else 1


if __name__ == "__main__":
    sys.exit(main())
