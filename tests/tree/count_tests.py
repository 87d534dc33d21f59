# SPDX-License-Identifier: GPL-3.0-or-later
"""count_tests.py STATUS LOG DETAILS: prints the result of a run of ctest.

STATUS is the exit status of ctest, LOG its standard output, DETAILS its Testing/Temporary/LastTest.log, which has the output of
skipped tests. The output is: the reasons of skipped tests, the tests that passed only when tried again, and as the last line
"N passed, N failed, N skipped". If ctest failed and no test did, the line counts 1 failed: ctest itself."""
import collections
import pathlib
import re
import sys

# "3/9 Test #7: name ....***Timeout   1.00 sec"; a repeated test has no "3/9", a disabled test is "***Not Run (Disabled)".
RESULT = re.compile(r"^ *(?:\d+/\d+ )?Test +#(\d+): (.*?) \.*(?: +|\*\*\*)(Passed|Skipped|Not Run \(Disabled\)|\S.*?) +[0-9.]+ sec *$", re.M)


def count(log, status):
    """(passed, failed, skipped, names that passed only when tried again). The last result of each test counts."""
    last, again = {}, []
    for number, name, word in RESULT.findall(log):
        result = {"Passed": "passed", "Skipped": "skipped", "Not Run (Disabled)": "skipped"}.get(word, "failed")
        if result == "passed" and last.get(number) == "failed":
            again.append(name)
        last[number] = result
    number_of = collections.Counter(last.values())
    failed = number_of["failed"] or (1 if status else 0)
    return number_of["passed"], failed, number_of["skipped"], again


def reasons(details):
    """Lines "NUMBER OF TESTS SKIPPED: reason"."""
    lines = collections.Counter(re.findall(r"^SKIPPED: .*$", details, re.M))
    return [f"{number:7} {line}" for line, number in sorted(lines.items())]


def read(path):
    file = pathlib.Path(path)
    return file.read_text(encoding="utf-8", errors="replace") if file.exists() else ""


def main():
    status, log, details = int(sys.argv[1]), read(sys.argv[2]), read(sys.argv[3])
    if skipped := reasons(details):
        print("Skipped, with the number of tests:", *skipped, sep="\n")
    *numbers, again = count(log, status)
    for name in again:
        print("Passed only when tried again:", name)
    print("{} passed, {} failed, {} skipped".format(*numbers))


if __name__ == "__main__":
    main()
