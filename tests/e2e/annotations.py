"""What programs say of themselves while they are recorded: each call finds the step it was made in."""
import json
import os

from harness import Trace, check, run, say


def StepsThatAProgramSaysCutItsCalls(build):
    socket = build.path("annotate/annotate.sock")
    os.mkdir(build.path("annotate"), 0o700)
    loop = "".join(f"'{build.agent}' annotate --annotate-socket '{socket}' --label step={step} --label epoch=1 && "
                   f"'{build.scenarios}' longjmp {2 * step} && " for step in (1, 2, 3)) + "true"
    with Trace(build, "--annotate", "--annotate-socket", socket, command=["sh", "-c", loop]) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    check(not os.path.exists(socket), "the socket is left behind")
    recording = trace.recording
    said = recording.rows("SELECT labels, peer_uid, peer_pid, timestamp FROM annotations ORDER BY id")
    check([json.loads(row["labels"])["step"] for row in said] == ["1", "2", "3"], f"said: {[dict(row) for row in said]}")
    check(all(row["peer_uid"] == os.getuid() and row["peer_pid"] > 0 for row in said), "who said it is not there")

    # Each scenario is a process of its own, so that SQL says independently which step a call belongs to.
    first = {row["pid"]: row["at"] for row in recording.rows(
        "SELECT pid, min(timestamp) AS at FROM events WHERE kind <> 'host' GROUP BY pid ORDER BY at")}
    check(len(first) == 3, f"{len(first)} processes made calls")
    step_of = {pid: str(step) for step, pid in enumerate(first, 1)}
    listed = json.loads(run(build.agent, "query", "--db", recording.path, "--annotations", "--json", "--limit", "100000").stdout)
    calls = 0
    for row in listed:
        if row["source"] in ("host", "io", "net", "tcp") or row["pid"] not in step_of:
            continue
        calls += 1
        check(row["labels"] == {"epoch": "1", "step": step_of[row["pid"]]}, f"{row} in step {step_of[row['pid']]}")
    check(calls == recording.one("SELECT count(*) FROM events WHERE kind <> 'host'"), f"{calls} calls are listed")

    for pid, step in step_of.items():
        told = json.loads(run(build.agent, "explain", "--db", recording.path, "--label", f"step={step}", "--annotations", "--json").stdout)
        counted = sum(call["count"] for call in told["calls"])
        wanted = recording.one("SELECT count(*) FROM events WHERE kind <> 'host' AND outcome <> 'in flight' AND pid = ?", pid)
        check(counted == wanted, f"step {step}: {counted} calls, {wanted} were made")
        check(all(call["labels"]["step"] == step for call in told["slowest"]), f"step {step}: {told['slowest']}")
    compared = json.loads(run(build.agent, "ask", "compare", "--db", recording.path, "--json", json.dumps(
        {"before": {"label": "step=1"}, "after": {"label": "step=3"}})).stdout)
    counts = {call["op"]: (call["count"]["before"], call["count"]["after"]) for call in compared["calls"]}
    check(any(before and after and after > before for before, after in counts.values()), f"compared: {counts}")
    say(calls=calls)


TESTS = (StepsThatAProgramSaysCutItsCalls,)
SHARED = TESTS
FULL = ()
