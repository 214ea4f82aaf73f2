"""The database equals what the programs say they called, row for row: nothing lost, nothing twice, nothing made up.

ground_truth calls a random mix of a library's described calls over processes and threads and logs each; compare.py
holds the recording against the log. For each way of attaching, with the command started by the trace and with the trace
there first, on stand-ins that export every row's symbol and on the vendors' own files.

A perf probe is one link per end and row, and the kernel takes 0.1 s to remove one: those runs use a stand-in with few
rows. The kernel's work per call is the same for all rows.
"""
import glob
import json
import os
import signal
import time

from harness import ROOT, Program, Skip, Trace, check, compare, real_hip, names, real_runtime, run, say

QUICK = 200_000
FULL_SIZE = 1_000_000
# Room for all the calls of a quick run, and for seconds of a full one, on a machine where the agent gets no CPU for a
# while. What a ring too small does is a test of its own.
RING = ("--ringbuf-size", "64m")
FULL_RING = ("--ringbuf-size", "256m")
FULL_RATE = ("--rate", "40000")  # calls a second of each of six threads


def manifest(name):
    """A manifest that comes with the program."""
    return os.path.join(ROOT, "backends", "manifests", name + ".yaml")


# Stand-ins exist for backends from files too: their calls are recorded, and compared, like all others.
MANIFESTS = tuple(part for path in sorted(glob.glob(manifest("*"))) for part in ("--backend", path))


def stand_ins(build):
    """Every stand-in of one folder that can be in one program."""
    libraries = build.stand_in("plain", "*.so*")
    check(libraries, f"no stand-in libraries in {build.fakes}/plain")
    return libraries


def few_rows(build):
    return [os.path.join(build.timed, "libcudart.so.12")]


def ground_truth(build, libraries, log, calls, processes, threads, *more):
    command = [build.ground_truth, "--log", log, "--calls", str(calls), "--processes", str(processes),
               "--threads", str(threads), "--seed", "7", *more]
    for library in libraries:
        command += ["--library", library]
    return command


def exact(build, attach, libraries, calls, first, *, options=RING, more=(), processes=3, threads=2):
    """One run and its comparison. `first`: the trace is there before the program."""
    log = build.path("truth")
    begin = time.monotonic()
    if first:
        with Trace(build, "--attach", attach, *MANIFESTS, *options) as trace:
            with Program(build, *ground_truth(build, libraries, log, calls, processes, threads, *more)) as program:
                trace.probed(*names(libraries))
                program.go().end()
            took = trace.stop()
    else:
        command = ground_truth(build, libraries, log, calls, processes, threads, *more)
        with Trace(build, "--attach", attach, *MANIFESTS, *options, command=command) as trace:
            check(trace.wait() == 0, "the command failed: " + trace.stderr().decode(errors="replace"))
            took = None
    recorded = time.monotonic() - begin
    result = compare(log, trace.recording.path)
    check(result["counts"]["equal"] == calls, f"{calls} calls were asked for: {result['counts']}")
    say(calls=calls, attach=attach, libraries=len(libraries), seconds=round(recorded, 1),
        compared_in=round(time.monotonic() - begin - recorded, 1), stop_seconds=took and round(took, 3),
        losses=trace.recording.losses())


def ExactWithSessionLinksForACommand(build):
    exact(build, "session", stand_ins(build), QUICK, first=False)


def ExactWithSessionLinksWhenTheTraceIsThereFirst(build):
    exact(build, "session", stand_ins(build), QUICK, first=True)


def ExactWithMultiLinksForACommand(build):
    exact(build, "multi", stand_ins(build), QUICK, first=False)


def ExactWithMultiLinksWhenTheTraceIsThereFirst(build):
    exact(build, "multi", stand_ins(build), QUICK, first=True)


def ExactWithPerfProbesForACommand(build):
    exact(build, "perf", few_rows(build), QUICK, first=False)


def ExactWithPerfProbesWhenTheTraceIsThereFirst(build):
    exact(build, "perf", few_rows(build), QUICK, first=True)


def ExactBehindLandingPads(build):
    """endbr64 first: the probe sits behind it."""
    exact(build, "session", build.stand_in("endbr", "*.so*"), QUICK, first=False)


def ExactWithOldSpellings(build):
    exact(build, "session", build.stand_in("old", "*.so*"), QUICK, first=False)


def ExactOnTheRealRuntime(build):
    exact(build, "session", [real_runtime()], QUICK, first=False)


def ExactOnTheRealRuntimeWithMultiLinks(build):
    exact(build, "multi", [real_runtime()], QUICK, first=True)


def ExactOnTheRealHipRuntime(build):
    exact(build, "session", [real_hip()], QUICK, first=False)


def OverloadIsReportedToTheCall(build):
    """A ring far too small: what is missing in the recording is what the loss counter says, exactly."""
    log = build.path("truth")
    command = ground_truth(build, stand_ins(build), log, QUICK, 2, 2)
    with Trace(build, *MANIFESTS, "--ringbuf-size", "64k", command=command) as trace:
        check(trace.wait() == 0, "the command failed")
    result = compare("--expect-loss", "ring_full", log, trace.recording.path)
    if result["counts"]["missing"] == 0:
        raise Skip("the agent kept up with a 64 KiB ring: nothing was lost, so there is nothing to account for")
    by_call = trace.recording.losses()
    check(result["counts"]["missing"] == by_call["ring_full"], f"{result['counts']} {by_call}")
    by_process = {str(row["pid"]): row["calls"] for row in trace.recording.rows(
        "SELECT pid, sum(calls) AS calls FROM lost_calls GROUP BY pid")}
    missing_of = {pid: missing for pid, missing in result["missing_of"].items() if missing}
    check(by_process == missing_of, f"by process {by_process}, missing {missing_of}")
    explained = json.loads(run(build.agent, "explain", "--db", trace.recording.path, "--json").stdout)["lost_calls"]
    check({str(one["pid"]): one["calls"] for one in explained} == by_process, f"explain: {explained}")
    say(calls=QUICK, missing=result["counts"]["missing"], counted=by_call["ring_full"], by_process=by_process)


def AFloodLeavesRoomForOthers(build):
    """The agent stands still while one program fills the ring: another's few calls, made after that, are all recorded."""
    few = 200
    with Trace(build, "--ringbuf-size", "1m") as trace, \
            Program(build, *ground_truth(build, few_rows(build), build.path("many"), QUICK, 1, 1), name="many") as many, \
            Program(build, *ground_truth(build, few_rows(build), build.path("few"), few, 1, 1), name="few") as one:
        trace.probed(*names(few_rows(build)))
        os.kill(trace.process.pid, signal.SIGSTOP)
        try:
            many.go().end()
            one.go().end()
        finally:
            os.kill(trace.process.pid, signal.SIGCONT)
        trace.stop()
    calls = dict(trace.recording.rows("SELECT pid, count(*) FROM events WHERE kind <> 'host' GROUP BY pid"))
    lost = dict(trace.recording.rows("SELECT pid, sum(calls) FROM lost_calls GROUP BY pid"))
    check(lost.get(many.process.pid, 0) > QUICK / 2, f"nothing was lost, so nothing was shared: {lost}")
    check(calls.get(many.process.pid, 0) + lost[many.process.pid] == QUICK, f"of the many: {calls} {lost}")
    check(calls.get(one.process.pid) == few and one.process.pid not in lost, f"of the few: {calls}, lost {lost}")
    say(few=few, kept_of_many=calls[many.process.pid], lost_of_many=lost[many.process.pid])


TESTS = (ExactWithSessionLinksForACommand, ExactWithSessionLinksWhenTheTraceIsThereFirst,
         ExactWithMultiLinksForACommand, ExactWithMultiLinksWhenTheTraceIsThereFirst,
         ExactWithPerfProbesForACommand, ExactWithPerfProbesWhenTheTraceIsThereFirst, ExactBehindLandingPads,
         ExactWithOldSpellings, ExactOnTheRealRuntime, ExactOnTheRealRuntimeWithMultiLinks, ExactOnTheRealHipRuntime,
         OverloadIsReportedToTheCall, AFloodLeavesRoomForOthers)
SHARED = TESTS[:TESTS.index(OverloadIsReportedToTheCall)]


def full(name, attach, libraries, first):
    def test(build):
        exact(build, attach, libraries(build), FULL_SIZE, first, options=FULL_RING, more=FULL_RATE)

    test.__name__ = name
    return test


FULL = tuple(full(f"Million{what}{attach.capitalize()}{'First' if first else 'Command'}", attach, libraries, first)
             for what, libraries, attaches in (("StandIns", stand_ins, ("session", "multi")),
                                               ("FewRows", few_rows, ("perf",)),
                                               ("RealRuntime", lambda build: [real_runtime()], ("session", "multi")),
                                               ("RealHip", lambda build: [real_hip()], ("session", "multi", "perf")))
             for attach in attaches for first in (False, True))
