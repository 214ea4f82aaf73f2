#!/usr/bin/env python3
"""A soak: the agent while everything comes and goes, watched for what grows.

  soak.py --build DIR [--minutes 30] [--csv FILE] [--full-disk 60] [--clock auto|on|off] [--every SECONDS]

With generators.py's programs running, the recording's disk is full for a minute, and the wall clock is stepped by some hundred
milliseconds and back, both in the first third. Memory, descriptors, threads and BPF objects of the last third are then
those of the second within 2 %, and every call is in the recording, or among the events that the full disk refused, by
name. The clock is stepped by itself only in a guest that says so on its kernel's command line (ingero.guest): it is the
whole machine's. Prints the curve, one table and the result; the exit status says it too. Needs root, standard library only.
"""
import argparse
import contextlib
import csv
import os
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "e2e"))

import generators  # noqa: E402
import harness  # noqa: E402
import measure  # noqa: E402
import short_processes  # noqa: E402

FLAT = 0.02
WATCHED = ("resident", "anonymous", "descriptors", "threads", "links", "programs", "maps", "perf_events")
DISK_MIB = 4096
STEP_NS = 300_000_000
SETTLED = 10.0  # seconds after the disk has room again in which what waits is written


class Disk:
    """A small file system of its own for the recording, which can be made full."""

    def __init__(self, build):
        self.image, self.folder = build.path("disk.img"), build.path("disk")
        os.makedirs(self.folder)
        with open(self.image, "wb") as file:
            file.truncate(DISK_MIB << 20)
        harness.run("mkfs.ext4", "-q", "-m", "0", self.image)
        harness.run("mount", "-o", "loop", self.image, self.folder)

    def fill(self):
        filler = os.open(os.path.join(self.folder, "filler"), os.O_WRONLY | os.O_CREAT, 0o600)
        free = os.statvfs(self.folder)
        size = free.f_bavail * free.f_frsize // 100 * 99
        with contextlib.suppress(OSError):  # it is full
            os.posix_fallocate(filler, 0, size)
            os.lseek(filler, size, os.SEEK_SET)
            while True:
                os.write(filler, bytes(1 << 16))
        os.close(filler)

    def empty(self):
        os.unlink(os.path.join(self.folder, "filler"))

    def close(self):
        subprocess.run(["umount", self.folder], check=False)


def step_clock(by_ns):
    """By this for some seconds; then it is what it would have been."""
    real, mono = time.clock_gettime_ns(time.CLOCK_REALTIME), time.monotonic_ns()
    time.clock_settime_ns(time.CLOCK_REALTIME, real + by_ns)
    time.sleep(5)
    time.clock_settime_ns(time.CLOCK_REALTIME, real + time.monotonic_ns() - mono)


def is_guest():
    with open("/proc/cmdline", encoding="ascii") as file:
        return "ingero.guest" in file.read().split()


class Soak:
    def __init__(self, arguments, build):
        self.arguments, self.build = arguments, build
        self.samples = []  # (seconds, Cost)
        self.full = None  # (from, to) by the monotonic clock, in ns
        self.notes = []

    def at(self, share, seconds):
        return seconds >= share * self.arguments.minutes * 60

    def run(self, disk):
        library = short_processes.library_of(self.build, self.arguments.stand_in)
        self.generators = generators.Generators(self.build.caller, self.build.work, library)
        with subprocess.Popen([self.build.caller, "hold", *self.generators.libraries], stdout=subprocess.PIPE) as holder:
            holder.stdout.readline()
            try:
                with harness.Trace(self.build, name="disk/trace") as trace:
                    for path in self.generators.libraries:
                        self.probed(trace, path)
                    try:
                        self.generators.start()
                        self.watch(trace, disk)
                    finally:
                        self.generators.stop()
                    trace.stop()
                    self.recording = trace.recording
            finally:
                holder.kill()

    @staticmethod
    def probed(trace, path):
        harness.until(lambda: f"{os.path.realpath(path)}: " in open(trace.log, encoding="utf-8").read(), 60,
                      f"probes are on {path}")

    def watch(self, trace, disk):
        begin = time.monotonic()
        steps = self.arguments.clock == "on" or (self.arguments.clock == "auto" and is_guest())
        if not steps:
            self.notes.append("the clock was not stepped: it is the whole machine's (--clock on)")
        filled = emptied = stepped = False
        while time.monotonic() - begin < self.arguments.minutes * 60:
            seconds = time.monotonic() - begin
            if not filled and self.at(0.1, seconds) and self.arguments.full_disk > 0:
                filled = True
                disk.fill()
                self.full = [time.monotonic_ns(), 0]
            if filled and not emptied and (time.monotonic_ns() - self.full[0]) / 1e9 > self.arguments.full_disk:
                emptied = True
                disk.empty()
                self.full[1] = time.monotonic_ns()
            if steps and not stepped and self.at(0.25, seconds):
                stepped = True
                step_clock(STEP_NS)
                step_clock(-STEP_NS)
            self.samples.append((seconds, measure.Cost(trace.process.pid)))
            time.sleep(self.arguments.every)

    def third(self, number):
        length = self.arguments.minutes * 60 / 3
        return [cost for seconds, cost in self.samples if number * length <= seconds < (number + 1) * length]

    def growth(self):
        """(what, second third, last third, grown by, is flat)"""
        rows = []
        for name in WATCHED:
            before, after = (statistics.fmean(getattr(one, name) for one in self.third(number)) for number in (1, 2))
            grown = (after - before) / before if before else float(after > 0)
            rows.append((name, before, after, grown, grown <= FLAT))
        return rows

    def calls(self):
        """(made, differences that nothing explains, losses)"""
        lives = [one for log in self.generators.logs for one in measure.logged(log)]
        made, wrong, losses = measure.differences(lives, self.recording.path)
        if not self.full or not losses.get("store_failed"):
            return made, [str(one) for one in wrong], losses
        # What the disk refused is missing of those that made calls then, and no more than is in the ledger.
        until = self.full[1] + SETTLED * 1e9
        bad = [str(one) for one in wrong if not one.may_miss(self.full[0], until)]
        missing = sum(one.missing for one in wrong if one.may_miss(self.full[0], until))
        if missing > losses["store_failed"]:
            bad.append(f"{missing} calls are missing, and {losses['store_failed']} events were refused")
        self.notes.append(f"the full disk: {missing} calls are missing, {losses['store_failed']} events were refused")
        return made, bad, losses


def plot(samples, width=72, height=10):
    """Resident memory over time, in MiB."""
    most = max(cost.resident for _, cost in samples)
    columns = []
    for column in range(width):
        at = samples[min(len(samples) - 1, column * len(samples) // width)]
        columns.append(round(at[1].resident / most * height))
    lines = []
    for row in range(height, 0, -1):
        label = f"{most * row / height:7.1f} |" if row in (height, height // 2, 1) else "        |"
        lines.append(label + "".join("#" if column >= row else " " for column in columns))
    return "\n".join(lines + ["    MiB +" + "-" * width, f"         0 to {samples[-1][0] / 60:.0f} minutes"])


def write_csv(path, samples):
    with open(path, "w", newline="", encoding="ascii") as file:
        writer = csv.writer(file)
        writer.writerow(("seconds", *measure.Cost.NAMES))
        for seconds, cost in samples:
            writer.writerow((round(seconds, 2), *(round(value, 3) for value in cost.values())))


def verdict(soak):
    print(plot(soak.samples))
    print(f"{'':14}{'second third':>14}{'last third':>14}{'grown':>9}")
    bad = []
    for name, before, after, grown, is_flat in soak.growth():
        print(f"{name:14}{before:14.2f}{after:14.2f}{grown:9.2%}{'' if is_flat else '  GROWS'}")
        if not is_flat:
            bad.append(f"{name} grew by {grown:.2%} from the second third to the last")
    made, wrong, losses = soak.calls()
    print(f"calls made {made}, unexplained differences {len(wrong)}, losses {losses or 'none'}")
    print("\n".join(f"note: {note}" for note in soak.notes))
    return bad + wrong[:10] + [f"a generator failed: {one}" for one in soak.generators.failures]


def main():
    parser = argparse.ArgumentParser(description="The agent while programs come and go, watched for what grows.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--every", type=float, default=3, help="seconds between two looks")
    parser.add_argument("--full-disk", type=float, default=60, help="seconds (0: never)")
    parser.add_argument("--clock", choices=("auto", "on", "off"), default="auto")
    parser.add_argument("--stand-in", action="store_true", help="not the machine's own runtime")
    parser.add_argument("--csv")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    build = harness.Build(arguments.build, False)
    disk = None
    try:
        harness.need_root()
        for name in ("mkfs.ext4", "unshare"):
            harness.tool(name)
        disk = Disk(build)
        soak = Soak(arguments, build)
        soak.run(disk)
        if arguments.csv:
            write_csv(arguments.csv, soak.samples)
        bad = verdict(soak)
    except harness.Skip as reason:
        print(f"SKIP: {reason}")
        return 77
    finally:
        if disk is not None:
            disk.close()
        if not arguments.keep:
            build.remove()
    print("\n".join(f"FAIL: {sentence}" for sentence in bad) or f"PASS: {arguments.minutes:g} minutes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
