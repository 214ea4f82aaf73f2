#!/usr/bin/env python3
"""Kills the cluster's server with SIGKILL again and again while nodes send to it, and looks whether it kept its word.

  fleet_kills.py --build DIR [--kills 50] [--nodes 32] [--seed N]

Nodes send windows, each again until it is acknowledged, some of them twice. At the end every acknowledged batch must be in the
file once and none twice, minutes and hours must equal a recount of the windows, and after each start a rank that is slow
throughout must be named again within two windows. Status 1 where one of these is not so. Standard library only.
"""
import argparse
import contextlib
import http.client
import json
import os
import queue
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

SECOND = 1_000_000_000
PERIOD = 5 * SECOND
TOKEN = "a-token-of-these-kills-0123456789"
SENDERS, RANKS_OF_NODE, SLOW = 8, 8, 5
WARM = 40  # windows before the first kill: the slow rank is named
MARGIN = 10  # windows; all must be of the last ten minutes, from which the server goes on when it starts


class Server:
    def __init__(self, ingero, folder):
        self.command = [ingero, "fleet", "serve", "--db", os.path.join(folder, "c.db"), "--points-rate", "0", "--insecure-no-tls",
                        "--token-file", os.path.join(folder, "token"), "--grpc-listen", "127.0.0.1:0"]
        self.otlp, self.api = (self.free_port() for _ in range(2))
        self.process = None

    @staticmethod
    def free_port():
        with socket.create_server(("127.0.0.1", 0)) as listener:
            return listener.getsockname()[1]

    def start(self):
        self.process = subprocess.Popen(self.command + ["--http-listen", f"127.0.0.1:{self.otlp}", "--api-listen", f"127.0.0.1:{self.api}"],
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        if not re.search(r"http://127\.0\.0\.1", line):
            sys.exit(line + self.process.stderr.read())

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

    def is_named(self):
        status, body = self.post(self.api, "/api/v1/tools/find_outlier_nodes", "{}")
        return status == 200 and [one["rank"] for one in json.loads(body)["outliers"] if one["state"] == "named"] == [SLOW]


def batch(node, number, ranks, noise):
    """One window of a node's ranks, as OTLP in JSON."""
    points = {name: [] for name in ("work", "work.median", "size")}
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
    kinds = {"work": "histogram", "work.median": "gauge", "size": "sum"}
    metrics = [{"name": f"ingero.fleet.collective.{name}", kinds[name]: {"dataPoints": some}} for name, some in points.items()]
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


def check_file(path, senders, nodes):
    """What is wrong with the file, in sentences."""
    wrong = []
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
        stored = store.execute("SELECT n.node_id, w.start_ns, count(*), count(DISTINCT w.rank) FROM windows w JOIN nodes n ON n.id = w.node "
                               "GROUP BY 1, 2").fetchall()
        wanted = {(f"gpu-{node}", number * PERIOD) for node, number in senders.acknowledged}
        found = {(node, start) for node, start, *_ in stored}
        partial = [row for row in stored if row[2] != RANKS_OF_NODE or row[3] != RANKS_OF_NODE]
        if wanted != found:
            wrong.append(f"{len(wanted - found)} acknowledged batches are missing, {len(found - wanted)} are there without an answer")
        if partial:
            wrong.append(f"{len(partial)} batches are not there once: {partial[:3]}")
        for table, length in (("minutes", 60), ("hours", 3600)):
            recount = store.execute(
                f"SELECT start_ns / {length * SECOND} * {length} AS t, node, job_id, rank, comm_id_hash, count(*), sum(collectives), sum(bytes), "
                "sum(CAST(round(coalesce(work_total_s, 0) * 1e6) AS INTEGER)) FROM windows GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5").fetchall()
            kept = store.execute(f"SELECT start_s, node, job_id, rank, comm_id_hash, windows, collectives, bytes, work_us FROM {table} "
                                 "ORDER BY 1, 2, 3, 4, 5").fetchall()
            if recount != kept:
                wrong.append(f"{table}: {len(set(recount) ^ set(kept))} rows differ from a recount")
        if store.execute("PRAGMA integrity_check").fetchone()[0] != "ok":
            wrong.append("the file is damaged")
        print(f"{len(found)} batches of {nodes} nodes acknowledged in {senders.tries} tries, "
              f"{store.execute('SELECT count(*) FROM windows').fetchone()[0]} windows in the file")
    return wrong


def main():
    parser = argparse.ArgumentParser(description="The cluster's server, killed while it is sent to.")
    parser.add_argument("--build", required=True)
    parser.add_argument("--kills", type=int, default=50, choices=range(1, 61), metavar="1..60")
    parser.add_argument("--nodes", type=int, default=32)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**31))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    chance = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.open(os.path.join(folder, "token"), os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="ascii") as file:
            file.write(TOKEN)
        server = Server(os.path.abspath(os.path.join(options.build, "cli/ingero")), folder)
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
        for kill in range(options.kills):
            windows = threading.Thread(target=senders.send_window, args=(number,))
            windows.start()
            time.sleep(chance.uniform(0, usual))
            server.end(signal.SIGKILL)
            server.start()
            windows.join()
            number += 1
            sent = 1
            while not server.is_named() and sent < 6:
                senders.send_window(number)
                number += 1
                sent += 1
            named_after.append(sent)
            if sent > 2:
                wrong.append(f"after kill {kill + 1} the slow rank was named after {sent} windows")
        server.end(signal.SIGTERM)
        wrong += check_file(os.path.join(folder, "c.db"), senders, options.nodes)
        print(f"{options.kills} kills during {number - first} windows; named again after {max(named_after)} windows at most")
        if senders.refused:
            print(f"refused meanwhile: {len(senders.refused)}, the first: {senders.refused[0]}")
    for sentence in wrong:
        print(f"WRONG: {sentence}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
