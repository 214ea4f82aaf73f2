#!/usr/bin/env python3
"""A real `ingero fleet serve`: metrics of many nodes over OTLP/HTTP, and the questions about them.

  cluster_test.py INGERO

What is sent is made here, with nothing of the program's own: protobuf by hand, JSON and gzip by the standard library.
"""
import concurrent.futures
import contextlib
import gzip
import http.client
import json
import os
import random
import re
import select
import shutil
import signal
import sqlite3
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import clients

INGERO = os.path.abspath(sys.argv.pop(1))
TOKEN = "a-token-of-the-tests-0123456789"
SECOND = 1_000_000_000
PERIOD = 5 * SECOND
SEED = int(os.environ.get("INGERO_TEST_SEED") or random.SystemRandom().randrange(2**32))


def varint(number):
    out = b""
    number &= 2**64 - 1
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, value):
    """By the value's type: text and messages, whole numbers, doubles; ("fixed", N) for fixed64."""
    if isinstance(value, (bytes, str)):
        data = value.encode() if isinstance(value, str) else value
        return varint(number << 3 | 2) + varint(len(data)) + data
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, tuple):
        return varint(number << 3 | 1) + struct.pack("<Q", value[1])
    return varint(number << 3) + varint(value)


def attributes_of(number, attributes):
    kinds = {str: 1, bool: 2, int: 3, float: 4}
    return b"".join(field(number, field(1, key) + field(2, field(kinds[type(value)], int(value) if isinstance(value, bool) else value)))
                    for key, value in attributes.items())


def as_protobuf(resource, points):
    """points: (metric, kind, start, time, value or (count, sum), attributes)."""
    metrics = b""
    for name, kind, start, end, value, attributes in points:
        if kind == "histogram":
            point = field(2, ("fixed", start)) + field(3, ("fixed", end)) + field(4, ("fixed", value[0])) + field(5, float(value[1]))
            point += attributes_of(9, attributes)
        else:
            point = field(2, ("fixed", start)) + field(3, ("fixed", end)) + attributes_of(7, attributes)
            point += field(4, value) if isinstance(value, float) else field(6, ("fixed", value))
        metrics += field(2, field(1, name) + field({"gauge": 5, "sum": 7, "histogram": 9}[kind], field(1, point)))
    return field(1, field(1, attributes_of(1, resource)) + field(2, metrics))


def as_json(resource, points):
    def values(attributes):
        kinds = {str: "stringValue", bool: "boolValue", int: "intValue", float: "doubleValue"}
        return [{"key": key, "value": {kinds[type(value)]: str(value) if type(value) is int else value}}
                for key, value in attributes.items()]
    metrics = []
    for name, kind, start, end, value, attributes in points:
        point = {"startTimeUnixNano": str(start), "timeUnixNano": str(end), "attributes": values(attributes)}
        if kind == "histogram":
            point.update(count=str(value[0]), sum=value[1])
        else:
            point.update({"asDouble": value} if isinstance(value, float) else {"asInt": str(value)})
        metrics.append({"name": name, kind: {"dataPoints": [point]}})
    return json.dumps({"resourceMetrics": [{"resource": {"attributes": values(resource)}, "scopeMetrics": [{"metrics": metrics}]}]}).encode()


def resident_mib(pid, line="VmRSS"):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(line + r":\s+(\d+)", file.read())[1]) // 1024


def refused_or_gone(server):
    with contextlib.suppress(OSError, clients.Refused, http.client.HTTPException):
        server.sql(clients.ENDLESS)


class Server:
    """`store`: the flags that say where it stores, if not in the file `database` of `folder`. `files`: the limits of open files. `tokens`: further
    lines of the file of tokens."""

    def __init__(self, folder, *more, database="c.db", store=(), files="", tokens=""):
        self.database = os.path.join(folder, database)
        token = os.path.join(folder, "token")
        with open(token, "w", encoding="utf-8") as file:
            file.write(TOKEN + "\n" + tokens)
        os.chmod(token, 0o600)
        self.process = clients.started(
            [*(["sh", "-c", files + ' exec "$@"', "sh"] if files else []), INGERO, "fleet", "serve", *(store or ("--db", self.database)), "--insecure-no-tls", "--token-file", token,
             "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0", *more], stderr=subprocess.PIPE, text=True)
        said, ports = "", []
        while len(ports) != 2:
            line = self.process.stderr.readline()
            if not line:
                raise AssertionError(said)
            said += line
            ports = re.findall(r"http://127\.0\.0\.1:(\d+)", line) if line.startswith("ingero: OTLP at") else []
        self.otlp, self.api = map(int, ports)
        self.grpc = int(re.search(r"gRPC at 127\.0\.0\.1:(\d+)", line)[1])

    def request(self, port, method, path, body=b"", headers=None, token=TOKEN):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        given = dict(headers or {})
        if token:
            given["Authorization"] = "Bearer " + token
        with contextlib.closing(connection):
            connection.request(method, path, body, given)
            answer = connection.getresponse()
            return answer.status, answer.read(), dict(answer.getheaders())

    def send(self, body, kind="application/x-protobuf", token=TOKEN, **headers):
        return self.request(self.otlp, "POST", "/v1/metrics", body,
                            {"Content-Type": kind, **{key.replace("_", "-"): value for key, value in headers.items()}}, token)

    def ask(self, tool, **given):
        return self.post("/api/v1/tools/" + tool, given)

    def sql(self, statement, **more):
        return self.post("/api/v1/sql", {"sql": statement, **more})

    def post(self, path, given):
        status, body, _ = self.request(self.api, "POST", path, json.dumps(given).encode(), {"Content-Type": "application/json"})
        answer = json.loads(body)
        if status != 200:
            raise clients.Refused(status, answer["class"], answer["error"])
        return answer

    def get(self, path, token=TOKEN):
        status, body, _ = self.request(self.api, "GET", path, token=token)
        return status, json.loads(body)

    def stop(self, by=signal.SIGTERM):
        self.process.send_signal(by)
        self.process.stderr.close()
        return self.process.wait(timeout=30)


class Cluster(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name

    def serve(self, *more, **where):
        server = Server(self.folder, *more, **where)
        self.addCleanup(lambda: server.process.poll() is None and server.stop(signal.SIGKILL))
        return server

    def keep_connections(self, server, count):
        """`count` at once, with a request on each; returns how many were kept for a second one."""
        kept = 0
        with contextlib.ExitStack() as all_of_them:
            connections = [all_of_them.enter_context(contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.otlp, timeout=30)))
                           for _ in range(count)]
            for turn in range(2):
                for connection in connections:
                    kept += turn == 1 and connection.sock is not None and not select.select([connection.sock], [], [], 0)[0]
                    for _ in range(2):  # one that was closed meanwhile is opened again, as nodes do
                        with contextlib.suppress(http.client.HTTPException, OSError):
                            connection.request("POST", "/v1/metrics", b"", {"Content-Type": "application/x-protobuf", "Authorization": "Bearer " + TOKEN})
                            answer = connection.getresponse()
                            answer.read()
                            break
                        connection.close()
                    self.assertEqual(answer.status, 200)
        return kept

    def test_nodes_keep_their_connections_beyond_the_usual_limit(self):
        server = self.serve(files="ulimit -Sn 256;")
        with open(f"/proc/{server.process.pid}/limits", encoding="ascii") as file:
            soft, hard = re.search(r"Max open files +(\d+) +(\d+)", file.read()).groups()
        self.assertEqual(int(soft), min(int(hard), 512 + 2 * 4096))
        self.assertEqual(self.keep_connections(server, 400), 400)

    def test_with_few_descriptors_fewer_connections_are_kept_and_all_are_answered(self):
        server = self.serve(files="ulimit -n 600;")  # 44 to each port
        kept = self.keep_connections(server, 100)
        self.assertLessEqual(kept, 44)
        self.assertEqual(self.keep_connections(server, 40), 40)

    def assert_accepted(self, answer):
        self.assertEqual(answer[0], 200, answer)
        self.assertIn(answer[1], (b"", b"{}"), answer)


def event(number, sender, now):
    attributes = {"causal_chain_id": f"chain-{sender}-{number}", "ingero.event.id": f"{sender}:{number}", "severity": "HIGH",
                  "ratio": 0.25, "is_first": number == 0, "count": number}
    return ("ingero.node.straggler_event", "gauge", 0, now - number * 1000, 1, attributes)


class AnySender(Cluster):
    def test_eight_senders_of_250_events_are_2000_rows_with_all_attributes(self):
        server, now = self.serve(), time.time_ns()

        def run(sender):
            resource = {"ingero.cluster.id": f"cluster-{sender % 2}", "ingero.node.id": f"node-{sender // 2 % 2}-{sender}",
                        "ingero.world_size": 8, "ingero.node.rank": sender}
            for first in range(0, 250, 50):
                points = [event(number, sender, now) for number in range(first, first + 50)]
                if first % 100 == 0:
                    body, more = as_protobuf(resource, points), {}
                else:
                    body, more = as_json(resource, points), {"kind": "application/json"}
                if first == 100:
                    body, more = gzip.compress(body), {**more, "Content_Encoding": "gzip"}
                for _ in range(2):  # as after a timeout
                    answer = server.send(body, **more)
                    if answer[0] != 200 or answer[1] not in (b"", b"{}"):
                        return answer
            return None

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            self.assertEqual(list(pool.map(run, range(8))), [None] * 8)
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["received"]["points"], health["received"]["repeated"]), (2000, 2000))
        self.assertEqual(server.stop(), 0)

        with sqlite3.connect(server.database) as store:
            # As the posts have them.
            rows = store.execute("SELECT cluster_id, node_id, COUNT(*) FROM events GROUP BY 1,2 ORDER BY 1,2").fetchall()
            self.assertEqual(len(rows), 8)
            self.assertEqual({count for _, _, count in rows}, {250})
            chains = store.execute("SELECT cluster_id, node_id, attrs FROM events WHERE attrs LIKE '%causal_chain_id%' LIMIT 20").fetchall()
            self.assertEqual(len(chains), 20)
            self.assertEqual(store.execute("SELECT count(*) FROM events WHERE rank IS NULL OR nranks <> 8").fetchone(), (0,))
            attrs = [json.loads(attrs) for (attrs,) in store.execute("SELECT attrs FROM events")]
        self.assertEqual({one["causal_chain_id"] for one in attrs}, {f"chain-{s}-{n}" for s in range(8) for n in range(250)})
        self.assertTrue(all(one["ratio"] == 0.25 and type(one["is_first"]) is bool and one["severity"] == "HIGH" for one in attrs))

    def test_history_is_asked_by_cluster_node_rank_and_time(self):
        server, now = self.serve(), time.time_ns()
        for node in range(3):
            resource = {"ingero.cluster.id": "train", "host.name": f"gpu-{node}", "ingero.node.rank": node}
            self.assert_accepted(server.send(as_protobuf(resource, [event(number, node, now) for number in range(20)])))
        answer = server.ask("fleet.cluster.event_history", cluster_id="train", node_id="gpu-1", limit=5)
        self.assertEqual((answer["count"], answer["is_cut"]), (5, True))
        self.assertEqual([one["timestamp_ns"] for one in answer["events"]], [now - number * 1000 for number in range(5)])
        self.assertEqual(answer["events"][0]["attrs"]["causal_chain_id"], "chain-1-0")
        self.assertEqual(server.ask("fleet_cluster_event_history", rank=2)["count"], 20)
        self.assertEqual(server.ask("fleet_cluster_event_history", rank=2, since="1h")["count"], 20)
        self.assertEqual(server.ask("fleet_cluster_event_history", to_ns=now - 5000)["count"], 45)
        self.assertEqual(server.ask("fleet_cluster_event_history", cluster_id="x' OR 1=1 --")["count"], 0)
        for wrong in ({"limit": 0}, {"limit": 10**6}, {"rank": "1"}, {"since": "soon"}, {"nonsense": 1}):
            with self.assertRaises(clients.Refused) as refused:
                server.ask("fleet.cluster.event_history", **wrong)
            self.assertEqual(refused.exception.args[:2], (400, "bad_input"))

    def test_the_posts_queries_run_as_written(self):
        server, now = self.serve(), time.time_ns()
        for node in range(3):
            resource = {"ingero.cluster.id": "train", "host.name": f"gpu-{node}", "ingero.node.rank": node}
            points = [event(number, node, now) for number in range(20)]
            points += [("ingero.node.health_score", "gauge", 0, now - number, 1 - node / 4 - number / 8, {}) for number in range(2)]
            self.assert_accepted(server.send(as_protobuf(resource, points)))
        self.assertEqual(server.sql("SELECT cluster_id, node_id, COUNT(*) FROM events GROUP BY 1,2 ORDER BY 1,2;")["data"],
                         [["train", f"gpu-{node}", 22] for node in range(3)])
        scores = server.sql("SELECT cluster_id, node_id, MIN(value_double) AS min_score, MAX(value_double) AS max_score, COUNT(*) AS n "
                            "FROM events WHERE metric_name LIKE '%health%' GROUP BY 1,2 ORDER BY min_score;")
        self.assertEqual(scores["columns"], ["cluster_id", "node_id", "min_score", "max_score", "n"])
        self.assertEqual(scores["data"], [["train", f"gpu-{node}", 0.875 - node / 4, 1 - node / 4, 2] for node in (2, 1, 0)])
        chains = server.sql("SELECT cluster_id, node_id, attrs FROM events WHERE attrs LIKE '%causal_chain_id%' LIMIT 20;")
        self.assertEqual(len(chains["data"]), 20)
        self.assertTrue(all("causal_chain_id" in json.loads(attrs) for _, _, attrs in chains["data"]))
        self.assertEqual((chains["meta"]["rows"], chains["meta"]["truncated"], chains["cut"]), (20, False, []))
        cut = server.sql("SELECT * FROM events", limit=7)
        self.assertEqual((len(cut["data"]), cut["meta"]["truncated"]), (7, True))
        self.assertEqual(cut["cut"], ["the first 7 rows are given; there are more (limit)"])
        asked = {"query": "SELECT rank, count(*) FROM events GROUP BY 1"}
        answers = [server.ask(tool, **asked) for tool in ("fleet.cluster.run_sql", "fleet_cluster_run_sql", "run_sql")]
        for answer in answers:
            self.assertEqual(answer["data"], [[0, 22], [1, 22], [2, 22]])

    def test_sql_reads_and_does_nothing_else(self):
        server, now = self.serve(), time.time_ns()
        self.assert_accepted(server.send(as_protobuf({"host.name": "n"}, [event(0, 0, now)])))
        before = server.sql("SELECT * FROM events")["data"]
        other = os.path.join(os.path.dirname(server.database), "other.db")
        for wrong in ("DELETE FROM events", "INSERT INTO nodes VALUES (9, 'a', 'b', 0, 0)", "DROP TABLE windows", "CREATE TEMP TABLE t (a)",
                      f"ATTACH '{other}' AS o", f"VACUUM INTO '{other}'", "PRAGMA journal_mode = DELETE", "PRAGMA query_only = OFF",
                      "SELECT load_extension('x.so')", "BEGIN", "SELECT 1; DELETE FROM events", "WITH t AS (SELECT 1) DELETE FROM events",
                      "SELECT printf('%.*c', 100000000, 'x')", "SELECT", "", "SELECT * FROM nothing", "EXPLAIN DELETE FROM events"):
            with self.subTest(wrong), self.assertRaises(clients.Refused) as refused:
                server.sql(wrong)
            self.assertEqual(refused.exception.args[:2], (400, "bad_input"), wrong)
        self.assertFalse(os.path.exists(other))
        self.assertEqual(server.sql("SELECT * FROM events")["data"], before)
        for path in ("/api/v1/sql", "/api/v1/tools/fleet.cluster.run_sql"):
            body = json.dumps({"query": "SELECT 1"}).encode()
            for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
                self.assertEqual(server.request(server.api, "POST", path, body, {"Content-Type": kind})[0], 415, path)
            given = {"Content-Type": "application/json; charset=utf-8"}
            self.assertEqual(server.request(server.api, "POST", path, body, given)[0], 200, path)
            self.assertEqual(server.request(server.api, "POST", path, body, given, token="wrong")[0], 401, path)
            self.assertEqual(server.request(server.api, "GET", path)[0], 405, path)
        for wrong in ({"query": 1}, {"query": "SELECT 1", "limit": 10001}, {"query": "SELECT 1", "more": 1}, {}):
            status, answer, _ = server.request(server.api, "POST", "/api/v1/sql", json.dumps(wrong).encode(), {"Content-Type": "application/json"})
            self.assertEqual((status, json.loads(answer)["class"]), (400, "bad_input"), wrong)

    def test_sql_without_an_end_stops_nobody_else(self):
        server, now = self.serve(), time.time_ns()
        body = as_protobuf({"host.name": "n"}, [event(0, 0, now)])
        self.assert_accepted(server.send(body))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            def refused(statement):
                began = time.monotonic()
                try:
                    server.sql(statement)
                except clients.Refused as error:
                    return time.monotonic() - began, error.args[:2]
                return time.monotonic() - began, None
            endless = [pool.submit(refused, clients.ENDLESS) for _ in range(2)]
            time.sleep(0.5)
            for _ in range(5):
                began = time.monotonic()
                self.assertEqual(server.get("/api/v1/health")[0], 200)
                self.assertEqual(server.ask("fleet.cluster.event_history")["count"], 1)
                self.assert_accepted(server.send(body))
                self.assertLess(time.monotonic() - began, 1)
            took = sorted(one.result() for one in endless)
        self.assertEqual([error for _, error in took], [(504, "timed_out")] * 2)
        self.assertLess(took[0][0], 6)
        self.assertLess(took[1][0], 11)
        # What has to be held in memory to be sorted has a bound, and the server goes on.
        kept = resident_mib(server.process.pid)
        for _ in range(8):  # threads that answer, and more
            _, error = refused("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) "
                               "SELECT i, hex(zeroblob(500)) FROM n ORDER BY -i")
            self.assertIn(error, ((403, "refused"), (504, "timed_out")))
        clients.assert_memory_below(self, resident_mib(server.process.pid, "VmHWM") - kept, 256)
        end = time.monotonic() + 5  # freed pages go back after a second, as requests come
        while resident_mib(server.process.pid) - kept >= 64 and time.monotonic() < end:
            self.assert_accepted(server.send(body))
            time.sleep(0.1)
        clients.assert_memory_below(self, resident_mib(server.process.pid) - kept, 64)
        self.assert_accepted(server.send(body))
        # A stop does not wait for one.
        stopping = threading.Thread(target=refused_or_gone, args=(server,))
        stopping.start()
        time.sleep(0.5)
        began = time.monotonic()
        self.assertEqual(server.stop(), 0)
        self.assertLess(time.monotonic() - began, 2)
        stopping.join()

    def test_health_scores_of_the_earlier_agent_give_a_threshold_and_name_the_low_one(self):
        server = self.serve()
        random_scores = random.Random(SEED)
        first = time.time_ns() // (10 * SECOND) - 80
        for window in range(60):
            for node in range(8):
                score = 0.9 + 0.01 * random_scores.random() - (0.3 if node == 3 and window >= 30 else 0)
                point = ("ingero.node.health_score", "gauge", 0, (first + window) * 10 * SECOND + node, score,
                         {"ingero.node.state": "active", "ingero.cgroup_path_hash": "abc"})
                answer = server.send(as_json({"ingero.cluster.id": "train", "ingero.node.id": f"gpu-{node}"}, [point]), "application/json")
                self.assert_accepted(answer)
        self.assertEqual(answer[2]["X-Ingero-Quorum-Met"], "true")
        threshold = float(answer[2]["X-Ingero-Threshold"])
        self.assertTrue(0.6 < threshold < 0.9, threshold)
        status, asked = server.get("/api/v1/threshold?cluster_id=train")
        self.assertEqual((status, asked["quorum_met"]), (200, True))
        self.assertAlmostEqual(asked["threshold"], threshold, places=5)
        self.assertEqual(server.get("/api/v1/threshold?cluster_id=other")[0], 404)
        self.assertEqual(server.get("/api/v1/threshold")[0], 400)
        outliers = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="train")["outliers"]
        self.assertEqual([(one["node_id"], one["kind"], one["rank"]) for one in outliers], [("gpu-3", "low_health_score", None)])


    def test_each_control_group_of_a_node_is_compared_with_that_of_other_nodes(self):
        server = self.serve()
        random_scores = random.Random(SEED)
        first = time.time_ns() // (10 * SECOND) - 80
        usual = {"abc": 0.9, "def": 0.6}  # two jobs on each node, of which one does less; on the last there is one
        for window in range(60):
            for node in range(8):
                points = []
                for group, score in list(usual.items())[:1 if node == 7 else 2]:
                    low = 0.2 if (node, group) == (3, "def") and window >= 30 else 0
                    points.append(("ingero.node.health_score", "gauge", 0, (first + window) * 10 * SECOND + node,
                                   score + 0.01 * random_scores.random() - low, {"ingero.node.state": "active", "ingero.cgroup_path_hash": group}))
                answer = server.send(as_json({"ingero.cluster.id": "train", "ingero.node.id": f"gpu-{node}"}, points), "application/json")
                self.assert_accepted(answer)
                if (window, node) == (29, 5):  # with both: what is healthy in neither is below it
                    self.assertTrue(0.4 < float(answer[2]["X-Ingero-Threshold"]) < 0.6, answer[2])
                elif (window, node) == (29, 7):
                    self.assertTrue(0.7 < float(answer[2]["X-Ingero-Threshold"]) < 0.9, answer[2])
        (low,) = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="train")["outliers"]
        self.assertEqual((low["node_id"], low["kind"], low["rank"], low["lateness_s_per_step"], low["delayed"]),
                         ("gpu-3", "low_health_score", None, None, []))
        self.assertEqual(low["evidence"]["cgroup_path_hash"], "def")
        self.assertAlmostEqual(low["evidence"]["usual_score"], 0.6, delta=0.02)
        self.assertAlmostEqual(low["evidence"]["health_score"], 0.4, delta=0.03)
        self.assertIn("of gpu-3 in control group def is 33 % below", low["sentence"])
        (row,) = server.ask("fleet.cluster.incidents", cluster_id="train")["incidents"]
        self.assertEqual((row["node_id"], row["rank"], row["evidence"]["sentence"]), ("gpu-3", None, low["sentence"]))


class Ranks(Cluster):
    RANKS, NODES, SLOW, ONSET = 16, 2, 5, 40

    def windows(self, rank, start, noise, slow):
        """One window of one rank as our own agents send it: five steps of about a second."""
        work = 1 + 0.02 * noise.lognormvariate(0, 1) + slow
        shared = {"ingero.rank": rank, "gpu.collective.rank": rank, "gpu.collective.nranks": self.RANKS, **self.identity(rank)}
        return [("ingero.fleet.collective.work", "histogram", start, start + PERIOD, (5, 5 * work), shared),
                ("ingero.fleet.collective.work.median", "gauge", start, start + PERIOD, work, shared),
                ("ingero.fleet.collective.size", "sum", start, start + PERIOD, 5 << 20, shared),
                ("gpu.operation.off_cpu", "sum", start, start + PERIOD, 5 * 0.9 * slow, {"ingero.rank": rank, "reason": "preempted"}),
                *self.sides(rank, start, shared)]

    def sides(self, rank, start, shared):
        """The state of its device, and two arrivals, of which one has not been left."""
        device, number = {"ingero.rank": rank, "hw.id": f"GPU-{rank}", "hw.model": "X"}, start // PERIOD * 5
        arrival = {**shared, "gpu.collective.number": number, "gpu.collective.op_type": "ALL_REDUCE", "gpu.collective.size": 4096}
        entered = start + 1_000_000 * (rank + 1)
        return [("hw.gpu.utilization", "gauge", start, start + PERIOD, 0.875, device),
                ("gpu.clock.sm", "gauge", start, start + PERIOD, 1.5e9, device),
                ("gpu.throttle.reasons", "gauge", start, start + PERIOD, rank % 2, device),
                ("ingero.fleet.collective.arrival", "gauge", start, start + PERIOD, entered,
                 {**arrival, "gpu.collective.left_ns": start + 100_000_000}),
                ("ingero.fleet.collective.arrival", "gauge", start, start + PERIOD, entered + SECOND, {**arrival, "gpu.collective.number": number + 1})]

    def identity(self, _rank):
        return {"gpu.collective.comm_id_hash": "12345"}

    def send_windows(self, server, numbers, first, noise, is_slow):
        for number in numbers:
            for node in range(self.NODES):
                points, start = [], (first + number) * PERIOD
                for rank in range(node * 8, node * 8 + 8):
                    points += self.windows(rank, start, noise, 0.3 if is_slow(rank, number) else 0.0)
                resource = {"ingero.cluster.id": "sim", "ingero.node.id": f"gpu-{node}", "ingero.job.id": "j1"}
                make, more = ((as_protobuf, {}), (as_json, {"kind": "application/json"}))[number % 2]
                body = make(resource, points)
                if number % 3 == 0:
                    body, more = gzip.compress(body, 1), {**more, "Content_Encoding": "gzip"}
                self.assert_accepted(server.send(body, **more))

    def test_nodes_that_came_late_are_compared_with_those_that_saw_the_communicator_made(self):
        late = {"gpu.collective.comm_id_hash": str(2**63 + 7), "gpu.collective.library_hash": str(2**63 + 7)}
        made = {"gpu.collective.comm_id_hash": "12345", "gpu.collective.library_hash": str(2**63 + 7)}
        unread = {"gpu.collective.comm_id_hash": "12345"}
        self.identity = lambda rank: late if rank >= 8 else unread if rank == 2 else made
        server, noise = self.serve(), random.Random(SEED)
        first = time.time_ns() // PERIOD - 100
        is_slow = lambda rank, number: rank == self.SLOW and number >= self.ONSET
        self.send_windows(server, range(self.ONSET + 12), first, noise, is_slow)
        (slow,) = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim")["outliers"]
        self.assertEqual((slow["rank"], slow["node_id"], slow["class"]), (self.SLOW, "gpu-0", "host"), f"seed {SEED}")
        (incident,) = server.ask("fleet.cluster.incidents", cluster_id="sim")["incidents"]
        self.assertEqual(incident["communicator"], f"{2**63 + 7:016x}")
        self.assertEqual(slow["delayed_count"], 15, "the ranks of both nodes wait for it, the one that was not read, too")
        ranks = server.sql("SELECT comm_id_hash, count(DISTINCT rank) FROM windows GROUP BY 1 ORDER BY 1")["data"]
        self.assertEqual([list(row) for row in ranks], [[7 - 2**63, 15], [12345, 1]])

    def test_the_slow_rank_is_named_with_its_cause_and_nobody_else(self):
        server, noise = self.serve(), random.Random(SEED)
        first = time.time_ns() // PERIOD - 100
        self.send_windows(server, range(self.ONSET), first, noise, lambda rank, number: False)
        self.assertEqual(server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim")["outliers"], [], f"seed {SEED}")
        is_slow = lambda rank, number: rank == self.SLOW and number >= self.ONSET
        self.send_windows(server, range(self.ONSET, self.ONSET + 12), first, noise, is_slow)

        answer = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim")
        self.assertEqual([one["rank"] for one in answer["outliers"]], [self.SLOW], f"seed {SEED}: {answer}")
        slow = answer["outliers"][0]
        self.assertEqual((slow["node_id"], slow["class"], slow["state"], slow["scope"]), ("gpu-0", "host", "named", "rank"))
        self.assertAlmostEqual(slow["lateness_s_per_step"], 0.3, delta=0.15)
        # By its noise it may have looked slow in the windows right before, which had no such wait, or hardly in its first.
        early = self.ONSET - (slow["since_ns"] // PERIOD - first)
        self.assertIn(early, (-1, 0, 1, 2), f"seed {SEED}: {slow}")
        self.assertAlmostEqual(slow["evidence"]["cpu_wait_s_per_step"], 0.27 * 12 / (12 + max(early, 0)), delta=0.01)
        self.assertEqual((slow["delayed_count"], len(slow["delayed"])), (15, 15))
        self.assertIn("rank 5 on gpu-0 needs", slow["sentence"])
        (job,) = answer["jobs"]
        self.assertEqual((job["ranks"], job["window_s"], job["job_id"]), (16, 5, "j1"))
        self.assertTrue(0.05 < job["detectable_effect"] < 0.3, job)
        self.assertEqual(server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim", min_effect=0.9)["outliers"], [])
        self.assertEqual(server.ask("fleet.cluster.find_outlier_nodes", cluster_id="other")["outliers"], [])

        # What is sent again changes nothing.
        _, before = server.get("/api/v1/health")
        self.send_windows(server, [self.ONSET + 11], first, random.Random(1), is_slow)
        _, after = server.get("/api/v1/health")
        self.assertEqual(after["received"]["windows"], before["received"]["windows"])
        self.assertEqual(after["received"]["repeated"], before["received"]["repeated"] + 16)

        # Killed, it goes on where it was; the incident is the same one.
        (incident,) = server.ask("fleet.cluster.incidents", cluster_id="sim")["incidents"]
        server.stop(signal.SIGKILL)
        server = self.serve()
        again = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim")["outliers"]
        self.assertEqual([one["rank"] for one in again], [self.SLOW])
        self.assertEqual([one["id"] for one in server.ask("fleet.cluster.incidents")["incidents"]], [incident["id"]])
        with sqlite3.connect(f"file:{server.database}?mode=ro", uri=True) as store:
            count = store.execute("SELECT count(*) FROM windows").fetchone()[0]
        self.assertEqual(count, 16 * (self.ONSET + 12))

        # It recovers: no more an outlier, and its incident is over.
        self.send_windows(server, range(self.ONSET + 12, self.ONSET + 30), first, noise, lambda rank, number: False)
        answer = server.ask("fleet.cluster.find_outlier_nodes", cluster_id="sim", since="1h")
        self.assertEqual(answer["outliers"], [])
        self.assertEqual([(one["rank"], one["state"], one["id"]) for one in answer["ended"]], [(self.SLOW, "over", incident["id"])])

    def test_one_clock_that_is_ahead_does_not_make_the_others_late(self):
        server, noise = self.serve(), random.Random(SEED)
        now = time.time_ns() // PERIOD
        for windows in (2, 60):
            ahead = as_protobuf({"ingero.cluster.id": "sim", "ingero.node.id": "gpu-9", "ingero.job.id": "j1"},
                                self.windows(15, (now + windows) * PERIOD, noise, 0.0))
            self.assert_accepted(server.send(ahead))
        self.send_windows(server, range(20), now - 30, noise, lambda rank, number: False)
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["not_compared"]["ahead"], health["not_compared"]["late"]), (2, 0))
        self.assertEqual(server.ask("fleet.cluster.find_outlier_nodes")["jobs"][0]["ranks"], 16)

    def test_nodes_learn_how_far_their_clocks_are_and_say_it(self):
        server, noise = self.serve(), random.Random(SEED)
        first = time.time_ns() // PERIOD - 20
        for rank, (node, clock) in enumerate((("gpu-0", {}), ("gpu-1", {"ingero.clock.offset_ns": 2_000_000, "ingero.clock.within_ns": 300_000}),
                                              ("gpu-2", {"ingero.clock.offset_ns": -512_000_000, "ingero.clock.within_ns": 3_000_000}),
                                              ("gpu-3", {"ingero.clock.offset_ns": 30_000_000, "ingero.clock.within_ns": 40_000_000}),
                                              ("gpu-4", {"ingero.clock.offset_ns": 5, "ingero.clock.within_ns": -1}))):
            resource = {"ingero.cluster.id": "sim", "ingero.node.id": node, **clock}
            before = time.time_ns()
            answer = server.send(as_protobuf(resource, self.windows(rank, first * PERIOD, noise, 0.0)))
            self.assert_accepted(answer)
            received, answered = map(int, answer[2]["X-Ingero-Time"].split())
            self.assertTrue(before <= received <= answered <= time.time_ns(), answer)
        clocks = server.ask("clocks", cluster_id="sim")
        self.assertEqual([(one["node_id"], one["offset_ns"], one["within_ns"]) for one in clocks["clocks"]],
                         [("gpu-1", 2_000_000, 300_000), ("gpu-2", -512_000_000, 3_000_000), ("gpu-3", 30_000_000, 40_000_000)])
        self.assertEqual(clocks["unknown_nodes"], 2)
        said = [one for one in server.ask("run_analysis")["sentences"] if one.startswith("Clocks")]
        self.assertEqual(said, ["Clocks, against this server's: gpu-2 is 512ms behind (known within 3ms). Times of nodes are not corrected."])

    def test_two_machines_of_one_name_are_kept_apart(self):
        server, noise = self.serve(), random.Random(SEED)
        first = time.time_ns() // PERIOD - 20
        for number in range(4):
            for rank, instance in ((0, "aaaaaaaa1111"), (8, "bbbbbbbb2222")):
                resource = {"ingero.cluster.id": "sim", "ingero.node.id": "gpu-1", "service.instance.id": instance}
                self.assert_accepted(server.send(as_protobuf(resource, self.windows(rank, (first + number) * PERIOD, noise, 0.0))))
        rows = server.sql("SELECT n.node_id, w.rank, count(*) FROM windows w JOIN nodes n ON n.id = w.node GROUP BY 1, 2 ORDER BY 1, 2")["data"]
        self.assertEqual(rows, [["gpu-1", 0, 1], ["gpu-1", 8, 1], ["gpu-1#aaaaaaaa", 0, 3], ["gpu-1#bbbbbbbb", 8, 3]])
        self.assertEqual(server.get("/api/v1/health")[1]["nodes_of_one_name"], ["sim: gpu-1"])
        self.assertIn("Names that several nodes have: sim: gpu-1.", " ".join(server.ask("run_analysis")["sentences"]))


class Truth(Cluster):
    """Of `ingero fleet simulate`: what it planted is in a file, and the server has to find it."""

    def simulate(self, server, *more):
        done = subprocess.run([INGERO, "fleet", "simulate", "--endpoint", f"http://127.0.0.1:{server.otlp}", "--token-file",
                               os.path.join(self.folder, "token"), *more], capture_output=True, text=True, timeout=250, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_refused_simulation_says_so_at_once_and_takes_the_token_of_the_environment(self):
        server = self.serve()
        environment = {name: value for name, value in os.environ.items() if name != "INGERO_TOKEN"}
        # Over gRPC a client may be refused by its headers while it sends its message, as the first of many connections is.
        for port, why, count in ((server.otlp, "HTTP 401", 1), (server.grpc, "UNAUTHENTICATED", 10)):
            command = [INGERO, "fleet", "simulate", "--endpoint", f"http://127.0.0.1:{port}", "--plan", "healthy", "--windows", "1", "--ranks", "2048"]
            with self.subTest(why=why):
                for _ in range(count):
                    began = time.monotonic()
                    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
                    self.assertEqual((done.returncode, why in done.stderr, "INGERO_TOKEN" in done.stderr), (1, True, True), done)
                    self.assertLess(time.monotonic() - began, 10)
                done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env={**environment, "INGERO_TOKEN": TOKEN})
                self.assertEqual(done.returncode, 0, done)

    def test_the_planted_ranks_are_named_with_their_cause_and_no_others(self):
        server, truth_file = self.serve(), os.path.join(self.folder, "truth.json")
        said = self.simulate(server, "--ranks", "512", "--seed", str(SEED % 2**31), "--truth", truth_file)
        self.assertIn("2 ranks slow planted", said)
        with open(truth_file, encoding="utf-8") as file:
            truth = json.load(file)
        def incidents():
            found = server.ask("fleet.cluster.incidents", cluster_id="sim", top_n=1000)["incidents"]
            return {one["rank"]: one for one in found}

        found = incidents()
        self.assertEqual(set(found), {one["rank"] for one in truth["stragglers"]}, f"seed {SEED}: {found}")
        for planted in truth["stragglers"]:
            with self.subTest(seed=SEED, planted=planted):
                one = found[planted["rank"]]
                self.assertEqual((one["class"], one["node_id"]), (planted["class"], planted["node_id"]))
                self.assertLess(abs(one["from_ns"] - planted["from_ns"]), 30 * SECOND)
                self.assertAlmostEqual(one["evidence"]["effect"], planted["effect"], delta=0.25)
                if one["to_ns"] - one["from_ns"] > 60 * SECOND:
                    self.assertEqual(one["persistence"], "persistent")
                is_over = planted["to_ns"] + 60 * SECOND < truth["first_ns"] + truth["windows"] * PERIOD
                if is_over:
                    # The last windows, of which some are lost, are waited for before they are evaluated.
                    for _ in range(20):
                        if one["state"] == "over":
                            break
                        time.sleep(0.5)
                        one = incidents()[planted["rank"]]
                    self.assertEqual(one["state"], "over", f"seed {SEED}: {one}, planted {planted}")

    def test_clocks_are_as_planted(self):
        server, truth_file = self.serve(), os.path.join(self.folder, "truth.json")
        self.simulate(server, "--ranks", "64", "--plan", "healthy", "--seed", str(SEED % 2**31), "--truth", truth_file)
        with open(truth_file, encoding="utf-8") as file:
            truth = json.load(file)
        clocks = server.ask("clocks", cluster_id="sim")
        self.assertEqual(clocks["unknown_nodes"], 0)
        self.assertEqual({one["node_id"]: one["offset_ns"] for one in clocks["clocks"]},
                         {f"node-{node:04}": offset for node, offset in enumerate(truth["clock_offset_ns"])}, f"seed {SEED}")

    def test_a_healthy_job_has_no_incident(self):
        server = self.serve()
        self.simulate(server, "--ranks", "256", "--plan", "healthy", "--seed", str(SEED % 2**31))
        self.assertEqual(server.ask("fleet.cluster.incidents")["incidents"], [], f"seed {SEED}")
        (job,) = server.ask("fleet.cluster.find_outlier_nodes")["jobs"]
        self.assertEqual((job["ranks"], job["late_windows"]), (256, 0))


    def test_the_ranks_of_a_hang_are_named_and_no_others(self):
        for attempt in range(3):
            seed = (SEED + attempt) % 2**31
            with self.subTest(seed=seed):
                server, truth_file = Server(self.folder, database=f"h{attempt}.db"), os.path.join(self.folder, "truth.json")
                self.addCleanup(lambda server=server: server.process.poll() is None and server.stop(signal.SIGKILL))
                self.simulate(server, "--ranks", "512", "--windows", "40", "--plan", "hang", "--seed", str(seed), "--truth", truth_file)
                with open(truth_file, encoding="utf-8") as file:
                    (planted,) = json.load(file)["hangs"]
                time.sleep(3)  # until the last window has settled
                (hang,) = server.ask("hangs", cluster_id="sim")["hangs"]
                self.assertEqual((hang["kind"], [one["rank"] for one in sorted(hang["evidence"]["ranks"], key=lambda one: one["rank"])]),
                                 (planted["kind"], planted["ranks"]))
                self.assertEqual((hang["class"], hang["state"], hang["rank"]), ("hang", "open", hang["evidence"]["ranks"][0]["rank"]))
                self.assertLess(abs(hang["from_ns"] - planted["from_ns"]), 10 * SECOND)
                self.assertEqual(hang["evidence"]["not_observed_ranks"], 0)
                self.assertTrue(all(one["node_id"] == f"node-{one['rank'] // 8:04}" for one in hang["evidence"]["ranks"]))

                # Killed, it still knows; the incident is the same, and the only one.
                server.stop(signal.SIGKILL)
                server = Server(self.folder, database=f"h{attempt}.db")
                (again,) = server.ask("fleet_cluster_hangs")["hangs"]
                self.assertEqual((again["id"], again["evidence"]["ranks"]), (hang["id"], hang["evidence"]["ranks"]))
                incidents = server.ask("fleet.cluster.incidents", cluster_id="sim")["incidents"]
                self.assertEqual([one["id"] for one in incidents], [hang["id"]])
                server.stop()


class Hangs(Cluster):
    def test_a_rank_that_does_not_come_is_named_in_time_until_it_comes(self):
        server = self.serve("--hang-after", "4s")
        numbers = {rank: (3, 3) if rank == 5 else (4, 3) for rank in range(16)}

        def send(end):
            for node in range(2):
                points = []
                for rank in range(node * 8, node * 8 + 8):
                    shared = {"ingero.rank": rank, "gpu.collective.comm_id_hash": "12345", "gpu.collective.rank": rank,
                              "gpu.collective.nranks": 17, "gpu.collective.op_type": "AllReduce", "gpu.collective.size": 4096}
                    points += [(f"ingero.fleet.collective.{name}", "gauge", end - SECOND, end, number, shared)
                               for name, number in zip(("entered", "left"), numbers[rank])]
                resource = {"ingero.cluster.id": "live", "ingero.node.id": f"gpu-{node}", "ingero.job.id": "j1"}
                self.assert_accepted(server.send(as_protobuf(resource, points)))

        begin, found = time.monotonic(), None
        while time.monotonic() < begin + 14 and not found:
            send(time.time_ns())
            time.sleep(1)
            found = server.ask("hangs", cluster_id="live")["hangs"]
        took = time.monotonic() - begin
        self.assertTrue(found, "not named")
        self.assertTrue(4 <= took < 14, took)
        (hang,) = found
        evidence = hang["evidence"]
        self.assertEqual((hang["kind"], hang["rank"], hang["node_id"], evidence["number"], evidence["not_observed_ranks"], evidence["waiting_ranks"]),
                         ("missing_enter", 5, "gpu-0", 4, 1, 15))
        self.assertIn("rank 5 on gpu-0 has not come to collective 4 (AllReduce of 4096 bytes); 15 ranks wait", evidence["sentence"])
        # It comes: over.
        numbers.update({rank: (5, 4) for rank in range(16)})
        send(time.time_ns())
        time.sleep(3.5)
        self.assertEqual(server.ask("hangs")["hangs"], [])
        incidents = server.ask("incidents")["incidents"]
        self.assertEqual([(one["id"], one["state"]) for one in incidents], [(hang["id"], "over")], incidents)


class BadInput(Cluster):
    def test_without_tls_it_does_not_start_unless_asked_to_and_then_on_this_machine_only(self):
        def refused(*arguments):
            done = subprocess.run([INGERO, "fleet", "serve", "--db", os.path.join(self.folder, "x.db"), *arguments],
                                  capture_output=True, text=True, timeout=30, check=False)
            self.assertEqual(done.returncode, 2, done)
            return done.stderr
        self.assertIn("--insecure-no-tls", refused())
        self.assertIn("on this machine only", refused("--insecure-no-tls", "--http-listen", "0.0.0.0:0"))
        self.assertIn("on this machine only", refused("--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "0.0.0.0:0"))
        self.assertIn("on this machine only", refused("--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "0.0.0.0:0"))
        for url in ("javascript:alert('{node}')", "https://gpu:8080", "ftp://{node}", "https://{node}/\"><script>", "https://{node}/ x"):
            self.assertIn("--dashboard-url", refused("--insecure-no-tls", "--dashboard-url", url), url)
        self.assertIn("exclude each other", refused("--insecure-no-tls", "--tls-cert", "a", "--tls-key", "b"))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "x.db")))

    def make_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "k.pem", "-out",
                        "c.pem", "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"],
                       cwd=self.folder, capture_output=True, check=True)
        os.chmod(os.path.join(self.folder, "k.pem"), 0o600)

    def test_over_tls_it_takes_what_a_client_sends_that_trusts_it(self):
        self.make_certificate()
        environment = dict(os.environ, INGERO_TOKEN=TOKEN)
        process = clients.started(
            [INGERO, "fleet", "serve", "--db", "t.db", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--http-listen", "127.0.0.1:0",
             "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"], cwd=self.folder, env=environment, stderr=subprocess.PIPE, text=True)
        otlp, api = map(int, re.findall(r"https://127\.0\.0\.1:(\d+)", process.stderr.readline()))
        trusting = ssl.create_default_context(cafile=os.path.join(self.folder, "c.pem"))

        def request(port, method, path, body=b""):
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=30, context=trusting)
            with contextlib.closing(connection):
                connection.request(method, path, body, {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-protobuf"})
                answer = connection.getresponse()
                return answer.status, answer.read()

        body = as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])
        self.assertEqual(request(otlp, "POST", "/v1/metrics", body), (200, b""))
        status, health = request(api, "GET", "/api/v1/health")
        self.assertEqual((status, json.loads(health)["received"]["points"]), (200, 1))
        with self.assertRaises((OSError, http.client.HTTPException)):  # without TLS
            plain = http.client.HTTPConnection("127.0.0.1", otlp, timeout=30)
            with contextlib.closing(plain):
                plain.request("POST", "/v1/metrics", body)
                plain.getresponse()
        process.terminate()
        process.stderr.close()
        self.assertEqual(process.wait(timeout=30), 0)

    def test_over_tls_it_asks_for_a_token_on_public_addresses(self):
        self.make_certificate()
        done = subprocess.run([INGERO, "fleet", "serve", "--db", "x.db", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--http-listen",
                               "0.0.0.0:0"], cwd=self.folder, capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("--token-file", done.stderr)

    def test_by_default_nodes_reach_it_where_what_they_send_is_encrypted(self):
        self.make_certificate()
        ports = ["--grpc-listen", ":0", "--http-listen", ":0", "--api-listen", "0"]
        helped = subprocess.run([INGERO, "fleet", "serve", "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
        for default in (":4317", ":4318", ":8081"):
            self.assertIn(f"(default: {default})", helped)
        for protection, host in ((["--tls-cert", "c.pem", "--tls-key", "k.pem"], "0.0.0.0"), (["--insecure-no-tls"], "127.0.0.1")):
            process = clients.started([INGERO, "fleet", "serve", "--db", "d.db", *protection, *ports], cwd=self.folder,
                                      env=dict(os.environ, INGERO_TOKEN=TOKEN), stderr=subprocess.PIPE, text=True)
            line = process.stderr.readline()
            process.terminate()
            process.stderr.close()
            self.assertEqual((len(re.findall(rf"{re.escape(host)}:\d+", line)), process.wait(timeout=30)), (3, 0), line)
        done = subprocess.run([INGERO, "fleet", "serve", "--db", "e.db", "--tls-cert", "c.pem", "--tls-key", "k.pem", *ports], cwd=self.folder,
                              capture_output=True, text=True, timeout=30, check=False)
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("--token-file, or listen on 127.0.0.1", done.stderr)

    def test_another_program_has_the_file_or_it_is_something_else(self):
        self.serve()
        with self.assertRaisesRegex(AssertionError, "another program is writing this file"):
            Server(self.folder)
        with sqlite3.connect(os.path.join(self.folder, "other.db")) as other:
            other.execute("CREATE TABLE t (x)")
        with self.assertRaisesRegex(AssertionError, "not a cluster's"):
            Server(self.folder, database="other.db")

    def test_secrets_are_asked_for_everywhere_but_at_the_versions(self):
        server = self.serve()
        body = as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])
        for token in (None, "wrong-token-of-the-same-length!"):
            self.assertEqual(server.send(body, token=token)[0], 401)
            for path in ("/api/v1/health", "/api/v1/tools", "/api/v1/threshold?cluster_id=x"):
                self.assertEqual(server.get(path, token)[0], 401)
        status, versions = server.get("/api/versions", None)
        self.assertEqual(status, 200)
        self.assertRegex(versions["version"], r"^\d+\.\d+$")
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["points"], 0)
        status, tools = server.get("/api/v1/tools")
        self.assertEqual([one["name"] for one in tools["tools"]],
                         ["fleet.cluster." + name for name in ("clocks", "effects", "event_history", "find_outlier_nodes", "hangs", "incidents",
                                                               "run_analysis", "run_sql")])

    def test_a_token_of_one_cluster_sends_for_it_and_reads_nothing_else(self):
        its = TOKEN + "-of-the-lab"
        server, now = self.serve(tokens=its + " cluster=lab\n"), time.time_ns()
        for name in ("lab", "train"):
            self.assert_accepted(server.send(as_protobuf({"host.name": "n-" + name, "ingero.cluster.id": name}, [event(0, 0, now)])))
        status, answer, _ = server.send(json.dumps({"resourceMetrics": [
            {"resource": {"attributes": [{"key": key, "value": {"stringValue": value}} for key, value in
                                         (("host.name", "n-2"), ("ingero.cluster.id", name))]},
             "scopeMetrics": [{"metrics": [{"name": "m", "gauge": {"dataPoints": [{"timeUnixNano": str(now), "asDouble": 1.0}]}}]}]}
            for name in ("lab", "train")]}).encode(), "application/json", its)
        partial = json.loads(answer)["partialSuccess"]
        self.assertEqual((status, partial["rejectedDataPoints"]), (200, "1"))
        self.assertIn("not one of this cluster", partial["errorMessage"])

        def ask(path, token, **given):
            status, answer, _ = server.request(server.api, "POST", path, json.dumps(given).encode(), {"Content-Type": "application/json"}, token)
            return status, json.loads(answer)
        query = "SELECT DISTINCT node_id FROM events ORDER BY 1"
        self.assertEqual(ask("/api/v1/sql", TOKEN, query=query)[1]["data"], [["n-2"], ["n-lab"], ["n-train"]])
        self.assertEqual(ask("/api/v1/sql", its, query=query)[1]["data"], [["n-2"], ["n-lab"]])
        self.assertEqual(ask("/api/v1/sql", its, query="SELECT * FROM main.events")[0], 400)
        self.assertEqual({one["cluster_id"] for one in ask("/api/v1/tools/event_history", its)[1]["events"]}, {"lab"})
        status, answer = ask("/api/v1/tools/event_history", its, cluster_id="train")
        self.assertEqual((status, answer["class"]), (403, "refused"))
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run_sql", "arguments": {"query": query}}}
        self.assertNotIn("n-train", json.dumps(ask("/mcp", its, **call)[1]))
        self.assertIn("n-train", json.dumps(ask("/mcp", TOKEN, **call)[1]))
        for path in ("/metrics", "/api/v1/threshold?cluster_id=train"):
            self.assertEqual(server.request(server.api, "GET", path, token=its)[0], 403, path)
        self.assertEqual(server.get("/api/v1/health", its)[0], 200)

    def test_it_describes_itself_and_shows_what_it_did(self):
        server, now = self.serve(), time.time_ns()
        points = [("good", "gauge", 0, now, 1.0, {}), ("old", "gauge", 0, 1, 1.0, {})]
        self.assertEqual(server.send(as_protobuf({"host.name": "n"}, points))[0], 200)
        self.assertEqual(server.request(server.api, "GET", "/metrics", token=None)[0], 401)
        status, text, headers = server.request(server.api, "GET", "/metrics")
        self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, "text/plain"))
        lines = text.decode().splitlines()
        for line in ("ingero_fleet_requests_total 1", "ingero_fleet_points_total 1", "ingero_fleet_nodes 1",
                     'ingero_fleet_refused_points_total{reason="a time is more than 30 days ago"} 1'):
            self.assertIn(line, lines)
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text, check=True)
        for line in lines:
            if not line.startswith("#"):
                self.assertIn("# TYPE " + re.match(r"\w+", line)[0], text.decode())
        status, api = server.get("/api/v1/openapi.json")
        self.assertEqual((status, api["openapi"]), (200, "3.1.0"))
        _, tools = server.get("/api/v1/tools")
        self.assertLessEqual({"/api/v1/tools/" + one["name"] for one in tools["tools"]}, set(api["paths"]))
        for path, methods in api["paths"].items():
            if "get" in methods:
                asked = path + "".join(f"?{one['name']}=n" for one in methods["get"].get("parameters", []))
                self.assertIn(server.request(server.api, "GET", asked)[0], (200, 404), path)

    def test_what_cannot_be_read_is_refused_and_counted(self):
        server = self.serve()
        good = as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])
        self.assertEqual(server.send(b"\xff\xff\xff")[0], 400)
        self.assertEqual(server.send(b"[", "application/json")[0], 400)
        self.assertEqual(server.send(b"[" * 100000, "application/json")[0], 400)
        self.assertEqual(server.send(good, "text/plain")[0], 415)
        self.assertEqual(server.send(good, Content_Encoding="br")[0], 415)
        self.assertEqual(server.send(good, Content_Encoding="gzip")[0], 400)
        self.assertEqual(server.send(gzip.compress(good)[:-4], Content_Encoding="gzip")[0], 400)
        bomb = gzip.compress(bytes(60 << 20))
        self.assertLess(len(bomb), 1 << 20)
        self.assertEqual(server.send(bomb, Content_Encoding="gzip")[0], 413)
        self.assertEqual(server.request(server.otlp, "GET", "/v1/metrics")[0], 405)
        self.assertEqual(server.request(server.otlp, "POST", "/v1/traces", good)[0], 404)
        status, body, _ = server.send(b"[", "application/json")
        self.assertEqual((status, json.loads(body)["code"]), (400, 3))
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["received"]["undecodable"], health["received"]["points"]), (9, 0))
        self.assert_accepted(server.send(good))

    def test_a_body_that_is_too_long_is_not_read(self):
        server = self.serve()
        connection = http.client.HTTPConnection("127.0.0.1", server.otlp, timeout=30)
        connection.putrequest("POST", "/v1/metrics")
        for name, value in (("Authorization", "Bearer " + TOKEN), ("Content-Type", "application/x-protobuf"), ("Content-Length", str(5 << 20))):
            connection.putheader(name, value)
        connection.endheaders()
        self.assertEqual(connection.getresponse().status, 413)
        connection.close()

    def test_points_that_can_never_be_taken_are_in_the_partial_success(self):
        server, now = self.serve(), time.time_ns()
        resource = {"host.name": "n"}
        points = [("good", "gauge", 0, now, 1.0, {}), ("nan", "gauge", 0, now, float("nan"), {}),
                  ("old", "gauge", 0, 1, 1.0, {}), ("ahead", "gauge", 0, now + 3600 * SECOND, 1.0, {}),
                  ("nine", "gauge", 0, now, 1.0, {"nccl.rank": 9, "nccl.nranks": 8})]
        status, body, _ = server.send(as_protobuf(resource, points))
        self.assertEqual(status, 200)
        self.assertIn(b"\x08\x04\x12", body)
        for reason in (b"not a finite number", b"30 days ago", b"10 minutes ahead", b"not below the number of ranks"):
            self.assertIn(reason, body)
        points = [one for one in points if one[0] != "nan"]  # JSON has none
        status, body, _ = server.send(as_json(resource, points), "application/json")
        self.assertEqual((status, json.loads(body)["partialSuccess"]["rejectedDataPoints"]), (200, "3"))
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["received"]["points"], health["received"]["repeated"]), (1, 1))
        self.assertEqual(sum(health["received"]["refused"].values()), 7)

    def test_every_acknowledged_batch_is_there_after_a_kill(self):
        acknowledged, now = [], time.time_ns()
        for round_number in range(3):
            server = self.serve()

            def run(sender):
                taken = []
                for number in range(10_000):
                    body = as_protobuf({"host.name": f"n{sender}"}, [(f"m{round_number}", "gauge", 0, now + number, 1.0, {})])
                    try:
                        if server.send(body)[0] == 200:
                            taken.append((f"n{sender}", f"m{round_number}", now + number))
                    except (OSError, http.client.HTTPException):
                        return taken
                return taken

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                running = [pool.submit(run, sender) for sender in range(4)]
                time.sleep(0.5)
                server.stop(signal.SIGKILL)
                acknowledged += [one for future in running for one in future.result()]
        self.assertGreater(len(acknowledged), 20)
        with sqlite3.connect(os.path.join(self.folder, "c.db")) as store:
            rows = store.execute("SELECT node_id, metric_name, timestamp_ns FROM events").fetchall()
        self.assertEqual(len(rows), len(set(rows)))
        self.assertEqual(set(acknowledged) - set(rows), set())


class Sums(Cluster):
    """Of minutes and hours: whatever is sent twice, and whenever the server is killed, they are those of a recount."""

    RECOUNT = """SELECT count(*), coalesce(sum(x.windows IS NOT c.windows OR x.collectives IS NOT c.a OR x.work_us IS NOT c.w OR x.bytes IS NOT c.b), 0)
        FROM (SELECT start_ns / {0}000000000 * {0} AS s, node, job_id, rank, comm_id_hash, count(*) AS windows, sum(collectives) AS a,
              sum(CAST(round(work_total_s * 1e6) AS INTEGER)) AS w, sum(bytes) AS b FROM windows GROUP BY 1, 2, 3, 4, 5) AS c
        LEFT JOIN {1} AS x ON (x.start_s, x.node, x.job_id, x.rank, x.comm_id_hash) = (c.s, c.node, c.job_id, c.rank, c.comm_id_hash)"""

    def test_are_those_of_a_recount_after_kills_and_batches_that_come_twice(self):
        seen, first = set(), time.time_ns() // PERIOD - 600
        noise = random.Random(SEED)
        for round_number in range(5):
            server, stopped = self.serve(), threading.Event()

            def run(sender, round_number=round_number, server=server):
                taken = []
                for number in range(round_number * 100, round_number * 100 + 100):
                    start, points = (first + number) * PERIOD, []
                    for rank in (2 * sender, 2 * sender + 1):
                        shared = {"ingero.rank": rank, "gpu.collective.comm_id_hash": "12345", "gpu.collective.nranks": 8}
                        points += [("ingero.fleet.collective.work", "histogram", start, start + PERIOD, (5, noise.random()), shared),
                                   ("ingero.fleet.collective.size", "sum", start, start + PERIOD, noise.randrange(10**9), shared)]
                    body = as_protobuf({"ingero.cluster.id": "sim", "ingero.node.id": f"gpu-{sender}", "ingero.job.id": "j1"}, points)
                    for _ in range(2):
                        try:
                            if server.send(body)[0] == 200:
                                taken.append((f"gpu-{sender}", start))
                        except (OSError, http.client.HTTPException):
                            return taken
                    if stopped.is_set():
                        return taken
                return taken

            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                running = [pool.submit(run, sender) for sender in range(4)]
                time.sleep(0.3)
                server.stop(signal.SIGKILL)
                stopped.set()
                seen |= {one for future in running for one in future.result()}
        self.assertGreater(len(seen), 20)
        server = self.serve()  # which recovers the file
        server.stop()
        with sqlite3.connect(server.database) as store:
            rows = set(store.execute("SELECT n.node_id, w.start_ns FROM windows w JOIN nodes n ON n.id = w.node"))
            self.assertEqual(seen - rows, set())
            for length, table in ((60, "minutes"), (3600, "hours")):
                sums, wrong = store.execute(self.RECOUNT.format(length, table)).fetchone()
                self.assertEqual((wrong, sums), (0, store.execute(f"SELECT count(*) FROM {table}").fetchone()[0]))


if __name__ == "__main__":
    clients.run_side_by_side()
