#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes single tokens of the core at random, runs the tests of the module, and lists the changes that no test noticed.

usage: mutants.py N [START]     N changes; START: the start value of an earlier run, for the same changes

Works on a copy of the sources in build/mutants/tree, so that the tree itself never holds a change. Exit status: 0 at least
95 of 100 were noticed, 1 fewer were, 2 the request is wrong, 3 the tests fail without any change.
"""

import random
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
SURVIVORS_ALLOWED = 0.05

# Module: its sources, and the tests that ought to notice a change there (names of test programs, without "test_").
MODULES = {
    "measure": (["host/measure"], ["measure", "comparison", "report", "session"]),
    "media": (["host/media"], ["media_identity", "media_inspect", "media_inspect_reference", "media_layouts", "media_hfsplus",
                               "media_expect", "media_format", "media_profiles", "media_partition", "media_scenarios",
                               "media_smart", "media_signatures", "media_loop", "media_usage", "media_mount"]),
    "workload": (["host/workload"], ["workload", "workload_media", "workload_probe", "workload_reference"]),
    "session": (["host/session"], ["session"]),
    "store": (["host/store"], ["store"]),
    "rig": (["host/rig"], ["rig_text", "rig_config", "rig_find", "rig_protocol", "rig_driver", "rig_station", "rig_slots",
                           "rig_manual", "rig_nest", "rig_command"]),
    "firmware": (["firmware/core"], ["firmware", "rigproto", "rig_scripts", "rig_conformance_posix"]),
}

# Tokens with spaces around them are operators: clang-format writes none around brackets of templates.
CHANGES = [
    (re.compile(r" < "), " <= "), (re.compile(r" <= "), " < "), (re.compile(r" > "), " >= "), (re.compile(r" >= "), " > "),
    (re.compile(r" == "), " != "), (re.compile(r" != "), " == "), (re.compile(r" \+ "), " - "), (re.compile(r" - "), " + "),
    (re.compile(r" \* (?=\w)"), " / "), (re.compile(r" / "), " * "), (re.compile(r" % "), " / "),
    (re.compile(r" && "), " || "), (re.compile(r" \|\| "), " && "), (re.compile(r" << "), " >> "), (re.compile(r" >> "), " << "),
    (re.compile(r" \+= "), " -= "), (re.compile(r" -= "), " += "), (re.compile(r"\btrue\b"), "false"),
    (re.compile(r"\bfalse\b"), "true"), (re.compile(r"(?<=[(\s])!(?=[\w(*])"), ""),
    (re.compile(r"(?<![\w.'])\d+(?:'\d{3})*(?![\w.'])"), None),  # a number: one more
]
# Where a change means nothing or cannot be seen: declarations of templates, what only says something to people, asserts.
SILENT_LINES = re.compile(r"^\s*(#|template\b|static_assert|using\b|namespace\b|///|//|\[\[)|fail\(Errc|NOLINT")


def without_text(line):
    """The line with strings, characters and comments blanked, as long as before."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', blank, line)
    return re.sub(r"//.*", blank, line)


def candidates(module):
    found = []
    for folder in MODULES[module][0]:
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix not in (".cpp", ".hpp"):
                continue
            raw = False
            for number, line in enumerate(path.read_text().split("\n")):
                if 'R"(' in line:
                    raw = True
                if not raw and not SILENT_LINES.search(line):
                    code = without_text(line)
                    for pattern, new in CHANGES:
                        for hit in pattern.finditer(code):
                            text = hit.group()
                            value = str(int(text.replace("'", "")) + 1) if new is None else new
                            found.append((path.relative_to(TREE), number, hit.start(), text, value))
                if ')"' in line:
                    raw = False
    return found


def run(command, timeout=None):
    try:
        done = subprocess.run(command, cwd=TREE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, text=True,
                              errors="replace")
    except subprocess.TimeoutExpired:
        return None, "took too long"
    return done.returncode, done.stdout


def copy_tree():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT, check=True,
                            stdout=subprocess.PIPE).stdout.decode().split("\0")
    keep = {Path(name) for name in listed if name}
    if TREE.exists():
        for path in sorted(TREE.rglob("*"), reverse=True):
            if path.is_file() and path.relative_to(TREE) not in keep:
                path.unlink()
    for name in keep:
        source, target = ROOT / name, TREE / name
        if not source.is_file():
            continue
        # Only what differs, so that the build of an earlier run is still good.
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
            target.touch()


def configure():
    status, said = run(["cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                        "-DCMAKE_CXX_FLAGS_DEBUG=-O1", "-DCMAKE_EXPORT_COMPILE_COMMANDS=OFF"])
    if status != 0:
        sys.exit(f"mutants: cmake failed:\n{said[-2000:]}")


def build(tests, timeout=None):
    return run(["cmake", "--build", str(BUILD), "--target", *[f"test_{name}" for name in tests]], timeout)


def test(tests, timeout=None):
    pattern = "^(" + "|".join(tests) + "): ?"
    return run(["ctest", "--test-dir", str(BUILD), "-R", pattern, "-j", "2", "--stop-on-failure", "--no-tests=error"], timeout)


def change(path, number, column, old, new):
    lines = path.read_text().split("\n")
    line = lines[number]
    lines[number] = line[:column] + new + line[column + len(old):]
    path.write_text("\n".join(lines))
    return line.strip()


def main():
    try:
        wanted = int(sys.argv[1])
        start = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
        if wanted < 1 or len(sys.argv) > 3:
            raise ValueError
    except (IndexError, ValueError):
        print(__doc__, file=sys.stderr)
        return 2
    chosen = random.Random(start)
    copy_tree()
    configure()
    print(f"start value {start}", flush=True)
    green, survivors, noticed, odd = {}, [], 0, 0
    while noticed + len(survivors) < wanted:
        module = chosen.choice(list(MODULES))
        tests = MODULES[module][1]
        name, number, column, old, new = chosen.choice(candidates(module))
        if module not in green:
            print(f"{module}: building and testing it unchanged", flush=True)
            status, said = build(tests)
            began = time.monotonic()
            if status == 0:
                status, said = test(tests)
            if status != 0:
                print(f"{module}: its tests fail without any change:\n{said[-3000:]}", file=sys.stderr)
                return 3
            green[module] = time.monotonic() - began
        path = TREE / name
        kept = path.read_text()
        line = change(path, number, column, old, new)
        where = f"{name}:{number + 1}: '{old.strip()}' to '{new.strip()}' in: {line}"
        try:
            status, said = build(tests)
            if status != 0:
                odd += 1  # does not compile: nobody can make that mistake
                continue
            # A change that hangs the tests is noticed.
            status, said = test(tests, timeout=120 + 10 * green[module])
        finally:
            path.write_text(kept)
        if status == 0:
            survivors.append(where)
            print(f"survived  {where}", flush=True)
        else:
            noticed += 1
            print(f"noticed   {where}", flush=True)
    print(f"{noticed} of {wanted} changes were noticed; {odd} more did not compile; start value {start}")
    return 0 if len(survivors) <= SURVIVORS_ALLOWED * wanted else 1


if __name__ == "__main__":
    sys.exit(main())
