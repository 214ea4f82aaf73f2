#!/usr/bin/env python3
"""The official clients of the Model Context Protocol: SDKs of both eras, the inspector, the conformance suite.

  official_test.py INGERO

Looked for below INGERO_PARTS: the npm packages @modelcontextprotocol/{sdk,client,inspector,conformance} in one
node_modules, and node 22 or newer (bin/node), unless it is on the path. Status 77, with the reason, without them.
"""
import contextlib
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import unittest

import clients
from clients import timeless

INGERO = os.path.abspath(sys.argv.pop(1))
HERE = os.path.dirname(os.path.abspath(__file__))


def as_javascript(answer):
    """The answer with numbers as these clients have them: all are doubles to them."""
    return json.loads(json.dumps(timeless(answer)), parse_int=float)


PARTS, REASON = clients.official_parts()


class Official(unittest.TestCase):
    def setUp(self):
        self.database = os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db")
        self.node, self.modules = PARTS
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.questions = clients.a_question_of_each_tool(
            lambda tool, given: clients.ask(INGERO, self.database, tool, given))

    @contextlib.contextmanager
    def https(self, **more):
        """(URL, environment): the server's certificate is one that the client trusts."""
        server = clients.Https(INGERO, self.database, **more)
        try:
            certificate = os.path.join(self.folder, "server.pem")
            with open(certificate, "w", encoding="utf-8") as file:
                file.write(ssl.get_server_certificate((server.address.hostname, server.address.port)))
            yield server.address.geturl() + "/mcp", self.environment(NODE_EXTRA_CA_CERTS=certificate, TOKEN=server.token or "")
            self.assertEqual(server.request("ping")["result"], {})
        finally:
            self.assertEqual(server.close(), 0)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if name not in ("INGERO_TOKEN", "NODE_OPTIONS")}
        return dict(kept, HOME=self.folder, PATH=os.path.dirname(self.node) + ":" + os.environ["PATH"], **more)

    def run_node(self, environment, *command, good=(0,)):
        done = subprocess.run([self.node, *command], capture_output=True, text=True, check=False, timeout=120, cwd=self.folder,
                              env=environment, stdin=subprocess.DEVNULL)
        self.assertIn(done.returncode, good, f"{command}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.stdout

    def check_answers(self, answers):
        """answers: (is_error, structured content, texts) of each question."""
        self.assertEqual(len(answers), len(self.questions))
        for (tool, given), (is_error, structured, texts) in zip(self.questions, answers):
            with self.subTest(tool=tool):
                self.assertEqual(is_error, tool == "get_test_report", texts)
                if not is_error:
                    wanted = clients.ask(INGERO, self.database, tool, given)
                    self.assertEqual(as_javascript(structured), as_javascript(wanted))
                    self.assertEqual(timeless(json.loads(texts[1])), timeless(wanted))

    def sdk(self, era, environment, *target):
        seen = json.loads(self.run_node(environment, os.path.join(HERE, "sdk_client.mjs"), self.modules, era,
                                        json.dumps(self.questions), *target))
        self.assertEqual(sorted(seen["tools"]), sorted(tool for tool, _ in self.questions))
        self.assertEqual((seen["prompts"], seen["messages"]), (["investigate"], 1))
        self.assertGreaterEqual(len(seen["resources"]), 3)
        self.assertTrue(all(len(text) > 200 for text in seen["resources"].values()))
        if era == "modern":
            self.assertEqual(seen["revision"], "2026-07-28")
        elif target[0].startswith("https"):  # the other transport does not say
            self.assertEqual(seen["revision"], "2025-11-25")
        self.check_answers([(one["isError"], one["structured"], one["texts"]) for one in seen["answers"]])

    def test_sdk_of_each_era_at_each_door(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era, interface="stdio"):
                self.sdk(era, self.environment(), INGERO, "mcp", "--db", self.database)
            with self.subTest(era=era, interface="https"), self.https() as (url, environment):
                self.sdk(era, environment, url)

    def inspector(self, environment, options, target):
        program = os.path.join(self.modules, "@modelcontextprotocol/inspector/clients/launcher/build/index.js")
        before, after = ([*target, *options], []) if target[0].startswith("https") else (options, ["--", *target])
        # 5: the tool said that it could not, and the answer says why.
        return json.loads(self.run_node(environment, program, "--cli", *before, *after, good=(0, 5)))

    def inspected(self, environment, options, target):
        listed = self.inspector(environment, [*options, "--method", "tools/list", "--strict"], target)
        self.assertEqual(sorted(tool["name"] for tool in listed["tools"]), sorted(tool for tool, _ in self.questions))
        answers = []
        for tool, given in self.questions:
            said = self.inspector(environment, [*options, "--method", "tools/call", "--tool-name", tool, "--tool-args-json",
                                                json.dumps(given)], target)
            answers.append((said.get("isError", False), said.get("structuredContent"), [one["text"] for one in said["content"]]))
        self.check_answers(answers)

    def test_inspector_at_each_door(self):
        with self.subTest(interface="stdio"):
            self.inspected(self.environment(), [], [INGERO, "mcp", "--db", self.database])
        with self.subTest(interface="https"), self.https() as (url, environment):
            self.inspected(environment, ["--transport", "http", "--header", f"Authorization: Bearer {clients.TOKEN}"], [url])

    def test_conformance_scenarios_of_every_server(self):
        program = os.path.join(self.modules, "@modelcontextprotocol/conformance/dist/index.js")
        # The suite cannot send a token: on loopback none is asked for.
        with self.https(token=None) as (url, environment):
            for scenario in clients.CONFORMANCE_SCENARIOS:
                if scenario == "dns-rebinding-protection":
                    continue  # "applies to localhost MCP servers running without HTTPS": it sends an http:// origin, another site's
                with self.subTest(scenario=scenario):
                    said = self.run_node(environment, program, "server", "--url", url, "--scenario", scenario)
                    passed, failed = re.search(r"Passed: (\d+)/\d+, (\d+) failed", said).groups()
                    self.assertGreater(int(passed), 0, said)
                    self.assertEqual(int(failed), 0, said)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    if REASON is None and not os.path.exists(os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db")):
        REASON = "the published recordings are not here (set INGERO_SAMPLES)"
    if REASON is not None:
        print(f"SKIP: {REASON}")
        sys.exit(77)
    unittest.main()
