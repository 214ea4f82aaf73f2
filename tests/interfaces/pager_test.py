#!/usr/bin/env python3
"""The tool that pages, against an endpoint of the test's own that speaks TLS: what is sent, and when nothing is.

  pager_test.py INGERO
"""
import http.server
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import clients

INGERO = os.path.abspath(sys.argv.pop(1))
KEY = "0123456789abcdef0123456789abcdef"
CERTIFICATES = """set -e
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out ca.pem -days 1 -subj /CN=localhost \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1"""


class Endpoint(http.server.BaseHTTPRequestHandler):
    """Keeps what it receives; answers as `answer` says, PagerDuty's way by default."""
    events = []
    answer = None

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        Endpoint.events.append((self.path, dict(self.headers), json.loads(body)))
        status, said = Endpoint.answer or (202, {"status": "success", "message": "Event processed",
                                                 "dedup_key": json.loads(body)["dedup_key"]})
        said = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


class Pager(unittest.TestCase):
    def setUp(self):
        if shutil.which("openssl") is None:
            self.skipTest("openssl is not installed")
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        subprocess.run(["sh", "-c", CERTIFICATES], cwd=self.folder, check=True, capture_output=True)
        server = http.server.HTTPServer(("127.0.0.1", 0), Endpoint)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(self.folder, "ca.pem"), os.path.join(self.folder, "key.pem"))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        Endpoint.events, Endpoint.answer = [], None
        self.port = server.server_address[1]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("INGERO_")}
        variables = mock.patch.dict(os.environ, {
            **kept, "INGERO_PAGERDUTY_KEY": KEY, "INGERO_PAGERDUTY_URL": f"https://localhost:{self.port}/v2/enqueue",
            "SSL_CERT_FILE": os.path.join(self.folder, "ca.pem")}, clear=True)
        variables.start()
        self.addCleanup(variables.stop)
        self.database = os.path.join(self.folder, "none.db")  # no recording is needed to page

    def trigger(self, given):
        return clients.ask(INGERO, self.database, "pagerduty_trigger", given)

    def refused(self, given):
        with self.assertRaises(clients.Refused) as caught:
            self.trigger(given)
        self.assertNotIn(KEY, str(caught.exception))
        return caught.exception.args

    def run_ingero(self, *arguments):
        done = subprocess.run([INGERO, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                              check=False)
        self.assertNotIn(KEY, done.stdout + done.stderr)
        return done

    def test_what_is_sent_and_what_comes_back(self):
        answer = self.trigger({"summary": "rank 3 hangs", "severity": "critical", "source": "gpu-01", "dedup_key": "job-7",
                               "custom_details": {"rank": 3, "call": "ncclAllReduce"}})
        self.assertEqual((answer["status"], answer["dedup_key"]), ("success", "job-7"))
        (path, headers, event), = Endpoint.events
        self.assertEqual(path, "/v2/enqueue")
        self.assertEqual(headers["Host"], f"localhost:{self.port}")
        self.assertEqual(event, {"routing_key": KEY, "event_action": "trigger", "dedup_key": "job-7", "client": "ingero",
                                 "payload": {"summary": "rank 3 hangs", "severity": "critical", "source": "gpu-01",
                                             "custom_details": {"rank": 3, "call": "ncclAllReduce"}}})

    def test_the_same_incident_has_the_same_key(self):
        keys = [self.trigger(given)["dedup_key"] for given in ({"summary": "a"}, {"summary": "a"}, {"summary": "b"},
                                                               {"summary": "a", "source": "elsewhere"})]
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(len(set(keys)), 3)
        self.assertEqual({event["payload"]["source"] for _, _, event in Endpoint.events[:3]}, {socket.gethostname()})
        self.assertEqual(Endpoint.events[0][2]["payload"]["severity"], "error")

    def test_every_door_that_may_page_and_none_that_may_not(self):
        stdio = clients.Stdio(INGERO, self.database)
        listed = {tool["name"]: tool["annotations"] for tool in stdio.request("tools/list")["result"]["tools"]}
        self.assertFalse(listed["pagerduty_trigger"]["readOnlyHint"])
        self.assertTrue(listed["run_sql"]["readOnlyHint"])
        interfaces = [stdio, clients.Https(INGERO, self.database), clients.Dashboard(INGERO, self.database, token=clients.TOKEN)]
        for interface in interfaces:
            answer = interface.ask("pagerduty_trigger", {"summary": "from a interface"})
            self.assertEqual(answer.get("said", answer)["status"], "success")
            self.assertEqual(interface.close(), 0)
        self.assertEqual(len(Endpoint.events), 3)
        open_interfaces = [clients.Https(INGERO, self.database, token=None), clients.Dashboard(INGERO, self.database, token=None)]
        with mock.patch.dict(os.environ):
            del os.environ["INGERO_PAGERDUTY_KEY"]
            open_interfaces.append(clients.Stdio(INGERO, self.database))
        for interface in open_interfaces:
            with self.assertRaises(clients.Refused):
                interface.ask("pagerduty_trigger", {"summary": "from a interface"})
            self.assertEqual(interface.close(), 0)
        self.assertEqual(len(Endpoint.events), 3)

    def test_refusals_are_classified_and_the_key_is_in_none(self):
        Endpoint.answer = 400, {"status": "invalid event", "message": "Event object is invalid",
                                "errors": ["'routing_key' is \x1b[31mwrong"]}
        fault, sentence = self.refused({"summary": "a"})
        self.assertEqual(fault, "bad_input")
        self.assertIn("HTTP 400: Event object is invalid; 'routing_key' is", sentence)
        self.assertNotIn("\x1b", sentence)
        for answer, fault in (((429, {}), "timed_out"), ((503, {}), "timed_out"), ((403, {}), "refused"),
                              ((302, {}), "internal"), ((202, ["no object"]), "internal")):
            Endpoint.answer = answer
            self.assertEqual(self.refused({"summary": "a"})[0], fault, answer)
        sent = len(Endpoint.events)
        for given in ({}, {"summary": ""}, {"summary": "a" * 1025}, {"summary": "a", "severity": "bad"},
                      {"summary": "a", "url": "https://elsewhere"}):
            self.assertEqual(self.refused(given)[0], "bad_input", given)
        stdio = clients.Stdio(INGERO, self.database)
        with self.assertRaises(clients.Refused) as caught:
            stdio.ask("pagerduty_trigger", {"summary": "a", "custom_details": {"text": "x" * (257 << 10)}})
        self.assertIn("256 KiB", str(caught.exception))
        self.assertEqual(len(Endpoint.events), sent)
        Endpoint.answer = None
        stdio.ask("pagerduty_trigger", {"summary": "a", "custom_details": {"text": "x" * (255 << 10)}})
        self.assertEqual(len(Endpoint.events[-1][2]["payload"]["custom_details"]["text"]), 255 << 10)
        self.assertEqual(stdio.close(), 0)

    def test_nobody_is_woken_by_a_loop(self):
        stdio = clients.Stdio(INGERO, self.database)
        for number in range(10):
            stdio.ask("pagerduty_trigger", {"summary": f"incident {number}"})
        with self.assertRaises(clients.Refused) as caught:
            stdio.ask("pagerduty_trigger", {"summary": "one more"})
        self.assertIn("10 pages", str(caught.exception))
        self.assertEqual(len(Endpoint.events), 10)
        self.assertEqual(stdio.close(), 0)

    def test_who_the_endpoint_is_is_checked(self):
        del os.environ["SSL_CERT_FILE"]
        self.assertIn("certificate", " ".join(self.refused({"summary": "a"})))
        for name, value in (("URL", "http://pager.example/v2/enqueue"), ("URL", "ftp://localhost/"), ("URL", "https://"),
                            ("URL", "https://localhost:x/"), ("KEY", "two words")):
            with mock.patch.dict(os.environ, {"INGERO_PAGERDUTY_" + name: value}):
                done = self.run_ingero("ask", "pagerduty_trigger", "--json", '{"summary": "a"}')
            self.assertEqual((done.returncode, done.stdout), (2, ""), value)
            self.assertIn("PagerDuty", done.stderr)
        self.assertEqual(Endpoint.events, [])
        done = self.run_ingero("mcp", "--pagerduty-routing-key", KEY)
        self.assertEqual(done.returncode, 2)
        self.assertIn("INGERO_PAGERDUTY_KEY", done.stderr)


if __name__ == "__main__":
    unittest.main()
