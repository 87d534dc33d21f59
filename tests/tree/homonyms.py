#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""homonyms.py SOURCE [--table]: reports type names with more than one meaning in the headers of common/, firmware/ and host/.

Counted are the structs, classes, enums, unions and aliases (using A = B) that a namespace defines. Types inside a class are
not counted: the class qualifies their name wherever it is used. `--table` prints every homonym with its definitions.

Exit 0: KNOWN contains exactly the homonyms, or --table; 1: KNOWN differs from the sources, which the output explains."""
import collections
import pathlib
import re
import sys

FOLDERS = ("common", "firmware", "host")

# Homonyms that remain: {name: reason}.
KNOWN = {}

IGNORED = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^(\s"]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\b\d[\w\']*|\'(?:\\.|[^\'\\\n])+\''
                     r"|^[ \t]*#(?:[^\n\\]|\\.)*", re.S | re.M)
NAMESPACE = re.compile(r"\bnamespace\s*([\w:]*)\s*$")
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+(?:struct|class))?)\s+(?:\[\[.*?\]\]\s*|alignas\([^)]*\)\s*)*"
                  r"(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?$", re.S)
DESCRIBED = re.compile(r"\bBOOST_DEFINE_(?:FIXED_)?ENUM_CLASS\(\s*(\w+)[^)]*\)")
ALIAS = re.compile(r"\busing\s+(\w+)\s*=\s*([^;]*)$", re.S)


def types_in(text):
    """(namespace, name, line) of each type that a namespace of this text defines."""
    text = IGNORED.sub(lambda match: "\n" * match[0].count("\n"), text)
    text = DESCRIBED.sub(lambda match: f"enum class {match[1]} {{" + "\n" * match[0].count("\n") + "};", text)
    open_braces, begin = [], 0  # the namespace of each open brace; None for any other brace
    for match in re.finditer(r"[{};]", text):
        head, begin_of_head, begin = text[begin:match.start()], begin, match.end()
        if match[0] == "}":
            if open_braces:
                open_braces.pop()
            continue
        found = ALIAS.search(head) if match[0] == ";" else TYPE.search(head)
        # An alias of the same name in another namespace has the same meaning.
        if found and None not in open_braces and not (match[0] == ";" and re.search(rf"\b{found[1]}$", found[2].strip())):
            yield "::".join(open_braces), found[1], text.count("\n", 0, begin_of_head + found.start(1)) + 1
        if match[0] == "{":
            namespace = NAMESPACE.search(head)
            open_braces.append(namespace[1] if namespace else None)


def homonyms(source):
    """{name: [(namespace, file, line)]} of the names with more than one definition."""
    found = collections.defaultdict(list)
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*.hpp")):
            for namespace, name, line in types_in(file.read_text(encoding="utf-8")):
                found[name].append((namespace, file.relative_to(source), line))
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def faults(found, known):
    """Returns the differences between the found homonyms and the known homonyms, one line each."""
    lines = []
    for name in sorted(found.keys() - known.keys()):
        lines.append(f"{name}: {len(found[name])} definitions; rename all but one, or add the name to KNOWN with the reason")
        lines += [f"  {file}:{line}: {namespace}::{name}" for namespace, file, line in found[name]]
    return lines + [f"{name}: has one meaning; remove it from KNOWN" for name in sorted(known.keys() - found.keys())]


def main():
    found = homonyms(pathlib.Path(sys.argv[1]))
    if "--table" in sys.argv[2:]:
        print("\n".join(faults(found, {})))
        return 0
    lines = faults(found, KNOWN)
    print("\n".join([*lines, f"{len(found)} homonyms, {len(KNOWN)} known"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
