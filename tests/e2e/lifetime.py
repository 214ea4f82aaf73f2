"""Calls that hang, that are left without a return, that nest; and an agent that is stopped or killed in the middle."""
import os
import re
import signal
import sqlite3
import time

from exactness import MANIFESTS, ground_truth, stand_ins
from harness import Program, Skip, Trace, check, clean, compare, compare_scenario, json_lines, names, run, say, until
from times import traced


def hanging(trace):
    return trace.recording.calls("call = 'cudaStreamSynchronize' AND stream = ?", 0xdead0) \
        if os.path.exists(trace.recording.path) else []


def AHangingCallIsListedWhileItHangsAndCompletedAfterwards(build):
    with Trace(build, "--hang-after", "500ms", command=[build.scenarios, "hang", "4"]) as trace:
        begin = time.monotonic()
        rows = until(lambda: hanging(trace), 3.5, "the hanging call is in the live database")
        seen = time.monotonic() - begin
        check(rows[0]["outcome"] == "in flight", f"outcome is {rows[0]['outcome']}")
        check(rows[0]["duration"] is None or rows[0]["duration"] >= 500_000_000, f"so far {rows[0]['duration']}")
        check(trace.wait() == 0, "the command failed")
    rows = hanging(trace)
    check(len(rows) == 1, f"{len(rows)} rows of one call")
    compare_scenario(trace.output, trace.recording)
    say(in_flight_after_s=round(seen, 2), duration_s=rows[0]["duration"] / 1e9)


def AProgramKilledInsideACallShowsItExited(build):
    with Trace(build, "--hang-after", "500ms") as trace:
        with Program(build, build.scenarios, "hang", "60") as program:
            trace.probed("libcudart.so.12")
            program.go()
            until(lambda: hanging(trace), 5, "the hanging call is in the live database")
            program.process.kill()
            program.end(-signal.SIGKILL)
        time.sleep(0.3)
        trace.stop()
    rows = hanging(trace)
    check([row["outcome"] for row in rows] == ["exited"], f"outcomes are {[row['outcome'] for row in rows]}")
    killer = trace.recording.one("SELECT culprit_pid FROM events WHERE call = 'process_exit' AND pid = ?", rows[0]["pid"])
    check(killer == os.getpid(), f"pid {killer} killed it, not {os.getpid()}")


def ACallStillHangingAtTheEndNeverReturned(build):
    with Trace(build, "--hang-after", "500ms") as trace:
        with Program(build, build.scenarios, "hang", "60") as program:
            trace.probed("libcudart.so.12")
            program.go()
            until(lambda: hanging(trace), 5, "the hanging call is in the live database")
            trace.stop()
            check(program.process.poll() is None, "the program ended with the trace")
    rows = hanging(trace)
    check([row["outcome"] for row in rows] == ["never returned"], f"outcomes are {[row['outcome'] for row in rows]}")


def left(build, scenario, outcome, *numbers):
    lines, recording = traced(build, scenario, *numbers)
    compare_scenario(lines, recording)
    wanted = sum(line.get("outcome") == outcome for line in json_lines(lines))
    seen = recording.one("SELECT count(*) FROM events WHERE kind <> 'host' AND outcome = ?", outcome)
    check(wanted > 0 and seen == wanted, f"{seen} calls {outcome}, {wanted} were")
    return recording, wanted


def CallsLeftByLongjmpAreUnwoundAndCounted(build):
    """Each jump is followed by a call: it finds the frames that were left dead, be they below its own stack pointer or,
    written over by then, above it (F1, F4)."""
    recording, wanted = left(build, "longjmp", "unwound", "6")
    check(recording.losses().get("unwound_call") == wanted, f"{recording.losses()} where {wanted} were left")


def CallsLeftByAnExceptionAreUnwoundAndCounted(build):
    """An exception cannot pass the return probe of the kernel: the C++ runtime finds no caller there and gives up."""
    with Trace(build, command=[build.scenarios, "exception", "1"], name="try") as trace:
        if trace.wait() == 128 + signal.SIGABRT:
            run(build.scenarios, "exception", "1")  # by itself it is fine
            rows = trace.recording.calls("stream = ?", 0x9000)
            check([row["outcome"] for row in rows] == ["exited"], f"{[row['outcome'] for row in rows]}")
            raise Skip("an exception thrown out of a call ends the program under this kernel's return probes")
    recording, wanted = left(build, "exception", "unwound", "6")
    check(recording.losses().get("unwound_call") == wanted, f"{recording.losses()} where {wanted} were left")


def CallsInsideWhichThreadAndProcessEndAreExited(build):
    left(build, "exit-inside", "exited", "6")


def ACallInsideWhichTheProgramChangesIsExeced(build):
    left(build, "exec-inside", "execed")


def NestedCallsHaveTheirDepthAndParent(build):
    for depth in ("2", "5", "8"):
        lines, recording = traced(build, "nested", depth, "20")
        compare_scenario(lines, recording)


def CallsNestedTooDeepAreCounted(build):
    lines, recording = traced(build, "nested", "10", "5")
    made = len(json_lines(lines))
    kept, losses = len(recording.calls()), recording.losses()
    check(made - kept == losses.get("too_deep") == 10, f"{made} calls, {kept} recorded, {losses}")


def TheRuntimeEntersTheDriverAndBothAreEvents(build):
    lines, recording = traced(build, "runtime-into-driver", "20")
    compare_scenario(lines, recording)
    wrong = recording.calls("depth > 0 AND parent_call <> 'cudaMalloc'")
    check(not wrong, f"{len(wrong)} calls with another parent")


def WhatWasCommittedSurvivesAKilledAgent(build):
    log = build.path("truth")
    with Trace(build, *MANIFESTS, "--ringbuf-size", "64m") as trace:
        with Program(build, *ground_truth(build, stand_ins(build), log, 60_000, 2, 2, "--rate", "5000")) as program:
            trace.probed(*names(stand_ins(build)))
            program.go()
            until(lambda: len(trace.recording.rows("SELECT 1 FROM event_rows LIMIT 5000")) == 5000, 20,
                  "5000 rows are committed")
            before = trace.recording.one("SELECT count(*) FROM event_rows")
            trace.kill()
            program.end(0)  # unharmed
    database = sqlite3.connect(trace.recording.path)
    check(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok", "the file is damaged")
    database.close()
    kept = trace.recording.one("SELECT count(*) FROM event_rows")
    check(kept >= before, f"{before} rows were committed, {kept} are there")
    # And the next trace goes on in the same file.
    with Trace(build, command=[build.scenarios, "threads", "2", "5"]) as again:
        check(again.wait() == 0, "the next trace failed")
    check(again.recording.one("SELECT count(*) FROM event_rows") > kept, "the next trace added nothing")
    say(committed_before=before, there_after=kept)


def AHeldCommandGoesOnWhenTheAgentIsKilled(build):
    """dlopen-late maps its libraries after the kill: no agent answers for the mapping, and it must not be stuck."""
    with Trace(build, command=[build.scenarios, "dlopen-late", "1500", "50"]) as trace:
        time.sleep(0.5)
        trace.kill()
    until(lambda: sum("symbol" in line for line in json_lines(trace.output)) == 50, 20,
          "the command makes all its calls without the agent")


def CtrlCDrainsTheRingsFirst(build):
    """What was called before the stop is there, in full: the log up to the last recorded call of each thread."""
    log = build.path("truth")
    with Trace(build, *MANIFESTS, "--ringbuf-size", "64m") as trace:
        with Program(build, *ground_truth(build, stand_ins(build), log, 100_000, 2, 2, "--linger-ms", "3000")) as program:
            trace.probed(*names(stand_ins(build)))
            program.go()
            # All calls are made, the processes are still there: what the rings hold now is what Ctrl-C must not lose.
            until(lambda: finished(program.process.pid), 60, "the calls are made")
            took = trace.stop()
            program.end(0)
    result = compare(log, trace.recording.path)
    check(result["counts"]["equal"] == 100_000, str(result["counts"]))
    say(stop_seconds=round(took, 3))


def finished(pid):
    """Every child of ground_truth has ended its threads and lingers."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = file.read().split()
        threads = [len(os.listdir(f"/proc/{child}/task")) for child in children]
        asleep = []
        for child in children:
            with open(f"/proc/{child}/wchan", encoding="ascii") as file:
                asleep.append(file.read())
    except OSError:
        return False
    return len(children) == 2 and threads == [1, 1] and all("nanosleep" in what for what in asleep)


def stopping(build, attach, libraries):
    log = build.path("truth")
    with Trace(build, "--attach", attach, "--ringbuf-size", "64m") as trace:
        with Program(build, *ground_truth(build, libraries, log, 20_000, 1, 2, "--linger-ms", "2000")) as program:
            trace.probed(*names(libraries))
            program.go()
            time.sleep(1)
            took = trace.stop()
            program.end(0)
    say(attach=attach, stop_seconds=round(took, 3))
    return took


def StoppingATraceOfEveryRowIsQuick(build):
    """Of the runtime and driver of one vendor; vendors.py holds all libraries at once to their own bound."""
    if build.sanitized:
        raise Skip("times prove nothing with a sanitized agent")
    libraries = build.stand_in("plain", "libcu*.so*")
    check(len(libraries) == 2, f"stand-ins {libraries}")
    for attach in ("session", "multi"):
        took = 1e9
        for _ in range(6):  # at best: a busy neighbour of this machine is not the agent's time
            clean(build)
            took = min(took, stopping(build, attach, libraries))
            if took < 0.2:
                break
        busy = os.getloadavg()[0]
        if took >= 0.2 and busy > 1.5 * os.cpu_count():
            raise Skip(f"{attach}: {took:.3f} s from Ctrl-C to the end, but the machine is busy (load {busy:.1f})")
        check(took < 0.2, f"{attach}: {took:.3f} s from Ctrl-C to the end, at best of six")


def unfinished(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def PerfProbesAreRemovedBehindTheTerminalsBack(build):
    """The kernel takes 0.1 s for each: the trace ends at once, complete, and its recording can be written again."""
    library = build.stand_in("plain", "libnccl.so.2")[0]
    with Trace(build, "--attach", "perf") as trace:
        with Program(build, *ground_truth(build, [library], build.path("truth"), 20_000, 1, 2)) as program:
            trace.probed("libnccl.so.2")
            program.go().end()
        took = trace.stop()
    said = re.search(r"removes (\d+) probes one by one.*process (\d+) waits", trace.stderr().decode())
    check(said, f"nothing is said of a process: {trace.stderr().decode()}")
    probes, child = int(said[1]), int(said[2])
    check(probes > 50, f"{probes} probes prove nothing")
    if not build.sanitized:
        check(took < 2 and took < 0.05 * probes, f"{took} s from Ctrl-C to the end with {probes} probes")
    check(unfinished(child), "the process that removes them has ended by now")
    check(all("bpf" in link or "perf" in link for link in links_of(child)), f"it holds more than probes: {links_of(child)}")
    compare(build.path("truth"), trace.recording.path)
    with Trace(build) as again:
        again.stop()
    begin = time.monotonic()
    until(lambda: not unfinished(child), 60, "the probes are gone")
    say(stop_seconds=round(took, 3), probes=probes, gone_after=round(time.monotonic() - begin, 1))


def links_of(pid):
    links = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            links.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError:
            pass
    return links


def TheCommandsExitStatusIsPassedOn(build):
    for command, status in ((("sh", "-c", "exit 7"), 7), (("sh", "-c", "kill -TERM $$"), 128 + signal.SIGTERM),
                            (("true",), 0), (("/no/such/program",), 127)):
        with Trace(build, command=command) as trace:
            check(trace.wait() == status, f"{command}: status {trace.process.returncode} instead of {status}")
        said = trace.stderr().decode(errors="replace")
        check(("No calls yet" in said) == (command[0] != "/no/such/program"), f"{command}: {said}")


def AReaderThatHasHadEnoughEndsTheTraceQuietly(build):
    """trace --json | head -1: no error, and the recording is whole. The status is the command's, which may write there too."""
    read, write = os.pipe()
    try:
        with Trace(build, "--json", stdout=write,
                   command=ground_truth(build, stand_ins(build)[:1], build.path("truth"), 100_000, 1, 1)) as trace:
            os.close(write)
            write = None
            line = b""
            while not line.endswith(b"\n"):
                line += os.read(read, 1)
            os.close(read)
            read = None
            status = trace.wait(30)
        said = trace.stderr().decode(errors="replace")
        check(status in (0, 128 + signal.SIGPIPE), f"status {status}: {said}")
        check("standard output" not in said and "error" not in said.lower(), said)
        check(trace.recording.one("SELECT count(*) FROM sessions WHERE stopped_at > 0") == 1, "the session has no end")
    finally:
        for end in (read, write):
            if end is not None:
                os.close(end)


TESTS = (AHangingCallIsListedWhileItHangsAndCompletedAfterwards, AProgramKilledInsideACallShowsItExited,
         ACallStillHangingAtTheEndNeverReturned, CallsLeftByLongjmpAreUnwoundAndCounted,
         CallsLeftByAnExceptionAreUnwoundAndCounted, CallsInsideWhichThreadAndProcessEndAreExited,
         ACallInsideWhichTheProgramChangesIsExeced, NestedCallsHaveTheirDepthAndParent, CallsNestedTooDeepAreCounted,
         TheRuntimeEntersTheDriverAndBothAreEvents, WhatWasCommittedSurvivesAKilledAgent,
         AHeldCommandGoesOnWhenTheAgentIsKilled, CtrlCDrainsTheRingsFirst, StoppingATraceOfEveryRowIsQuick,
         PerfProbesAreRemovedBehindTheTerminalsBack, TheCommandsExitStatusIsPassedOn, AReaderThatHasHadEnoughEndsTheTraceQuietly)
SHARED = (WhatWasCommittedSurvivesAKilledAgent, TheCommandsExitStatusIsPassedOn)
