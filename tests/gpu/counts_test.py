#!/usr/bin/env python3
"""Tests counts.py on a made-up profile and recording, and that run.sh says in one sentence what is missing."""
import contextlib
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counts  # noqa: E402

PID = 4321
WINDOW = {"pid": PID, "annotation": "window", "begin_mono_ns": 1_000_000, "end_mono_ns": 2_000_000}


def call(name, ts, category="cuda_runtime"):
    return {"ph": "X", "cat": category, "name": name, "ts": ts, "dur": 1}


def profile(calls):
    mark = {"ph": "X", "cat": "user_annotation", "name": "window", "ts": 100.0, "dur": 50.0}
    return {"traceEvents": [{"ph": "M", "name": "process_name"}, mark, *calls]}


class CountsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def recording(self, rows, losses=()):
        """rows: (call, kind, depth, pid, start_mono_ns, weight)"""
        connection = sqlite3.connect(self.path("run.db"))
        connection.execute("CREATE TABLE events(call, kind, depth, pid, start_mono_ns, weight)")
        connection.execute("CREATE TABLE loss(name, severity, count)")
        connection.executemany("INSERT INTO events VALUES(?,?,?,?,?,?)", rows)
        connection.executemany("INSERT INTO loss VALUES(?,?,?)", losses)
        connection.commit()
        connection.close()
        return self.path("run.db")

    def run_main(self, trace, database, window=None):
        for name, content in (("profile.json", trace), ("window.json", window or WINDOW)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        said, complained = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained):
            status = counts.main([self.path("profile.json"), database, self.path("window.json"), "--json",
                                  self.path("result.json")])
        return status, said.getvalue() + complained.getvalue()

    def test_equal_counts_pass_whatever_suffix_the_profiler_adds(self):
        database = self.recording([("cudaLaunchKernel", "launch", 0, PID, 1_000_000 + i, 1) for i in range(3)] +
                                  [("cuMemcpyHtoDAsync", "memcpy", 0, PID, 1_500_000, 1)])
        trace = profile([call("cudaLaunchKernel_v7000", 101), call("cudaLaunchKernel_ptsz_v7000", 102),
                         call("cudaLaunchKernel", 103), call("cuMemcpyHtoDAsync_v2", 104, "cuda_driver")])
        status, said = self.run_main(trace, database)
        self.assertEqual(status, 0, said)
        with open(self.path("result.json"), encoding="utf-8") as file:
            self.assertTrue(json.load(file)["equal"])

    def test_one_call_too_few_or_too_many_fails_and_is_named(self):
        for extra in (-1, 1):
            with self.subTest(extra=extra):
                counted = counts.compare({"cudaMemcpyAsync": 5}, {"cudaMemcpyAsync": 5 + extra}, 0, {})
                self.assertFalse(counted["equal"])
                self.assertIn(f"differs by {extra:+d}", counts.table(counted))

    def test_what_lies_outside_the_window_or_in_another_process_does_not_count(self):
        database = self.recording([("cudaMalloc", "alloc", 0, PID, 1_200_000, 1),
                                   ("cudaMalloc", "alloc", 0, PID, 999_999, 1),
                                   ("cudaMalloc", "alloc", 0, PID, 2_000_001, 1),
                                   ("cudaMalloc", "alloc", 0, PID + 1, 1_200_000, 1),
                                   ("sched_switch", "host", 0, PID, 1_200_000, 1)])
        trace = profile([call("cudaMalloc", 120), call("cudaMalloc", 99.9), call("cudaMalloc", 150.1),
                         call("cudaMalloc", 120, "kernel")])
        status, said = self.run_main(trace, database)
        self.assertEqual(status, 0, said)

    def test_a_launch_inside_a_launch_is_one_launch_of_the_total(self):
        database = self.recording([("cudaLaunchKernel", "launch", 0, PID, 1_200_000, 1),
                                   ("cuLaunchKernel", "launch", 1, PID, 1_200_001, 1)])
        recorded, outermost, _ = counts.recorded_counts(database, PID, 1_000_000, 2_000_000)
        self.assertEqual(recorded, {"cudaLaunchKernel": 1, "cuLaunchKernel": 1})
        self.assertEqual(outermost, 1)

    def test_losses_and_calls_the_profiler_leaves_out_are_shown(self):
        database = self.recording([("cudaMalloc", "alloc", 0, PID, 1_200_000, 1),
                                   ("cudaGetDevice", "device", 0, PID, 1_200_000, 1)], [("ring_full", "loss", 7)])
        status, said = self.run_main(profile([call("cudaMalloc", 120)]), database)
        self.assertEqual(status, 0)
        self.assertIn("cudaGetDevice 1", said)
        self.assertIn("lost: ring_full 7", said)

    def test_unusable_input_is_one_sentence_and_status_2(self):
        database = self.recording([])
        for trace in (profile([]), {"traceEvents": []}, {"other": 1}, 7, profile([]) | {"traceEvents": [5]}):
            with self.subTest(trace=str(trace)[:40]):
                status, said = self.run_main(trace, database)
                self.assertEqual(status, 2, said)
                self.assertEqual(said.count("\n"), 1, said)
        status, said = self.run_main(profile([call("cudaMalloc", 120)]), self.path("absent.db"))
        self.assertEqual(status, 2, said)


class RunScriptTest(unittest.TestCase):
    def test_without_a_gpu_it_says_so_in_one_sentence_and_exits_77(self):
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("this machine has a GPU")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "run.sh")
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run([script, os.path.join(folder, "out")], capture_output=True, text=True, check=False)
            self.assertEqual(os.listdir(folder), [], "nothing is left behind")
        self.assertEqual(ran.returncode, 77)
        self.assertEqual(ran.stderr.count("\n"), 1, ran.stderr)
        self.assertIn("GPU", ran.stderr)


if __name__ == "__main__":
    unittest.main()
