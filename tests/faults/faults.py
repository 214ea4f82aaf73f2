#!/usr/bin/env python3
"""Faults by the thousand: the n-th allocation, read, write, mapping, opening, BPF or SQLite call fails, n = 1, 2, 3, ...

  faults.py INGERO FAULTS_LIBRARY MAKE_RECORDING [--points N] [--short] [--only WORD] [--caller CALLER FOLDER] [--keep FILE]

Each command runs once to count its calls of each kind (faults.c lists the kinds), then once for each point: at N points of
a command and kind, spread over all its calls, the first ones whole; every other one fails not once but from there on.
Each time it must end by itself within the time limit, with the same answer as without a fault, or a sentence on standard
error; of a trace, calls that are not in the recording are counted in its table `loss`. The recording that is read
never changes, and no file with half an answer is left behind. --caller: traces too (root), this program with the runtime of FOLDER.
Prints a table of points by call. Status 1 where something crashed, hung, changed a recording or said nothing.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import glob
import hashlib
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "interfaces"))
import clients  # noqa: E402

KINDS = ("malloc", "sqlite_malloc", "read", "write", "sync", "mmap", "open", "sqlite_vfs", "bpf", "perf")
LIMIT = 30  # seconds for one run, on a busy machine
GOOD = ("same", "sentence", "loss")
BAD = ("crash", "hang", "changed", "half file", "silent")
CALLS = 300


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def has_sentence(errors):
    return re.search(rb"^(Error|ingero): .{10,}\n", errors, re.MULTILINE) is not None


class Faults:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.recording, self.other = os.path.join(folder, "run.db"), os.path.join(folder, "other.db")
        for path, events in ((self.recording, "400"), (self.other, "200")):
            subprocess.run([options.make_recording, path, events], check=True)
        self.before = {path: digest(path) for path in (self.recording, self.other)}

    def environment(self, fault, count):
        return dict(os.environ, LD_PRELOAD=self.options.library, INGERO_FAULT=fault, INGERO_FAULT_COUNT=count,
                    INGERO_TOKEN=clients.TOKEN)

    def run(self, command, fault, place):
        """(status or None, standard output, standard error, calls counted)"""
        count = os.path.join(place, "count")
        process = subprocess.Popen([self.options.ingero, *command.arguments(place)], env=self.environment(fault, count), cwd=place,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, errors = command.drive(process)
            status = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            out, errors = process.communicate()
            status = None
        calls = 0
        with contextlib.suppress(FileNotFoundError, ValueError):
            with open(count, encoding="ascii") as file:
                calls = int(file.read())
        return status, out, errors, calls

    def verdict(self, command, fault, reference):
        with tempfile.TemporaryDirectory(dir=self.folder) as place:
            status, out, errors, _ = self.run(command, fault, place)
            told = f"{status} {errors[-600:]!r}"
            if status is None:
                return "hang", told
            if status < 0 or b"AddressSanitizer" in errors:
                return "crash", told
            if any(digest(path) != before for path, before in self.before.items()):
                return "changed", told
            return command.judge(place, status, out, errors, reference), told


class Command:
    """One that reads, and ends by itself."""

    def __init__(self, name, *words, out=None, given=b"", points=1.0):
        self.name, self.words, self.out, self.given, self.points = name, words, out, given, points

    def arguments(self, place):
        return [word.replace("OUT", os.path.join(place, self.out or "")) for word in self.words]

    def drive(self, process):
        return process.communicate(self.given, LIMIT)

    def answer(self, place, out):
        if self.out is None or not os.path.exists(os.path.join(place, self.out)):
            return out
        with open(os.path.join(place, self.out), "rb") as file:
            return out + (self.content(file.name) if self.out.endswith(".db") else file.read())

    def content(self, path):
        """Of a recording that was made: what it says, as its bytes hold times of its making."""
        with contextlib.closing(sqlite3.connect(path)) as database:
            return repr([database.execute(f"SELECT count(*) FROM {table}").fetchall()
                         for table in ("event_rows", "sessions", "processes", "stack_traces", "causal_chains")]).encode()

    def judge(self, place, status, out, errors, reference):
        if status == 0:
            if self.answer(place, out) == reference:
                return "same"
            return "sentence" if has_sentence(errors) else "silent"
        if self.out is not None and os.path.exists(os.path.join(place, self.out)):
            return "half file"
        return "sentence" if has_sentence(errors) else "silent"


class Tools(Command):
    """MCP over standard input and output: an answer for each question, or the end and why."""

    def judge(self, place, status, out, errors, reference):
        if status != 0:
            return "sentence" if has_sentence(errors) else "silent"
        if out == reference:
            return "same"
        answered, wanted = {}, {}
        for lines, into in ((out, answered), (reference, wanted)):
            for line in lines.splitlines():
                with contextlib.suppress(ValueError):
                    into[json.loads(line).get("id")] = line
        missing = [number for number, line in wanted.items() if answered.get(number) != line]
        said = all(b"rror" in answered.get(number, b"") for number in missing)
        return "sentence" if said or errors.strip() else "silent"


class Check(Command):
    """What it says is of a machine where programs come and go: an answer is a document."""

    def judge(self, place, status, out, errors, reference):
        with contextlib.suppress(ValueError):
            json.loads(out)
            return "same"
        return "sentence" if has_sentence(errors) else "silent"


class Served(Command):
    """The dashboard: whatever fails, it answers or says why not, and ends at SIGTERM."""

    def drive(self, process):
        timer = threading.Timer(LIMIT, process.kill)  # readline() has no limit of its own
        timer.start()
        said = line = process.stderr.readline()
        while line and b"://" not in line:
            line = process.stderr.readline()
            said += line
        timer.cancel()
        if line:
            self.ask(line.split(b"://")[1].split()[0].rstrip(b",").split(b"/")[0].decode())
            process.send_signal(signal.SIGTERM)
        out, errors = process.communicate(timeout=LIMIT)
        return out, said + errors

    def ask(self, address):
        host, port = address.rsplit(":", 1)
        for _, path, body in self.given:
            connection = clients.http.client.HTTPSConnection(host, int(port), timeout=LIMIT, context=clients.unverified())
            with contextlib.suppress(OSError, clients.http.client.HTTPException):
                connection.request("POST" if body else "GET", path, body, {"Authorization": f"Bearer {clients.TOKEN}",
                                                                           "Content-Type": "application/json"})
                connection.getresponse().read()
            connection.close()

    def judge(self, place, status, out, errors, reference):
        return "same" if status == 0 else "sentence" if has_sentence(errors) else "silent"


class Trace(Command):
    """A short trace of a program that says how many calls it made."""

    def answer(self, place, out):
        return b""

    def judge(self, place, status, out, errors, reference):
        log, made = os.path.join(place, "log"), 0
        if not os.path.exists(log):
            return "sentence" if status != 0 and has_sentence(errors) else "silent"
        with open(log, encoding="ascii") as file:
            made = sum(int(word.split("=")[1]) for word in file.read().split() if "=" in word)
        database = os.path.join(place, "run.db")
        rows = lost = 0
        if os.path.exists(database):
            with contextlib.closing(sqlite3.connect(database)) as recording:
                if recording.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
                    return "changed"
                with contextlib.suppress(sqlite3.OperationalError):
                    rows = recording.execute("SELECT count(*) FROM events WHERE library LIKE '%libcudart%' AND depth = 0").fetchone()[0]
                    lost = recording.execute("SELECT coalesce(sum(count), 0) FROM loss WHERE severity <> 'info'").fetchone()[0]
        if status != 0:
            return "sentence" if has_sentence(errors) else "silent"
        if rows >= made:
            return "same"
        return "loss" if lost > 0 else "sentence" if b"warning" in errors or b"not available" in errors else "silent"


def questions():
    lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}]
    for number, (tool, given) in enumerate(clients.a_question_of_each_tool(lambda tool, given: {"chains": []}), 1):
        if tool not in ("get_check", "run_demo", "get_test_report"):
            lines.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": given}})
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def commands(faults, options):
    run, other = faults.recording, faults.other
    asked = [("GET", "/", None), ("GET", "/api/v1/health", None), ("GET", "/api/v1/overview", None),
             ("POST", "/api/v1/tools/get_timeline", "{}"), ("POST", "/api/v1/tools/get_stacks", "{}"),
             ("POST", "/api/v1/tools/run_sql", '{"query": "SELECT count(*) FROM events"}')]
    found = [
        Command("explain", "explain", "--db", run),
        Command("explain --json", "explain", "--db", run, "--json", "--per-process"),
        Command("query", "query", "--db", run, "--json", "--limit", "100"),
        Command("query SQL", "query", "--db", run, "SELECT kind, count(*), sum(duration) FROM events GROUP BY 1 ORDER BY 1"),
        Command("export perfetto", "export", "--db", run, "--format", "perfetto", "-o", "OUT", out="trace.pb"),
        Command("export chrome", "export", "--db", run, "--format", "chrome", "-o", "OUT", out="trace.json"),
        Command("export csv", "export", "--db", run, "--format", "csv"),
        Command("merge", "merge", run, other, "-o", "OUT", "--force-node", "n", out="merged.db"),
        Command("compare", "compare", other, run),
        Tools("mcp", "mcp", "--db", run, given=questions()),
        Served("dashboard", "dashboard", "--db", run, "--addr", "127.0.0.1:0", given=asked, points=0.4),
        Check("check", "check", "--json", points=0.25),
    ]
    if options.caller:
        caller, library = options.caller
        found.append(Trace("trace", "trace", "--db", "OUT/run.db", "--no-io", "--no-tcp", "--no-net", "--", caller, "one", "OUT/log",
                           library, "--calls", str(CALLS), points=0.25, out=""))
    return [one for one in found if not options.only or options.only in one.name]


def points_of(calls, most, name):
    """Numbers of calls: the first ones, the others evenly spread with a place of their own in each part."""
    if calls <= most:
        return list(range(1, calls + 1))
    first = most // 3
    pick, part = random.Random(name), (calls - first) / (most - first)
    return list(range(1, first + 1)) + [min(calls, first + 1 + int(i * part + pick.random() * part)) for i in range(most - first)]


def main():
    parser = argparse.ArgumentParser(description="Faults by the thousand.")
    parser.add_argument("ingero")
    parser.add_argument("library")
    parser.add_argument("make_recording")
    parser.add_argument("--points", type=int, default=90, help="of each command and kind of call, at most")
    parser.add_argument("--short", action="store_true", help="some 200 points, without servers, check and traces")
    parser.add_argument("--only", help="commands with this word in their name")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--caller", nargs=2)
    parser.add_argument("--keep", help="a file for each point that went wrong, as JSON lines")
    options = parser.parse_args()
    for name in ("ingero", "library", "make_recording"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    if options.caller:
        options.caller = [os.path.abspath(options.caller[0]), os.path.abspath(glob.glob(os.path.join(options.caller[1], "libcudart.so.*"))[0])]
    table, wrong, began = collections.defaultdict(collections.Counter), [], time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        faults = Faults(options, folder)
        for command in commands(faults, options):
            if options.short and isinstance(command, (Served, Trace)) or options.short and command.name == "check":
                continue
            for kind in [options.kind] if options.kind else KINDS:
                with tempfile.TemporaryDirectory(dir=folder) as place:
                    status, out, errors, calls = faults.run(command, f"{kind}:0", place)
                    if isinstance(status, int) and status > 3 or status is None or status < 0:
                        sys.exit(f"{command.name} fails without a fault: {status} {errors.decode()}")
                    reference = command.answer(place, out)
                    if command.judge(place, status, out, errors, reference) != "same":
                        sys.exit(f"{command.name} is not judged well without a fault: {status} {errors.decode()}")
                most = max(2, int((5 if options.short else options.points) * command.points))
                todo = points_of(calls, most, command.name + kind)
                faulty = [f"{kind}:{number}{'+' if i % 2 else ''}" for i, number in enumerate(todo)]
                is_alone = isinstance(command, Trace) or command.name == "check"
                with concurrent.futures.ThreadPoolExecutor(1 if is_alone else 2) as pool:
                    for fault, (what, told) in zip(faulty, pool.map(
                            lambda fault, command=command, reference=reference: faults.verdict(command, fault, reference), faulty)):
                        table[kind][what] += 1
                        if what in BAD:
                            wrong.append({"command": command.name, "fault": fault, "what": what, "told": told})
                            print(f"{what}: {command.name} {fault}: {told}", file=sys.stderr, flush=True)
            if not options.short:
                print(f"{command.name}: {sum(sum(one.values()) for one in table.values())} points so far, {len(wrong)} wrong, "
                      f"{time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)
    if options.keep:
        with open(options.keep, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(one) + "\n" for one in wrong)
    columns = ("points",) + GOOD + BAD
    print("call          " + "".join(f"{name:>10}" for name in columns))
    for kind in [*(kind for kind in KINDS if kind in table), "all"]:
        counted = table[kind] if kind != "all" else sum(table.values(), collections.Counter())
        print(f"{kind:<14}" + "".join(f"{sum(counted.values()) if name == 'points' else counted[name]:10}" for name in columns))
    print(f"{time.monotonic() - began:.0f} s; same: the answer is the same as without the fault")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
