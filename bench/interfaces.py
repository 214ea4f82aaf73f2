#!/usr/bin/env python3
"""How long answers take: 500 calls, four at a time, at each interface; and while a trace writes 200,000 events a second.

  interfaces.py BUILD [--calls=500] [--rate=200000] [--seconds=20] [--pause=0.5] [--only=quiet|live] [--recording=FILE] [--directory=DIR]

The first part asks FILE (the largest published sample): each tool the same over and over, then all of them what was not
asked before. The second asks a recording that is being written; every call made must be a row of it, and the
writer must not have waited for a reader's lock (strace counts the agent's refused locks, and naps, which is how SQLite
waits for one).
"""
import argparse
import json
import os
import queue
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "interfaces"))
import clients  # noqa: E402

AT_ONCE = 4
BOUND_MS = 50
FLOODS = 3  # processes that make calls; each sleeps between bursts, as nothing that busy-waits would


def goal(what, value, bound, unit):
    holds = "holds" if value <= bound else "MISSED"
    print(f"{what:<64} {value:10.3f} {unit:<4} (at most {bound:g}) {holds}", flush=True)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def conditions(what):
    with open("/proc/loadavg", encoding="ascii") as file:
        print(f"\n== {what} (load {file.read().strip()})", flush=True)


def is_error(body):
    """Cheaper than reading a megabyte of JSON while something is measured."""
    return b'"isError":true' in body[-40:] or body.startswith((b'{"error"', b'{"jsonrpc":"2.0","id":1,"error"'))


class Pipelined:
    """MCP over standard input and output, several requests on their way."""

    def __init__(self, ingero, database):
        self.interface = clients.Stdio(ingero, database)
        self.lock, self.number, self.waiting = threading.Lock(), 10, {}
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        for line in self.interface.process.stdout:
            number = int(line[line.index(b'"id":') + 5:].split(b",", 1)[0])
            if number in self.waiting:
                self.waiting.pop(number).put(line)

    def caller(self):
        def call(tool, given):
            answer = queue.SimpleQueue()
            with self.lock:
                self.number += 1
                self.waiting[self.number] = answer
                self.interface.send({"jsonrpc": "2.0", "id": self.number, "method": "tools/call",
                                "params": {"name": tool, "arguments": given}})
            return answer.get()
        return call

    def close(self):
        self.interface.process.stdin.close()
        self.reader.join()
        self.interface.process.stdout.close()
        self.interface.process.wait(30)


class OverHttps:
    """A connection for each caller: MCP, or the API."""

    def __init__(self, server, path_of, body_of):
        self.server, self.path_of, self.body_of = server, path_of, body_of
        self.close = server.close

    def caller(self):
        connection = self.server.connect()
        headers = {"Authorization": f"Bearer {self.server.token}", "Content-Type": "application/json",
                   "MCP-Protocol-Version": "2025-11-25"}

        def call(tool, given):
            connection.request("POST", self.path_of(tool), json.dumps(self.body_of(tool, given)), headers)
            return connection.getresponse().read()
        return call


def interfaces(ingero, database):
    return {
        "MCP stdio": Pipelined(ingero, database),
        "MCP HTTPS": OverHttps(clients.Https(ingero, database, "--rate", "0"), lambda tool: "/mcp",
                               lambda tool, given: {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                                                    "params": {"name": tool, "arguments": given}}),
        "HTTP API": OverHttps(clients.Dashboard(ingero, database, "--rate", "0"), lambda tool: f"/api/v1/tools/{tool}",
                              lambda tool, given: given),
    }


def ask_all(interface, questions):
    """{tool: [milliseconds]}, from AT_ONCE callers; an answer that is an error ends the program."""
    todo, took, wrong = queue.SimpleQueue(), {}, []
    for question in questions:
        todo.put(question)

    def run():
        call = interface.caller()
        while not wrong:
            try:
                tool, given = todo.get_nowait()
            except queue.Empty:
                return
            begin = time.perf_counter()
            answer = call(tool, given)
            took.setdefault(tool, []).append((time.perf_counter() - begin) * 1e3)
            if is_error(answer):
                wrong.append(f"{tool} {given}: {answer[:500]!r}")

    threads = [threading.Thread(target=run) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        sys.exit(wrong[0])
    return took


def questions_of(ingero, database):
    """One of every tool that reads the recording."""
    each = clients.a_question_of_each_tool(lambda tool, given: clients.ask(ingero, database, tool, given))
    return [(tool, given) for tool, given in each if tool not in ("get_check", "run_demo", "get_test_report")
            and given.get("id") != "none"]


def no_two_alike(each, calls):
    """Questions of all tools in turns, none of which was asked before: no kept answer serves them."""
    for number in range(calls):
        tool, given = each[number % len(each)]
        if tool == "run_sql":
            yield tool, {"query": f"{given['query']} LIMIT {1000 + number}"}
        elif tool == "compare":
            yield tool, {"before": {}, "after": {"since": f"{20000 + number}ms"}}
        else:  # all there is, in other words
            yield tool, dict(given, since=f"{3600000 + number}ms")


def quiet(ingero, options):
    each = questions_of(ingero, options.recording)
    for what in ("of each tool", "of all tools in turns, no two alike"):
        conditions(f"{options.calls} calls {what}, {AT_ONCE} at a time: {os.path.basename(options.recording)}")
        for name, interface in interfaces(ingero, options.recording).items():
            took = {}
            if what == "of each tool":
                for question in each:
                    took.update(ask_all(interface, [question] * options.calls))
                worst = max(took, key=lambda tool: percentile(took[tool], 0.99))
                goal(f"{name}: p99 of {options.calls}, worst tool: {worst}", percentile(took[worst], 0.99), BOUND_MS, "ms")
            else:
                took = ask_all(interface, list(no_two_alike(each, options.calls)))
                every = [one for list_of_tool in took.values() for one in list_of_tool]
                goal(f"{name}: p99 of {len(every)} (median {percentile(every, 0.5):.2f}, longest {max(every):.1f})",
                     percentile(every, 0.99), BOUND_MS, "ms")
            interface.close()
            for tool, times in took.items():
                print(f"    {tool:<24} {len(times):4} median {percentile(times, 0.5):7.2f}  p99 {percentile(times, 0.99):7.2f} ms")


# --- while a trace writes

class Agent:
    """A trace of everything, under strace where that is installed; it stops the agent at locks and naps alone."""

    def __init__(self, ingero, database, folder):
        self.said, self.calls = os.path.join(folder, "said"), os.path.join(folder, "calls")
        self.stopped_at = 0
        command = [ingero, "trace", "--db", database, "--max-db", "0"]
        if shutil.which("strace"):
            command = ["strace", "-f", "-ttt", "--seccomp-bpf", "-e", "trace=fcntl,clock_nanosleep,nanosleep", "-o", self.calls] + command
        with open(self.said, "wb") as file:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT)
        while b"Ctrl-C ends it" not in (text := open(self.said, "rb").read()):
            if self.process.poll() is not None:
                sys.exit(text.decode())
            time.sleep(0.05)
        self.pid = self.process.pid
        if command[0] == "strace":
            with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
                self.pid = int(file.read().split()[0])

    def stop(self):
        self.stopped_at = time.time()
        os.kill(self.pid, signal.SIGINT)
        return self.process.wait(60)

    def waits(self):
        if not os.path.exists(self.calls):
            return "strace is not installed: not looked at"
        with open(self.calls, encoding="utf-8", errors="replace") as file:
            lines = [line for line in file if "F_SETLK" in line or "nanosleep(" in line]
        naps = [line for line in lines if "nanosleep(" in line]
        early = [line for line in naps if float(line.split()[1]) < self.stopped_at]
        refused = sum("EAGAIN" in line for line in lines)
        # A refused lock is not a wait: a checkpoint that readers hold up is tried again after a later commit.
        return (f"{len(lines) - len(naps)} locks asked for, {refused} refused; {len(early)} naps while it recorded, "
                f"{len(naps) - len(early)} to end")


# Every tool that reads the recording, and those that read its rows with a range too: all there is, and the end of it.
LIVE_QUESTIONS = [
    ("get_trace_stats", {}), ("get_trace_stats", {"since": "1h"}), ("get_causal_chains", {}), ("get_causal_chains", {"since": "1h"}),
    ("get_slowest_calls", {"limit": 10}), ("get_slowest_calls", {"since": "1h"}), ("get_calls_in_flight", {}),
    ("compare", {"before": {}, "after": {"since": "2s"}}), ("get_time_spent", {}), ("get_time_spent", {"since": "1h"}),
    ("get_collectives", {}), ("get_inference", {}), ("get_stacks", {}), ("get_stacks", {"since": "2s"}),
    ("graph_lifecycle", {"pid": 1}), ("graph_frequency", {"pid": 1}), ("get_memory", {}), ("get_memory", {"bins": 50, "since": "1h"}),
    ("get_distributions", {}), ("get_distributions", {"since": "1h"}), ("get_timeline", {"bins": 200}), ("get_timeline", {"since": "5s"}),
    ("get_fabric", {}), ("get_devices", {}),
    ("run_sql", {"query": "SELECT kind, count(*) FROM events WHERE seq > (SELECT max(last) FROM blocks) - 50000 GROUP BY 1"})]
LIVE_BOUND_MS = 1000
LIVE_PATHS = ["/api/v1/health", "/api/v1/overview", "/api/v1/ops", "/api/v1/chains", "/api/v1/snapshots?since=60s"]


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return sum(int(word) for word in file.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


def live(build, ingero, options, is_asked):
    if os.geteuid() != 0:
        print("the live part: skipped (probes need root)")
        return
    conditions(f"{'asked' if is_asked else 'not asked'} while {FLOODS} processes make {options.rate} calls a second for {options.seconds} s")
    with tempfile.TemporaryDirectory(dir=options.directory) as folder:
        database = os.path.join(folder, "live.db")
        each = options.rate // FLOODS
        floods = [subprocess.Popen([os.path.join(build, "bench/drain_bench"), "--calls", "--mixed", f"--rate={each}",
                                    f"--seconds={options.seconds}"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                  for _ in range(FLOODS)]
        for flood in floods:
            flood.stdout.readline()
        agent = Agent(ingero, database, folder)
        time.sleep(1)
        asked = interfaces(ingero, database) if is_asked else {}
        took, wrong, over = {}, [], threading.Event()
        after = []  # of the ended recording, which is then answered whole and not by its last rows

        def keep_asking(name, call, questions):
            number = 0
            while not over.is_set():
                tool, given = questions[number % len(questions)]
                number += 1
                begin = time.perf_counter()
                answer = call(tool, given)
                took_ms = (time.perf_counter() - begin) * 1e3
                if agent.stopped_at:
                    after.append(took_ms)
                else:
                    took.setdefault((name, tool + (" " + json.dumps(given) if given and tool != "run_sql" else "")), []).append(took_ms)
                if is_error(answer):
                    wrong.append(f"{name} {tool} {given}: {answer[:300]!r}")
                over.wait(options.pause)

        threads = [threading.Thread(target=keep_asking, args=(name, interface.caller(), LIVE_QUESTIONS)) for name, interface in asked.items()]
        if is_asked:
            server = asked["HTTP API"].server
            connection = server.connect()

            def get(path, _):
                connection.request("GET", path, headers={"Authorization": f"Bearer {server.token}"})
                return connection.getresponse().read()

            threads.append(threading.Thread(target=keep_asking, args=("HTTP API", get, [(path, None) for path in LIVE_PATHS])))
        for flood in floods:
            flood.stdin.write(b"\n")
            flood.stdin.flush()
        for thread in threads:
            thread.start()
        seconds, log_bytes = [], 0
        while any(flood.poll() is None for flood in floods):
            time.sleep(0.1)
            log_bytes = max(log_bytes, os.path.getsize(database + "-wal"))
        seconds = [float(flood.stdout.read()) for flood in floods]
        cpu = cpu_seconds(agent.pid)
        begin = time.perf_counter()
        status = agent.stop()  # while it is still being asked
        stopped = time.perf_counter() - begin
        over.set()
        for thread in threads:
            thread.join()
        for interface in asked.values():
            interface.close()
        made = FLOODS * each * options.seconds
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as recording:
            rows = recording.execute("SELECT count(*) FROM events WHERE library LIKE '%/bench/libcudart.so.12'").fetchone()[0]
            lost = dict(recording.execute("SELECT name, sum(count) FROM loss WHERE severity <> 'info' GROUP BY 1").fetchall())
        recording.close()
        print(f"  {made} calls in {max(seconds):.2f} s ({rows / max(seconds):.0f} events/s recorded, {cpu:.1f} s of the agent's CPU), {rows} rows, losses {lost}, agent's status {status}, "
              f"stopped in {stopped:.2f} s, the log at most {log_bytes >> 20} MiB")
        print(f"  the agent: {agent.waits()}")
        for sentence in wrong[:5]:
            print(f"  {sentence}")
        goal("events lost", made - rows, 0, "")
        if not is_asked:
            return
        goal("answers that were errors", len(wrong), 0, "")
        slow = max(took, key=lambda one: max(took[one]))
        goal(f"the slowest answer: {slow[1]}, {slow[0]}", max(took[slow]), LIVE_BOUND_MS, "ms")
        print(f"  answered after it was told to end: {len(after)}, longest {max(after, default=0):.1f} ms")
        for name in asked:
            every = [one for (interface, _), each in took.items() if interface == name for one in each]
            print(f"  {name:<12} {len(every):5} answers, median {percentile(every, 0.5):7.1f}, p99 {percentile(every, 0.99):7.1f}, "
                  f"longest {max(every):7.1f} ms")
        for tool in sorted({tool for _, tool in took}):
            every = [one for (_, asked_tool), each in took.items() if asked_tool == tool for one in each]
            print(f"    {tool:<28} {len(every):5} median {percentile(every, 0.5):7.1f}  longest {max(every):7.1f} ms")


def main():
    parser = argparse.ArgumentParser(description="How long answers take.")
    parser.add_argument("build")
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--rate", type=int, default=200000)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between a live client's questions; there are four")
    parser.add_argument("--only", choices=("quiet", "live"))
    parser.add_argument("--recording", default=os.path.join(clients.sample_folder(), clients.SAMPLES[0] + ".db"))
    parser.add_argument("--directory", default=".")
    options = parser.parse_args()
    ingero = os.path.join(options.build, "cli/ingero")
    if options.only != "live":
        if os.path.exists(options.recording):
            quiet(ingero, options)
        else:
            print("the published recordings are not here (set INGERO_SAMPLES): skipped")
    if options.only != "quiet":
        for is_asked in (False, True):
            live(options.build, ingero, options, is_asked)


if __name__ == "__main__":
    main()
