#!/usr/bin/env python3
"""The agent on other kernels: boots each with each preemption model and number of CPUs, lets the ground truth run under
each way of attaching, and compares every recording with the program's own log, call by call. Where the kernel refuses a
thread's storage now and then (under full preemption; on 6.1), no call may be missing all the same (P5).

  lab.py --build BUILD [--short | --all] [--calls N] [--runs N] [--out FOLDER] [--json FILE] [CELL...]

A cell is KERNEL[:MODEL[:CPUS]], such as 6.1, 6.12:full:4 or 6.1-rt; without cells, those of the default set (KERNELS="6.1
7.2" in the environment chooses among them). One line each: kernel, architecture, model, CPUs, way of attaching, calls
made, rows that differ, losses by name, what the kernel said. The last one of a cell, "forks": processes that begin and
end on a processor where threads do, each of which makes one call; all three are counted. Exit status 0: nothing differs
and no kernel fell over; 77: skipped, with the reason. Kernels are fetched by package name into $INGERO_KERNELS
(~/.cache/ingero/kernels).
"""
import argparse
import dataclasses
import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import arm64
import boot
import cost
import guest
import kernels

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
COMPARE = os.path.join(ROOT, "tests", "e2e", "compare.py")
SKIPPED = 77

SHORT = ["6.1:voluntary:2", "sid:lazy:2"]
DEFAULT = ["5.10", "5.15", "6.1:none:2", "6.1:voluntary:1", "6.1:full:2", "6.1-rt", "6.8:voluntary:2", "6.12:voluntary:2",
           "6.12:full:4", "6.12-rt", "sid:lazy:2", "sid:lazy:1", "sid:full:4", "sid-rt"]
# Those that the kernel lets one choose from when it boots.
MODELS = {"5.15": [""], "6.1": ["none", "voluntary", "full"], "6.8": ["none", "voluntary", "full"],
          "6.12": ["none", "voluntary", "full"], "6.17": ["full", "lazy"], "7.0": ["full", "lazy"], "sid": ["lazy", "full"]}
ALL = ["5.10"] + [f"{kernel}:{model}:{cpus}" for kernel, models in MODELS.items() for model in models
                  for cpus in (1, 2, 4)] + [f"{kernel}-rt::{cpus}" for kernel in ("6.1", "6.12", "sid") for cpus in (2, 4)]
# Debian's kernels for arm64 offer no choice of a model: voluntary up to 6.12, lazy in sid.
DEFAULT_ARM64 = ["5.10", "6.1", "6.12", "6.12::4", "sid", "sid::1", "sid::4"]
HOWS = ["session", "multi", "perf"]
FORKS = 1000  # about 6 s in a guest
TIMES_AGAIN = 3  # boots of one cell, where the emulator was at fault
SHORT_LIMIT_S = 300  # a boot takes 20 to 40 s, during a build up to 100


@dataclasses.dataclass(frozen=True)
class Cell:
    kernel: str
    model: str | None
    cpus: int

    @staticmethod
    def of(text):
        kernel, model, cpus = (text.split(":") + ["", ""])[:3]
        return Cell(kernel, model or None, int(cpus or 2))

    def __str__(self):
        return f"{self.kernel}{':' + self.model if self.model else ''}:{self.cpus}"


@dataclasses.dataclass
class Row:
    """One trace, or one cell that gave none."""
    kernel: str
    release: str
    arch: str
    model: str
    cpus: int
    how: str
    run: int = 0
    calls: int = 0
    differ: int | None = None
    losses: dict = dataclasses.field(default_factory=dict)
    note: str = ""
    good: bool = False
    is_refused: bool = False

    def line(self):
        losses = ", ".join(f"{name} {count}" for name, count in sorted(self.losses.items())) or "-"
        differ = "-" if self.differ is None else str(self.differ)
        return (f"{self.release:24} {self.arch:6} {self.model:10} {self.cpus:4} {self.how:8} {self.run:3} "
                f"{self.calls:8} {differ:>6}  {losses:40} {self.note}")


HEAD = f"{'KERNEL':24} {'ARCH':6} {'PREEMPT':10} {'CPUS':>4} {'ATTACH':8} {'RUN':>3} {'CALLS':>8} {'DIFFER':>6}  " \
       f"{'LOSSES':40} NOTE"


def chosen_model(preempt):
    """'none voluntary (full)' -> 'full'"""
    for word in preempt.split():
        if word.startswith("("):
            return word.strip("()")
    return preempt


def libraries_of(build, arch):
    """What is called under each way of attaching. A perf probe takes the kernel 0.1 s to remove: there a stand-in with
    few functions, elsewhere the real runtime where there is one."""
    fakes = os.path.join(build, "tests", "fakes")
    real = [arm64.real_runtime()] if arch == "arm64" else \
        sorted(glob.glob("/usr/local/cuda*/lib64/libcudart.so.13") +
               glob.glob("/usr/local/cuda*/targets/*/lib/libcudart.so.13"))
    many = real[:1] or sorted(glob.glob(os.path.join(fakes, "plain", "libcudart.so*")))[:1]
    few = os.path.join(fakes, "timed", "libcudart.so.12")
    return {"session": many[0], "multi": many[0], "perf": few}


class Lab:
    def __init__(self, options):
        self.options = options
        self.build = os.path.abspath(options.build)
        self.out = os.path.abspath(options.out or tempfile.mkdtemp(prefix="ingero-kernels."))
        os.makedirs(self.out, exist_ok=True)
        self.libraries = libraries_of(self.build, options.arch)
        self.base = os.path.join(self.out, "base.cpio")

    def make_base(self):
        files = [(os.path.join(self.build, "cli", "ingero"), "/bin/ingero"),
                 (os.path.join(self.build, "tests", "fakes", "ground_truth"), "/bin/ground_truth")]
        for name in (("kernels", "verifier_cost"), ("fakes", "crowded_forks")):
            path = os.path.join(self.build, "tests", *name)
            if os.path.exists(path):
                files.append((path, "/bin/" + name[1]))
        make_base = arm64.make_base if self.options.arch == "arm64" else guest.make_base
        make_base(self.base, files + [(path, "/lib/traced" + path) for path in set(self.libraries.values())])

    def settings(self):
        lines = [f"HOWS='{' '.join(self.options.hows)}'", f"RUNS={self.options.runs}", f"CALLS={self.options.calls}",
                 "PROCESSES=2", "THREADS=4", f"SEED={self.options.seed}", f"LIMIT={self.options.limit // 2}",
                 f"FORKS={FORKS}"]
        lines += [f"LIBRARY_{how}=/lib/traced{path}" for how, path in self.libraries.items()]
        path = os.path.join(self.out, "settings")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return path

    def run(self, cell):
        folder = os.path.join(self.out, str(cell).replace(":", "-"))
        kernel = kernels.fetch(cell.kernel, self.options.arch, say=say)
        result = boot.boot_again(TIMES_AGAIN, kernel, self.base, os.path.join(HERE, "jobs", "exact.sh"), folder,
                                 arch=self.options.arch, preempt=cell.model, cpus=cell.cpus, limit_s=self.options.limit,
                                 files=[self.settings()])
        if result.status is None or result.fault:
            say(f"{cell}: {result.words}; the console's last lines:\n{result.last_lines}")
        if self.options.short and not result.is_up:  # nothing of this tree has run yet
            raise kernels.Missing(f"the emulator brought {cell} up in none of {TIMES_AGAIN} boots: {result.words}")
        model = cell.model or chosen_model(boot.preempt_of(result.console))
        row = Row(cell.kernel, kernels.release_of(kernel), self.options.arch, model, cell.cpus, "-")
        return result, self.rows_of(row, result)

    def cost_rows(self, about, result):
        """A row when the verifier does more for a program than the table says."""
        path = os.path.join(result.folder, "verifier_cost")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        return [dataclasses.replace(about, how="verifier", note=sentence)
                for sentence in cost.compare(about.release, text) or []]

    def rows_of(self, about, result):
        rows = self.cost_rows(about, result)
        if result.fault or result.status is None:
            rows.append(dataclasses.replace(about, note=result.words))
        for how in self.options.hows:
            for run in range(1, self.options.runs + 1):
                row = self.judge(dataclasses.replace(about, how=how, run=run), result.folder)
                rows.append(row)
                if row.is_refused:  # once is enough
                    break
        rows.append(self.judge_forks(dataclasses.replace(about, how="forks", run=1), result.folder))
        return rows

    @staticmethod
    def judge_forks(row, folder):
        name = os.path.join(folder, "forks")
        if not os.path.exists(name + ".db"):
            return dataclasses.replace(row, note=last_line(text_of(name + ".trace")))
        counts = counts_of(name + ".db")
        found = [counts.get(call, 0) for call in ("cudaDeviceSynchronize", "process_fork", "process_exit")]
        differ = sum(abs(count - wanted) for count, wanted in zip(found, (FORKS, FORKS, FORKS + 1)))
        note = "" if differ == 0 else "{} calls, {} forks, {} ends".format(*found)
        return dataclasses.replace(row, calls=found[0], differ=differ, losses=losses_of(name + ".db"), note=note,
                                   good=differ == 0)

    def judge(self, row, folder):
        name = os.path.join(folder, f"{row.how}.{row.run}")
        words = text_of(name + ".trace")
        refusal = next((line for line in words.splitlines() if f"--attach {row.how}: this kernel" in line), "")
        if refusal:  # one sentence and nothing else: a mechanism that this kernel has not
            return dataclasses.replace(row, note=refusal.split(": ", 2)[-1], good=True, is_refused=True)
        if not os.path.exists(name + ".db"):
            return dataclasses.replace(row, note=last_line(words))
        done = subprocess.run([sys.executable, "-B", COMPARE, name + ".truth", name + ".db"], text=True,
                              capture_output=True)
        try:
            counts = json.loads(done.stdout)["counts"]
        except (json.JSONDecodeError, KeyError):
            return dataclasses.replace(row, note="not compared: " + (done.stderr.strip() or done.stdout)[-200:])
        differ = sum(count for kind, count in counts.items() if kind != "equal")
        calls = counts.get("equal", 0) + counts.get("missing", 0) + counts.get("different", 0)
        good = done.returncode == 0 and differ == 0 and calls >= self.options.calls
        return dataclasses.replace(row, calls=calls, differ=differ, losses=losses_of(name + ".db"), good=good)


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def last_line(words):
    return (words.strip().splitlines() or ["no trace"])[-1]


def sums_of(path, rows):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    with_counts = database.execute(f"SELECT name, sum(count) FROM {rows} GROUP BY 1 HAVING sum(count) > 0").fetchall()
    database.close()
    return dict(with_counts)


def counts_of(path):
    return sums_of(path, "call_stats JOIN calls ON calls.id = call")


def losses_of(path):
    return sums_of(path, "loss")


# Of the capture itself; what a probe costs and what becomes of stacks is checked elsewhere.
OF_CALLS = {"ring_full", "no_thread_state", "too_deep", "unpaired_return", "no_recipe", "record_malformed", "attach_window",
            "program_skipped", "ring_unread", "unwound_call", "store_failed"}


def markdown(rows):
    """One line for a cell: its traces in a row, by way of attaching."""
    cells = {}
    for row in rows:
        cells.setdefault((row.release, row.arch, row.model, row.cpus), []).append(row)
    lines = ["| kernel | preempt | CPUs | session | multi | perf | losses of calls |", "|---|---|---|---|---|---|---|"]
    for (release, _, model, cpus), found in cells.items():
        columns, losses, faults = [], {}, [row.note for row in found if row.how == "-"]
        for how in HOWS:
            of = [row for row in found if row.how == how]
            if any(row.is_refused for row in of):
                columns.append("not there")
            else:
                columns.append(", ".join(f"{row.differ} of {row.calls:,}" if row.differ is not None else row.note
                                         for row in of) or "-")
            for row in of:
                for name, count in row.losses.items():
                    if name in OF_CALLS:
                        losses[name] = losses.get(name, 0) + count
        said = ", ".join(f"`{name}` {count}" for name, count in sorted(losses.items())) or "none"
        lines.append(f"| {release} | {model} | {cpus} | {' | '.join(columns)} | {'; '.join([said, *faults])} |")
    return "\n".join(lines) + "\n"


def say(text):
    print(f"kernels: {text}", file=sys.stderr, flush=True)


def cells_of(options):
    texts = options.cells or (SHORT if options.short else ALL if options.all else
                              DEFAULT_ARM64 if options.arch == "arm64" else DEFAULT)
    cells = [Cell.of(text) for text in texts]
    wanted = os.environ.get("KERNELS", "").split()
    if not wanted or options.cells:
        return cells
    chosen = []
    for name in wanted:
        series = kernels.split_name(name)[0]
        known = series if series in kernels.SUITES else "sid"
        same = [cell for cell in cells if cell.kernel == name or cell.kernel == name.replace(series, known)]
        chosen += [dataclasses.replace(cell, kernel=name) for cell in same] or [Cell.of(name)]
    return chosen


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", required=True, help="build folder with the agent and the ground truth")
    parser.add_argument("--arch", default="amd64", choices=("amd64", "arm64"),
                        help="arm64: a build of `make arm64`, emulated")
    parser.add_argument("--short", action="store_true", help="two kernels, one trace each: what `make test` runs")
    parser.add_argument("--all", action="store_true", help="every model with 1, 2 and 4 CPUs")
    parser.add_argument("--calls", type=int, default=20000, help="calls of one trace (default 20000)")
    parser.add_argument("--runs", type=int, default=2, help="traces in a row for each way of attaching (default 2)")
    parser.add_argument("--hows", nargs="+", default=HOWS, choices=HOWS)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--limit", type=int, default=900, help="seconds of one boot (default 900)")
    parser.add_argument("--out", help="keep what the guests left in this folder")
    parser.add_argument("--json", help="also write the rows to this file")
    parser.add_argument("--markdown", help="also write the table of docs/kernels.md to this file")
    parser.add_argument("cells", nargs="*")
    options = parser.parse_args()
    if options.short:
        options.calls, options.runs, options.limit = min(options.calls, 4000), 1, min(options.limit, SHORT_LIMIT_S)
    return options


def main():
    options = parse()
    lab = Lab(options)
    rows, bad, missing = [], 0, ""
    print(HEAD, flush=True)
    try:
        for name in (boot.MACHINES[options.arch]["program"], "cpio", "busybox", "modprobe"):
            guest.find_program(name)
        lab.make_base()
        for cell in cells_of(options):
            begin = time.monotonic()
            try:
                _, found = lab.run(cell)
            except kernels.Missing as reason:
                missing = str(reason)
                say(f"{cell}: left out: {reason}")
                continue
            rows += found
            for row in found:
                print(row.line(), flush=True)
            bad += sum(not row.good for row in found)
            say(f"{cell}: {time.monotonic() - begin:.0f} s")
    except kernels.Missing as reason:  # a program of this machine
        missing = str(reason)
    finally:
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump([dataclasses.asdict(row) for row in rows], file, indent=1)
        if options.markdown:
            with open(options.markdown, "w", encoding="utf-8") as file:
                file.write(markdown(rows))
        if not options.out:
            shutil.rmtree(lab.out, ignore_errors=True)
    if missing and (options.short or not rows):
        print(f"SKIP: {missing}")
        return 1 if bad else SKIPPED
    exact = sum(row.calls for row in rows if row.good)
    print(f"{len(rows)} traces, {bad} not as they should be, {exact} calls compared and equal")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
