# SPDX-License-Identifier: GPL-3.0-or-later
"""json_dumps.py SOURCE: checks that only host/base/json serialises JSON, with json_line() and json_text(). dump() throws on invalid
UTF-8, which media and users may supply.

Exit 0: no fault; 1: each fault is on standard output."""
import pathlib
import re
import sys

DUMP = re.compile(r"(?:\.|->)dump\(")
# Exceptions: values that contain no strings.
KNOWN = {"host/base/json/reader.cpp"}


def dumps_in(text):
    return [number for number, line in enumerate(text.split("\n"), 1) if DUMP.search(line.split("//")[0])]


def main():
    source = pathlib.Path(sys.argv[1])
    if dumps_in("a.dump();\nb->dump(2)\n// c.dump()\nhexdump(d)") != [1, 2]:
        print("this check does not find its own examples")
        return 1
    faults = [(name, number) for file in sorted((source / "host").rglob("*.[ch]pp"))
              if not (name := str(file.relative_to(source))).startswith("host/base/json/") and name not in KNOWN
              for number in dumps_in(file.read_text())]
    for name, number in faults:
        print(f"{name}:{number}: dump() instead of json_line() or json_text()")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
