#!/usr/bin/env python3
"""Simulated jobs sent to a real `ingero fleet serve`, and what it made of them, compared with what was planted.

  fleet_truth.py --build DIR [--short] [--seed N] [--parts slow nodes healthy long hangs] [--ranks N]

For each kind of job: precision, recall, how often the class is right, and the time from the onset to the end of the window
that named the rank. A node all of whose ranks are slow is one that is planted, and one incident finds it: another of it, or
of a rank of it, is wrong. Seeds are drawn, and printed. The simulator shares no code with the detector. Status 1 where a bound is
missed. Standard library only.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

from server import UNLIMITED, Server, percentile

SECOND = 1_000_000_000
# Ranks, noise, effect (0: drawn from 15 to 50 %), jobs (short: a third), p95 of the time to name in seconds. In noise a
# healthy rank is named for some 250 that are planted: among 48 a single one would miss the bound, among 112 it does not.
SLOW = [(2048, "quiet", 0.1, 3, 35), (2048, "usual", 0.3, 6, 20), (2048, "usual", 0.1, 6, 35), (2048, "usual", 0, 6, None),
        (2048, "noisy", 0.3, 14, 30), (2048, "noisy", 0.1, 14, 105), (256, "usual", 0, 12, None), (16384, "usual", 0.3, 1, 20),
        (16384, "usual", 0.1, 1, 35), (16384, "noisy", 0.3, 1, 30), (16384, "noisy", 0.1, 1, 105)]
# The same, where one of 32 nodes is slow too.
NODES = [(256, "usual", 0, 12, None), (2048, "usual", 0.3, 3, 20), (2048, "usual", 0.1, 3, 35), (2048, "noisy", 0.3, 7, 30),
         (16384, "usual", 0.3, 1, 20)]
RANKS_OF_NODE = 8
# Ranks, noise, windows of 5 s, jobs, incidents at most in all of them.
HEALTHY = [(256, "usual", 120, 12, 0), (2048, "usual", 700, 1, 0), (16384, "usual", 120, 1, 0), (2048, "noisy", 700, 1, 3)]
# Ranks, noise, hours, incidents at most: through the detector alone (bench/fleet_load.cc), not with --short.
LONG = [(16384, "usual", 6, 0), (16384, "noisy", 6, 7)]
HANGS = [(2048, 6), (16384, 1)]
PRECISION, RECALL, CLASS = 0.99, 0.98, 0.9
BEFORE_ONSET = 30 * SECOND  # noise may have raised a rank's sum before


def run(ingero, ranks, plan, windows, seed, *more):
    """What was planted, what the server found, and how long the simulated windows took to be sent and taken."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(ingero, folder, "--hang-after", "30s", *UNLIMITED)
        truth_file = os.path.join(folder, "truth.json")
        begin = time.monotonic()
        done = subprocess.run(
            [ingero, "fleet", "simulate", "--endpoint", f"http://127.0.0.1:{server.otlp}", "--token-file", os.path.join(folder, "token"),
             "--ranks", str(ranks), "--plan", plan, "--windows", str(windows), "--seed", str(seed), "--truth", truth_file, *more],
            capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"fleet simulate, seed {seed}: {done.stderr}")
        took = time.monotonic() - begin
        time.sleep(2.2)  # the last window is waited for
        incidents = server.ask("incidents", cluster_id="sim", top_n=1000)["incidents"]
        jobs = server.ask("find_outlier_nodes", cluster_id="sim")["jobs"]
        server.stop()
        with open(truth_file, encoding="utf-8") as file:
            truth = json.load(file)
        said = re.search(r"stragglers: (\d+) of (\d+) with a slow rank,.*? and (\d+) of (\d+) at other times; by", done.stdout)
        truth["self_classified"] = [int(count) for count in said.groups()]
        return truth, incidents, jobs, took


def add_self_classified(truth, sums):
    return [one + more for one, more in zip(sums, truth["self_classified"])]


def in_words(self_classified):
    right, planted, wrong, nodes = self_classified
    return f"    called themselves stragglers: {right} of {planted} nodes with a slow rank, and {wrong} of {nodes} at other times"


class Table:
    def __init__(self):
        self.missed = 0

    def goal(self, is_met, text):
        self.missed += not is_met
        return text if is_met else f"{text} MISSED"

    def row(self, *cells):
        print("  ".join(f"{cell:<{width}}" for cell, width in zip(cells, (24, 10, 12, 10, 12, 26, 12))), flush=True)


def judge(truth, incidents, found):
    """What is planted is right where it is named while it is slow; named again, it is counted apart."""
    planted = {("rank", one["rank"]): one for one in truth["stragglers"]} | {("node", one["node_id"]): one for one in truth["slow_nodes"]}
    always_slow = {one["rank"] for one in truth["always_slow"]}
    missed = dict(planted)
    for incident in sorted(incidents, key=lambda one: one["from_ns"]):
        is_node = incident["kind"] == "slow_node"
        name = ("node", incident["node_id"]) if is_node else ("rank", incident["rank"])
        plant, named_ns = planted.get(name), incident["evidence"]["named_ns"]
        during = plant and plant["from_ns"] - BEFORE_ONSET <= incident["from_ns"] < plant["to_ns"] and named_ns > plant["from_ns"]
        if is_node and during:
            # With no rank of another node, and most of its own.
            ranks = set(incident["evidence"]["ranks"])
            during = ranks <= set(plant["ranks"]) and 4 * len(ranks) >= 3 * RANKS_OF_NODE
        if during and not missed.pop(name, None):
            found["again"].append(incident)
            continue
        found["right" if during else "always slow" if incident["rank"] in always_slow else "wrong"].append(incident)
        if during:
            found["classes"].append((plant["class"], incident["class"]))
            found["times"].append((named_ns - plant["from_ns"]) / SECOND)
    found["missed"] += list(missed.values())


def wrong_roles(truth, jobs):
    """Where a role does more than the others, its ranks are reported, and no others."""
    reported = sorted(rank for job in jobs for role in job["imbalance"] for rank in role["ranks"])
    count = sum(role["rank_count"] for job in jobs for role in job["imbalance"])
    return count != len(truth["imbalance"]) or not set(reported) <= set(truth["imbalance"])


def of_sizes(jobs, sizes):
    return [job for job in jobs if job[0] in sizes]


def slow_jobs(table, ingero, draw, is_short, sizes):
    judge_jobs(table, ingero, draw, is_short, of_sizes(SLOW, sizes), "random", "slow ranks")


def slow_node_jobs(table, ingero, draw, is_short, sizes):
    print()
    judge_jobs(table, ingero, draw, is_short, of_sizes(NODES, sizes), "nodes", "slow nodes, and ranks")


def judge_jobs(table, ingero, draw, is_short, all_jobs, plan, what):
    table.row(what, "planted", "precision", "recall", "class right", "named after, median / p95", "sent in")
    for ranks, noise, effect, jobs, bound in all_jobs:
        found, seconds, late, roles = {kind: [] for kind in ("right", "wrong", "always slow", "again", "classes", "times", "missed")}, 0, 0, 0
        self_classified = [0] * 4
        for _ in range(max(1, jobs // 3) if is_short else jobs):
            seed = draw()
            truth, incidents, judged, took = run(ingero, ranks, plan, 120, seed, "--noise", noise, "--effect", str(effect))
            judge(truth, incidents, found)
            self_classified = add_self_classified(truth, self_classified)
            roles += wrong_roles(truth, judged)
            seconds += took
            late += sum(one["late_windows"] for one in judged)
        named, planted = len(found["times"]), len(found["times"]) + len(found["missed"])
        precision = len(found["right"]) / max(1, len(found["right"]) + len(found["wrong"]))
        right = sum(planted_class == reported for planted_class, reported in found["classes"])
        p95 = percentile(found["times"], 0.95) if named else float("inf")
        table.row(f"{ranks} {noise} {f'{effect:.0%}' if effect else '15-50%'}", planted,
                  table.goal(precision >= PRECISION, f"{precision:.3f}"), table.goal(named / planted >= RECALL, f"{named / planted:.3f}"),
                  table.goal(right >= CLASS * max(1, named), f"{right / max(1, named):.2f}"),
                  table.goal(bound is None or p95 <= bound, f"{percentile(found['times'], 0.5) if named else 0:.0f} / {p95:.0f} s" + (f" (bound {bound})" if bound else "")),
                  f"{seconds:.0f} s" + (f", {late} late" if late else ""))
        print(in_words(self_classified))
        for kind in ("wrong", "always slow"):
            for incident in found[kind]:
                print(f"    {kind}: {incident['evidence']['sentence']}")
        for (planted_class, reported), count in collections.Counter(found["classes"]).items():
            if planted_class != reported:
                print(f"    class {planted_class} reported as {reported}: {count}")
        if found["again"]:
            print(f"    named again while slow: {len(found['again'])}")
        if roles:
            print(f"    {table.goal(False, f'roles that do more are not as planted in {roles} jobs')}")
        for one in found["missed"]:
            lasted = (one["to_ns"] - one["from_ns"]) / SECOND
            who, spread = (f"rank {one['rank']}", one["spread"]) if "rank" in one else (one["node_id"], 0)
            print(f"    missed: {who}, {(1 + one['effect']) * (1 + spread) - 1:.1%} slower than its peers for {lasted:.0f} s")


def healthy_jobs(table, ingero, draw, is_short, sizes):
    print()
    table.row("healthy", "hours", "incidents")
    for ranks, noise, windows, jobs, bound in of_sizes(HEALTHY, sizes):
        wrong, count, self_classified = [], max(1, jobs // 3) if is_short else jobs, [0] * 4
        for _ in range(count):
            truth, incidents, _, _ = run(ingero, ranks, "healthy", windows, draw(), "--noise", noise)
            wrong += incidents
            self_classified = add_self_classified(truth, self_classified)
        table.row(f"{ranks} {noise}", f"{windows * count * 5 / 3600:.2f}", table.goal(len(wrong) <= bound, f"{len(wrong)} (bound {bound})"))
        print(in_words(self_classified))
        for incident in wrong:
            print(f"    wrong: {incident['evidence']['sentence']}")


def long_jobs(table, ingero, draw, is_short, sizes):
    if is_short:
        return
    load = os.path.join(os.path.dirname(ingero), "../bench/fleet_load")
    for ranks, noise, hours, bound in of_sizes(LONG, sizes):
        done = subprocess.run([load, "healthy", str(ranks), str(hours), noise, str(draw())], capture_output=True, text=True, check=True)
        *wrong, last = done.stdout.splitlines()
        table.row(f"{ranks} {noise}", hours, table.goal(len(wrong) <= bound, f"{len(wrong)} (bound {bound})"), last)
        for one in wrong:
            print(f"    {one}")


def hanging_jobs(table, ingero, draw, is_short, sizes):
    print()
    table.row("hangs", "jobs", "exact ranks")
    for ranks, jobs in of_sizes(HANGS, sizes):
        exact, count = 0, max(1, jobs // 3) if is_short else jobs
        for _ in range(count):
            seed = draw()
            truth, incidents, _, _ = run(ingero, ranks, "hang", 40, seed)
            wanted = {one for hang in truth["hangs"] for one in hang["ranks"]}
            named = {one["rank"] for incident in incidents if incident["class"] == "hang" for one in incident["evidence"]["ranks"]}
            exact += wanted == named
            if wanted != named:
                print(f"    seed {seed}: planted {sorted(wanted)}, named {sorted(named)}")
        table.row(ranks, count, table.goal(exact == count, f"{exact} of {count}"))


PARTS = {"slow": slow_jobs, "nodes": slow_node_jobs, "healthy": healthy_jobs, "long": long_jobs, "hangs": hanging_jobs}


def main():
    parser = argparse.ArgumentParser(description="Simulated jobs, and what the cluster's server makes of them.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--short", action="store_true", help="a third of the jobs")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    sizes = sorted({row[0] for row in SLOW + NODES + HEALTHY + LONG + HANGS})
    parser.add_argument("--ranks", nargs="+", type=int, choices=sizes, default=sizes, help="jobs of these sizes only")
    options = parser.parse_args()
    ingero = os.path.abspath(os.path.join(options.build, "cli/ingero"))
    print(f"seed {options.seed}; load {os.getloadavg()[0]:.1f}")
    source, table = random.Random(options.seed), Table()
    for part in options.parts:
        PARTS[part](table, ingero, lambda: source.randrange(2**31), options.short, options.ranks)
    print(f"\n{table.missed} bounds missed")
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
