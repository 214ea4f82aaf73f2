#!/usr/bin/env python3
"""What users ask of a recording, in SQL, by tools, as rows and as files, is answered the same until a change is intended.

Each recording of replay_test.py has one golden file, NAME.answers: every question with its answer, or, where an answer is
long, its beginning, its length and its SHA-256. An intended change is written with
  INGERO=.../ingero python3 tests/replay/answers_test.py --write
and read in the diff before it is committed. Two programs are compared on the same recordings with
  INGERO=.../ingero python3 tests/replay/answers_test.py --against OTHER_INGERO
"""
import difflib
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import replay_test  # noqa: E402

GOLDEN = replay_test.GOLDEN
MAX_LINES = 12  # of an answer in a golden file
MAX_WIDTH = 400

# As users have read them, and as the pages have them.
SQL = (
    "SELECT pn.name, COUNT(*) AS events FROM events e JOIN process_names pn ON e.pid = pn.pid GROUP BY pn.name ORDER BY events DESC",
    "SELECT node, source, count(*) AS cnt, avg(duration)/1000 AS avg_us FROM events GROUP BY node, source",
    "SELECT * FROM cuda_events WHERE duration_ns > 1000000 LIMIT 20",
    "SELECT op, rank, nranks, duration_ns/1e6 AS ms FROM nccl_events ORDER BY duration_ns DESC LIMIT 20",
    "SELECT COUNT(*) FROM tcp_events WHERE event = 'tcp_retransmit_skb'",
    "WITH slow_collectives AS (SELECT timestamp_ns, duration_ns, rank, nranks, comm_id_hash, pid FROM nccl_events "
    "WHERE op = 'ALL_REDUCE' AND duration_ns > 50000000) "
    "SELECT s.rank, s.duration_ns/1e6 AS ms, COUNT(t.timestamp_ns) AS retransmits_in_window FROM slow_collectives s "
    "LEFT JOIN tcp_events t ON t.timestamp_ns BETWEEN s.timestamp_ns AND s.timestamp_ns + s.duration_ns "
    "AND t.event = 'tcp_retransmit_skb' GROUP BY s.rank, s.duration_ns, s.timestamp_ns ORDER BY ms DESC LIMIT 20",
    "SELECT call, count(*), max(duration)/1000 AS max_us FROM events GROUP BY 1 ORDER BY 3 DESC",
    "SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2",
    "SELECT name, severity, count, sentence FROM loss WHERE count > 0",
    "SELECT * FROM inference_steps WHERE slow IS NOT NULL ORDER BY duration_ns DESC LIMIT 20",
    "SELECT id, timestamp, pid, tid, source, op, duration, ret_code, stack_hash, cgroup_id, node FROM events ORDER BY timestamp LIMIT 8",
    "SELECT s.name, o.name, count(*) FROM events e JOIN sources s ON e.source = s.id "
    "JOIN ops o ON o.source_id = e.source AND o.op_id = e.op GROUP BY 1, 2 ORDER BY 1, 2",
    "SELECT id, severity, summary, root_cause, explanation FROM causal_chains ORDER BY 1",
    "SELECT count(*) FROM stack_traces",
    "SELECT count(*), max(cpu_percent), max(memory_percent) FROM system_snapshots",
    "SELECT count(*) FROM event_aggregates",
    "DROP TABLE events",
)
COMMANDS = (
    ("explain", "--per-process"), ("explain", "--json"), ("explain", "--chains"), ("explain", "--chains", "--json"),
    ("explain", "--since", "5m"), ("explain", "--since", "1s"), ("explain", "--folded"), ("explain", "--last", "100"),
    ("query",), ("query", "--json", "--limit", "5"), ("query", "--csv", "--limit", "5"), ("query", "--since", "2s", "--limit", "5"),
    ("query", "--op", "cudaLaunchKernel", "--json"), ("query", "--op", "sched_switch", "--csv", "--limit", "3"),
    ("export", "--format", "csv"), ("export", "--format", "jsonl"), ("export", "--format", "folded"),
    ("export", "--format", "chrome"), ("export", "--format", "perfetto"),
)
TOOLS = (
    ("get_trace_stats", {}), ("get_causal_chains", {}), ("get_time_spent", {}), ("get_slowest_calls", {}),
    ("get_calls_in_flight", {}), ("get_collectives", {}), ("get_inference", {}), ("get_stacks", {}),
    ("graph_lifecycle", {"pid": 2233}), ("graph_frequency", {"pid": 2233}), ("get_memory", {}), ("get_distributions", {}),
    ("get_timeline", {}), ("get_fabric", {}), ("get_devices", {}),
    ("run_sql", {"query": "SELECT count(*) AS n FROM events"}), ("run_sql", {"query": "DELETE FROM events"}),
)


def questions():
    """(what stands in the golden file, arguments of the command)"""
    for command in COMMANDS:
        yield " ".join(command), [*command]
    for sql in SQL:
        yield "query " + sql, ["query", "--csv", "RECORDING", sql]
    for tool, wanted in TOOLS:
        yield f"ask {tool} {json.dumps(wanted)}", ["ask", tool, "--json", json.dumps(wanted)]


def ask(program, arguments, name, folder):
    file = name + ".db"
    given = [file if argument == "RECORDING" else argument for argument in arguments]
    if "RECORDING" not in arguments:
        given += ["--db", file]
    done = subprocess.run([program, *given], cwd=folder, capture_output=True, check=False,
                          env={"PATH": os.environ.get("PATH", ""), "HOME": folder, "TZ": "UTC"})
    output = re.sub(rb'"duration_ms": ?[0-9.]+', b'"duration_ms": TIME', done.stdout)  # how long the answer took
    return done.returncode, output, done.stderr.decode(errors="replace")


def shortened(output):
    try:
        lines = output.decode().split("\n")
    except UnicodeDecodeError:
        lines = None
    if lines is not None and len(lines) <= MAX_LINES and all(len(line) <= MAX_WIDTH for line in lines):
        return output.decode()
    shown = [line[:MAX_WIDTH].rstrip() for line in (lines or [])[:MAX_LINES]]
    size = f"{len(lines) - 1} lines, " if lines is not None else ""
    return "\n".join([*shown, f"[{size}{len(output)} bytes, SHA-256 {hashlib.sha256(output).hexdigest()}]"]) + "\n"


def answers(program, name, folder):
    text = []
    for title, arguments in questions():
        code, output, errors = ask(program, arguments, name, folder)
        text.append(f"== {title}\n" + (f"exit status {code}\n" if code else "") + shortened(output) + errors)
    return "\n".join(text)


def recordings():
    return [*replay_test.fixtures(), *replay_test.PUBLISHED]


class Answers(unittest.TestCase):
    maxDiff = None

    def compare(self, name):
        with tempfile.TemporaryDirectory(prefix="ingero-answers.") as folder:
            if replay_test.make(name, folder) is None:
                self.skipTest(f"the recording {name}.db is not here (set INGERO_SAMPLES)")
            with open(os.path.join(GOLDEN, name + ".answers"), encoding="utf-8") as file:
                self.assertEqual(file.read(), answers(replay_test.INGERO, name, folder))


def add(name):
    setattr(Answers, "test_" + name.replace("-", "_"), lambda self: self.compare(name))


for case in recordings():
    add(case)


def write():
    for name in recordings():
        with tempfile.TemporaryDirectory(prefix="ingero-answers.") as folder:
            if replay_test.make(name, folder) is None:
                print(f"{name}: not here, left as it is")
                continue
            with open(os.path.join(GOLDEN, name + ".answers"), "w", encoding="utf-8") as file:
                file.write(answers(replay_test.INGERO, name, folder))


def against(other):
    """Prints what differs, question by question, in full."""
    asked = different = 0
    for name in recordings():
        with tempfile.TemporaryDirectory(prefix="ingero-answers.") as folder:
            if replay_test.make(name, folder) is None:
                continue
            for title, arguments in questions():
                asked += 1
                before, now = (ask(program, arguments, name, folder) for program in (other, replay_test.INGERO))
                if before == now:
                    continue
                different += 1
                print(f"==== {name}: {title} (exit status {before[0]}, {now[0]})")
                lines = [(said[1].decode(errors="replace") + said[2]).splitlines() for said in (before, now)]
                sys.stdout.writelines(line[:300] + "\n" for line in difflib.unified_diff(*lines, "before", "now", n=0, lineterm=""))
    print(f"{asked} questions, {different} answered differently")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    elif sys.argv[1:2] == ["--against"]:
        against(sys.argv[2])
    else:
        unittest.main()
