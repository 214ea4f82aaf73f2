"""The host's rows next to the calls, and how the agent behaves in a pipeline."""
import json
import subprocess

from harness import Trace, check, json_lines, run, say
from times import traced


def SwitchesOfAThreadAreItsOwnAndDoNotOverlap(build):
    lines, recording = traced(build, "preempt", "100000", "3")
    pids = {line["pid"] for line in json_lines(lines)}
    rows = recording.rows("SELECT * FROM events WHERE op_name = 'sched_switch' ORDER BY tid, start_mono_ns")
    check(rows, "not one switch of a preempted thread was recorded")
    ends = {}
    for row in rows:
        check(row["duration"] is not None and row["duration"] >= 0, f"duration {row['duration']}")
        check(row["start_mono_ns"] >= ends.get(row["tid"], 0),
              f"thread {row['tid']} is switched out at {row['start_mono_ns']}, until {ends.get(row['tid'])} it was already")
        ends[row["tid"]] = row["start_mono_ns"] + row["duration"]
    # What a call says of itself is what its thread's switches inside it add up to.
    call = recording.calls("pid = ? AND preempted_ns > 0", next(iter(pids)))[0]
    inside = recording.rows("SELECT sum(duration) AS ns FROM events WHERE op_name = 'sched_switch' AND tid = ? AND "
                            "start_mono_ns BETWEEN ? AND ?", call["tid"], call["start_mono_ns"],
                            call["start_mono_ns"] + call["duration"])[0]["ns"] or 0
    away = sum(call[name] for name in ("preempted_ns", "runqueue_ns", "blocked_ns", "io_ns"))
    say(switches=len(rows), inside_ms=inside / 1e6, call_away_ms=away / 1e6)
    check(inside <= away * 1.01 + 20000, f"switches inside a call add up to {inside} ns, it was away for {away} ns")


def AThreadOfTheKernelIsNotAccusedOfWhatRanAfterIt(build):
    """Two loops share a CPU. The kernel's own threads get it now and then, for microseconds; the other loop has the rest."""
    spin = "import time; end = time.monotonic() + {}\nwhile time.monotonic() < end: pass"
    other = subprocess.Popen(["taskset", "-c", "0", "python3", "-c", spin.format(60)])
    try:
        with Trace(build, command=["taskset", "-c", "0", "python3", "-c", spin.format(5)]) as trace:
            check(trace.wait() == 0, "the command failed")
    finally:
        other.kill()
        other.wait()
    kernel = "culprit_comm GLOB 'rcu_*' OR culprit_comm GLOB 'ksoftirqd/*' OR culprit_comm GLOB 'kworker/*' OR culprit_comm GLOB 'migration/*'"
    row = trace.recording.rows(
        f"SELECT sum(culprit_ns) AS all_ns, sum(({kernel}) * culprit_ns) AS kernel_ns, sum({kernel}) AS times, "
        f"max((culprit_pid = {other.pid}) * culprit_ns) AS longest FROM events WHERE op_name = 'sched_switch' AND culprit_ns > 0")[0]
    say(all_ms=row["all_ns"] / 1e6, kernel_ms=row["kernel_ns"] / 1e6, kernel_times=row["times"])
    check(row["longest"] > 0, "the other loop is not among those that ran instead")
    check(row["kernel_ns"] <= 0.02 * row["all_ns"], f"{row['kernel_ns'] / 1e6} of {row['all_ns'] / 1e6} ms are put on threads of the kernel")


def ShortLivedProcessesHaveNames(build):
    script = 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" threads 1 1; done'
    with Trace(build, command=["sh", "-c", script, build.scenarios]) as trace:
        check(trace.wait() == 0, "the command failed")
    pids = {line["pid"] for line in json_lines(trace.output)}
    named = trace.recording.rows("SELECT pid, comm, count(*) FROM events WHERE kind <> 'host' GROUP BY 1, 2")
    check({row["pid"] for row in named} == pids and len(named) == len(pids) == 10,
          f"{len(pids)} processes, {[tuple(row) for row in named]}")
    wrong = [tuple(row) for row in named if row["comm"] != "scenarios"]
    check(not wrong, f"names of processes that are gone: {wrong}")
    names = trace.recording.rows("SELECT pid, name FROM process_names")
    check(pids <= {row["pid"] for row in names if row["name"] == "scenarios"}, f"{[tuple(row) for row in names]}")


def CountersCoverTheTimeTheyCount(build):
    """Page allocations and socket volumes are summed in the kernel: each row says from when on."""
    client = ("import socket, sys, time\n"
              "a, b = socket.socketpair()\n"
              "server = socket.create_server(('127.0.0.1', 0))\n"
              "client = socket.create_connection(server.getsockname())\n"
              "peer, _ = server.accept()\n"
              "kept = []\n"
              "for i in range(30):\n"
              "    kept.append(bytearray(1 << 20))\n"
              "    client.sendall(b'x' * 10000)\n"
              "    got = 0\n"
              "    while got < 10000: got += len(peer.recv(10000))\n"
              "    time.sleep(0.1)\n")
    with Trace(build, command=["python3", "-c", client]) as trace:
        check(trace.wait() == 0, "the command failed")
    session = trace.recording.rows("SELECT started_at, stopped_at FROM sessions")[0]
    rows = trace.recording.rows("SELECT * FROM events WHERE op_name IN ('mm_page_alloc_summary', 'net_send_summary', "
                                "'net_recv_summary') ORDER BY op_name, pid, timestamp")
    totals, before = {}, {}
    for row in rows:
        key = (row["op_name"], row["pid"])
        check(row["duration"] is None, f"{key}: an interval is no latency, {row['duration']}")
        check(session["started_at"] - 5_000_000_000 <= row["timestamp"] <= session["stopped_at"] + 50_000_000,
              f"{key}: starts {(session['started_at'] - row['timestamp']) / 1e9} s before the trace")
        check(row["timestamp"] > before.get(key, 0), f"{key}: starts before the one before it")
        before[key] = row["timestamp"]
        totals[row["op_name"]] = totals.get(row["op_name"], 0) + row["bytes"]
    say(totals=totals, rows=len(rows))
    check(totals.get("net_send_summary") == 300_000 and totals.get("net_recv_summary") == 300_000,
          f"300000 bytes went each way: {totals}")
    check(totals.get("mm_page_alloc_summary", 0) >= 30 << 20, f"30 MiB were allocated: {totals}")


def WhatAnEndedProcessSentIsCountedOnce(build):
    """A process that has ended is in the kernel's list until its parent waits for it."""
    sends = ("import socket\n"
             "a, b = socket.socketpair()\n"
             "for i in range(50): a.send(b'x' * 100)\n")
    parent = ("import subprocess, sys, time\n"
              "child = subprocess.Popen([sys.executable, '-c', sys.argv[1]])\n"
              "time.sleep(4)\n"
              "print('{\"pid\": %d}' % child.pid)\n"
              "sys.exit(child.wait())\n")
    with Trace(build, command=["python3", "-c", parent, sends]) as trace:
        check(trace.wait() == 0, "the command failed")
    pid = json_lines(trace.output)[0]["pid"]
    row = trace.recording.rows("SELECT sum(arg0) AS sends, sum(bytes) AS bytes FROM events "
                               "WHERE op_name = 'net_send_summary' AND pid = ?", pid)[0]
    say(sends=row["sends"], bytes=row["bytes"])
    check((row["sends"], row["bytes"]) == (50, 5000), f"50 sends of 100 bytes: {tuple(row)}")


def APipelineThatEndsEarlyEndsTheTrace(build):
    command = f"exec timeout 30 {build.agent} trace --no-record --json -- {build.scenarios} dlopen-late 0 3000"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; ({command}) 2>{build.path('err')} | head -1"],
                          capture_output=True, text=True, timeout=60, cwd=build.work)
    first = done.stdout.strip()
    json.loads(first)
    with open(build.path("err"), encoding="utf-8") as file:
        errors = file.read()
    check(done.returncode in (0, 1, 141) and "erminate" not in errors and "annot" not in errors,
          f"status {done.returncode}: {errors}")
    say(status=done.returncode, first=first[:200])


def ExplainAnswersFromARecording(build):
    lines, recording = traced(build, "preempt", "100000", "2")
    call = json_lines(lines)[0]
    text = run(build.agent, "explain", "--db", recording.path).stdout
    check("cudaStreamSync" in text and "competitor" in text, text)
    rows = run(build.agent, "query", "--db", recording.path, "--json",
               f"SELECT count(*) AS n FROM events WHERE pid = {call['pid']} AND call = 'cudaStreamSynchronize'").stdout
    check('"n":2' in rows.replace(" ", ""), rows)


TESTS = (SwitchesOfAThreadAreItsOwnAndDoNotOverlap, AThreadOfTheKernelIsNotAccusedOfWhatRanAfterIt,
         ShortLivedProcessesHaveNames, CountersCoverTheTimeTheyCount, WhatAnEndedProcessSentIsCountedOnce,
         APipelineThatEndsEarlyEndsTheTrace, ExplainAnswersFromARecording)
