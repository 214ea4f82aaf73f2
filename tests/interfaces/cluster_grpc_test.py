#!/usr/bin/env python3
"""A cluster's receiver over gRPC: by curl, by OpenTelemetry's SDK where it is here, and by frames that no client sends.

  cluster_grpc_test.py INGERO

Looked for below INGERO_PARTS: a node_modules with @opentelemetry/exporter-metrics-otlp-grpc and @opentelemetry/sdk-metrics.
"""
import base64
import contextlib
import glob
import gzip
import json
import os
import select
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time
import unittest
import unittest.mock

import clients
import cluster_test
from cluster_test import SECOND, TOKEN, Cluster, as_protobuf, event

EXPORT = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS = 1, 4
OK, INVALID, RESOURCES, UNIMPLEMENTED, UNAVAILABLE, UNAUTHENTICATED = 0, 3, 8, 12, 14, 16


def framed(message, is_packed=False):
    return bytes([is_packed]) + struct.pack(">I", len(message)) + message


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """A header field of HPACK, neither indexed nor packed."""
    def text(of):
        size = len(of)
        return (bytes([size]) if size < 127 else bytes([127, size - 127 & 127 | 128, size - 127 >> 7])) + of.encode()
    return b"\0" + text(name) + text(value)


def headers(path=EXPORT, token=TOKEN):
    fields = {":method": "POST", ":scheme": "http", ":path": path, ":authority": "x", "content-type": "application/grpc", "te": "trailers"}
    if token:
        fields["authorization"] = "Bearer " + token
    return b"".join(literal(name, value) for name, value in fields.items())


def good(number=0):
    return as_protobuf({"host.name": "n"}, [event(number, 0, time.time_ns())])


def frames_of(data):
    """[(kind, flags, stream)] of what came whole."""
    found = []
    while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3], "big"):
        found.append((data[3], data[4], int.from_bytes(data[5:9], "big")))
        data = data[9 + int.from_bytes(data[:3], "big"):]
    return found


@unittest.skipUnless(shutil.which("curl"), "no curl here")
class Grpc(Cluster):
    def call(self, server, body, *more, path=EXPORT, token=TOKEN, scheme="http", kind="application/grpc"):
        """(HTTP status, gRPC code, headers and trailers, body)"""
        with open(os.path.join(self.folder, "body"), "wb") as file:
            file.write(body)
        given = ["curl", "-s", "-D", "-", "-o", "answer", "--max-time", "30", "-X", "POST", "-H", f"content-type: {kind}", "-H", "te: trailers",
                 "-H", f"authorization: Bearer {token}", "--data-binary", "@body", *more]
        if scheme == "http":
            given.append("--http2-prior-knowledge")
        answer = os.path.join(self.folder, "answer")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(answer)
        done = subprocess.run([*given, f"{scheme}://127.0.0.1:{server.grpc}{path}"], cwd=self.folder, capture_output=True, text=True, check=False)
        fields = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
        self.assertIn("HTTP/2", done.stdout, done)
        code = int(fields["grpc-status"]) if "grpc-status" in fields else None
        got = b""
        if os.path.exists(answer):
            with open(answer, "rb") as file:
                got = file.read()
        return int(done.stdout.split()[1]), code, fields, got

    def assert_serves(self, server):
        # A server that is too slow is so each time; a busy machine is not.
        took = []
        while len(took) < 3 and (not took or took[-1] >= 3):
            begin = time.monotonic()
            self.assertEqual(self.call(server, framed(good()))[:2], (200, OK))
            took.append(time.monotonic() - begin)
        self.assertLess(took[-1], 3, took)

    def test_what_is_sent_is_taken_once_and_what_cannot_be_is_refused_with_its_code(self):
        server = self.serve()
        body = good()
        self.assertEqual(self.call(server, framed(body))[1::2], (OK, framed(b"")))
        self.assertEqual(self.call(server, framed(gzip.compress(body), True), "-H", "grpc-encoding: gzip")[1], OK)
        _, health = server.get("/api/v1/health")
        self.assertEqual((health["received"]["points"], health["received"]["repeated"]), (1, 1))

        codes = lambda *given, **more: self.call(server, *given, **more)[1]
        self.assertEqual(codes(framed(body), token="wrong"), UNAUTHENTICATED)
        self.assertEqual(codes(framed(body), path="/x.Y/Z"), UNIMPLEMENTED)
        self.assertEqual(codes(framed(body, True), "-H", "grpc-encoding: br"), UNIMPLEMENTED)
        self.assertEqual(codes(framed(b"\xff\xff\xff")), INVALID)
        self.assertEqual(codes(framed(body) + framed(body)), INVALID)
        self.assertEqual(codes(framed(body)[:-1]), INVALID)
        self.assertEqual(codes(b"\0\0"), INVALID)
        self.assertEqual(codes(framed(gzip.compress(body)[:-4], True), "-H", "grpc-encoding: gzip"), INVALID)
        bomb = self.call(server, framed(gzip.compress(bytes(60 << 20)), True), "-H", "grpc-encoding: gzip")
        self.assertEqual(bomb[1], RESOURCES)
        self.assertNotIn("grpc-status-details-bin", bomb[2])  # no sense in trying again
        self.assertEqual(self.call(server, framed(body), "-X", "GET")[0], 405)
        self.assertEqual(self.call(server, body, kind="application/x-protobuf")[0], 415)
        _, health = server.get("/api/v1/health")
        self.assertEqual(health["received"]["points"], 1)
        self.assertEqual(health["received"]["refused_requests"]["grpc"], {
            "unauthenticated": 1, "not_found": 1, "wrong_type": 2, "malformed": 5, "too_large": 1, "wrong_method": 1})

        now = time.time_ns()
        points = [("good", "gauge", 0, now, 1.0, {}), ("nan", "gauge", 0, now, float("nan"), {}), ("old", "gauge", 0, 1, 1.0, {})]
        partial = self.call(server, framed(as_protobuf({"host.name": "n"}, points)))
        self.assertEqual(partial[1], OK)
        self.assertIn(b"\x08\x02\x12", partial[3])
        self.assertIn(b"not a finite number", partial[3])

    def test_the_answer_says_by_the_servers_clock_when_it_came_and_left(self):
        server, begin = self.serve(), time.time_ns()
        answer = self.call(server, framed(good()))
        self.assertEqual(answer[1], OK)
        received, left = map(int, answer[2]["ingero-time"].split())
        self.assertTrue(begin <= received <= left <= time.time_ns(), answer[2])

    def test_nodes_get_their_threshold_in_the_metadata(self):
        server = self.serve()
        first = time.time_ns() // (10 * SECOND) - 40
        for window in range(30):
            for node in range(8):
                point = ("ingero.node.health_score", "gauge", 0, (first + window) * 10 * SECOND + node, 0.9 + 0.001 * node,
                         {"ingero.node.state": "active", "ingero.cgroup_path_hash": "abc"})
                body = as_protobuf({"ingero.cluster.id": "train", "ingero.node.id": f"gpu-{node}"}, [point])
                if window < 29:
                    self.assert_accepted(server.send(body))
                else:
                    answer = self.call(server, framed(body))
        self.assertEqual(answer[1], OK)
        self.assertEqual(answer[2]["ingero-quorum-met"], "true")
        self.assertAlmostEqual(float(answer[2]["ingero-threshold"]), server.get("/api/v1/threshold?cluster_id=train")[1]["threshold"], places=5)

    def test_where_nothing_can_be_written_it_says_when_to_come_again(self):
        server = self.serve()
        self.assert_serves(server)
        with contextlib.closing(sqlite3.connect(server.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = self.call(server, framed(good(1)))
            other.execute("ROLLBACK")
        self.assertEqual(answer[1], UNAVAILABLE, answer)
        details = answer[2]["grpc-status-details-bin"]
        details = base64.b64decode(details + "=" * (-len(details) % 4))
        at = details.index(b"type.googleapis.com/google.rpc.RetryInfo") + len("type.googleapis.com/google.rpc.RetryInfo")
        # value {retry_delay {seconds}}
        self.assertEqual(details[at:at + 5], b"\x12\x04\x0a\x02\x08")
        self.assertTrue(5 <= details[at + 5] <= 15)
        self.assert_serves(server)

    def test_a_token_that_has_used_up_its_rate_is_told_when_to_come_again(self):
        server = self.serve("--points-rate", "1")
        nine = [event(number, 0, time.time_ns()) for number in range(9)]
        self.assertEqual(self.call(server, framed(as_protobuf({"host.name": "n"}, nine)))[1], OK)
        answer = self.call(server, framed(good(2)))
        self.assertEqual(answer[1], RESOURCES, answer)
        self.assertIn("grpc-status-details-bin", answer[2])
        details = base64.b64decode(answer[2]["grpc-status-details-bin"] + "==")
        self.assertIn(b"type.googleapis.com/google.rpc.RetryInfo", details)
        time.sleep(6)  # nine were sent, five were there
        self.assertEqual(self.call(server, framed(good(2)))[1], OK)

    def test_over_tls(self):
        cluster_test.BadInput.make_certificate(self)
        process = clients.started(
            [cluster_test.INGERO, "fleet", "serve", "--db", "t.db", "--tls-cert", "c.pem", "--tls-key", "k.pem", "--http-listen", "127.0.0.1:0",
             "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"], cwd=self.folder, env=dict(os.environ, INGERO_TOKEN=TOKEN),
            stderr=subprocess.PIPE, text=True)
        line = process.stderr.readline()
        server = unittest.mock.Mock(grpc=int(line.split("gRPC at 127.0.0.1:")[1].split(",")[0]))
        self.assertEqual(self.call(server, framed(good()), "--http2", "--cacert", "c.pem", scheme="https")[1], OK)
        if parts():
            done = self.sdk(f"https://127.0.0.1:{server.grpc}", "gzip", os.path.join(self.folder, "c.pem"))
            self.assertEqual(done, "sent")
        # What speaks no HTTP/2 gets no connection.
        done = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{server.grpc}", "-alpn", "http/1.1"], input="", capture_output=True,
                              text=True, timeout=30, check=False)
        self.assertIn("no application protocol", done.stderr)
        process.send_signal(signal.SIGTERM)
        process.stderr.close()
        self.assertEqual(process.wait(timeout=10), 0)

    def sdk(self, url, compression, *ca, token=TOKEN):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otlp_grpc_client.mjs")
        return subprocess.run(["node", script, parts(), "sdk", url, token, compression, *ca], capture_output=True, text=True, timeout=60,
                              check=True).stdout.strip()

    def test_the_sdk_of_opentelemetry_is_understood(self):
        if not parts():
            self.skipTest("no node, or no @opentelemetry/exporter-metrics-otlp-grpc below INGERO_PARTS")
        server = self.serve()
        for compression in ("none", "gzip"):
            self.assertEqual(self.sdk(f"http://127.0.0.1:{server.grpc}", compression), "sent")
        self.assertRegex(self.sdk(f"http://127.0.0.1:{server.grpc}", "gzip", token="wrong"), "^error 16 ")
        events = server.ask("event_history", cluster_id="sdk")["events"]
        found = {(one["metric_name"], one["node_id"], one["rank"], one["value_double"], one["value_int"]) for one in events}
        self.assertEqual(found, {("foo.count", "sdk-host", 2, 3.0, None), ("lat", "sdk-host", None, 0.75, 2), ("temp", "sdk-host", None, 42.5, None)})
        self.assertGreaterEqual(len(events), 6)

        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "otlp_grpc_client.mjs")

        def raw(body, path=EXPORT):
            done = subprocess.run(["node", script, parts(), "raw", f"127.0.0.1:{server.grpc}", TOKEN, path], input=body, capture_output=True,
                                  timeout=60, check=True)
            return json.loads(done.stdout)
        self.assertEqual(raw(good())["code"], OK)
        self.assertEqual(raw(b"\xff\xff")["code"], INVALID)
        self.assertEqual(raw(good(), "/x.Y/Z")["code"], UNIMPLEMENTED)
        self.assertEqual(raw(bytes(6 << 20))["code"], RESOURCES)
        with contextlib.closing(sqlite3.connect(server.database, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = raw(good(7))
            other.execute("ROLLBACK")
        self.assertEqual(answer["code"], UNAVAILABLE)
        self.assertIn(b"RetryInfo", base64.b64decode(answer["details"]))


class Frames(Cluster):
    """By hand, with nothing that knows HTTP/2."""

    call, assert_serves = Grpc.call, Grpc.assert_serves

    def open(self, server):
        connection = socket.create_connection(("127.0.0.1", server.grpc), timeout=30)
        self.addCleanup(connection.close)
        return connection

    @staticmethod
    def read_to_end(connection, seconds=30):
        """What comes until the server closes; (bytes, whether it did)."""
        end, data = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            connection.settimeout(max(0.1, end - time.monotonic()))
            try:
                got = connection.recv(65536)
            except (TimeoutError, socket.timeout):
                break
            except ConnectionError:
                return data, True
            if not got:
                return data, True
            data += got
        return data, False

    def ends(self, server, sent, seconds=5):
        connection = self.open(server)
        with contextlib.suppress(ConnectionError):
            connection.sendall(sent)
        data, is_closed = self.read_to_end(connection, seconds)
        self.assertTrue(is_closed, sent[:80])
        return frames_of(data)

    @staticmethod
    def refused(server):
        return server.get("/api/v1/health")[1]["received"]["refused_requests"]["grpc"]

    def test_what_is_not_http2_ends_the_connection(self):
        server = self.serve()
        begun = PREFACE + frame(SETTINGS, 0, 0)
        self.ends(server, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + bytes(40))
        self.ends(server, os.urandom(4096))
        for wrong in (frame(SETTINGS, 0, 0, bytes(5)), b"\xff\xff\xff" + bytes([DATA, 0, 0, 0, 0, 1]), frame(HEADERS, END_HEADERS, 1, b"\xff" * 40),
                      frame(HEADERS, END_HEADERS, 2, headers()), frame(CONTINUATION, END_HEADERS, 1, headers()), frame(PING, 0, 0, bytes(7)),
                      frame(WINDOW, 0, 0, bytes(4))):
            self.assertIn(GOAWAY, [kind for kind, _, _ in self.ends(server, begun + wrong)], wrong[:20])
        self.assertEqual(self.refused(server), {"malformed": 9})
        self.assert_serves(server)

    def test_a_call_by_hand(self):
        server = self.serve()
        connection = self.open(server)
        call = framed(good())
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, headers()) + frame(DATA, END_STREAM, 1, call))
        data, _ = self.read_to_end(connection, 2)
        of_call = [one[:2] for one in frames_of(data) if one[2] == 1]
        self.assertEqual([of_call[0][0], of_call[-1]], [HEADERS, (HEADERS, END_HEADERS | END_STREAM)])
        self.assertIn(DATA, [kind for kind, _ in of_call])
        # Too long: answered before it has come whole, and the rest is not wanted.
        long, data = self.open(server), b""
        with contextlib.suppress(ConnectionError):
            long.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, headers()))
            for _ in range(5 << 6):
                long.sendall(frame(DATA, 0, 1, bytes(16384)))
                if select.select([long], [], [], 0.002)[0]:
                    data += long.recv(65536)  # mostly room for more; waiting here would use up the call's time
                    if (HEADERS, END_HEADERS | END_STREAM, 1) in frames_of(data):
                        break
        data += self.read_to_end(long, 1)[0]
        self.assertIn((HEADERS, END_HEADERS | END_STREAM, 1), frames_of(data))
        self.assertIn((RST, 0, 1), frames_of(data))
        # Again on the same connection, byte by byte, with trailers of the client.
        for byte in frame(HEADERS, END_HEADERS, 3, headers()) + frame(DATA, 0, 3, call) + frame(HEADERS, END_HEADERS | END_STREAM, 3, literal("x", "y")):
            connection.sendall(bytes([byte]))
        data, _ = self.read_to_end(connection, 2)
        self.assertIn((HEADERS, END_HEADERS | END_STREAM, 3), frames_of(data))
        self.assertEqual(server.get("/api/v1/health")[1]["received"]["requests"], 2)

    def test_slow_ones_are_ended_and_hold_up_none(self):
        server = self.serve()
        begun = PREFACE + frame(SETTINGS, 0, 0)
        quiet = [self.open(server) for _ in range(20)]
        slow = [self.open(server) for _ in range(20)]
        for connection in slow:
            connection.sendall(begun + frame(HEADERS, END_HEADERS, 1, headers()) + frame(DATA, 0, 1, framed(good())[:7]))
        headless = self.open(server)
        headless.sendall(begun + frame(HEADERS, 0, 1, headers()[:20]))
        self.assert_serves(server)
        begin = time.monotonic()
        for connection in quiet:
            self.assertTrue(self.read_to_end(connection, 15)[1])
        self.assertTrue(self.read_to_end(headless, 15)[1])
        for connection in slow:
            data, _ = self.read_to_end(connection, 1)
            self.assertIn((HEADERS, END_HEADERS | END_STREAM, 1), frames_of(data), "a deadline is exceeded")
        self.assertLess(time.monotonic() - begin, 45)
        self.assertEqual(self.refused(server), {"request_timeout": 41})
        self.assert_serves(server)

    def test_floods_are_bounded(self):
        server = self.serve()
        begun = PREFACE + frame(SETTINGS, 0, 0)
        # Headers without an end.
        self.ends(server, begun + frame(HEADERS, 0, 1, headers()) + frame(CONTINUATION, 0, 1, literal("x" * 100, "y" * 100) * 40) * 40, 15)
        # Calls that are given up at once.
        given_up = b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, headers()) + frame(RST, 0, 2 * i + 1, struct.pack(">I", 8)) for i in range(3000))
        self.ends(server, begun + given_up)
        # Frames that carry nothing of a call, whether their answers are taken or not; and data of a call that is padding alone.
        idle = {"ping": frame(PING, 0, 0, bytes(8)), "table": frame(SETTINGS, 0, 0, struct.pack(">HIHI", 1, 0, 1, 4096)), "window": frame(WINDOW, 0, 0, struct.pack(">I", 1)),
                "priority": frame(2, 0, 1, bytes(4) + b"\5"), "unknown": frame(0xbb, 0, 0, bytes(100)), "empty": frame(DATA, 0, 1), "padding": frame(DATA, 8, 1, b"\xff" + bytes(255))}
        before = self.refused(server)
        for name, one in idle.items():
            call = frame(HEADERS, END_HEADERS, 1, headers()) if one[3] == DATA else b""
            with self.subTest(idle=name):
                self.ends(server, begun + call + one * 5000)
        self.assertEqual(self.refused(server)["flood"] - before["flood"], len(idle))
        patient = self.open(server)
        for stream in range(1, 21, 2):
            patient.sendall((begun if stream == 1 else b"") + idle["ping"] * 50 + frame(HEADERS, END_HEADERS, stream, headers()) + frame(DATA, END_STREAM, stream, framed(good())))
        self.assertEqual(sum(one[:2] == (HEADERS, END_HEADERS | END_STREAM) for one in frames_of(self.read_to_end(patient, 2)[0])), 10)
        # Pings whose answers are not taken.
        connection = self.open(server)
        connection.settimeout(3)
        with contextlib.suppress(OSError):
            connection.sendall(begun + frame(PING, 0, 0, bytes(8)) * 2_000_000)
        # More calls at a time than are allowed.
        many = b"".join(frame(HEADERS, END_HEADERS, 2 * i + 1, headers()) for i in range(100))
        crowded = self.open(server)
        crowded.sendall(begun + many)
        data, _ = self.read_to_end(crowded, 2)
        self.assertIn(RST, [kind for kind, _, _ in frames_of(data)])
        self.assertEqual(self.refused(server), {"too_large": 1, "flood": 2 + len(idle) + 1, "busy": 84})
        self.assert_serves(server)
        with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        clients.assert_memory_below(self, resident, 200 << 10)

    def test_whole_calls_that_are_given_up_are_dropped(self):
        """By a reset, by a fault that has the server reset them, or with their connection: they hold up none and are not kept."""
        message = framed(as_protobuf({"host.name": "n"}, [event(number, 0, time.time_ns()) for number in range(3000)]))
        parts_of = [message[at:at + 16000] for at in range(0, len(message), 16000)]

        def whole(stream):
            data = [frame(DATA, END_STREAM if number == len(parts_of) - 1 else 0, stream, part) for number, part in enumerate(parts_of)]
            return frame(HEADERS, END_HEADERS, stream, headers()) + b"".join(data)
        server = self.serve("--points-rate", "0", "--bytes-rate", "0")
        for name, ending, calls in (("reset", lambda stream: frame(RST, 0, stream, struct.pack(">I", 8)), 150),
                                    ("fault", lambda stream: frame(WINDOW, 0, stream, bytes(4)), 150), ("closed", lambda stream: b"", 3)):
            end = time.monotonic() + 4

            def flood(ending=ending, calls=calls, end=end):
                while time.monotonic() < end:
                    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", server.grpc), timeout=5) as connection:
                        connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
                        for stream in range(1, 2 * calls, 2):
                            connection.sendall(whole(stream) + ending(stream))
                            if select.select([connection], [], [], 0.01)[0] and not connection.recv(65536):
                                break
            with self.subTest(given_up=name):
                floods = [threading.Thread(target=flood) for _ in range(8)]
                for one in floods:
                    one.start()
                for one in floods:
                    one.join()
                self.assert_serves(server)
                with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
                    resident = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
                clients.assert_memory_below(self, resident, 300 << 10)

    def test_a_client_with_calls_on_all_connections_leaves_room_to_others(self):
        server = self.serve("--bytes-rate", "0", "--points-rate", "0")
        large = as_protobuf({"host.name": "m", "padding": "x" * (3 << 20)}, [event(1, 0, time.time_ns())])
        self.assertEqual(self.call(server, framed(large))[1], OK)
        held = []
        for _ in range(150):
            connection = socket.create_connection(("127.0.0.1", server.grpc), timeout=5, source_address=("127.0.0.2", 0))
            self.addCleanup(connection.close)
            with contextlib.suppress(OSError):
                connection.sendall(PREFACE + frame(SETTINGS, 0, 0) + frame(HEADERS, END_HEADERS, 1, headers()) + frame(DATA, 0, 1, bytes(16000)) * 62)
            held.append(connection)
        self.assertEqual(self.call(server, framed(large))[1], OK)

    def test_an_answer_that_is_not_taken_is_given_up(self):
        """A window of 0 for answers: the calls end after their time, and the connection with too many of them."""
        server = self.serve()
        connection = self.open(server)
        no_window = struct.pack(">HI", 4, 0)
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0, no_window) + b"".join(
            frame(HEADERS, END_HEADERS, stream, headers()) + frame(DATA, END_STREAM, stream, framed(good())) for stream in range(1, 33, 2)))
        data, end = b"", time.monotonic() + 25
        while sum(kind == RST for kind, _, _ in frames_of(data)) < 16 and time.monotonic() < end:
            data += self.read_to_end(connection, 1)[0]
        self.assertEqual(sum(kind == RST for kind, _, _ in frames_of(data)), 16, frames_of(data))
        self.assertEqual(self.refused(server), {"answer_not_taken": 16})
        self.assert_serves(server)

    def test_many_large_messages_at_once_are_bounded(self):
        server = self.serve()
        begun = PREFACE + frame(SETTINGS, 0, 0)
        part = frame(DATA, 0, 1, bytes(16000)) * 62  # as much as a stream's window takes
        connections = []
        for _ in range(150):
            connection = self.open(server)
            connection.settimeout(5)
            with contextlib.suppress(OSError):
                connection.sendall(begun + frame(HEADERS, END_HEADERS, 1, headers()) + part)
            connections.append(connection)
        time.sleep(1)
        self.assert_serves(server)
        with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
        clients.assert_memory_below(self, resident, 300 << 10)


def parts():
    """A node_modules with the SDK's exporter over gRPC; None where there is none."""
    folder = os.environ.get("INGERO_PARTS")
    if not folder or not shutil.which("node"):
        return None
    found = glob.glob(os.path.join(folder, "**/node_modules/@opentelemetry/exporter-metrics-otlp-grpc"), recursive=True)
    modules = [os.path.dirname(os.path.dirname(one)) for one in found]
    return next((one for one in modules if os.path.isdir(os.path.join(one, "@opentelemetry/sdk-metrics"))), None)


if __name__ == "__main__":
    clients.run_side_by_side()
