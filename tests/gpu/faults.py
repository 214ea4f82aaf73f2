#!/usr/bin/env python3
"""Runs the PyTorch programs of torch_programs.py on a real GPU under "ingero trace", and grades what explain says first.

  faults.py --ingero FILE --work FOLDER [--seconds 5] [NAME...]

Grades are those of tests/truth. Prints the same table; FOLDER keeps a folder of each kind: the recording, explain's
answers, the program's own clock. Status 1 when an answer was not right or a healthy program was accused, 77 without root
or a GPU. Needs an interpreter with torch.
"""
import argparse
import glob
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "truth"))

import judge  # noqa: E402
import kinds  # noqa: E402
import run as truth  # noqa: E402
from kinds import Kind, program  # noqa: E402


def torch_kind(name, *arguments, **facts):
    return Kind(name, program("torch_programs.py", name, "{seconds}", *arguments), budget=False, **facts)


def started_like(name, base, **facts):
    return Kind(name, program("torch_programs.py", base, "{seconds}"), budget=False, **facts)


KINDS = [
    torch_kind("steady"),
    torch_kind("pipelined"),
    torch_kind("loader_enough"),
    torch_kind("data_parallel"),
    torch_kind("compiled"),
    torch_kind("jax"),
    torch_kind("gap", cause=kinds.HOST, who=(r"torch_programs.py:{line:gap}|run_gap|clock.py:\d+|burn",)),
    torch_kind("loader_cpu", cause=kinds.INPUT, who=(r"worker|{workers}", r"torch_programs.py:{line:decode}|burn|on the cpu")),
    torch_kind("loader_server", prepare=kinds.slow_server, cause=kinds.INPUT, who=(r"{addr}|pid {server}\b",)),
    # A fast device has done so little before it is asked: what is left of an item() is the code around it.
    torch_kind("items", cause=r"sync[- ]bound|synchroni[sz]|host[- ]bound", who=(r"torch_programs.py:{line:item}|run_items",)),
    torch_kind("tiny", cause=r"launch[- ]bound|tiny|small kernels|short kernels|launches"),
    torch_kind("generate", cause=r"launch[- ]bound|host[- ]bound"),
    torch_kind("pageable", cause=r"pageable|not pinned|unpinned|pinned"),
    torch_kind("churn", cause=r"alloc"),
    torch_kind("checkpoint", prepare=kinds.scratch, cause=r"fsync|checkpoint|ckpt", who=(r"ckpt.bin|torch_programs.py:{line:fsync}",)),
    torch_kind("out_of_memory", cause=r"out of (device )?memory|MemoryAllocation", who=(r"cudaMalloc|cuMem|allocat",)),
    torch_kind("assertion", cause=r"assert", who=(r"710|59|Assert",)),
    torch_kind("gil", cause=r"\bGIL\b|interpreter lock|a lock|futex", who=(r"logger|torch_programs.py:{line:gil}|json|{gil_tid}",)),
    torch_kind("gc", cause=r"garbage|\bgc\b|gc_collect", who=(r"gc_collect|garbage collect|torch_programs.py:{line:gc}|run_gc",)),
    torch_kind("sleep", cause=r"sleep|slept", who=(r"torch_programs.py:{line:sleep}|run_sleep|sleep",)),
    started_like("launch_blocking", "steady", prepare=kinds.blocking, cause=r"CUDA_LAUNCH_BLOCKING"),
    started_like("sigstop", "steady", prepare=kinds.stopped, cause=r"SIGSTOP|stopped (by|for)|by a signal", never=r"stopped submitting"),
]
BY_NAME = {kind.name: kind for kind in KINDS}


def wait_for_ready(folder, child, seconds=90):
    """The pid of the program that says it is warm, or None."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and child.poll() is None:
        found = glob.glob(os.path.join(folder, "deed.ready.*.json"))
        if found:
            return int(found[0].rsplit(".", 2)[1])
        time.sleep(0.05)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *BY_NAME], metavar="NAME", help="only these kinds")
    parser.add_argument("--ingero", required=True)
    parser.add_argument("--work", required=True, help="where the folders of the kinds go")
    parser.add_argument("--seconds", type=float, default=5)
    options = parser.parse_args()
    if os.geteuid() != 0 or not os.path.exists("/dev/nvidiactl"):
        print("needs root and an NVIDIA GPU")
        return 77
    os.makedirs(options.work, exist_ok=True)
    options.libraries, options.keep = HERE, True
    truth.PROGRAMS, truth.wait_for_work = HERE, wait_for_ready
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    results = []
    for name in options.names or BY_NAME:
        kind = BY_NAME[name]
        kind.seconds = options.seconds
        begin = time.monotonic()
        try:
            result = truth.run_kind(kind, options)
        except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
            result = truth.Result(kind)
            result.note = f"{type(error).__name__}: {error}"
        result.note += f" [{time.monotonic() - begin:.0f} s]"
        results.append(result)
        truth.show(result)
    return 0 if truth.summary(results) else 1


if __name__ == "__main__":
    sys.exit(main())
