# SPDX-License-Identifier: GPL-3.0-or-later
"""doc_commands.py BIN PAGE...: runs the commands in the ```sh blocks of these pages.

Each page has a folder, which is also its home and contains only a link to docs/; BIN is first on the path. Commands run in
their order, one shell each. A command must exit with 0, or with N if its comment contains "exit status N". Lines that begin
with "./run" need a source tree and are skipped, as are blocks marked otherwise (console, text): they need a medium or install
programs. A section (##) whose commands contain "virtual lab" in a comment is skipped if the lab has no guest.

A ```text block right after an sh block is the output of its last command; its folder is printed as /home/ada. A line "…" stands
for any lines. Each other line must be in the output, in the same order. Runs of spaces and figures that differ between runs
(VOLATILE) do not count.

Exit 0: every command has the expected status and output; 1: the first wrong command of each page is on standard output.
Prints "SKIPPED: reason" without root, which loop devices need."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
SECTION = re.compile(r"^(?=## )", re.M)
BLOCK = re.compile(r"^```sh *\n(.*?)^``` *$(?:\n+```text *\n(.*?)^``` *$)?", re.S | re.M)
EXPECTED = re.compile(r"#.*\bexit status (\d+)")
IN_LAB = re.compile(r"#.*\bvirtual lab\b")
# Times, dates, durations, rates, names of loop devices, and figures without a unit in the columns of a table. All figures
# after the first "│" of a line are rates, too (stable).
VOLATILE = re.compile(r"\d{4}-\d\d-\d\d|\b\d\d?:\d\d(?::\d\d)?\b|(?<=/dev/loop)\d+|\b[\d.]+(?= ?(?:[kMG]B/s|[mµu]?s|min|IOPS)\b)"
                      r"|(?<=read )[\d.]+|(?<=write )[\d.]+|(?<= )\d+\.\d+(?= |$)(?! (?:[kMGT]?B|%))")
SECONDS = 900
USER = "/home/ada"


class Step:
    """A command, its expected exit status, and the lines of its output, or None."""

    def __init__(self, command, output):
        self.command, self.output = command, output
        wanted = EXPECTED.search(command)
        self.status = int(wanted[1]) if wanted else 0


def steps_of(text):
    """The steps of all ```sh blocks. A backslash at the end of a line continues the command."""
    for block, output in BLOCK.findall(text):
        commands = [line.strip() for line in block.replace("\\\n", " ").split("\n")]
        commands = [line for line in commands if line and not line.startswith(("#", "./run"))]
        for command in commands:
            yield Step(command, output.splitlines() if output and command is commands[-1] else None)


def stable(line):
    line, bar, rates = VOLATILE.sub("N", line).partition("│")
    return " ".join((line + bar + re.sub(r"[\d.]+", "N", rates)).split())


def missing_line(expected, output):
    """The first expected line that is not in the output at its place, or None."""
    found = [stable(line) for line in output.splitlines() if line.strip()]
    position, any_lines = 0, False
    for line in filter(str.strip, expected):
        if line.strip() == "…":
            any_lines = True
            continue
        while any_lines and position < len(found) and found[position] != stable(line):
            position += 1
        if position == len(found) or found[position] != stable(line):
            return line
        position, any_lines = position + 1, False
    return None if any_lines or position == len(found) else "(no further line)"


def environment(folder, programs):
    """The variables of a new user, except for the cache with the guest of the lab."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIARIG_", "XDG_"))}
    return kept | {"HOME": folder, "PATH": programs + os.pathsep + os.environ["PATH"], "XDG_CACHE_HOME": cache}


def run(command, folder, programs):
    # pipefail: the status of `mediarig … | head` is that of mediarig.
    return subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment(folder, programs),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=SECONDS, check=False)


def failure(step, folder, programs):
    """A text that describes the wrong result, or None."""
    try:
        result = run(step.command, folder, programs)
    except subprocess.TimeoutExpired:
        return f"{step.command}: no end after {SECONDS} s"
    if result.returncode != step.status:
        return f"{step.command}: exit status {result.returncode}, expected {step.status}\n{result.stdout}"
    line = missing_line(step.output, result.stdout.replace(folder, USER)) if step.output else None
    return f"{step.command}: the output does not contain this line in its place: {line}\n{result.stdout}" if line else None


def has_guest(folder, programs):
    return run("mediarig lab info", folder, programs).returncode == 0


def check(page, programs):
    """The failure of the first wrong command, or None; the number of commands that ran, and of those that were skipped."""
    with open(page, encoding="utf-8") as file:
        sections = [list(steps_of(section)) for section in SECTION.split(file.read())]
    ran = skipped = 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(DOCS, os.path.join(folder, "docs"))
        for steps in sections:
            if any(IN_LAB.search(step.command) for step in steps) and not has_guest(folder, programs):
                skipped += len(steps)
                continue
            for step in steps:
                ran += 1
                if wrong := failure(step, folder, programs):
                    return f"{page}: {wrong}", ran, skipped
    return None if ran + skipped else f"{page}: no command in an sh block", ran, skipped


def main():
    programs, pages = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.geteuid() != 0:
        print("SKIPPED: an image is attached to a loop device, which needs root")
        return 0
    failed = 0
    for page in pages:
        try:
            wrong, ran, skipped = check(page, programs)
        except FileNotFoundError:
            wrong, ran, skipped = f"{page} is missing", 0, 0
        if wrong:
            failed += 1
            print(wrong)
        print(f"{shlex.quote(page)}: {ran} commands" + (f", {skipped} not run: the lab has no guest" if skipped else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
