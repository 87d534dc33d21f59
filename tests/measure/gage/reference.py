#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""reference.py: the sums of squares and variances of the worked example in gage_test.cpp, in rational numbers and by
another method than gage_study.cpp: each sum is the difference of the residuals of a model and the next smaller one. Prints
the expected values of the test."""
import os
import re
from fractions import Fraction as F

HERE = os.path.dirname(os.path.abspath(__file__))
PARTS, SLOTS, TRIALS = 10, 3, 3


def lines():
    with open(os.path.join(HERE, "gage_test.cpp"), encoding="utf-8") as file:
        text = file.read()
    table = text[text.index("lines[9][10]"):text.index("GageData data")]
    rows = re.findall(r"\{(-?\d[^{}]*)\}", table)
    return [[F(number.strip()) for number in row.split(",")] for row in rows]


def left_over(values, model):
    """Returns the sum of squares of the deviations from a model, which is a function of part and slot."""
    return sum((value - model(part, slot)) ** 2 for part, slot, value in values)


def mean(numbers):
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def main():
    rows = lines()
    assert len(rows) == SLOTS * TRIALS and all(len(row) == PARTS for row in rows)
    values = [(part, line // TRIALS, rows[line][part]) for line in range(SLOTS * TRIALS) for part in range(PARTS)]
    whole = mean(v for _, _, v in values)
    parts = {p: mean(v for q, _, v in values if q == p) for p in range(PARTS)}
    slots = {s: mean(v for _, t, v in values if t == s) for s in range(SLOTS)}
    cells = {(p, s): mean(v for q, t, v in values if (q, t) == (p, s)) for p in range(PARTS) for s in range(SLOTS)}
    total = left_over(values, lambda p, s: whole)
    by_part = left_over(values, lambda p, s: parts[p])
    by_both = left_over(values, lambda p, s: parts[p] + slots[s] - whole)
    by_cell = left_over(values, lambda p, s: cells[p, s])
    found = {"parts": total - by_part, "slots": by_part - by_both, "interaction": by_both - by_cell,
             "repeatability": by_cell, "total": total}
    pooled = (found["interaction"] + found["repeatability"]) / (18 + 60)
    slot_variance = (found["slots"] / 2 - pooled) / (PARTS * TRIALS)
    part_variance = (found["parts"] / 9 - pooled) / (SLOTS * TRIALS)
    station = pooled + slot_variance
    found |= {"variance of repeatability": pooled, "variance of slots": slot_variance,
              "variance of parts": part_variance,
              "percent": 100 * float(station / (station + part_variance)) ** 0.5}
    for name, value in found.items():
        print(f"{name} {float(value):.12f}")


if __name__ == "__main__":
    main()
