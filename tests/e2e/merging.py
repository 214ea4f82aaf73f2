"""Recordings of several nodes as one: what each said it says there, row by row, and the causes are the same."""
import collections
import json
import os

from collectives import RANKS
from harness import Failure, Recording, Trace, check, run, say

# What numbers the rows of one file, and what is counted by each file for itself.
OF_THE_FILE = {"events": {"seq", "session", "process", "source", "op"}, "cuda_events": {"source", "op_id"},
               "collectives": {"session", "communicator", "parent", "row"}}
VIEWS = ("events", "cuda_events", "nccl_events", "collectives", "collective_arrivals", "chains")


def rows_of(recording, view, node):
    columns = [column for column, in recording.rows(f"SELECT name FROM pragma_table_info('{view}')")
               if column not in OF_THE_FILE.get(view, {"session"})]
    sql = f"SELECT {', '.join(columns)} FROM {view} WHERE node = ?"
    return collections.Counter(tuple(row) for row in recording.rows(sql, node))


def MergedRecordingsSayOfEachNodeWhatItsOwnSays(build):
    command = [os.path.join(build.fakes, "ranks"), "--collectives", build.stand_in("plain", "libnccl.so.2")[0],
               "--runtime", build.stand_in("plain", "libcudart.so.13")[0], "--ranks", str(RANKS)]
    sources = {}
    for node in ("gpu-01", "gpu-02"):
        with Trace(build, "--node", node, command=command, name=node) as trace:
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
        sources[node] = trace.recording
    path = build.path("cluster.db")
    merge = [build.agent, "merge", *(one.path for one in sources.values()), "-o", path]
    told = run(*merge).stderr
    merged = Recording(path)
    for node, recording in sources.items():
        for view in VIEWS:
            here, there = rows_of(merged, view, node), rows_of(recording, view, node)
            if here != there:
                raise Failure(f"{view} of {node}: {here.total()} rows, {there.total()} in its own recording, "
                              f"{list(there - here)[:2]}")
        names = "SELECT e.id, s.name, o.name FROM events e JOIN sources s ON s.id = e.source JOIN ops o ON o.source_id = " \
                "e.source AND o.op_id = e.op WHERE node = ? ORDER BY 1"
        check([tuple(row) for row in merged.rows(names, node)] == [tuple(row) for row in recording.rows(names, node)],
              f"numbers of operations of {node}")

    def explained(recording):
        return json.loads(run(build.agent, "explain", "--json", "--db", recording).stdout)

    whole, parts = explained(path), [explained(one.path) for one in sources.values()]
    check(whole["recording"]["nodes"] == list(sources), f"{whole['recording']}")
    of_parts = sorted((chain["id"], chain["summary"]) for part in parts for chain in part["incidents"])
    check(sorted((chain["id"], chain["summary"]) for chain in whole["incidents"]) == of_parts,
          f"{whole['incidents']}, not {of_parts}")
    counted = {(call["call"], call["layer"]): call["count"] for call in whole["calls"]}
    for (call, layer), count in counted.items():
        apart = sum(one["count"] for part in parts for one in part["calls"] if (one["call"], one["layer"]) == (call, layer))
        check(count == apart, f"{call}: {count}, not {apart}")
    # The two runs share the identities of their communicators, and are seconds apart: as clocks that differ would look.
    check("the clock of gpu-02 is " in told and "ahead of gpu-01's" in told, told)
    check("was first is not known where they are closer than " in told and "collectives of gpu-01 and gpu-02" in told, told)
    refused = run(*merge, good=(2,)).stderr
    check("already exists" in refused, refused)
    say(events=merged.one("SELECT count(*) FROM events"), calls=len(counted), incidents=len(of_parts), told=told.strip())


TESTS = (MergedRecordingsSayOfEachNodeWhatItsOwnSays,)
SHARED = TESTS
FULL = ()
