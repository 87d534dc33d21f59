#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""batches.py SOURCE MODULES: no two sources of a module give one name to two things of their unnamed namespaces.

Sources are compiled in batches, and which of them share one follows from the preset: what builds in batches of 8 may not
build in batches of 16. Functions may share a name where their parameters differ. MODULES as in includes.py.

Exit 0: so it is; 1: not, and each name that stands twice is on standard output."""
import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from includes import read_modules

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\} // namespace$", re.S | re.M)
# At the beginning of a line, since what is in a namespace is not indented.
TYPE = re.compile(r"^(?:enum class|enum|class|struct|concept) (\w+)(?: final)?(?: :[^;{]*)? ?(?:\{|=|$)", re.M)
VALUE = re.compile(r"^(?:static |inline )?(?:constexpr|const|constinit|thread_local|std::atomic)\b[^(;{=\n]*?[ &*](\w+)(?:\[\w*\])?\s*(?:=|\{|;|\()", re.M)
FUNCTION = re.compile(r"^(?!(?:constexpr|const|using|struct|class|enum)\b)[\w:][\w:<>,*& \[\]]*?[ &*](\w+)\(((?:[^(){};]|\([^()]*\))*)\)(?: const| noexcept)*(?: ->[^{;]+)? \{", re.M)


def names_of(text):
    """(name, what tells it from others of that name) of each thing in unnamed namespaces."""
    for part in UNNAMED.findall(text):
        for found in TYPE.finditer(part):
            yield found[1], ""
        for found in VALUE.finditer(part):
            yield found[1], ""
        for found in FUNCTION.finditer(part):
            parameters = re.sub(r"\s+", " ", found[2])
            # Without the parameters' own names and defaults.
            kinds = [re.sub(r" ?=.*", "", each).strip() for each in split(parameters)]
            yield found[1], "(" + ", ".join(re.sub(r"([ &*])\w+$", r"\1", each).strip() for each in kinds) + ")"


def split(parameters):
    """At the commas that separate parameters."""
    depth, begun, parts = 0, 0, []
    for at, letter in enumerate(parameters):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(parameters[begun:at])
            begun = at + 1
    return parts + [parameters[begun:]] if parameters.strip() else []


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, listed = sys.argv[1:]
    twice = looked_at = 0
    for module, (folder, sources, _) in sorted(read_modules(listed).items()):
        with open(os.path.join(source, folder, "CMakeLists.txt"), encoding="utf-8") as file:
            if f"(mediarig_{module} PROPERTIES UNITY_BUILD OFF" in file.read():
                continue
        seen = defaultdict(set)
        for path in sources:
            whole = os.path.join(source, path)
            if not path.endswith(".cpp") or not os.path.exists(whole):
                continue
            with open(whole, encoding="utf-8") as file:
                for name in names_of(file.read()):
                    seen[name].add(path)
                    looked_at += 1
        for (name, told), paths in sorted(seen.items()):
            if len(paths) > 1:
                twice += 1
                print(f"{module}: {name}{told} in {', '.join(sorted(paths))}")
    print(f"{looked_at} names of unnamed namespaces, {twice} given twice in a module")
    # A reader of sources that finds nothing in them looks at nothing.
    return 1 if twice or looked_at < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
