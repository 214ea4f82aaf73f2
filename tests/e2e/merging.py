"""Recordings of several nodes as one: what each said it says there, row by row, and the causes are the same."""
import collections
import json
import os
import sqlite3

from collectives import RANKS
from harness import Failure, Recording, Trace, check, run, say

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

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
    check("was first is not known where they are closer than " in told and "taken off (gpu-01 and gpu-02)" in told, told)
    refused = run(*merge, good=(2,)).stderr
    check("already exists" in refused, refused)
    say(events=merged.one("SELECT count(*) FROM events"), calls=len(counted), incidents=len(of_parts), told=told.strip())


# The recording of two ranks of tests/unit/cli/recordings, as `node` would have made it whose clock is ahead by that much.
def as_of(build, node, ahead_ns, more=""):
    path = build.path(f"{node}.db")
    with open(os.path.join(ROOT, "tests", "unit", "cli", "recordings", "two_ranks.sql"), encoding="utf-8") as file:
        script = file.read()
    database = sqlite3.connect(path)
    database.executescript(script + f"""
        UPDATE sessions SET node = '{node}', started_at = started_at + {ahead_ns}, stopped_at = stopped_at + {ahead_ns};
        UPDATE clocks SET node = '{node}', wall_ns = wall_ns + {ahead_ns};
        UPDATE blocks SET start_wall_ns = start_wall_ns + {ahead_ns}, end_wall_ns = end_wall_ns + {ahead_ns};
        UPDATE causal_chains SET node = '{node}', id = replace(id, 'gpu-01:', '{node}:'), onset = onset + {ahead_ns},
          detected_at = detected_at + {ahead_ns}, ended = ended + {ahead_ns};
        UPDATE system_snapshots SET timestamp = timestamp + {ahead_ns}; {more}""")
    database.close()
    return path


def slices_of(build, recording):
    """Rank slices of each node by collective, its clock's slice, and what was said."""
    path = build.path("timeline.json")
    said = run(build.agent, "export", "--format", "chrome", "--db", recording, "-o", path).stderr
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    labels = {event["pid"]: event["args"]["labels"].split()[0] for event in events if event["name"] == "process_labels"}
    ranks = collections.defaultdict(lambda: collections.defaultdict(list))
    for event in events:
        if event.get("cat") == "rank" and "number" in event["args"]:
            key = (event["args"]["comm_id_hash"], event["args"]["number"])
            ranks[key][labels[event["pid"]]].append((event["ts"] * 1000, (event["ts"] + event.get("dur", 0)) * 1000))
    clocks = [event for event in events if event.get("cat") == "clock"]
    starts = {event["id"]: event["ts"] for event in events if event["ph"] == "s"}
    steps = [(event["id"], event["ts"]) for event in events if event["ph"] == "t"]
    check(steps and all(starts[flow] <= at for flow, at in steps), "an arrow back in time")
    return ranks, clocks, said


def EventsOfTwoNodesAreInOrderAsFarAsTheirClocksAreKnown(build):
    truth = {"gpu-01": 0, "gpu-02": 2_500_000_000, "gpu-03": -700_000_000}
    sources = [as_of(build, node, ahead, "DELETE FROM exchanges;" if node == "gpu-03" else "")
               for node, ahead in truth.items()]
    known, unknown = build.path("known.db"), build.path("unknown.db")
    merged = run(build.agent, "merge", *sources[:2], "-o", known).stderr
    check("gpu-02 is 2.4" in merged and "first is not known where they are closer than " in merged, merged)
    merged = run(build.agent, "merge", sources[0], sources[2], "-o", unknown).stderr
    check("first is not known: no collectives bound how far" in merged, merged)

    report = json.loads(run(build.agent, "explain", "--json", "--db", known).stdout)
    reference, other = report["recording"]["clocks"]
    check(reference == {"node": "gpu-01", "offset_ns": 0, "within_ns": 0}, f"{reference}")
    within = other["within_ns"]
    check(abs(other["offset_ns"] - truth["gpu-02"]) <= within <= 50_000_000, f"{other}")
    # Both nodes say the same: none of it is certain.
    order = report["order"]
    check(sorted(one["id"] for one in order) == sorted(one["id"] for one in report["incidents"]), f"{order}")
    check({one["node"] for one in order} == {"gpu-01", "gpu-02"}, f"{order}")
    same = [(a, b) for a, b in zip(order, order[1:]) if a["id"].split(":")[1] == b["id"].split(":")[1]]
    check(same and not any(b["is_certain"] for _, b in same), f"{order}")
    text = run(build.agent, "explain", "--db", known).stdout
    check("The clock of gpu-02 is 2.5s ahead of gpu-01's, known within " in text, text[:1000])
    check("IN ORDER OF TIME, by gpu-01's clock" in text and "\n~ 20" in text, text)
    ranks, clocks, said = slices_of(build, known)
    check([one["args"]["within_ns"] for one in clocks] == [0, within], f"{clocks}")
    check("first is not known where they are closer than " in said, said)
    shared = [nodes for nodes in ranks.values() if len(nodes) == 2]
    check(len(shared) > 20, f"{len(shared)} collectives of both")
    worst = max(abs(a - b) for nodes in shared for a, b in zip(nodes["gpu-01"][0], nodes["gpu-02"][0]))
    check(worst <= within + 1000, f"{worst} ns apart, known within {within}")
    timeline = json.loads(run(build.agent, "ask", "get_timeline", "--json", "{}", "--db", known).stdout)
    check(timeline["clocks"] == report["recording"]["clocks"] and "closer than" in timeline["notes"][0], f"{timeline['notes']}")
    chains = json.loads(run(build.agent, "ask", "get_causal_chains", "--json", "{}", "--db", known).stdout)
    check(chains["order"] == order and chains["clocks"] == timeline["clocks"], f"{chains['order']}")

    report = json.loads(run(build.agent, "explain", "--json", "--db", unknown).stdout)
    check(all(one["offset_ns"] is None and one["within_ns"] is None for one in report["recording"]["clocks"]), f"{report['recording']}")
    check(report["order"] == [] or all(one["within_ns"] is None for one in report["order"]), f"{report['order']}")
    text = run(build.agent, "explain", "--db", unknown).stdout
    check("Which of two events of different nodes was first is not known: no collectives bound" in text, text[:1000])
    _, clocks, said = slices_of(build, unknown)
    check(len(clocks) == 2 and all("the order of its events and theirs is unknown" in one["name"] for one in clocks), f"{clocks}")
    alone = json.loads(run(build.agent, "explain", "--json", "--db", sources[0]).stdout)
    check("clocks" not in alone["recording"] and "order" not in alone, "one node has an order")
    say(offset_ns=other["offset_ns"], within_ns=within, worst_ns=round(worst), collectives=len(shared), order=len(order))


TESTS = (MergedRecordingsSayOfEachNodeWhatItsOwnSays, EventsOfTwoNodesAreInOrderAsFarAsTheirClocksAreKnown)
SHARED = TESTS
FULL = ()
