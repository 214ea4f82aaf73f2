"""A sanitizer's report ends the program by a signal: an exit status would pass for one of the program's own.

  sanitizers_test.py PROGRAM SANITIZER_REPORT
"""
import os
import signal
import subprocess
import sys
import unittest

PROGRAM, REPORT = sys.argv.pop(1), sys.argv.pop(1)


class Sanitizers(unittest.TestCase):
    def test_each_report_is_a_signal(self):
        environment = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
        for error, sentence in (("freed", b"heap-use-after-free"), ("overflow", b"signed integer overflow"),
                                ("leak", b"detected memory leaks")):
            done = subprocess.run([REPORT, error], env=environment, capture_output=True)
            self.assertIn(sentence, done.stderr)
            self.assertEqual(done.returncode, -signal.SIGABRT, error)

    def test_so_it_is_in_the_program(self):
        symbols = subprocess.run(["nm", "--dynamic", "--defined-only", PROGRAM], capture_output=True, text=True, check=True).stdout
        for name in ("__asan_default_options", "__ubsan_default_options"):
            self.assertRegex(symbols, rf" T {name}\n")


if __name__ == "__main__":
    unittest.main()
