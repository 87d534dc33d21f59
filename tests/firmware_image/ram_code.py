#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether what runs from RAM stays there: ram_code.py ELF. One line and status 1 for each way out.

A jump into flash, through a veneer or not, a constant that points into flash, a helper of the compiler's (there is no
division in the processor), a call through a register.
"""
import sys

from disassembly import FLASH, RAM, functions, is_code, tool

MUST_BE_THERE = ("step_interrupt", "safety_interrupt")
# It calls the ROM, and the second boot stage's copy in RAM; no interrupt is on while it runs.
MAY_CALL_THROUGH_REGISTER = ("talk_to_flash",)


def vectors(elf):
    """Words of the table in flash, from which the one in RAM is copied."""
    words = []
    for line in tool("objdump", "-s", "-j", ".vectors", elf).splitlines():
        parts = line.split()
        if len(parts) > 1 and len(parts[0]) == 8 and all(c in "0123456789abcdef" for c in parts[0]):
            for group in line[10:45].split():
                words.append(int.from_bytes(bytes.fromhex(group), "little"))
    return words


def complaints(elf):
    code = is_code(elf)
    in_ram = {n: f for n, f in functions(elf).items() if f.address in RAM and n.partition("@")[0] in code}
    for name in MUST_BE_THERE:
        if name not in in_ram:
            yield f"{name} is not in RAM"
        elif in_ram[name].address | 1 not in vectors(elf):
            yield f"{name} is not in the vector table"
    for name, function in in_ram.items():
        for address, target in function.branches:
            if address not in RAM:
                yield f"{name} jumps to {target} in flash"
            elif target.endswith("_veneer"):
                yield f"{name} goes through {target}"
            elif target.startswith("__aeabi") or target.startswith("__gnu"):
                yield f"{name} needs the compiler's helper {target}"
        if function.indirect and not any(allowed in name for allowed in MAY_CALL_THROUGH_REGISTER):
            yield f"{name} calls through a register"
        for literal in function.literals:
            if literal in FLASH:
                yield f"{name} holds 0x{literal:08x}, which is in flash"


if __name__ == "__main__":
    wrong = list(complaints(sys.argv[1]))
    print("\n".join(wrong) if wrong else "what runs from RAM stays there")
    sys.exit(1 if wrong else 0)
