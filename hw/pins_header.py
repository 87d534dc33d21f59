#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the pin map and generates the firmware's header from it: pins_header.py PINS.CSV HEADER.HPP

Exit status 1, and one line for each fault of the map: a pin used twice, a signal named twice, a pin that the Pico lacks
or reserves, a safe level that a pin does not have.
"""
import csv
import re
import sys
import zlib

COLUMNS = ["gp", "signal", "direction", "pull", "active", "safe", "function", "note"]
VALUES = {
    "direction": {"in", "out", "analog", "-"},
    "pull": {"none", "up", "down", "-"},
    "active": {"high", "low", "none", "-"},
    "safe": {"0", "1", "idle", "-"},
    "function": {"uart0", "sio", "reserved", "chain", "adc0", "adc1", "adc2", "-"},
}
OF_THE_PICO = {23, 24, 29}  # power supply mode, VBUS sense, VSYS
ERRATUM_E5 = 15  # the workaround of this erratum uses GP15, so the pin must be unconnected
CHAIN_BITS = 24  # three registers in each direction


def read(text):
    rows = list(csv.DictReader(text.splitlines()))
    if not rows or list(rows[0].keys()) != COLUMNS:
        raise SystemExit("pins: the first line must be " + ",".join(COLUMNS))
    return rows


def number(place):
    """'7' -> ('GP', 7), 'OUT3' -> ('OUT', 3); otherwise None."""
    found = re.fullmatch(r"(OUT|IN)?(\d+)", place)
    return (found[1] or "GP", int(found[2])) if found else None


def wrong(rows):
    """Returns one line for each fault."""
    places, signals = set(), set()
    for row in rows:
        name = f"{row['gp']} {row['signal']}"
        place = number(row["gp"])
        if place is None:
            yield f"{name}: no such place"
            continue
        if place in places:
            yield f"{name}: the pin is used twice"
        places.add(place)
        if row["signal"] in signals:
            yield f"{name}: the signal is named twice"
        signals.add(row["signal"])
        if not re.fullmatch(r"[A-Z][A-Z0-9_]*", row["signal"]):
            yield f"{name}: not a name"
        for column, allowed in VALUES.items():
            if row[column] not in allowed:
                yield f"{name}: {column} cannot be '{row[column]}'"
        kind, index = place
        if kind == "GP" and (index > 28 or index in OF_THE_PICO):
            yield f"{name}: the Pico does not bring out this pin"
        if kind == "GP" and index == ERRATUM_E5 and row["direction"] != "-":
            yield f"{name}: must stay free for erratum RP2040-E5"
        if kind != "GP" and index >= CHAIN_BITS:
            yield f"{name}: the chain has {CHAIN_BITS} bits"
        if (kind != "GP") != (row["function"] == "chain"):
            yield f"{name}: function '{row['function']}' does not fit the place"
        if kind != "GP" and row["direction"] != {"OUT": "out", "IN": "in"}[kind]:
            yield f"{name}: direction '{row['direction']}' does not fit the place"
        if row["direction"] == "out" and row["safe"] == "-":
            yield f"{name}: an output needs a safe level"
        if row["function"] == "sio" and row["direction"] == "out":
            if row["active"] not in ("high", "low") or row["safe"] not in ("0", "1"):
                yield f"{name}: an output needs an active and a safe level"
            elif (row["active"] == "high") == (row["safe"] == "1"):
                yield f"{name}: its safe level is its active one"
        if row["function"].startswith("adc") and (kind, index) != ("GP", 26 + int(row["function"][3:])):
            yield f"{name}: {row['function']} is another pin"
    for pin in range(29):
        if pin == ERRATUM_E5 and ("GP", pin) not in places:
            yield f"{pin}: must be listed as left free"


def cpp_name(signal):
    return signal.lower()


FUNCTIONS = {"uart0": "uart", "sio": "sio", "adc0": "analog", "adc1": "analog", "adc2": "analog"}


def header(rows, text):
    gp = [r for r in rows if number(r["gp"])[0] == "GP" and r["direction"] != "-"]
    chain = {kind: [r for r in rows if number(r["gp"])[0] == kind] for kind in ("OUT", "IN")}
    low = sum(1 << number(r["gp"])[1] for r in chain["IN"] if r["active"] == "low")
    used = [r for r in gp if r["function"] in FUNCTIONS]
    lines = [
        "// Made from hw/pins.csv; do not edit.",
        "#pragma once",
        "",
        "#include <array>",
        "#include <cstdint>",
        "",
        "namespace mediarig::pins {",
        "",
        "/// CRC-32/IEEE of the map: board and host compare it.",
        f"inline constexpr std::uint32_t pin_map_hash = 0x{zlib.crc32(text):08X};",
        "",
        "/// GPIO numbers.",
    ]
    lines += [f"inline constexpr unsigned {cpp_name(r['signal'])} = {r['gp']};" for r in gp]
    for kind, what in (("OUT", "Bits of the output chain."), ("IN", "Bits of the input chain.")):
        lines += ["", f"/// {what}", f"namespace {kind.lower()} {{"]
        lines += [f"inline constexpr unsigned {cpp_name(r['signal'])} = {number(r['gp'])[1]};" for r in chain[kind]]
        lines += [f"}} // namespace {kind.lower()}"]
    lines += [
        "",
        f"inline constexpr unsigned chain_bits = {CHAIN_BITS};",
        "/// Inputs of the chain that mean \"yes\" when low.",
        f"inline constexpr std::uint32_t chain_inputs_active_low = 0x{low:06X};",
        "",
        "enum class Direction : std::uint8_t { in, out, analog };",
        "enum class Pull : std::uint8_t { none, up, down };",
        "enum class Function : std::uint8_t { sio, uart, analog };",
        "/// How a GPIO is set up at start; reserved ones are not among them and stay as reset left them.",
        "struct Pin {",
        "    std::uint8_t number;",
        "    Direction direction;",
        "    Pull pull;",
        "    Function function;",
        "    bool safe_high;",
        "};",
        f"inline constexpr std::array<Pin, {len(used)}> set_up{{{{",
    ]
    for r in used:
        safe = "true" if r["safe"] == "1" else "false"
        lines.append(
            f"    {{{r['gp']}, Direction::{r['direction']}, Pull::{r['pull']}, Function::{FUNCTIONS[r['function']]},"
            f" {safe}}}, // {r['signal']}"
        )
    lines += ["}};", "", "} // namespace mediarig::pins", ""]
    return "\n".join(lines)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__.splitlines()[0])
    with open(sys.argv[1], "rb") as file:
        text = file.read()
    rows = read(text.decode())
    problems = list(wrong(rows))
    for problem in problems:
        print(f"pins: {problem}", file=sys.stderr)
    if problems:
        raise SystemExit(1)
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(header(rows, text))


if __name__ == "__main__":
    main()
