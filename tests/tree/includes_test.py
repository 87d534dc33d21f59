# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds small trees, most of them with one wrong include, and checks the faults that includes.py reports."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import includes  # noqa: E402  (the folder of this script is on the path)

PAGE = includes.PAGE


def faults(files, modules, known_headers):
    with tempfile.TemporaryDirectory() as tree:
        subprocess.run(["git", "init", "-q", tree], check=True)
        for name, text in files.items():
            os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                file.write(text)
        listed = os.path.join(tree, "modules.txt")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in modules))
        return includes.check(tree, listed, known_headers)[0]


def include(path):
    return f'#include "{path}"\n'


PLAN_KNOWS_BASE = {"host/plan/a.cpp": include("host/base/b.hpp"), "host/base/b.hpp": "", "host/base/b.cpp": ""}
TWO_PAIRS = {"host/plan/a.hpp": include("host/plan/b.hpp"), "host/plan/b.hpp": "",
             "host/plan/b.cpp": include("host/plan/a.hpp")}

# Name, expected part of the faults ("": no fault), files, modules, known headers.
CASES = [
    ("two folders in one direction", "", PLAN_KNOWS_BASE,
     ["plan host | plan/a.cpp | mediarig::base |", "base host | base/b.cpp | |"], {}),
    ("a cycle of three folders", "folders that include each other: host/base host/measure host/plan",
     {"host/plan/a.hpp": include("host/measure/b.hpp"), "host/measure/b.hpp": include("host/base/c.hpp"),
      "host/base/c.hpp": include("host/plan/a.hpp")}, [], {}),
    ("a port that includes its adapter", "folders that include each other: host/workload/io host/workload/io/linux",
     {"host/workload/io/a.cpp": include("host/workload/io/linux/b.hpp"),
      "host/workload/io/linux/b.hpp": include("host/workload/io/port.hpp"), "host/workload/io/port.hpp": ""}, [], {}),
    ("firmware whose core includes its board", "folders that include each other: firmware/board firmware/core",
     {"firmware/core/a.hpp": include("firmware/board/b.hpp"), "firmware/board/b.hpp": include("firmware/core/a.hpp")},
     [], {}),

    ("a lower folder that includes a later one", "host/measure/a.cpp includes host/report/text/b.hpp of a later folder",
     {"host/measure/a.cpp": include("host/report/text/b.hpp"), "host/report/text/b.hpp": ""}, [], {}),
    ("a later folder that includes a lower one", "",
     {"host/report/text/a.cpp": include("host/measure/b.hpp"), "host/measure/b.hpp": ""}, [], {}),
    ("a folder without a place in the order", "host/tools/a.hpp is in no folder of ORDER", {"host/tools/a.hpp": ""},
     [], {}),
    ("a file in host/ itself", "host/a.hpp is in no folder of ORDER", {"host/a.hpp": ""}, [], {}),

    ("two files of a folder that include each other", "files of host/plan that include each other: a b", TWO_PAIRS,
     [], {}),
    ("the includes of a cycle are listed", "  host/plan/b.cpp includes host/plan/a.hpp", TWO_PAIRS, [], {}),
    ("three files of a folder that include each other", "files of host/plan that include each other: a b c",
     {"host/plan/a.hpp": include("host/plan/b.hpp"), "host/plan/b.hpp": include("host/plan/c.hpp"),
      "host/plan/c.hpp": include("host/plan/a.hpp")}, [], {}),
    ("a source that includes its own header", "", {"host/plan/a.cpp": include("host/plan/a.hpp"), "host/plan/a.hpp": ""},
     [], {}),

    ("an include without its link", "plan does not link base: host/plan/a.cpp includes host/base/b.hpp", PLAN_KNOWS_BASE,
     ["plan host | plan/a.cpp | |", "base host | base/b.cpp | |"], {}),
    ("a link through another module", "", PLAN_KNOWS_BASE,
     ["plan host | plan/a.cpp | mediarig::middle |", "middle host | | mediarig::base |", "base host | base/b.cpp | |"],
     {}),
    ("a header without a source and without a link", "",
     {"host/plan/a.cpp": include("host/base/b.hpp"), "host/base/b.hpp": "", "host/base/c.cpp": ""},
     ["plan host | plan/a.cpp | |", "base host | base/c.cpp | |"], {}),

    ("a system header in firmware", "firmware/core/a.cpp includes <unistd.h> outside",
     {"firmware/core/a.cpp": "#include <unistd.h>\n"}, [], {}),
    ("a system header in the subject", "host/workload/jobs/a.cpp includes <sys/ioctl.h> outside",
     {"host/workload/jobs/a.cpp": "#include <sys/ioctl.h>\n"}, [], {}),
    ("a system header in an adapter", "", {"host/workload/io/linux/a.cpp": "#include <sys/ioctl.h>\n"}, [], {}),
    ("a known system header", "", {"host/plan/a.cpp": "#include <unistd.h>\n"},
     [], {("host/plan/a.cpp", "unistd.h"): "reason"}),
    ("a known system header that is gone", "remove from KNOWN_HEADERS: host/plan/a.cpp <unistd.h>", {"host/plan/a.cpp": ""},
     [], {("host/plan/a.cpp", "unistd.h"): "reason"}),

    ("a folder that includes more than the table lists", PAGE + ": host/plan includes base",
     {**PLAN_KNOWS_BASE, PAGE: "| `host/plan/` | plans | nothing |\n| `host/base/` | text | nothing |\n"}, [], {}),
    ("a folder that includes less than the table lists", PAGE + ": host/plan includes nothing",
     {"host/plan/a.cpp": "", PAGE: "| `host/plan/` | plans | base |\n| `host/base/` | text | nothing |\n"}, [], {}),
    ("a folder that includes the listed folders", "",
     {**PLAN_KNOWS_BASE, PAGE: "| `host/plan/` | plans | base |\n| `host/base/` | text | nothing |\n"}, [], {}),
    ("firmware that includes more than the table lists", PAGE + ": firmware/core includes firmware/plant",
     {"firmware/core/a.hpp": include("firmware/plant/b.hpp"), "firmware/plant/b.hpp": "",
      PAGE: "| `firmware/core/` | a rig | nothing |\n| `firmware/plant/` | a model | nothing |\n"}, [], {}),
    ("a host that includes firmware", PAGE + ": host/rig includes firmware/core",
     {"host/rig/a.hpp": include("firmware/core/b.hpp"), "firmware/core/b.hpp": "",
      PAGE: "| `firmware/core/` | a rig | nothing |\n| `host/rig/` | ports | nothing |\n"}, [], {}),
]

failed = 0
for name, expected, *tree in CASES:
    found = faults(*tree)
    if not any(line.startswith(expected) for line in found) if expected else found:
        failed += 1
        print(f"{name}: expected '{expected}', found:", *found, sep="\n  ")
print(f"{len(CASES)} trees, {failed} with a wrong result")
sys.exit(1 if failed else 0)
