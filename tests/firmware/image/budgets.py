#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Computes flash, RAM and the deepest stack of an image: budgets.py ELF FOLDER-OF-OBJECTS. Status 1 if a limit is
exceeded.

The stack is the deepest call chain from the start, plus the deepest one of each interrupt priority, each with the frame
that the processor pushes. The size of a frame comes from the compiler (-fstack-usage) if available, otherwise from the
pushes in the code. The call graph is read from the code, so that it includes the compiler's helpers.
"""
import pathlib
import re
import sys

from disassembly import functions, tool

FLASH_BUDGET, CODE_BUDGET, RAM_BUDGET, STACK_BUDGET = 64 * 1024, 64 * 1024, 32 * 1024, 2 * 1024
START = "reset_handler"
# One group for each priority. Interrupts of the same priority never interrupt each other.
INTERRUPTS = (("usb_interrupt", "uart_interrupt"), ("tick_interrupt",), ("step_interrupt", "safety_interrupt"))
EXCEPTION_FRAME = 32 + 4  # pushed by the processor, and a word for alignment
# Permitted functions below a call through a register. A function that is missing here must not make such a call.
BELOW_INDIRECT = {
    "talk_to_flash": 128,  # boot ROM, and the second boot stage
    "3rom4find": 64,  # boot ROM
    "reset_to_usb_boot": 0,  # does not return: the ROM starts a new stack
    "reset_handler": 0,  # constructors; .init_array must be empty
}


def sizes(elf):
    return {
        parts[0]: int(parts[1])
        for parts in (line.split() for line in tool("size", "-A", elf).splitlines())
        if len(parts) == 3 and parts[0].startswith(".")
    }


def usage_by_compiler(folder):
    """Bytes by function name, from the call graph files; the larger value for static functions of equal names."""
    told = {}
    node = re.compile(r'node: \{ title: "([^"]*)" label: "[^"]*?(\d+) bytes \((static|dynamic[^)]*)\)')
    for file in pathlib.Path(folder).rglob("*.ci"):
        for title, size, kind in node.findall(file.read_text()):
            name = title.rpartition(":")[2]
            if kind == "dynamic":
                raise SystemExit(f"{name}: its stack has no bound")
            told[name] = max(told.get(name, 0), int(size))
    return told


def readable(chain):
    """Names as in the sources, without parameters."""
    mangled, bytes_ = zip(*(entry.rsplit(" ", 1) for entry in chain))
    plain = tool("c++filt", "-p", *mangled).replace("mediarig::", "").replace("(anonymous namespace)::", "").splitlines()
    return " > ".join(f"{name} {size}" for name, size in zip(plain, bytes_))


class Depths:
    def __init__(self, elf, folder):
        self.functions = functions(elf)
        self.compiler_usage = usage_by_compiler(folder)
        self.known = {}

    def deepest_chain(self, name, path=()):
        """Returns (bytes, chain of names) of the deepest call chain from `name`."""
        if name in path:
            raise SystemExit("recursion: " + " > ".join([*path, name]))
        if name in self.known:
            return self.known[name]
        if name.endswith("_veneer"):
            name = name.removeprefix("__").removesuffix("_veneer")
        function = self.functions.get(name)
        if function is None:
            raise SystemExit(f"{path[-1] if path else 'nobody'} calls {name}, which is not in the image")
        plain = name.partition("@")[0]
        own = self.compiler_usage.get(plain, function.pushed)
        deepest, chain = 0, []
        for called in sorted(function.calls):
            below, names = self.deepest_chain(called, (*path, name))
            if below > deepest:
                deepest, chain = below, names
        if function.indirect:
            allowed = [bytes_ for part, bytes_ in BELOW_INDIRECT.items() if part in plain]
            if not allowed:
                raise SystemExit(f"{name} calls through a register: the called function is unknown")
            deepest = max(deepest, allowed[0])
        self.known[name] = (own + deepest, [f"{plain} {own}", *chain])
        return self.known[name]


def main(elf, folder):
    section = sizes(elf)
    flash = sum(section.get(n, 0) for n in (".boot2", ".vectors", ".text", ".init_array", ".ram_text", ".ram_rodata", ".data"))
    code = section.get(".ram_text", 0) + section.get(".ram_rodata", 0)
    ram = sum(section.get(n, 0) for n in (".ram_vectors", ".data", ".bss", ".noinit"))
    if section.get(".init_array", 0):
        raise SystemExit("there are constructors before main: their stack is not counted")
    depths = Depths(elf, folder)
    stack, chain = depths.deepest_chain(START)
    print("main: " + readable(chain))
    for level in INTERRUPTS:
        deepest, chain = max(depths.deepest_chain(name) for name in level)
        print("interrupt: " + readable(chain))
        stack += deepest + EXCEPTION_FRAME
    status = 0
    for what, used, budget in (("flash", flash, FLASH_BUDGET), ("code in RAM", code, CODE_BUDGET), ("RAM", ram, RAM_BUDGET), ("stack", stack, STACK_BUDGET)):
        print(f"{what}: {used} of {budget} bytes")
        if used > budget:
            print(f"{what} is over its budget")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2]))
