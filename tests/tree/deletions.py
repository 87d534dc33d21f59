# SPDX-License-Identifier: GPL-3.0-or-later
"""deletions.py [--print] SOURCE: checks that docs/reference/safety.md lists every call that deletes, replaces or truncates a file.

The last column of the table "Files that mediarig deletes or replaces" has entries such as `owned_folder.cpp` unlinkat 3: the base
name of a source (sources of one base name count together), a function, the number of its calls. Base names survive moves.

Exit 0: calls and table agree; 1: a call is not in the table, or the table names a call that does not exist."""
import collections
import pathlib
import re
import sys

HEADING = "## Files that mediarig deletes or replaces"
FOLDERS = ["host", "firmware/board/posix"]
# Name and pattern of each call. Functions of the program that delete on behalf of a caller are listed like those of the system.
CALLS = {
    "remove_all": r"(?:fs|filesystem)::remove_all\(",
    "remove": r"(?:fs|filesystem|std)::remove\(",
    "unlink": r"(?<![\w.])(?:::)?unlink\(",
    "unlinkat": r"\bunlinkat\(",
    "rmdir": r"(?<![\w.])(?:::)?rmdir\(",
    "rename": r"(?:::|\bfs::|filesystem::|std::)rename\(",
    "renameat": r"\brenameat2?\(",
    "O_TRUNC": r"\bO_TRUNC\b",
    "creat": r"(?<![\w.])(?:::)?creat\(",
    "ofstream": r"\bofstream\b(?!>)",
    "fstream": r"std::fstream\b",
    "fopen": r"\bfopen\((?![^)]*\"r)",
    "ftruncate": r"\b(?:f?truncate)\(",
    "resize_file": r"\bresize_file\(",
    "copy_file": r"(?:fs|filesystem)::copy(?:_file)?\(",
    "QSaveFile": r"\bQSaveFile \w+\(",
    "QFile": r"\bQFile \w+\(|QFile::\w+\(",
    "QDir": r"\bremoveRecursively\(|QDir\([^)]*\)\.remove",
    "remove_owned_tree": r"\bremove_owned_tree\(",
    "remove_given_tree": r"\bremove_given_tree\(",
    "empty_owned_folder": r"\bempty_owned_folder\(",
    "remove_owned_if_empty": r"\bremove_owned_if_empty\(",
    "remove_lab_media": r"\bremove_lab_media\(",
    "remove_socket": r"\bremove_socket\(",
    "replace_own_file": r"\breplace_own_file\(",
    "rename_to_new": r"\brename_to_new\(",
    "write_text": r"\bwrite_text\(",
}
PATTERNS = {name: re.compile(pattern) for name, pattern in CALLS.items()}
# A line that begins with a type is a declaration or a definition.
DECLARATION = re.compile(r"^\s*(?:\[\[nodiscard\]\] )?(?:static |virtual )?(?:void|bool|int|Result<\w+(?:::\w+)*>|\w+::Result<\w+>) "
                         r"(?:\w+::)*\w+\(")
ENTRY = re.compile(r"`([\w.]+)`((?: \w+ \d+,?)+)")


def calls_in(text):
    found = collections.Counter()
    for line in text.split("\n"):
        code = re.sub(r'"(?:[^"\\]|\\.)*"', lambda word: '"r"' if word.group(0).startswith('"r') else '""', line)
        code = code.split("//")[0]
        if code.lstrip().startswith("#include"):
            continue
        declared = DECLARATION.match(code)
        for name, pattern in PATTERNS.items():
            if hits := len(pattern.findall(code)) - (1 if declared and pattern.search(declared.group(0)) else 0):
                found[name] += hits
    return found


def calls_of(source):
    found = collections.Counter()
    for folder in FOLDERS:
        for file in sorted((source / folder).rglob("*.[ch]pp")):
            for name, count in calls_in(file.read_text(encoding="utf-8")).items():
                found[file.name, name] += count
    return found


def table_of(text):
    listed = collections.Counter()
    section = text.split(HEADING, 1)[1].split("\n## ", 1)[0] if HEADING in text else ""
    for line in section.split("\n"):
        if line.startswith("|"):
            for file, calls in ENTRY.findall(line.rstrip("| ").rsplit("|", 1)[-1]):
                for name, count in re.findall(r"(\w+) (\d+)", calls):
                    listed[file, name] += int(count)
    return listed


def differences(found, listed):
    for file, name in sorted(found.keys() | listed.keys()):
        have, said = found[file, name], listed[file, name]
        if have > said:
            yield f"{file}: {have} calls of {name}, and docs/reference/safety.md names {said}: add what is deleted or replaced, where and by which rule"
        elif have < said:
            yield f"docs/reference/safety.md: {file} has {have} calls of {name}, not {said}: correct the table"


def self_test():
    text = ('fs::remove_all(x);\n::unlink(a); // ::unlink(b)\nvoid remove_socket(int folder) {\nremove_socket(path);\n'
            'Result<void> remove(const T& t) override;\nsectors.remove(x);\nstd::ofstream file(x);\n'
            'open(p, O_RDWR | O_TRUNC);\nlog("::unlink(c)");\nstd::fopen(path, "re");\nstd::fopen(path, "we");\n')
    expected = {"remove_all": 1, "unlink": 1, "remove_socket": 1, "ofstream": 1, "O_TRUNC": 1, "fopen": 1}
    table = f"{HEADING}\n| x | `a.cpp` unlink 2, rename 1; `b.cpp` O_TRUNC 1 |\n## Next\n| `c.cpp` unlink 1 |\n"
    listed = {("a.cpp", "unlink"): 2, ("a.cpp", "rename"): 1, ("b.cpp", "O_TRUNC"): 1}
    one, two = collections.Counter({("a.cpp", "unlink"): 1}), collections.Counter({("a.cpp", "unlink"): 2})
    return (dict(calls_in(text)) == expected and dict(table_of(table)) == listed and not list(differences(one, one))
            and len(list(differences(two, one))) == 1 and len(list(differences(one, two))) == 1)


def main():
    source = pathlib.Path(sys.argv[-1])
    if not self_test():
        print("this check does not find its own examples")
        return 1
    found = calls_of(source)
    if "--print" in sys.argv:
        by_file = collections.defaultdict(list)
        for (file, name), count in sorted(found.items()):
            by_file[file].append(f"{name} {count}")
        for file, calls in by_file.items():
            print(f"`{file}` {', '.join(calls)}")
        return 0
    faults = list(differences(found, table_of((source / "docs/reference/safety.md").read_text(encoding="utf-8"))))
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
