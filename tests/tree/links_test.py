# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds small trees of pages, most of them with one fault, and checks the faults that links.py reports."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import links  # noqa: E402  (the folder of this script is on the path)


def faults(pages):
    with tempfile.TemporaryDirectory() as tree:
        subprocess.run(["git", "init", "-q", tree], check=True)
        for name, text in pages.items():
            os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                file.write(text)
        return links.check(tree)[0]


def index(text):
    return {"docs/README.md": text}


# Name, expected part of the faults ("": no fault), pages.
CASES = [
    ("a link to a page and back", "",
     {**index("[plan](guide/plan.md)"), "docs/guide/plan.md": "[up](../README.md)"}),
    ("a link to a missing page", "docs/README.md: plan.md does not exist", index("[plan](plan.md)")),
    ("a picture that is missing", "docs/README.md: a.png does not exist", index("![A picture](a.png)")),
    ("a picture within a link", "docs/README.md: a.png does not exist", index("[![A picture](a.png)](README.md)")),
    ("a link out of the tree", "docs/README.md: ../../plan.md does not exist", index("[plan](../../plan.md)")),
    ("a link to a folder", "", {**index("[examples](examples)"), "docs/examples/a.json": "{}"}),
    ("a link to a folder leads to its page", "", {**index("[hardware](../hw/)"), "hw/README.md": "text"}),
    ("a link with a title", "docs/README.md: plan.md does not exist", index('[plan](plan.md "Plans")')),
    ("a link to another site", "", index("[site](https://example.org/a.md#b)")),
    ("a link in a code block", "", index("```\n[plan](plan.md)\n```\n")),
    ("a link after a code block", "docs/README.md: plan.md does not exist", index("```\ncode\n```\n[plan](plan.md)")),
    ("a link in inline code", "", index("`[plan](plan.md)`")),

    ("a source file in inline code", "", {**index("`host/a.hpp`, `host/`, `host/*.cpp`, `a.cpp`"), "host/a.hpp": ""}),
    ("a source file that is missing", "docs/README.md: `host/b.hpp` does not exist", index("`host/b.hpp`")),
    ("a missing source file in a code block", "", index("```\n`host/b.hpp`\n```")),

    ("an anchor of the same page", "", index("# The first `step`: verify\n[up](#the-first-step-verify)")),
    ("an anchor without a heading", "has no heading with the anchor b", index("# A\n[b](#b)")),
    ("an anchor of another page", "",
     {**index("[c](plan.md#c-and-d)"), "docs/plan.md": "## C and [D](../docs/plan.md)\n"}),
    ("a missing anchor of another page", "plan.md has no heading with the anchor d",
     {**index("[d](plan.md#d)"), "docs/plan.md": "## C\n"}),
    ("a heading in a code block", "has no heading with the anchor b", index("```sh\n# B\n```\n[b](#b)")),
    ("a repeated heading", "", index("# A\n# A\n[second](#a-1)")),
    ("a heading with letters beyond ASCII", "", index("# Größe – µm\n[a](#größe--µm)")),
    ("an anchor of a file that is no page", "has no heading with the anchor b",
     {**index("[a](a.json#b)"), "docs/a.json": "{}"}),

    ("a page without a link to it", "docs/plan.md: no link leads here", {**index("text"), "docs/plan.md": "text"}),
    ("pages that link only each other", "docs/b.md: no link leads here",
     {**index("text"), "docs/a.md": "[b](b.md)", "docs/b.md": "[a](a.md)"}),
    ("no index", "docs/README.md is missing", {"README.md": "text"}),

    ("as many words as allowed", "", index("word " * links.MAX_WORDS)),
    ("rules of tables", "", index("word " * links.MAX_WORDS + "| --- |")),
    ("words of a generated page", "",
     {**index("[a](generated/a.md)"), "docs/generated/a.md": "word " * links.MAX_WORDS}),
    ("one word too many", f"{links.MAX_WORDS + 1} words: at most", index("word " * links.MAX_WORDS + "word")),
]

failed = 0
for name, expected, pages in CASES:
    found = faults(pages)
    if not any(expected in line for line in found) if expected else found:
        failed += 1
        print(f"{name}: expected '{expected}', found:", *found, sep="\n  ")
print(f"{len(CASES)} trees, {failed} with a wrong result")
sys.exit(1 if failed else 0)
