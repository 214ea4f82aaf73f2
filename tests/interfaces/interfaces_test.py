#!/usr/bin/env python3
"""The same question has the same answer at every interface: MCP over stdio and HTTPS, the HTTP API, `ingero ask`.

  interfaces_test.py INGERO MAKE_RECORDING

Over the published samples, which a legacy agent wrote, and over a recording that this one's writer makes.
"""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import clients
from clients import timeless

INGERO, MAKE_RECORDING = sys.argv.pop(1), sys.argv.pop(1)

# In addition to one of each tool.
QUESTIONS = [
    ("get_trace_stats", {"tsc": True}), ("get_trace_stats", {"since": "10s"}), ("get_trace_stats", {"op": "cudaMemcpyAsync"}),
    ("get_causal_chains", {"top_n": -1, "tsc": True}), ("get_causal_chains", {"top_n": 1}),
    ("get_slowest_calls", {"limit": 5, "tsc": True}), ("get_memory", {}), ("get_timeline", {}),
    ("get_distributions", {"per_octave": 8, "since": "30s"}),
    ("get_stacks", {"limit": 3, "op": "cuMemAlloc"}), ("get_stacks", {"source": "HOST"}),
    ("run_sql", {"query": "SELECT * FROM events ORDER BY timestamp", "limit": 7}),
]
WRONG = [
    ("get_trace_stats", {"since": "soon"}, "bad_input"), ("get_trace_stats", {"nonsense": 1}, "bad_input"),
    ("run_sql", {}, "bad_input"), ("run_sql", {"query": "DELETE FROM events"}, "bad_input"),
    ("get_chain_evidence", {"id": "none"}, "not_found"), ("run_demo", {"scenario": "none"}, "not_found"),
    ("get_test_report", {}, "not_found"),
    ("compare", {"before": {"recording": "x.db"}, "after": {}}, "not_found"),
]


@contextlib.contextmanager
def interfaces_of(test, database, *more):
    interfaces = [clients.Stdio(INGERO, database, *more), clients.Https(INGERO, database, *more),
             clients.Dashboard(INGERO, database, *more)]
    try:
        yield interfaces
    finally:
        for interface in interfaces:
            test.assertEqual(interface.close(), 0)


class Interfaces(unittest.TestCase):
    def setUp(self):
        self.folder = clients.sample_folder()
        if not os.path.exists(os.path.join(self.folder, clients.SAMPLES[0] + ".db")):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.made = os.path.join(made.name, "made.db")
        subprocess.run([MAKE_RECORDING, self.made, "20000"], check=True)

    def same_answer(self, database, interfaces, tool, given):
        wanted = timeless(clients.ask(INGERO, database, tool, given))
        for interface in interfaces:
            answer = interface.ask(tool, given)
            if not isinstance(interface, clients.Dashboard):
                if not given.get("tsc"):
                    self.assertEqual(timeless(answer["structuredContent"]), wanted, type(interface).__name__)
                answer = answer["said"]
            self.assertEqual(timeless(answer), wanted, type(interface).__name__)

    def same_refusal(self, database, interfaces, tool, given, fault, *more):
        sentences = set()
        for interface in interfaces:
            with self.assertRaises(clients.Refused) as caught:
                interface.ask(tool, given)
            self.assertEqual(caught.exception.args[0], fault, type(interface).__name__)
            sentences.add(caught.exception.args[1])
        with self.assertRaises(clients.Refused) as caught:
            clients.ask(INGERO, database, tool, given, *more)
        self.assertEqual(caught.exception.args[0], fault)
        self.assertEqual(len(sentences), 1, sentences)
        self.assertIn(sentences.pop(), caught.exception.args[1])

    def test_every_door_gives_the_same_answers(self):
        for database in [os.path.join(self.folder, name + ".db") for name in clients.SAMPLES] + [self.made]:
            with interfaces_of(self, database) as interfaces:
                listed = {tool["name"] for tool in interfaces[0].request("tools/list")["result"]["tools"]}
                of_each = clients.a_question_of_each_tool(lambda tool, given: clients.ask(INGERO, database, tool, given))
                self.assertEqual({tool for tool, _ in of_each}, listed)
                # Of the machine rather than of the recording, and only where a test run left one.
                of_each.remove(("get_test_report", {}))
                for tool, given in of_each + QUESTIONS:
                    if given != {"id": "none"}:
                        with self.subTest(recording=database, tool=tool, given=given):
                            self.same_answer(database, interfaces, tool, given)
                for tool, given, fault in WRONG:
                    with self.subTest(recording=database, tool=tool, given=given):
                        self.same_refusal(database, interfaces, tool, given, fault)

    def test_every_door_gives_the_same_faults_of_recordings(self):
        # Enough to open it in, however busy the machine is.
        with self.subTest("timed_out"), interfaces_of(self, self.made, "--timeout", "8s") as interfaces:
            self.same_refusal(self.made, interfaces, "run_sql", {"query": clients.ENDLESS}, "timed_out", "--timeout", "8s")
        folder = os.path.dirname(self.made)
        damaged, older = os.path.join(folder, "damaged.db"), os.path.join(folder, "older.db")
        with open(damaged, "wb") as file:
            file.write(b"no recording" * 1000)
        os.rename(self.made, older)
        with contextlib.closing(sqlite3.connect(older)) as database:
            version = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version = {version - 1}")
        with interfaces_of(self, older) as interfaces:  # is read as it is
            self.same_answer(older, interfaces, "get_trace_stats", {})
        with contextlib.closing(sqlite3.connect(older)) as database:
            database.execute("PRAGMA user_version = 25")  # the oldest that is read is 26
        for path, fault in ((damaged, "internal"), (older, "refused"), (os.path.join(folder, "none.db"), "not_found")):
            with self.subTest(fault), interfaces_of(self, path) as interfaces:
                self.same_refusal(path, interfaces, "get_trace_stats", {}, fault)

    def test_the_answer_is_the_commands(self):
        database = os.path.join(self.folder, clients.SAMPLES[0] + ".db")
        report = json.loads(subprocess.run([INGERO, "explain", "--db", database, "--json"], stdout=subprocess.PIPE,
                                           check=True).stdout)
        stats = clients.ask(INGERO, database, "get_trace_stats", {})
        self.assertEqual([stats["calls"], stats["host"], stats["processes"]],
                         [report["calls"], report["host"], report["processes"]])
        chains = clients.ask(INGERO, database, "get_causal_chains", {"top_n": -1})
        self.assertEqual([chain["id"] for chain in chains["chains"]], [chain["id"] for chain in report["incidents"]])
        self.assertGreater(len(chains["chains"]), 0)
        evidence = clients.ask(INGERO, database, "get_chain_evidence", {"id": chains["chains"][0]["id"]})
        self.assertEqual(evidence["chain"], report["incidents"][0])
        self.assertGreaterEqual(len(evidence["events"]), len(report["incidents"][0]["evidence"]))
        slowest = clients.ask(INGERO, database, "get_slowest_calls", {"limit": 10})
        self.assertEqual(slowest["calls"], report["slowest"])
        demo = clients.ask(INGERO, database, "run_demo", {"scenario": "incident"})
        self.assertGreater(len(demo["report"]["incidents"]), 0)

    def test_two_recordings_are_compared(self):
        one, other = (os.path.join(self.folder, name + ".db") for name in clients.SAMPLES[2:4])
        answer = clients.ask(INGERO, one, "compare", {"before": {}, "after": {"recording": os.path.basename(other)}},
                             "--with", other)
        self.assertEqual([answer["before"]["events"], answer["after"]["events"]], [200, 200])
        self.assertTrue(answer["calls"])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
