# SPDX-License-Identifier: GPL-3.0-or-later
"""includes.py SOURCE MODULES: holds every #include of common/, firmware/ and host/ against the tree.

1. Folders include each other in one direction: no circle. A port's folder and its adapters' subfolders are different
   folders.
2. A module includes what it links, and no more: MODULES is the list that CMake writes, a line for each module:
   NAME FOLDER | SOURCES | PUBLIC LINKS | PRIVATE LINKS.
3. Where the subject is, only folders of adapters name headers of an operating system.
4. The column "may know" of the table of folders in docs/architecture.md names exactly the folders of that table whose headers
   a folder includes; common/ and files in host/ itself are known to all.

Exit 0: so it is; 1: not, and each arrow that is wrong stands on standard output."""
import os
import re
import subprocess
import sys
from collections import defaultdict

INCLUDE = re.compile(r'^#include (?:"((?:common|firmware|host)/[^"]+)"|<([^>]+)>)', re.M)

# The subject: what it knows of a system lies in a subfolder of one of these names.
SUBJECT = re.compile(r"^(common|firmware/(core|plant)|host/(strict_json|measure|metrics|workload|media|plan|report))(/|$)")
ADAPTERS = {"linux", "image", "uring", "platform"}
SYSTEM_HEADER = re.compile(r"^(linux/|asm/|sys/|mach/|(aio|dirent|fcntl|mntent|poll|sched|unistd|libudev|liburing)\.h$"
                           r"|blkid/)")

# What is not so yet, or on purpose, and why.
KNOWN_HEADERS = {
    ("host/media/inspect/medium_reader.cpp", "unistd.h"): "pread, which every POSIX system has",
}
KNOWN_LINKS = {
    ("agent_server", "workload"): "a job's target, control and observer are values of the server's own port",
    ("progress", "session"): "the events of a session are values",
    ("events", "session"): "the events of a session are values",
    ("events_socket", "session"): "the events of a session are values",
}


def read_table(source):
    """The rows of host/ and firmware/ in the table of folders: {folder: names in its last column}."""
    path = os.path.join(source, "docs/architecture.md")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r"^\| `((?:firmware|host)/[a-z_/]+)/` \|.*\| ([^|]*) \|$", file.read(), re.M)
    return {folder: set() if known == "nothing" else set(known.split(", ")) for folder, known in rows}


def differences_from_table(table, arrows):
    """Lines that tell where folders include others than the table says."""
    def row_of(folder):
        return max((row for row in table if (folder + "/").startswith(row + "/")), key=len, default=None)

    included = defaultdict(set)
    for folder, others in arrows.items():
        for other in others:
            mine, its = row_of(folder), row_of(other)
            if mine and its and mine != its:
                included[mine].add(its.removeprefix("host/"))
    return [f"docs/architecture.md: {row} knows {', '.join(sorted(included[row])) or 'nothing'}"
            for row in sorted(table) if table[row] != {"everything"} and table[row] != included[row]]


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


def circles_of(arrows):
    """Strongly connected sets of more than one folder (Tarjan)."""
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
            circle = stack[stack.index(at):]
            del stack[stack.index(at):]
            if len(circle) > 1:
                found.append(sorted(circle))

    for folder in sorted(arrows):
        if folder not in index:
            visit(folder)
    return found


def main():
    source, module_list = sys.argv[1:]
    listed = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard", "--",
                             "common", "firmware", "host"], capture_output=True, text=True, check=True).stdout.split("\n")
    files = [file for file in listed if file.endswith((".cpp", ".hpp")) and os.path.exists(os.path.join(source, file))]
    modules = read_modules(module_list)
    arrows = defaultdict(lambda: defaultdict(list))
    includes, system = {}, []
    for file in files:
        with open(os.path.join(source, file), encoding="utf-8") as opened:
            found = INCLUDE.findall(opened.read())
        includes[file] = [ours for ours, _ in found if ours]
        folder = os.path.dirname(file)
        for header in includes[file]:
            if os.path.dirname(header) != folder:
                arrows[folder][os.path.dirname(header)].append((file, header))
        if SUBJECT.match(folder) and not ADAPTERS & set(folder.split("/")):
            system += [(file, header) for _, header in found if SYSTEM_HEADER.match(header)]

    faults = 0
    for circle in circles_of(arrows):
        faults += 1
        print("folders that include each other:", " ".join(circle))
        for at in circle:
            for to in circle:
                for file, header in arrows[at].get(to, []):
                    print(f"  {file} includes {header}")

    # Whose is a file: of the module that compiles it, or its .cpp; else of every module of its folder.
    compiled = {file: name for name, (_, sources, _) in modules.items() for file in sources}
    of_folder = defaultdict(set)
    for name, (folder, sources, _) in modules.items():
        for at in {folder} | {os.path.dirname(file) for file in sources}:
            of_folder[at].add(name)

    def owners(file):
        mine = compiled.get(file) or compiled.get(os.path.splitext(file)[0] + ".cpp")
        return {mine} if mine else of_folder.get(os.path.dirname(file), set())

    def is_plain_value(header):
        """Needs no module: all there is of it stands in the header, and in those of common/."""
        return os.path.splitext(header)[0] + ".cpp" not in includes and \
            all(needed.startswith("common/") for needed in includes.get(header, []))

    def reach(name, seen):
        if name in modules and name not in seen:
            seen.add(name)
            for link in modules[name][2]:
                reach(link, seen)
        return seen

    known = set()
    for file, headers in includes.items():
        user = compiled.get(file) or compiled.get(os.path.splitext(file)[0] + ".cpp")
        if not user:
            continue
        reached = reach(user, set())
        for header in headers:
            of = owners(header)
            if not of or of & reached or is_plain_value(header):
                continue
            if all((user, name) in KNOWN_LINKS for name in of):
                known |= {(user, name) for name in of}
                continue
            faults += 1
            print(f"{user} does not link {' or '.join(sorted(of))}: {file} includes {header}")

    for line in differences_from_table(read_table(source), arrows):
        faults += 1
        print(line)

    for file, header in system:
        if (file, header) in KNOWN_HEADERS:
            known.add((file, header))
            continue
        faults += 1
        print(f"{file} includes <{header}> outside of an adapter's folder")
    for stale in sorted((KNOWN_HEADERS.keys() | KNOWN_LINKS.keys()) - known):
        faults += 1
        print("known and not so any more: strike it from the list here:", *stale)
    print(f"{len(files)} files, {len(arrows)} folders, {len(modules)} modules, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
