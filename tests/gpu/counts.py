#!/usr/bin/env python3
"""Counts calls as a profiler saw them and as a recording holds them, and compares the two.

  counts.py PROFILE.json RECORDING.db WINDOW.json [--json OUT]

PROFILE.json is a Chrome trace of torch.profiler; WINDOW.json is what workloads.py wrote: the process, the name of the
annotation that marks the window in the profile, and the window's ends on CLOCK_MONOTONIC. Only calls of that process
that started inside the window count, on both sides. Exit status: 0 every call the profiler names has the same count in
the recording, 1 not, 2 the input cannot be used. Standard library only; the recording is only read.
"""
import argparse
import collections
import contextlib
import json
import re
import sqlite3
import sys

CATEGORIES = ("cuda_runtime", "cuda_driver")
# CUPTI names a callback with the interface's version; a variant for another stream is the same call.
SUFFIX = re.compile(r"(_v\d+|_ptsz|_ptds|_spt)+$")
LAUNCHES = re.compile(r"^(cudaLaunch(Cooperative)?Kernel(ExC)?|cuLaunch(Cooperative)?Kernel(Ex)?)$")


def base_name(name):
    return SUFFIX.sub("", name)


class Unusable(Exception):
    pass


def profiled_counts(trace, annotation):
    """Calls per name whose start lies inside the annotation of that name."""
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    marks = [e for e in events if e.get("name") == annotation and e.get("ph") == "X"
             and e.get("cat") in (None, "user_annotation", "cpu_op")]
    if len(marks) != 1:
        raise Unusable(f"the profile holds {len(marks)} annotations named {annotation!r}, not one")
    begin = float(marks[0]["ts"])
    end = begin + float(marks[0]["dur"])
    counts = collections.Counter()
    for event in events:
        if event.get("cat") in CATEGORIES and event.get("ph") == "X" and begin <= float(event["ts"]) <= end:
            counts[base_name(event["name"])] += 1
    if not counts:
        raise Unusable("the profile holds no call inside the window: was CUPTI able to subscribe?")
    return counts


def recorded_counts(database, pid, begin_ns, end_ns):
    """Calls per name, and launches no other described call encloses."""
    uri = "file:" + database.replace("?", "%3f").replace("#", "%23") + "?mode=ro"
    try:
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as connection:
            rows = connection.execute(
                "SELECT call, depth = 0, sum(weight) FROM events WHERE kind <> 'host' AND pid = ?"
                " AND start_mono_ns BETWEEN ? AND ? GROUP BY 1, 2", (pid, begin_ns, end_ns)).fetchall()
            lost = connection.execute("SELECT name, count FROM loss WHERE severity <> 'info' AND count > 0").fetchall()
    except sqlite3.Error as error:
        raise Unusable(f"{database}: {error}") from error
    counts, outermost_launches = collections.Counter(), 0
    for call, outermost, count in rows:
        counts[base_name(call)] += count
        if outermost and LAUNCHES.match(base_name(call)):
            outermost_launches += count
    return counts, outermost_launches, dict(lost)


def compare(profiled, recorded, outermost_launches, lost):
    """One row per call the profiler names; the calls it filters out are listed apart."""
    rows = [{"call": call, "profiler": profiled[call], "ingero": recorded.get(call, 0),
             "equal": profiled[call] == recorded.get(call, 0)} for call in sorted(profiled)]
    only = {call: count for call, count in sorted(recorded.items()) if call not in profiled}
    return {"equal": all(row["equal"] for row in rows), "calls": rows, "only_in_recording": only,
            "launches": {"profiler": sum(n for call, n in profiled.items() if LAUNCHES.match(call)),
                         "ingero_outermost": outermost_launches},
            "lost": lost}


def table(result):
    lines = [f"{'CALL':<34} {'PROFILER':>10} {'INGERO':>10}"]
    for row in result["calls"]:
        difference = row["ingero"] - row["profiler"]
        note = "" if row["equal"] else f"  differs by {difference:+d}"
        lines.append(f"{row['call']:<34} {row['profiler']:>10} {row['ingero']:>10}{note}")
    launches = result["launches"]
    lines.append(f"{'all launches, nested ones once':<34} {launches['profiler']:>10} {launches['ingero_outermost']:>10}")
    if result["only_in_recording"]:
        names = ", ".join(f"{call} {count}" for call, count in result["only_in_recording"].items())
        lines.append(f"not named by the profiler, which leaves frequent calls out: {names}")
    for name, count in result["lost"].items():
        lines.append(f"lost: {name} {count}")
    return "\n".join(lines)


def load(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}") from error


def compare_files(profile_path, database, window):
    try:
        profiled = profiled_counts(load(profile_path), window["annotation"])
        recorded, outermost, lost = recorded_counts(database, window["pid"], window["begin_mono_ns"],
                                                    window["end_mono_ns"])
    except (KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"{profile_path}: not a Chrome trace of a profiler, or no window: {error!r}") from error
    return compare(profiled, recorded, outermost, lost)


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("profile")
    parser.add_argument("recording")
    parser.add_argument("window")
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    try:
        result = compare_files(options.profile, options.recording, load(options.window))
    except Unusable as error:
        print(f"counts: {error}", file=sys.stderr)
        return 2
    print(table(result))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    return 0 if result["equal"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
