#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists the messages of the sources for review, and finds messages with unwanted words.

usage: messages.py SOURCE-FOLDER            prints "FILE:LINE: text", one per line
       messages.py --check SOURCE-FOLDER    prints the texts with a word of the list below; status 1 if there is one
"""
import pathlib
import re
import sys

# Strings that are not messages: names of members, SQL statements, fragments of documents, shell programs.
NOT_FOR_PEOPLE = re.compile(r"^(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|BEGIN|COMMIT|ALTER|DROP|ATTACH|DETACH)\b|^<|</|\{\}px|^\.[A-Z]{2}\b")
ENDINGS = {".cpp", ".hpp"}

# (pattern, replacement). Words that occurred in messages and are less precise than the usual terms of the field.
BANNED = [
    (r"\bbefall", "what happens to it; faults"),
    (r"\bfinds? nothing to say\b", "has no deviation; asks for"),
    (r"\bnobody waits\b", "cancelled"),
    (r"\bnot to be had\b", "is not available; cannot be opened"),
    (r"\bend it by hand\b", "name the command to run"),
    (r"\b1 rounds?\b", "once"),
    (r"\bpric(?:e|es|ed)\b", "cost; comparison"),
    (r"\bwhat is (?:the matter|up)\b", "name the cause"),
    (r"\bin a hurry\b", "at once"),
    (r"\bletter by letter\b", "compare it with what 'mediarig devices' shows"),
    (r"\bhousekeeping\b", "name what the card did"),
    (r"\bmay have had enough\b", "closed"),
    (r"\bmend it\b", "correct it"),
    (r"\bbe so kind\b", "name the step"),
    (r"\bthe dead\b", "ended processes"),
    (r"\bfor ever\b", "forever; without end"),
    (r"\bunforeseen\b", "internal error"),
    (r"\byou want\b|\bif you like\b", "name the step"),
    (r"\?!", "plain punctuation"),
    (r"(?<!there )\bis no (?!longer\b|more\b)", "is not a; is not an"),
    (r"\bdo(?:es)? not tell\b", "does not say; does not report"),
    (r"\bnobody (?:needs|says|knows)\b", "is not needed; is not known"),
    (r"\b(?:made|formatted|begun|started|began) anew\b", "again; restarted; newly formatted"),
    (r"\bby now\b", "now; already"),
    (r"\bthe (?:lab|rig) that runs\b", "the running lab"),
    (r"\bso many (?:minutes|measurements|seconds|per cent)\b", "this many"),
    (r"\bteh\b|\brecieve|\boccured\b|\bseperate|\bsucessful", "spelling"),
]


def literals(text):
    """(line, text) of each string literal; adjacent literals are joined."""
    token = re.compile(
        r'//[^\n]*|/\*.*?\*/|(?P<raw>R"(?P<mark>[^(\s"]*)\((?P<rawtext>.*?)\)(?P=mark)")|"(?P<text>(?:\\.|[^"\\\n])*)"'
        r"|'(?:\\.|[^'\\\n])+'|(?P<directive>^[ \t]*#[^\n]*)|(?P<space>\s+)|(?P<other>.)",
        re.S | re.M)
    found, begun, line = "", None, 1
    for match in token.finditer(text):
        if match["raw"] is not None or match["text"] is not None:
            piece = match["rawtext"] if match["raw"] is not None else unescaped(match["text"])
            begun = line if begun is None else begun
            found += piece
        elif match["other"] is not None or match["directive"] is not None:
            if begun is not None:
                yield begun, found
            found, begun = "", None
        line += match[0].count("\n")
    if begun is not None:
        yield begun, found


def unescaped(text):
    simple = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "'": "'"}
    return re.sub(r"\\(.)", lambda m: simple.get(m[1], m[0]), text)


def is_message(text):
    words = re.findall(r"[A-Za-z]{2,}", text)
    return len(words) >= 2 and " " in text.strip() and not NOT_FOR_PEOPLE.search(text)


def messages(folder):
    for file in sorted(p for p in folder.rglob("*") if p.suffix in ENDINGS):
        for line, text in literals(file.read_text(encoding="utf-8")):
            if is_message(text):
                yield file, line, text


def main():
    words = sys.argv[1:]
    check = words[:1] == ["--check"]
    if len(words) != (2 if check else 1):
        print(__doc__, file=sys.stderr)
        return 2
    folder = pathlib.Path(words[-1])
    count = bad = 0
    for file, line, text in messages(folder):
        count += 1
        shown = f"{file.relative_to(folder)}:{line}: {text.strip()!r}"
        if not check:
            print(shown)
            continue
        for pattern, instead in BANNED:
            if found := re.search(pattern, text, re.I):
                print(f"{shown}\n    has '{found[0].strip()}'; write instead: {instead}")
                bad += 1
    if check:
        print(f"{count} messages read, {bad} with unwanted words")
        return 1 if bad or count < 500 else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
