"""tools/check_invariants finds an invariant that no code or no test cites, and passes the same tree without the fault."""
import os
import runpy
import subprocess
import sys
import tempfile
import unittest

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools")
sys.path.insert(0, TOOLS)
CHECK = runpy.run_path(os.path.join(TOOLS, "check_invariants"))
ALL = [letter + str(number) for letter, count in CHECK["SERIES"].items() for number in range(1, count + 1)]


class PlantedTree(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.lines = {"bpf/it.bpf.h": ["/* The head."] + [f" *   ({one}) Something holds." for one in ALL if one[0] == "P"],
                      "correlate/it.h": ["// The head."] + [f"// {one}  Something holds." for one in ALL if one[0] != "P"],
                      "correlate/it.cc": [f"  keep();  // ({one}) as promised" for one in ALL],
                      "tests/unit/correlate/it_test.cc": [f"// ({one})" for one in ALL]}

    def check(self):
        for name, lines in self.lines.items():
            path = os.path.join(self.folder.name, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines) + "\n")
        done = subprocess.run([sys.executable, "-B", os.path.join(TOOLS, "check_invariants"), self.folder.name],
                              capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def drop(self, name, text):
        kept = [line for line in self.lines[name] if text not in line]
        self.assertLess(len(kept), len(self.lines[name]))
        self.lines[name] = kept

    def assert_found(self, expected):
        status, output = self.check()
        self.assertEqual(status, 1, output)
        self.assertIn(expected, output)
        self.assertIn("1 problem(s)", output)

    def test_allows_a_tree_in_which_each_is_cited(self):
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_finds_each_that_no_test_cites(self):
        for one in ALL:
            if one in CHECK["UNTESTED"]:
                continue
            with self.subTest(one):
                kept = list(self.lines["tests/unit/correlate/it_test.cc"])
                self.drop("tests/unit/correlate/it_test.cc", f"({one})")
                self.assert_found(f"no test cites ({one})")
                self.lines["tests/unit/correlate/it_test.cc"] = kept

    def test_finds_one_that_no_code_cites_beyond_its_definition(self):
        self.drop("correlate/it.cc", "(E3)")
        self.assert_found("no code cites (E3)")

    def test_finds_one_that_is_in_a_comment_of_bpf(self):
        self.drop("correlate/it.cc", "(P2)")
        self.assert_found("no code cites (P2)")

    def test_finds_one_that_is_gone(self):
        self.drop("correlate/it.h", "C5")
        self.assert_found("C5 is not defined")

    def test_finds_one_that_is_defined_twice(self):
        self.lines["correlate/other.h"] = ["// B1  Something else holds."]
        self.assert_found("B1 is defined at correlate/it.h:")

    def test_finds_a_new_one_that_is_not_counted(self):
        self.lines["correlate/other.h"] = ["// E9  Something new holds."]
        self.assert_found("E9 is not counted in SERIES")

    def test_finds_a_series_that_is_not_counted(self):
        self.lines["correlate/other.h"] = ["// Z1  Something new holds."]
        self.assert_found("Z1 is not counted in SERIES")

    def test_finds_one_that_is_written_with_a_dot(self):
        self.lines["correlate/other.h"] = ["//   B1. Something else holds."]
        self.assert_found("B1 is defined at correlate/it.h:")

    def test_finds_a_citation_of_what_is_not_defined(self):
        self.lines["correlate/it.cc"].append("  keep();  // (Z1)")
        self.assert_found("correlate/it.cc:%d: Z1 is not counted in SERIES" % len(self.lines["correlate/it.cc"]))

    def test_reads_several_in_one_citation(self):
        self.drop("tests/unit/correlate/it_test.cc", "(E1)")
        self.drop("tests/unit/correlate/it_test.cc", "(E2)")
        self.lines["tests/unit/correlate/it_test.cc"].append("// (E1, E2)")
        status, output = self.check()
        self.assertEqual(status, 0, output)

    def test_a_citation_of_a_tool_or_a_page_is_no_tests(self):
        self.drop("tests/unit/correlate/it_test.cc", "(B2)")
        self.lines["tools/it.py"] = ["# (B2)"]
        self.assert_found("no test cites (B2)")


if __name__ == "__main__":
    unittest.main()
