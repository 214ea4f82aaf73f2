#!/usr/bin/env python3
"""A real `ingero fleet serve` that stores in a real clickhouse-server, next to one that stores in SQLite.

  clickhouse_test.py INGERO

Where no clickhouse-server is installed the test is skipped. With INGERO_CHDB=.../libchdb.so it is a current engine without
users and TLS (tests/cluster/chdb_server.py); what asks for these is skipped.
"""
import base64
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import clients
import cluster_grpc_test
import cluster_test
from cluster_test import INGERO, PERIOD, SECOND, SEED, Cluster, as_protobuf, event

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cluster"))
import clickhouse  # noqa: E402

# Of each store, by the names of nodes: their numbers are each store's own.
WINDOWS = ("start_ns, rank, job_id, comm_id_hash, end_ns, comm_rank, nranks, collectives, blocked, work_s, work_total_s, wait_s, bytes, "
           "last_entered, last_left, op_type, preempted_s, run_queue_s, blocked_s, io_s, entered_bytes, state")
SUMS = "start_s, rank, job_id, comm_id_hash, windows, collectives, blocked, work_us, wait_us, bytes, off_cpu_us"
STATES = ("start_ns, rank, job_id, hw_id, model, utilization_ratio, power_watts, temperature_celsius, sm_clock_hertz, "
          "throttle_reasons")
ARRIVALS = "start_ns, entered_ns, rank, job_id, comm_id_hash, number, left_ns, op_type, bytes"
EVENTS = "timestamp_ns, cluster_id, node_id, metric_name, rank, nranks, value_double, value_int, attrs, point_hash"
POSTS = ("SELECT cluster_id, node_id, COUNT(*) FROM events GROUP BY 1,2 ORDER BY 1,2;",
         "SELECT cluster_id, node_id, MIN(value_double) AS min_score, MAX(value_double) AS max_score, COUNT(*) AS n "
         "FROM events WHERE metric_name LIKE '%health%' GROUP BY 1,2 ORDER BY min_score;")


def rows_of(server, table, columns, limit=10000):
    answer = server.sql(f"SELECT {columns} FROM {table} ORDER BY {columns}", limit=limit)
    assert not answer["meta"]["truncated"], answer["cut"]
    return answer["data"]


class InClickHouse(Cluster):
    maxDiff = None
    send_windows, windows = cluster_test.Ranks.send_windows, cluster_test.Ranks.windows
    sides, identity = cluster_test.Ranks.sides, cluster_test.Ranks.identity
    RANKS, NODES = cluster_test.Ranks.RANKS, cluster_test.Ranks.NODES
    call = cluster_grpc_test.Grpc.call

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.clickhouse = clickhouse.ClickHouse(cls.place.name).start()

    @classmethod
    def tearDownClass(cls):
        cls.clickhouse.stop()
        cls.place.cleanup()

    def setUp(self):
        super().setUp()
        self.database = "d" + os.urandom(6).hex()
        self.spool = os.path.join(self.folder, "spool")

    def flags(self):
        return ("--clickhouse", self.clickhouse.url(self.database), "--spool-dir", self.spool)

    def serve_clickhouse(self, *more):
        return self.serve(*more, store=self.flags())

    def count(self, what):
        return self.clickhouse.ask(f"SELECT {what}", self.database)[0][0]

    def spool_of(self, server):
        return server.get("/api/v1/health")[1]["spool"]

    def settle(self, server, seconds=60):
        """Until ClickHouse has all that was acknowledged, and all sums are right."""
        end = time.monotonic() + seconds
        while True:
            spool = self.spool_of(server)
            if not (spool["waiting_bytes"] or spool["due_minutes"] or spool["last_error"]):
                return spool
            self.assertLess(time.monotonic(), end, spool)
            time.sleep(0.001)

    def assert_sums_are_a_recount(self):
        for table, length in (("minutes", 60), ("hours", 3600)):
            recount = self.clickhouse.ask(
                f"SELECT intDiv(start_ns, {length * SECOND}) * {length} AS t, node, job_id, rank, comm_id_hash, count(), sum(collectives), "
                "sum(blocked), sum(bytes), sum(toInt64(round(ifNull(work_total_s, 0) * 1e6))), sum(toInt64(round(wait_s * 1e6))), "
                "sum(toInt64(round((preempted_s + run_queue_s + blocked_s + io_s) * 1e6))) FROM windows GROUP BY t, node, job_id, rank, "
                "comm_id_hash ORDER BY t, node, job_id, rank, comm_id_hash", self.database)
            kept = self.clickhouse.ask(f"SELECT start_s, node, job_id, rank, comm_id_hash, windows, collectives, blocked, bytes, work_us, wait_us, "
                                       f"off_cpu_us FROM {table} ORDER BY start_s, node, job_id, rank, comm_id_hash", self.database)
            self.assertEqual(recount, kept, table)
            self.assertTrue(kept)


class Answers(InClickHouse):
    def points(self, chance, now):
        """Batches of events, of which some come twice, with other values the second time."""
        batches = []
        for node in range(4):
            resource = {"ingero.cluster.id": f"c{node % 2}", "host.name": f"gpu-{node}", "ingero.node.rank": node, "ingero.world_size": 4}
            points = [event(number, node, now) for number in range(60)]
            points += [("ingero.node.health_score", "gauge", 0, now - number, chance.random(), {"note": "it's \\ \"quoted\"\n\u00e9"})
                       for number in range(20)]
            points += [("nccl.calls", "sum", 0, now - number, number, {"nccl.op_type": chance.choice(("AllReduce", "Broadcast"))}) for number in range(20)]
            batches.append(as_protobuf(resource, points))
            batches.append(as_protobuf(resource, [("ingero.node.health_score", "gauge", 0, now - 3, 0.075, {"note": "it's \\ \"quoted\"\n\u00e9"})]))
        return batches + chance.sample(batches, 5)

    def test_a_window_that_comes_in_two_parts_is_whole_in_both(self):
        """A sender between cut its batch into two, and sent one of them again."""
        servers, start = [self.serve(), self.serve_clickhouse()], time.time_ns() // PERIOD * PERIOD - 60 * PERIOD
        points = self.windows(3, start, random.Random(SEED), 0.3)
        resource = {"ingero.cluster.id": "sim", "ingero.node.id": "gpu-0", "ingero.job.id": "j1"}
        for cut in (1, 2):
            resource["ingero.job.id"] = f"j{cut}"
            for server in servers:
                for some in (points[:cut], points[cut:], points[:cut]):
                    self.assert_accepted(server.send(as_protobuf(resource, some)))
        self.settle(servers[1])
        for table, columns in (("windows", WINDOWS), ("minutes", SUMS), ("hours", SUMS)):
            one, other = (rows_of(server, table, columns) for server in servers)
            self.assertEqual(one, other, table)
            self.assertEqual(len(other), 2)
        self.assert_sums_are_a_recount()
        work, size = points[1][4], points[2][4]
        self.assertEqual(servers[1].sql("SELECT DISTINCT collectives, work_s, bytes FROM windows")["data"], [[5, work, size]])

    def test_the_health_answer_says_what_is_due_until_it_is_done(self):
        server, start = self.serve_clickhouse(), time.time_ns() // PERIOD * PERIOD - 60 * PERIOD
        self.send_windows(server, range(12), start // PERIOD, random.Random(SEED), lambda rank, number: False)
        self.settle(server)  # the first sums are in the same round as the rows
        self.assert_sums_are_a_recount()

    def assert_same_now(self, servers, tool):
        """Some answers are about the last seconds: what one server has closed by now the other, sent it later, closes later."""
        end = time.monotonic() + 10
        while True:
            one, other = (server.ask(tool) for server in servers)
            if one == other or time.monotonic() > end:
                break
            time.sleep(0.1)
        self.assertEqual(one, other, tool)

    def test_the_same_batches_give_the_same_answers_as_in_sqlite(self):
        chance, now = random.Random(SEED), time.time_ns()
        first = now // PERIOD - 60
        servers = [self.serve(), self.serve_clickhouse()]
        batches = self.points(chance, now)
        for server in servers:
            for body in batches:
                self.assert_accepted(server.send(body))
            noise = random.Random(SEED)
            is_slow = lambda rank, number: rank == 5 and number >= 30
            self.send_windows(server, range(45), first, noise, is_slow)
            self.send_windows(server, [40, 44], first, random.Random(1), is_slow)
        self.settle(servers[1])
        file, tables = servers
        for asked in ({}, {"limit": 999}, {"cluster_id": "c1"}, {"node_id": "gpu-2", "limit": 7}, {"rank": 3}, {"op_type": "Broadcast", "limit": 999},
                      {"metric_name": "nccl.calls"}, {"cluster_id": "x' OR 1=1 --"}, {"to_ns": now - 5000}, {"from_ns": now - 5, "limit": 999}):
            self.assertEqual(file.ask("event_history", **asked), tables.ask("event_history", **asked), f"seed {SEED}: {asked}")
        for statement in POSTS:
            by_name = statement.replace("1,2", "cluster_id, node_id")  # 18.16 knows no numbers of columns
            one, other = file.sql(statement), tables.sql(by_name)
            self.assertEqual((one["data"], one["cut"]), (other["data"], other["cut"]), statement)
        self.assertEqual(rows_of(file, "events", EVENTS), rows_of(tables, "events", EVENTS), f"seed {SEED}")
        for table, columns in (("windows", WINDOWS), ("device_states", STATES), ("arrivals", ARRIVALS), ("minutes", SUMS), ("hours", SUMS)):
            self.assertEqual(rows_of(file, table, columns), rows_of(tables, table, columns), f"seed {SEED}: {table}")
            nodes = f"SELECT n.node_id, count(*) FROM nodes AS n, {table} AS w WHERE n.id = w.node GROUP BY n.node_id ORDER BY n.node_id"
            in_tables = nodes.replace(f"nodes AS n, {table} AS w WHERE", f"{table} AS w ALL INNER JOIN nodes AS n ON")
            self.assertEqual(file.sql(nodes)["data"], tables.sql(in_tables)["data"], table)
        nodes = "cluster_id, node_id, first_ns, last_ns"
        self.assertEqual(rows_of(file, "nodes", nodes), rows_of(tables, "nodes", nodes))
        (one, other) = (server.ask("incidents")["incidents"] for server in servers)
        self.assertEqual([(row["node_id"], row["rank"], row["kind"]) for row in one if row["kind"] == "straggler"], [("gpu-0", 5, "straggler")])
        self.assertEqual(one, other, f"seed {SEED}")
        for tool in ("find_outlier_nodes", "hangs", "effects"):
            self.assert_same_now(servers, tool)
        one, other = (server.ask("run_analysis") for server in servers)
        self.assertEqual([list(answer["store"].items())[1:] for answer in (one, other)][0], list(other["store"].items())[1:])
        self.assertEqual(one["outliers"], other["outliers"])
        one, other = (server.get("/api/v1/health")[1]["received"] for server in servers)
        self.assertEqual(one, other)

    def test_what_comes_twice_is_there_once_in_tables_and_sums(self):
        server, now = self.serve_clickhouse(), time.time_ns()
        self.clickhouse.ask("SYSTEM STOP MERGES")  # what came twice is to be in the tables when they are read
        self.addCleanup(self.clickhouse.ask, "SYSTEM START MERGES")
        chance, first = random.Random(SEED), now // PERIOD - 100
        body = as_protobuf({"host.name": "n"}, [event(number, 0, now) for number in range(50)])
        numbers = list(range(90)) + chance.sample(range(90), 40)
        chance.shuffle(numbers)
        for at, number in enumerate(numbers):
            self.assert_accepted(server.send(body))
            self.send_windows(server, [number], first, random.Random(number), lambda rank, number: False)
            if at in (40, 80):
                server.stop(signal.SIGKILL)
                server = self.serve_clickhouse()
            if at % 25 == 0:
                self.settle(server)  # so that doubles come into other parts
        self.settle(server)
        self.assertEqual(self.count("count() FROM events"), 50)
        self.assertEqual(self.count("count() FROM windows"), 90 * 16)
        self.assertEqual(self.count("count() FROM device_states"), 90 * 16)
        self.assertEqual(self.count("count() FROM arrivals"), 2 * 90 * 16)
        self.assertGreater(self.count("count() FROM arrivals_rows"), 2 * 90 * 16)
        self.assertGreater(self.count("count() FROM windows_rows") + self.count("count() FROM events_rows"), 90 * 16 + 50)
        self.assertEqual(self.count("sum(windows) FROM hours"), 90 * 16)
        self.assert_sums_are_a_recount()
        self.clickhouse.ask("SYSTEM START MERGES")
        self.clickhouse.ask("OPTIMIZE TABLE windows_rows FINAL", self.database)
        self.assert_sums_are_a_recount()

    def test_sql_reads_and_does_nothing_else(self):
        server, now = self.serve_clickhouse(), time.time_ns()
        self.assert_accepted(server.send(as_protobuf({"host.name": "n"}, [event(number, 0, now) for number in range(20)])))
        self.settle(server)
        before = server.sql("SELECT * FROM events")["data"]
        self.assertEqual(len(before), 20)
        url = self.clickhouse.url("ping")
        for wrong in ("INSERT INTO nodes_rows VALUES (9, 'a', 'b', 0, 0, 0)", "DROP TABLE windows_rows", "ALTER TABLE events_rows DELETE WHERE 1",
                      "CREATE TABLE t (a Int64) ENGINE = Memory", "CREATE TEMPORARY TABLE t (a Int64)", "TRUNCATE TABLE events_rows", "SET readonly = 0",
                      "SELECT 1 SETTINGS max_execution_time = 0", "SELECT 1 SETTINGS readonly = 0", f"SELECT * FROM url('{url}', TSV, 'a String')",
                      "SELECT * FROM remote('127.0.0.1:9', system, one)", "SELECT * FROM file('x', TSV, 'a String')", "SELECT 1; DROP TABLE windows_rows",
                      "SELECT 1 FORMAT TSV", "SELECT", "SELECT * FROM nothing", "OPTIMIZE TABLE events_rows"):
            with self.subTest(wrong), self.assertRaises(clients.Refused) as refused:
                server.sql(wrong)
            self.assertEqual(refused.exception.args[:2], (400, "bad_input"), wrong)
        self.assertEqual(server.sql("SELECT * FROM events")["data"], before)
        cut = server.sql("SELECT * FROM events", limit=7)
        self.assertEqual((len(cut["data"]), cut["meta"]["truncated"], cut["cut"]), (7, True, ["the first 7 rows are given; there are more (limit)"]))
        # The limit is of the answer, not of what it is made from.
        self.assertEqual(server.sql("SELECT count() FROM (SELECT number FROM system.numbers LIMIT 200000)", limit=1)["data"], [[200000]])
        self.assertEqual(server.sql("SELECT count() FROM events", limit=1)["data"], [[20]])
        values = server.sql("SELECT toUInt64(-1), -1, nan, NULL, [1, 2], 0.1, 'x'")["data"]
        self.assertEqual(values, [["18446744073709551615", -1, None, None, "[1,2]", 0.1, "x"]])
        began = time.monotonic()
        with self.assertRaises(clients.Refused) as refused:
            server.sql("SELECT sum(number) FROM system.numbers")
        self.assertEqual(refused.exception.args[:2], (504, "timed_out"))
        self.assertLess(time.monotonic() - began, 8)

    def test_old_partitions_are_dropped_and_what_was_in_them_is_refused(self):
        server, now = self.serve_clickhouse(), time.time_ns()
        first = now // PERIOD - 100
        self.send_windows(server, range(3), first, random.Random(SEED), lambda rank, number: False)
        self.settle(server)
        hour = now // SECOND // 3600 * 3600
        days = lambda number: (hour - number * 86400) * SECOND
        copy = "SELECT node, job_id, toInt64({}) AS start_ns, rank, comm_id_hash, end_ns, comm_rank, nranks, collectives, blocked, " \
            "work_s, work_total_s, wait_s, bytes, last_entered, last_left, op_type, preempted_s, run_queue_s, blocked_s, io_s, entered_bytes, state, " \
            "sum_collectives, sum_blocked, sum_work_us, sum_wait_us, sum_bytes, sum_off_cpu_us, version FROM windows_rows"
        server.stop()
        self.clickhouse.ask("INSERT INTO windows_rows " + copy.format(days(2)), self.database)
        self.clickhouse.ask("INSERT INTO minutes_rows SELECT toInt64({}), node, job_id, rank, comm_id_hash, windows, collectives, blocked, work_us, "
                            "wait_us, bytes, off_cpu_us, version FROM minutes_rows".format(hour - 40 * 86400), self.database)
        self.assertGreater(self.count("count() FROM windows"), 48)
        server = self.serve_clickhouse()
        end = time.monotonic() + 30
        old = f"count() FROM minutes WHERE start_s < {hour - 86400}"
        while (self.count("count() FROM windows") != 48 or self.count(old) != 0) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(self.count("count() FROM windows"), 48)
        self.assertEqual(self.count(old), 0)
        self.assertEqual(self.count("max(windows_before_ns) FROM pruned"), days(2) + 3600 * SECOND)
        self.assertEqual(self.count("sum(windows) FROM hours"), 48)
        # However little room there is, windows on either side of a whole hour are still being sent.
        server.stop()
        newest = first * PERIOD // SECOND // 3600 * 3600 * SECOND
        for hours in (1, 2):
            self.clickhouse.ask("INSERT INTO windows_rows " + copy.format(newest - hours * 3600 * SECOND), self.database)
        server = self.serve_clickhouse("--max-db", "4096")
        end = time.monotonic() + 30
        while (oldest := self.count("min(start_ns) FROM windows")) != newest - 3600 * SECOND and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(oldest, newest - 3600 * SECOND)
        self.assertEqual(self.count("max(windows_before_ns) FROM pruned"), oldest)


class Away(InClickHouse):
    def test_what_is_acknowledged_while_clickhouse_is_away_is_there_when_it_is_back(self):
        server, now = self.serve_clickhouse(), time.time_ns()
        first = now // PERIOD - 60
        healthy = lambda rank, number: False
        self.send_windows(server, range(10), first, random.Random(SEED), healthy)
        self.settle(server)
        self.clickhouse.kill()
        self.addCleanup(lambda: self.clickhouse.process.poll() is None or self.clickhouse.start())
        self.send_windows(server, range(10, 40), first, random.Random(SEED), healthy)
        self.send_windows(server, [12, 13], first, random.Random(SEED), healthy)
        end = time.monotonic() + 10
        while not (spool := self.spool_of(server))["last_error"] and time.monotonic() < end:
            time.sleep(0.05)
        self.assertGreater(spool["waiting_bytes"], 0)
        self.assertIn("does not answer", spool["last_error"])
        metrics = server.request(server.api, "GET", "/metrics")[1].decode()
        self.assertIn("\ningero_fleet_store_reachable 0\n", metrics)
        self.assertRegex(metrics, r"\ningero_fleet_spool_bytes [1-9]")
        for tool, given in (("event_history", {}), ("incidents", {}), ("run_sql", {"sql": "SELECT 1"})):
            with self.subTest(tool), self.assertRaises(clients.Refused) as refused:
                server.ask(tool, **given)
            self.assertEqual(refused.exception.args[:2], (504, "timed_out"))
            self.assertIn("ClickHouse does not answer", refused.exception.args[2])
        sentences = " ".join(server.ask("run_analysis")["sentences"])
        self.assertIn("Incidents that ended are not known: ClickHouse does not answer", sentences)
        self.assertRegex(sentences, "of what nodes sent waits in the spool: ClickHouse does not answer")
        # What is known of now is answered all the same.
        self.assertEqual(server.ask("find_outlier_nodes")["jobs"][0]["ranks"], 16)
        server.stop(signal.SIGKILL)
        server = self.serve_clickhouse()
        self.send_windows(server, [39, 40], first, random.Random(SEED), healthy)
        self.clickhouse.start()
        self.settle(server)
        self.assertEqual(self.count("count() FROM windows"), 41 * 16)
        self.assert_sums_are_a_recount()
        self.assertEqual(server.ask("find_outlier_nodes")["jobs"][0]["last_window_end_ns"], (first + 41) * PERIOD)
        self.assertIn("\ningero_fleet_store_reachable 1\n", server.request(server.api, "GET", "/metrics")[1].decode())

    def test_an_incident_keeps_its_id_over_a_restart_while_clickhouse_is_away(self):
        server, first = self.serve_clickhouse(), time.time_ns() // PERIOD - 70
        noise, is_slow = random.Random(SEED), lambda rank, number: rank == 5 and number >= 40
        self.send_windows(server, range(52), first, noise, is_slow)
        self.settle(server)
        (incident,) = server.ask("incidents")["incidents"]
        self.assertEqual((incident["rank"], incident["state"]), (5, "open"), f"seed {SEED}")
        self.clickhouse.kill()
        self.addCleanup(lambda: self.clickhouse.process.poll() is None or self.clickhouse.start())
        for number in (52, 54):
            server.stop(signal.SIGKILL)
            server = self.serve_clickhouse()
            self.assertEqual([one["rank"] for one in server.ask("find_outlier_nodes")["outliers"]], [5], f"seed {SEED}")
            self.send_windows(server, range(number, number + 2), first, noise, is_slow)
        self.clickhouse.start()
        self.settle(server)
        again = server.ask("incidents")["incidents"]
        self.assertEqual([(one["id"], one["state"], one["from_ns"]) for one in again], [(incident["id"], "open", incident["from_ns"])], f"seed {SEED}")
        self.assertEqual(self.clickhouse.ask("SELECT node_id, count() FROM nodes GROUP BY node_id ORDER BY node_id", self.database), [["gpu-0", 1], ["gpu-1", 1]])
        self.assertEqual(self.count("min(first_ns) FROM nodes"), first * PERIOD)

    def test_a_full_spool_asks_senders_to_come_again_and_keeps_what_it_took(self):
        server, now = self.serve_clickhouse("--spool", "64m"), time.time_ns()
        self.clickhouse.kill()
        self.addCleanup(lambda: self.clickhouse.process.poll() is None or self.clickhouse.start())
        taken, answer = 0, None
        for batch in range(1000):
            points = [("a.gauge", "gauge", 0, now - batch * 10**6 - number, 1.0, {"text": "x" * 4000}) for number in range(100)]
            body = as_protobuf({"host.name": "n"}, points)
            answer = server.send(body)
            if answer[0] != 200:
                break
            self.assert_accepted(answer)
            taken += 100
        self.assertEqual(answer[0], 503, answer)
        self.assertIn(b"the spool is full", answer[1])
        self.assertTrue(5 <= int(answer[2]["Retry-After"]) <= 15, answer)
        self.assertGreater(taken, 1000)
        spool = self.spool_of(server)
        self.assertLessEqual(spool["waiting_bytes"], 64 << 20)
        self.assertGreaterEqual(spool["refused_requests"], 1)
        if cluster_grpc_test.shutil.which("curl"):
            _, code, fields, _ = self.call(server, cluster_grpc_test.framed(body))
            self.assertEqual(code, cluster_grpc_test.UNAVAILABLE)
            details = fields["grpc-status-details-bin"]
            self.assertIn(b"google.rpc.RetryInfo", base64.b64decode(details + "=" * (-len(details) % 4)))
        self.clickhouse.start()
        self.settle(server)
        self.assert_accepted(server.send(body))
        self.settle(server)
        self.assertEqual(self.count("count() FROM events"), taken + 100)

    def test_half_a_record_at_the_end_of_the_spool_is_cut_off(self):
        server, now = self.serve_clickhouse(), time.time_ns()
        bodies = [as_protobuf({"host.name": "n"}, [event(number, batch, now - batch * 10**6) for number in range(10)]) for batch in range(3)]
        self.clickhouse.kill()
        self.addCleanup(lambda: self.clickhouse.process.poll() is None or self.clickhouse.start())
        for body in bodies[:2]:
            self.assert_accepted(server.send(body))
        server.stop(signal.SIGKILL)
        last = sorted(name for name in os.listdir(self.spool) if name.endswith(".segment"))[-1]
        with open(os.path.join(self.spool, last), "r+b") as file:
            whole = file.read()
            file.write(whole[10:110])  # as the beginning of the record that had no answer
        self.clickhouse.start()
        server = self.serve_clickhouse()
        self.assert_accepted(server.send(bodies[2]))
        self.assertEqual(self.settle(server)["damaged_bytes"], 0)
        self.assertEqual(self.count("count() FROM events"), 30)


class Starting(InClickHouse):
    def test_columns_are_compressed_as_the_server_can(self):
        self.serve_clickhouse()
        with_codecs = self.clickhouse.ask("SELECT count() FROM system.columns WHERE database = '{}' AND compression_codec LIKE '%Delta%'".format(
            self.database))[0][0] if clickhouse.CURRENT else 0
        self.assertEqual(with_codecs > 30, bool(clickhouse.CURRENT), with_codecs)

    def refused(self, *flags, environment=None):
        done = subprocess.run([INGERO, "fleet", "serve", *flags, "--insecure-no-tls", "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0",
                               "--api-listen", "127.0.0.1:0"], capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, **(environment or {})})
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_cannot_be_is_said_in_a_sentence(self):
        url = self.clickhouse.url(self.database)
        spool = ("--spool-dir", self.spool)
        for flags, sentence in (((), "give --db FILE or --clickhouse URL"), (("--db", "x.db", "--clickhouse", url), "give --db FILE or --clickhouse URL"),
                                (("--clickhouse", url), "--spool-dir"), (("--clickhouse", "http://10.1.2.3:8123/d", *spool), "not encrypted"),
                                (("--clickhouse", "http://u:p@127.0.0.1/d", *spool), "--clickhouse-user-file"),
                                (("--clickhouse", self.clickhouse.url("a-b"), *spool), "letters, digits"),
                                (("--clickhouse", url, *spool, "--spool", "x"), "--spool"),
                                (("--clickhouse", url, *spool, "--spool", "1m"), "the largest batch has room")):
            self.assertIn(sentence, self.refused(*flags), flags)
        self.clickhouse.ask("CREATE DATABASE other")
        self.addCleanup(self.clickhouse.ask, "DROP DATABASE other")
        self.clickhouse.ask("CREATE TABLE other.t (a Int64) ENGINE = Memory")
        self.assertIn("but not a cluster's", self.refused("--clickhouse", self.clickhouse.url("other"), *spool))
        server = self.serve_clickhouse()
        self.assertIn("another server has this spool", self.refused(*self.flags()))
        # One thread waits for signals; another that does not block them would end the program when it is chosen.
        for thread in set(os.listdir(f"/proc/{server.process.pid}/task")) - {str(server.process.pid)}:
            with open(f"/proc/{server.process.pid}/task/{thread}/status", encoding="ascii") as file:
                blocked = int(re.search(r"SigBlk:\s+(\w+)", file.read())[1], 16)
            self.assertTrue(blocked >> signal.SIGTERM - 1 & 1, thread)
        self.assertEqual(server.stop(), 0)
        self.clickhouse.ask("INSERT INTO schema_version_rows VALUES (99)", self.database)
        self.assertIn("made by a newer version (schema 99", self.refused(*self.flags()))

    @unittest.skipIf(clickhouse.CURRENT, "the engine's library has no TLS")
    @unittest.skipUnless(cluster_grpc_test.shutil.which("openssl"), "no openssl here")
    def test_over_tls_it_trusts_whom_it_was_given(self):
        with tempfile.TemporaryDirectory() as folder:
            encrypted = clickhouse.ClickHouse(folder, has_tls=True).start()
            self.addCleanup(encrypted.stop)
            url = f"https://127.0.0.1:{encrypted.tls_port}/{self.database}"
            server = self.serve(store=("--clickhouse", url, "--spool-dir", self.spool))
            self.assert_accepted(server.send(as_protobuf({"host.name": "n"}, [event(0, 0, time.time_ns())])))
            end = time.monotonic() + 10
            while not (said := self.spool_of(server)["last_error"]) and time.monotonic() < end:
                time.sleep(0.05)
            self.assertIn("certificate", said)
            self.assertEqual(server.stop(), 0)
            server = self.serve(store=("--clickhouse", url, "--spool-dir", self.spool, "--clickhouse-tls-ca", f"{folder}/c.pem"))
            self.settle(server)
            self.assertEqual(encrypted.ask("SELECT count() FROM events", self.database), [[1]])
            self.assertEqual(server.stop(), 0)
            encrypted.stop()

    @unittest.skipIf(clickhouse.CURRENT, "the engine's library has no users")
    def test_passwords_are_read_from_files_or_the_environment(self):
        files = {}
        for user in ("fleet", "reader"):
            files[user] = os.path.join(self.folder, user)
            with open(os.open(files[user], os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
                file.write(f"{user}:{clickhouse.PASSWORD}\n")
        as_fleet, who = ("--clickhouse-user-file", files["fleet"]), "SELECT user FROM system.processes WHERE query LIKE '%who is this%'"
        server = self.serve_clickhouse(*as_fleet)
        self.assertEqual(server.sql(who)["data"], [["fleet"]])
        self.assertEqual(server.stop(), 0)
        server = self.serve_clickhouse(*as_fleet, "--clickhouse-reader-file", files["reader"])
        self.assertEqual(server.sql(who)["data"], [["reader"]])
        self.assertEqual(server.sql("SELECT count() FROM events")["data"], [[0]])
        with self.assertRaises(clients.Refused):
            server.sql("DROP TABLE events_rows")
        self.assertEqual(server.stop(), 0)
        self.assertIn("does not know this user", self.refused(*self.flags(), environment={"INGERO_CLICKHOUSE_USER": "fleet:wrong"}))
        os.chmod(files["fleet"], 0o644)
        self.assertIn("--clickhouse-user-file", self.refused(*self.flags(), *as_fleet))


if __name__ == "__main__":
    if why := clickhouse.why_not():
        print(f"skipped: {why}")
        sys.exit(77)
    unittest.main()
