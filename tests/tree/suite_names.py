# SPDX-License-Identifier: GPL-3.0-or-later
"""suite_names.py SOURCE: checks that no source of host/ outside host/workload/suites compares with the name of a suite. Properties
of a suite belong to its description.

Exit 0: no fault; 1: each fault is on standard output."""
import pathlib
import re
import sys

NAME = re.compile(r'\bSuite \w+\{\s*\.name = "([a-z0-9-]+)"')


def names_in(source):
    return {name for file in (source / "host/workload/suites").rglob("*.cpp") for name in NAME.findall(file.read_text())}


def comparisons_in(text, names):
    """(line, name) of each comparison with one of the names."""
    name = "|".join(sorted(map(re.escape, names)))
    comparison = re.compile(rf'[=!]=\s*"({name})"|"({name})"(?:sv)?\s*[=!]=|\bstarts_with\("({name})"\)')
    for number, line in enumerate(text.split("\n"), 1):
        for match in comparison.finditer(line.split("//")[0]):
            yield number, next(group for group in match.groups() if group)


def main():
    source = pathlib.Path(sys.argv[1])
    names = names_in(source)
    seen = [(1, "steady"), (2, "steady")] == list(comparisons_in('if (suite == "steady")\n"steady" != suite', {"steady"}))
    if len(names) < 20 or not seen:
        print(f"this check does not find its own examples: {sorted(names)}")
        return 1
    faults = [(file.relative_to(source), number, name)
              for file in sorted((source / "host").rglob("*.[ch]pp")) if "suites" not in file.parts
              for number, name in comparisons_in(file.read_text(), names)]
    for file, number, name in faults:
        print(f"{file}:{number}: decides by the name of the suite {name}")
    print(f"{len(names)} suites, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
