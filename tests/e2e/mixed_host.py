"""One host, every vendor at once, on the vendors' own files: one recording that equals what each program counted."""
import json
import os
import shlex
import subprocess
import sys

from exactness import compare, ground_truth, manifest
from harness import Skip, Trace, check, json_lines, real_collectives, real_hip, real_runtime, run, say

CALLS = {"cuda": 30_000, "hip": 20_000}
EVENTS, ROUNDS = 40, 500
# Without a device every call of the collective library is refused; a broadcast in the older spelling makes one of the
# newer.
COLLECTIVES = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
p, n = ctypes.c_void_p, ctypes.c_size_t
for _ in range(int(sys.argv[2])):
    library.ncclAllReduce(p(), p(), n(1000), 7, 2, p(), p(0x77))
    library.ncclSend(p(), n(10), 6, 0, p(), p(0x79))
    library.ncclBcast(p(), n(500), 6, 1, p(), p(0x78))
"""


def OneHostWithFiveRealLibrariesIsOneRecording(build):
    libraries = {"cuda": real_runtime(), "hip": real_hip()}
    verbs = build.program("verbs_events", "infiniband/verbs.h was not there to build the test program with")
    opencl = os.path.join(build.folder, "tests/workload/opencl_workload")
    tried = subprocess.run([opencl], capture_output=True, text=True, timeout=60, check=False)
    if tried.returncode == 77:
        raise Skip(f"no OpenCL driver here: {tried.stderr.strip()}")
    commands = [ground_truth(build, [library], build.path("truth." + name), CALLS[name], 1, 1)
                for name, library in libraries.items()]
    commands += [[opencl], [verbs, str(EVENTS)], [sys.executable, "-c", COLLECTIVES, real_collectives(), str(ROUNDS)]]
    script = "".join(f"{shlex.join(command)} > {build.path(f'said.{n}')} & p{n}=$!; " for n, command in enumerate(commands))
    script += "; ".join(f"wait $p{n} || exit 1{n}" for n in range(len(commands)))
    with Trace(build, "--ringbuf-size", "64m", "--backend", manifest("opencl"), command=["sh", "-c", script]) as trace:
        status = trace.wait()
        check(status == 0, f"{status}: {trace.stderr().decode(errors='replace')}")
    losses = {name: count for name, count in trace.recording.losses().items() if name in
              ("ring_full", "no_thread_state", "too_deep", "attach_window", "store_failed") and count}
    check(not losses, f"lost: {losses}")

    # Call for call where the program keeps a log; by count where it keeps counts.
    for name in libraries:
        result = compare(build.path("truth." + name), trace.recording.path)
        check(result["counts"]["equal"] == CALLS[name], f"{name}: {result['counts']}")
    said = json_lines(build.path("said.2"))[0]
    opencl_pid = said.pop("pid")
    wanted = {name: counts["calls"] for name, counts in said.items() if counts["calls"]}
    found = {row["call"]: row["calls"] for row in trace.recording.rows(
        "SELECT call, count(*) AS calls FROM events WHERE vendor = 'khronos' AND pid = ? GROUP BY 1", opencl_pid)}
    check(found == wanted, f"OpenCL: {found} instead of {wanted}")
    found = {row["call"]: row["calls"] for row in trace.recording.rows(
        "SELECT call, count(*) AS calls FROM events WHERE vendor = 'rdma' GROUP BY 1")}
    check(found == {"ibv_get_async_event": EVENTS + 2, "ibv_ack_async_event": EVENTS + 1, "ibv_modify_qp": 1,
                    "ibv_create_qp": 2,
                    **{f"ibv_{what}_srq": 1 for what in ("create", "modify", "query", "destroy")}}, f"{found}")

    found = {row["call"]: row["calls"] for row in trace.recording.rows(
        "SELECT call, count(*) AS calls FROM events WHERE layer = 'NCCL' GROUP BY 1")}
    check(found == {name: ROUNDS for name in ("ncclAllReduce", "ncclSend", "ncclBcast", "ncclBroadcast")}, f"{found}")

    # One statement groups them all. What ground_truth tries in children of its own, to see what can be called at all on a
    # machine without devices, is recorded too: it is left out by process here, and counted with the rest below.
    pids = [int(file.split(".")[0]) for name in libraries for file in os.listdir(build.path("truth." + name))
            if file.endswith(".truth")]
    pids += [row["pid"] for row in trace.recording.rows("SELECT DISTINCT pid FROM events WHERE backend IN "
                                                        "('opencl', 'rdma', 'nccl')")]
    check(len(set(pids)) == 5, f"{pids} are not five processes")
    by_vendor = {row["vendor"]: row["calls"] for row in trace.recording.rows(
        "SELECT vendor, count(*) AS calls FROM events WHERE kind <> 'host' AND pid IN "
        f"({','.join(map(str, pids))}) GROUP BY 1")}
    check(by_vendor == {"nvidia": CALLS["cuda"] + 4 * ROUNDS, "amd": CALLS["hip"], "khronos": sum(wanted.values()),
                        "rdma": 2 * EVENTS + 10}, f"{by_vendor}")
    groups = {(row["vendor"], row["kind"]): row["calls"] for row in trace.recording.rows(
        "SELECT vendor, kind, count(*) AS calls FROM events WHERE kind <> 'host' GROUP BY vendor, kind")}
    for pair in (("nvidia", "launch"), ("nvidia", "collective"), ("amd", "launch"), ("khronos", "launch"),
                 ("rdma", "fabric")):
        check(groups.get(pair, 0) > 0, f"nothing of {pair}: {groups}")
    report = json.loads(run(build.agent, "explain", "--json", "--db", trace.recording.path).stdout)
    explained = {}
    for call in report["calls"]:
        key = call["vendor"], call["kind"]
        explained[key] = explained.get(key, 0) + call["count"]
    check(explained == groups, f"explain counts {explained}, the rows {groups}")
    text = run(build.agent, "explain", "--db", trace.recording.path).stdout
    check(all(layer in text for layer in ("CUDA", "HIP", "NCCL", "OPENCL", "RDMA")), text)
    say(**{f"{vendor} {kind}": calls for (vendor, kind), calls in sorted(groups.items())})


TESTS = (OneHostWithFiveRealLibrariesIsOneRecording,)
