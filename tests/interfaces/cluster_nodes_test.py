#!/usr/bin/env python3
"""`query --nodes`, `explain --nodes` and `export --nodes` of a cluster's server, alone and together with nodes.

  cluster_nodes_test.py INGERO MAKE_RANK_RECORDING
"""
import json
import os
import re
import socket
import subprocess
import sys
import time
import unittest

MAKE = os.path.abspath(sys.argv.pop(2))
import clients  # noqa: E402
import cluster_test  # noqa: E402
from cluster_test import INGERO, PERIOD, SECOND, SEED, TOKEN, Cluster, as_protobuf  # noqa: E402


class Nodes(Cluster):
    def simulated(self, *more):
        server, truth = self.serve(), os.path.join(self.folder, "truth.json")
        cluster_test.Truth.simulate(self, server, "--ranks", "256", "--seed", str(SEED % 2**31), "--truth", truth, *more)
        with open(truth, encoding="utf-8") as file:
            return server, json.load(file)

    def ingero(self, *arguments, good=True, token=TOKEN):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("INGERO_")}
        environment["HOME"] = self.folder
        if token:
            environment["INGERO_NODES_TOKEN"] = token
        done = subprocess.run([INGERO, *arguments], capture_output=True, text=True, env=environment, cwd=self.folder, timeout=60, check=False)
        self.assertEqual(done.returncode == 0, good, f"{arguments}: {done.stdout[:2000]}{done.stderr}")
        return done

    def node(self):
        recording = os.path.join(self.folder, "run.db")
        subprocess.run([MAKE, recording, "6"], check=True, capture_output=True, timeout=60)
        node = clients.Dashboard(INGERO, recording, "--no-tls", token=TOKEN)
        self.addCleanup(node.close)
        return f"{node.address.hostname}:{node.address.port}"

    def test_rows_of_the_cluster_and_of_nodes_are_one_answer(self):
        server, _ = self.simulated("--windows", "3", "--plan", "healthy")
        name, node = f"127.0.0.1:{server.api}", self.node()
        count = "SELECT count(*) AS n, count(DISTINCT rank) AS ranks FROM windows"
        done = self.ingero("query", "--nodes", name, count, "--json")
        (row,) = json.loads(done.stdout)
        self.assertEqual((row["node"], row["ranks"], done.stderr), (name, 256, ""))
        self.assertEqual(row["n"], server.sql(count)["data"][0][0])
        done = self.ingero("query", "--nodes", f"{node},{name}", "SELECT count(*) AS n FROM events", "--json")
        self.assertEqual([one["node"] for one in json.loads(done.stdout)], [node, name])
        self.assertEqual(done.stderr, "")
        # What only one of them has.
        done = self.ingero("query", "--nodes", f"{node},{name}", count, "--json")
        self.assertEqual([one["node"] for one in json.loads(done.stdout)], [name])
        self.assertIn(f"warning: {node}: ", done.stderr)
        self.assertIn("no such table: windows", done.stderr)
        done = self.ingero("query", "--nodes", name, "SELECT rank FROM windows", "--limit", "3", "--csv")
        self.assertEqual(len(done.stdout.splitlines()), 4)
        self.assertIn("there are more", done.stderr)
        done = self.ingero("query", "--nodes", name, "DELETE FROM windows", good=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))

    def test_incidents_are_explained(self):
        server, truth = self.simulated()
        name = f"127.0.0.1:{server.api}"
        (planted,) = truth["stragglers"]
        done = self.ingero("explain", "--nodes", name)
        self.assertIn("FLEET CAUSAL CHAINS - 1 chain from 1 node\n", done.stdout)
        self.assertIn(f"[{name}] [", done.stdout)
        self.assertIn(f"rank {planted['rank']} on {planted['node_id']} needs ", done.stdout)
        self.assertIn("Root cause: ", done.stdout)
        self.assertRegex(done.stdout, r"Explains: \d+ ranks wait for it: \d+, ")
        (chain,) = json.loads(self.ingero("explain", "--nodes", name, "--json", "--since", "1h").stdout)
        (incident,) = server.ask("incidents")["incidents"]
        self.assertEqual(chain["incident"], incident)
        self.assertEqual((chain["node"], chain["recorded_node"], chain["rank"], chain["id"]),
                         (name, planted["node_id"], planted["rank"], incident["id"]))
        self.assertEqual(chain["root_cause"], incident["cause"])
        # What is named now is, however short the time; by how much is as of now, and stored only where it is news (10 %).
        words = lambda cause: re.sub(r"[0-9.]+ ?[a-z]?s\b", "N", cause)
        now = json.loads(self.ingero("explain", "--nodes", name, "--json", "--since", "1ms").stdout)
        self.assertEqual([(one["rank"], one["severity"], words(one["root_cause"])) for one in now],
                         [(chain["rank"], "HIGH", words(chain["root_cause"]))] if incident["state"] == "open" else [])
        # With a node: its own chains, too.
        node = self.node()
        both = json.loads(self.ingero("explain", "--nodes", f"{node},{name}", "--json").stdout)
        self.assertIn(incident["id"], [one["id"] for one in both])
        # What a cluster's incidents cannot be chosen by is its own failure, not the node's.
        done = self.ingero("explain", "--nodes", f"{node},{name}", "--pid", "4002")
        self.assertIn(f'warning: {name}: it is a cluster\'s server, whose incidents cannot be chosen by "pid"', done.stderr)
        self.ingero("explain", "--nodes", name, "--pid", "1", good=False)

    def test_a_slow_node_is_one_incident_at_every_interface(self):
        server, truth = self.simulated("--plan", "nodes", "--effect", "0.3")
        name, (planted,), (alone,) = f"127.0.0.1:{server.api}", truth["slow_nodes"], truth["stragglers"]
        incidents = {one["kind"]: one for one in server.ask("incidents")["incidents"]}
        self.assertEqual(len(server.ask("incidents")["incidents"]), 2, f"seed {SEED}: {incidents}")
        self.assertEqual(incidents["straggler"]["rank"], alone["rank"])
        incident = incidents["slow_node"]
        self.assertEqual((incident["node_id"], incident["rank"], incident["class"]), (planted["node_id"], None, planted["class"]))
        self.assertLessEqual(set(incident["evidence"]["ranks"]), set(planted["ranks"]))
        self.assertGreaterEqual(incident["evidence"]["rank_count"], 6)
        self.assertGreaterEqual(incident["evidence"]["delayed_count"], 56, "the seven others of each data parallel communicator")
        said = f"ranks on {planted['node_id']} ("
        self.assertIn(said, incident["evidence"]["sentence"])
        chains = json.loads(self.ingero("explain", "--nodes", name, "--json", "--since", "1h").stdout)
        self.assertEqual({(one["recorded_node"], one["rank"], one["rule"]) for one in chains},
                         {(planted["node_id"], None, "slow_node"), (alone["node_id"], alone["rank"], "straggler")})
        self.assertIn(said, self.ingero("explain", "--nodes", name).stdout)
        self.assertIn(said, " ".join(server.ask("run_analysis")["sentences"]))
        outliers = server.ask("find_outlier_nodes", since="1h")
        found = [(one["kind"], one["node_id"]) for one in outliers["outliers"] + outliers["ended"]]
        self.assertEqual(sorted(found), sorted([("slow_node", planted["node_id"]), ("straggler", alone["node_id"])]))
        # What had been written of its ranks before is part of it, and says so.
        merged = server.sql("SELECT node_id, evidence FROM incidents WHERE state = 'merged'")["data"]
        self.assertEqual({(node, json.loads(evidence)["merged_into"]) for node, evidence in merged} - {(planted["node_id"], incident["id"])}, set())
        self.ingero("export", "--nodes", name, "--format", "chrome", "-o", "n.json")
        with open(os.path.join(self.folder, "n.json"), encoding="utf-8") as file:
            drawn = [one["name"] for one in json.load(file)["traceEvents"] if one.get("cat") == "incident"]
        self.assertEqual((len(drawn), sum(said in one for one in drawn)), (2, 1))

    def test_a_hang_is_explained(self):
        server, truth = self.simulated("--windows", "40", "--plan", "hang")
        (planted,) = truth["hangs"]
        chains = json.loads(self.ingero("explain", "--nodes", f"127.0.0.1:{server.api}", "--json").stdout)
        hangs = [one for one in chains if one["incident"]["class"] == "hang"]
        self.assertEqual([(one["severity"], one["rule"]) for one in hangs], [("CRITICAL", planted["kind"])], chains)

    def test_of_each_rank_that_is_waited_for_it_is_said_where_it_is(self):
        server, end = self.serve("--hang-after", "2s"), time.monotonic() + 14
        where = {5: {"ingero.rank.activity": "asleep", "ingero.rank.call": "cudaLaunchKernel", "ingero.rank.line": "load_batch() at data.py:31",
                     "code.stacktrace": "[Python] data.py:31 in load_batch()\n[Native] read+0x10 (libc.so.6)", "process.pid": 4242},
                 9: {"ingero.rank.activity": "in_call", "ingero.rank.call": "cudaMemcpy", "ingero.rank.line": "copy() at step.py:7", "process.pid": 4343}}
        hangs = []
        while time.monotonic() < end and not hangs:
            now = time.time_ns()
            for node in range(2):
                points = []
                for rank in range(node * 8, node * 8 + 8):
                    shared = {"ingero.rank": rank, "gpu.collective.comm_id_hash": "12345", "gpu.collective.rank": rank,
                              "gpu.collective.nranks": 16, "gpu.collective.op_type": "AllReduce"}
                    points += [("ingero.fleet.collective.entered", "gauge", now - SECOND, now, 3 if rank in where else 4, {**shared, **where.get(rank, {})}),
                               ("ingero.fleet.collective.left", "gauge", now - SECOND, now, 3, shared)]
                self.assert_accepted(server.send(as_protobuf({"ingero.cluster.id": "live", "ingero.node.id": f"gpu-{node}"}, points)))
            time.sleep(1)
            hangs = server.ask("hangs", cluster_id="live")["hangs"]
        (hang,) = hangs
        self.assertEqual([(one["rank"], one["pid"], one["line"], one["stack"]) for one in hang["evidence"]["ranks"]],
                         [(5, 4242, "load_batch() at data.py:31", where[5]["code.stacktrace"].split("\n")), (9, 4343, "copy() at step.py:7", None)])
        said = "; rank 5 sleeps, in load_batch() at data.py:31, and has made no GPU call; rank 9 has been in cudaMemcpy, in copy() at step.py:7"
        self.assertIn(said, hang["evidence"]["sentence"])
        self.assertIn(said, server.ask("run_analysis")["sentences"][0])
        (row,) = server.sql("SELECT evidence FROM incidents WHERE class = 'hang'")["data"]
        self.assertIn(said, json.loads(row[0])["sentence"])

        explained = self.ingero("explain", "--nodes", f"127.0.0.1:{server.api}").stdout
        self.assertIn(said, explained)
        self.assertIn("at [Python] data.py:31 in load_batch()", explained)
        (chain,) = json.loads(self.ingero("explain", "--nodes", f"127.0.0.1:{server.api}", "--json").stdout)
        self.assertEqual((chain["pid"], chain["stack"]), (4242, where[5]["code.stacktrace"].split("\n")))

    def test_windows_and_incidents_are_drawn(self):
        server, truth = self.simulated()
        name, (planted,) = f"127.0.0.1:{server.api}", truth["stragglers"]
        done = self.ingero("export", "--nodes", name, "--format", "chrome", "-o", "c.json")
        with open(os.path.join(self.folder, "c.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        processes = {one["pid"]: one["args"]["name"] for one in events if one["name"] == "process_name"}
        windows = [one for one in events if one.get("cat") == "window"]
        self.assertIn(f"c.json: {len(windows)} windows, 1 incidents, ", done.stderr)
        self.assertGreater(len(windows), 256)
        self.assertTrue(all(one["dur"] == 5e6 and one["args"]["collectives"] > 0 for one in windows), windows[0])
        (incident,) = [one for one in events if one.get("cat") == "incident"]
        self.assertEqual(processes[incident["pid"]], f"sim/{planted['node_id']}")
        self.assertIn(f"rank {planted['rank']} on ", incident["name"])
        tracks = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
        self.assertTrue(tracks[incident["pid"], incident["tid"]].startswith(f"straggler of rank {planted['rank']}"))
        self.ingero("export", "--nodes", name, "--format", "perfetto", "-o", "c.pftrace", "--since", "2m")
        node = self.node()
        for nodes, more, sentence in ((node, (), f"{node} is a node, whose recording is exported on its machine"),
                                      (f"{name},{node}", (), f"{node} is a node"), (name, ("--pid", "7"), "--since")):
            self.assertIn(sentence, self.ingero("export", "--nodes", nodes, "--format", "chrome", "-o", "none.json", *more, good=False).stderr)
        self.assertIn("--format perfetto or chrome", self.ingero("export", "--nodes", name, "--format", "csv", good=False).stderr)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "none.json")))

    def test_all_windows_are_drawn_however_many_they_are(self):
        server, _ = self.simulated("--windows", "80", "--plan", "healthy")
        count = server.sql("SELECT count(*) FROM windows")["data"][0][0]
        self.assertGreater(count, 10_000)
        done = self.ingero("export", "--nodes", f"127.0.0.1:{server.api}", "--format", "chrome", "-o", "c.json")
        self.assertIn(f"c.json: {count} windows, ", done.stderr)
        self.assertNotIn("warning", done.stderr)
        with open(os.path.join(self.folder, "c.json"), encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        drawn = [(one["pid"], one["tid"], one["ts"]) for one in events if one.get("cat") == "window"]
        self.assertEqual((len(drawn), len(set(drawn))), (count, count))

    def test_the_same_errors_as_of_nodes(self):
        server, _ = self.simulated("--windows", "1", "--plan", "healthy")
        name, node = f"127.0.0.1:{server.api}", self.node()
        of_wrong_token = set()
        for one in (name, node):
            done = self.ingero("query", "--nodes", one, "SELECT 1", good=False, token="wrong-token-0123456789")
            self.assertIn("INGERO_NODES_TOKEN", done.stderr)
            of_wrong_token.add(done.stderr.replace(one, "ONE"))
        self.assertEqual(len(of_wrong_token), 1, of_wrong_token)
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            silent.listen()
            hangs = f"127.0.0.1:{silent.getsockname()[1]}"
            done = self.ingero("query", "--nodes", f"{hangs},{name}", "SELECT 1 AS one", "--timeout", "500ms", "--json")
        self.assertEqual(json.loads(done.stdout), [{"node": name, "one": 1}])
        self.assertIn(f"warning: {hangs}: ", done.stderr)
        server.stop()
        done = self.ingero("query", "--nodes", name, "SELECT 1", good=False)
        self.assertIn("does 'ingero dashboard' or 'ingero fleet serve' run there?", done.stderr)

    def test_a_token_of_two_clusters_explains_and_exports_one_of_them(self):
        its, end = TOKEN + "-of-two-labs", time.time_ns() // PERIOD * PERIOD
        server = self.serve(tokens=its + " cluster=lab,lab-2\n")
        for cluster, ranks in (("lab", 2), ("lab-2", 3)):
            self.assert_accepted(server.send(as_protobuf({"ingero.cluster.id": cluster, "host.name": "n", "gpu.collective.comm_id_hash": 7, "gpu.collective.nranks": 8}, [
                ("ingero.fleet.collective.work.median", "gauge", end - PERIOD, end, 1.0, {"ingero.rank": rank}) for rank in range(ranks)])))
        nodes = ("--nodes", f"http://127.0.0.1:{server.api}")
        self.assertIn("--cluster-id", self.ingero("explain", *nodes, good=False, token=its).stderr)
        self.ingero("explain", *nodes, "--cluster-id", "train", good=False, token=its)
        self.assertIn("--cluster-id", self.ingero("explain", *nodes, "--cluster-id", "lab'", good=False, token=its).stderr)
        self.ingero("explain", *nodes, "--cluster-id", "lab-2", token=its)
        done = self.ingero("export", *nodes, "--format", "chrome", "-o", "two.json", "--cluster-id", "lab-2", token=its)
        self.assertIn("3 windows", done.stderr + done.stdout)

    def test_an_export_waits_once_for_a_server_that_does_not_answer(self):
        server, end = self.serve(), time.time_ns() // PERIOD * PERIOD
        for number in range(1, 6):
            start = end - number * PERIOD
            for node in range(8):
                self.assert_accepted(server.send(as_protobuf({"host.name": f"n{node}", "gpu.collective.comm_id_hash": 7, "gpu.collective.nranks": 2048}, [
                    ("ingero.fleet.collective.work.median", "gauge", start, start + PERIOD, 1.0, {"ingero.rank": 256 * node + rank}) for rank in range(256)])))
        with socket.create_server(("127.0.0.1", 0)) as silent:
            begin = time.monotonic()
            done = self.ingero("export", "--format", "chrome", "--timeout", "2s", "-o", "one.json", "--nodes",
                               f"http://127.0.0.1:{server.api},http://127.0.0.1:{silent.getsockname()[1]}")
            took = time.monotonic() - begin
        self.assertIn("10240 windows", done.stderr + done.stdout)
        self.assertLess(took, 10, "of thirteen pages each would take two seconds more")


if __name__ == "__main__":
    clients.run_side_by_side()
