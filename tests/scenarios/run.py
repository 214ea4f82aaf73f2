#!/usr/bin/env python3
"""The truth suite: plants causes, traces live, and compares the top cause with what was planted.

  run.py --build DIR [--seeds N] [--only TEXT] [--seed FIRST]

scenarios.json is data: what a workload does (tests/fakes/player.cc), what disturbs it (disturb.py), from when on, and
which rule must come first; "expect": null is a healthy run in which no chain may appear. As many again are made from
random seeds, new ones with each run unless --seed says which. Prints a table; status 1 when anything was missed or made up.

A run is live: chains are read from the recording while it is written, and the time to diagnosis is from the moment the
cause begins to the moment its chain is there. Needs root. Standard library only.
"""
import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

import disturb

HERE = os.path.dirname(os.path.abspath(__file__))
SETTLED = 2.0  # seconds after the start in which a disturbance begins, unless the scenario says otherwise
LENGTH = 12
WITHIN = 5.0
STOLEN = 0.08  # from here on a chain that says so is not held against the engine


def stolen():
    """(stolen, all) ticks of all CPUs."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return ticks[7], sum(ticks)


def chains(path):
    """What the recording says now: top cause first."""
    if not os.path.exists(path):
        return []
    try:
        database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=1)
        rows = database.execute("SELECT rule, severity, summary, detected_at FROM causal_chains ORDER BY "
                                "CASE severity WHEN 'CRITICAL' THEN 0 WHEN 'HIGH' THEN 1 WHEN 'MEDIUM' THEN 2 ELSE 3 END, "
                                "confidence DESC, detected_at").fetchall()
        database.close()
        return rows
    except sqlite3.Error:
        return []


def run(build, scenario, seed):
    """(top rule or None, all rules, seconds to diagnosis or None, what the agent said)"""
    work = tempfile.mkdtemp(prefix="truth.", dir=build)
    database = os.path.join(work, "run.db")
    fakes = os.path.join(build, "tests/fakes")
    length = scenario.get("for", LENGTH)
    world = disturb.World(scenario, work)
    player = [*world.prefix, os.path.join(fakes, "player"), "--timed", os.path.join(fakes, "timed/libcudart.so.12"),
              "--plain", os.path.join(fakes, "plain/libcudart.so.13"), "--for", f"{length}s", "--seed", str(seed),
              "--workers", str(scenario.get("workers", 0)), *world.player_options]
    if scenario.get("file"):
        path = os.path.join(work, "data")
        with open(path, "wb") as file:
            file.write(os.urandom(1 << 20) * 64)
            os.fsync(file.fileno())
        player += ["--file", path]
    for spec in scenario["threads"]:
        player += ["--thread", spec]
    agent = subprocess.Popen([os.path.join(build, "cli/ingero"), "trace", "--db", database, *world.agent_options,
                              *scenario.get("options", []), "--", *player],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    began = None
    for line in agent.stdout:
        if line.startswith("start "):
            began = time.monotonic()
            player_pid = int(line.split()[2])
            world.started()
            break
    is_disturbed = False
    most_stolen = 0.0
    window = [stolen()]
    found_after = None
    cause_at = scenario.get("at", SETTLED if scenario.get("stress") else 0)
    try:
        while agent.poll() is None and began is not None:
            now = time.monotonic() - began
            if scenario.get("stress") and not is_disturbed and now >= SETTLED:
                is_disturbed = True
                for stress in scenario["stress"]:
                    world.disturb(stress, player_pid)
            if found_after is None and any(row[0] == scenario["expect"] for row in chains(database)):
                found_after = max(0.0, now - cause_at)
            # What the hypervisor takes is not planted, and true: it is measured here as well, over three seconds.
            window = window[-30:] + [stolen()]
            if len(window) > 20:
                most_stolen = max(most_stolen, (window[-1][0] - window[0][0]) / max(1, window[-1][1] - window[0][1]))
            time.sleep(0.1)
    finally:
        world.stop()
        if agent.poll() is None:
            agent.kill()
    said = agent.stderr.read()
    agent.wait()
    world.remove()
    rows = chains(database)
    if most_stolen >= STOLEN:
        rows = [row for row in rows if row[0] != "cpu_steal"]
    shutil.rmtree(work, ignore_errors=True)
    return (rows[0][0] if rows else None), rows, found_after, said


def random_scenario(seed):
    """A cause from a template with random figures: a rule must hold for all of them."""
    pick = random.Random(seed)
    us = lambda low, high: f"{pick.randint(low, high)}us"  # noqa: E731
    steady = f"launch:{us(10, 60)}*{pick.randint(20, 150)} sync:{pick.randint(2, 9)}ms"
    templates = [
        lambda: {"expect": "cpu_preemption", "pin": "1", "threads": [f"launch:{us(20, 80)}*{pick.randint(80, 300)} sync:1ms"],
                 "stress": [{"kind": "spin", "count": pick.randint(2, 4), "cpu": "1"}]},
        lambda: {"expect": "lock_wait", "threads": [f"locked:{us(10, 40)}*{pick.randint(5, 40)} sync:1ms",
                                                    f"idle:1ms @4s hold:{pick.randint(10, 60)}ms idle:1ms"], "at": 4},
        lambda: {"expect": "block_io", "threads": [f"{steady} @4s read:{pick.randint(1, 8)}m launch:20us*10"], "at": 4,
                 "file": True},
        lambda: {"expect": "sync_storm", "threads": [f"{steady} @4s launch:10us d2h:{pick.choice([1, 4, 8, 64])}:{us(10, 40)} "
                                                     f"sync:{us(200, 600)}"], "at": 4},
        lambda: {"expect": "slow_copies", "threads": [f"{steady} @4s h2d:{pick.randint(16, 128)}m:{pick.randint(20, 60)}ms "
                                                      f"launch:20us*{pick.randint(5, 20)} sync:1ms"], "at": 4},
        lambda: {"expect": "allocation_churn", "threads": [f"{steady} @4s malloc:{pick.randint(1, 32)}m:{us(200, 500)} "
                                                           f"launch:20us*2 free:{us(100, 300)}"], "at": 4},
        lambda: {"expect": "failing_calls", "threads": [f"{steady} @4s fail:{pick.choice([1, 2])}:10us*20 idle:5ms"],
                 "at": 4},
        lambda: {"expect": "fatal_error", "threads": [f"{steady} @4s fail:{pick.choice([700, 719])}:10us idle:5ms"],
                 "at": 4},
        lambda: {"expect": "graph_recapture", "threads": [f"glaunch:30us*50 sync:5ms @4s capture:{pick.randint(5, 15)}ms "
                                                          f"glaunch:30us*{pick.randint(2, 8)} sync:2ms"], "at": 4},
        lambda: {"expect": "cgroup_throttling", "threads": [f"cpu:{pick.randint(3, 9)}ms launch:50us*{pick.randint(40, 90)} sync:1ms"],
                 "stress": [{"kind": "cpu_limit", "quota": pick.choice([0.2, 0.25, 0.3, 0.35])}]},
        lambda: {"expect": "memory_growth", "threads": [f"{steady} @2s leak:{pick.randint(12, 40)}m:50us "
                                                        f"launch:20us*{pick.randint(10, 60)} sync:{pick.randint(20, 90)}ms"],
                 "at": 2},
        lambda: {"expect": "full_stop", "threads": [f"{steady} @8s idle:60s"], "at": 8, "for": 27},
        lambda: {"expect": "device_out_of_memory", "threads": [f"{steady} @4s oom:{pick.randint(1, 900)}m:{us(50, 500)} "
                                                               f"{steady}"], "at": 4},
        lambda: {"expect": "memory_fragmentation", "threads": [
            f"{steady} @4s malloc:{pick.randint(9, 40)}m:20us*{(pieces := pick.randint(30, 80))} {steady} "
            f"oom:256m:{us(100, 2000)} free:20us*{pieces} malloc:256m:{us(50, 500)} free:20us {steady} sync:{pick.randint(50, 400)}ms"],
            "at": 4},
        lambda: {"expect": "page_allocation_storm", "threads": [steady, f"idle:1ms @4s touch:{pick.randint(64, 256)}m"],
                 "at": 4},
        lambda: {"expect": None, "threads": [steady]},
        lambda: {"expect": None, "threads": [steady, f"idle:{pick.randint(50, 900)}ms launch:20us*{pick.randint(1, 20)}"]},
    ]
    scenario = templates[seed % len(templates)]()
    scenario["name"] = f"seed {seed}"
    return scenario


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--seeds", type=int, default=None, help="how many random ones (default: as many as written ones)")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("SKIP: placing probes needs root")
        return 77
    with open(os.path.join(HERE, "scenarios.json"), encoding="utf-8") as file:
        scenarios = json.load(file)
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(10**6) * 10
    seeds = len(scenarios) if options.seeds is None else options.seeds
    scenarios += [random_scenario(first + i) for i in range(seeds)]
    scenarios = [scenario for scenario in scenarios if options.only in scenario["name"]]
    planted = right = healthy = alarms = late = skipped = 0
    print(f"random scenarios from seed {first}")
    print(f"{'SCENARIO':<52} {'PLANTED':<22} {'TOP CAUSE':<22} {'AFTER':>7}")
    for number, scenario in enumerate(scenarios):
        reason = disturb.missing_for(scenario)
        if reason:
            skipped += 1
            print(f"{scenario['name'][:52]:<52} not played: {reason}", flush=True)
            continue
        top, rows, after, said = run(options.build, scenario, first + number)
        expect = scenario["expect"]
        verdict = ""
        if expect is None:
            healthy += 1
            if rows:
                alarms += 1
                verdict = "  FALSE ALARM"
        else:
            planted += 1
            right += top == expect
            if top != expect:
                verdict = "  WRONG"
            elif after is None or after > WITHIN:
                late += 1
                verdict = "  LATE"
        after_text = f"{after:.1f} s" if after is not None else "-"
        print(f"{scenario['name'][:52]:<52} {expect or 'nothing':<22} {top or 'nothing':<22} {after_text:>7}{verdict}", flush=True)
        if verdict:
            for row in rows[:4]:
                print(f"      {row[0]} [{row[1]}] {row[2]}")
            for line in said.splitlines():
                if "Error" in line or "warning" in line.lower():
                    print("      agent:", line)
    print(f"top-1 accuracy {right} of {planted}, false alarms {alarms} of {healthy}, late {late}, not played {skipped}")
    return 0 if right == planted and alarms == 0 and late == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
