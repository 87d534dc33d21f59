#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""completions.py SHELL MEDIARIG

Asks a real bash, zsh or fish, with the completion printed by MEDIARIG, for its proposals to lines that end in a Tab.
Exit 0: as expected; 1: a difference, described on standard error; 77: this shell is not installed."""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

FILES = ["card.img", "cards"]
# A line, and all expected proposals at its end.
CASES = [
    ("mediarig la", ["lab"]),
    ("mediarig lab st", ["start", "status", "stop"]),
    ("mediarig lab po", ["power-cut"]),
    ("mediarig bench --eng", ["--engine"]),
    ("mediarig bench --engine ", ["psync", "uring"]),
    ("mediarig bench --engine=u", ["uring"]),
    ("mediarig bench --raw --cache dr", ["dropped"]),
    ("mediarig lab fault --cor", ["--corrupt"]),
    ("mediarig inspect car", FILES),
    ("mediarig run car", FILES),
    ("mediarig devices --jso", ["--json"]),
    ("mediarig lab card", ["cards"]),
    ("mediarig run --rig si", ["sim", "sim-bank"]),
    ("mediarig compare --fs ap", ["apfs"]),
    ("mediarig manu", []),  # for the users who install it
]

BASH = r"""
source ./completion
COMP_LINE=$1; COMP_POINT=${#1}
# The words as readline splits them: the sign between option and value is one.
read -ra COMP_WORDS <<<"${1//=/ = }"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
default=
compopt() { [ "$*" = '+o default' ] && default=off; }
_mediarig
# What `complete -o default` adds where nothing was found.
if [ ${#COMPREPLY[@]} -eq 0 ] && [ -z "$default" ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
printf '%s\n' "${COMPREPLY[@]}"
"""


def bash(line):
    said = subprocess.run(["bash", "--norc", "-c", BASH, "bash", line], capture_output=True, text=True, timeout=60)
    if said.stderr:
        raise SystemExit(f"bash says about {line!r}: {said.stderr}")
    return said.stdout.split()


def fish(line):
    said = subprocess.run(["fish", "--no-config", "-c", "source ./completion; complete -C $argv[1]", line],
                          capture_output=True, text=True, timeout=60)
    if said.stderr:
        raise SystemExit(f"fish says about {line!r}: {said.stderr}")
    words = [found.split("\t")[0] for found in said.stdout.splitlines()]
    # If no proposal begins with the word, fish offers those that contain its letters.
    typed = line.rsplit(" ", 1)[-1]
    return [word.rsplit("=", 1)[-1].rstrip("/") for word in words if word.startswith(typed)]


class Zsh:
    """zsh completes only on a terminal: it gets one, and a key that prints its proposals."""

    SET_UP = r"""
unsetopt beep; PS1='ready> '; setopt no_list_beep
fpath=($PWD $fpath); autoload -Uz compinit; compinit -u -D
compadd() {
    local -a found; builtin compadd -O found "$@"; print -rl -- $found >>offered
    builtin compadd "$@"
}
offer() { : >offered; zle complete-word; print done >>offered; BUFFER=; zle redisplay }
zle -C complete-word complete-word _main_complete; zle -N offer; bindkey '^X' offer; print -r -- go''on
"""

    def __init__(self):
        shutil.copy("completion", "_mediarig")
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.environ.update({"TERM": "dumb", "HOME": os.getcwd()})
            os.execvp("zsh", ["zsh", "-f", "-i"])
        for line in Zsh.SET_UP.strip().splitlines():
            os.write(self.terminal, line.encode() + b"\n")
        said = b""
        while b"\r\ngoon" not in said:
            said += self.read()
        self.said = said

    def read(self):
        if not select.select([self.terminal], [], [], 60)[0]:
            raise SystemExit("zsh does not answer")
        return os.read(self.terminal, 1 << 16)

    def __call__(self, line):
        if os.path.exists("offered"):
            os.remove("offered")
        os.write(self.terminal, line.encode() + b"\x18")
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.read()
            if os.path.exists("offered"):
                with open("offered", encoding="utf-8") as file:
                    offered = file.read().split("\n")
                if "done" in offered:
                    return [word.rstrip("/=") for word in offered if word and word != "done"]
        raise SystemExit(f"zsh offers nothing and does not end: {line!r}")


def main(shell, program):
    if shutil.which(shell) is None:
        print(f"SKIPPED: there is no {shell} on this machine")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        completion = subprocess.run([program, "manual", shell], capture_output=True, check=True).stdout
        with open("completion", "wb") as file:
            file.write(completion)
        os.mkdir("cards")
        open("card.img", "w", encoding="utf-8").close()
        ask = {"bash": lambda: bash, "fish": lambda: fish, "zsh": Zsh}[shell]()
        wrong = 0
        for line, wanted in CASES:
            offered = sorted(set(ask(line)))
            if offered != sorted(wanted):
                print(f"{shell}: {line!r} offers {offered}, not {sorted(wanted)}", file=sys.stderr)
                wrong += 1
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
