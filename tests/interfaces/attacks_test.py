#!/usr/bin/env python3
"""Clients that mean harm: endless heads and bodies, ranges, a byte a second, two lengths, foreign origins, guessed tokens.

  attacks_test.py INGERO [--mib N]

Each attack failed against the server of cpp-httplib 0.11 that was here before. N: MiB sent in each flood (64; by hand --mib 1024).
"""
import contextlib
import http.client
import json
import multiprocessing
import os
import socket
import ssl
import sys
import threading
import time
import unittest

import clients

INGERO = sys.argv.pop(1)
MIB = 64
if "--mib" in sys.argv:
    at = sys.argv.index("--mib")
    MIB = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
CONNECTIONS = 64
GROWTH_KIB = 32 << 10
AUTHORIZED = f"Authorization: Bearer {clients.TOKEN}\r\n"

# Name: (what comes first, what is then repeated). The bodies are sent with the token, since without it none is read.
FLOODS = {
    "request line": (b"GET /", b"a" * 65536),
    "one header": (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ", b"a" * 65536),
    "headers": (b"GET / HTTP/1.1\r\nHost: localhost\r\n", b"X: aaaaaaaa\r\n" * 5000),
    "one chunk": (f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Transfer-Encoding: chunked\r\n\r\nfffffff\r\n".encode(), b"a" * 65536),
    "chunks": (f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Transfer-Encoding: chunked\r\n\r\n".encode(), b"1\r\na\r\n" * 10000),
    "no length": (f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}\r\n".encode(), b"a" * 65536),
    "a length": (f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Content-Type: application/json\r\nContent-Length: 1048576\r\n\r\n".encode(), b"a" * 65536),
}


def peak_kib(server):
    with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
        return int(file.read().split("VmHWM:")[1].split()[0])


def reset_peak(server):
    with open(f"/proc/{server.process.pid}/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")


def send_all(server, first, more, total):
    """Sends `total` bytes as far as the server takes them, on as many connections as it needs: (sent, connections)."""
    sent, connections = 0, 0
    while sent < total:
        connections += 1
        with contextlib.suppress(OSError, ssl.SSLError), server.bare() as channel:
            channel.sendall(first)
            while sent < total:
                channel.sendall(more)
                sent += len(more)
        if connections > 2000:
            break
    return sent, connections


def send_from_all(server, first, more, result):
    """The same on all connections at once; `result` gets what all have sent."""
    sums = []
    threads = [threading.Thread(target=lambda: sums.append(send_all(server, first, more, (MIB << 20) // CONNECTIONS)[0]))
               for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    result.send(sum(sums))


def head_of(server, text):
    """The status of what is answered to these bytes."""
    with server.bare() as channel:
        channel.sendall(text if isinstance(text, bytes) else text.encode())
        answer = channel.recv(65536)
    return int(answer.split(b" ")[1]) if answer else None


class Attacks(unittest.TestCase):
    def setUp(self):
        self.database = os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db")
        if not os.path.exists(self.database):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")

    def dashboard(self, *more):
        server = clients.Dashboard(INGERO, self.database, *more)
        self.addCleanup(server.close)
        return server

    def scrape(self, server, path="/api/v1/health", limit=1.0):
        """A request on a connection of its own, within the limit."""
        begin = time.monotonic()
        connection = server.connect(timeout=5)
        connection.request("GET", path, headers={"Authorization": f"Bearer {clients.TOKEN}"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        took = time.monotonic() - begin
        self.assertEqual(answer.status, 200)
        self.assertLess(took, limit)
        return took

    def flood(self, server, first, more):
        """From a process of its own: its threads would keep the scrapes from this interpreter."""
        receive, send = multiprocessing.Pipe(duplex=False)
        sender = multiprocessing.get_context("fork").Process(target=send_from_all, args=(server, first, more, send))
        sender.start()
        send.close()
        longest = 0.0
        while sender.is_alive():
            longest = max(longest, self.scrape(server, limit=3.0))  # 1 s where nothing else has the CPUs
            time.sleep(0.2)
        sent = receive.recv()
        sender.join()
        return sent, longest

    def floods(self, *more):
        server = self.dashboard("--rate", "0", *more)
        for _ in range(20):
            self.scrape(server)
        for name, (first, repeated) in FLOODS.items():
            with self.subTest(flood=name):
                reset_peak(server)
                before = server.rss_kib()
                sent, longest = self.flood(server, first, repeated)
                grown = peak_kib(server) - before
                print(f"{name} {' '.join(more)}: {sent >> 20} MiB sent, {grown / 1024:.1f} MiB more at the peak, "
                      f"longest scrape {longest:.2f} s", file=sys.stderr)
                clients.assert_memory_below(self, grown, GROWTH_KIB)

    def test_floods_are_not_kept(self):
        self.floods("--no-tls")

    def test_floods_over_tls_are_not_kept(self):
        self.floods()

    def test_ranges_are_not_answered(self):
        server = self.dashboard("--no-tls")
        for ranges in ("bytes=" + "0-," * 2500 + "0-", "bytes=0-1", "bytes=-5"):
            status, headers, body = server.send("GET", "/page.js", headers={"Range": ranges, "Authorization": None})
            self.assertEqual((status, headers.get("Accept-Ranges")), (200, "none"))
            self.assertEqual(len(body), int(headers["Content-Length"]))
            self.assertLess(len(body), 1 << 20)

    def test_slow_clients_keep_nobody_out(self):
        for more in (("--no-tls",), ()):
            server = self.dashboard(*more)
            where = (server.address.hostname, server.address.port)
            slow = [socket.create_connection(where) for _ in range(CONNECTIONS)]
            stop = threading.Event()
            # A third each: the request line, a body, and (over TLS) a handshake, a byte a second.
            texts = [b"GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                     b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 60]

            def drip():
                for number in range(60):
                    for index, one in enumerate(slow):
                        text = texts[index % len(texts)]
                        with contextlib.suppress(OSError):
                            one.send(text[number % len(text):number % len(text) + 1])
                    if stop.wait(1):
                        return

            dripping = threading.Thread(target=drip)
            dripping.start()
            time.sleep(1.5)
            try:
                took = [self.scrape(server, path) for _ in range(20) for path in ("/api/v1/health", "/")]
                print(f"{CONNECTIONS} slow clients {' '.join(more)}: {len(took)} of 40 answered, longest {max(took):.3f} s", file=sys.stderr)
            finally:
                stop.set()
                dripping.join()
                for one in slow:
                    one.close()

    def test_a_request_has_one_time_limit(self):
        server = self.dashboard("--no-tls")
        begin = time.monotonic()
        with server.bare() as channel:
            answer = b""
            channel.settimeout(1)
            for byte in b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nX: ":
                try:
                    channel.send(bytes([byte]))
                    answer = channel.recv(4096)
                    break
                except socket.timeout:
                    continue
        self.assertIn(b" 408 ", answer)
        self.assertLess(time.monotonic() - begin, 13)

    def test_what_is_not_strictly_http_is_refused(self):
        server = self.dashboard("--no-tls")
        start = f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Content-Type: application/json\r\n"
        body = '{"sql":"SELECT 1"}'
        whole = f"{start}Content-Length: {len(body)}\r\n\r\n{body}"
        self.assertEqual(head_of(server, whole), 200)
        for status, text in (
                (400, f"{start}Content-Length: {len(body)}\r\nContent-Length: 2\r\n\r\n{body}"),
                (400, f"{start}Content-Length: {len(body)}\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
                (400, f"{start}Content-Length: {len(body)}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
                (400, f"{start}Content-Length: +{len(body)}\r\n\r\n{body}"),
                (400, f"{start}Content-Length: {len(body)}x\r\n\r\n{body}"),
                (400, f"{start}Content-Length: {len(body)}, {len(body)}\r\n\r\n{body}"),
                (400, f"{start}Content-Length:\r\n\r\n{body}"),
                (400, f"{start}X: a\r\n b\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
                (400, f"{start}Content-Length : {len(body)}\r\n\r\n{body}"),
                (400, whole.replace("\r\n", "\n") + "\r\n\r\n"),
                (400, f"{start}Host: evil.example\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
                (400, whole.replace("Host: localhost\r\n", "")),
                (400, whole.replace("Host", "Ho\x00st")),
                (400, whole.replace("POST /", "POST http://localhost/")),
                (400, whole.replace("POST ", "POST  ")),
                (501, f"{start}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
                (400, f"{start}Transfer-Encoding: chunked\r\n\r\n0x12\r\n{body}\r\n0\r\n\r\n"),
                (400, f"{start}Transfer-Encoding: chunked\r\n\r\n2\r\n{body}\r\n0\r\n\r\n"),
                (200, f"{start}Transfer-Encoding: chunked\r\n\r\n12\r\n{body}\r\n0\r\n\r\n"),
                (413, f"{start}Content-Length: 99999999999999999999\r\n\r\n{body}"),
                (413, f"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Content-Length: 5\r\n\r\nabcde"),
                (415, f"{start}Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
                (417, f"{start}Expect: miracle\r\nContent-Length: {len(body)}\r\n\r\n{body}"),
                (431, f"{start}" + "X: y\r\n" * 101 + f"Content-Length: {len(body)}\r\n\r\n{body}"),
                (431, f"{start}X: {'y' * 20000}\r\n\r\n"),
                (505, whole.replace("HTTP/1.1", "HTTP/2.0"))):
            with self.subTest(text=text[:300]):
                self.assertEqual(head_of(server, text), status)

    def test_statements_need_the_type_of_json(self):
        server = self.dashboard("--no-tls")
        for path, body in (("/api/v1/sql", '{"sql":"SELECT 1"}'), ("/api/v1/query", '{"sql":"SELECT 1"}'),
                           ("/api/v1/tools/run_sql", '{"query":"SELECT 1"}')):
            for kind, status in ((None, 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
                                 ("application/jsonx", 415), ("application/json", 200), ("Application/JSON; charset=utf-8", 200)):
                with self.subTest(path=path, kind=kind):
                    self.assertEqual(server.send("POST", path, body, headers={"Content-Type": kind})[0], status)

    def test_another_origin_is_refused_with_its_port(self):
        server = self.dashboard("--no-tls", "--allow-host", "gpu-node-7", "--allow-host", "gpu-node-8:9000")
        port = server.address.port
        own = f"127.0.0.1:{port}"
        for status, host, origins in (
                (200, own, [f"http://{own}"]), (403, own, ["http://127.0.0.1:9999"]), (403, own, ["http://127.0.0.1"]),
                (403, own, [f"https://{own}"]), (403, own, [f"http://localhost:{port}"]), (403, own, ["null"]), (403, own, [""]),
                (403, own, ["http://evil.example"]), (403, own, [f"http://{own}", "http://evil.example"]),
                (403, own, ["http://evil.example", f"http://{own}"]), (200, f"localhost:{port}", [f"http://localhost:{port}"]),
                (200, "localhost:9000", ["http://localhost:9000"]),  # through a tunnel
                (200, own, ["https://gpu-node-7"]), (403, own, ["https://gpu-node-7:9999"]), (200, own, ["http://gpu-node-8:9000"]),
                (403, own, ["http://gpu-node-8"])):
            with self.subTest(host=host, origins=origins):
                lines = "".join(f"Origin: {origin}\r\n" for origin in origins)
                self.assertEqual(head_of(server, f"GET /api/v1/health HTTP/1.1\r\nHost: {host}\r\n{AUTHORIZED}{lines}\r\n"), status)

    def test_guessing_a_token_is_braked(self):
        server = self.dashboard("--no-tls")
        trusted = server.connect()

        def status_of(connection, token):
            connection.request("GET", "/api/v1/health", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            return answer.status

        self.assertEqual(status_of(trusted, clients.TOKEN), 200)
        begin, statuses = time.monotonic(), []
        for number in range(300):
            connection = server.connect()
            statuses.append(status_of(connection, f"wrong-token-{number:03}"))
            connection.close()
        took = time.monotonic() - begin
        self.assertLessEqual(statuses.count(401), 20 + 10 * took + 1)
        self.assertEqual(set(statuses), {401, 429})
        print(f"300 wrong tokens in {took:.2f} s: {statuses.count(401)} were compared", file=sys.stderr)
        self.assertEqual(status_of(trusted, clients.TOKEN), 200, "a connection that has shown the token goes on")
        time.sleep(1)
        self.scrape(server)

    def test_a_client_with_an_old_token_does_not_shut_out_others_of_its_address(self):
        server = self.dashboard("--no-tls")
        for _ in range(100):
            connection = server.connect()
            connection.request("GET", "/api/v1/health", headers={"Authorization": "Bearer " + "the-token-of-last-year"})
            self.assertEqual(connection.getresponse().status, 401)
            connection.close()
        self.scrape(server)

    def test_queries_without_an_end_leave_room_for_others(self):
        server = self.dashboard("--no-tls", "--timeout", "8s")
        asked = []
        for _ in range(8):
            connection = server.connect(timeout=120)
            connection.request("POST", "/api/v1/sql", json.dumps({"sql": clients.ENDLESS}),
                               {"Authorization": f"Bearer {clients.TOKEN}", "Content-Type": "application/json"})
            asked.append(connection)
        time.sleep(0.5)
        took = {}
        for path in ("/api/v1/health", "/", "/api/v1/tools/get_devices"):
            begin = time.monotonic()
            connection = server.connect(timeout=30)
            connection.request("POST" if "tools" in path else "GET", path, headers={"Authorization": f"Bearer {clients.TOKEN}"})
            self.assertEqual(connection.getresponse().status, 200)
            took[path] = round(time.monotonic() - begin, 3)
            connection.close()
        print(f"beside 8 endless queries: {took}", file=sys.stderr)
        self.assertLess(max(took.values()), 1)
        for connection in asked:
            connection.close()

    def other_client(self, server):
        """A connection from another address than that of the attacks' honest neighbour."""
        connection = socket.create_connection((server.address.hostname, server.address.port), timeout=30, source_address=("127.0.0.2", 0))
        self.addCleanup(connection.close)
        return connection

    def ask_sql(self, server):
        begin, connection = time.monotonic(), server.connect(timeout=30)
        connection.request("POST", "/api/v1/sql", json.dumps({"sql": "SELECT 1"}),
                           {"Authorization": f"Bearer {clients.TOKEN}", "Content-Type": "application/json"})
        status = connection.getresponse().status
        connection.close()
        return status, time.monotonic() - begin

    def test_one_client_with_queries_without_an_end_leaves_queries_to_others(self):
        server = self.dashboard("--no-tls", "--timeout", "8s")
        body = json.dumps({"sql": clients.ENDLESS})
        for _ in range(16):
            self.other_client(server).sendall(
                f"POST /api/v1/sql HTTP/1.1\r\nHost: localhost\r\n{AUTHORIZED}Content-Type: application/json\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode())
        time.sleep(0.5)
        status, took = self.ask_sql(server)
        print(f"beside 16 endless queries of another client: {took:.3f} s", file=sys.stderr)
        self.assertEqual(status, 200)
        self.assertLess(took, 3)

    def test_one_client_with_queries_on_all_connections_leaves_the_page_to_others(self):
        server = self.dashboard("--no-tls", "--timeout", "8s")
        asked = []
        for _ in range(300):
            connection = server.connect(timeout=120)
            with contextlib.suppress(OSError):
                connection.request("POST", "/api/v1/sql", json.dumps({"sql": clients.ENDLESS}),
                                   {"Authorization": f"Bearer {clients.TOKEN}", "Content-Type": "application/json"})
                asked.append(connection)
        refused = asked[100].getresponse()
        self.assertEqual(refused.status, 503)
        self.assertIn("too many questions", refused.read().decode())
        for _ in range(10):
            for path in ("/api/v1/health", "/"):
                connection = server.connect(timeout=30)
                connection.request("GET", path, headers={"Authorization": f"Bearer {clients.TOKEN}"})
                self.assertEqual(connection.getresponse().status, 200, path)
                connection.close()
        for connection in asked:
            connection.close()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
