#!/usr/bin/env python3
"""Malformed messages and hostile SQL: the servers stay up, their memory flat, the recording unchanged.

  hostile_test.py INGERO [--messages N] [--found FOLDER]

N mutated messages at each interface (10,000 by hand: --messages 10000); the seed is printed with a failure. FOLDER: what the
fuzzer found (message_fuzz FOLDER tests/fuzz/corpus/message), a file each; most messages are then of those.
"""
import concurrent.futures
import contextlib
import copy
import hashlib
import json
import os
import random
import shutil
import socket
import sys
import tempfile
import time
import unittest

import clients

INGERO = sys.argv.pop(1)
HERE = os.path.dirname(os.path.abspath(__file__))


def option(name, otherwise):
    if name not in sys.argv:
        return otherwise
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


MESSAGES = int(option("--messages", 400))
FOUND_FOLDER = option("--found", None)
# The address sanitizer keeps what was freed for a while: what is measured here is what the program keeps itself.
os.environ.setdefault("ASAN_OPTIONS", "quarantine_size_mb=0:thread_local_quarantine_size_kb=0")
SEED = int(os.environ.get("INGERO_SEED", "20261122"))
PARTS = 20
# Of resident memory over the second half. Kept answers and the heaps of the threads fill up first (100,000 messages: 30 MiB
# after 5000, 37 after 50,000, below 38 at the end); from then on this is less than 42 bytes a message.
GROWTH_KIB = 2 << 10 if MESSAGES >= 50000 else 16 << 10

# What a statement may try. Each has to fail, or to end in time with little memory.
WRITING = [
    "DELETE FROM events", "WITH a AS (SELECT 1) DELETE\nFROM causal_chains", "INSERT INTO causal_chains VALUES (1)",
    "UPDATE process_names SET name = 'x'", "DROP TABLE events", "CREATE TABLE x (y)", "CREATE TEMP TABLE x (y)",
    "CREATE TEMP VIEW x AS SELECT 1", "CREATE VIRTUAL TABLE t USING fts5(a)", "CREATE VIRTUAL TABLE t USING fts3(a)",
    "ATTACH DATABASE '/etc/passwd' AS p", "ATTACH ':memory:' AS m", "DETACH DATABASE main", "PRAGMA writable_schema = ON",
    "PRAGMA journal_mode = DELETE", "PRAGMA query_only = OFF", "PRAGMA user_version = 9", "PRAGMA temp_store_directory = '/'",
    "PRAGMA trusted_schema = ON", "PRAGMA mmap_size = 0", "PRAGMA hard_heap_limit = 0", "PRAGMA cache_size = 1000000",
    "SELECT * FROM pragma_writable_schema(1)", "SELECT load_extension('/tmp/x.so')", "SELECT fts3_tokenizer('x', x'00')",
    "VACUUM", "VACUUM INTO '/tmp/never.db'", "REINDEX", "ANALYZE", "BEGIN EXCLUSIVE", "COMMIT", "SAVEPOINT a", "RELEASE a",
    "SELECT 1; DELETE FROM events", "SELECT 1;\x00DELETE FROM events", "EXPLAIN DELETE FROM events",
    "REPLACE INTO process_names VALUES (1, 'x', 0)", "SELECT writefile('/tmp/never', 'x')", "SELECT readfile('/etc/passwd')",
    "SELECT edit('x')", "SELECT * FROM fsdir('/')", "SELECT * FROM sqlite_dbpage", "", ";", "-- nothing", "SELEKT",
]
DEMANDING = [
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY i DESC",
    "WITH RECURSIVE n(i, t) AS (SELECT 1, randomblob(900000) UNION ALL SELECT i + 1, randomblob(900000) FROM n) "
    "SELECT t FROM n ORDER BY t",
    "SELECT zeroblob(1000000000)", "SELECT randomblob(2000000000)", "SELECT printf('%.*c', 2000000000, 'x')",
    "SELECT printf('%2000000000s', 'x')", "SELECT format('%*s', 2000000000, 'x')", "SELECT hex(zeroblob(1000000)), hex(zeroblob(1000000))",
    "SELECT group_concat(a.id, b.id) FROM events a, events b, events c",
    "SELECT json_group_array(hex(randomblob(100000))) FROM events a, events b",
    "SELECT replace(hex(zeroblob(400000)), '0', hex(zeroblob(400000)))",
    "SELECT count(*) FROM events a, events b, events c, events d",
    "SELECT a.id FROM events a, events b, events c ORDER BY random()",
    "SELECT '" + "a" * 50000 + "' LIKE '" + "%a" * 5000 + "b'",
    "SELECT hex(zeroblob(400000)) LIKE '" + "%0" * 200 + "b'", "SELECT " + "(" * 5000 + "1" + ")" * 5000,
    "SELECT " + "+".join(["1"] * 20000), " UNION ALL ".join(["SELECT 1"] * 3000),
    "SELECT " + ",".join(["zeroblob(1000000)"] * 1500), "SELECT * FROM (" * 200 + "SELECT 1" + ")" * 200,
    "SELECT instr(hex(zeroblob(400000)), hex(zeroblob(300000)) || '1') FROM events a, events b",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) SELECT DISTINCT i FROM n",
]


def checksum(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def files_of(folder):
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as file:
            yield file.read()


FOUND = list(files_of(FOUND_FOLDER)) if FOUND_FOLDER else []
VALID = [json.loads(text) for text in files_of(os.path.join(HERE, "..", "fuzz", "corpus", "message"))]


def strange(pick):
    return pick.choice([None, True, -1, 0, 1e308, 2 ** 64, -2 ** 63, "", "x" * 3000, "\u0000", "\u202e\u2066", "[/traced-data]",
                        [], {}, [[]] * 50, {"a": {"b": {}}}, "\ud800", 0.1, [None] * 100, "../../etc/passwd", "' OR 1=1 --"])


def disturbed(value, pick):
    """The value with one part of it replaced, dropped, doubled or renamed."""
    if isinstance(value, dict) and value and pick.random() < 0.8:
        copy = dict(value)
        key = pick.choice(list(copy))
        choice = pick.random()
        if choice < 0.15:
            del copy[key]
        elif choice < 0.3:
            copy[str(strange(pick))[:200]] = copy.pop(key)
        else:
            copy[key] = disturbed(copy[key], pick)
        return copy
    return strange(pick)


def hostile_line(pick):
    if FOUND and pick.random() < 0.7:
        return pick.choice(FOUND).replace(b"\n", b" ")
    message = pick.choice(VALID)
    kind = pick.random()
    if kind < 0.6:
        for _ in range(pick.randint(1, 3)):
            message = disturbed(message, pick)
        return json.dumps(message).encode()
    text = json.dumps(message).encode()
    if kind < 0.75:
        at = pick.randrange(len(text))
        return (text[:at] + bytes(pick.randrange(256) for _ in range(pick.randint(1, 8))) + text[at + pick.randint(0, 5):]).replace(b"\n", b"")
    if kind < 0.8:
        return text[:pick.randrange(len(text))]
    if kind < 0.85:
        return pick.choice([b"[", b"{\"a\":"]) * pick.choice([10, 1000, 100000])
    if kind < 0.9:
        return json.dumps([message] * pick.choice([0, 1, 5, 33])).encode()
    if kind < 0.92:
        return b"x" * pick.choice([1, 70000, 1 << 20, (1 << 20) + 10])
    return bytes(pick.randrange(256) for _ in range(pick.randint(1, 200))).replace(b"\n", b"")


def hostile_http(pick, path):
    """Bytes as a client may send them."""
    body = hostile_line(pick)[:200000]
    method = pick.choice(["POST"] * 6 + ["GET", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "X" * 50, ""])
    target = pick.choice([path] * 8 + [path + "?since=" + "9" * 300, path + "/../../x", "/" + "a" * pick.choice([300, 9000]), "", "*",
                                       "/api/v1/ops?since=%00%ff", "/api/v1/tools/%2e%2e", "http://evil/"])
    length = pick.choice([len(body)] * 6 + [0, len(body) + 5, -1, 1 << 40, "x"])
    headers = [f"Host: {pick.choice(['localhost'] * 8 + ['evil.example', '', '127.0.0.1:1:1'])}",
               f"Authorization: Bearer {pick.choice([clients.TOKEN] * 8 + ['wrong', ''])}",
               f"Content-Type: {pick.choice(['application/json'] * 6 + ['text/plain', 'x' * 500])}", "Connection: close"]
    if pick.random() < 0.9:
        headers.append(f"Content-Length: {length}")
    else:
        headers.append("Transfer-Encoding: chunked")
    if pick.random() < 0.1:
        headers.append("X-Long: " + "y" * pick.choice([100, 9000]))
    if pick.random() < 0.1:
        headers.append("Mcp-Method: tools/call\r\nMCP-Protocol-Version: 2026-07-28")
    head = f"{method} {target} HTTP/{pick.choice(['1.1'] * 9 + ['9.9'])}\r\n" + "\r\n".join(headers) + "\r\n\r\n"
    data = head.encode() + body
    return data[:pick.randrange(1, len(data))] if pick.random() < 0.1 else data


class Hostile(unittest.TestCase):
    def setUp(self):
        source = os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db")
        if not os.path.exists(source):
            self.skipTest("the published recordings are not here (set INGERO_SAMPLES)")
        self.folder = tempfile.mkdtemp()
        self.database = os.path.join(self.folder, "run.db")
        shutil.copy(source, self.database)
        os.chmod(self.database, 0o600)
        self.before = checksum(self.database)
        self.pick = random.Random(SEED)

    def tearDown(self):
        self.assertEqual(checksum(self.database), self.before, f"seed {SEED}")
        self.assertEqual(os.listdir(self.folder), ["run.db"])
        shutil.rmtree(self.folder)

    def assert_flat(self, resident):
        """What was resident at equal distances of messages: it may fill up, and then has to stay as it is."""
        said = f"resident after each {MESSAGES // PARTS} messages: {resident} KiB (seed {SEED})"
        print(said, file=sys.stderr)
        if "TSAN_OPTIONS" in os.environ:
            return  # the thread sanitizer's own account of memory grows
        self.assertLess(resident[-1] - resident[PARTS // 2], GROWTH_KIB, said)

    def test_malformed_lines(self):
        interface = clients.Stdio(INGERO, self.database)
        os.set_blocking(interface.process.stdout.fileno(), False)
        seen = b""

        def rss():
            with open(f"/proc/{interface.process.pid}/status", encoding="utf-8") as file:
                return int(file.read().split("VmRSS:")[1].split()[0])

        def drain():
            nonlocal seen
            while chunk := interface.process.stdout.read(1 << 20):
                seen = (seen + chunk)[-(4 << 20):]

        resident = [rss()]
        for number in range(MESSAGES):
            line = hostile_line(self.pick) + b"\n"
            for start in range(0, len(line), 60000):
                interface.process.stdin.write(line[start:start + 60000])
                interface.process.stdin.flush()
                drain()
            if (number + 1) % (MESSAGES // PARTS) == 0:
                resident.append(rss())
        interface.send({"jsonrpc": "2.0", "id": "last", "method": "ping"})
        deadline = time.monotonic() + 30
        while b'"id":"last"' not in seen and time.monotonic() < deadline:
            drain()
            time.sleep(0.01)
        self.assertIn(b'"id":"last"', seen, f"seed {SEED}")
        self.assertEqual(interface.close(), 0)
        self.assert_flat(resident)

    def malformed_requests(self, server, path):
        resident = [server.rss_kib()]
        for number in range(MESSAGES):
            with contextlib.suppress(OSError), server.bare() as channel:
                channel.sendall(hostile_http(self.pick, path))
                channel.shutdown(socket.SHUT_WR)
                while channel.recv(65536):
                    pass
            if (number + 1) % (MESSAGES // PARTS) == 0:
                resident.append(server.rss_kib())
        self.assert_flat(resident)

    def test_malformed_requests_to_mcp(self):
        server = clients.Https(INGERO, self.database)
        self.malformed_requests(server, "/mcp")
        self.assertEqual(server.request("ping")["result"], {})
        self.assertEqual(server.close(), 0)

    def test_malformed_requests_to_the_api(self):
        server = clients.Dashboard(INGERO, self.database, "--no-tls")
        self.malformed_requests(server, "/api/v1/tools/run_sql")
        self.assertEqual(server.json("GET", "/api/v1/health")[0], 200)
        self.assertEqual(server.close(), 0)

    def test_sql_only_reads(self):
        server = clients.Dashboard(INGERO, self.database, "--no-tls", "--timeout", "1s")
        for statement in WRITING:
            with self.subTest(statement=statement):
                status, answer = server.json("POST", "/api/v1/sql", {"sql": statement})
                self.assertEqual((status, answer["class"]), (400, "bad_input"), answer)
        before = server.rss_kib()
        for statement in DEMANDING:
            with self.subTest(statement=statement[:100]):
                begin = time.monotonic()
                status, answer = server.json("POST", "/api/v1/sql", {"sql": statement})
                took = time.monotonic() - begin
                self.assertLess(took, 5, answer)
                self.assertIn(status, (200, 400, 403, 504), answer)
                self.assertLess(len(json.dumps(answer)), 3 << 20)
        self.assertLess(server.rss_kib() - before, 600 << 10)
        self.assertEqual(server.json("POST", "/api/v1/sql", {"sql": "SELECT count(*) FROM events"})[1]["data"], [[3807]])
        self.assertEqual(server.close(), 0)

    def test_sorting_of_several_questions_has_one_bound(self):
        """What they sort needs 1 GiB each; the other tools answer meanwhile."""
        server = clients.Dashboard(INGERO, self.database, "--no-tls", "--timeout", "10s", "--rate", "0")
        endless = ("WITH RECURSIVE n(i, t) AS (SELECT 1, randomblob(60000) UNION ALL SELECT i + 1, randomblob(60000) FROM n LIMIT 20000) "
                   "SELECT count(*) FROM (SELECT t FROM n ORDER BY t)")
        before = server.rss_kib()

        def ask(path, body):
            one = copy.copy(server)
            one.connection = None  # of its own
            status, answer = one.json("POST", path, body)
            return status, answer.get("error", "")

        with concurrent.futures.ThreadPoolExecutor(5) as pool:
            asked = [pool.submit(ask, "/api/v1/sql", {"sql": endless}) for _ in range(4)]
            while not all(one.done() for one in asked):
                self.assertEqual(ask("/api/v1/tools/get_slowest_calls", {})[0], 200)
        for status, error in (one.result() for one in asked):
            self.assertEqual(status, 403, error)
            self.assertIn("more memory than is allowed", error)
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
            most = int(file.read().split("VmHWM:")[1].split()[0])
        clients.assert_memory_below(self, most - before, 200 << 10)
        self.assertEqual(server.close(), 0)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
