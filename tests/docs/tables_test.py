#!/usr/bin/env python3
"""docs_tables finds a page that is stale, mends it with --write, and refuses a source it does not understand."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "docs_tables")


class Tables(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("docs/limits.md", "hal/loss.h", "docs/formats/metrics.md", "serve/metrics/metric_names.h",
                     "serve/metrics/legacy/metric_names.h",
                     "docs/formats/otlp.md", "serve/otlp/names.cc", "hal/device.h", "docs/rules.md", "correlate/rules.h",
                     "docs/inference.md", "correlate/phases.h", "agent/inference/model_servers.cc", "docs/fabric.md", "docs/fleet.md",
                     "backends/rdma/counter_meanings.cc", "serve/http/refusals.h"):
            os.makedirs(os.path.join(self.root, os.path.dirname(name)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, name), os.path.join(self.root, name))

    def change_ledger(self, old, new):
        path = os.path.join(self.root, "hal/loss.h")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(old, new))

    def run_tool(self, *flags):
        return subprocess.run([sys.executable, "-B", TOOL, *flags, self.root], capture_output=True, text=True,
                              check=False)

    def test_this_tree_is_fresh(self):
        ran = self.run_tool()
        self.assertEqual((ran.returncode, ran.stdout + ran.stderr), (0, ""))

    def test_a_changed_sentence_is_stale_until_written(self):
        self.change_ledger("Calls nested deeper", "Calls nested far deeper")
        self.assertEqual(self.run_tool().returncode, 1)
        self.assertEqual(self.run_tool("--write").returncode, 0)
        self.assertEqual(self.run_tool().returncode, 0)

    def test_a_row_it_cannot_read_is_an_error_and_no_shorter_table(self):
        self.change_ledger("X(too_deep, ", "X(too_deep + 1, ")
        ran = self.run_tool("--write")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("not understood", ran.stderr)


if __name__ == "__main__":
    unittest.main()
