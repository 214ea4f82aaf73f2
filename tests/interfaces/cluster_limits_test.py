#!/usr/bin/env python3
"""What a cluster's server takes of whom: rates, series, ranks of a node, and what is not of its type.

  cluster_limits_test.py INGERO
"""
import contextlib
import gzip
import http.client
import json
import os
import socket
import subprocess
import time

import clients
from cluster_test import INGERO, PERIOD, TOKEN, Cluster, as_json, as_protobuf, attributes_of, event, field, resident_mib


class Limits(Cluster):
    def test_a_token_that_sends_more_than_its_rates_is_told_when_to_come_again(self):
        server, now = self.serve("--points-rate", "10", "--bytes-rate", "0"), time.time_ns()
        def points(number):
            return as_protobuf({"host.name": "n"}, [("m", "gauge", 0, now + number * 1000 + i, 1.0, {}) for i in range(55)])
        self.assert_accepted(server.send(points(0)))
        status, body, headers = server.send(points(1))
        self.assertEqual(status, 429)
        self.assertIn(b"node n of default: of the token's 10 points a second its share is used up", body)
        self.assertTrue(1 <= int(headers["Retry-After"]) <= 6, headers)
        status, body, headers = server.send(as_json({"host.name": "n"}, [("m", "gauge", 0, now, 1.0, {})]), "application/json")
        self.assertEqual((status, json.loads(body)["code"]), (429, 8))
        _, health = server.get("/api/v1/health")
        self.assertEqual(health["received"]["over_quota"], {"bytes": 0, "points": 2, "series": 0})
        self.assertEqual(health["received"]["points"], 55)
        self.assertIn('ingero_fleet_over_quota_requests_total{quota="points"} 2', server.request(server.api, "GET", "/metrics")[1].decode())
        time.sleep(int(headers["Retry-After"]))
        self.assert_accepted(server.send(points(1)))
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["points"], 110)

    def test_a_node_that_floods_uses_up_its_own_share_only(self):
        server, now = self.serve("--points-rate", "1000", "--bytes-rate", "0"), time.time_ns()
        def send(node, number, count):
            return server.send(as_protobuf({"host.name": node}, [("m", "gauge", 0, now + number * 1000 + i, 1.0, {}) for i in range(count)]))
        for node in ("flood", "good"):
            self.assert_accepted(send(node, 0, 1))
        time.sleep(5)  # both have their shares: 2,500
        refused, number = 0, 0
        while refused < 20:
            number += 1
            status, body, _ = send("flood", number, 200)
            self.assertIn(status, (200, 429))
            refused += status == 429 and b"node flood of default" in body
        for number in range(1, 11):
            self.assert_accepted(send("good", number, 200))

    def test_where_it_stores_is_nobody_else_s(self):
        """Planted links, pipes, and files and folders of another user: an error within 2 s, and nothing is written."""
        folder, plain = self.folder, {}

        def path(name):
            return os.path.join(folder, name)
        with open(path("target"), "wb"):
            pass
        for name in ("link.db", "wal.db-wal", "journal.db-journal", "shm.db-shm"):
            os.symlink(path("target"), path(name))
            plain[name.split("-")[0]] = ["--db", path(name.split("-")[0])]
        os.mkfifo(path("pipe.db"))
        plain["pipe.db"] = ["--db", path("pipe.db")]
        os.mkdir(path("planted"))
        os.symlink(path("target"), path("planted/lock"))
        plain["a lock that is a link"] = ["--clickhouse", "http://127.0.0.1:9/c", "--spool-dir", path("planted")]
        if os.geteuid() == 0:
            for name in ("their.db", "theirs"):
                os.mkdir(path(name)) if name == "theirs" else open(path(name), "wb").close()
                os.chown(path(name), 65534, 65534)
            plain["their.db"] = ["--db", path("their.db")]
            plain["in their folder"] = ["--db", path("theirs/c.db")]
            plain["their spool"] = ["--clickhouse", "http://127.0.0.1:9/c", "--spool-dir", path("theirs")]
        for name, store in plain.items():
            with self.subTest(name=name):
                done = subprocess.run(
                    [INGERO, "fleet", "serve", *store, "--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"],
                    capture_output=True, text=True, timeout=2, check=False, env={**os.environ, "INGERO_TOKEN": clients.TOKEN})
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertEqual(os.path.getsize(path("target")), 0)

    def test_a_file_that_is_gone_takes_nothing_and_health_says_so(self):
        server = self.serve()
        path, aside = server.database, server.database + ".aside"
        point = lambda: as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])
        self.assert_accepted(server.send(point()))
        self.assertEqual(server.get("/api/v1/health")[1]["status"], "ok")
        os.rename(path, aside)
        self.assertEqual(server.send(point())[0], 503)
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["status"], health["store"]["refused_requests"]), ("failing", 1))
        self.assertIn("was removed or replaced", health["store"]["last_error"])
        self.assertIn("is not stored", " ".join(server.post("/api/v1/tools/fleet.cluster.run_analysis", {})["sentences"]))
        os.rename(aside, path)
        self.assert_accepted(server.send(point()))
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["status"], health["store"]["last_error"]), ("ok", None))
        self.assertEqual(server.sql("SELECT COUNT(*) FROM events")["data"][0][0], 2)

    def test_a_node_has_no_more_ranks_than_a_machine(self):
        server, start = self.serve(), time.time_ns() // PERIOD * PERIOD - 2 * PERIOD
        def windows(node, ranks):
            return as_protobuf({"ingero.cluster.id": "c", "host.name": node, "gpu.collective.comm_id_hash": 7, "gpu.collective.nranks": 65536}, [
                ("ingero.fleet.collective.work.median", "gauge", start, start + PERIOD, 1.0, {"ingero.rank": rank}) for rank in ranks])
        status, body, _ = server.send(windows("bad", range(10_000)))
        self.assertEqual(status, 200)
        self.assertIn(b"node bad: windows of more than 256 ranks of one node (9744)", body)
        self.assert_accepted(server.send(windows("good", range(20_000, 20_008))))
        _, health = server.get("/api/v1/health")
        self.assertEqual(health["nodes_of_too_many_ranks"], ["c: bad"])
        self.assertEqual((health["not_compared"]["ranks_of_node"], health["received"]["windows"]), (9744, 264))
        self.assertIn("c: bad", " ".join(server.post("/api/v1/tools/fleet.cluster.run_analysis", {})["sentences"]))

    def test_one_that_invents_nodes_and_jobs_leaves_room_for_the_others(self):
        server, start = self.serve("--points-rate", "0", "--bytes-rate", "0"), time.time_ns() // PERIOD * PERIOD - 2 * PERIOD
        def window(node, job):
            return as_protobuf({"ingero.cluster.id": "c", "host.name": node, "ingero.job.id": job, "gpu.collective.comm_id_hash": 7, "gpu.collective.nranks": 2}, [
                ("ingero.fleet.collective.work.median", "gauge", start, start + PERIOD, 1.0, {"ingero.rank": 0})])
        def send(address, windows):
            connection = http.client.HTTPConnection("127.0.0.1", server.otlp, timeout=60, source_address=(address, 0))
            with contextlib.closing(connection):
                connection.request("POST", "/v1/metrics", b"".join(windows), {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/x-protobuf"})
                answer = connection.getresponse()
                self.assertEqual(answer.status, 200)
                return answer.read()
        many = range(10_000)
        self.assertIn(b"the others are for other senders (6416)", send("127.0.0.9", [window(f"invented-{i}", "j") for i in many]))
        self.assertEqual(send("127.0.0.9", [window(f"invented-{i % 4}", f"invented-{i}") for i in range(1000)]), b"", "stored, not compared")
        self.assertEqual(send("127.0.0.1", [window(f"honest-{i}", f"honest-{i % 4}") for i in range(448)]), b"")
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["jobs"], health["not_compared"]["too_many_jobs"]), (228, 777))
        self.assertEqual(health["received"]["windows"], 3584 + 1000 + 448)

    def test_what_is_not_of_its_type_is_refused_with_its_reason(self):
        server, now = self.serve(), time.time_ns()
        resource = {"attributes": [{"key": "host.name", "value": {"stringValue": "n"}}]}
        def send(metrics):
            status, body, _ = server.send(json.dumps({"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": metrics}]}]}).encode(), "application/json")
            self.assertEqual(status, 200, body)
            return json.loads(body).get("partialSuccess")
        def point(**more):
            return {"timeUnixNano": str(now), **more}
        def rank(**value):
            return point(asInt="1", attributes=[{"key": "nccl.rank", "value": value}])
        number, attribute = "a value, a count or a time is not a number of its type", "an attribute's value is not of its type"
        for bad, reason in (
                (point(asInt="abc"), number), (point(asInt=2**63), number), (point(asInt=True), number), (point(asDouble="abc"), number),
                (point(), "a data point has no value"), (point(asInt="1", timeUnixNano="soon"), number), (point(asInt="1", flags="x"), number),
                (rank(stringValue="abc"), "a rank is not a whole number"), (rank(doubleValue=1.5), "a rank is not a whole number"),
                (rank(intValue="abc"), attribute), (rank(stringValue=5), attribute), (rank(boolValue="yes"), attribute), (rank(bytesValue="%"), attribute)):
            self.assertEqual(send([{"name": "m", "gauge": {"dataPoints": [bad]}}]), {"rejectedDataPoints": "1", "errorMessage": f"{reason} (1)"}, bad)
        for bad in (point(count="-5", sum=1.0), point(count=1.5), point(count="1", sum="abc")):
            self.assertEqual(send([{"name": "h", "histogram": {"dataPoints": [bad]}}]), {"rejectedDataPoints": "1", "errorMessage": number + " (1)"}, bad)
        _, health = server.get("/api/v1/health")
        self.assertEqual((sum(health["received"]["refused"].values()), health["received"]["points"]), (16, 0))
        for good in (point(asInt="5"), point(asInt=6), point(asDouble=7), point(asDouble="8.5"), rank(stringValue="7"), rank(doubleValue=7.0), rank(), rank(stringValue="")):
            self.assertIsNone(send([{"name": json.dumps(good), "gauge": {"dataPoints": [good]}}]), good)
        self.assertIsNone(send([{"name": "none", "gauge": {"dataPoints": [point(flags=1)]}}]))
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["points"], 8)
        for bad in ('{"resourceMetrics": "x"}', '{"resourceMetrics": [5]}', '{"resourceMetrics": [{"scopeMetrics": {}}]}',
                    '{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m", "gauge": []}]}]}]}',
                    '{"resourceMetrics": [{"resource": "n", "scopeMetrics": []}]}'):
            self.assertEqual(server.send(bad.encode(), "application/json")[0], 400, bad)
        # In protobuf a type that is not the field's is a field that is not known.
        metrics = field(1, b"m") + field(5, field(1, field(3, ("fixed", now)) + field(6, 5)))
        status, body, _ = server.send(field(1, field(1, attributes_of(1, {"host.name": "n"})) + field(2, field(2, metrics))))
        self.assertIn(b"a data point has no value (1)", body)
        status, body, _ = server.send(as_protobuf({"host.name": "n"}, [("h", "histogram", 0, now, (2**63, 1.0), {})]))
        self.assertIn(b"a count is above 2^63 - 1 (1)", body)

    def test_a_window_holds_no_more_than_it_has_time_for(self):
        server, start = self.serve(), time.time_ns() // PERIOD * PERIOD - 2 * PERIOD
        def send(name, kind, value):
            attributes = {"ingero.rank": 1, "gpu.collective.comm_id_hash": 7, "gpu.collective.nranks": 8}
            return server.send(as_protobuf({"host.name": "n"}, [("ingero.fleet.collective." + name, kind, start, start + PERIOD, value, attributes)]))[1]
        for name, kind, value, reason in (
                ("work", "histogram", (2**62, 1.0), b"more collectives or waits than there is time for"), ("work", "histogram", (5, 1e307), b"longer than 30 days"),
                ("wait", "histogram", (5, 1e307), b"longer than 30 days"), ("work.median", "gauge", 1e307, b"longer than 30 days"), ("blocked", "gauge", 1e12, b"than there is time for"),
                ("size", "gauge", 2**62, b"more bytes than there is time for"), ("work", "gauge", 1.0, b"not of its kind"), ("entered", "gauge", 1.5, b"not of its kind")):
            self.assertIn(reason, send(name, kind, value), name)
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["windows"], 0)
        for name, kind, value in (("work", "histogram", (50_000, 4.9)), ("work.median", "gauge", 86_400.0), ("size", "gauge", 10**13), ("entered", "gauge", 2**40)):
            self.assertEqual(send(name, kind, value), b"", name)

    def test_what_a_statement_is_told_names_no_file(self):
        server = self.serve()
        for statement in ("selec", "DELETE FROM events", "ATTACH 'x' AS y", "SELECT readfile('/etc/passwd')", "SELECT randomblob(500000000)"):
            status, body, _ = server.request(server.api, "POST", "/api/v1/sql", json.dumps({"sql": statement}).encode(), {"Content-Type": "application/json"})
            self.assertEqual(status, 400, body)
            self.assertNotIn(b"c.db", body)
            self.assertNotIn(self.folder.encode(), body)

    def test_a_body_is_counted_before_it_is_read(self):
        server = self.serve("--bytes-rate", "1k")
        self.assertEqual(server.send(b"\xff" * 8192)[0], 400)
        status, body, _ = server.send(b"\xff" * 8192)
        self.assertEqual(status, 429)
        self.assertIn(b"127.0.0.1: of the token's 1024 bytes a second its share is used up", body)

    def test_a_million_series_of_one_node_are_refused_and_the_others_do_not_suffer(self):
        server, now = self.serve("--points-rate", "0", "--bytes-rate", "0"), time.time_ns()
        before, refused = resident_mib(server.process.pid), 0
        for first in range(0, 1_000_000, 20_000):
            resource = field(1, attributes_of(1, {"host.name": "flood"}))
            metrics = field(1, b"m") + field(5, b"".join(
                field(1, field(3, ("fixed", now)) + field(4, 1.0) + attributes_of(7, {"k": i})) for i in range(first, first + 20_000)))
            status, body, _ = server.send(gzip.compress(field(1, resource + field(2, field(2, metrics))), 1), Content_Encoding="gzip")
            self.assertEqual(status, 200)
            refused += b"the node has more than 4096 time series" in body
        self.assertEqual(refused, 50)
        self.assertEqual(server.sql("SELECT COUNT(*) FROM events")["data"][0][0], 4096)
        self.assert_accepted(server.send(as_protobuf({"host.name": "other"}, [("m", "gauge", 0, now, 1.0, {"k": 5_000_000})])))
        clients.assert_memory_below(self, resident_mib(server.process.pid) - before, 128)

    def test_what_an_interface_refuses_is_counted_by_reason(self):
        """The same numbers in the metrics and in the health answer, whether a handler saw the request or none."""
        server = self.serve()
        good = as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])

        def by_hand(sent, port=server.otlp, ends_at_once=False):
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall(sent)
                if ends_at_once:
                    return b""
                return connection.recv(65536)
        head = b"POST /v1/metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN.encode() + b"\r\nContent-Length: "
        self.assertEqual(server.send(good, token="wrong")[0], 401)
        self.assertEqual(server.send(good, token=None)[0], 401)
        self.assertEqual(server.send(good, Host="elsewhere")[0], 403)
        self.assertEqual(server.request(server.otlp, "GET", "/v1/metrics")[0], 405)
        self.assertEqual(server.request(server.otlp, "POST", "/v1/traces", good)[0], 404)
        self.assertEqual(server.send(good, "text/plain")[0], 415)
        self.assertIn(b" 413 ", by_hand(head + b"99999999\r\n\r\n"))
        self.assertIn(b" 431 ", by_hand(b"GET / HTTP/1.1\r\nX: " + b"x" * 20000))
        self.assertIn(b" 400 ", by_hand(b"hello\r\n\r\n"))
        by_hand(head + b"5\r\n\r\nabc", ends_at_once=True)
        self.assertIn(b" 408 ", by_hand(head + b"5\r\n\r\nabc"))
        self.assertEqual(server.request(server.api, "GET", "/api/v1/health", token="wrong")[0], 401)
        self.assertEqual(server.request(server.api, "GET", "/none")[0], 404)
        expected = {"http": {"unauthenticated": 2, "forbidden": 1, "wrong_method": 1, "not_found": 1, "wrong_type": 1, "too_large": 2, "malformed": 1,
                             "truncated": 1, "request_timeout": 1}, "api": {"unauthenticated": 1, "not_found": 1}, "grpc": {}}
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["refused_requests"], expected)
        exposed = server.request(server.api, "GET", "/metrics")[1].decode()
        for interface, reasons in expected.items():
            for reason, count in {"busy": 0, **reasons}.items():
                self.assertIn(f'ingero_fleet_refused_requests_total{{interface="{interface}",reason="{reason}"}} {count}\n', exposed)


if __name__ == "__main__":
    clients.run_side_by_side()
