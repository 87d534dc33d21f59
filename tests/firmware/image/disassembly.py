# SPDX-License-Identifier: GPL-3.0-or-later
"""The linked image, as read by the distribution's tools: functions, their calls, their pushes."""
import re
import subprocess
from dataclasses import dataclass, field

FLASH = range(0x10000000, 0x10200000)
RAM = range(0x20000000, 0x20042000)


def tool(name, *arguments):
    return subprocess.run(["arm-none-eabi-" + name, *arguments], check=True, capture_output=True, text=True).stdout


@dataclass
class Function:
    name: str
    address: int
    calls: set = field(default_factory=set)  # names
    branches: list = field(default_factory=list)  # (address, name) of every jump that leaves the function
    indirect: int = 0  # calls through a register
    pushed: int = 0  # bytes of stack as far as visible in the code
    literals: list = field(default_factory=list)


HEAD = re.compile(r"^([0-9a-f]{8}) <(.+)>:$")
JUMP = re.compile(r"^(bl|b|b[a-z]{2})(?:\.[nw])?\s+([0-9a-f]+) <([^>+]+)(\+0x[0-9a-f]+)?>")
PUSH = re.compile(r"^push\s+\{([^}]*)\}")
SUB = re.compile(r"^sub\s+sp, #(\d+)")
WORD = re.compile(r"^\.word\s+0x([0-9a-f]+)")


def registers(text):
    count = 0
    for part in text.split(","):
        first, _, last = part.strip().partition("-")
        count += int(last[1:]) - int(first[1:]) + 1 if last else 1
    return count


def functions(elf):
    """Every function in the image, by name. The address distinguishes equal names (static functions)."""
    found, current = {}, None
    for line in tool("objdump", "-d", "-j", ".boot2", "-j", ".text", "-j", ".ram_text", elf).splitlines():
        if head := HEAD.match(line):
            name = head[2] if head[2] not in found else f"{head[2]}@{head[1]}"
            current = found[name] = Function(name, int(head[1], 16))
            continue
        columns = line.split("\t")
        if current is None or len(columns) < 3:
            continue
        code = "\t".join(columns[2:]).strip()
        if jump := JUMP.match(code):
            # A jump to the start of another function is a tail call.
            target, address = jump[3], int(jump[2], 16)
            if target != current.name.partition("@")[0] or (jump[1] == "bl" and not jump[4]):
                current.branches.append((address, target))
                current.calls.add(target)
        elif code.startswith("blx"):
            current.indirect += 1
        elif push := PUSH.match(code):
            current.pushed += 4 * registers(push[1])
        elif sub := SUB.match(code):
            current.pushed += int(sub[1])
        elif word := WORD.match(code):
            current.literals.append(int(word[1], 16))
    return found


def is_code(elf):
    """Names of functions in the symbol table: the rest of .data is not code."""
    return {line.split()[7] for line in tool("readelf", "-sW", elf).splitlines() if " FUNC " in line and len(line.split()) > 7}
