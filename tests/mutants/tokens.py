# SPDX-License-Identifier: GPL-3.0-or-later
"""The single tokens of C++ sources that can be changed, and their replacements."""

import re
from dataclasses import dataclass
from pathlib import Path

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
# A change has no meaning or no visible effect: declarations of templates, texts for users, asserts.
SILENT_LINES = re.compile(r"^\s*(#|template\b|static_assert|using\b|namespace\b|///|//|\[\[)|fail\(Errc|NOLINT")


@dataclass(frozen=True)
class Change:
    path: Path  # within the tree
    line: int  # from 0
    column: int
    old: str
    new: str
    context: str

    def __str__(self):
        return f"{self.path}:{self.line + 1}: '{self.old.strip()}' to '{self.new.strip()}' in: {self.context}"

    def applied_to(self, text):
        lines = text.split("\n")
        line = lines[self.line]
        lines[self.line] = line[:self.column] + self.new + line[self.column + len(self.old):]
        return "\n".join(lines)


def without_text(line):
    """The line with strings, characters and comments blanked, at unchanged length."""
    blank = lambda match: " " * len(match.group())
    line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', blank, line)
    return re.sub(r"//.*", blank, line)


def candidates(tree, folders):
    found = []
    for folder in folders:
        for path in sorted((tree / folder).rglob("*")):
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
                            found.append(Change(path.relative_to(tree), number, hit.start(), text, value, line.strip()))
                if ')"' in line:
                    raw = False
    return found
