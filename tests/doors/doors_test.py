#!/usr/bin/env python3
"""The same question has the same answer at every door: MCP over stdio and HTTPS, the HTTP API, `ingero ask`.

  doors_test.py INGERO

Over the published samples, and over a recording that the demonstration's writer makes.
"""
import json
import os
import subprocess
import sys
import unittest

import clients

INGERO = sys.argv.pop(1)

QUESTIONS = [
    ("get_trace_stats", {}), ("get_trace_stats", {"tsc": True}), ("get_trace_stats", {"since": "10s"}),
    ("get_causal_chains", {}), ("get_causal_chains", {"top_n": -1, "tsc": True}), ("get_causal_chains", {"top_n": 1}),
    ("get_slowest_calls", {"limit": 5}), ("get_slowest_calls", {"limit": 5, "tsc": True}), ("get_calls_in_flight", {}),
    ("get_collectives", {}), ("get_memory", {}), ("get_fabric", {}), ("get_devices", {}),
    ("get_stacks", {}), ("get_stacks", {"limit": 3, "op": "cuMemAlloc"}), ("get_stacks", {"source": "HOST"}),
    ("graph_lifecycle", {"pid": 1}), ("graph_frequency", {"pid": 1}),
    ("compare", {"before": {}, "after": {"since": "20s"}}),
    ("run_sql", {"query": "SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2 ORDER BY 3 DESC"}),
    ("run_sql", {"query": "SELECT * FROM events ORDER BY timestamp", "limit": 7}),
]
WRONG = [
    ("get_trace_stats", {"since": "soon"}, "bad_input"), ("get_trace_stats", {"nonsense": 1}, "bad_input"),
    ("run_sql", {}, "bad_input"), ("run_sql", {"query": "DELETE FROM events"}, "bad_input"),
    ("get_chain_evidence", {"id": "none"}, "not_found"), ("run_demo", {"scenario": "none"}, "not_found"),
    ("get_test_report", {}, "not_found"),
    ("compare", {"before": {"recording": "x.db"}, "after": {}}, "not_found"),
]


def timeless(answer):
    """Without what a clock says."""
    if isinstance(answer, dict) and "meta" in answer:
        answer = dict(answer, meta={key: value for key, value in answer["meta"].items() if key != "duration_ms"})
    return answer


class Doors(unittest.TestCase):
    def setUp(self):
        self.folder = clients.sample_folder()
        if not os.path.exists(os.path.join(self.folder, clients.SAMPLES[0] + ".db")):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")

    def test_every_door_gives_the_same_answers(self):
        asked = 0
        for name in clients.SAMPLES:
            database = os.path.join(self.folder, name + ".db")
            doors = [clients.Stdio(INGERO, database), clients.Https(INGERO, database), clients.Dashboard(INGERO, database)]
            try:
                for tool, given in QUESTIONS:
                    with self.subTest(sample=name, tool=tool, given=given):
                        wanted = timeless(clients.ask(INGERO, database, tool, given))
                        for door in doors:
                            answer = door.ask(tool, given)
                            if not isinstance(door, clients.Dashboard):
                                if not given.get("tsc"):
                                    self.assertEqual(timeless(answer["structuredContent"]), wanted, type(door).__name__)
                                answer = answer["said"]
                            self.assertEqual(timeless(answer), wanted, type(door).__name__)
                            asked += 1
                for tool, given, fault in WRONG:
                    with self.subTest(sample=name, tool=tool, given=given):
                        sentences = set()
                        for door in doors:
                            with self.assertRaises(clients.Refused) as caught:
                                door.ask(tool, given)
                            self.assertEqual(caught.exception.args[0], fault)
                            sentences.add(caught.exception.args[1])
                        with self.assertRaises(clients.Refused) as caught:
                            clients.ask(INGERO, database, tool, given)
                        self.assertEqual(caught.exception.args[0], fault)
                        self.assertEqual(len(sentences), 1)
                        self.assertIn(sentences.pop(), caught.exception.args[1])
            finally:
                for door in doors:
                    self.assertEqual(door.close(), 0)
        self.assertEqual(asked, len(clients.SAMPLES) * len(QUESTIONS) * 3)

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
