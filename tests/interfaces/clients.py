"""Clients of every interface, from the standard library: MCP over stdio and over HTTPS, the HTTP API, the command line."""
import atexit
import concurrent.futures
import contextlib
import functools
import glob
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import time
import unittest
import urllib.parse

SAMPLES = ("pytorch-dataloader-starvation", "sample-cluster", "sample-gpu-node-01", "sample-gpu-node-02", "sample-gpu-node-03")
TOKEN = "a-token-of-the-tests-0123456789"
# A sanitizer keeps what was freed, and its programs need several times the memory: bounds of memory then prove nothing.
SANITIZED = "INGERO_SANITIZED" in os.environ
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


# Of the protocol's conformance suite, what holds for every server; the others want tools and prompts of certain names.
CONFORMANCE_SCENARIOS = ("server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "dns-rebinding-protection")


def assert_memory_below(test, used, bound):
    if not SANITIZED:
        test.assertLess(used, bound)


def cases_of(suite):
    for one in suite:
        yield from cases_of(one) if isinstance(one, unittest.TestSuite) else (one,)


def run_side_by_side(at_once=4):
    """unittest.main() for tests that share nothing and wait most of their time: several at a time, each reported when it ends."""
    loader, module = unittest.TestLoader(), sys.modules["__main__"]
    suite = loader.loadTestsFromNames(sys.argv[1:], module) if sys.argv[1:] else loader.loadTestsFromModule(module)

    def run(case):
        begin, result = time.monotonic(), unittest.TestResult()
        case.run(result)
        wrong = [text for _, text in result.failures + result.errors] + [f"{one}: unexpected success" for one in result.unexpectedSuccesses]
        skipped = "".join(f" skipped: {reason}" for _, reason in result.skipped)
        print(f"{'FAIL' if wrong else 'ok'} {time.monotonic() - begin:5.1f} s {case.id()}{skipped}", *wrong, sep="\n", flush=True)
        return not wrong

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        passed = list(pool.map(run, cases_of(suite)))
    if not passed:
        sys.exit("no test of that name")
    sys.exit(0 if all(passed) else 1)


def sample_folder():
    here = os.path.dirname(os.path.abspath(__file__))
    return os.environ.get("INGERO_SAMPLES") or os.path.join(os.path.dirname(os.path.dirname(here)), "..", "shared", "data")


def a_question_of_each_tool(ask):
    """[(tool, input)] of every tool there is; `ask` gives the chain whose evidence is asked for, where there is one."""
    chains = ask("get_causal_chains", {})["chains"]
    return [
        ("get_trace_stats", {}), ("get_causal_chains", {}), ("get_chain_evidence", {"id": chains[0]["id"] if chains else "none"}),
        ("get_slowest_calls", {"limit": 5}), ("get_calls_in_flight", {}), ("compare", {"before": {}, "after": {"since": "20s"}}),
        ("get_time_spent", {}), ("get_collectives", {}), ("get_inference", {}), ("get_stacks", {}), ("graph_lifecycle", {"pid": 1}), ("graph_frequency", {"pid": 1}),
        ("get_memory", {"bins": 50}), ("get_distributions", {}), ("get_timeline", {"bins": 200}), ("get_fabric", {}),
        ("get_devices", {}), ("run_sql", {"query": "SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2 ORDER BY 3 DESC"}),
        ("get_check", {}), ("run_demo", {"scenario": "incident"}), ("get_test_report", {})]


def timeless(answer):
    """Without what a clock says."""
    if isinstance(answer, dict) and "meta" in answer:
        answer = dict(answer, meta={key: value for key, value in answer["meta"].items() if key != "duration_ms"})
    if isinstance(answer, dict) and "checks" in answer:  # of a machine where programs come and go
        backends = [dict(one, libraries=[dict(library, files=None) for library in one["libraries"]]) for one in answer["backends"]]
        cut = [re.sub(r"\d+", "N", one) for one in answer["cut"]]  # counts rows of libraries that programs have mapped
        answer = dict(answer, backends=backends, libraries=None, checks=[one["name"] for one in answer["checks"]], cut=cut)
    if isinstance(answer, dict) and "scenario" in answer:  # a demonstration's calls are made as of now
        answer = json.loads(re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{16,}", "0", json.dumps(answer)))
    return answer


def fits(schema, value, where="", root=None):
    """JSON Schema, as far as the description uses it."""
    if "$ref" in schema:
        return fits(root["components"]["schemas"][schema["$ref"].split("/")[-1]], value, where, root)
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    types = schema.get("type", [])
    for kind in [types] if isinstance(types, str) else types:
        if kind == "integer" and isinstance(value, int) and not isinstance(value, bool):
            break
        if kind == "number" and isinstance(value, (int, float)) and not isinstance(value, bool):
            break
        if kind in kinds and isinstance(value, kinds[kind]):
            break
    else:
        assert not types, f"{where}: {value!r:.80} is no {types}"
    if isinstance(value, dict):
        for name in schema.get("required", []):
            assert name in value, f"{where}.{name} is missing"
        for name, part in schema.get("properties", {}).items():
            if name in value:
                fits(part, value[name], f"{where}.{name}", root)
    if isinstance(value, list) and "items" in schema:
        for item in value:
            fits(schema["items"], item, where + "[]", root)
    return True


def version_of(node):
    return int(subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout[1:].split(".")[0])


def official_parts():
    """(node, node_modules) of the official clients of the Model Context Protocol below INGERO_PARTS, or why not."""
    folder = os.environ.get("INGERO_PARTS")
    if not folder:
        return None, "INGERO_PARTS names no folder with the official clients"
    found = glob.glob(os.path.join(folder, "**/node_modules/@modelcontextprotocol/inspector"), recursive=True)
    if not found:
        return None, f"no @modelcontextprotocol/inspector below {folder}"
    modules = os.path.dirname(os.path.dirname(found[0]))
    for package in ("sdk", "client", "conformance"):
        if not os.path.isdir(os.path.join(modules, "@modelcontextprotocol", package)):
            return None, f"no @modelcontextprotocol/{package} in {modules}"
    for node in [shutil.which("node")] + glob.glob(os.path.join(folder, "**/bin/node"), recursive=True):
        if node is not None and version_of(node) >= 22:
            return (node, modules), None
    return None, f"no node 22 or newer on the path or below {folder}"


class Refused(Exception):
    """An answer that is an error: its class and its sentence."""


def started(command, **options):
    """The process; it does not outlive this one, whatever fails."""
    process = subprocess.Popen(command, **options)

    def end():
        if process.poll() is None:
            process.kill()
            process.wait()

    atexit.register(end)
    return process


@contextlib.contextmanager
def fork_server(server, folder, *first):
    """fork_server.cc, which runs the command line `first`, and then each that its client is given (fork_client.c)."""
    path = os.path.join(folder, "socket")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(path)
        listening.listen()
        # What the server has allocated lives on in its forks: leaks are not looked for. A report names the last few callers of
        # what allocated and freed: all of them, kept for each block, are a tenth of the time.
        given = os.environ.get("ASAN_OPTIONS", "")
        options = dict(os.environ, ASAN_OPTIONS="malloc_context_size=4:" + given + ":detect_leaks=0")
        process = started([server, *first], stdin=listening, stdout=subprocess.DEVNULL, env=options)
    os.environ["FORK_SERVER"] = path
    try:
        yield process
    finally:
        del os.environ["FORK_SERVER"]
        process.kill()
        process.wait()


class Series:
    """Commands by way of fork_server.cc, one after the other in one process of it: what starting each would take is saved."""

    def __init__(self, seconds):
        self.seconds = seconds
        self.connection = None
        self.variables = b"".join(f"{name}={value}".encode() + b"\0" for name, value in os.environ.items())

    def run(self, *arguments, given=b""):
        """As subprocess.run() has it; its standard input is a pipe with `given`, of at most 64 KiB."""
        if self.connection is None:
            self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            self.connection.settimeout(self.seconds)
            self.connection.connect(os.environ["FORK_SERVER"])
            self.connection.recv(4)  # the process's id
        read_end, write_end = os.pipe()
        os.write(write_end, given)
        os.close(write_end)
        out, errors = (os.memfd_create(name) for name in ("out", "errors"))
        try:
            words = b"".join(word.encode() + b"\0" for word in ("ingero", *arguments))
            count = (len(arguments) + 1) | 1 << 31  # others may follow
            socket.send_fds(self.connection, [count.to_bytes(4, sys.byteorder) + words + self.variables], [read_end, out, errors])
            try:
                ended = self.connection.recv(8)
            except TimeoutError:
                self.close()
                raise subprocess.TimeoutExpired(arguments, self.seconds) from None
            if len(ended) != 8:  # of the process's end
                self.close()
            status = os.waitstatus_to_exitcode(int.from_bytes(ended[:4], sys.byteorder))
            return subprocess.CompletedProcess(arguments, status, *(os.pread(fd, os.fstat(fd).st_size, 0) for fd in (out, errors)))
        finally:
            for fd in (read_end, out, errors):
                os.close(fd)

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


class Stdio:
    """ingero mcp over standard input and output."""

    def __init__(self, ingero, database, *more):
        self.process = started([ingero, "mcp", "--db", database, *more], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "test", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        return json.loads(self.process.stdout.readline())

    def request(self, method, params=None):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}})
        while True:
            message = self.receive()
            if message.get("id") == self.number:
                return message

    def ask(self, tool, given):
        return tool_answer(self.request("tools/call", {"name": tool, "arguments": given}))

    def close(self):
        self.process.stdin.close()
        os.set_blocking(self.process.stdout.fileno(), True)
        while self.process.stdout.read(1 << 16):
            pass
        self.process.stdout.close()
        return self.process.wait(30)


def tool_answer(message):
    """What a tool said, checked to be the same in text and structure."""
    if "error" in message:
        raise Refused(message["error"]["code"], message["error"]["message"])
    result = message["result"]
    if result["isError"]:
        raise Refused(*result["content"][0]["text"].split(": ", 1))
    assert result["content"][0]["text"].endswith("[traced-data]") and result["content"][2]["text"] == "[/traced-data]"
    result["said"] = json.loads(result["content"][1]["text"])
    return result


@functools.lru_cache
def unverified():
    """A certificate that is valid for one day and known to no client."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Server:
    """A command that listens; its address is what it says on standard error."""

    def __init__(self, ingero, *arguments, token=TOKEN):
        environment = dict(os.environ)
        environment.pop("INGERO_TOKEN", None)
        if token:
            environment["INGERO_TOKEN"] = token
        self.token = token
        self.process = started([ingero, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        self.said = self.process.stderr.readline().decode()
        found = re.search(r"(https?)://([^,\s]+)", self.said)
        if not found:
            raise RuntimeError(f"it does not listen: {self.said}{self.process.stderr.read().decode()}")
        self.address = urllib.parse.urlsplit(found.group(0))
        self.connection = None

    def connect(self, timeout=60):
        if self.address.scheme == "http":
            return http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=timeout)
        return http.client.HTTPSConnection(self.address.hostname, self.address.port, timeout=timeout, context=unverified())

    def send(self, method, path, body=None, headers=None):
        """(status, headers, body)"""
        given = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        if body is not None:
            given["Content-Type"] = "application/json"
        given.update(headers or {})
        for attempt in (1, 2):
            if self.connection is None:
                self.connection = self.connect()
            try:
                self.connection.request(method, path, body, {k: v for k, v in given.items() if v is not None})
                answer = self.connection.getresponse()
                return answer.status, dict(answer.getheaders()), answer.read()
            except (http.client.RemoteDisconnected, ConnectionError, ssl.SSLEOFError, http.client.CannotSendRequest):
                self.connection.close()
                self.connection = None
                if attempt == 2:
                    raise
        return None

    @contextlib.contextmanager
    def bare(self):
        """A connection of its own, for bytes as they are."""
        with socket.create_connection((self.address.hostname, self.address.port), timeout=30) as plain:
            with unverified().wrap_socket(plain) if self.address.scheme == "https" else plain as channel:
                yield channel

    def json(self, method, path, body=None, headers=None):
        status, _, text = self.send(method, path, None if body is None else json.dumps(body), headers)
        return status, json.loads(text)

    def rss_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(30)
        self.process.stderr.close()
        return status


class Https(Server):
    """ingero mcp --http."""

    def __init__(self, ingero, database, *more, token=TOKEN):
        super().__init__(ingero, "mcp", "--db", database, "--http", "127.0.0.1:0", *more, token=token)

    def request(self, method, params=None):
        _, answer = self.json("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}},
                              {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"})
        return answer

    def ask(self, tool, given):
        return tool_answer(self.request("tools/call", {"name": tool, "arguments": given}))


class Dashboard(Server):
    """ingero dashboard."""

    def __init__(self, ingero, database, *more, token=TOKEN):
        super().__init__(ingero, "dashboard", "--db", database, "--addr", "127.0.0.1:0", *more, token=token)

    def ask(self, tool, given):
        status, answer = self.json("POST", f"/api/v1/tools/{tool}", given)
        if status != 200:
            raise Refused(answer["class"], answer["error"])
        return answer


def ask(ingero, database, tool, given, *more):
    done = subprocess.run([ingero, "ask", tool, "--json", json.dumps(given), "--db", database, *more], capture_output=True,
                          check=False)
    if done.returncode != 0:
        raise Refused(re.search(r"\((\w+)\): ", done.stderr.decode()).group(1), done.stderr.decode())
    return json.loads(done.stdout)
