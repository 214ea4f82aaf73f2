#!/usr/bin/env python3
"""Runs measure.py from end to end without a GPU: stand_in.py makes real calls of a real runtime, ingero traces them.

  pipeline_test.py INGERO
"""
import contextlib
import ctypes
import json
import os
import shlex
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import stand_in  # noqa: E402


def skip(reason):
    print(f"SKIP: {reason}")
    sys.exit(77)


def runtime_is_here():
    for _, name in stand_in.LIBRARIES:
        with contextlib.suppress(OSError):
            ctypes.CDLL(name)
            return True
    return False


def main(ingero):
    if os.geteuid() != 0:
        skip("tracing needs root")
    if not runtime_is_here():
        skip("no GPU runtime library on this machine")
    if subprocess.run([ingero, "check"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        skip("this machine cannot be traced (ingero check)")
    with tempfile.TemporaryDirectory() as out:
        ran = subprocess.run([sys.executable, "-B", os.path.join(HERE, "measure.py"), "--ingero", ingero, "--out", out,
                              "--workload", shlex.join([sys.executable, "-B", f"{HERE}/stand_in.py"]), "--names", "right,wrong",
                              "--steps", "100", "--pairs", "2", "--seconds", "0.1"], text=True, capture_output=True,
                             check=False)
        print(ran.stdout, ran.stderr)
        with open(os.path.join(out, "result.json"), encoding="utf-8") as file:
            results = json.load(file)["workloads"]
    right, wrong = results["right"], results["wrong"]
    assert ran.returncode == 1, f"a wrong count must fail the run, not exit {ran.returncode}"
    assert right["counts"]["equal"], right["counts"]
    by_call = {row["call"]: row["ingero"] for row in right["counts"]["calls"]}
    assert sorted(by_call.values()) == [100, 100, 300], by_call
    assert not right["counts"]["lost"], right["counts"]["lost"]
    assert not wrong["counts"]["equal"]
    assert [row["ingero"] - row["profiler"] for row in wrong["counts"]["calls"] if not row["equal"]] == [-1]
    rates = right["throughput"]
    assert len(rates["steps_per_second"]["traced"]) == len(rates["steps_per_second"]["untraced"]) == 2
    # These calls take nanoseconds and a probe more than one trap: that tracing slows them shows that it was on.
    assert rates["ratio_of_medians"] < 0.9, rates


if __name__ == "__main__":
    main(sys.argv[1])
