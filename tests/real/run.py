#!/usr/bin/env python3
"""Real programs, each next to an independent counter of its calls: `make real` (root).

  run.py --build BUILD [--rounds N] [--only NAME]... [--write-docs]

Each program runs once under `ingero trace` with the counter of counting.py in front of the libraries. Every described
function must have as many events in the recording as the counter counted: one that differs is a failure. Then, without
the counter, the program runs N times traced and N times not, in turns; what tracing costs is the median of the ratios of
each pair of wall times. A program that is not installed, or does not work here by itself, is skipped with the reason.
--write-docs puts the table into docs/real_programs.md. Exit status: 1 when a call differs, or a bound is exceeded.
"""
import argparse
import collections
import contextlib
import json
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import counting  # noqa: E402
import programs  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "real_programs.md")
BEGIN, END = "<!-- tests/real/run.py --write-docs: begin -->", "<!-- end -->"
LIMIT = 300
# Runs the program and writes the wall time of it alone: what the tracer does before and after is not its cost.
TIMED = """
import os, subprocess, sys, time
begin = time.monotonic()
status = subprocess.call(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
with open(sys.argv[1], "w") as file: file.write(str(time.monotonic() - begin))
sys.exit(status if status >= 0 else 128 - status)
"""


class Skip(Exception):
    pass


class Bench:
    def __init__(self, ingero, folder, home):
        self.ingero, self.folder, self.home = ingero, folder, home

    def path(self, name):
        return os.path.join(self.folder, name)

    def environment(self, program):
        return {**os.environ, "HOME": self.home, "XDG_CACHE_HOME": self.home, **dict(program.environment)}

    def prepare(self, program):
        if program.compiled:
            source, *flags = program.compiled.split()
            name, suffix = os.path.splitext(source)
            output = self.path(name)
            done = subprocess.run(["c++" if suffix == ".cc" else "cc", "-O1", "-w", "-o", output,
                                   os.path.join(programs.HERE, source), *flags], capture_output=True, text=True)
            if done.returncode != 0:
                raise Skip(f"{source} does not compile: {done.stderr.strip().splitlines()[:1]}")
        words = program.words(self.folder)
        if shutil.which(words[0]) is None:
            raise Skip(f"{words[0]} is not installed ({', '.join(program.packages)})")
        paths = [counting.library_path(name) for name in program.libraries]
        if not all(paths):
            raise Skip(f"no {', '.join(program.libraries)} on this machine")
        return words, paths

    def plain(self, program, words, environment=None):
        """The wall time; raises Skip where the program does not work here."""
        begin = time.monotonic()
        done = subprocess.run(words, env=environment or self.environment(program), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT, cwd=self.folder)
        if done.returncode not in program.statuses:
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:]
            raise Skip(f"it does not work here, traced or not: status {done.returncode}, {last}")
        return time.monotonic() - begin

    def traced(self, program, words, environment):
        database, timing = self.path("run.db"), self.path("seconds")
        for name in os.listdir(self.folder):
            if name.startswith(("run.db", "seconds")):
                os.remove(self.path(name))
        done = subprocess.run([self.ingero, "trace", *program.options, "--db", database, "--", sys.executable, "-c", TIMED, timing,
                               "env", *environment, *words], env=self.environment(program), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=LIMIT, cwd=self.folder, text=True)
        if done.returncode not in program.statuses:
            raise AssertionError(f"{program.name}: status {done.returncode} when traced\n{done.stderr[-2000:]}")
        with open(timing, encoding="ascii") as file:
            return float(file.read()), database

    def described(self, paths):
        """(number of the library, address) of the functions with probes"""
        addresses = set()
        for number, path in enumerate(paths):
            of_name = counting.exported(path)
            answer = json.loads(subprocess.run([self.ingero, "check", "--library", path, "--rows", "--json"],
                                               stdout=subprocess.PIPE, text=True, check=False).stdout)
            for library in answer["libraries"]:
                if os.path.realpath(library["path"]) != os.path.realpath(path):
                    continue
                for row in library["rows"]:
                    address = counting.address(of_name, row["symbol"])
                    if row["state"] == "resolved" and address is not None:
                        addresses.add((number, address))
        return addresses


def recorded(database, paths):
    counts = collections.Counter()
    names = [counting.exported(path) for path in paths]
    with contextlib.closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT library, symbol, count(*) FROM events WHERE kind <> 'host' GROUP BY 1, 2").fetchall()
    for library, symbol, count in rows:
        for number, path in enumerate(paths):
            address = counting.address(names[number], symbol)
            if library and os.path.realpath(library) == os.path.realpath(path) and address is not None:
                counts[number, address] += count
    return counts


def compare(bench, program, words, paths):
    """described calls that ingero has, that the counter has, all that the counter has, and the differences by name"""
    with tempfile.TemporaryDirectory(dir=bench.folder) as folder:
        counter = counting.Counter(folder, paths)
        bench.plain(program, words, {**bench.environment(program), **counter.environment()})
        counter.reset()
        _, database = bench.traced(program, words, [f"{key}={value}" for key, value in counter.environment().items()])
        counted = counter.counts()
    seen, described = recorded(database, paths), bench.described(paths)
    name_of = {address: name for name, address in counter.addresses.items()}
    different = {name_of[one]: (seen[one], counted[one]) for one in described if seen[one] != counted[one]}
    return sum(seen[one] for one in described), sum(counted[one] for one in described), sum(counted.values()), different


def overhead(bench, program, words, rounds):
    ratios = []
    for turn in range(rounds):
        times = {}
        for is_traced in ((False, True) if turn % 2 else (True, False)):
            times[is_traced] = bench.traced(program, words, [])[0] if is_traced else bench.plain(program, words)
        ratios.append(times[True] / times[False])
    return statistics.median(ratios)


def run_one(bench, program, rounds):
    words, paths = bench.prepare(program)
    bench.plain(program, words)  # what it compiles once and keeps is kept now
    seen, counted, everything, different = compare(bench, program, words, paths)
    cost = overhead(bench, program, words, rounds) if program.bound and rounds else None
    return seen, counted, everything, different, cost


def write_docs(lines):
    with open(PAGE, encoding="utf-8") as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


def make_inputs(folder):
    with open(os.path.join(folder, "passwords"), "w", encoding="ascii") as file:
        file.writelines(f"password{number:04}\n" for number in range(200))
    with open(os.path.join(folder, "frames.yuv"), "wb") as file:
        for number in range(60):
            file.write(bytes((number * 3 + i) % 256 for i in range(320)) * 360)
    # An uncompressed picture that every reader takes: PPM under a name by which GEGL chooses a loader by its content.
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=256x256:rate=1:duration=1", "-frames:v", "1",
                        "-y", os.path.join(folder, "picture.png")], check=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--write-docs", action="store_true")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("placing probes needs root")
    ingero = os.path.abspath(os.path.join(options.build, "cli/ingero"))
    lines = ["| program | described calls: recorded = counted | all calls | cost, of 1.00 | bound |", "|---|---|---|---|---|"]
    failures = []
    home = os.path.abspath(os.path.join(options.build, "tests/real"))  # kernels that were compiled once stay compiled
    os.makedirs(home, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bench = Bench(ingero, folder, home)
        make_inputs(folder)
        for program in programs.PROGRAMS:
            if options.only and program.name not in options.only:
                continue
            try:
                seen, counted, everything, different, cost = run_one(bench, program, options.rounds)
            except (Skip, subprocess.TimeoutExpired) as reason:
                lines.append(f"| {program.name} | skipped: {reason} | | | |")
                print(lines[-1], flush=True)
                continue
            sign = "=" if not different else "**differs from**"
            lines.append(f"| {program.name} | {seen:,} {sign} {counted:,} | {everything:,} | {f'{cost:.2f}' if cost else '-'} | "
                         f"{f'{program.bound:.2f}' if program.bound else '-'} |")
            print(lines[-1], different or "", flush=True)
            if different:
                failures.append(f"{program.name}: {different}")
            if cost and cost > program.bound:
                failures.append(f"{program.name}: costs {cost:.3f}, more than {program.bound}")
    if options.write_docs:
        write_docs(lines)
    print("\n".join(failures) or "0 calls differ, no bound is exceeded")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
