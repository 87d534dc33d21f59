# SPDX-License-Identifier: GPL-3.0-or-later
"""includes.py SOURCE MODULES: checks every #include of common/, firmware/ and host/.

1. Folders do not include each other in a cycle. The folder of a port and the subfolders of its adapters are separate
   folders.
2. A folder of host/ includes only folders before it in ORDER.
3. Within a folder, pairs (NAME.hpp and NAME.cpp) do not include each other in a cycle.
4. A module includes only headers of modules that it links. MODULES is the list that CMake writes, one line per module:
   NAME FOLDER | SOURCES | PUBLIC LINKS | PRIVATE LINKS.
5. In the subject, only adapter folders include headers of the operating system.
6. The column "may know" of the table in docs/development/architecture.md names exactly the folders of that table that a
   folder includes. The table omits common/, which every folder may include.

Exit 0: no fault; 1: each fault is on standard output."""
import os
import re
import subprocess
import sys
from collections import defaultdict

INCLUDE = re.compile(r'^#include (?:"((?:common|firmware|host)/[^"]+)"|<([^>]+)>)', re.M)
PAGE = "docs/development/architecture.md"

# Same order as in host/CMakeLists.txt: the lowest folder is first.
ORDER = ["base", "measure", "workload", "media", "agent", "plan", "rig", "lab", "store", "campaign", "report", "app", "cli",
         "gui"]

# The subject does not depend on an operating system, except in subfolders with these names.
SUBJECT = re.compile(r"^(common|firmware/(core|plant)|host/(base/json|measure|workload|media|plan|report))(/|$)")
ADAPTERS = {"linux", "image", "uring", "psync", "platform"}
SYSTEM_HEADER = re.compile(r"^(linux/|asm/|sys/|mach/|(aio|dirent|fcntl|mntent|poll|sched|unistd|libudev|liburing)\.h$"
                           r"|blkid/)")

# Exceptions with their reasons.
KNOWN_HEADERS = {
    ("host/media/inspect/medium_reader.cpp", "unistd.h"): "pread, which every POSIX system has",
}


def read_table(source):
    """The rows of firmware/ and host/ in the table of folders: {folder: names in its last column}."""
    path = os.path.join(source, PAGE)
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r"^\| `((?:firmware|host)/[a-z_/]+)/` \|.*\| ([^|]*) \|$", file.read(), re.M)
    return {folder: set() if known == "nothing" else set(known.split(", ")) for folder, known in rows}


def differences_from_table(table, arrows):
    """One line per folder whose includes differ from its row."""
    def row_of(folder):
        return max((row for row in table if (folder + "/").startswith(row + "/")), key=len, default=None)

    included = defaultdict(set)
    for folder, others in arrows.items():
        for other in others:
            user, used = row_of(folder), row_of(other)
            if user and used and user != used:
                included[user].add(used.removeprefix("host/"))
    return [f"{PAGE}: {row} includes {', '.join(sorted(included[row])) or 'nothing'}"
            for row in sorted(table) if table[row] != included[row]]


def read_modules(path):
    modules = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            head, sources, public, private = (part.split() for part in line.split("|"))
            name, folder = head[0], head[1]
            links = [link.removeprefix("mediarig::") for link in public + private if link.startswith("mediarig::")]
            modules[name] = (folder, [os.path.normpath(os.path.join(folder, s)) for s in sources
                                      if not os.path.isabs(s)], links)
    return modules


def read_includes(source):
    """{file: (own headers, other headers)} of each C++ file in the tree, committed or not."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard", "--",
                             "common", "firmware", "host"], capture_output=True, text=True, check=True).stdout.split("\n")
    includes = {}
    for file in listed:
        path = os.path.join(source, file)
        if file.endswith((".cpp", ".hpp")) and os.path.exists(path):
            with open(path, encoding="utf-8") as opened:
                found = INCLUDE.findall(opened.read())
            includes[file] = ([own for own, _ in found if own], [other for _, other in found if other])
    return includes


def cycles_of(arrows):
    """Strongly connected sets of more than one node (Tarjan's algorithm)."""
    index, low, stack, found = {}, {}, [], []

    def visit(at):
        index[at] = low[at] = len(index)
        stack.append(at)
        for to in sorted(arrows.get(at, {})):
            if to not in index:
                visit(to)
                low[at] = min(low[at], low[to])
            elif to in stack:
                low[at] = min(low[at], index[to])
        if low[at] == index[at]:
            cycle = stack[stack.index(at):]
            del stack[stack.index(at):]
            if len(cycle) > 1:
                found.append(sorted(cycle))

    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found


def includes_within(cycle, arrows):
    return [f"  {file} includes {header}"
            for at in cycle for to in cycle for file, header in arrows[at].get(to, [])]


def upward_includes(includes):
    """One line per include of a later folder of ORDER, and one per folder that ORDER lacks."""
    def level(file):
        parts = file.split("/")
        return ORDER.index(parts[1]) if len(parts) > 2 and parts[0] == "host" and parts[1] in ORDER else None

    lines = []
    for file, (own, _) in includes.items():
        if file.startswith("host/") and level(file) is None:
            lines.append(f"{file} is in no folder of ORDER")
        for header in own:
            if level(file) is not None and level(header) is not None and level(header) > level(file):
                lines.append(f"{file} includes {header} of a later folder")
    return lines


def cycles_within_folders(includes):
    """Faults: pairs of one folder that include each other."""
    arrows = defaultdict(lambda: defaultdict(list))
    for file, (own, _) in includes.items():
        pair = os.path.splitext(file)[0]
        for header in own:
            other = os.path.splitext(header)[0]
            if other != pair and os.path.dirname(other) == os.path.dirname(pair):
                arrows[pair][other].append((file, header))
    lines = []
    for cycle in cycles_of(arrows):
        folder, names = os.path.dirname(cycle[0]), [os.path.basename(pair) for pair in cycle]
        lines.append(f"files of {folder} that include each other: {' '.join(names)}")
        lines += includes_within(cycle, arrows)
    return lines


def missing_links(includes, modules):
    """One line per include of a header that belongs to no linked module."""
    compiled = {file: name for name, (_, sources, _) in modules.items() for file in sources}
    of_folder = defaultdict(set)
    for name, (folder, sources, _) in modules.items():
        for at in {folder} | {os.path.dirname(file) for file in sources}:
            of_folder[at].add(name)

    def owner(file):
        return compiled.get(file) or compiled.get(os.path.splitext(file)[0] + ".cpp")

    def is_plain_value(header):
        """A header without a source, which includes only common/, needs no link."""
        return os.path.splitext(header)[0] + ".cpp" not in includes and \
            all(needed.startswith("common/") for needed in includes.get(header, ([], []))[0])

    def reach(name, seen):
        if name in modules and name not in seen:
            seen.add(name)
            for link in modules[name][2]:
                reach(link, seen)
        return seen

    lines = []
    for file, (own, _) in includes.items():
        user = owner(file)
        if not user:
            continue
        reached = reach(user, set())
        for header in own:
            # A header without a source belongs to each module of its folder.
            owners = {owner(header)} if owner(header) else of_folder.get(os.path.dirname(header), set())
            if owners and not owners & reached and not is_plain_value(header):
                lines.append(f"{user} does not link {' or '.join(sorted(owners))}: {file} includes {header}")
    return lines


def system_headers(includes, known):
    """Faults: headers of the operating system outside of adapter folders, and stale exceptions."""
    lines, found = [], set()
    for file, (_, other) in includes.items():
        folder = os.path.dirname(file)
        if not SUBJECT.match(folder) or ADAPTERS & set(folder.split("/")):
            continue
        for header in filter(SYSTEM_HEADER.match, other):
            found.add((file, header))
            if (file, header) not in known:
                lines.append(f"{file} includes <{header}> outside of an adapter's folder")
    return lines + [f"remove from KNOWN_HEADERS: {file} <{header}>" for file, header in sorted(known.keys() - found)]


def check(source, module_list, known_headers):
    """All faults as lines (an indented line belongs to the fault above it), and a summary."""
    includes, modules = read_includes(source), read_modules(module_list)
    arrows = defaultdict(lambda: defaultdict(list))
    for file, (own, _) in includes.items():
        folder = os.path.dirname(file)
        for header in own:
            if os.path.dirname(header) != folder:
                arrows[folder][os.path.dirname(header)].append((file, header))

    lines = []
    for cycle in cycles_of(arrows):
        lines += ["folders that include each other: " + " ".join(cycle)] + includes_within(cycle, arrows)
    lines += upward_includes(includes)
    lines += cycles_within_folders(includes)
    lines += missing_links(includes, modules)
    lines += system_headers(includes, known_headers)
    lines += differences_from_table(read_table(source), arrows)
    faults = sum(not line.startswith(" ") for line in lines)
    return lines, f"{len(includes)} files, {len(arrows)} folders, {len(modules)} modules, {faults} faults"


def main():
    source, module_list = sys.argv[1:]
    lines, summary = check(source, module_list, KNOWN_HEADERS)
    if not os.path.exists(os.path.join(source, PAGE)):
        lines.append(f"{PAGE} is missing")
    print("\n".join(lines + [summary]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
