#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""completions.py FILE

Sources the completion FILE in bash and compares its suggestions for lines that end in a Tab. Exit 1 if they differ."""
import os
import subprocess
import sys
import tempfile

FILES = ["card.img", "cards"]
# A line, and all suggestions for its last word.
CASES = [
    ("mediarig la", ["lab"]),
    ("mediarig lab st", ["start", "status", "stop"]),
    ("mediarig lab po", ["power-cut"]),
    ("mediarig bench --eng", ["--engine"]),
    ("mediarig bench --engine ", ["psync", "uring"]),
    ("mediarig bench --engine=u", ["uring"]),
    ("mediarig bench --raw --cache dr", ["dropped"]),
    ("mediarig bench --cache car", []),
    ("mediarig lab fault --cor", ["--corrupt"]),
    ("mediarig inspect car", FILES),
    ("mediarig run car", FILES),
    ("mediarig devices --jso", ["--json"]),
    ("mediarig lab card", ["cards"]),
    ("mediarig run --rig si", ["sim", "sim-bank"]),
    ("mediarig compare --fs ap", ["apfs"]),
    ("mediarig sc", ["scan"]),
    ("mediarig sui", ["suites"]),
    ("mediarig compare --med", ["--media"]),
    ("mediarig verify --rea", ["--read-only"]),
    ("mediarig results --rec", ["--recorder", "--recorder-rate"]),
    ("mediarig bash", []),  # the command is hidden, because only packagers need it
]

BASH = r"""
source "$2"
COMP_LINE=$1; COMP_POINT=${#1}
# Splits words like readline: the sign between option and value is a separate word.
read -ra COMP_WORDS <<<"${1//=/ = }"
[[ $1 == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
default=
compopt() { [ "$*" = '+o default' ] && default=off; }
_mediarig
# Has the effect of `complete -o default`.
if [ ${#COMPREPLY[@]} -eq 0 ] && [ -z "$default" ]; then COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")); fi
printf '%s\n' "${COMPREPLY[@]}"
"""


def suggestions(completion, line):
    shell = subprocess.run(["bash", "--norc", "-c", BASH, "bash", line, completion],
                           capture_output=True, text=True, timeout=60)
    if shell.stderr:
        raise SystemExit(f"{line!r}: {shell.stderr}")
    return sorted(set(shell.stdout.split()))


def main(completion):
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("cards")
        open("card.img", "w", encoding="utf-8").close()
        for line, wanted in CASES:
            found = suggestions(completion, line)
            if found != sorted(wanted):
                print(f"{line!r} completes to {found}, not {sorted(wanted)}", file=sys.stderr)
                wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
