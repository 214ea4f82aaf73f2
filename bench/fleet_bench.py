#!/usr/bin/env python3
"""What a cluster's server takes: a job in real time over TLS, as many windows as it can take next to a bare loop, and
questions about an hour.

  fleet_bench.py BUILD [--ranks=21840] [--seconds=60] [--rounds=3] [--hour=700] [--only=load|saturated|hour] [--clickhouse]

Load: 13,100 windows a second, as 16,384 ranks of four communicators have. The simulated job has three: 21,840 ranks. `fleet
simulate --live` sends what their 2,730 nodes would, each over a TLS connection that it keeps, all of a window at once when it ends; meanwhile each tool is asked twice a second over TLS. The CPU is the server's alone (/proc/PID/stat).
Saturated: `fleet_load send` has its requests made beforehand and sends them over eight connections; the floor is
`fleet_load floor`, which decodes and inserts the same rows with the same durability, alone on the machine. In turns.
Hour: that many windows of 5 s of 2,048 ranks, eight of which are slow for a time, then find_outlier_nodes of the last hour.

With --clickhouse the server stores in a real clickhouse-server, whose CPU is not counted.

Prints a table: figure, bound, and whether it holds. Status 1 when one is missed. Standard library and openssl(1).
"""
import argparse
import contextlib
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "cluster"))
from clickhouse import ClickHouse  # noqa: E402
from server import TOKEN, UNLIMITED, Server, percentile  # noqa: E402

TOOLS = ("run_analysis", "find_outlier_nodes", "hangs", "incidents", "event_history")
TICKS = os.sysconf("SC_CLK_TCK")


class Measured(Server):
    def seconds_of(self, tool, **given):
        begin = time.monotonic()
        self.ask(tool, **given)
        return time.monotonic() - begin

    def cpu_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def peak_mib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read())[1]) / 1024


@contextlib.contextmanager
def serving(options, *flags, has_tls=False):
    """(server, its folder)"""
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as ends:
        store = ()
        if options.clickhouse:
            clickhouse = ClickHouse(os.path.join(folder, "clickhouse")).start()
            ends.callback(clickhouse.stop)
            store = ("--clickhouse", clickhouse.url("bench"), "--spool-dir", os.path.join(folder, "spool"))
        server = Measured(os.path.join(options.build, "cli/ingero"), folder, *flags, has_tls=has_tls, store=store)
        ends.callback(server.stop)
        yield server, folder


class Table:
    def __init__(self):
        self.missed = 0
        with open("/proc/loadavg", encoding="ascii") as file:
            print(f"load {file.read().strip()}, {os.cpu_count()} CPUs", flush=True)

    def goal(self, what, value, bound, unit, is_floor=False):
        holds = value >= bound if is_floor else value <= bound
        self.missed += not holds
        print(f"{what:<70} {value:10.3f} {unit:<8} (at {'least' if is_floor else 'most'} {bound:g}) {'holds' if holds else 'MISSED'}", flush=True)


def load(options, table):
    with serving(options, has_tls=True) as (server, folder):
        windows = max(3, options.seconds // 5)
        sender = subprocess.Popen(
            [os.path.join(options.build, "cli/ingero"), "fleet", "simulate", "--live", "--ranks", str(options.ranks), "--windows", str(windows),
             "--plan", "healthy", "--endpoint", f"https://127.0.0.1:{server.otlp}", "--fleet-tls-ca", os.path.join(folder, "c.pem"),
             "--token-file", os.path.join(folder, "token")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        begin, cpu, times = time.monotonic(), server.cpu_seconds(), {tool: [] for tool in TOOLS}
        while sender.poll() is None:
            for tool in TOOLS:
                times[tool].append(server.seconds_of(tool))
            time.sleep(0.5)
        took, cpu = time.monotonic() - begin, server.cpu_seconds() - cpu
        said, errors = sender.communicate()
        if sender.returncode != 0:
            sys.exit(f"fleet simulate: {errors}")
        print(f"load: {said.strip()}; {sum(map(len, times.values()))} questions in {took:.1f} s", flush=True)
        table.goal(f"{options.ranks} ranks in real time, TLS: CPU of the server", cpu / took, 0.5, "cores")
        table.goal("  most resident", server.peak_mib(), 512, "MiB")
        for tool in TOOLS:
            table.goal(f"  {tool}: p99 of {len(times[tool])} (median {1e3 * statistics.median(times[tool]):.1f})",
                       1e3 * percentile(times[tool], 0.99), 250, "ms")
        table.goal("  requests over the token's rates", sum(server.health()["received"]["over_quota"].values()), 0, "")
        received = server.ask("run_analysis")
        print(f"  not compared: {received['not_compared']}", flush=True)


def run_load(options, *arguments):
    done = subprocess.run([os.path.join(options.build, "bench/fleet_load"), *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"fleet_load: {done.stderr}")
    count, seconds, rate = done.stdout.split()
    return int(count), float(seconds), float(rate)


def saturated(options, table):
    floors, rates, cores = [], [], []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as folder:
            count, _, rate = run_load(options, "floor", os.path.join(folder, "f.db"), 2048, 60)
            floors.append(rate)
        with serving(options, *UNLIMITED) as (server, _):
            cpu = server.cpu_seconds()
            sent, seconds, rate = run_load(options, "send", server.otlp, TOKEN, 2048, 60)
            cores.append((server.cpu_seconds() - cpu) / seconds)
            rates.append(rate)
            if sent != count:
                sys.exit(f"{sent} windows were sent, {count} expected")
    print(f"saturated: server {' '.join(f'{rate:.0f}' for rate in rates)}, floor {' '.join(f'{rate:.0f}' for rate in floors)} windows a second; "
          f"the server had {statistics.median(cores):.2f} cores", flush=True)
    table.goal("saturated, of a bare loop that decodes and inserts the same", statistics.median(rates) / statistics.median(floors), 0.6, "", True)


def hour(options, table):
    with serving(options, *UNLIMITED) as (server, _):
        count, seconds, _ = run_load(options, "send", server.otlp, TOKEN, 2048, options.hour, "slow")
        answer = server.ask("find_outlier_nodes", since="1h")
        if not answer["outliers"] and not answer["ended"]:
            sys.exit("no slow rank was named in the hour")
        times = [server.seconds_of("find_outlier_nodes", since="1h") for _ in range(200)]
        print(f"hour: {count} windows of ranks in {seconds:.1f} s, {server.ask('run_analysis')['store']['bytes'] >> 20} MiB, "
              f"resident {server.peak_mib():.0f} MiB", flush=True)
        table.goal(f"find_outlier_nodes over an hour: p99 of {len(times)} (median {1e3 * statistics.median(times):.1f})",
                   1e3 * percentile(times, 0.99), 1000, "ms")


PARTS = {"load": load, "saturated": saturated, "hour": hour}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--ranks", type=int, default=21840)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--hour", type=int, default=700, help="windows; the server takes those of the last hour")
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--clickhouse", action="store_true")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    table = Table()
    for name, part in PARTS.items():
        if options.only in (None, name):
            part(options, table)
    return 1 if table.missed else 0


if __name__ == "__main__":
    sys.exit(main())
