#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""batches.py SOURCE MODULES: checks that no two sources of a module define the same name in their unnamed namespaces.

Sources are compiled in batches whose size the preset defines: a module that builds in batches of 8 may fail to build in
batches of 16. Functions may share a name if their parameters differ. MODULES as in includes.py.

Exit 0: no duplicate names; 1: each duplicate name is on standard output."""
import glob
import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from includes import read_modules

NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
UNNAMED = re.compile(r"^namespace \{\n(.*?)^\} // namespace$", re.S | re.M)
# Matches at the beginning of a line: the contents of a namespace are not indented.
TYPE = re.compile(r"^(?:enum class|enum|class|struct|concept) (\w+)(?: final)?(?: :[^;{]*)? ?(?:\{|=|$)", re.M)
ALIAS = re.compile(r"^using (\w+) =", re.M)
ENUM = re.compile(r"^enum(?: : [\w:]+)? \{([^}]*)\}", re.M)
VALUE = re.compile(r"^(?:static |inline )?(?:constexpr|const|constinit|thread_local|std::atomic)\b[^(;{=\n]*?[ &*](\w+)(?:\[\w*\])?\s*(?:=|\{|;|\()", re.M)
FUNCTION = re.compile(r"^(?!(?:constexpr|const|using|struct|class|enum)\b)[\w:][\w:<>,*& \[\]]*?[ &*](\w+)\(((?:[^(){};]|\([^()]*\))*)\)(?: const| noexcept)*(?: ->[^{;]+)? \{", re.M)


def names_of(text):
    """(namespace, name, parameter types of a function or "") of each definition in unnamed namespaces."""
    for unnamed in UNNAMED.finditer(text):
        around = [found[1] for found in NAMESPACE.finditer(text, 0, unnamed.start())]
        namespace, part = around[-1] if around else "", unnamed[1]
        for kind in (TYPE, ALIAS, VALUE):
            for found in kind.finditer(part):
                yield namespace, found[1], ""
        for members in ENUM.findall(part):
            for member in re.findall(r"(\w+)(?: = [^,]*)?(?:,|$)", members.strip()):
                yield namespace, member, ""
        for found in FUNCTION.finditer(part):
            parameters = re.sub(r"\s+", " ", found[2])
            # Remove the names and defaults of the parameters.
            kinds = [re.sub(r" ?=.*", "", each).strip() for each in split(parameters)]
            yield namespace, found[1], "(" + ", ".join(re.sub(r"([ &*])\w+$", r"\1", each).strip() for each in kinds) + ")"


def split(parameters):
    """Splits the text at the commas that separate parameters."""
    depth, begun, parts = 0, 0, []
    for at, letter in enumerate(parameters):
        depth += (letter in "<(") - (letter in ">)")
        if letter == "," and depth == 0:
            parts.append(parameters[begun:at])
            begun = at + 1
    return parts + [parameters[begun:]] if parameters.strip() else []


def compiled_alone(source):
    """Sources that host/CMakeLists.txt keeps out of the batches."""
    with open(os.path.join(source, "host/CMakeLists.txt"), encoding="utf-8") as file:
        text = file.read()
    globs = dict(re.findall(r"file\(GLOB (\w+) \$\{CMAKE_CURRENT_SOURCE_DIR\}/(\S+)\)", text))
    found = set()
    for words in re.findall(r"set_source_files_properties\(([^()]*?)\s+PROPERTIES SKIP_UNITY_BUILD_INCLUSION", text):
        for word in words.split():
            pattern = globs[word[2:-1]] if word.startswith("${") else word
            found |= set(glob.glob("host/" + pattern, root_dir=source))
    return found


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    source, listed = sys.argv[1:]
    alone = compiled_alone(source)
    twice = looked_at = 0
    for module, (_, sources, _) in sorted(read_modules(listed).items()):
        seen = defaultdict(set)
        for path in sources:
            whole = os.path.join(source, path)
            if not path.endswith(".cpp") or not os.path.exists(whole) or path in alone:
                continue
            with open(whole, encoding="utf-8") as file:
                for name in names_of(file.read()):
                    seen[name].add(path)
                    looked_at += 1
        for (namespace, name, kinds), paths in sorted(seen.items()):
            if len(paths) > 1:
                twice += 1
                print(f"{module}: {namespace}::{name}{kinds} in {', '.join(sorted(paths))}")
    print(f"{looked_at} names of unnamed namespaces, {twice} given twice in a module")
    # Fail if the expressions above match too few names, because then the check has no effect.
    return 1 if twice or looked_at < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
