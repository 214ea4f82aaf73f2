#!/usr/bin/env python3
"""Runs end-to-end tests of this tree inside arm64 guests: capture, stacks and Python lines on a machine that is not here.

  in_guest.py --build BUILD [--out FOLDER] [--limit SECONDS] [--kernels NAME...] [--cpus N] [TEST...]

BUILD is one of `make arm64`; the names are those of tests/e2e/run.py --list, by default those about stacks. One line a
kernel and test. Exit status 0: none failed; 77: skipped, with the reason.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import arm64
import boot
import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
STACKS = ["EveryFrameOfAKnownChainIsRightOrSaidToBeUnknown", "PythonFramesNameTheLineThatRunsOnEveryInterpreter",
          "ACallThatHangsHasTheStackWhereItWaits", "ACallThatHangsSpinningHasTheStackWhereItSpins"]
PROGRAMS = ["cli/ingero", "tests/fakes/ground_truth", "tests/fakes/stack_truth", "tests/fakes/scenarios"]


def programs_of(build):
    """What the tests ask for, at its place in the build folder: programs look for their libraries there."""
    fakes = os.path.join(build, "tests", "fakes")
    libraries = [os.path.join(folder, name) for kind in ("plain", "endbr", "old", "timed")
                 for folder, _, names in os.walk(os.path.join(fakes, kind)) for name in names]
    return [(path, path) for path in [*(os.path.join(build, name) for name in PROGRAMS), *libraries]]


def results_of(said):
    for line in said.splitlines():
        found = re.match(r"(PASS|FAIL|SKIP): (.*)", line)
        if found:
            yield found[1], found[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", help="keep what the guests left in this folder")
    parser.add_argument("--limit", type=int, default=1800, help="seconds of one boot (default 1800)")
    parser.add_argument("--cpus", type=int, default=2)
    parser.add_argument("--kernels", nargs="+", default=["6.1", "6.12", "sid"])
    parser.add_argument("tests", nargs="*", default=STACKS)
    options = parser.parse_args()
    build, out = os.path.abspath(options.build), os.path.abspath(options.out or tempfile.mkdtemp(prefix="ingero-guest."))
    os.makedirs(out, exist_ok=True)
    bad = 0
    try:
        base = os.path.join(out, "base.cpio")
        arm64.make_base(base, programs_of(build), with_tests=True)
        settings = os.path.join(out, "settings")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(f"TREE={arm64.ROOT}\nBUILD={build}\nTESTS='{' '.join(options.tests)}'\n")
        for name in options.kernels:
            kernel = kernels.fetch(name, "arm64")
            result = boot.boot(kernel, base, os.path.join(HERE, "jobs", "e2e.sh"), os.path.join(out, name), arch="arm64",
                               cpus=options.cpus, limit_s=options.limit, files=[settings])
            found = list(results_of(result.said or result.console))
            for verdict, words in found:
                print(f"{kernels.release_of(kernel):24} {verdict} {words}", flush=True)
            if result.fault or result.status is None or len(found) != len(options.tests):
                print(f"{kernels.release_of(kernel):24} {result.words}", flush=True)
                bad += 1
            bad += sum(verdict == "FAIL" for verdict, _ in found)
    except kernels.Missing as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    finally:
        if not options.out:
            shutil.rmtree(out, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
