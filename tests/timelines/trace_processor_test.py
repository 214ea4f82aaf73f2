#!/usr/bin/env python3
"""Exports every sample as a timeline and asks Perfetto's trace processor for what the recording holds.

Usage: trace_processor_test.py INGERO

INGERO_TRACE_PROCESSOR is a command that is called with a trace and SQL statements and prints one JSON object per row.
Without it the test skips.
"""
import json
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile

SAMPLES = ("pytorch-dataloader-starvation", "sample-cluster", "sample-gpu-node-01", "sample-gpu-node-02", "sample-gpu-node-03")
BESIDE = ("stream", "rank", "causal_chain", "annotation", "recording")  # not events


def asked(processor, trace, *statements):
    done = subprocess.run([*processor, os.path.abspath(trace), *statements], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(ingero, processor, database, part, folder):
    """Every event is one slice with its name and duration, and the trace processor has nothing to complain of."""
    recording = sqlite3.connect("file:%s?mode=ro&immutable=1" % database, uri=True)
    names = dict(((source, op), name) for source, op, name in recording.execute("SELECT source_id, op_id, name FROM ops"))
    # What began or ended within the part; host events of these recordings are reported when they are over.
    last = recording.execute("SELECT max(timestamp) FROM events").fetchone()[0]
    since = last - part * 10**9 if part else 0
    wanted = {}
    for source, op, timestamp, duration in recording.execute("SELECT source, op, timestamp, duration FROM events"):
        start = timestamp - duration if source in (3, 5, 6, 7) else timestamp
        if start + duration < since:
            continue
        count, total = wanted.get((source, op), (0, 0))
        wanted[source, op] = (count + 1, total + duration)
    chains = recording.execute("SELECT count(*) FROM causal_chains WHERE detected_at >= ?", (since,)).fetchone()[0]
    for form in ("perfetto", "chrome"):
        trace = os.path.join(folder, "trace." + form)
        command = [ingero, "export", "--format", form, "--db", database, "-o", trace]
        subprocess.run(command + (["--since", "%ds" % part] if part else []), check=True, stderr=subprocess.PIPE)
        beside = ",".join("'%s'" % one for one in BESIDE)
        found = asked(processor, trace, "SELECT name, category, count(*) AS n, sum(dur) AS ns, count(DISTINCT depth) AS depths "
                      "FROM slice WHERE category NOT IN (%s) GROUP BY 1, 2" % beside)
        assert sum(row["n"] for row in found) == sum(count for count, _ in wanted.values()), (database, form, found)
        by_name = {row["name"].lower(): row for row in found}
        for (source, op), (count, total) in wanted.items():
            name = names.get((source, op))
            if name is None or name.lower() not in by_name:
                continue
            row = by_name[name.lower()]
            # Times of the JSON are read as fractions of a microsecond, and rounded.
            assert row["n"] == count and abs(row["ns"] - total) <= (0 if form == "perfetto" else count), (database, form, row, total)
        bad = asked(processor, trace, "SELECT name, value FROM stats WHERE value > 0 AND severity <> 'info'")
        assert not bad, (database, form, bad)
        drawn = asked(processor, trace, "SELECT count(*) AS n FROM slice WHERE category = 'causal_chain'")[0]["n"]
        assert drawn == chains, (database, form, drawn, chains)
        counted = asked(processor, trace, "SELECT count(*) AS n FROM counter")[0]["n"]
        assert counted > 0 or part, (database, form)
    return sum(count for count, _ in wanted.values())


def main():
    command = os.environ.get("INGERO_TRACE_PROCESSOR")
    if not command:
        print("SKIP: no trace processor (set INGERO_TRACE_PROCESSOR to a command that takes a trace and SQL)")
        return 77
    here = os.path.dirname(os.path.abspath(__file__))
    samples = os.environ.get("INGERO_SAMPLES") or os.path.join(os.path.dirname(os.path.dirname(here)), "..", "shared", "data")
    events = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in SAMPLES:
            database = os.path.join(samples, name + ".db")
            if not os.path.exists(database):
                print("SKIP: %s is not here (set INGERO_SAMPLES)" % database)
                return 77
            for part in (None, 20):
                events += check(sys.argv[1], shlex.split(command), database, part, folder)
    print("%d events of %d recordings, each in two formats" % (events, 2 * len(SAMPLES)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
