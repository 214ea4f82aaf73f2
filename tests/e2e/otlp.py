"""OTLP as its receivers see it: VictoriaMetrics, a server of the official gRPC library and protos, protoc, plain HTTP.

What is not packaged for the system is looked for below INGERO_PARTS: victoria-metrics, the .proto files
(opentelemetry/proto/...), node_modules with @grpc/grpc-js and @grpc/proto-loader. Tests skip without them.
"""
import collections
import contextlib
import glob
import gzip
import http.server
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.parse

from collectives import RANKS, ranks
from harness import Skip, Trace, check, json_lines, run, say, tool, until
from metrics import free_port, get

HERE = os.path.dirname(os.path.abspath(__file__))


def part(pattern, what):
    folder = os.environ.get("INGERO_PARTS")
    for wanted in [pattern.replace("**", "")] + ([os.path.join(folder, pattern)] if folder else []):
        for path in sorted(glob.glob(wanted, recursive=True)):
            return path
    raise Skip(f"no {what} here: set INGERO_PARTS to a folder that holds one")


def protos():
    found = part("**/usr/include/opentelemetry/proto/collector", "OTLP .proto files")
    return found[:-len("/opentelemetry/proto/collector")]


class Receiver:
    """Plain HTTP: keeps (path, headers, body) of every request; answers what `status` says."""

    def __init__(self, status=200):
        self.requests, self.status, owner = [], status, self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                if owner.status == 200:
                    owner.requests.append((self.path, dict(self.headers), body))
                self.send_response(owner.status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def bodies(self, path):
        return [gzip.decompress(body) if headers.get("Content-Encoding") == "gzip" else body
                for where, headers, body in self.requests if where == path]


def calls(build, count, *more):
    """A program that makes `count` calls in all."""
    return [build.ground_truth, "--library", build.stand_in(pattern="libcudart.so*")[0], "--log", build.path("calls"),
            "--calls", str(count), "--processes", "2", "--threads", "2", *more]


def otlp(build, url, *more):
    return ["--otlp", url, "--otlp-interval", "1s", "--otlp-queue", build.path("queue"), *more]


def sent(trace):
    """What the trace said in the end: accepted items, and the rest of the line."""
    match = re.search(r"sent (\d+) data points and spans to [^\s,]+(.*)", trace.stderr().decode())
    check(match, f"the trace does not say what it sent: {trace.stderr().decode()}")
    return int(match.group(1)), match.group(2)


def plain(value):
    kind, inner = next(iter(value.items()))
    return int(inner) if kind == "intValue" else inner


def attributes(thing):
    return {one["key"]: plain(one["value"]) for one in thing.get("attributes", [])}


def metrics_of(request):
    """{name: (metric, points)} of one request in its JSON form."""
    out = {}
    for scope in request["resourceMetrics"][0]["scopeMetrics"]:
        for metric in scope["metrics"]:
            data = metric.get("sum") or metric.get("gauge") or metric.get("histogram")
            out.setdefault(metric["name"], (metric, []))[1].extend(data["dataPoints"])
    return out


def check_against_recording(recording, points, value):
    """`points` of gpu.operations: what was sent last is what was recorded."""
    seen = collections.Counter()
    for point in points:
        seen[attributes(point)["operation"]] += value(point)
    rows = recording.rows("SELECT call, count(*) AS n FROM events WHERE kind <> 'host' GROUP BY 1")
    wanted = {row["call"]: row["n"] for row in rows}
    check(wanted and seen == wanted, f"sent {dict(seen)}, recorded {wanted}")
    return sum(wanted.values())


def JsonAndProtobufSayTheSameAndProtocReadsIt(build):
    protoc, include = tool("protoc"), protos()
    names, figures = {}, {}
    for protocol in ("http/json", "http/protobuf"):
        with Receiver() as receiver:
            with Trace(build, *otlp(build, receiver.url, "--otlp-protocol", protocol),
                       command=calls(build, 4000, "--linger-ms", "1500"), name=protocol[5:]) as trace:
                check(trace.wait() == 0, trace.stderr().decode())
            bodies = receiver.bodies("/v1/metrics")
            types = {headers["Content-Type"] for _, headers, _ in receiver.requests}
            packed = sum(len(body) for _, _, body in receiver.requests)
        check(len(bodies) >= 2, f"{len(bodies)} requests")
        if protocol == "http/json":
            check(types == {"application/json"}, f"{types}")
            last = metrics_of(json.loads(bodies[-1]))
            figures["calls"] = check_against_recording(trace.recording, last["gpu.operations"][1],
                                                       lambda point: point["asDouble"])
            histogram = last["gpu.operation.duration"][0]
            check(histogram["unit"] == "s" and histogram["histogram"]["aggregationTemporality"] == 2, f"{histogram}")
            for point in last["gpu.operation.duration"][1]:
                check(sum(map(int, point["bucketCounts"])) == int(point["count"]), f"{point}")
                check(len(point["bucketCounts"]) == len(point["explicitBounds"]) + 1, f"{point}")
            names[protocol] = set(last)
            resource = attributes(json.loads(bodies[-1])["resourceMetrics"][0]["resource"])
            check(resource["service.name"] == "ingero" and resource["host.name"] and resource["process.pid"] > 0
                  and resource["ingero.node.id"], f"{resource}")
        else:
            check(types == {"application/x-protobuf"}, f"{types}")
            text = ""
            for body in bodies:
                text = run_protoc(protoc, include, "metrics", body)
            names[protocol] = set(re.findall(r'^        name: "([^"]+)"|^      name: "([^"]+)"', text, re.MULTILINE))
            names[protocol] = {name for pair in names[protocol] for name in pair if name}
            check(not re.search(r"^\s*\d+: ", text, re.MULTILINE), "protoc found fields that it does not know")
            figures["bytes"] = round(packed / len(bodies))
    names["http/protobuf"].discard("ingero")  # the scope's
    missing = names["http/json"] ^ names["http/protobuf"]
    check(len(names["http/json"]) > 25 and not missing - {"gpu.operations.in_flight"}, f"in one form only: {missing}")
    say(names=len(names["http/json"]), **figures)


def run_protoc(protoc, include, signal_name, body):
    message = {"metrics": "metrics.v1.ExportMetricsServiceRequest", "trace": "trace.v1.ExportTraceServiceRequest"}
    done = subprocess.run([protoc, f"--decode=opentelemetry.proto.collector.{message[signal_name]}", "-I", include,
                           f"opentelemetry/proto/collector/{signal_name}/v1/{signal_name}_service.proto"],
                          input=body, capture_output=True, timeout=60)
    check(done.returncode == 0, f"protoc: {done.stderr.decode()}")
    return done.stdout.decode()


@contextlib.contextmanager
def victoria_metrics(build, port):
    server = shutil.which("victoria-metrics") or part("**/bin/victoria-metrics", "victoria-metrics")
    with open(build.path("victoria.log"), "ab") as log:
        process = subprocess.Popen([server, f"-httpListenAddr=127.0.0.1:{port}", "-memory.allowedBytes=256MB",
                                    f"-storageDataPath={build.path('victoria')}"], stdin=subprocess.DEVNULL, stdout=log,
                                   stderr=log)
    try:
        def ready():
            try:
                return get(f"http://127.0.0.1:{port}/health")
            except OSError:
                return None
        until(ready, 30, "VictoriaMetrics is ready")
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def exported(port, name):
    get(f"http://127.0.0.1:{port}/internal/force_flush")
    query = urllib.parse.urlencode({"match[]": '{__name__="%s"}' % name})
    return [json.loads(line) for line in get(f"http://127.0.0.1:{port}/api/v1/export?{query}").splitlines()]


def receiver_down(build, seconds):
    port = free_port()
    command = calls(build, 20000, "--linger-ms", str((seconds + 12) * 1000))
    with contextlib.ExitStack() as first:
        first.enter_context(victoria_metrics(build, port))
        trace = Trace(build, *otlp(build, f"http://127.0.0.1:{port}/opentelemetry"), command=command)
        with trace:
            time.sleep(3)
            first.close()
            time.sleep(seconds)
            waiting = glob.glob(build.path("queue/*/*.request"))
            check(len(waiting) >= seconds * 0.8, f"{len(waiting)} requests wait after {seconds} s")
            with open(f"/proc/{trace.process.pid}/status", encoding="utf-8") as status:
                resident = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
            with victoria_metrics(build, port):
                check(trace.wait() == 0, trace.stderr().decode())
                check(not glob.glob(build.path("queue/*/*.request")), "requests still wait")
                samples = exported(port, "ingero.events")[0]["timestamps"]
                operations = exported(port, "gpu.operations")
    accepted, rest = sent(trace)
    check(rest == "", f"not everything was accepted: {rest}")
    check("queued on disk" in trace.stderr().decode() and "answers again" in trace.stderr().decode(),
          f"the trouble is not told: {trace.stderr().decode()}")
    gaps = [after - before for before, after in zip(samples, samples[1:])]
    check(max(gaps) < 2500 and samples[-1] - samples[0] > seconds * 1000, f"points are missing: gaps of {max(gaps)} ms")
    seen = collections.Counter()
    for one in operations:
        seen[one["metric"]["operation"]] += one["values"][-1]
    rows = trace.recording.rows("SELECT call, count(*) AS n FROM events WHERE kind <> 'host' GROUP BY 1")
    wanted = {row["call"]: row["n"] for row in rows}
    check(seen == wanted and sum(wanted.values()) >= 20000, f"VictoriaMetrics has {dict(seen)}, recorded {wanted}")
    losses = {name: count for name, count in trace.recording.losses().items() if name.startswith("otlp") and count}
    check(not losses, f"{losses}")
    say(down_s=seconds, calls=sum(wanted.values()), samples=len(samples), longest_gap_ms=max(gaps), accepted=accepted,
        waited=len(waiting), resident_kb=resident)


def VictoriaMetricsHasEveryPointAlsoOfTheTimeItWasDown(build):
    receiver_down(build, 8)


def VictoriaMetricsHasEveryPointOfAMinuteItWasDown(build):
    receiver_down(build, 60)


@contextlib.contextmanager
def grpc_receiver(build, *more, busy=0):
    node = tool("node")
    modules = part("**/node_modules/@grpc/proto-loader", "@grpc/proto-loader")
    modules = modules[:-len("/@grpc/proto-loader")]
    lines = build.path("grpc.jsonl")
    with open(lines, "wb") as output, open(build.path("grpc.err"), "wb") as errors:
        process = subprocess.Popen([node, os.path.join(HERE, "otlp_receiver.mjs"), modules, protos(), str(busy), *more],
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=errors)
    try:
        def port():
            check(process.poll() is None, f"the receiver ended: {open(build.path('grpc.err')).read()}")
            found = json_lines(lines)
            return found[0]["port"] if found else None
        yield until(port, 30, "the receiver listens"), lines
    finally:
        process.kill()
        process.wait()


def certificates(build):
    """An authority, a server's and a client's certificate."""
    tool("openssl")
    script = """set -e
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 1 -subj /CN=ca
      for who in server client; do
        openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $who.key -out $who.csr -subj /CN=$who
        echo subjectAltName=DNS:localhost,IP:127.0.0.1 > ext
        openssl x509 -req -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile ext -out $who.pem
      done
      chmod 600 client.key"""
    run("sh", "-c", script, cwd=build.work)
    return [build.path(name) for name in ("server.pem", "server.key", "ca.pem", "client.pem", "client.key")]


def ARealGrpcServerTakesMetricsAndSpansOverTls(build):
    certificate, key, authority, own, own_key = certificates(build)
    headers = build.path("headers")
    with open(headers, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write("# who we are\nAuthorization: Bearer s3cret\n")
    with grpc_receiver(build, certificate, key, authority, busy=2) as (port, lines):
        with Trace(build, *otlp(build, f"https://127.0.0.1:{port}", "--otlp-protocol", "grpc", "--otlp-traces",
                                "--otlp-ca", authority, "--otlp-cert", own, "--otlp-key", own_key, "--otlp-headers",
                                headers, "--otlp-slow-collective", "1ms"),
                   command=calls(build, 4000, "--linger-ms", "6000")) as trace:
            check(trace.wait() == 0, trace.stderr().decode())
        requests = json_lines(lines)[1:]
    check([one["is_busy"] for one in requests[:3]] == [True, True, False], "busy at first")
    check(all(one["metadata"]["authorization"] == "Bearer s3cret" for one in requests), "the header from the file")
    check("UNAVAILABLE: not yet, 100% sure" in trace.stderr().decode(), trace.stderr().decode())
    check("two too many" in trace.stderr().decode(), f"partial success is not told: {trace.stderr().decode()}")
    metrics = [one for one in requests if one["signal"] == "metrics" and not one["is_busy"]]
    last = metrics[-1]["request"]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]
    points = next(one for one in last if one["name"] == "gpu.operations")["sum"]["dataPoints"]
    count = check_against_recording(trace.recording, points, lambda point: point["asDouble"])
    accepted, rest = sent(trace)
    check(", 2 rejected by the receiver" in rest, f"what was rejected is not counted: {rest}")
    say(calls=count, requests=len(requests), accepted=accepted)


def spans_of(receiver):
    return [span for body in receiver.bodies("/v1/traces")
            for span in json.loads(body)["resourceSpans"][0]["scopeSpans"][0]["spans"]]


def SlowCollectivesAreSpansOfOneTraceForAllRanks(build):
    with Receiver() as receiver:
        with Trace(build, *otlp(build, receiver.url, "--otlp-protocol", "http/json", "--otlp-traces",
                                "--otlp-slow-collective", "1us")) as trace:
            with ranks(build) as program:
                program.go().end()
            time.sleep(1)
            trace.stop()
        spans = spans_of(receiver)
    slow = trace.recording.rows("SELECT count_bytes FROM nccl_events WHERE "
                                "duration_ns + coalesce(barrier_wait_ns, 0) >= 1000")
    collective = [span for span in spans if span["name"].startswith("collective ")]
    check(len(collective) == len(slow) > 0, f"{len(collective)} spans of {len(slow)} slow collectives")
    bytes_of = collections.Counter(attributes(span).get("gpu.collective.bytes") for span in collective)
    check(bytes_of == collections.Counter(row["count_bytes"] for row in slow), f"bytes, not elements: {bytes_of}")
    by_trace = collections.defaultdict(list)
    for span in collective:
        by_trace[span["traceId"]].append(attributes(span))
    shared = [group for group in by_trace.values() if len(group) > 1]
    check(shared, f"no trace holds more than one rank: {[attributes(span) for span in collective]}")
    for group in shared:
        keys = {(one["gpu.collective.comm_id_hash"], one["gpu.collective.seq"]) for one in group}
        check(len(keys) == 1, f"one trace of several collectives: {keys}")
        rank_of = [one["gpu.collective.rank"] for one in group]
        check(len(set(rank_of)) == len(rank_of) <= RANKS, f"ranks of one trace: {rank_of}")
    check(any(attributes(span).get("gpu.collective.rank") == 0 for span in collective), "rank 0 is left out")
    check(len({span["spanId"] for span in collective}) == len(collective), "two spans of one id")
    peers = [attributes(span)["gpu.collective.peer"] for span in collective if "gpu.collective.peer" in attributes(span)]
    say(spans=len(collective), traces=len(by_trace), peers=sorted(set(peers)))


def IncidentsAreSpans(build):
    with Receiver() as receiver:
        with Trace(build, *otlp(build, receiver.url, "--otlp-protocol", "http/json", "--otlp-traces"),
                   command=[build.scenarios, "preempt", "100000", "12"]) as trace:
            trace.wait()
        spans = [span for span in spans_of(receiver) if span["name"].startswith("incident ")]
    stored = json.loads(run(build.agent, "explain", "--db", trace.recording.path, "--chains", "--json").stdout)
    check(stored and {attributes(span)["ingero.incident.id"] for span in spans} == {chain["id"] for chain in stored},
          f"spans of {[attributes(span) for span in spans]}, stored {stored}")
    for span in spans:
        chain = next(one for one in stored if one["id"] == attributes(span)["ingero.incident.id"])
        check(span["status"]["message"] == chain["summary"], f"{span['status']}: {chain['summary']}")
        check(attributes(span)["ingero.incident.severity"] == chain["severity"], f"{span}")
        check(int(span["endTimeUnixNano"]) > int(span["startTimeUnixNano"]) > 10**18, f"{span}")
    say(incidents=[span["name"] for span in spans])


def NothingIsSentWithoutTheFlagAndTheTraceEndsInTimeWithoutAReceiver(build):
    with Receiver() as receiver:
        environment = dict(os.environ, OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url)
        run(build.agent, "trace", "--no-record", "--duration", "2s", env=environment)
        check(not receiver.requests, "a variable alone made it send")
    for endpoint, word in (("http://collector.example:4318", "not encrypted"), ("https://u:hunter2@h", "visible"),
                           ("ftp://h", "scheme"), ("https://h:0", "port")):
        done = run(build.agent, "trace", "--no-record", "--otlp", endpoint, good=(2,))
        check(word in done.stderr and "hunter2" not in done.stderr, f"{endpoint}: {done.stderr}")
    with Trace(build, *otlp(build, f"http://127.0.0.1:{free_port()}")) as trace:
        time.sleep(2.5)
        took = trace.stop()
    check(took < 10, f"the end took {took} s")
    check("queued for the next run" in sent(trace)[1], sent(trace)[1])
    say(end_s=round(took, 2))


TESTS = (JsonAndProtobufSayTheSameAndProtocReadsIt, VictoriaMetricsHasEveryPointAlsoOfTheTimeItWasDown,
         ARealGrpcServerTakesMetricsAndSpansOverTls, SlowCollectivesAreSpansOfOneTraceForAllRanks, IncidentsAreSpans,
         NothingIsSentWithoutTheFlagAndTheTraceEndsInTimeWithoutAReceiver)
SHARED = TESTS
FULL = (VictoriaMetricsHasEveryPointOfAMinuteItWasDown,)
