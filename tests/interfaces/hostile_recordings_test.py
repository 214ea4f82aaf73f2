#!/usr/bin/env python3
"""Recordings with any value in any column, and views in the place of tables: no command crashes, hangs or changes them.

  hostile_recordings_test.py INGERO MAKE_RECORDING [--recordings N] [--first I] [--seconds S] [--server FORK_SERVER]

N changed recordings (10,000 by hand: make hostile), each through every reading command and every tool, over MCP and over
HTTP, with a time limit of 2 s. The I-th is always the same, so that a failure can be repeated: --first I --recordings 1.
With a server (fork_server.cc), INGERO is its client (fork_client.c): the program starts once, and forks for each recording.
"""
import contextlib
import http.server
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import clients

INGERO, MAKE_RECORDING = sys.argv.pop(1), sys.argv.pop(1)
HERE = os.path.dirname(os.path.abspath(__file__))


def option(name, otherwise):
    if name not in sys.argv:
        return otherwise
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


# Of 10,000, those that a version could not read.
FOUND = (1021, 1366, 3504, 4942, 5089, 5440)
RECORDINGS, FIRST = int(option("--recordings", 40)), int(option("--first", 0))
SERVER = option("--server", None)
SECONDS = int(option("--seconds", 30))  # for one command with its limit of 2 s, on a busy machine, perhaps with sanitizers
VALUES = ["-1", "0", "1", "4294967295", "4294967296", "9223372036854775807", "-9223372036854775808", "1e300", "-1e300", "0.5",
          "'text'", "''", "x'00ff00ff'", "x''", "NULL", "zeroblob(70000)", "'[{\"a\":1}]'", "'[1,null,{}]'", "'{\"a\":[[[]]]}'",
          "'[[[[[[[['", "char(27) || '[31m'", "printf('%.*c', 70000, 'x')", "'18446744073709551616'", "'../../etc/passwd'",
          "(SELECT {0} FROM {1} ORDER BY random() LIMIT 1)", "{0} + 1", "-{0}", "{0} * 1000003", "rowid", "rowid * 1000000007"]
ENDLESS = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n)"
# A row of a table that the recordings made here leave empty: ids, and texts that are JSON where they may be.
WORDS = ["'[]'", "'x'", "'{\"a\": \"b\"}'", "'0000:01:00.0'"]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def tables_of(database):
    return [name for name, in database.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name")]


def columns_of(database, table):
    return [(row[1], row[2].upper(), row[5]) for row in database.execute(f"PRAGMA table_info({table})")]


def fill(database):
    """Three rows in each table without any."""
    pick = random.Random(1)
    for table in tables_of(database):
        if database.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:
            continue
        for row in range(1, 4):
            values = [pick.choice(WORDS) if "TEXT" in kind else "x'0102'" if "BLOB" in kind
                      else str(1795461652000000000 + row) if name.endswith("_ns") or name in ("timestamp", "detected_at")
                      else str(row) for name, kind, _ in columns_of(database, table)]
            with contextlib.suppress(sqlite3.IntegrityError):
                database.execute(f"INSERT INTO {table} VALUES ({', '.join(values)})")


def of_sql(path, name, *more):
    """A recording that is kept as SQL."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        with open(os.path.join(HERE, "..", "unit", "cli", "recordings", name), encoding="utf-8") as text:
            database.executescript(text.read())
        for sql in more:
            database.execute(sql)
        database.commit()
    os.chmod(path, 0o600)
    return path


def of_calls(folder):
    made = os.path.join(folder, "base-0.db")
    subprocess.run([MAKE_RECORDING, made, "300"], check=True)
    os.chmod(made, 0o600)
    return made


def of_two_nodes(folder):
    """Merged, of nodes whose clocks are 2.5 s apart, as the collectives of both show."""
    ahead = "UPDATE {0} SET {1} = {1} + 2500000000"
    nodes = [of_sql(os.path.join(folder, "node-1.db"), "two_ranks.sql"),
             of_sql(os.path.join(folder, "node-2.db"), "two_ranks.sql", "UPDATE sessions SET node = 'gpu-02'", "UPDATE clocks SET node = 'gpu-02'",
                    ahead.format("sessions", "started_at"), ahead.format("sessions", "stopped_at"), ahead.format("clocks", "wall_ns"),
                    ahead.format("blocks", "start_wall_ns"), ahead.format("blocks", "end_wall_ns"))]
    merged = os.path.join(folder, "base-3.db")
    subprocess.run([INGERO, "merge", *nodes, "-o", merged], check=True, stderr=subprocess.DEVNULL)
    return merged


def bases(folder):
    """Recordings of ours, filled where empty, of a fabric, of two nodes, and the published ones of the legacy agent."""
    made = of_calls(folder)
    filled = os.path.join(folder, "base-1.db")
    shutil.copy(made, filled)
    with contextlib.closing(sqlite3.connect(filled)) as database:
        fill(database)
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    fabric = of_sql(os.path.join(folder, "base-2.db"), "soft_roce_healthy.sql")
    with contextlib.closing(sqlite3.connect(fabric)) as database:
        fill(database)
        database.commit()
    found = [made, filled, filled, filled, fabric, of_two_nodes(folder)]
    for name in clients.SAMPLES[1:3]:
        sample = os.path.join(clients.sample_folder(), name + ".db")
        if os.path.exists(sample):
            found.append(shutil.copy(sample, os.path.join(folder, f"base-{len(found)}.db")))
    for path in found:
        os.chmod(path, 0o600)
    return found


def change(database, pick):
    """What was done to the recording, as SQL."""
    tables, done = tables_of(database), []
    database.execute("PRAGMA writable_schema = OFF")
    if pick.random() < 0.12:
        table = pick.choice(["schema_info"] + tables)
        columns = [name for name, _, _ in columns_of(database, table)]
        row = ", ".join(f"{pick.choice([ENDLESS, 'NULL', '-1', '1e300'])} AS {name}" for name in columns)
        done += [f"DROP TABLE {table}", f"CREATE VIEW {table} AS SELECT {row}"]
    elif pick.random() < 0.08:
        view = pick.choice(["events", "tcp_events", "collectives", "steps", "blame"])
        if database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'view' AND name = ?", (view,)).fetchone()[0]:
            columns = [row[1] for row in database.execute(f"PRAGMA table_info({view})")]
            done += [f"DROP VIEW {view}", f"CREATE VIEW {view} AS SELECT "
                     + ", ".join(f"{pick.choice([ENDLESS, '-1', 'NULL'])} AS {name}" for name in columns)]
    for _ in range(pick.choice([1, 1, 1, 2, 4])):
        table = pick.choice(tables)
        if any(table in sql for sql in done):
            continue
        name = pick.choice([name for name, _, _ in columns_of(database, table)])
        value = pick.choice(VALUES).replace("{0}", name).replace("{1}", table)
        where = pick.choice(["", "", f" WHERE rowid % {pick.randint(2, 5)} = 0"])
        done.append(f"UPDATE OR REPLACE {table} SET {name} = {value}{where}")
    if pick.random() < 0.05:
        done.append(f"DELETE FROM {pick.choice(tables)}")
    if pick.random() < 0.2:  # of an older schema, or so it says
        for table in pick.sample(tables, pick.randint(0, 3)):
            name = pick.choice([name for name, _, _ in columns_of(database, table)] or ["x"])
            done.append(pick.choice([f"DROP TABLE {table}", f"ALTER TABLE {table} DROP COLUMN {name}"]))
        done.append(f"PRAGMA user_version = {pick.randint(25, 32)}")
    kept = []
    for sql in done:
        try:
            database.execute(sql)
            kept.append(sql)
        except sqlite3.Error:  # a constraint, or no rowid
            with contextlib.suppress(sqlite3.Error):
                database.execute(sql.replace(" WHERE rowid", " WHERE 1 OR 1").replace("rowid", "7"))
                kept.append(sql)
    return kept


class Sink(http.server.BaseHTTPRequestHandler):
    """A cluster's server that takes everything."""

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class HostileRecordings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.sink = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Sink)
        threading.Thread(target=cls.sink.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.sink.server_close)
        cls.addClassCleanup(cls.sink.shutdown)
        if SERVER:
            folder = tempfile.TemporaryDirectory()
            cls.addClassCleanup(folder.cleanup)
            cls.enterClassContext(clients.fork_server(SERVER, folder.name, "query", "--json", "--db", of_calls(folder.name)))

    def setUp(self):
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        self.folder = made.name
        self.slowest = (0.0, "")
        self.series = clients.Series(SECONDS) if SERVER else None
        if SERVER:
            self.addCleanup(self.series.close)

    def ended(self, *arguments, given=b""):
        if self.series is not None:
            return self.series.run(*arguments, given=given)
        return subprocess.run([INGERO, *arguments], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)

    def run_command(self, *arguments):
        """It ends in time, by itself, with an answer or one sentence."""
        began = time.monotonic()
        try:
            done = self.ended(*arguments)
        except subprocess.TimeoutExpired:
            self.fail(f"no end within {SECONDS} s: ingero {' '.join(arguments)}")
        self.slowest = max(self.slowest, (time.monotonic() - began, " ".join(arguments)))
        self.assertGreaterEqual(done.returncode, 0, f"ingero {' '.join(arguments)}: {done.stderr[-3000:]}")
        self.assertLess(done.returncode, 4, f"ingero {' '.join(arguments)}: {done.stderr[-3000:]}")
        self.assertNotIn(b"internal error", done.stderr, arguments)
        return done

    def ask_all(self, path):
        """Every tool over MCP, in one process."""
        questions = clients.a_question_of_each_tool(lambda tool, given: {"chains": []})
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}]
        lines += [{"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}}
                  for number, (tool, given) in enumerate(questions, 1) if tool not in ("get_check", "run_demo", "get_test_report")]
        try:
            done = self.ended("mcp", "--db", path, "--timeout", "2s", given="".join(json.dumps(line) + "\n" for line in lines).encode())
        except subprocess.TimeoutExpired:
            self.fail("no end of the tools")
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        answered = {json.loads(line).get("id") for line in done.stdout.splitlines()}
        self.assertEqual(answered, {line["id"] for line in lines})

    def ask_dashboard(self, path):
        server = clients.Dashboard(INGERO, path, "--timeout", "2s")
        try:
            for tool, given in clients.a_question_of_each_tool(lambda tool, given: {"chains": []}):
                if tool not in ("get_check", "run_demo", "get_test_report"):
                    with contextlib.suppress(clients.Refused):
                        server.ask(tool, given)
            self.assertIsNone(server.process.poll())
        finally:
            self.assertEqual(server.close(), 0)

    def read_in_every_way(self, path, base, number):
        out = os.path.join(self.folder, "out")
        self.run_command("explain", "--db", path, "--json", "--timeout", "2s", "--per-process")
        self.run_command("explain", "--db", path, "--timeout", "2s")
        self.run_command("explain", "--db", path, "--chains", "--timeout", "2s")
        self.run_command("query", "--db", path, "--timeout", "2s", "--json", "--annotations", "--limit", "1000")
        self.run_command("compare", base, path)
        self.run_command("explain", "--db", path, "--folded", "--timeout", "2s")
        for kind in ("perfetto", "chrome", "csv", "jsonl")[number % 4:][:1]:
            self.run_command("export", "--db", path, "--format", kind, "-o", out)
        self.run_command("fleet-push", "--db", path, "--fleet-endpoint", f"http://127.0.0.1:{self.sink.server_address[1]}", "--fleet-cluster-id", "c",
                         "--fleet-node-id", "n")
        self.run_command("merge", path, "-o", out + ".db", "--force-node", "n")
        with contextlib.suppress(FileNotFoundError):
            os.remove(out + ".db")
        self.ask_all(path)
        if self.series is not None:
            self.series.close()
        if number % 10 == 0:
            self.ask_dashboard(path)

    def test_any_value_in_any_column(self):
        found = bases(self.folder)
        failed = 0
        again = [number for number in FOUND if FIRST == 0 and number >= RECORDINGS and RECORDINGS > 1]
        for number in [*range(FIRST, FIRST + RECORDINGS), *again]:
            pick = random.Random(number)
            base = pick.choice(found)
            path = shutil.copy(base, os.path.join(self.folder, "changed.db"))
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = DELETE")
                done = change(database, pick)
            before, good = content(path), False
            with self.subTest(number=number, base=os.path.basename(base), done=done):
                self.read_in_every_way(path, found[0], number)
                self.assertEqual(content(path), before, "the recording was changed")
                good = True
            if not good:
                failed += 1
                print(f"failed: --first {number} --recordings 1 (why: at the end)", file=sys.stderr)
            if number % 100 == 99:
                print(f"{number + 1 - FIRST} recordings, {failed} failed, slowest {self.slowest[0]:.1f} s", file=sys.stderr)
        print(f"{RECORDINGS} recordings, {failed} failed, slowest {self.slowest[0]:.1f} s: {self.slowest[1]}", file=sys.stderr)

    def test_every_table_as_an_endless_view(self):
        base = bases(self.folder)[0]
        with contextlib.closing(sqlite3.connect(base)) as database:
            tables = tables_of(database)
        for table in ["schema_info"] + (tables[::7] if RECORDINGS < 1000 else tables):
            path = shutil.copy(base, os.path.join(self.folder, "view.db"))
            with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
                database.execute("PRAGMA journal_mode = DELETE")
                columns = [name for name, _, _ in columns_of(database, table)]
                database.execute(f"DROP TABLE {table}")
                database.execute(f"CREATE VIEW {table} AS SELECT " + ", ".join(f"{ENDLESS} AS {name}" for name in columns))
            with self.subTest(table=table):
                for arguments in (["explain", "--db", path], ["query", "--db", path], ["ask", "get_trace_stats", "--db", path],
                                  ["export", "--db", path, "--format", "csv"], ["merge", path, "-o", path + ".out"],
                                  ["compare", base, path],
                                  ["fleet-push", "--db", path, "--fleet-endpoint", "http://127.0.0.1:9", "--fleet-cluster-id", "c"]):
                    done = self.run_command(*arguments)
                    self.assertIn(f"{table} in it is a view, where a recording has a table".encode(), done.stderr, arguments)
                    self.assertEqual(done.stdout, b"")
                    self.assertFalse(os.path.exists(path + ".out"))

    def test_a_signal_ends_what_would_never_end(self):
        """A statement, and a view of the user's own that no rule refuses."""
        path = bases(self.folder)[0]
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute(f"CREATE VIEW mine AS SELECT {ENDLESS} AS x")
        endless = "SELECT x FROM mine"
        for arguments in (["query", "--db", path, "--timeout", "0", endless],
                          ["ask", "run_sql", "--db", path, "--timeout", "10m", "--json", json.dumps({"query": endless})]):
            process = clients.started([INGERO, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            time.sleep(1)
            self.assertIsNone(process.poll(), arguments)
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=SECONDS)
            self.assertLess(time.monotonic() - began, 1, arguments)


if __name__ == "__main__":
    unittest.main()
