"""Steps of inference: what a serving program's calls are for, how long a step takes, and which one was slow.

The serving program is a stand-in: a parent whose command line is an engine's, which shows metrics in that engine's
format over a real HTTP server, and a child that makes the calls.
"""
import json
import os
import re
import sys
import urllib.request

from harness import ROOT, Trace, check, run, say, until
from metrics import free_port, panel_queries
from otlp import Receiver, attributes

# As `python3 -m vllm.entrypoints.openai.api_server`: serves /metrics, runs the rest of its arguments, ends with them.
SERVER = '''
import http.server, os, subprocess, sys, threading
port = int(sys.argv[sys.argv.index("--port") + 1])
page = open(os.environ["PAGE"]).read()
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = page.encode() if self.path == "/metrics" else b"no"
        self.send_response(200 if self.path == "/metrics" else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
status = subprocess.run(sys.argv[sys.argv.index("--") + 1:]).returncode
sys.exit(status)
'''
PAGE = os.path.join(ROOT, "tests/fuzz/corpus/exposition/vllm.txt")


def player(build, seconds, *threads):
    command = [build.program("player", "the player is not built"), "--timed",
               build.stand_in("timed", "libcudart.so*")[0], "--plain", build.stand_in("plain", "libcudart.so*")[0],
               "--for", f"{seconds}s"]
    for thread in threads:
        command += ["--thread", thread]
    return command


def engine(build, port, command):
    """A program that looks like an engine from outside."""
    package = build.path("vllm/entrypoints/openai")
    os.makedirs(package)
    with open(os.path.join(package, "api_server.py"), "w", encoding="utf-8") as file:
        file.write(SERVER)
    return ["env", f"PYTHONPATH={build.work}", f"PAGE={PAGE}", sys.executable, "-m", "vllm.entrypoints.openai.api_server",
            "--model", "meta/tiny", "--port", str(port), "--", *command]


# A request: a prefill, twenty decodes, and a second without any. Then one decode that takes ten times as long.
REQUESTS = "launch:2us*300 sync:30ms " + "launch:5us*10 sync:10ms " * 20 + "idle:1s @5s launch:5us*10 sync:160ms idle:60s"
GRAPHS = "glaunch:20us gsync:5ms idle:30ms"


def StepsOfAServingProgramAreToldAndTheSlowOneIsFound(build):
    port, page_port = free_port(), free_port()
    pages, metrics = [], f"127.0.0.1:{page_port}"
    with Receiver() as receiver:
        options = ["--inference", "--inference-scrape-interval", "500ms", "--prometheus", metrics, "--otlp", receiver.url,
                   "--otlp-traces", "--otlp-protocol", "http/json", "--otlp-interval", "1s", "--otlp-queue",
                   build.path("queue")]
        with Trace(build, *options, command=engine(build, port, player(build, 7, REQUESTS, GRAPHS))) as trace:
            def shown():
                with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=10) as answer:
                    pages.append(answer.read().decode())
                return re.search(r'slow="3x"} [1-9]', pages[-1]) and "gen_ai_client_operation_duration_seconds_count" in pages[-1]

            until(shown, 40, "the metrics show a slow step and the engine's own")
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
        spans = [span for body in receiver.bodies("/v1/traces") for resource in json.loads(body)["resourceSpans"]
                 for scope in resource["scopeSpans"] for span in scope["spans"]]
    recording = trace.recording

    # The truth is in the rows of the calls themselves: what was on the stream before each synchronisation.
    truth, open_calls = [], {}
    for call in recording.calls("kind IN ('launch', 'sync', 'graph') AND depth = 0"):
        work = open_calls.setdefault(call["stream"] or 0, [])
        if call["kind"] != "sync":
            work.append(call)
        elif work and call["outcome"] == "returned":  # the player ends its process while a thread waits: no step
            end = call["start_mono_ns"] + call["duration"]
            truth.append((work[0]["start_mono_ns"], end, call["stream"] or 0, len(work)))
            work.clear()
    told = [(row["start_mono_ns"], row["end_mono_ns"], row["stream"], row["launches"] + row["graph_launches"])
            for row in recording.rows("SELECT * FROM inference_steps")]
    lost = {row["name"]: row["count"] for row in recording.rows("SELECT name, count FROM loss WHERE severity <> 'info' AND count > 0")}
    check(sorted(told) == sorted(truth),
          f"{len(told)} steps told, {len(truth)} made; {sorted(set(told) ^ set(truth))[:4]}; lost {lost}")

    rows = recording.rows("SELECT * FROM inference_steps ORDER BY start_mono_ns")
    check(all(row["duration_ns"] < 900_000_000 for row in rows), "the pause between requests is in a step")
    check({row["phase"] for row in rows if row["launches"] == 300} == {"prefill"}, "prefills")
    check({row["phase"] for row in rows if row["launches"] == 10} == {"decode"}, "decodes")
    graphs = [row for row in rows if row["graph_launches"] > 0]
    check(len(graphs) > 50 and all(row["phase"] == "decode" and row["launches"] == 0 and row["graph_launches"] == 1
                                   for row in graphs), f"{len(graphs)} steps of graphs")
    # The planted one is the slowest. A busy machine may make others three times as long: each is held to its own below.
    planted = [row for row in rows if row["stream"] == 0 and row["wait_ns"] > 100_000_000]
    check(len(planted) == 1, f"{len(planted)} steps wait as long as the planted one")
    slow = planted[0]
    check(slow["slow"] == "3x" and slow["id"] == max(rows, key=lambda row: row["duration_ns"] if row["stream"] == 0 else 0)["id"],
          f"the planted one is not the slowest: {dict(slow)}")
    check(slow["launches"] == 10 and slow["duration_ns"] >= slow["wait_ns"] >= 128_000_000 and
          8_000_000 < slow["baseline_p95_ns"] < 60_000_000, dict(slow))
    for row in rows:
        if row["baseline_p95_ns"] is None:
            check(row["slow"] is None, f"slow before its baseline: {dict(row)}")
            continue
        ratio = row["duration_ns"] / row["baseline_p95_ns"]
        wanted = "3x" if ratio >= 3 else "2x" if ratio >= 2 else "1.5x" if ratio >= 1.5 else None
        check(row["slow"] == wanted, f"{row['slow']} of {ratio}")
    for workload in recording.rows("SELECT * FROM inference_workloads"):
        mine = [row for row in rows if row["workload"] == workload["id"]]
        check(workload["steps"] == len(mine) and workload["max_ns"] == max(row["duration_ns"] for row in mine) and
              workload["slow_3x"] == sum(row["slow"] == "3x" for row in mine), f"{dict(workload)}")
        check((workload["engine"], workload["model"]) == ("vllm", "meta/tiny"), dict(workload))

    # The engine's own words, with its pid, joined to the step.
    said = recording.rows("SELECT * FROM gen_ai_metrics WHERE name = 'gen_ai.client.operation.duration'")
    check(said and all((row["count"], row["sum"], row["unit"], row["model"]) == (12, 7.5, "s", "meta/tiny")
                       for row in said), [dict(row) for row in said][:3])
    calls_of = recording.one("SELECT DISTINCT pid FROM inference_steps")
    check({row["engine_pid"] for row in said} != {calls_of}, "the engine is the parent of what makes the calls")
    joined = recording.rows("SELECT * FROM inference_step_metrics WHERE step = ?", slow["id"])
    check({row["name"] for row in joined} >= {"gen_ai.client.operation.duration", "gen_ai.client.token.usage.input"},
          [dict(row) for row in joined])
    samples = dict(re.findall(r'^(gen_ai\S*) (\S+)$', pages[-1], re.MULTILINE))
    check(samples['gen_ai_client_token_usage_input_total{engine="vllm",model="meta/tiny"}'] == "1234" and
          samples['gen_ai_client_operation_duration_seconds_sum{engine="vllm",model="meta/tiny"}'] == "7.5", samples)
    # The panels ask for what is on the page, or is documented and not said by this engine.
    asked = {name for _, expression in panel_queries() for name in re.findall(r"(?:ingero_inference|gen_ai)_\w+", expression)}
    missing = asked - set(re.findall(r"^(\w+)[{ ]", pages[-1], re.MULTILINE))
    with open(os.path.join(ROOT, "docs/formats/metrics.md"), encoding="utf-8") as file:
        documented = set(re.findall(r"^\| `(\w+)`", file.read(), re.MULTILINE))
    check(len(asked) == 9 and len(missing) <= 2 and {name.removesuffix("_bucket") for name in missing} <= documented,
          f"panels ask for {sorted(missing)}")
    run("promtool", "check", "metrics", input=pages[-1], good=(0, 3)) if os.path.exists("/usr/bin/promtool") else None

    span = [one for one in spans if attributes(one).get("ingero.infer.step_duration_ns") == slow["duration_ns"]]
    check(len(span) == 1 and span[0]["name"] == "infer.outlier.3x", [one["name"] for one in spans])
    words = attributes(span[0])
    check((words["ingero.infer.phase"], words["gen_ai.system"], words["gen_ai.request.model"], words["process.pid"]) ==
          ("decode", "vllm", "meta/tiny", slow["pid"]), words)

    # Every surface says the same.
    explained = json.loads(run(build.agent, "explain", "--db", recording.path, "--json").stdout)["inference"]
    asked = json.loads(run(build.agent, "ask", "get_inference", "--db", recording.path, "--json", "{}").stdout)
    for key in ("workloads", "slow_steps", "engines"):
        check(explained[key] == asked[key], f"{key}: {explained[key]} {asked[key]}")
    check(slow["id"] in [step["id"] for step in explained["slow_steps"]], explained["slow_steps"])
    text = run(build.agent, "explain", "--db", recording.path).stdout
    check("Inference" in text and "prefill" in text and f"step {slow['id']} of pid" in text, text[-3000:])
    say(steps=len(rows), slow_ms=slow["duration_ns"] / 1e6, usual_ms=slow["baseline_p95_ns"] / 1e6)


def WhatIsKeptOfManyStepsStandsForAll(build):
    with Trace(build, "--inference", "--store", "selective", "--sample-every", "50",
               command=player(build, 3, "launch:5us*3 sync:2ms")) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    recording = trace.recording
    steps, slow = recording.rows("SELECT sum(steps), sum(slow_1_5x + slow_2x + slow_3x) FROM inference_workloads")[0]
    syncs = recording.one("SELECT sum(count) FROM event_aggregates a JOIN ops o ON o.source_id = a.source AND "
                          "o.op_id = a.op WHERE o.name = 'cudaStreamSync'")
    kept = recording.one("SELECT count(*) FROM inference_steps WHERE slow IS NULL")
    weights = recording.one("SELECT sum(weight) FROM inference_steps")
    # The player stops anywhere: its last synchronisation may have nothing before it.
    check(steps > 300 and 0 <= syncs - steps <= 1, f"{steps} steps of {syncs} synchronisations")
    check(recording.one("SELECT count(*) FROM inference_steps WHERE slow IS NOT NULL") == slow, "slow ones are all kept")
    check(kept <= (steps - slow) / 50 + 3 and 0 <= weights - steps < 150, f"{kept} kept for {weights} of {steps}")
    say(steps=steps, kept=kept, slow=slow)


TESTS = (StepsOfAServingProgramAreToldAndTheSlowOneIsFound, WhatIsKeptOfManyStepsStandsForAll)
FULL = ()
