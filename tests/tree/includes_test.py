# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes small trees, each with one wrong arrow, and looks whether includes.py finds it."""
import os
import subprocess
import sys
import tempfile

CHECKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "includes.py")


def verdict(files, modules):
    with tempfile.TemporaryDirectory() as tree:
        subprocess.run(["git", "init", "-q", tree], check=True)
        for name, text in files.items():
            os.makedirs(os.path.join(tree, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(tree, name), "w", encoding="utf-8") as file:
                file.write(text)
        listed = os.path.join(tree, "modules.txt")
        with open(listed, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in modules))
        judged = subprocess.run([sys.executable, CHECKER, tree, listed], capture_output=True, text=True, check=False)
        # What is known of the real tree is not so in this one.
        lines = [line for line in judged.stdout.split("\n") if not line.startswith("known and not so")]
        return "\n".join(lines[:-2])


def include(path):
    return f'#include "{path}"\n'


CASES = [
    ("two folders in one direction", "",
     {"host/plan/a.cpp": include("host/measure/b.hpp"), "host/measure/b.hpp": "", "host/measure/b.cpp": ""},
     ["plan host/plan | a.cpp | mediarig::measure |", "measure host/measure | b.cpp | |"]),
    ("a circle of three folders", "folders that include each other: host/measure host/plan host/report",
     {"host/plan/a.hpp": include("host/measure/b.hpp"), "host/measure/b.hpp": include("host/report/c.hpp"),
      "host/report/c.hpp": include("host/plan/a.hpp")}, []),
    ("a port that knows its adapter", "folders that include each other: host/workload host/workload/linux",
     {"host/workload/a.cpp": include("host/workload/linux/b.hpp"),
      "host/workload/linux/b.hpp": include("host/workload/port.hpp"), "host/workload/port.hpp": ""}, []),
    ("an include without its link", "plan does not link store: host/plan/a.cpp includes host/store/b.hpp",
     {"host/plan/a.cpp": include("host/store/b.hpp"), "host/store/b.hpp": "", "host/store/b.cpp": ""},
     ["plan host/plan | a.cpp | |", "store host/store | b.cpp | |"]),
    ("a link by way of another module", "",
     {"host/plan/a.cpp": include("host/store/b.hpp"), "host/store/b.hpp": "", "host/store/b.cpp": ""},
     ["plan host/plan | a.cpp | mediarig::middle |", "middle host/middle | | mediarig::store |",
      "store host/store | b.cpp | |"]),
    ("a folder that knows more than the table says", "docs/architecture.md: host/plan knows measure",
     {"host/plan/a.cpp": include("host/measure/b.hpp"), "host/measure/b.hpp": "",
      "docs/architecture.md": "| `host/plan/` | plans | nothing |\n| `host/measure/` | figures | nothing |\n"}, []),
    ("a folder that knows what the table says", "",
     {"host/plan/a.cpp": include("host/measure/b.hpp"), "host/measure/b.hpp": "",
      "docs/architecture.md": "| `host/plan/` | plans | measure |\n| `host/measure/` | figures | nothing |\n"}, []),
    ("firmware whose core knows its board", "folders that include each other: firmware/board firmware/core",
     {"firmware/core/a.hpp": include("firmware/board/b.hpp"), "firmware/board/b.hpp": include("firmware/core/a.hpp")}, []),
    ("firmware that knows more than the table says", "docs/architecture.md: firmware/core knows firmware/plant",
     {"firmware/core/a.hpp": include("firmware/plant/b.hpp"), "firmware/plant/b.hpp": "",
      "docs/architecture.md": "| `firmware/core/` | a rig | nothing |\n| `firmware/plant/` | a model | nothing |\n"}, []),
    ("a host that includes firmware", "docs/architecture.md: host/rig knows firmware/core",
     {"host/rig/a.hpp": include("firmware/core/b.hpp"), "firmware/core/b.hpp": "",
      "docs/architecture.md": "| `firmware/core/` | a rig | nothing |\n| `host/rig/` | ports | nothing |\n"}, []),
    ("a system header in firmware", "firmware/core/a.cpp includes <unistd.h> outside",
     {"firmware/core/a.cpp": "#include <unistd.h>\n"}, []),
    ("a system header in the subject", "host/workload/a.cpp includes <sys/ioctl.h> outside",
     {"host/workload/a.cpp": "#include <sys/ioctl.h>\n"}, []),
    ("a system header in an adapter", "", {"host/workload/linux/a.cpp": "#include <sys/ioctl.h>\n"}, []),
]

failed = 0
for what, expected, files, modules in CASES:
    said = verdict(files, modules)
    if (expected not in said) if expected else said != "":
        failed += 1
        print(f"{what}: expected '{expected}', but: {said}")
print(f"{len(CASES)} trees, {failed} answered wrongly")
sys.exit(1 if failed else 0)
