#!/usr/bin/env python3
"""What the interfaces promise: the description fits the answers, pages name what there is, and who may not ask is refused.

  surface_test.py INGERO
"""
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

import clients
from clients import fits

INGERO = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def page(name):
    with open(os.path.join(ROOT, "docs", "formats", name), encoding="utf-8") as file:
        return file.read()


class Surface(unittest.TestCase):
    def setUp(self):
        self.database = os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db")
        if not os.path.exists(self.database):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")

    def test_the_description_fits_the_answers(self):
        server = clients.Dashboard(INGERO, self.database, "--no-tls")
        status, described = server.json("GET", "/api/v1/openapi.json")
        self.assertEqual((status, described["openapi"]), (200, "3.1.0"))
        inputs = {"run_sql": {"query": "SELECT 1"}, "get_chain_evidence": {}, "graph_lifecycle": {"pid": 1},
                  "graph_frequency": {"pid": 1}, "compare": {"before": {}, "after": {}}, "get_test_report": {},
                  "/api/v1/sql": {"sql": "SELECT 1"}, "/api/v1/query": {"sql": "SELECT 1"}}
        inputs["get_chain_evidence"]["id"] = server.ask("get_causal_chains", {})["chains"][0]["id"]
        asked = 0
        for path, methods in described["paths"].items():
            for method, operation in methods.items():
                with self.subTest(path=path, method=method):
                    body = inputs.get(path, inputs.get(path.split("/")[-1], {})) if method == "post" else None
                    status, answer = server.json(method.upper(), path, body)
                    self.assertIn(str(status), operation["responses"])
                    if path != "/api/v1/tools/get_test_report":
                        self.assertEqual(status, 200, answer)
                    schema = operation["responses"][str(status)]["content"]["application/json"]["schema"]
                    fits(schema, answer, path, described)
                    asked += 1
                    # What is not described is not there.
                    self.assertEqual(server.send("PUT", path, "{}")[0], 405)
        self.assertGreater(asked, 30)
        self.assertEqual(server.json("GET", "/api/v1/nothing")[0], 404)
        self.assertEqual(server.json("GET", "/api/v1/ops?since=soon")[0], 400)
        self.assertEqual(server.json("GET", "/nothing")[0], 404)
        self.assertEqual(server.close(), 0)

    def test_pages_name_what_there_is(self):
        # With nodes and a key, so that the tools that need them are there.
        with mock.patch.dict(os.environ, {"INGERO_PAGERDUTY_KEY": "0" * 32}):
            server = clients.Dashboard(INGERO, self.database, "--no-tls", "--nodes", "127.0.0.1:1", token=clients.TOKEN)
        tools = {tool["name"]: tool for tool in server.json("GET", "/api/v1/tools/list")[1]["tools"]}
        paths = set(server.json("GET", "/api/v1/openapi.json")[1]["paths"])
        server.close()
        text = page("tools.md")
        rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]*) \|", text.split("## Tools")[1].split("\n## ")[0], re.MULTILINE))
        self.assertEqual(set(rows), set(tools))
        for name, tool in tools.items():
            given = set(tool["input"]["properties"]) - {"tsc", "since", "from", "to", "run", "label"}
            self.assertEqual(set(re.findall(r"`(\w+)`", rows[name])) - {"range"}, given, name)
            self.assertEqual("`range`" in rows[name], "since" in tool["input"]["properties"], name)
        named = set(re.findall(r"^\| `(?:GET|POST)[^`]* (/api/[^`?]+)[^`]*`", page("http_api.md"), re.MULTILINE))
        self.assertEqual(named, {path for path in paths if not path.startswith("/api/v1/tools/") or path.endswith("/list")} |
                         {"/api/v1/tools/NAME"})
        listed = subprocess.run([INGERO, "ask"], stdout=subprocess.PIPE, check=True).stdout.decode()
        for name in tools:
            self.assertIn(name, listed)

    def test_the_short_keys_are_those_of_the_page(self):
        with open(os.path.join(ROOT, "serve", "tools", "compact.cc"), encoding="utf-8") as file:
            code = dict(re.findall(r'\{"(\w+)", "([\w%]+)"\}', file.read()))
        documented = dict(re.findall(r"`(\w+)` `([\w%]+)`", page("tools.md").split("## The short form")[1]))
        self.assertEqual(documented, code)
        self.assertGreater(len(code), 20)

    def test_strangers_are_refused_and_written_down(self):
        with tempfile.TemporaryDirectory() as folder:
            audit = os.path.join(folder, "audit.jsonl")
            server = clients.Dashboard(INGERO, self.database, "--audit-log", audit, "--rate", "5", "--allow-host", "gpu-node-7")
            self.assertEqual(server.address.scheme, "https")
            health = "/api/v1/health"
            self.assertEqual(server.send("GET", health)[0], 200)
            self.assertEqual(server.send("GET", health, headers={"Authorization": None})[0], 401)
            self.assertEqual(server.send("GET", health, headers={"Authorization": "Bearer wrong"})[0], 401)
            self.assertEqual(server.send("GET", health, headers={"Host": "evil.example"})[0], 403)
            self.assertEqual(server.send("GET", health, headers={"Origin": "https://evil.example"})[0], 403)
            self.assertEqual(server.send("GET", health, headers={"Host": "gpu-node-7:8080"})[0], 200)
            self.assertEqual(server.send("POST", "/api/v1/sql", "x" * (2 << 20))[0], 413)
            for status, data in ((b"400", b"nonsense\r\n\r\n"), (b"414", b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\n\r\n")):
                with server.bare() as channel:
                    channel.sendall(data)
                    self.assertEqual(channel.recv(65536).split(b" ")[1], status)
            statuses = [server.send("GET", health)[0] for _ in range(30)]
            self.assertIn(429, statuses)
            server.close()
            self.assertEqual(os.stat(audit).st_mode & 0o777, 0o600)
            with open(audit, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
            seen = {line["status"] for line in lines}
            self.assertLessEqual({200, 400, 401, 403, 413, 414, 429}, seen)
            self.assertTrue(all({"time", "client", "method", "path", "status", "note"} <= set(line) for line in lines))

    def test_answering_comes_after_recording(self):
        own = os.getpriority(os.PRIO_PROCESS, 0)
        for interface in (clients.Dashboard(INGERO, self.database, "--no-tls"), clients.Stdio(INGERO, self.database)):
            threads = os.listdir(f"/proc/{interface.process.pid}/task")
            self.assertGreater(len(threads), 4)
            for thread in threads:
                self.assertEqual(os.getpriority(os.PRIO_PROCESS, int(thread)), min(own + 5, 19))
            self.assertEqual(interface.close(), 0)

    def test_connections_that_stay_open_hold_nobody_up(self):
        server = clients.Dashboard(INGERO, self.database, "--no-tls")
        headers = {"Authorization": f"Bearer {server.token}"}
        connections, begin = [], time.monotonic()
        for _ in range(40):  # of six browsers
            connections.append(server.connect())
            connections[-1].request("GET", "/api/v1/health", headers=headers)
            self.assertEqual(connections[-1].getresponse().read()[:1], b"{")
        self.assertLess(time.monotonic() - begin, 4)  # an idle one is closed after five seconds
        for connection in connections:
            connection.close()
        self.assertEqual(server.close(), 0)

    def test_an_interrupt_waits_for_no_idle_connection(self):
        for make in (lambda: clients.Dashboard(INGERO, self.database, "--no-tls"), lambda: clients.Dashboard(INGERO, self.database),
                     lambda: clients.Https(INGERO, self.database)):
            for count in (1, 70):  # 70: more than there are threads
                with self.subTest(count=count), contextlib.ExitStack() as open_ones:
                    server = make()
                    where = (server.address.hostname, server.address.port)
                    for _ in range(count):
                        open_ones.enter_context(socket.create_connection(where))  # says nothing, not even of TLS
                    if count == 1:
                        half = open_ones.enter_context(server.bare())
                        half.sendall(b"POST /api/v1/sql HTTP/1.1\r\nHost: local")
                        server.send("GET", "/api/v1/health")  # kept alive
                    begin = time.monotonic()
                    server.process.send_signal(signal.SIGINT)
                    self.assertEqual(server.process.wait(30), 0)
                    self.assertLess(time.monotonic() - begin, 1, server.said)
                    server.close()

    def test_the_body_of_a_refused_request_is_no_request(self):
        inner = f"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {clients.TOKEN}\r\n\r\n".encode()
        for more in ((), ("--no-tls",)):
            server = clients.Dashboard(INGERO, self.database, *more)
            for body in (inner, b" " * 300000 + inner):  # in one piece with its head; more than the kernel takes at once
                head = f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
                with server.bare() as channel:
                    channel.sendall(head.encode() + body)
                    answer = b""
                    while chunk := channel.recv(65536):
                        answer += chunk
                self.assertEqual(re.findall(rb"HTTP/1.1 (\d+)", answer), [b"401"])
            self.assertEqual(server.close(), 0)

    def test_an_interrupt_lets_an_answer_finish(self):
        server = clients.Dashboard(INGERO, self.database, "--timeout", "2s")
        server.send("GET", "/api/v1/health")

        def ticks():
            with open(f"/proc/{server.process.pid}/stat", encoding="utf-8") as file:
                return int(file.read().split()[13])

        before, begin = ticks(), time.monotonic()
        asked = concurrent.futures.ThreadPoolExecutor(1).submit(
            server.json, "POST", "/api/v1/sql", {"sql": "SELECT count(*) FROM events a, events b, events c, events d"})
        while ticks() < before + 10:  # it is counting
            time.sleep(0.01)
        server.process.send_signal(signal.SIGINT)
        status, answer = asked.result()
        self.assertEqual((status, answer["class"]), (504, "timed_out"), answer)
        self.assertEqual(server.process.wait(30), 0)
        self.assertLess(time.monotonic() - begin, 5)
        server.close()

    def test_the_page_is_for_everybody_and_keeps_to_this_server(self):
        server = clients.Dashboard(INGERO, self.database, "--no-tls")
        nobody = {"Authorization": None}
        for path, kind in (("/", "text/html"), ("/page.js", "text/javascript"), ("/page.css", "text/css"),
                           ("/icon.svg", "image/svg+xml"), ("/page.json", "application/json")):
            status, headers, body = server.send("GET", path, headers=nobody)
            self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, kind))
            self.assertGreater(len(body), 10)
            policy = headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotIn(" http", policy)
            self.assertEqual(server.send("POST", path, "{}", headers=nobody)[0], 405)
        self.assertEqual(json.loads(server.send("GET", "/page.json", headers=nobody)[2]), {"asks_token": True})
        self.assertEqual(server.send("GET", "/api/v1/overview", headers=nobody)[0], 401)
        self.assertEqual(server.send("GET", "/", headers={"Host": "evil.example"})[0], 403)
        server.close()

    def test_what_must_not_be_served_is_not(self):
        def refused(*arguments, token=clients.TOKEN):
            with self.assertRaises(RuntimeError) as caught:
                clients.Server(INGERO, *arguments, token=token)
            return str(caught.exception)

        self.assertIn("read by every user", refused("mcp", "--http", "127.0.0.1:0", "--mcp-bearer-token", "secret"))
        self.assertIn("this machine only", refused("dashboard", "--addr", "0.0.0.0:0", "--no-tls"))
        self.assertIn("every client that reaches", refused("dashboard", "--addr", "0.0.0.0:0", token=None))
        self.assertIn("at least 16", refused("dashboard", "--addr", "127.0.0.1:0", token="short"))
        with tempfile.TemporaryDirectory() as folder:
            key, certificate = os.path.join(folder, "key.pem"), os.path.join(folder, "cert.pem")
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                            key, "-out", certificate, "-days", "1", "-subj", "/CN=localhost"], check=True, capture_output=True)
            os.chmod(key, 0o640)
            arguments = ("dashboard", "--db", self.database, "--addr", "127.0.0.1:0", "--tls-cert", certificate, "--tls-key", key)
            self.assertIn("accessible to its group or to others", refused(*arguments))
            os.chmod(key, 0o600)
            server = clients.Server(INGERO, *arguments)
            self.assertEqual(server.send("GET", "/api/v1/health")[0], 200)
            server.close()

    def test_tls_is_of_this_decade(self):
        server = clients.Https(INGERO, self.database)
        at = f"{server.address.hostname}:{server.address.port}"
        shown = subprocess.run(["openssl", "s_client", "-connect", at, "-showcerts"], input=b"", capture_output=True,
                               check=False).stdout.decode()
        self.assertIn("TLSv1.3", shown)
        text = subprocess.run(["openssl", "x509", "-noout", "-text"], input=shown.encode(), capture_output=True,
                              check=True).stdout.decode()
        for part in ("DNS:localhost", "IP Address:127.0.0.1", "0:0:0:0:0:0:0:1", "prime256v1"):
            self.assertIn(part, text)
        old = subprocess.run(["openssl", "s_client", "-connect", at, "-tls1_2"], input=b"", capture_output=True, check=False)
        self.assertNotEqual(old.returncode, 0)
        server.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
