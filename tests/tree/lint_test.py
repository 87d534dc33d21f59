# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests the rules of lint.py: each one on a small tree with one fault, and on one without faults. The tools are fakes that fail."""
import os
import pathlib
import subprocess
import tempfile
import unittest

import lint

SPDX = "// SPDX-License-Identifier: GPL-3.0-or-later\n"
SOUND = {
    "host/a.cpp": SPDX + "for (auto x : co_await all()) use(x);\n",
    "tests/a_test.cpp": SPDX + 'TEST_CASE("a name, plain") {}\n',
    "firmware/core/a.hpp": SPDX + '#include "hw/parts.hpp"\n',
    "run": "#!/bin/sh\n" + SPDX,
    "docs/a.md": "no licence line needed\n",
    "host/long.hpp": SPDX + "\n" * 999,
}


class LintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        subprocess.run(["git", "init", "-q", self.root], check=True)

    def write(self, files):
        for name, text in files.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text, encoding="utf-8")

    def commit(self):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", self.root, "add", "."], check=True)
        subprocess.run(["git", "-C", self.root, *author, "commit", "-q", "-m", "a"], check=True)

    def faults(self, rule, files):
        """The output of the rule after these changes to a sound tree, in which it found nothing."""
        self.write(SOUND)
        self.assertEqual(rule(lint.Tree(self.root)), [])
        self.write(files)
        return "\n".join(rule(lint.Tree(self.root)))

    def fake_tool(self, name, script):
        """A program of this name, first in the path."""
        self.write({f"bin/{name}": "#!/bin/sh\n" + SPDX.replace("//", "#") + script})
        (self.root / "bin" / name).chmod(0o755)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{self.root}/bin:{path}"

    def test_a_file_without_licence_line(self):
        self.assertIn("host/b.py: no SPDX line", self.faults(lint.licence_lines, {"host/b.py": "pass\n"}))

    def test_a_licence_line_after_the_third_line(self):
        self.assertIn("tests/CMakeLists.txt:", self.faults(lint.licence_lines, {"tests/CMakeLists.txt": "\n\n\n" + SPDX}))

    def test_a_file_of_1001_lines(self):
        self.assertIn("host/long.hpp: 1001 lines", self.faults(lint.length_of_files, {"host/long.hpp": SPDX + "\n" * 1000}))

    def test_a_semicolon_in_the_name_of_a_test(self):
        self.assertIn("tests/deep/b.cpp:1: TEST_CASE",
                      self.faults(lint.names_of_tests, {"tests/deep/b.cpp": 'TEST_CASE("one; two") {}\n'}))

    def test_a_name_of_a_test_that_is_an_option(self):
        self.assertIn("takes it for an option", self.faults(lint.names_of_tests, {"tests/b.cpp": 'TEST_CASE("-a") {}\n'}))

    def test_co_await_in_a_conditional_expression(self):
        found = self.faults(lint.co_await_in_conditionals, {"host/deep/b.hpp": "x = a ? co_await b() : c;\n",
                                                            "tests/b.cpp": "x = a ? b : (co_await c());\n"})
        self.assertIn("host/deep/b.hpp:1:", found)
        self.assertIn("tests/b.cpp:1:", found)

    def test_a_path_without_an_error_code(self):
        found = self.faults(lint.paths_without_error_codes,
                            {"host/b.cpp": "a = fs::absolute(file, unknown);\nb = std::filesystem::absolute(file);\n"
                                           "c = fs::absolute(name(file)).string();\n"})
        self.assertNotIn("host/b.cpp:1:", found)
        self.assertIn("host/b.cpp:2:", found)
        self.assertIn("host/b.cpp:3:", found)

    def test_a_board_in_the_core(self):
        self.assertIn("firmware/core/deep/b.cpp:1:", self.faults(
            lint.includes_of_the_rig_core, {"firmware/core/deep/b.cpp": '#include "firmware/board/posix/a.hpp"\n'}))

    def test_the_host_in_common(self):
        self.assertIn("common/b.hpp:1:", self.faults(lint.includes_of_the_rig_core, {"common/b.hpp": "#include <host/a.hpp>\n"}))

    def test_the_output_of_a_failed_clang_format(self):
        self.write(SOUND)
        self.fake_tool("clang-format", 'shift 2; ! grep -l BAD -- "$@" >&2\n')
        self.assertIn("host/b.cpp", self.faults(lint.formatting, {"host/b.cpp": "BAD"}))

    def tidy(self, script, every_file=False):
        self.fake_tool("clang-tidy", script)
        self.fake_tool("cmake", "exit 0\n")
        return self.faults(lambda tree: lint.clang_tidy(tree, every_file), {"host/b.cpp": "BAD"})

    REPORTS_BAD = 'for name; do :; done; grep -q BAD "$name" && echo "$name:1:1: warning: bad [x]"; exit 0\n'

    def test_clang_tidy_reads_changed_files(self):
        self.write({"host/old.cpp": "BAD"})
        self.commit()
        self.assertEqual(self.tidy(self.REPORTS_BAD), "host/b.cpp:1:1: warning: bad [x]")

    def test_clang_tidy_reads_every_file_on_request(self):
        self.write({"firmware/board/pico/a.cpp": "BAD"})
        self.commit()
        self.assertEqual(self.tidy(self.REPORTS_BAD, every_file=True), "host/b.cpp:1:1: warning: bad [x]")

    def test_a_diagnostic_of_the_coroutine_header_is_ignored(self):
        self.commit_sound()
        self.assertEqual(self.tidy(f'echo "{lint.FALSE_DIAGNOSTIC}:1:1: warning: leak"; exit 1\n'), "")

    def test_a_clang_tidy_that_crashes(self):
        self.commit_sound()
        self.fake_tool("cmake", "exit 0\n")
        self.fake_tool("clang-tidy", "echo no memory >&2; exit 139\n")
        self.write({"host/b.cpp": ""})
        self.assertEqual(lint.clang_tidy(lint.Tree(self.root), False), ["host/b.cpp: clang-tidy failed: no memory"])

    def commit_sound(self):
        self.write(SOUND)
        self.commit()


if __name__ == "__main__":
    unittest.main()
