#!/usr/bin/env python3
"""Short programs one after another: what the agent keeps of each, and whether it has all of their calls.

  short_processes.py --build DIR [--count 20000] [--calls 100] [--stand-in] [--csv FILE]

Every program loads a runtime whose probes are there already, makes its calls, logs how many, and ends. At the end, and
QUIET_S later, the agent may have MOST_RESIDENT MiB, at the end no more descriptors than after the first WARM programs, and
must have used as much CPU for each of the last as of the first. Prints a table, the losses by name and the result; the
exit status says it too. Needs root. Standard library only.
"""
import argparse
import csv
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

import harness  # noqa: E402
import measure  # noqa: E402

MOST_RESIDENT = 64.0  # MiB
QUIET_S = 10.0  # by then all windows of the engine are closed, which hold the calls of seconds
WARM = 300  # programs after which the agent has all that it needs: caches, threads, its recording
CPU_SLACK = 1.25  # a program's share of CPU late in the run against early in it: a virtual machine's CPU varies


def library_of(build, stand_in):
    if not stand_in:
        try:
            return harness.real_runtime()
        except harness.Skip:
            pass
    return build.stand_in("plain", "libcudart.so*")[0]


class Run:
    """A trace with the library probed, and short programs until `count` of them have ended."""

    def __init__(self, build, count, calls, library, options=()):
        self.build, self.count, self.calls, self.library = build, count, calls, library
        self.options = options
        self.log = build.path("lives")
        self.samples = []  # (programs ended, seconds, Cost)

    def sample(self, pid, begin):
        self.samples.append((measure.lives_in(self.log), time.monotonic() - begin, measure.Cost(pid)))

    def go(self, marks):
        caller = self.build.caller
        with subprocess.Popen([caller, "hold", self.library], stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            try:
                with harness.Trace(self.build, *self.options) as trace:
                    trace.probed(os.path.basename(self.library))
                    begin = time.monotonic()
                    short = subprocess.Popen([caller, "short", self.log, self.library, "--count", str(self.count),
                                              "--calls", str(self.calls)])
                    self.sample(trace.process.pid, begin)
                    for mark in marks:
                        while short.poll() is None and measure.lives_in(self.log) < mark:
                            time.sleep(0.05)
                        self.sample(trace.process.pid, begin)
                    harness.check(short.wait() == 0, f"the programs ended with status {short.returncode}")
                    self.sample(trace.process.pid, begin)
                    time.sleep(QUIET_S)
                    self.sample(trace.process.pid, begin)
                    trace.stop()
                    self.recording, self.trace_log = trace.recording, trace.log
            finally:
                holder.kill()
        return self

    def others(self):
        """Files of others to which it attached probes: each keeps descriptors, and so do those of this test."""
        with open(self.trace_log, encoding="utf-8", errors="replace") as file:
            return sum(" probes attached" in line for line in file) - 1

    def at(self, mark):
        """The first sample at or behind `mark` programs."""
        return next(sample for sample in self.samples if sample[0] >= mark)

    def differences(self):
        lives = measure.logged(self.log)
        harness.check(len(lives) == self.count, f"{len(lives)} of {self.count} programs logged their calls")
        return measure.differences(lives, self.recording.path)


def cpu_between(one, other):
    """Milliseconds of the agent's CPU for each program."""
    return (other[2].cpu - one[2].cpu) * 1000 / max(1, other[0] - one[0])


def table(samples):
    lines = ["programs  seconds  resident  anonymous  files  shared  descriptors  threads  links  CPU ms each"]
    before = None
    for sample in samples:
        programs, seconds, cost = sample
        each = "" if before is None or programs == before[0] else f"{cpu_between(before, sample):.2f}"
        lines.append(f"{programs:8d} {seconds:8.1f} {cost.resident:9.1f} {cost.anonymous:10.1f} {cost.files:6.1f} "
                     f"{cost.shared:7.1f} {cost.descriptors:12d} {cost.threads:8d} {cost.links:6d} {each:>12}")
        before = sample
    return "\n".join(lines)


def write_csv(path, samples):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(("programs", "seconds", *measure.Cost.NAMES))
        for programs, seconds, cost in samples:
            writer.writerow((programs, round(seconds, 3), *(round(value, 3) for value in cost.values())))


def grown(run, warm, last):
    """What there is more of at the end than when all was warm, as sentences."""
    others = run.others()
    if others > 0:
        print(f"note: {others} files of other programs were probed meanwhile: descriptors and links are not judged")
    return [f"{name}: {getattr(last[2], name)} at the end, {getattr(warm[2], name)} after {warm[0]} programs"
            for name in (("threads",) if others > 0 else ("descriptors", "threads", "links"))
            if getattr(last[2], name) > getattr(warm[2], name)]


def verdict(run):
    """What is wrong, as sentences."""
    made, wrong, losses = run.differences()
    print(table(run.samples))
    print(f"calls made {made}, differences {len(wrong)}, losses {losses or 'none'}")
    bad = [str(one) for one in wrong[:10]]
    warm, last, quiet = run.at(min(WARM, run.count)), run.samples[-2], run.samples[-1]
    for when, sample in (("at the end", last), (f"{QUIET_S:.0f} s later", quiet)):
        if sample[2].resident > MOST_RESIDENT:
            bad.append(f"{sample[2].resident:.1f} MiB are resident {when}, more than {MOST_RESIDENT:.0f}")
    bad += grown(run, warm, last)
    if run.count >= 3000:  # fewer take too little CPU to compare
        third = run.count // 3
        early, late = cpu_between(warm, run.at(third)), cpu_between(run.at(run.count - third), last)
        if late > early * CPU_SLACK:
            bad.append(f"CPU for each program: {late:.2f} ms in the last third, {early:.2f} ms in the first")
    return bad


def main():
    parser = argparse.ArgumentParser(description="Short programs one after another, and what the agent keeps of them.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--stand-in", action="store_true", help="not the machine's own runtime")
    parser.add_argument("--csv")
    parser.add_argument("--keep", action="store_true", help="leave the recording")
    parser.add_argument("options", nargs="*", help="more flags of the trace, behind --")
    arguments = parser.parse_args()
    build = harness.Build(arguments.build, False)
    try:
        harness.need_root()
        run = Run(build, arguments.count, arguments.calls, library_of(build, arguments.stand_in), arguments.options)
        marks = sorted({min(WARM, run.count), *range(1000, run.count, 1000)})
        run.go(marks)
        if arguments.csv:
            write_csv(arguments.csv, run.samples)
        bad = verdict(run)
    except harness.Skip as reason:
        print(f"SKIP: {reason}")
        return 77
    finally:
        if not arguments.keep:
            build.remove()
    print("\n".join(f"FAIL: {sentence}" for sentence in bad) or
          f"PASS: {arguments.count} programs, at the end {run.samples[-2][2].resident:.1f} MiB, "
          f"{QUIET_S:.0f} s later {run.samples[-1][2].resident:.1f} MiB")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
