# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests count_tests.py on the output of ctest 3.25 for a project with one test of each result."""
import unittest

from count_tests import count, reasons

LOG = """\
Test project /build/dev
    Start 1: a: good
1/9 Test #1: a: good ..........................   Passed    0.01 sec
2/9 Test #2: b: unstable, #3 of 4 .............***Failed    0.01 sec
output of the test, and its progress: 2/9 Test #2
    Start 2: b: unstable, #3 of 4
2/9 Test #4: d: no card .......................***Skipped   0.02 sec
3/9 Test #6: e: no program ....................***Not Run   0.00 sec
4/9 Test #5: d: no card either ................***Skipped   0.01 sec
5/9 Test #8: g: disabled ......................***Not Run (Disabled)   0.00 sec
    Test #2: b: unstable, #3 of 4 .............   Passed    0.01 sec
8/9 Test #10: h: crashes ......................***Exception: SegFault  0.00 sec
    Test #10: h: crashes ......................***Exception: SegFault  0.00 sec
9/9 Test #7: f: slow ..........................***Timeout   0.99 sec
    Test #7: f: slow ..........................***Timeout   1.00 sec

50% tests passed, 4 tests failed out of 8
"""
ONE = "1/1 Test #1: a name longer than the column of dots ...   Passed  301.20 sec\n"


class CountTests(unittest.TestCase):
    def test_the_last_result_of_each_test_counts(self):
        self.assertEqual(count(LOG, 8), (2, 3, 3, ["b: unstable, #3 of 4"]))

    def test_a_test_that_passed_at_once_is_not_listed_as_tried_again(self):
        self.assertEqual(count(ONE, 0), (1, 0, 0, []))

    def test_a_failure_of_ctest_itself_counts_as_one_failed(self):
        self.assertEqual(count("", 8), (0, 1, 0, []))
        self.assertEqual(count(ONE, 1), (1, 1, 0, []))

    def test_a_failed_ctest_adds_nothing_to_failed_tests(self):
        self.assertEqual(count("1/1 Test #1: a ...***Failed    0.01 sec\n", 8), (0, 1, 0, []))

    def test_equal_reasons_are_counted(self):
        details = 'Command: "echo" "SKIPPED: no card"\nSKIPPED: no card\nSKIPPED: no root\nSKIPPED: no card\n'
        self.assertEqual(reasons(details), ["      2 SKIPPED: no card", "      1 SKIPPED: no root"])


if __name__ == "__main__":
    unittest.main()
