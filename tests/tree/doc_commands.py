# SPDX-License-Identifier: GPL-3.0-or-later
"""doc_commands.py BIN PAGE...: runs the commands in the ```sh blocks of these pages.

Each page has an empty folder, which is also its home; BIN is first on the path. Commands run in their order, one shell
each. A command must exit with 0, or with N if its comment contains "exit status N". Lines that begin with "./run" need a
source tree and are skipped, as are blocks marked otherwise (console, text): they need a medium or install programs.

Exit 0: every command has the expected status; 1: the command that has another one is on standard output.
Prints "SKIPPED: reason" without root, which loop devices need."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```sh *\n(.*?)^``` *$", re.S | re.M)
EXPECTED = re.compile(r"#.*\bexit status (\d+)")
SECONDS = 600


def commands_of(text):
    """The commands of all ```sh blocks. A backslash at the end of a line continues the command."""
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").split("\n"):
            command = line.strip()
            if command and not command.startswith(("#", "./run")):
                yield command


def failure(command, folder, programs):
    """A line that describes the wrong result, or None."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MEDIARIG_", "XDG_"))}
    environment |= {"HOME": folder, "PATH": programs + os.pathsep + os.environ["PATH"]}
    wanted = EXPECTED.search(command)
    expected = int(wanted[1]) if wanted else 0
    try:
        # pipefail: the status of `mediarig … | head` is that of mediarig.
        result = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace", timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"{command}: no end after {SECONDS} s"
    if result.returncode == expected:
        return None
    return f"{command}: exit status {result.returncode}, expected {expected}\n{result.stdout}"


def check(page, programs):
    """The failure of the first wrong command, or None; and the number of commands."""
    with open(page, encoding="utf-8") as file:
        commands = list(commands_of(file.read()))
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            wrong = failure(command, folder, programs)
            if wrong:
                return f"{page}: {wrong}", len(commands)
    if not commands:
        return f"{page}: no command in an sh block", 0
    return None, len(commands)


def main():
    programs, pages = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if os.geteuid() != 0:
        print("SKIPPED: an image is attached to a loop device, which needs root")
        return 0
    failed = 0
    for page in pages:
        try:
            wrong, count = check(page, programs)
        except FileNotFoundError:
            wrong, count = f"{page} is missing", 0
        if wrong:
            failed += 1
            print(wrong)
        print(f"{shlex.quote(page)}: {count} commands")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
