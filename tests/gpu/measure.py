#!/usr/bin/env python3
"""Runs the GPU workloads under ingero: per-call counts against the profiler, and throughput with and without tracing.

  measure.py --ingero PATH --out FOLDER [--workload COMMAND] [--names training,graph,loader] [--pairs 9] [--seconds 3]

Counts: each workload runs once under both the profiler and `ingero trace -- ...`; counts.py compares.
Throughput: one long-lived process per workload; segments without and with `ingero trace --pid` alternate A B A B in
that same process, so that machine drift hits both alike; medians of steps per second and their ratio.
Prints a table; writes FOLDER/result.json. Exit status: 0 all counts equal, 1 not, 2 something could not be run.
"""
import argparse
import json
import os
import selectors
import shlex
import signal
import statistics
import subprocess
import sys
import time

import counts


SETTLED_S = 4


class Failed(Exception):
    pass


def last_lines(path, many=8):
    with open(path, encoding="utf-8", errors="replace") as file:
        return "".join(file.readlines()[-many:]).strip()


class Tracer:
    """`ingero trace --pid`, from "probes are on" to "all is stored"."""

    def __init__(self, ingero, pid, database, limit_s=60):
        command = [ingero, "trace", "--pid", str(pid), "--db", database]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE)
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stderr, selectors.EVENT_READ)
            end = time.monotonic() + limit_s
            while b"ingero: tracing (" not in said:
                if not selector.select(max(0.0, end - time.monotonic())):
                    self.stop()
                    raise Failed(f"ingero trace attached nothing in {limit_s} s: {said.decode(errors='replace')}")
                chunk = os.read(self.process.stderr.fileno(), 65536)
                if not chunk:
                    self.process.wait()
                    raise Failed(f"ingero trace ended: {said.decode(errors='replace').strip()}")
                said += chunk

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=120)
        if self.process.returncode != 0:
            raise Failed(f"ingero trace failed: {said.decode(errors='replace').strip()}")


class Served:
    """A workload process that runs steps when asked."""

    def __init__(self, command, log):
        self.log = log
        with open(log, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file,
                                            text=True)
        self.pid = self.answer()["pid"]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise Failed(f"the workload ended: {last_lines(self.log)}")
        return json.loads(line)

    def seconds(self, steps):
        self.process.stdin.write(f"{steps}\n")
        self.process.stdin.flush()
        return self.answer()["seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait(timeout=120)


def compare_counts(options, name):
    paths = {kind: os.path.join(options.out, f"{name}.{kind}") for kind in ("profile.json", "window.json", "db", "log")}
    for path in paths.values():
        for stale in (path, path + "-wal", path + "-shm"):
            if os.path.exists(stale):
                os.unlink(stale)
    command = [options.ingero, "trace", "--db", paths["db"], "--", *options.workload, name, "--profile",
               paths["profile.json"], "--window", paths["window.json"], "--steps", str(options.steps)]
    with open(paths["log"], "w", encoding="utf-8") as log:
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False).returncode
    if status != 0:
        raise Failed(f"{' '.join(command)} ended with {status}: {last_lines(paths['log'])}")
    window = counts.load(paths["window.json"])
    result = counts.compare_files(paths["profile.json"], paths["db"], window)
    result["facts"] = {key: window[key] for key in ("torch", "cuda", "gpu", "steps") if key in window}
    return result


def measure_throughput(options, name):
    served = Served([*options.workload, name, "--serve"], os.path.join(options.out, f"{name}.serve.log"))
    database = os.path.join(options.out, f"{name}.throughput.db")
    try:
        steps = 4
        while served.seconds(steps) < options.seconds / 4:  # how many steps fill a segment
            steps *= 2
        steps = max(1, round(steps * options.seconds / served.seconds(steps)))
        rates = {"untraced": [], "traced": []}
        for _ in range(options.pairs):
            rates["untraced"].append(steps / served.seconds(steps))
            tracer = Tracer(options.ingero, served.pid, database)
            try:
                # The first hit of each probe is not the steady state, nor are the probes that are there only at first.
                served.seconds(max(1, round(steps * SETTLED_S / options.seconds)))
                rates["traced"].append(steps / served.seconds(steps))
            finally:
                tracer.stop()
    finally:
        served.close()
    medians = {kind: statistics.median(values) for kind, values in rates.items()}
    ratios = [traced / untraced for traced, untraced in zip(rates["traced"], rates["untraced"])]
    return {"steps_per_segment": steps, "pairs": options.pairs, "steps_per_second": rates, "median": medians,
            "ratio_of_medians": medians["traced"] / medians["untraced"],
            "pair_ratio_quartiles": statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--ingero", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--workload", default=shlex.join([sys.executable, f"{here}/workloads.py"]),
                        help="command, quoted as in a shell")
    parser.add_argument("--names", default="training,graph,loader")
    parser.add_argument("--steps", type=int, default=200, help="steps of the run whose calls are counted")
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a throughput segment")
    options = parser.parse_args(arguments)
    options.workload = shlex.split(options.workload)
    options.names = options.names.split(",")
    return options


def main(arguments):
    options = parse(arguments)
    os.makedirs(options.out, exist_ok=True)
    result, status = {"workloads": {}}, 0
    for name in options.names:
        entry = result["workloads"][name] = {}
        try:
            entry["counts"] = compare_counts(options, name)
            print(f"== {name}: calls in one run\n{counts.table(entry['counts'])}")
            status = max(status, 0 if entry["counts"]["equal"] else 1)
            throughput = entry["throughput"] = measure_throughput(options, name)
            low, _, high = throughput["pair_ratio_quartiles"]
            print(f"== {name}: throughput, {options.pairs} interleaved pairs\n"
                  f"untraced {throughput['median']['untraced']:.2f} steps/s, traced"
                  f" {throughput['median']['traced']:.2f} steps/s, ratio {throughput['ratio_of_medians']:.4f}"
                  f" (quartiles of the pairs {low:.4f}..{high:.4f})\n", flush=True)
        except (Failed, counts.Unusable, OSError, subprocess.SubprocessError, ValueError) as error:
            entry["failed"] = str(error)
            print(f"== {name}: could not be run: {error}\n", flush=True)
            status = 2
    path = os.path.join(options.out, "result.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=2)
        file.write("\n")
    print(f"written: {path}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
