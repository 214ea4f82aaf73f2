#!/usr/bin/env python3
"""coverage_test.py finds what is wrong: faults planted in a copy of a library's exported names and in a list.

  planted_test.py INGERO
"""
import os
import sys
import tempfile
import unittest

import coverage_test

PROGRAM = sys.argv.pop(1)
LIBRARY = "libibverbs.so.1"
RULES = [("ibv_cmd_*", "internal"), ("ibv_wc_status_str", "query")]
NAMES = [["ibv_open_device", "pibv_open_device"], ["ibv_cmd_alloc_pd"], ["ibv_wc_status_str"],
         ["_ZN3ibv5innerEv"], ["_Z17ibv_cmd_free_thingPv"]]


class Planted(unittest.TestCase):
    def compare(self, names=(), rules=()):
        with tempfile.TemporaryDirectory() as folder:
            path = coverage_test.stand_in(folder, LIBRARY, NAMES + list(names))
            return coverage_test.compare(coverage_test.exported(path), coverage_test.described(PROGRAM, path),
                                         RULES + list(rules))

    def test_nothing_is_wrong(self):
        counts, faults, used = self.compare()
        self.assertEqual(faults, [])
        self.assertEqual(counts, {"described": 2, "internal": 3, "query": 1})
        self.assertEqual(used, {"ibv_cmd_*", "ibv_wc_status_str"})

    def test_a_function_that_no_row_and_no_line_names(self):
        _, faults, _ = self.compare([["ibv_planted"]])
        self.assertEqual(faults, ["ibv_planted is neither described nor excluded"])

    def test_a_function_that_is_described_and_excluded(self):
        _, faults, _ = self.compare(rules=[("ibv_open_*", "query")])
        self.assertEqual(faults, ["ibv_open_device is described, and excluded by ibv_open_*"])

    def test_a_function_that_two_lines_exclude(self):
        _, faults, _ = self.compare(rules=[("*_str", "query")])
        self.assertEqual(faults, ["ibv_wc_status_str is excluded by several lines: ibv_wc_status_str, *_str"])

    def test_lines_that_exclude_nothing_and_reasons_that_nothing_explains(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libibverbs.txt"), "w", encoding="utf-8") as out:
                out.write("# planted\nibv_cmd_*  internal\nibv_gone_*  query\nibv_rate  boring\n")
            faults = coverage_test.faults_of_lists({"libibverbs": {"ibv_cmd_*", "ibv_rate"}}, folder)
        self.assertIn("libibverbs.txt: ibv_gone_* excludes nothing that any version exports", faults)
        self.assertTrue(any("the reason 'boring' is not one of" in fault for fault in faults), faults)
        self.assertTrue(any("no function is excluded as 'setting'" in fault for fault in faults), faults)

    def test_a_library_that_no_backend_describes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = coverage_test.stand_in(folder, "libplanted.so.1", NAMES)
            with self.assertRaisesRegex(RuntimeError, "holds no described library"):
                coverage_test.described(PROGRAM, path)

    def test_names_of_one_address_are_one_probe(self):
        with tempfile.TemporaryDirectory() as folder:
            path = coverage_test.stand_in(folder, LIBRARY, NAMES)
            self.assertIn("ibv_open_device=pibv_open_device", coverage_test.record(path).split())


if __name__ == "__main__":
    unittest.main()
