#!/usr/bin/env python3
"""Stands in for workloads.py where there is no GPU: real calls of a real runtime library, a profile of its own making.

  stand_in.py NAME --profile PROFILE.json --window WINDOW.json [--steps N]
  stand_in.py NAME --serve

Same interface as workloads.py. Without a device the calls return an error, which a tracer counts all the same. The
profile counts what was called here, as a profiler would. NAME "wrong" claims one launch too many.
"""
import ctypes
import json
import os
import sys
import time

LIBRARIES = (("cuda", "libcudart.so.13"), ("cuda", "libcudart.so.12"), ("hip", "libamdhip64.so.5"))


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Calls:
    def __init__(self):
        for self.prefix, name in LIBRARIES:
            try:
                self.library = ctypes.CDLL(name)
                break
            except OSError:
                continue
        else:
            sys.exit("stand_in: none of " + ", ".join(name for _, name in LIBRARIES) + " is here")
        self.made = []

    def note(self, name, *arguments):
        self.made.append((self.prefix + name, time.monotonic_ns() / 1000))
        getattr(self.library, self.prefix + name)(*arguments)

    def run(self, steps):
        for _ in range(steps):
            for _ in range(3):
                self.note("LaunchKernel", None, Dim3(1, 1, 1), Dim3(1, 1, 1), None, ctypes.c_size_t(0), None)
            self.note("MemcpyAsync", None, None, ctypes.c_size_t(4096), 1, None)
            self.note("StreamSynchronize", None)


def main(name, flags):
    calls = Calls()
    calls.run(5)
    if flags[0] == "--serve":
        print(json.dumps({"ready": True, "pid": os.getpid()}), flush=True)
        for line in sys.stdin:
            begin = time.monotonic_ns()
            calls.run(int(line))
            print(json.dumps({"steps": int(line), "seconds": (time.monotonic_ns() - begin) / 1e9}), flush=True)
        return
    given = dict(zip(flags[::2], flags[1::2]))
    calls.made.clear()
    begin = time.monotonic_ns()
    calls.run(int(given.get("--steps", 200)))
    end = time.monotonic_ns()
    if name == "wrong":
        calls.made.append((calls.prefix + "LaunchKernel", (begin + end) / 2000))  # well inside the window
    events = [{"ph": "X", "cat": "cuda_runtime", "name": call, "ts": ts, "dur": 0.5} for call, ts in calls.made]
    events.append({"ph": "X", "cat": "user_annotation", "name": "window", "ts": begin / 1000, "dur": (end - begin) / 1000})
    with open(given["--profile"], "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events}, file)
    with open(given["--window"], "w", encoding="utf-8") as file:
        json.dump({"pid": os.getpid(), "annotation": "window", "begin_mono_ns": begin, "end_mono_ns": end}, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
