#!/usr/bin/env python3
"""`ingero fleet-push`: recordings of ranks, finished and being written, sent to a real `ingero fleet serve`.

  push_test.py INGERO MAKE_RANK_RECORDING

That its windows are those which the trace itself sends is held in tests/unit/fleet/push_test.cc and, with real traces, in
tests/e2e/cluster.py.
"""
import contextlib
import gzip
import http.server
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import unittest

MAKE = os.path.abspath(sys.argv.pop(2))
import clients  # noqa: E402
from cluster_test import INGERO, PERIOD, TOKEN, Cluster  # noqa: E402

RANKS = 4


class Push(Cluster):
    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self, name, seconds, *more):
        made = subprocess.run([MAKE, self.path(name), str(seconds), *more], check=True, capture_output=True, text=True, timeout=120)
        return json.loads(made.stdout)["collectives"]

    def arguments(self, port, recording, *more, cluster="lab", token="token"):
        return [INGERO, "fleet-push", "--db", self.path(recording), "--fleet-endpoint", f"http://127.0.0.1:{port}", "--fleet-cluster-id", cluster,
                *(("--fleet-token-file", self.path(token)) if token else ()), *more]

    def push(self, server, recording, *more, good=True, **how):
        done = subprocess.run(self.arguments(server.otlp, recording, *more, **how), capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode == 0, good, done.stderr)
        return done

    def windows(self, server, cluster="lab"):
        return server.sql("SELECT w.*, n.node_id FROM windows w JOIN nodes n ON n.id = w.node WHERE n.cluster_id = "
                          f"'{cluster}' ORDER BY start_ns, rank", limit=10000)

    def rows(self, answer):
        return [dict(zip(answer["columns"], row)) for row in answer["data"]]

    def test_a_recording_that_has_ended_is_sent_and_once_only(self):
        server, seconds = self.serve(), 33
        collectives = self.make("run.db", seconds)
        done = self.push(server, "run.db")
        self.assertIn("as node gpu-07", done.stderr)
        rows = self.rows(self.windows(server))
        for rank in range(RANKS):
            own = [row for row in rows if row["rank"] == rank]
            self.assertGreaterEqual(len(own), seconds * 10**9 // PERIOD - 1)
            self.assertEqual(own[-1]["last_entered"], collectives)
            self.assertEqual({row["node_id"] for row in own}, {"gpu-07"})
            self.assertEqual([row["start_ns"] % PERIOD for row in own], [0] * len(own))
            for row in own[1:-1]:  # of which nothing is missing
                self.assertEqual((row["collectives"], row["op_type"], row["nranks"]), (50, "ALL_REDUCE", RANKS))
                self.assertAlmostEqual(row["work_s"], 0.095 if rank == 2 else 0.065, delta=0.001)
                self.assertAlmostEqual(row["wait_s"], 50 * (0.005 if rank == 2 else 0.035), delta=0.02)
        chains = server.ask("event_history", metric_name="ingero.causal_chain")["events"]
        self.assertEqual(len(chains), 1)
        self.assertTrue(chains[0]["attrs"]["causal_chain_id"].startswith("gpu-07:chain-"), chains)
        self.assertEqual((chains[0]["attrs"]["state"], chains[0]["rank"], chains[0]["value_double"]), ("over", 2, 0.03))
        self.push(server, "run.db")
        self.assertEqual(self.rows(self.windows(server)), rows)
        self.assertEqual(len(server.ask("event_history", metric_name="ingero.causal_chain")["events"]), 1)
        self.push(server, "run.db", "--fleet-node-id", "other", cluster="renamed")
        self.assertEqual({row["node_id"] for row in self.rows(self.windows(server, "renamed"))}, {"other"})

    def test_where_a_rank_stands_is_said_with_the_line_of_its_last_call(self):
        self.make("run.db", 33)
        frames = [{"s": "ncclAllReduce+0x10", "f": "libnccl.so.2"}, {"pf": "/home/u/train.py", "pfn": "step", "pl": 142}]
        with contextlib.closing(sqlite3.connect(self.path("run.db"))) as recording:
            (thread, half), = recording.execute("SELECT t.id, (SELECT max(seq) / 2 FROM event_rows) FROM threads t JOIN processes p ON p.id = t.process "
                                                "WHERE p.rank = 2")
            recording.execute("DELETE FROM event_rows WHERE thread = ? AND seq > ?", (thread, half))  # it makes no call any more
            recording.execute("INSERT INTO stacks (id, hash) VALUES (1, -77)")
            recording.execute("INSERT INTO stack_traces (hash, frames) VALUES (-77, ?)", (json.dumps(frames),))
            recording.execute("UPDATE event_rows SET stack = 1 WHERE thread = ?", (thread,))
            recording.commit()
        bodies = []

        class Sink(http.server.BaseHTTPRequestHandler):
            def do_POST(self):  # noqa: N802
                bodies.append(gzip.decompress(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink) as sink:
            threading.Thread(target=sink.serve_forever, daemon=True).start()
            done = subprocess.run(self.arguments(sink.server_address[1], "run.db", token=None), capture_output=True, text=True, timeout=120, check=False)
            sink.shutdown()
        self.assertEqual(done.returncode, 0, done.stderr)
        said = b"".join(bodies)
        for text in (b"ingero.rank.line", b"step() at train.py:142", b"code.stacktrace", b"ncclAllReduce+0x10", b"ingero.rank.call"):
            self.assertIn(text, said)

    def test_a_live_one_is_followed_into_a_second_run_until_it_ends(self):
        server = self.serve()
        self.make("run.db", 6)  # the first run; the second follows
        writer = clients.started([MAKE, self.path("run.db"), "13", "--live"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(writer.stdout.close)
        begin = time.time_ns()
        time.sleep(0.5)
        pushing = clients.started(self.arguments(server.otlp, "run.db"), stderr=subprocess.PIPE, text=True)
        end = (begin // PERIOD + 1) * PERIOD  # of the first whole or partial window of the second run
        while time.time_ns() < end + 2_500_000_000:
            time.sleep(0.1)
        early = self.rows(self.windows(server))
        self.assertIn(end - PERIOD, {row["start_ns"] for row in early}, "a window came later than 2.5 s after its end")
        self.assertIsNone(pushing.poll())
        self.assertEqual(pushing.wait(60), 0)
        pushing.stderr.close()
        self.assertEqual(writer.wait(10), 0)
        rows = self.rows(self.windows(server))
        self.assertGreater(len(rows), len(early))
        self.assertEqual(rows[-1]["last_entered"], 130)
        self.assertEqual(len(server.ask("event_history", metric_name="ingero.causal_chain")["events"]), 2)

    def test_it_ends_within_a_second_of_being_interrupted(self):
        for is_reachable in (True, False):
            with self.subTest(is_reachable=is_reachable), contextlib.ExitStack() as at_end:
                server = self.serve(database=f"c{is_reachable}.db")
                silent = at_end.enter_context(socket.socket())
                silent.bind(("127.0.0.1", 0))
                silent.listen()
                port = server.otlp if is_reachable else silent.getsockname()[1]
                name = f"run{is_reachable}.db"
                writer = clients.started([MAKE, self.path(name), "30", "--live"], stdout=subprocess.DEVNULL)
                time.sleep(7)
                pushing = clients.started(self.arguments(port, name), stderr=subprocess.DEVNULL)
                time.sleep(2)
                self.assertIsNone(pushing.poll())
                began = time.monotonic()
                pushing.send_signal(signal.SIGINT)
                self.assertEqual(pushing.wait(10), 0)
                self.assertLess(time.monotonic() - began, 1)
                writer.kill()
                writer.wait()
                server.stop()

    def test_another_recording_in_its_place_is_sent_too(self):
        server = self.serve()
        writer = clients.started([MAKE, self.path("run.db"), "8", "--live"], stdout=subprocess.DEVNULL)
        time.sleep(1)
        pushing = clients.started(self.arguments(server.otlp, "run.db"), stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        self.make("new.db", 20)
        os.rename(self.path("run.db"), self.path("old.db"))
        for end in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.rename(self.path("run.db" + end), self.path("old.db" + end))
        os.rename(self.path("new.db"), self.path("run.db"))
        said = pushing.communicate(timeout=60)[1]
        self.assertEqual(pushing.returncode, 0, said)
        self.assertIn("another recording is there now", said)
        writer.kill()
        writer.wait()
        self.assertGreaterEqual(len({row["start_ns"] for row in self.rows(self.windows(server))}), 4)  # the old one lasted 3 s

    def test_what_a_server_was_away_for_is_sent_when_it_is_back(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.make("run.db", 60)
        pushing = clients.started(self.arguments(port, "run.db", token=None), stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        server = clients.started([INGERO, "fleet", "serve", "--db", self.path("late.db"), "--insecure-no-tls", "--http-listen", f"127.0.0.1:{port}",
                                  "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"], stderr=subprocess.DEVNULL)
        said = pushing.communicate(timeout=100)[1]
        self.assertEqual(pushing.returncode, 0, said)
        server.terminate()
        self.assertEqual(server.wait(20), 0)
        with contextlib.closing(sqlite3.connect(self.path("late.db"))) as database:
            self.assertGreaterEqual(database.execute("SELECT count(DISTINCT start_ns) FROM windows").fetchone()[0], 11)

    def test_what_cannot_be_done_is_one_sentence(self):
        server = self.serve()
        self.make("run.db", 12)
        with open(self.path("wrong"), "w", encoding="utf-8") as file:
            file.write("another-token-0123456789-0123456789")
        os.chmod(self.path("wrong"), 0o600)
        done = self.push(server, "run.db", token="wrong", good=False)
        self.assertIn("Error: ", done.stderr)
        self.assertEqual(self.rows(self.windows(server)), [])
        for more, sentence in ((("--stub",), "ingero fleet simulate"), (("--fleet-push-interval", "soon"), "--fleet-push-interval"),
                               (("--fleet-tls-ca", "/none", "--fleet-insecure"), "exclude each other")):
            self.assertIn(sentence, self.push(server, "run.db", *more, good=False).stderr)
        self.assertIn("none.db", self.push(server, "none.db", good=False).stderr)
        done = subprocess.run([INGERO, "fleet-push", "--db", self.path("run.db")], capture_output=True, text=True, timeout=20, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("--fleet-endpoint", done.stderr)
        with open(self.path("text.db"), "w", encoding="utf-8") as file:
            file.write("no recording " * 1000)
        self.assertIn("text.db", self.push(server, "text.db", good=False).stderr)

    def test_flags_of_the_earlier_agent_are_accepted_with_a_sentence_each(self):
        server = self.serve()
        self.make("run.db", 12)
        old = {"--fleet-workload-type": "training", "--fleet-persist-path": "/x", "--fleet-persist-stale-age": "10m", "--fleet-detection-mode": "none",
               "--fleet-world-size": "8", "--fleet-node-rank": "1", "--fleet-poll-interval": "10s",
               "--fleet-classifier-hysteresis": "0.02", "--remediate": None, "--remediate-socket": "/x", "--remediate-gid": "65532",
               "--signal-window": "60s", "--signal-num-gpus": "8", "--warmup-samples": "30", "--otlp-enabled": None, "--otlp-endpoint": "x:4318",
               "--otlp-insecure": None}
        given = [word for name, value in old.items() for word in ((name,) if value is None else (name, value))]
        done = subprocess.run([INGERO, "fleet-push", "--signal-db-path", self.path("run.db"), "--fleet-endpoint", f"http://127.0.0.1:{server.otlp}",
                               "--fleet-cluster-id", "lab", "--fleet-node-id", "gpu-01", "--fleet-push-interval", "10s", "--fleet-timeout", "5s",
                               "--fleet-insecure", *given], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "INGERO_FLEET_TOKEN": TOKEN})
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in old:
            self.assertEqual(done.stderr.count(f"ingero: {name} has no effect: "), 1, done.stderr)
        self.assertIn("--fleet-push-interval 10s: taken as 1s", done.stderr)
        self.assertEqual({row["node_id"] for row in self.rows(self.windows(server))}, {"gpu-01"})

    def test_a_legacy_recording_is_refused(self):
        sample = os.path.join(clients.sample_folder(), clients.SAMPLES[2] + ".db")
        if not os.path.exists(sample):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")
        server = self.serve()
        os.symlink(sample, self.path("legacy.db"))
        self.assertIn("holds no collectives", self.push(server, "legacy.db", good=False).stderr)


if __name__ == "__main__":
    clients.run_side_by_side()
