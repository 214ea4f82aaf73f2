#!/usr/bin/env python3
"""Kills the cluster's server with SIGKILL again and again while nodes send to it, and looks whether it kept its word.

  fleet_kills.py --build DIR [--kills 50] [--nodes 32] [--seed N] [--clickhouse]

Nodes send windows, with an arrival and a device state of each rank and two points of the node, each batch again until it is
acknowledged, some of them twice. At the end every acknowledged batch must be in the file once and none twice, minutes and hours
must equal a recount of the windows, and after each start a rank that is slow throughout must be named again within two windows,
and stay one incident. With --clickhouse the server stores there, and each time the server, ClickHouse or
both are killed. Status 1 where one of these is not so. Standard library only.
"""
import argparse
import contextlib
import http.client
import json
import os
import queue
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from clickhouse import ClickHouse, why_not

SECOND = 1_000_000_000
PERIOD = 5 * SECOND
TOKEN = "a-token-of-these-kills-0123456789"
SENDERS, RANKS_OF_NODE, POINTS_OF_NODE, SLOW = 8, 8, 2, 5
WARM = 40  # windows before the first kill: the slow rank is named
MARGIN = 10  # windows; all must be of the last ten minutes, from which the server goes on when it starts


class Server:
    def __init__(self, ingero, folder, *store):
        self.command = [ingero, "fleet", "serve", *store, "--points-rate", "0", "--insecure-no-tls", "--token-file", os.path.join(folder, "token"), "--grpc-listen", "127.0.0.1:0"]
        self.otlp, self.api = (self.free_port() for _ in range(2))
        self.process = None

    @staticmethod
    def free_port():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return listener.getsockname()[1]

    def start(self):
        self.process = subprocess.Popen(self.command + ["--http-listen", f"127.0.0.1:{self.otlp}", "--api-listen", f"127.0.0.1:{self.api}"],
                                        stderr=subprocess.PIPE, text=True)
        said = []
        while not said or not said[-1].startswith("ingero: OTLP at"):
            said.append(self.process.stderr.readline())
            if not said[-1]:
                sys.exit("".join(said))

    def end(self, number):
        self.process.send_signal(number)
        self.process.wait(30)
        self.process.stderr.close()

    def post(self, port, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        with contextlib.closing(connection):
            connection.request("POST", path, body, {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def settle(self):
        """Until ClickHouse has all that was acknowledged, and all sums are right."""
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.api, timeout=30)) as connection:
                connection.request("GET", "/api/v1/health", headers={"Authorization": f"Bearer {TOKEN}"})
                spool = json.loads(connection.getresponse().read())["spool"]
            if not (spool["waiting_bytes"] or spool["due_minutes"] or spool["last_error"]):
                return
            time.sleep(0.1)
        sys.exit(f"ClickHouse does not get what is in the spool: {spool}")

    def is_named(self):
        status, body = self.post(self.api, "/api/v1/tools/find_outlier_nodes", "{}")
        return status == 200 and [one["rank"] for one in json.loads(body)["outliers"] if one["state"] == "named"] == [SLOW]


def batch(node, number, ranks, noise):
    """One window of a node's ranks, as OTLP in JSON."""
    points = {name: [] for name in ("work", "work.median", "size", "arrival")}
    states = []
    start, end = number * PERIOD, (number + 1) * PERIOD
    for rank in range(node * RANKS_OF_NODE, (node + 1) * RANKS_OF_NODE):
        work = 1 + 0.02 * noise.lognormvariate(0, 1) + (0.5 if rank == SLOW else 0)
        attributes = [{"key": key, "value": {kind: value}} for key, kind, value in
                      (("ingero.rank", "intValue", str(rank)), ("gpu.collective.comm_id_hash", "stringValue", "12345"),
                       ("gpu.collective.rank", "intValue", str(rank)), ("gpu.collective.nranks", "intValue", str(ranks)))]
        times = {"startTimeUnixNano": str(start), "timeUnixNano": str(end), "attributes": attributes}
        points["work"].append({**times, "count": "5", "sum": 5 * work})
        points["work.median"].append({**times, "asDouble": work})
        points["size"].append({**times, "asInt": str(5 << 20)})
        arrival = [{"key": "gpu.collective.number", "value": {"intValue": str(5 * number)}},
                   {"key": "gpu.collective.op_type", "value": {"stringValue": "ALL_REDUCE"}}, {"key": "gpu.collective.size", "value": {"intValue": "4096"}}]
        points["arrival"].append({**times, "attributes": attributes + arrival, "asInt": str(start + SECOND + rank)})
        states.append({**times, "attributes": [attributes[0], {"key": "hw.id", "value": {"stringValue": f"GPU-{rank}"}}], "asDouble": 0.5})
    kinds = {"work": "histogram", "work.median": "gauge", "size": "sum", "arrival": "gauge"}
    metrics = [{"name": f"ingero.fleet.collective.{name}", kinds[name]: {"dataPoints": some}} for name, some in points.items()]
    metrics.append({"name": "hw.gpu.utilization", "gauge": {"dataPoints": states}})
    metrics.append({"name": "training.loss", "gauge": {"dataPoints": [
        {"timeUnixNano": str(start + i), "asDouble": number + i / 2, "attributes": [{"key": "step", "value": {"stringValue": f"{number}.{i}"}}]}
        for i in range(POINTS_OF_NODE)]}})
    resource = [{"key": key, "value": {"stringValue": value}} for key, value in
                (("ingero.cluster.id", "kills"), ("ingero.node.id", f"gpu-{node}"), ("ingero.job.id", "j1"))]
    return json.dumps({"resourceMetrics": [{"resource": {"attributes": resource}, "scopeMetrics": [{"metrics": metrics}]}]})


class Senders:
    """Windows in order; the next begins when all of this one are acknowledged."""

    def __init__(self, server, nodes, seed):
        self.server, self.nodes, self.noise = server, nodes, random.Random(seed)
        self.todo, self.acknowledged, self.tries, self.refused = queue.Queue(), [], 0, []
        self.lock = threading.Lock()
        for _ in range(SENDERS):
            threading.Thread(target=self.run, daemon=True).start()

    def send_window(self, number):
        for node in range(self.nodes):
            body = batch(node, number, self.nodes * RANKS_OF_NODE, self.noise)
            for _ in range(2 if self.noise.random() < 0.1 else 1):
                self.todo.put((node, number, body))
        self.todo.join()

    def run(self):
        while True:
            node, number, body = self.todo.get()
            while True:
                with self.lock:
                    self.tries += 1
                try:
                    status, answer = self.server.post(self.server.otlp, "/v1/metrics", body)
                except (OSError, http.client.HTTPException):
                    time.sleep(0.02)
                    continue
                if status == 200 and answer == b"{}":
                    break
                self.refused.append(f"{status}: {answer[:200]!r}")
                time.sleep(0.02)
            with self.lock:
                self.acknowledged.append((node, number))
            self.todo.task_done()


RECOUNT = ("SELECT {start} AS t, node, job_id, rank, comm_id_hash, count(*), sum(collectives), sum(bytes), sum({work}) FROM windows "
           "GROUP BY t, node, job_id, rank, comm_id_hash ORDER BY t, node, job_id, rank, comm_id_hash")
KEPT = ("SELECT start_s, node, job_id, rank, comm_id_hash, windows, collectives, bytes, work_us FROM {table} "
        "ORDER BY start_s, node, job_id, rank, comm_id_hash")


class File:
    """What is asked of the store in SQLite, and of the one in ClickHouse."""

    work = "CAST(round(coalesce(work_total_s, 0) * 1e6) AS INTEGER)"

    def __init__(self, path):
        self.store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def ask(self, statement):
        return self.store.execute(statement).fetchall()

    def start(self, length):
        return f"start_ns / {length * SECOND} * {length}"

    def is_whole(self):
        return self.store.execute("PRAGMA integrity_check").fetchone()[0] == "ok"


class Tables:
    work = "toInt64(round(ifNull(work_total_s, 0) * 1e6))"

    def __init__(self, clickhouse):
        self.clickhouse = clickhouse

    def ask(self, statement):
        return [tuple(row) for row in self.clickhouse.ask(statement, "kills")]

    def start(self, length):
        return f"intDiv(start_ns, {length * SECOND}) * {length}"

    def is_whole(self):
        return True


def check_store(store, senders, nodes):
    """What is wrong with the store, in sentences."""
    wrong = []
    names = dict(store.ask("SELECT id, node_id FROM nodes"))
    stored = [(names.get(node), *row) for node, *row in
              store.ask("SELECT node, start_ns, count(*), count(DISTINCT rank) FROM windows GROUP BY node, start_ns")]
    wanted = {(f"gpu-{node}", number * PERIOD) for node, number in senders.acknowledged}
    found = {(node, start) for node, start, *_ in stored}
    partial = [row for row in stored if row[2] != RANKS_OF_NODE or row[3] != RANKS_OF_NODE]
    if wanted != found:
        wrong.append(f"{len(wanted - found)} acknowledged batches are missing, {len(found - wanted)} are there without an answer")
    if partial:
        wrong.append(f"{len(partial)} batches are not there once: {partial[:3]}")
    for table, columns in (("arrivals", "node, start_ns, rank, number"), ("device_states", "node, start_ns, rank")):
        rows = [(names.get(node), *row) for node, *row in store.ask(f"SELECT {columns} FROM {table}")]
        ranks = {(node, start, rank) for node, start, rank, *_ in rows}
        if len(rows) != len(ranks) or len(rows) != len(wanted) * RANKS_OF_NODE or {row[:2] for row in ranks} != wanted:
            wrong.append(f"{table}: {len(rows)} rows, {len(ranks)} of them different, not {len(wanted) * RANKS_OF_NODE}")
    points = store.ask("SELECT node_id, timestamp_ns, value_double, attrs FROM events WHERE metric_name = 'training.loss'")
    due = {(f"gpu-{node}", number * PERIOD + i, number + i / 2, f"{number}.{i}") for node, number in senders.acknowledged for i in range(POINTS_OF_NODE)}
    if len(points) != len(due) or {(*row, json.loads(attrs)["step"]) for *row, attrs in points} != due:
        wrong.append(f"events: {len(points)} points, not the {len(due)} that were acknowledged")
    incidents = store.ask("SELECT id, rank, kind FROM incidents")
    if [row[1:] for row in incidents] != [(SLOW, "straggler")]:
        wrong.append(f"incidents: {incidents}, not one of rank {SLOW}")
    for table, length in (("minutes", 60), ("hours", 3600)):
        recount = store.ask(RECOUNT.format(start=store.start(length), work=store.work))
        kept = store.ask(KEPT.format(table=table))
        if recount != kept or not kept:
            wrong.append(f"{table}: {len(set(recount) ^ set(kept))} rows differ from a recount")
    if not store.is_whole():
        wrong.append("the file is damaged")
    print(f"{len(found)} batches of {nodes} nodes acknowledged in {senders.tries} tries, "
          f"{store.ask('SELECT count(*) FROM windows')[0][0]} windows in the store")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="The cluster's server, killed while it is sent to.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--kills", type=int, default=50, choices=range(1, 61), metavar="1..60")
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    parser.add_argument("--clickhouse", action="store_true", help="store in a real clickhouse-server, and kill that, too")
    options = parser.parse_args()
    if options.clickhouse and why_not():
        sys.exit(why_not())
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        clickhouse = ClickHouse(os.path.join(folder, "clickhouse")).start() if options.clickhouse else None
        try:
            wrong = run(options, folder, clickhouse)
        finally:
            if clickhouse:
                clickhouse.stop()
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    return 1 if wrong else 0


def kill(server, clickhouse, chance):
    """One of them, or both; started again when it has been away for a moment."""
    which = chance.choice(("server", "clickhouse", "both")) if clickhouse else "server"
    if which != "server":
        clickhouse.kill()
    if which != "clickhouse":
        server.end(signal.SIGKILL)
    starts = [one for one, name in ((clickhouse, "clickhouse"), (server, "server")) if which in (name, "both")]
    for one in chance.sample(starts, len(starts)):
        time.sleep(chance.uniform(0, 0.5) if clickhouse else 0)
        one.start()


def run(options, folder, clickhouse):
    """What is wrong, in sentences."""
    chance = random.Random(options.seed)
    with open(os.open(os.path.join(folder, "token"), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
        file.write(TOKEN)
    path = os.path.join(folder, "c.db")
    flags = ("--clickhouse", clickhouse.url("kills"), "--spool-dir", os.path.join(folder, "spool")) if clickhouse else ("--db", path)
    server = Server(os.path.abspath(os.path.join(options.build, "cli/ingero")), folder, *flags)
    server.start()
    senders = Senders(server, options.nodes, options.seed)
    number = time.time_ns() // PERIOD - WARM - options.kills - MARGIN
    first = number
    for _ in range(WARM):
        senders.send_window(number)
        number += 1
    wrong, named_after = [], []
    if not server.is_named():
        wrong.append("the slow rank is not named before the first kill")
    begin = time.monotonic()
    senders.send_window(number)
    usual = time.monotonic() - begin
    number += 1
    for one in range(options.kills):
        windows = threading.Thread(target=senders.send_window, args=(number,))
        windows.start()
        time.sleep(chance.uniform(0, usual))
        kill(server, clickhouse, chance)
        windows.join()
        number += 1
        sent = 1
        while not server.is_named() and sent < 6:
            senders.send_window(number)
            number += 1
            sent += 1
        named_after.append(sent)
        if sent > 2:
            wrong.append(f"after kill {one + 1} the slow rank was named after {sent} windows")
    if clickhouse:
        server.settle()
    server.end(signal.SIGTERM)
    wrong += check_store(Tables(clickhouse) if clickhouse else File(path), senders, options.nodes)
    print(f"{options.kills} kills during {number - first} windows; named again after {max(named_after)} windows at most")
    if senders.refused:
        print(f"refused meanwhile: {len(senders.refused)}, the first: {senders.refused[0]}")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
