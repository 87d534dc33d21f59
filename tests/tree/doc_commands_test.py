# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks with small pages which commands doc_commands.py runs, and which results it reports."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import doc_commands  # noqa: E402  (the folder of this script is on the path)


def sh(*lines):
    return "```sh\n" + "".join(line + "\n" for line in lines) + "```\n"


# Name, expected part of the failure (None: no failure), page.
CASES = [
    ("a command that succeeds", None, sh("true")),
    ("a command that fails", "false: exit status 1, expected 0", sh("true", "false")),
    ("the output of a command that fails", "no medium", sh("echo 'no medium'; exit 3")),
    ("a command that fails before a pipe", "exit status 1, expected 0", sh("false | cat")),
    ("a command that does not exist", "exit status 127, expected 0", sh("no-such-program")),
    ("an expected status", None, sh("exit 1  # a fault is found: exit status 1")),
    ("an expected status that does not occur", "exit status 0, expected 4", sh("true  # refused: exit status 4")),
    ("a command on two lines", None, sh("test 1 = \\", "  1")),
    ("a later block of the same page", "exit status 1", sh("true") + "text\n" + sh("false")),
    ("files of an earlier command", None, sh("echo text > file") + sh("grep text file")),
    ("the home folder is empty and current", None, sh('test "$HOME" = "$PWD" && test -z "$(ls)"')),
    ("programs are found on the path", None, sh("mediarig verify card.img")),
    ("variables of the caller", None, sh('test -z "$MEDIARIG_STORE"')),
    ("blocks that are not run", None, sh("true") + "```console\nfalse\n```\n```text\nfalse\n```\n```\nfalse\n```\n"),
    ("commands of the source tree are not run", None, sh("true", "./run demo")),
    ("comments are not run", None, sh("true", "# false")),
    ("a page without commands", "no command in an sh block", "text\n"),
]

os.environ["MEDIARIG_STORE"] = "caller.db"
failed = 0
for name, expected, text in CASES:
    with tempfile.TemporaryDirectory() as tree:
        program = os.path.join(tree, "mediarig")
        with open(program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ntest "$1" = verify\n')
        os.chmod(program, 0o755)
        page = os.path.join(tree, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
        found, _ = doc_commands.check(page, tree)
    if (expected not in (found or "")) if expected else found is not None:
        failed += 1
        print(f"{name}: expected '{expected}', found: {found}")
print(f"{len(CASES)} pages, {failed} with a wrong result")
sys.exit(1 if failed else 0)
