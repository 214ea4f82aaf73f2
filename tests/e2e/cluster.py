"""The cluster's server and the nodes that send to it: two real traces on one machine as two nodes, one job of eight ranks
in one communicator, four on each, and rank 5 slow by a known time from a known step on. The traces are there before the
ranks, or come when these are at work.

What the server stores is held against what each rank says it called, and what it names against what was planted.
"""
import collections
import contextlib
import json
import os
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import threading
import time
import urllib.request

from harness import LIMIT, SLOW, Program, Trace, check, json_lines, say, until

RANKS, A_NODE = 8, 4
SLOW_RANK, SLOW_MS, WORK_MS, COLLECTIVE_MS = 5, 290, 250, 5
PERIOD_NS = 5_000_000_000
SENT_WITHIN_S = 0.5  # of a window's end
TOKEN = "a-token-of-the-end-to-end-tests-01234567"


class Server:
    """A running `ingero fleet serve` on loopback."""

    def __init__(self, build):
        self.database = build.path("cluster.db")
        self.token = build.path("token")
        with open(self.token, "w", encoding="utf-8") as file:
            file.write(TOKEN)
        os.chmod(self.token, 0o600)
        self.errors = build.path("server.err")
        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                [build.agent, "fleet", "serve", "--db", self.database, "--insecure-no-tls", "--token-file", self.token,
                 "--http-listen", "127.0.0.1:0", "--grpc-listen", "127.0.0.1:0", "--api-listen", "127.0.0.1:0"],
                stdin=subprocess.DEVNULL, stderr=errors)

    def __enter__(self):
        def listening():
            check(self.process.poll() is None, f"the server ended: {self.text()}")
            return re.findall(r"http://127\.0\.0\.1:(\d+)", self.text())
        self.otlp, self.api = until(listening, 20, "the server listens")
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def text(self):
        with open(self.errors, encoding="utf-8") as file:
            return file.read()

    def ask(self, tool, **given):
        request = urllib.request.Request(f"http://127.0.0.1:{self.api}/api/v1/tools/{tool}", json.dumps(given).encode(),
                                         {"Authorization": "Bearer " + TOKEN, "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)

    def rows(self, sql):
        database = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=10)
        try:
            database.row_factory = sqlite3.Row
            return database.execute(sql).fetchall()
        finally:
            database.close()


class Relay:
    """Hands on what one node sends to the server, and keeps when each part of it came, in wall time."""

    def __init__(self, port):
        self.to, self.times = int(port), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self.accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        with contextlib.suppress(OSError):  # it was closed
            while True:
                node, server = self.listener.accept()[0], socket.create_connection(("127.0.0.1", self.to))
                threading.Thread(target=self.pump, args=(node, server, self.times), daemon=True).start()
                threading.Thread(target=self.pump, args=(server, node, []), daemon=True).start()

    @staticmethod
    def pump(source, target, times):
        with contextlib.suppress(OSError):  # the other end is gone
            while data := source.recv(1 << 16):
                times.append(time.time_ns())
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def delays_s(self, from_ns, to_ns):
        """Of each window that ended within: from its end until something came."""
        ends = range(-(-from_ns // PERIOD_NS) * PERIOD_NS, to_ns - PERIOD_NS, PERIOD_NS)
        return [min((at - end for at in self.times if at >= end), default=PERIOD_NS) / 1e9 for end in ends]


def command_of(build, number, collectives, **planted):
    """Starts the ranks of a node, and ends with them."""
    # Before what else the machine does: a rank that waits for a CPU is slow for that, and rightly said to be.
    command = ["nice", "-n", "-15", os.path.join(build.fakes, "node_ranks"), "--collectives", collectives,
               "--runtime", build.stand_in("plain", "libcudart.so.13")[0], "--first", str(number * A_NODE),
               "--count", str(A_NODE), "--ranks", str(RANKS), "--log", build.path("calls"),
               "--start", build.path("start"), "--work-ms", str(WORK_MS)]
    for name, value in planted.items():
        command += ["--" + name.replace("_", "-"), str(value)]
    return command


def node_trace(build, server, number, *options, port=None, **given):
    """A trace, as a node of its own. `port`: where it sends to, if not to the server itself."""
    # One is named by its flag, and one by the file.
    name = ("--node", "node-0") if number == 0 else ()
    with open(build.path("ingero.yaml"), "w", encoding="utf-8") as file:
        file.write("agent:\n  node: node-1\n")
    os.environ["INGERO_CONFIG"] = build.path("ingero.yaml")
    # Where there are devices: the first one, which is not throttled.
    os.environ.update(CUDA_VISIBLE_DEVICES="GPU-00000000-1111-2222-3333-444444444444", INGERO_FAKE_NVML="cool")
    try:
        return Trace(build, "--fleet-endpoint", f"http://127.0.0.1:{port or server.otlp}", "--fleet-cluster-id", "lab",
                     "--fleet-token-file", server.token, *name, *options, name=f"node-{number}", **given)
    finally:
        for name in ("INGERO_CONFIG", "CUDA_VISIBLE_DEVICES", "INGERO_FAKE_NVML"):
            del os.environ[name]


def node(build, server, number, *options, port=None, **planted):
    """A trace of the command that starts the node's ranks."""
    return node_trace(build, server, number, *options, port=port,
                      command=command_of(build, number, build.stand_in("plain", "libnccl.so.2")[0], **planted))


def devices_of(build):
    """Flags by which a node has the stand-in's devices; its ranks work on the first."""
    return "--management-library", os.path.join(build.fakes, "devices/libnvidia-ml.so.1"), "--device-interval", "1s"


def begin(build):
    """Lets all ranks begin together, right after a window's begin; returns when, in wall time."""
    wall_offset_ns = time.time_ns() - time.monotonic_ns()
    start_ns = (time.time_ns() // PERIOD_NS + 1) * PERIOD_NS + 200_000_000
    with open(build.path("start.new"), "w", encoding="utf-8") as file:
        file.write(str(start_ns - wall_offset_ns))
    os.rename(build.path("start.new"), build.path("start"))
    return start_ns


def steps_until(seconds):
    return int(seconds * 1000 / (WORK_MS + COLLECTIVE_MS))


def check_totals(build, server, wall_offset_ns):
    """Collectives and bytes of every rank and window, as the server has them and as the ranks say."""
    stored = collections.defaultdict(dict)
    for row in server.rows("SELECT rank, start_ns, bytes, last_entered AS entered FROM windows"):
        stored[row["rank"]][row["start_ns"]] = row
    check(sorted(stored) == list(range(RANKS)), f"windows of ranks {sorted(stored)}")
    collectives = 0
    for rank in range(RANKS):
        calls = [line for line in json_lines(build.path(f"calls.{rank}")) if line["call"] == "ncclAllReduce"]
        windows = stored[rank]
        total = sum(row["bytes"] for row in windows.values())
        check(total == sum(call["bytes"] for call in calls), f"rank {rank}: {total} bytes of {len(calls)} calls")
        last = max(row["entered"] for row in windows.values())
        check(last == len(calls), f"rank {rank} has entered {last} of {len(calls)} collectives")
        for start_ns, row in windows.items():
            def is_before(edge_ns):
                """How many began before it; a call on the edge may be on either side."""
                early = sum(call["end_ns"] + wall_offset_ns < edge_ns for call in calls)
                return range(early, 1 + sum(call["start_ns"] + wall_offset_ns < edge_ns for call in calls))
            check(row["entered"] in is_before(start_ns + PERIOD_NS),
                  f"rank {rank}: {row['entered']} entered by {start_ns + PERIOD_NS}, not {is_before(start_ns + PERIOD_NS)}")
            here = [late - early for late in is_before(start_ns + PERIOD_NS) for early in is_before(start_ns)]
            check(row["bytes"] in [count * calls[0]["bytes"] for count in here],
                  f"rank {rank}: {row['bytes']} bytes in the window of {start_ns}, not {here} calls")
        collectives += len(calls)
    return collectives


def check_arrivals(build, server, wall_offset_ns):
    """A sample that all ranks choose alike: the same collectives of each, entered when the rank says it called, and left by none
    before all had entered."""
    of_number = collections.defaultdict(dict)
    for row in server.rows("SELECT rank, number, entered_ns, left_ns, bytes FROM arrivals"):
        of_number[row["number"]][row["rank"]] = row
    calls = {rank: [line for line in json_lines(build.path(f"calls.{rank}")) if line["call"] == "ncclAllReduce"]
             for rank in range(RANKS)}
    windows = server.rows("SELECT count(DISTINCT start_ns) AS count FROM windows WHERE last_entered IS NOT NULL")[0]["count"]
    whole = 0
    for number, ranks in of_number.items():
        whole += len(ranks) == RANKS
        for rank, row in ranks.items():
            call = calls[rank][number - 1]
            check(call["start_ns"] <= row["entered_ns"] - wall_offset_ns + 1_000_000 and
                  row["entered_ns"] - wall_offset_ns <= call["end_ns"] + 1_000_000 and row["bytes"] == call["bytes"],
                  f"collective {number} of rank {rank}: {dict(row)}, not {call}")
        left = [row["left_ns"] for row in ranks.values()]
        if len(ranks) == RANKS and all(left):
            check(min(left) >= max(row["entered_ns"] for row in ranks.values()) - 1_000_000,
                  f"collective {number} was left before all had entered it: {[dict(row) for row in ranks.values()]}")
    check(len(of_number) >= 2 * windows, f"{len(of_number)} collectives in {windows} windows")
    check(whole >= 0.8 * len(of_number), f"{whole} of {len(of_number)} collectives have all ranks")
    most = server.rows("SELECT max(count) AS most FROM (SELECT count(*) AS count FROM arrivals GROUP BY rank, entered_ns / 5000000000)")[0]
    check(most["most"] <= 10, f"{most['most']} arrivals of a rank and window")
    return len(of_number)


def check_devices(server):
    """Of each rank and window the state of its device, as the stand-in has it."""
    rows = server.rows("SELECT d.*, n.node_id FROM device_states d JOIN nodes n ON n.id = d.node")
    check({row["rank"] for row in rows} == set(range(RANKS)), f"devices of ranks {sorted({row['rank'] for row in rows})}")
    for row in rows:
        check(row["hw_id"].startswith("GPU-00000000-1111") and row["utilization_ratio"] == 0.87 and row["power_watts"] == 650.5 and
              row["temperature_celsius"] == 71 and row["sm_clock_hertz"] in (1.1e9, 1.5e9) and
              row["throttle_reasons"] in (0, 1 + 2 + 4 + 8), f"{dict(row)}")
    return rows


def check_incidents(server, traces):
    """Causal chains of high severity are there; how many, for a busy machine makes some of its own."""
    sent = collections.defaultdict(dict)
    for row in server.rows("SELECT node_id, rank, attrs FROM events "
                           "WHERE metric_name = 'ingero.causal_chain' ORDER BY timestamp_ns"):
        sent[row["node_id"]][json.loads(row["attrs"])["causal_chain_id"]] = row
    count = 0
    for number, trace in enumerate(traces):
        for chain in trace.recording.rows("SELECT * FROM causal_chains WHERE severity IN ('HIGH', 'CRITICAL')"):
            got = sent[f"node-{number}"].get(chain["id"])
            check(got is not None and got["rank"] == chain["rank"], f"{chain['id']} is not among {dict(sent)}")
            count += 1
    return count


def check_named(found, incidents):
    """The slow rank and no other, with its cause and those that it delayed: (what was named, its lateness in ms)."""
    check([one["rank"] for one in found] == [SLOW_RANK], f"named: {found}")
    check({one["rank"] for one in incidents} == {SLOW_RANK}, f"incidents: {incidents}")
    named = found[0]
    check(named["node_id"] == f"node-{SLOW_RANK // A_NODE}" and named["class"] == "input", f"{named}")
    lateness_ms = 1000 * named["lateness_s_per_step"]
    check(abs(lateness_ms - SLOW_MS) <= 10, f"late by {lateness_ms} ms, and {SLOW_MS} were planted")
    check(sorted(named["delayed"]) == [rank for rank in range(RANKS) if rank != SLOW_RANK], f"{named}")
    return named, lateness_ms


def ASlowRankOfTwoNodesIsNamed(build):
    # In the time before it the server learns what is usual; a job of eight ranks needs that.
    quiet_s, slow_s = 60, 60
    quiet = steps_until(quiet_s)
    slow = int(slow_s * 1000 / (WORK_MS + SLOW_MS + COLLECTIVE_MS))
    # It is slow because it reads from the disk.
    with open(build.path("data"), "wb") as file:
        file.write(os.urandom(4 << 20))
        file.flush()
        os.fsync(file.fileno())
    planted = {"steps": quiet + slow, "slow": SLOW_RANK, "slow_ms": SLOW_MS, "slow_from": quiet,
               "read": build.path("data")}
    wall_offset_ns = time.time_ns() - time.monotonic_ns()
    with Server(build) as server, Relay(server.otlp) as relay, \
            node(build, server, 0, *devices_of(build), port=relay.port, **planted) as first, \
            node(build, server, 1, *devices_of(build), **planted) as second:
        until(lambda: sum(trace.stdout().count("ready") for trace in (first, second)) == RANKS, 60, "all ranks are ready")
        start_ns = begin(build)
        slow_ns = start_ns + quiet * (WORK_MS + COLLECTIVE_MS) * 1_000_000

        def outliers():
            check(first.process.poll() is None and second.process.poll() is None,
                  f"a trace ended: {first.stderr().decode(errors='replace')[-1500:]}")
            time.sleep(0.5)
            return server.ask("fleet.cluster.find_outlier_nodes", cluster_id="lab")["outliers"]

        found = until(outliers, (quiet_s + slow_s) / SLOW + 10, "a rank is named")
        named_s = time.time() - slow_ns / 1e9
        check(named_s > 0, f"named before it was slow: {found}")
        delays = relay.delays_s(start_ns + PERIOD_NS, time.time_ns())
        check(len(delays) >= 10 and statistics.median(delays) <= SENT_WITHIN_S, f"sent so long after a window's end: {delays}")
        for trace in (first, second):
            check(trace.wait(LIMIT) == 0, trace.stderr().decode(errors="replace")[-2000:])
        answer = server.ask("fleet.cluster.incidents", cluster_id="lab")
        incidents = answer["incidents"]
        named, lateness_ms = check_named(found, incidents)
        # Both nodes are this machine: what they measured of its clock is nothing, within what they say.
        clocks = {one["node_id"]: one for one in server.ask("fleet.cluster.clocks", cluster_id="lab")["clocks"]}
        check(sorted(clocks) == ["node-0", "node-1"], f"clocks: {clocks}")
        for one in clocks.values():
            check(abs(one["offset_ns"]) <= one["within_ns"] + 1_000_000 and one["within_ns"] < 1_000_000_000, f"clock: {one}")
        difference = server.ask("fleet.cluster.clocks", cluster_id="lab", node_id="node-0")["differences"][0]
        check(difference["node_id"] == "node-1" and abs(difference["difference_ns"]) <= difference["within_ns"] + 5_000_000 and
              difference["by"] in ("both", "messages"), f"clocks of the two: {difference}")
        collectives = check_totals(build, server, wall_offset_ns)
        arrivals = check_arrivals(build, server, wall_offset_ns)
        check(len(check_devices(server)) >= RANKS * 10, "few states of devices")
        incidents_sent = check_incidents(server, (first, second))
    losses = {name: count for trace in (first, second) for name, count in trace.recording.losses().items()
              if name.startswith("fleet_")}
    check(losses == {} or not any(losses.values()), f"losses: {losses}")
    say(collectives=collectives, arrivals=arrivals, incidents_sent=incidents_sent, named_after_s=round(named_s, 1), lateness_ms=round(lateness_ms, 2),
        sent_after_s=[round(of(delays), 3) for of in (statistics.median, max)],
        effect=named["effect"], confidence=named["confidence"],
        clocks_within_ms=[round(one["within_ns"] / 1e6, 2) for one in clocks.values()])


def ARankThatDoesNotComeIsNamed(build):
    """Seven of eight ranks wait in a collective for ever: who has not entered it, and on which node; then it is killed."""
    hang_at, hang_after_s, window_s = 40, 10, 5
    planted = {"steps": hang_at + 10, "slow": SLOW_RANK, "hang_at": hang_at}
    with Server(build) as server, node(build, server, 0, *devices_of(build), **planted) as first, \
            node(build, server, 1, *devices_of(build), **planted) as second:
        until(lambda: sum(trace.stdout().count("ready") for trace in (first, second)) == RANKS, 60, "all ranks are ready")
        hang_ns = begin(build) + hang_at * (WORK_MS + COLLECTIVE_MS) * 1_000_000

        def hangs():
            time.sleep(0.2)
            return server.ask("fleet.cluster.hangs", cluster_id="lab")["hangs"]

        found = until(hangs, 60 + hang_after_s, "the hang is named")
        named_s = time.time() - hang_ns / 1e9
        # Two windows: the one in which it began, and that whose end shows that it lasted.
        limit_s = hang_after_s + 10 + 2 * window_s * SLOW
        check(hang_after_s <= named_s <= limit_s, f"named after {named_s:.1f} s")
        check(len(found) == 1, f"hangs: {found}")
        evidence = found[0]["evidence"]
        check([rank["rank"] for rank in evidence["ranks"]] == [SLOW_RANK], f"{evidence}")
        check(evidence["ranks"][0]["node_id"] == f"node-{SLOW_RANK // A_NODE}", f"{evidence}")
        check(found[0]["kind"] == "missing_enter" and evidence["waiting_ranks"] == RANKS - 1, f"{evidence}")
        check(evidence["number"] == hang_at + 1, f"it waits in collective {evidence['number']}, not in {hang_at + 1}")
        check(not server.ask("fleet.cluster.find_outlier_nodes", cluster_id="lab")["outliers"], "a rank is called slow")
        found = subprocess.run(["pgrep", "-f", "--", f"--log {build.path('calls')} .*--rank {SLOW_RANK}$"], capture_output=True, text=True, check=False)
        # Where it is: in its process, asleep in the function that works, after the wait for the last collective.
        at = until(lambda: [one for one in hangs()[0]["evidence"]["ranks"] if one["activity"]], 20 * SLOW, "it is known what it is doing")[0]
        check(at["pid"] == int(found.stdout) and at["hw_id"].startswith("GPU-"), f"where it is: {at}")
        check(at["activity"] == "asleep" and at["last_call"] == "cudaStreamSynchronize", f"what it is doing: {at}")
        check("node_ranks" in at["line"] and any("node_ranks" in frame for frame in at["stack"]), f"its line and stack: {at}")
        # It is killed: why it does not come is known.
        os.kill(int(found.stdout), signal.SIGKILL)
        gone = until(lambda: [one for one in hangs() if one["kind"] == "process_gone"], 20 * SLOW, "the killed rank is named")
        check([rank["rank"] for rank in gone[0]["evidence"]["ranks"]] == [SLOW_RANK], f"{gone}")
        for trace in (first, second):
            trace.stop()
        subprocess.run(["pkill", "-KILL", "-f", "--", f"--log {build.path('calls')} "], check=False)  # they would wait on
    say(named_after_s=round(named_s, 1), sentence=evidence.get("sentence"))


def ARankOfAJobOlderThanItsTracesIsNamed(build):
    """Both traces come when the ranks are at work, one after the other: identity, rank and number are the library's."""
    quiet_s, slow_s = 75, 60
    quiet = steps_until(quiet_s)
    planted = {"steps": quiet + int(slow_s * 1000 / (WORK_MS + SLOW_MS + COLLECTIVE_MS)), "slow": SLOW_RANK, "slow_ms": SLOW_MS,
               "slow_from": quiet, "read": build.path("data")}
    with open(build.path("data"), "wb") as file:
        file.write(os.urandom(4 << 20))
        file.flush()
        os.fsync(file.fileno())
    library = os.path.join(build.fakes, "live", "libnccl.so.2")
    with Server(build) as server, contextlib.ExitStack() as running:
        nodes = [running.enter_context(Program(build, *command_of(build, number, library, **planted), name=f"ranks-{number}", hold=False))
                 for number in (0, 1)]

        def are_ready():
            return sum(open(one.lines_path, encoding="utf-8").read().count("ready") for one in nodes) == RANKS

        until(are_ready, 20, "all ranks are ready")
        slow_ns = begin(build) + quiet * (WORK_MS + COLLECTIVE_MS) * 1_000_000
        time.sleep(2)
        traces = []
        for number, one in enumerate(nodes):
            traces.append(running.enter_context(node_trace(build, server, number, *devices_of(build), "--pid", str(one.process.pid))))
            time.sleep(3)  # as two are never started together

        def outliers():
            for one in (*nodes, *traces):
                check(one.process.poll() is None, f"it ended: {server.ask('fleet.cluster.run_analysis', cluster_id='lab')['sentences']}")
            time.sleep(0.5)
            return server.ask("fleet.cluster.find_outlier_nodes", cluster_id="lab")["outliers"]

        found = until(outliers, (quiet_s + slow_s) / SLOW + 10, "a rank is named")
        named_s = time.time() - slow_ns / 1e9
        check(named_s > 0, f"named before it was slow: {found}")
        for one in nodes:
            one.end()
        for trace in traces:
            trace.stop()
        incidents = server.ask("fleet.cluster.incidents", cluster_id="lab")["incidents"]
        named, lateness_ms = check_named(found, incidents)
        # One communicator, by what its library calls it, and its numbers are those of the ranks' own calls.
        known = server.rows("SELECT count(DISTINCT comm_id_hash) AS communicators, min(nranks) AS nranks FROM windows")[0]
        check((known["communicators"], known["nranks"]) == (1, RANKS), f"{dict(known)}")
        for rank in range(RANKS):
            calls = sum(line["call"] == "ncclAllReduce" for line in json_lines(build.path(f"calls.{rank}")))
            last = server.rows(f"SELECT max(last_entered) AS entered FROM windows WHERE rank = {rank}")[0]["entered"]
            check(last == calls, f"rank {rank} has entered {last} of {calls} collectives")
    say(named_after_s=round(named_s, 1), lateness_ms=round(lateness_ms, 2), effect=named["effect"], confidence=named["confidence"])


def AHangOfAJobWithoutNumbersIsNamed(build):
    """Both traces come when the ranks are at work, of a library that keeps no count: which collective of one rank is which of
    another's is found by what they are, their order and time, and said to be."""
    hang_at = steps_until(55)
    planted = {"steps": hang_at + 10, "slow": SLOW_RANK, "hang_at": hang_at}
    library = os.path.join(build.fakes, "live_old", "libnccl.so.2")
    with Server(build) as server, contextlib.ExitStack() as running:
        nodes = [running.enter_context(Program(build, *command_of(build, number, library, **planted), name=f"ranks-{number}", hold=False))
                 for number in (0, 1)]
        until(lambda: sum(open(one.lines_path, encoding="utf-8").read().count("ready") for one in nodes) == RANKS, 20, "all ranks are ready")
        hang_ns = begin(build) + hang_at * (WORK_MS + COLLECTIVE_MS) * 1_000_000
        traces = []
        for number, one in enumerate(nodes):
            time.sleep(2)
            traces.append(running.enter_context(node_trace(build, server, number, "--pid", str(one.process.pid))))

        def hangs():
            time.sleep(0.2)
            return server.ask("fleet.cluster.hangs", cluster_id="lab")["hangs"]

        try:
            found = until(hangs, 110, "the hang is named")
            named_s = time.time() - hang_ns / 1e9
            check(named_s > 0, f"named before: {found}")
            evidence = found[0]["evidence"]
            check(len(found) == 1 and found[0]["kind"] == "missing_enter", f"hangs: {found}")
            check([rank["rank"] for rank in evidence["ranks"]] == [SLOW_RANK], f"{evidence}")
            check(evidence["waiting_ranks"] == RANKS - 1 and evidence["not_observed_ranks"] == 0, f"{evidence}")
            check(evidence["is_matched"] and abs(found[0]["confidence"] - 0.95 / 2) < 1e-6, f"{found}")
            counted = server.rows("SELECT count(*) AS windows FROM windows WHERE last_entered IS NOT NULL")[0]["windows"]
            check(counted == 0, f"{counted} windows have numbers that no library gave")
            for trace in traces:
                trace.stop()
        finally:
            subprocess.run(["pkill", "-KILL", "-f", "--", f"--log {build.path('calls')} "], check=False)  # they would wait on
    say(named_after_s=round(named_s, 1), sentence=evidence["sentence"])


def push(build, server, trace, cluster):
    return subprocess.Popen([build.agent, "fleet-push", "--db", trace.recording.path, "--fleet-endpoint", f"http://127.0.0.1:{server.otlp}",
                             "--fleet-cluster-id", cluster, "--fleet-token-file", server.token], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def windows_of(server, cluster):
    """By node, begin, rank and communicator; numbers as the server has them."""
    rows = [dict(row) for row in server.rows("SELECT w.*, n.node_id FROM windows w JOIN nodes n ON n.id = w.node "
                                             f"WHERE n.cluster_id = '{cluster}'")]
    for row in rows:
        del row["node"]
    return {(row["node_id"], row["start_ns"], row["rank"], row["comm_id_hash"]): row for row in rows}


def ASlowDeviceThatDelaysAllRanksIsNamed(build):
    """Every collective takes longer, so that all ranks wait alike and none is late: the device that its state tells apart."""
    quiet_s, slow_s, more_ms = 90, 70, 100
    quiet, slow = steps_until(quiet_s), int(slow_s * 1000 / (WORK_MS + COLLECTIVE_MS + more_ms))
    planted = {"steps": quiet + slow, "slow_from": quiet, "device_ms": more_ms}
    hot = build.path("hot")
    with Server(build) as server, contextlib.ExitStack() as nodes:
        traces = []
        for number in (0, 1):
            if number == 1:
                os.environ["INGERO_FAKE_NVML_HOT"] = hot
            try:
                traces.append(nodes.enter_context(node(build, server, number, *devices_of(build), **planted)))
            finally:
                os.environ.pop("INGERO_FAKE_NVML_HOT", None)
        until(lambda: sum(trace.stdout().count("ready") for trace in traces) == RANKS, 60, "all ranks are ready")
        slow_ns = begin(build) + quiet * (WORK_MS + COLLECTIVE_MS) * 1_000_000

        def outliers():
            if any(trace.process.poll() is not None for trace in traces):
                check(False, f"a trace ended: {server.ask('fleet.cluster.run_analysis', cluster_id='lab')['sentences']}")
            if time.time_ns() >= slow_ns and not os.path.exists(hot):
                with open(hot, "w", encoding="utf-8"):
                    pass
            time.sleep(0.5)
            return [one for one in server.ask("fleet.cluster.find_outlier_nodes", cluster_id="lab")["outliers"] if one["rank"] is not None]

        found = until(outliers, (quiet_s + slow_s) / SLOW + 10, "a device is named")
        named_s = time.time() - slow_ns / 1e9
        check(named_s > 0, f"named before it was slow: {found}")
        said = server.ask("fleet.cluster.run_analysis", cluster_id="lab")["sentences"][0]
        for trace in traces:
            trace.stop()
        check(len(found) == 1 and found[0]["kind"] == "slow_job" and found[0]["class"] == "device", f"{found}")
        named = found[0]
        check(named["node_id"] == "node-1" and named["evidence"]["device"]["ranks"] == [4, 5, 6, 7], f"{named}")
        check(1.1e9 <= named["evidence"]["device"]["clock_hertz"] < 1.4e9 and named["confidence"] <= 0.8, f"{named}")
        check(abs(1000 * named["lateness_s_per_step"] - more_ms) <= 30, f"{named}")
        incidents = server.ask("fleet.cluster.incidents", cluster_id="lab")["incidents"]
        check([one["kind"] for one in incidents] == ["slow_job"], f"incidents: {incidents}")
    say(named_after_s=round(named_s, 1), lateness_ms=round(1000 * named["lateness_s_per_step"], 1), confidence=named["confidence"], sentence=said)


def arrivals_of(server, cluster, nodes):
    """By node, rank and number: when it was entered and left, what, and how much."""
    return {(row["node_id"], row["rank"], row["number"]): (row["entered_ns"], row["left_ns"], row["op_type"], row["bytes"])
            for row in server.rows("SELECT n.node_id, a.* FROM arrivals a JOIN nodes n ON n.id = a.node "
                                   f"WHERE n.cluster_id = '{cluster}'") if row["node_id"] in nodes}


def alike(sent, pushed):
    """The same arrival, but for what the clock's offset changed by."""
    if sent[2:] != pushed[2:] or (sent[1] is None) != (pushed[1] is None):
        return False
    return all(one is None or abs(one - other) <= 1_000_000 for one, other in zip(sent[:2], pushed[:2]))


def states_of(server, cluster, node):
    return {(row["start_ns"], row["rank"]): tuple(row)[4:] for row in server.rows(
        f"SELECT d.* FROM device_states d JOIN nodes n ON n.id = d.node WHERE n.cluster_id = '{cluster}' AND n.node_id = '{node}'")}


def APushedRecordingIsWhatItsTraceSent(build):
    """What two traces send themselves, what is sent from their recordings afterwards, and what is sent from one meanwhile."""
    planted = {"steps": steps_until(27), "slow": SLOW_RANK, "slow_ms": SLOW_MS, "slow_from": steps_until(12)}
    with Server(build) as server, node(build, server, 0, *devices_of(build), **planted) as first, \
            node(build, server, 1, *devices_of(build), **planted) as second:
        until(lambda: sum(trace.stdout().count("ready") for trace in (first, second)) == RANKS, 60, "all ranks are ready")
        live = push(build, server, second, "live")
        begin(build)
        for trace in (first, second):
            check(trace.wait(LIMIT) == 0, trace.stderr().decode(errors="replace")[-2000:])
        pushes = [live] + [push(build, server, trace, "pushed") for trace in (first, second)]
        for one in pushes:
            said = one.communicate(timeout=LIMIT)[1]
            check(one.returncode == 0, said)
        sent = windows_of(server, "lab")
        check(len(sent) >= RANKS * 5, f"{len(sent)} windows")
        measured = sum(row["collectives"] for row in sent.values())
        check(measured >= 0.7 * RANKS * planted["steps"], f"{measured} collectives with their own work")
        for cluster, wanted in (("pushed", sent), ("live", {key: row for key, row in sent.items() if key[0] == "node-1"})):
            found = windows_of(server, cluster)
            check(sorted(found) == sorted(wanted), f"{cluster}: only sent {sorted(set(wanted) - set(found))}, only pushed {sorted(set(found) - set(wanted))}")
            differ = [(key, {name: (value, found[key][name]) for name, value in row.items() if found[key][name] != value})
                      for key, row in wanted.items() if found[key] != row]
            check(not differ, f"{cluster}: {len(differ)} of {len(wanted)} windows differ: {differ[:5]}")
            wanted, found = (arrivals_of(server, one, {key[0] for key in wanted}) for one in ("lab", cluster))
            check(sorted(found) == sorted(wanted) and wanted, f"{cluster}: arrivals: {sorted(set(found) ^ set(wanted))[:5]}")
            # The recording has its clock's offset once a second.
            differ = [(key, row, found[key]) for key, row in wanted.items() if not alike(row, found[key])]
            check(not differ, f"{cluster}: {len(differ)} of {len(wanted)} arrivals differ: {differ[:5]}")
            wanted, found = (states_of(server, one, "node-1") for one in ("lab", cluster))
            check(len(wanted) >= 4 * A_NODE and len(found) >= len(wanted) - A_NODE and set(found.values()) == set(wanted.values()),
                  f"{cluster}: devices {found}, sent {wanted}")
        # A trace sends each state of an incident; the recording has what became of it.
        incidents = {cluster: {json.loads(row["attrs"])["causal_chain_id"] for row in server.rows(
            f"SELECT attrs FROM events WHERE metric_name = 'ingero.causal_chain' AND cluster_id = '{cluster}'")} for cluster in ("lab", "pushed")}
        stored = {chain["id"] for trace in (first, second)
                  for chain in trace.recording.rows("SELECT id FROM causal_chains WHERE severity IN ('HIGH', 'CRITICAL')")}
        check(incidents["pushed"] == stored and stored <= incidents["lab"], f"stored {stored}, sent {incidents}")
    say(windows=len(sent), collectives=measured, incidents=len(incidents["lab"]))


TESTS = (ASlowRankOfTwoNodesIsNamed, ARankOfAJobOlderThanItsTracesIsNamed, AHangOfAJobWithoutNumbersIsNamed, ASlowDeviceThatDelaysAllRanksIsNamed, ARankThatDoesNotComeIsNamed, APushedRecordingIsWhatItsTraceSent)
SHARED = TESTS
