# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks with small pages which commands doc_commands.py runs, and which results it reports."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import doc_commands  # noqa: E402  (the folder of this script is on the path)


def sh(*lines):
    return "```sh\n" + "".join(line + "\n" for line in lines) + "```\n"


def shown(*lines):
    return "\n```text\n" + "".join(line + "\n" for line in lines) + "```\n"


three = sh("printf 'one\\ntwo\\nthree\\n'")


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
    ("the home folder is current and contains the documents", None, sh('test "$HOME" = "$PWD" && test "$(ls)" = docs')),
    ("examples are in the documents", None, sh("test -f docs/examples/lot.plan.json")),
    ("programs are found on the path", None, sh("mediarig verify card.img")),
    ("variables of the caller", None, sh('test -z "$MEDIARIG_STORE"')),
    ("blocks that are not run", None, sh("true") + "```console\nfalse\n```\n```text\nfalse\n```\n```\nfalse\n```\n"),
    ("commands of the source tree are not run", None, sh("true", "./run demo")),
    ("comments are not run", None, sh("true", "# false")),
    ("the output of the last command", None, sh("echo no", "echo yes") + shown("yes")),
    ("another output", "in its place: maybe", sh("echo yes") + shown("maybe")),
    ("a whole output", None, three + shown("one", "two", "three")),
    ("an output without its end", "in its place: (no further line)", three + shown("one", "two")),
    ("an omitted end", None, three + shown("one", "…")),
    ("omitted lines", None, three + shown("…", "two", "…")),
    ("lines in another order", "in its place: one", three + shown("…", "two", "…", "one")),
    ("a line that is not next", "in its place: three", three + shown("one", "three")),
    ("spaces and empty lines", None, sh("printf 'a    b\\n\\nc\\n'") + shown("a b", "c")),
    ("a rate and a duration", None, sh("echo 12.5 MB/s in 3 s") + shown("9 MB/s in 11 s")),
    ("a date and a time", None, sh("echo at 2026-11-27 13:05") + shown("at 2025-01-02 09:40")),
    ("the number of a loop device", None, sh("echo /dev/loop3") + shown("/dev/loop11")),
    ("the folder of the page", None, sh('echo "$PWD/card.img"') + shown("/home/ada/card.img")),
    ("rates after a bar", None, sh("echo 'card 1 │ 12 3'") + shown("card 1 │ 9 77")),
    ("a figure before a bar", "in its place: card 2", sh("echo 'card 1 │ 12'") + shown("card 2 │ 12")),
    ("a figure in a table", None, sh("echo card 12.5  0.25") + shown("card 1.5  77.0")),
    ("another capacity", "in its place: 268 MB", sh("echo 134 MB") + shown("268 MB")),
    ("another share", "in its place: 1.5 %", sh("echo 2.5 %") + shown("1.5 %")),
    ("an output after other text is not compared", None, sh("echo yes") + "For example:\n" + shown("maybe")),
    ("a section for the lab, with a guest", "exit status 1", sh("touch guest") + "## Lab\n" + sh("false  # virtual lab")),
    ("a section for the lab, without a guest", None, sh("true") + "## Lab\n" + sh("false", "false  # in the virtual lab")),
    ("a section after that of the lab", "exit status 1", "## Lab\n" + sh("false  # virtual lab") + "## End\n" + sh("false")),
    ("a page without commands", "no command in an sh block", "text\n"),
]

os.environ["MEDIARIG_STORE"] = "caller.db"
failed = 0
for name, expected, text in CASES:
    with tempfile.TemporaryDirectory() as tree:
        program = os.path.join(tree, "mediarig")
        with open(program, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\ntest "$1" = verify || { test "$1 $2" = "lab info" && test -f guest; }\n')
        os.chmod(program, 0o755)
        page = os.path.join(tree, "page.md")
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)
        found, _, _ = doc_commands.check(page, tree)
    if (expected not in (found or "")) if expected else found is not None:
        failed += 1
        print(f"{name}: expected '{expected}', found: {found}")
print(f"{len(CASES)} pages, {failed} with a wrong result")
sys.exit(1 if failed else 0)
