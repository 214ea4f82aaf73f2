"""The summary of a test run counts honestly: failures fail it, skips keep their reasons, an empty run is not a success."""
import os
import subprocess
import sys
import tempfile
import unittest

SUMMARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tools", "test_summary")

PASSED = '<testcase name="Store.Keeps" status="run"><system-out>ok</system-out></testcase>'
FAILED = '<testcase name="Store.Loses" status="fail"><failure message=""/><system-out>x</system-out></testcase>'
SKIPPED = ('<testcase name="Probe.Fires" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/><system-out>'
           "[ RUN      ] Probe.Fires\n/src/probe_test.cc:12: Skipped\nneeds root: probes are placed in other processes\n\n"
           "[  SKIPPED ] Probe.Fires (0 ms)\n</system-out></testcase>")
SCRIPT_SKIPPED = ('<testcase name="script" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/>'
                  "<system-out>SKIP: no such kernel feature\n</system-out></testcase>")
UNBUILT = ('<testcase name="Gone" status="notrun"><skipped message="Unable to find executable: /x"/>'
           "<system-out></system-out></testcase>")


def summary(*cases):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('<?xml version="1.0"?><testsuite>' + "".join(cases) + "</testsuite>")
        done = subprocess.run([sys.executable, "-B", SUMMARY, path], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout


class Summary(unittest.TestCase):
    def test_ends_with_the_plain_line_and_succeeds_when_nothing_failed(self):
        status, output = summary(PASSED, SKIPPED)
        self.assertEqual(status, 0)
        self.assertTrue(output.endswith("1 passed, 0 failed, 1 skipped\n"), output)

    def test_fails_and_names_the_test_when_one_failed(self):
        status, output = summary(PASSED, FAILED)
        self.assertEqual(status, 1)
        self.assertIn("Store.Loses\n    | x\n", output)
        self.assertTrue(output.endswith("1 passed, 1 failed, 0 skipped\n"), output)

    def test_prints_the_reason_of_each_skip(self):
        _, output = summary(PASSED, SKIPPED, SCRIPT_SKIPPED)
        self.assertIn("needs root: probes are placed in other processes", output)
        self.assertIn("Probe.Fires", output)
        self.assertIn("no such kernel feature", output)

    def test_counts_a_test_whose_program_is_missing_as_failed(self):
        status, output = summary(PASSED, UNBUILT)
        self.assertEqual(status, 1)
        self.assertIn("Gone (not run: Unable to find executable", output)

    def test_fails_when_no_test_ran(self):
        self.assertEqual(summary()[0], 1)
        self.assertEqual(summary(SKIPPED)[0], 1)

    def test_fails_on_a_report_that_is_missing_or_cut_short(self):
        done = subprocess.run([sys.executable, "-B", SUMMARY, "/nonexistent/report.xml"], capture_output=True, check=False)
        self.assertEqual(done.returncode, 1)


class AgainstCtest(unittest.TestCase):
    """The real ctest writes what the summary reads."""

    def test_reads_what_ctest_writes(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "CTestTestfile.cmake"), "w", encoding="utf-8") as file:
                file.write('add_test(good "/bin/true")\nadd_test(bad "/bin/false")\n'
                           'add_test(skip "/bin/sh" "-c" "echo \'SKIP: not on this machine\'; exit 77")\n'
                           "set_tests_properties(skip PROPERTIES SKIP_RETURN_CODE 77)\n"
                           'add_test(gtest "/bin/sh" "-c" "printf \'a.cc:1: Skipped\\\\nneeds a GPU\\\\n[  SKIPPED ] x\\\\n\'")\n'
                           'set_tests_properties(gtest PROPERTIES SKIP_REGULAR_EXPRESSION "\\\\[  SKIPPED \\\\]")\n'
                           'add_test(gone "/nonexistent/program")\n')
            report = os.path.join(folder, "report.xml")
            subprocess.run(["ctest", "--test-dir", folder, "--quiet", "--output-junit", report], check=False,
                           capture_output=True)
            done = subprocess.run([sys.executable, "-B", SUMMARY, report], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertTrue(done.stdout.endswith("1 passed, 2 failed, 2 skipped\n"), done.stdout)
            self.assertIn("not on this machine", done.stdout)
            self.assertIn("needs a GPU", done.stdout)


if __name__ == "__main__":
    unittest.main()
