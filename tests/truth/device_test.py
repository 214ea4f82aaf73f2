"""The stand-in device keeps its times: queues, waits, failures, collectives. Without a tracer and without root.

  device_test.py --libraries DIR
"""
import ctypes
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "programs"))
if "--libraries" in sys.argv:
    os.environ["TRUTH_LIBRARIES"] = sys.argv[sys.argv.index("--libraries") + 1]
FOLDER = tempfile.mkdtemp(prefix="truth_device.")
os.environ["TRUTH_DIR"] = FOLDER
os.environ["TRUTH_DEVICE_MB"] = "64"
import gpu  # noqa: E402


def log_of(pid):
    with open(os.path.join(FOLDER, f"device.{pid}"), "rb") as file:
        data = file.read()
    count = struct.unpack_from("=Q", data, 8)[0]
    return [struct.unpack_from("=4Q", data, 32 + 32 * at) for at in range(count)]


class Device(unittest.TestCase):
    def setUp(self):
        gpu.device_flags(gpu.BLOCKING)

    def timed(self, deed):
        start = time.monotonic_ns()
        deed()
        return (time.monotonic_ns() - start) / 1e6

    def test_work_is_asynchronous_and_in_order(self):
        stream = gpu.stream(True)
        kernel = gpu.Kernel(gpu.GEMM, 200000)
        before = len(log_of(os.getpid())) if os.path.exists(os.path.join(FOLDER, f"device.{os.getpid()}")) else 0
        start = time.monotonic_ns()
        kernel(stream)
        kernel(stream)
        submitted = (time.monotonic_ns() - start) / 1e6
        gpu.synchronize(stream)
        self.assertGreaterEqual((time.monotonic_ns() - start) / 1e6, 400)
        self.assertLess(submitted, 400)
        first, second = log_of(os.getpid())[before:before + 2]
        self.assertEqual(first[1] - first[0], 200000000)
        self.assertEqual(second[0], first[1])

    def test_streams_run_beside_each_other_and_the_default_stream_does_not(self):
        one, other, ordinary = gpu.stream(True), gpu.stream(True), gpu.stream(False)
        kernel = gpu.Kernel(gpu.GEMM, 300000)
        before = len(log_of(os.getpid()))
        kernel(one)
        kernel(other)
        gpu.synchronize()
        kernel(ordinary)
        kernel(None)
        gpu.synchronize()
        a, b, c, d = log_of(os.getpid())[before:]
        self.assertLess(b[0], a[1])
        self.assertEqual(d[0], c[1])

    def test_an_event_joins_streams(self):
        one, other, mark = gpu.stream(True), gpu.stream(True), gpu.event()
        before = len(log_of(os.getpid()))
        gpu.Kernel(gpu.GEMM, 300000)(one)
        gpu.record(mark, one)
        gpu.check(gpu.CUDA.cudaStreamWaitEvent(other, mark, 0))
        gpu.Kernel(gpu.GEMM, 1000)(other)
        self.assertEqual(gpu.CUDA.cudaEventQuery(mark), 600)
        gpu.synchronize()
        first, second = log_of(os.getpid())[before:]
        self.assertEqual(second[0], first[1])
        self.assertEqual(gpu.CUDA.cudaEventQuery(mark), 0)

    def test_a_full_queue_makes_launches_wait(self):
        stream, kernel = gpu.stream(True), gpu.Kernel(gpu.GEMM, 100)
        took = self.timed(lambda: [kernel(stream) for _ in range(1500)])
        self.assertGreaterEqual(took, (1500 - 1024 - 1) * 0.1)
        gpu.synchronize(stream)

    def test_copies_from_pageable_memory_wait_and_others_do_not(self):
        size = 32 << 20
        device, pinned, pageable = gpu.allocate(size), gpu.pinned(size), ctypes.create_string_buffer(size)
        ctypes.memset(pageable, 1, size)
        kernel = gpu.Kernel(gpu.GEMM, 500000)
        kernel()
        self.assertLess(self.timed(lambda: gpu.copy_in(device, pinned, size)), 500)
        gpu.synchronize()
        kernel()
        self.assertGreaterEqual(self.timed(lambda: gpu.copy_in(device, pageable, size)), 400)
        gpu.synchronize()
        gpu.free(device)

    def test_memory_ends(self):
        with self.assertRaisesRegex(gpu.GpuError, "out of memory"):
            gpu.allocate(65 << 20)
        gpu.free(gpu.allocate(40 << 20))

    def in_child(self, code, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", f"import sys; sys.path.insert(0, {HERE + '/programs'!r})\n{code}"],
                              capture_output=True, text=True, env={**os.environ, **environment}, timeout=30, check=False)
        return done.stdout + done.stderr[-300:]

    def test_a_fault_is_sticky(self):
        said = self.in_child("import gpu\ngpu.Kernel(gpu.GEMM, 10, True)()\nfor deed in (gpu.synchronize, lambda: gpu.allocate(1)):\n"
                             "    try: deed()\n    except gpu.GpuError as error: print(error)")
        self.assertEqual(said.count("700"), 2, said)

    def test_launch_blocking(self):
        said = self.in_child("import gpu, time\nk = gpu.Kernel(gpu.GEMM, 50000)\nt = time.monotonic()\nk()\nprint(time.monotonic() - t > 0.05)",
                             CUDA_LAUNCH_BLOCKING="1")
        self.assertEqual(said.strip(), "True")

    def test_a_collective_ends_when_the_last_rank_has_come(self):
        code = ("import gpu, os, sys, time\nrank = int(sys.argv[1])\ngroup = gpu.Group(rank, 2, sys.argv[2])\nstream = gpu.stream(True)\n"
                "for turn in range(3):\n    time.sleep(0.1 * rank)\n    group.all_reduce(1000, stream)\n    gpu.synchronize(stream)\n"
                "print(os.getpid())")
        store = os.path.join(FOLDER, "store")
        prefix = f"import sys; sys.path.insert(0, {HERE + '/programs'!r})\n"
        ranks = [subprocess.Popen([sys.executable, "-B", "-c", prefix + code, str(rank), store], stdout=subprocess.PIPE, text=True)
                 for rank in range(2)]
        pids = [int(rank.communicate(timeout=30)[0]) for rank in ranks]
        early, late = ([entry for entry in log_of(pid) if entry[2] == 6] for pid in pids)
        self.assertEqual(len(early), 3)
        for mine, other in zip(early, late):
            self.assertEqual(mine[1], other[1])
            self.assertGreaterEqual(mine[1] - mine[0], 80000000)
            self.assertEqual(other[1] - other[0], 20000 + 4000 // 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
