# SPDX-License-Identifier: GPL-3.0-or-later
"""links.py SOURCE: checks all Markdown pages of the tree.

1. Each relative link leads to a file or folder of the tree, each anchor to a heading. Each path in inline code that begins
   with a source folder (`host/plan/plan.hpp`) exists.
2. Each page can be reached by links from docs/README.md.
3. All written pages together have at most MAX_WORDS words. Pages in a folder "generated" do not count.

Exit 0: no fault; 1: each fault is on standard output."""
import os
import re
import subprocess
import sys

MAX_WORDS = 66_000
INDEX = "docs/README.md"

FENCED = re.compile(r"^( *)(```+|~~~+).*?^ *\2[`~]*$", re.S | re.M)
INLINE_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
LINK = re.compile(r"\]\(\s*<?((?:[^\s()<>]|\([^\s()]*\))+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#{1,6} +(.+?)(?: +#+)? *$", re.M)
ANCHOR = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
PATH = re.compile(r"`((?:common|cross|docs|firmware|host|hw|packaging|tests)/[\w./-]*)`")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:")


def links_of(text):
    """The targets of all links and pictures outside of code."""
    return LINK.findall(INLINE_CODE.sub("", FENCED.sub("", text)))


def anchors_of(text):
    """Anchors as GitHub makes them: lower case, no punctuation, "-" for a space, a number after a repeated one."""
    text = FENCED.sub("", text)
    anchors, seen = set(ANCHOR.findall(text)), {}
    for heading in HEADING.findall(text):
        title = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).replace(" ", "-")
        count = seen.get(slug, 0)
        seen[slug] = count + 1
        anchors.add(f"{slug}-{count}" if count else slug)
    return anchors


def words_of(text):
    """Words that contain a letter or a digit: rules of tables do not count."""
    return sum(any(letter.isalnum() for letter in word) for word in text.split())


def files_of(source):
    listed = subprocess.run(["git", "-C", source, "ls-files", "--cached", "--others", "--exclude-standard"],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return {file for file in listed if file and os.path.lexists(os.path.join(source, file))}


def folders_of(files):
    folders = {"."}
    for file in files:
        while file := os.path.dirname(file):
            folders.add(file)
    return folders


def check(source):
    """All faults as lines, and a summary."""
    files = files_of(source)
    folders, pages = folders_of(files), {}
    for file in sorted(files):
        if file.endswith(".md"):
            with open(os.path.join(source, file), encoding="utf-8") as opened:
                pages[file] = opened.read()
    anchors = {page: anchors_of(text) for page, text in pages.items()}

    faults, linked, count = [], {page: set() for page in pages}, 0
    for page, text in pages.items():
        for link in links_of(text):
            if SCHEME.match(link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if target not in files and target not in folders:
                faults.append(f"{page}: {link} does not exist")
                continue
            if target in folders:
                target = os.path.normpath(os.path.join(target, "README.md"))
            linked[page].add(target)
            if anchor and anchor not in anchors.get(target, ()):
                faults.append(f"{page}: {link}: {target} has no heading with the anchor {anchor}")

        for path in PATH.findall(FENCED.sub("", text)):
            if os.path.normpath(path) not in files | folders:
                faults.append(f"{page}: `{path}` does not exist")

    reached, waiting = set(), [INDEX]
    while waiting:
        page = waiting.pop()
        if page in pages and page not in reached:
            reached.add(page)
            waiting += linked[page]
    if INDEX not in pages:
        faults.append(f"{INDEX} is missing")
    faults += [f"{page}: no link leads here from {INDEX}" for page in pages if page not in reached]

    words = sum(words_of(text) for page, text in pages.items() if "generated" not in page.split("/"))
    if words > MAX_WORDS:
        faults.append(f"{words} words: at most {MAX_WORDS} are allowed in all pages together")
    return faults, f"{len(pages)} pages, {words} words, {count} relative links, {len(faults)} faults"


def main():
    faults, summary = check(sys.argv[1])
    print("\n".join(faults + [summary]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
