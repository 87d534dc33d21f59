#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""lint.py SOURCE [--all]: checks the rules of the sources: format, licence lines, length, test names, and known pitfalls of tools.

Needs git and, in the path, clang-format, clang-tidy and cmake. clang-tidy reads the changed files, with --all every file.

Exit 0: no faults; 1: each fault is a line of the output, with FILE:LINE: if the line is known."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

LONGEST_FILE = 1000  # lines
CPP = ("*.cpp", "*.hpp")
LICENSED = (*CPP, "*.sh", "*.py", "*.js", "*.mjs", "*.css", "*.S", "*.ld", "run", ".ci/run", ":(glob)**/CMakeLists.txt")
# Another compiler builds these files for the board; defects/ holds faulty sources that a test compiles.
NOT_FOR_CLANG_TIDY = re.compile(r"^(firmware/board/pico|tests/firmware[_/]image/defects)")
# The analyzer does not understand Boost's coroutines and reports their header.
FALSE_DIAGNOSTIC = "/usr/include/boost/asio/impl/awaitable.hpp"


class Tree:
    """A work tree of git: its tracked and its new files, without ignored ones."""

    def __init__(self, root):
        self.root = pathlib.Path(root)

    def git(self, *words):
        return subprocess.run(["git", "-C", self.root, *words], check=True, capture_output=True, text=True).stdout.splitlines()

    def files(self, *patterns):
        listed = self.git("ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns)
        return [name for name in sorted(set(listed)) if (self.root / name).is_file()]

    def changed(self):
        return sorted({*self.git("diff", "--name-only", "--diff-filter=d", "--relative", "HEAD", "--", "*.cpp"),
                       *self.git("ls-files", "--others", "--exclude-standard", "--", "*.cpp")})

    def lines(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace").splitlines()

    def search(self, pattern, *patterns):
        """("FILE:LINE: text", text) of each line of these files that the pattern matches."""
        wanted = re.compile(pattern)
        return [(f"{name}:{number}: {line.strip()}", line) for name in self.files(*patterns)
                for number, line in enumerate(self.lines(name), 1) if wanted.search(line)]


def formatting(tree):
    sources = tree.files(*CPP)
    if not sources:
        return []
    ran = subprocess.run(["clang-format", "--dry-run", "--Werror", *sources], cwd=tree.root, capture_output=True, text=True, check=False)
    return ran.stderr.splitlines() or ["clang-format failed without a message"] if ran.returncode else []


def licence_lines(tree):
    return [f"{name}: no SPDX line in its first 3 lines" for name in tree.files(*LICENSED)
            if not any("SPDX-License-Identifier: GPL-3.0-or-later" in line for line in tree.lines(name)[:3])]


def length_of_files(tree):
    return [f"{name}: {length} lines, more than {LONGEST_FILE}: split it, one purpose per file"
            for name in tree.files(*CPP) if (length := len(tree.lines(name))) > LONGEST_FILE]


def names_of_tests(tree):
    # CMake splits a name at a semicolon; neither half exists, and a test that does not exist passes.
    return [f"{place}\n    remove the semicolon from the name" for place, _ in tree.search(r'TEST_CASE\("[^"]*;', "tests/*.cpp")] + \
           [f"{place}\n    begin the name with a word: Catch2 takes it for an option"
            for place, _ in tree.search(r'TEST_CASE\("-', "tests/*.cpp")]


def co_await_in_conditionals(tree):
    # GCC 12 destroys the results of `x ? co_await a : b` twice.
    return [f"{place}\n    co_await within ?: - write an if"
            for place, line in tree.search(r"[?:] \(?co_await", "host/*.[ch]pp", "tests/*.[ch]pp") if "for (" not in line]


def paths_without_error_codes(tree):
    # absolute() and current_path() throw in a working folder that was removed.
    return [f"{place}\n    pass a std::error_code"
            for place, _ in tree.search(r"(fs|filesystem)::(current_path\(\)|absolute\([^,()]*(\([^()]*\))?[^,()]*(\)|$))", "host/*.[ch]pp")]


def includes_of_the_rig_core(tree):
    return [f"{place}\n    firmware/core and common include nothing of a board or of the host, except hw/parts.hpp"
            for place, line in tree.search(r'#include [<"](firmware/(board|plant|harness)|host|hw)/', "firmware/core", "common")
            if '"hw/parts.hpp"' not in line]


def clang_tidy(tree, every_file):
    build = tree.root / "build/tidy"
    if every_file:
        files = tree.files("host/*.cpp", "common/*.cpp", "firmware/*.cpp", "tests/*.cpp")
    else:
        files = tree.changed()
    files = [name for name in files if not NOT_FOR_CLANG_TIDY.search(name)]
    if not files:
        return []
    if not shutil.which("clang-tidy"):
        return ["clang-tidy is not installed: './run lint' installs them"]
    if not (build / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "tidy"], cwd=tree.root, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "generated", "--", "--quiet"], cwd=tree.root, check=True)

    def check(name):
        ran = subprocess.run(["clang-tidy", "-p", build, "--quiet", name], cwd=tree.root, capture_output=True, text=True, check=False)
        said = [line for line in ran.stdout.splitlines() if re.search(r" (error|warning): ", line)]
        if ran.returncode and not said:
            return [f"{name}: clang-tidy failed: {(ran.stderr or ran.stdout).strip()}"]
        return [line for line in said if not line.startswith(FALSE_DIAGNOSTIC)]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        # A header's diagnostic appears once for each source that includes it.
        return list(dict.fromkeys(line for lines in pool.map(check, files) for line in lines))


TEXT_RULES = {
    "licence lines": licence_lines,
    "length of files": length_of_files,
    "names of tests": names_of_tests,
    "co_await in conditional expressions": co_await_in_conditionals,
    "paths without error codes": paths_without_error_codes,
    "includes of the rig's core": includes_of_the_rig_core,
}


def main():
    tree, every_file = Tree(sys.argv[1]), "--all" in sys.argv[2:]
    rules = {"formatting": formatting, **TEXT_RULES, "clang-tidy": lambda tree: clang_tidy(tree, every_file)}
    failed = False
    for title, rule in rules.items():
        print(f"== {title}", flush=True)
        for fault in rule(tree):
            failed = True
            print(fault)
    if not failed:
        print("== lint: no faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
