#!/usr/bin/env python3
"""Several machines at once: real servers over the published samples, asked by the commands and by query_fleet.

  fleet_test.py INGERO
"""
import collections
import concurrent.futures
import contextlib
import csv
import io
import json
import os
import random
import re
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import clients

INGERO = os.path.abspath(sys.argv.pop(1))
SAMPLES = clients.SAMPLES[2:]  # of three machines
CERTIFICATES = """set -e
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 1 -subj /CN=ca
  openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout node.key -out node.csr -subj /CN=node
  echo subjectAltName=DNS:localhost,IP:127.0.0.1 > ext
  openssl x509 -req -in node.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -extfile ext -out node.pem
  chmod 600 node.key"""


def closed_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def first_bytes(listener, context):
    """What the first client says once its connection is encrypted; nothing where it is not to be."""
    listener.settimeout(20)
    plain, _ = listener.accept()
    plain.settimeout(20)
    try:
        with context.wrap_socket(plain, server_side=True) as connection:
            return connection.recv(65536)
    except ssl.SSLError:
        return b""


class Fleet(unittest.TestCase):
    def setUp(self):
        self.samples = [os.path.join(clients.sample_folder(), name + ".db") for name in SAMPLES]
        if not os.path.exists(self.samples[0]):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("INGERO_")}
        self.environment["HOME"] = self.folder
        self.servers = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def serve(self, database, *more, token=None):
        server = clients.Dashboard(INGERO, database, *more, token=token)
        self.addCleanup(server.close)
        return f"{server.address.hostname}:{server.address.port}"

    def plain(self):
        """Two nodes, as they are on one machine."""
        return [self.serve(sample, "--no-tls") for sample in self.samples[:2]]

    def ingero(self, *arguments, good=True, **variables):
        done = subprocess.run([INGERO, *arguments], capture_output=True, text=True, env={**self.environment, **variables},
                              cwd=self.folder, timeout=60, check=False)
        self.assertEqual(done.returncode == 0, good, f"{arguments}: {done.stdout[:2000]}{done.stderr}")
        return done

    def count(self, place, sql="SELECT count(*) FROM events"):
        recording = f"file:{self.samples[place]}?mode=ro&immutable=1"  # leaves no log next to it
        with contextlib.closing(sqlite3.connect(recording, uri=True)) as database:
            return database.execute(sql).fetchone()[0]

    def test_rows_of_all_nodes_in_every_form(self):
        nodes = self.plain()
        sql = "SELECT count(*) AS events FROM events"
        wanted = [{"node": node, "events": self.count(i)} for i, node in enumerate(nodes)]
        shown = self.ingero("query", "--nodes", ",".join(nodes), sql)
        self.assertEqual([line.split() for line in shown.stdout.splitlines()],
                         [["node", "events"]] + [[one["node"], str(one["events"])] for one in wanted])
        self.assertEqual(shown.stderr, "")
        self.assertEqual(json.loads(self.ingero("query", "--nodes", ",".join(nodes), sql, "--json").stdout), wanted)
        rows = list(csv.DictReader(io.StringIO(self.ingero("query", "--nodes", ",".join(nodes), sql, "--csv").stdout)))
        self.assertEqual(rows, [{"node": one["node"], "events": str(one["events"])} for one in wanted])
        # As the posts type it: the recordings' own column of that name stays.
        own = json.loads(self.ingero("query", "--nodes", ",".join(nodes), "--json",
                                     "SELECT node, count(*) AS n FROM events GROUP BY node").stdout)
        self.assertEqual([one["node"] for one in own], nodes)
        self.assertEqual([one["node_2"] for one in own], ["gpu-node-01", "gpu-node-02"])

    def test_nodes_of_the_file_and_who_may_write_it(self):
        nodes = self.plain()
        sql = "SELECT count(*) AS events FROM events"
        file = self.path("ingero.yaml")
        for text in ("fleet:\n  nodes: [%s, %s]\n", "agent: {node: a}\nfleet:\n  nodes:\n    - %s\n    - '%s'\n"):
            with open(file, "w", encoding="utf-8") as out:
                out.write(text % tuple(nodes))
            os.chmod(file, 0o644)
            done = self.ingero("query", sql, "--json")
            self.assertEqual([one["node"] for one in json.loads(done.stdout)], nodes)
            self.assertEqual(done.stderr, "ingero: 2 nodes of ingero.yaml\n")
        # A recording that is named, or is where recordings are, is what is asked.
        self.assertEqual(json.loads(self.ingero("query", "--db", self.samples[0], sql, "--json").stdout),
                         [{"events": self.count(0)}])
        os.mkdir(self.path(".ingero"))
        shutil.copy(self.samples[0], self.path(".ingero/ingero.db"))
        self.assertEqual(json.loads(self.ingero("query", sql, "--json").stdout), [{"events": self.count(0)}])
        self.assertEqual(len(json.loads(self.ingero("query", "--nodes", "all", sql, "--json").stdout)), 2)
        # The file that the variable names comes first.
        with open(self.path("other.yaml"), "w", encoding="utf-8") as out:
            out.write(f"fleet: {{nodes: [{nodes[1]}]}}\n")
        done = self.ingero("query", "--nodes", "all", sql, "--json", INGERO_CONFIG=self.path("other.yaml"))
        self.assertEqual([one["node"] for one in json.loads(done.stdout)], nodes[1:])
        os.chmod(file, 0o666)
        done = self.ingero("query", "--nodes", "all", sql, good=False)
        self.assertIn("others than you and root can write it", done.stderr)

    def test_one_plain_one_with_tls_and_one_down(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not installed")
        subprocess.run(["sh", "-c", CERTIFICATES], cwd=self.folder, check=True, capture_output=True)
        plain = self.serve(self.samples[0], "--no-tls")
        closed = self.serve(self.samples[1], "--tls-cert", self.path("node.pem"), "--tls-key", self.path("node.key"),
                            token=clients.TOKEN)
        down = f"127.0.0.1:{closed_port()}"
        nodes = f"http://{plain},https://{closed},http://{down}"
        ca = ("--ca-cert", self.path("ca.pem"))
        sql = "SELECT count(*) AS events FROM events"
        done = self.ingero("query", "--nodes", nodes, sql, "--json", *ca, INGERO_NODES_TOKEN=clients.TOKEN)
        self.assertEqual([(one["node"], one["events"]) for one in json.loads(done.stdout)],
                         [(plain, self.count(0)), (closed, self.count(1))])
        self.assertRegex(done.stderr, rf"^ingero: warning: {down}: .*refused\n$")
        token = self.path("token")
        with open(token, "w", encoding="utf-8", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
            out.write(clients.TOKEN + "\n")
        done = self.ingero("query", "--nodes", nodes, sql, "--json", *ca, "--nodes-token-file", token)
        self.assertEqual(len(json.loads(done.stdout)), 2)
        # Without the token, without the authority, with the wrong name: the node says no, or we do.
        for more, variables, said in ((ca, {}, "authentication required"), (ca, {"INGERO_NODES_TOKEN": "x" * 32}, "authentication"),
                                      ((), {"INGERO_NODES_TOKEN": clients.TOKEN}, "certificate is not accepted")):
            done = self.ingero("query", "--nodes", nodes, sql, "--json", *more, **variables)
            self.assertEqual([one["node"] for one in json.loads(done.stdout)], [plain])
            self.assertRegex(done.stderr, rf"warning: {closed}: .*{said}")
            self.assertNotIn(clients.TOKEN, done.stderr)
        port = closed.rsplit(":", 1)[1]
        done = self.ingero("query", "--nodes", f"https://127.0.0.2:{port}", sql, *ca, good=False)
        self.assertEqual(done.stdout, "")
        done = self.ingero("query", "--nodes", f"http://{down},https://127.0.0.1:{closed_port()}", sql, *ca, good=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no node answered", done.stderr)

    def test_a_token_is_not_sent_by_an_older_tls(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not installed")
        subprocess.run(["sh", "-c", CERTIFICATES], cwd=self.folder, check=True, capture_output=True)
        heard = {}
        for newest in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.path("node.pem"), self.path("node.key"))
            context.maximum_version = newest
            with socket.create_server(("127.0.0.1", 0)) as listener, concurrent.futures.ThreadPoolExecutor(1) as pool:
                listening = pool.submit(first_bytes, listener, context)
                self.ingero("query", "--nodes", f"https://127.0.0.1:{listener.getsockname()[1]}", "SELECT 1", "--ca-cert",
                            self.path("ca.pem"), good=False, INGERO_NODES_TOKEN=clients.TOKEN)
                heard[newest] = listening.result()
        self.assertEqual(heard[ssl.TLSVersion.TLSv1_2], b"")
        self.assertIn(clients.TOKEN.encode(), heard[ssl.TLSVersion.TLSv1_3])

    def test_plain_text_stays_here_unless_asked_for(self):
        done = self.ingero("query", "--nodes", "http://gpu-01:8080", "SELECT 1", good=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--fleet-require-tls=false", done.stderr)
        done = self.ingero("query", "--nodes", "http://gpu-01:8080", "--fleet-require-tls=false", "SELECT 1", good=False,
                           INGERO_NODES_TOKEN=clients.TOKEN)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the token would be sent unencrypted", done.stderr)
        done = self.ingero("query", "--db", self.samples[0], "--nodes", "127.0.0.1:1", "SELECT 1", good=False)
        self.assertEqual(done.returncode, 2)

    def test_cut_rows_wrong_sql_and_silent_nodes(self):
        nodes = self.plain()
        done = self.ingero("query", "--nodes", ",".join(nodes), "SELECT op FROM events", "--limit", "3", "--csv")
        self.assertEqual(len(done.stdout.splitlines()), 7)
        for node in nodes:
            self.assertIn(f"warning: {node}: the first 3 rows are given; there are more (limit)\n", done.stderr)
        done = self.ingero("query", "--nodes", ",".join(nodes), "SELECT absent FROM events", good=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no such column: absent", done.stderr)
        done = self.ingero("query", "--nodes", ",".join(nodes), "DELETE FROM events", good=False)
        self.assertEqual(done.returncode, 1)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            name = f"127.0.0.1:{silent.getsockname()[1]}"
            done = self.ingero("query", "--nodes", f"{nodes[0]},{name}", "SELECT 1 AS one", "--timeout", "400ms", "--json")
        self.assertEqual(json.loads(done.stdout), [{"node": nodes[0], "one": 1}])
        self.assertIn(f"warning: {name}: ", done.stderr)

    def test_256_nodes_of_which_ten_are_dead_and_ten_hang(self):
        timeout = 3
        with concurrent.futures.ThreadPoolExecutor(16) as pool, contextlib.ExitStack() as open_sockets:
            alive = list(pool.map(lambda i: self.serve(self.samples[i % 3], "--no-tls"), range(16 if clients.SANITIZED else 236)))
            dead, silent = [f"127.0.0.1:{closed_port()}" for _ in range(10)], []
            for _ in range(10):
                listener = open_sockets.enter_context(socket.socket())
                listener.bind(("127.0.0.1", 0))
                listener.listen()
                silent.append(f"127.0.0.1:{listener.getsockname()[1]}")
            nodes = alive + dead + silent
            random.shuffle(nodes)
            def asked(of, seconds):
                begin = time.monotonic()
                done = self.ingero("query", "--nodes", ",".join(of), "SELECT count(*) AS events FROM events", "--json", "--timeout", f"{seconds}s")
                return done, time.monotonic() - begin
            asked(alive, 60)  # they share this machine's CPUs, which nodes do not: each has opened its recording
            done, took = asked(nodes, timeout)
        rows = json.loads(done.stdout)
        self.assertEqual([one["node"] for one in rows], [one for one in nodes if one in alive])
        self.assertEqual({one["node"]: one["events"] for one in rows}, {node: self.count(i % 3) for i, node in enumerate(alive)})
        for node in dead + silent:
            self.assertIn(f"warning: {node}: ", done.stderr)
        self.assertEqual(done.stderr.count("warning: "), 20, done.stderr)
        self.assertLess(took, timeout + 1)

    def test_chains_of_all_nodes(self):
        nodes = self.plain()
        down = f"127.0.0.1:{closed_port()}"
        own = {node: clients.ask(INGERO, self.samples[i], "get_causal_chains", {"top_n": -1})["chains"]
               for i, node in enumerate(nodes)}
        total = sum(len(chains) for chains in own.values())
        self.assertGreater(total, 0)
        done = self.ingero("explain", "--nodes", ",".join(nodes))
        self.assertEqual(done.stdout.splitlines()[0], f"FLEET CAUSAL CHAINS - {total} chain{'' if total == 1 else 's'} from 2 nodes")
        heads = re.findall(r"^\[(127\.0\.0\.1:\d+)\] \[(\w+)\] (.*)$", done.stdout, re.MULTILINE)
        self.assertEqual(collections.Counter((node, summary) for node, _, summary in heads),
                         collections.Counter((node, chain["summary"]) for node in nodes for chain in own[node]))
        order = ["CRITICAL", "HIGH", "MEDIUM", "LOW"]
        ranks = [order.index(severity) for _, severity, _ in heads]
        self.assertEqual(ranks, sorted(ranks))
        done = self.ingero("explain", "--nodes", f"{nodes[0]},{down}")
        self.assertIn("from 1 node; 1 did not answer\n", done.stdout)
        self.assertIn(f"warning: {down}: ", done.stderr)
        listed = json.loads(self.ingero("explain", "--nodes", ",".join(nodes), "--json").stdout)
        for chain in listed:
            node = chain.pop("node")
            chain["node"] = chain.pop("recorded_node")
            self.assertIn(chain, own[node])
        none = json.loads(self.ingero("explain", "--nodes", ",".join(nodes), "--json", "--pid", "1").stdout)
        self.assertEqual([chain for chain in none if chain["pid"] not in (None, 1)], [])

    def test_query_fleet_is_one_tool_at_every_door(self):
        nodes = self.plain() + [f"127.0.0.1:{closed_port()}"]
        flag = ("--nodes", ",".join(nodes), "--clock-skew-threshold", "0")
        database = self.path("none.db")  # the server that asks needs no recording of its own
        interfaces = [clients.Stdio(INGERO, database, *flag), clients.Https(INGERO, database, *flag),
                 clients.Dashboard(INGERO, database, *flag)]
        questions = [{}, {"action": "chains"}, {"action": "chains", "pid": 1, "since": "5m"}, {"action": "ops"},
                     {"action": "ops", "pid": 1}, {"action": "ops", "tsc": True}, {"action": "overview", "pid": 1},
                     {"action": "sql", "query": "SELECT count(*) AS n FROM events"},
                     {"action": "sql", "sql": "SELECT 1 AS one", "limit": 1}]
        answers = []
        for given in questions:
            with self.subTest(given=given):
                wanted = clients.ask(INGERO, database, "query_fleet", given, *flag)
                answers.append(wanted)
                for interface in interfaces:
                    answer = interface.ask("query_fleet", given)
                    answer = answer if isinstance(interface, clients.Dashboard) else answer["said"]
                    self.assertEqual(answer, wanted, type(interface).__name__)
        for given in ({"action": "all"}, {"action": "sql"}, {"action": "ops", "query": "SELECT 1"}, {"nodes": "127.0.0.1:1"},
                      {"action": "sql", "query": "SELECT 1", "pid": 1}, {"action": "sql", "query": "DELETE FROM events"},
                      {"since": "soon"}):
            sentences = set()
            for interface in interfaces:
                with self.subTest(given=given), self.assertRaises(clients.Refused) as caught:
                    interface.ask("query_fleet", given)
                if given.get("query") != "DELETE FROM events" and given.get("since") is None:
                    self.assertEqual(caught.exception.args[0], "bad_input")
                sentences.add(caught.exception.args)
            self.assertEqual(len(sentences), 1, sentences)
        overview, chains, _, ops, ops_of_one, *_, sql, one = answers
        self.assertEqual([line["answered"] for line in overview["nodes"]], [True, True, False])
        self.assertEqual([(line["node"], line["events"]) for line in overview["overview"]],
                         [(nodes[0], self.count(0)), (nodes[1], self.count(1))])
        self.assertEqual(sum(line["chains"] for line in overview["overview"]), len(chains["chains"]))
        self.assertEqual(sql["data"], [[nodes[0], self.count(0)], [nodes[1], self.count(1)]])
        self.assertEqual(one["columns"], ["node", "one"])
        alone = [clients.ask(INGERO, sample, "get_trace_stats", {}) for sample in self.samples[:2]]
        for op in ops["ops"]:
            parts = [call for stats in alone for call in stats["calls"] + stats["host"]
                     if (call["op"], call["layer"]) == (op["op"], op["layer"])]
            self.assertEqual(op["count"], sum(call["count"] for call in parts))
            self.assertEqual([part["p99_ns"] for part in op["nodes"]], [call["p99_ns"] for call in parts])
        self.assertEqual(ops_of_one["ops"], [])  # no node has a process 1
        for interface in interfaces:
            self.assertEqual(interface.close(), 0)

    def test_without_nodes_there_is_no_such_tool(self):
        interface = clients.Stdio(INGERO, self.samples[0])
        self.assertNotIn("query_fleet", [tool["name"] for tool in interface.request("tools/list")["result"]["tools"]])
        self.assertIn("error", interface.request("tools/call", {"name": "query_fleet", "arguments": {}}))
        self.assertEqual(interface.close(), 0)
        with self.assertRaises(clients.Refused) as caught:
            clients.ask(INGERO, self.samples[0], "query_fleet", {})
        self.assertIn("--nodes", caught.exception.args[1])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
