"""A recording of several ranks as a timeline: each collective on its rank's track, an arrow from rank to rank."""
import json
import os

from collectives import RANKS
from harness import Trace, check, run, say


def RanksOfACollectiveAreJoinedByArrows(build):
    command = [os.path.join(build.fakes, "ranks"), "--collectives", build.stand_in("plain", "libnccl.so.2")[0],
               "--runtime", build.stand_in("plain", "libcudart.so.13")[0], "--ranks", str(RANKS)]
    with Trace(build, command=command) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    recording = trace.recording
    made = recording.one("SELECT count(*) FROM collectives WHERE NOT is_part")
    joined, groups = recording.rows("SELECT count(*), count(DISTINCT comm_id_hash || ' ' || seq) FROM collectives WHERE "
                                    "comm_id_hash IS NOT NULL AND seq IS NOT NULL AND kind = 'collective' AND NOT is_part")[0]
    check(joined > groups > 0, f"{joined} calls of {groups} collectives")
    path = build.path("run.json")
    run(build.agent, "export", "--format", "chrome", "--db", recording.path, "-o", path)
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    slices = [event for event in events if event["ph"] == "X" and event["cat"] == "rank"]
    check(len(slices) == made, f"{len(slices)} slices of {made} calls")
    # Each arrives somewhere: one start of each collective, a step for every other rank.
    starts = {event["id"] for event in events if event["ph"] == "s" and int(event["id"], 16) >> 63}
    steps = [event["id"] for event in events if event["ph"] == "t"]
    check(len(starts) == groups and len(steps) == joined - groups, f"{len(starts)} starts and {len(steps)} steps")
    check(set(steps) <= starts, "a step of no collective")
    check(not any(event.get("cat") == "clock" for event in events), "one node has a clock to compare")
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["ph"] == "M" and event["name"] == "thread_name"}
    for event in slices:
        wanted = f"rank {event['args']['rank']} of {event['args']['nranks']}, " if "rank" in event["args"] else "rank not known"
        check(names[event["pid"], event["tid"]].startswith(wanted), f"{event} on {names[event['pid'], event['tid']]}")
    say(collectives=groups, slices=len(slices), arrows=len(steps))


TESTS = (RanksOfACollectiveAreJoinedByArrows,)
SHARED = TESTS
FULL = ()
