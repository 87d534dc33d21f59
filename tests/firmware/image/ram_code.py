#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks that all executed code runs from RAM: ram_code.py ELF. One line and status 1 for each exit from RAM.

Exits are a function in flash, a jump into flash, through a veneer or not, and a constant that points into flash. In urgent
interrupts, a helper of the compiler (the processor has no division) and a call through a register are faults as well.
"""
import sys

from disassembly import FLASH, RAM, functions, is_code, tool

# One routine has several names.
HELPERS = ("__aeabi", "__gnu", "__udiv", "__div", "__mul")
MUST_BE_THERE = ("step_interrupt", "safety_interrupt")
# The path into RAM, the code that a fault enters, and the second boot stage, which runs from its copy.
MAY_STAY_IN_FLASH = ("reset_handler", "fault_handler", "boot2", "start_clocks", "restart", "start_pll")
# These functions read flash on purpose, with interrupts disabled.
MAY_NAME_FLASH = ("talk_to_flash", "read_flash_id")


def vectors(elf):
    """Words of the vector table in flash, from which the table in RAM is copied."""
    words = []
    for line in tool("objdump", "-s", "-j", ".vectors", elf).splitlines():
        parts = line.split()
        if len(parts) > 1 and len(parts[0]) == 8 and all(c in "0123456789abcdef" for c in parts[0]):
            for group in line[10:45].split():
                words.append(int.from_bytes(bytes.fromhex(group), "little"))
    return words


def stays_in_flash(elf):
    """Bytes of flash that are read once the firmware runs."""
    rows = [line.split() for line in tool("size", "-A", elf).splitlines()]
    return max(int(row[1]) + int(row[2]) - FLASH.start for row in rows if row and row[0] in (".boot2", ".vectors", ".text"))


def reached(all_functions, name, seen):
    """Functions executed by an interrupt, starting with itself."""
    if name in seen or name not in all_functions:
        return seen
    seen.append(name)
    for called in sorted(all_functions[name].calls):
        reached(all_functions, called, seen)
    return seen


def complaints(elf):
    code = is_code(elf)
    everything = {n: f for n, f in functions(elf).items() if n.partition("@")[0] in code}
    in_ram = {n: f for n, f in everything.items() if f.address in RAM}
    for name, function in everything.items():
        # The reset handler enters RAM through a veneer in flash.
        if function.address in FLASH and not any(allowed in name for allowed in (*MAY_STAY_IN_FLASH, "_veneer")):
            yield f"{name} runs from flash, behind a cache that misses"
    for name in MUST_BE_THERE:
        if name not in in_ram:
            yield f"{name} is not in RAM"
        elif in_ram[name].address | 1 not in vectors(elf):
            yield f"{name} is not in the vector table"
    # The rest of flash is only the source of the copy to RAM: a constant that looks like an address is a constant.
    stays = range(FLASH.start, FLASH.start + stays_in_flash(elf))
    urgent = {name: start for start in MUST_BE_THERE for name in reached(in_ram, start, [])}
    for name, function in in_ram.items():
        for address, target in function.branches:
            if address not in RAM:
                yield f"{name} jumps to {target} in flash"
            elif target.endswith("_veneer"):
                yield f"{name} goes through {target}"
            elif name in urgent and target.startswith(HELPERS):
                yield f"{name} needs the compiler's helper {target}"
        if function.indirect and name in urgent:
            yield f"{name} calls through a register"
        for literal in function.literals:
            if literal in stays and not any(allowed in name for allowed in MAY_NAME_FLASH):
                yield f"{name} holds 0x{literal:08x}, which is in flash"


if __name__ == "__main__":
    wrong = list(complaints(sys.argv[1]))
    print("\n".join(wrong) if wrong else "what runs from RAM stays there")
    sys.exit(1 if wrong else 0)
