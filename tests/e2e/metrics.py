"""Metrics as Prometheus itself sees them: scraped by the real server, linted, queried by every panel and rule we ship."""
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import trees
from harness import Trace, check, run, say, tool, until

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = os.path.join(REPOSITORY, "deploy")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def get(url, **headers):
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as answer:
        return answer.read().decode()


def series_of(page):
    """{name: {labels: value}}; a series that comes twice is a failure, which promtool does not report."""
    found = {}
    for line in page.splitlines():
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r'([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)', line)
        check(match, f"not a sample: {line!r}")
        labels = tuple(sorted(re.findall(r'(\w+)="((?:[^"\\]|\\.)*)"', match.group(2) or "")))
        check(labels not in found.setdefault(match.group(1), {}), f"twice: {line}")
        found[match.group(1)][labels] = float(match.group(3))
    return found


def value(series, name, **labels):
    wanted = set(labels.items())
    return sum(number for key, number in series.get(name, {}).items() if wanted <= set(key))


def lint(page):
    done = subprocess.run([tool("promtool"), "check", "metrics"], input=page, capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, f"promtool: {done.returncode} {done.stdout}{done.stderr}")
    for name in {line.split(" ")[2] for line in page.splitlines() if line.startswith("# TYPE")}:
        check(re.search(rf"^# HELP {name} \S", page, re.MULTILINE), f"{name} has no HELP")


@contextlib.contextmanager
def prometheus(build, target):
    """The real server, scraping `target` each second with the shipped rules."""
    folder = build.path("prometheus")
    os.makedirs(folder)
    with open(os.path.join(DEPLOY, "prometheus/prometheus.yml"), encoding="utf-8") as file:
        config = file.read()
    config = config.replace("127.0.0.1:9090", target).replace("15s", "1s").replace("10s", "1s")
    config = config.replace("ingero_rules.yml", os.path.join(DEPLOY, "prometheus/ingero_rules.yml"))
    with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
        file.write(config)
    port = free_port()
    with open(os.path.join(folder, "log"), "wb") as log:
        process = subprocess.Popen([tool("prometheus"), f"--config.file={folder}/prometheus.yml",
                                    f"--storage.tsdb.path={folder}/data", f"--web.listen-address=127.0.0.1:{port}"],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        def ready():
            try:
                return get(f"http://127.0.0.1:{port}/-/ready")
            except OSError:
                return None
        until(ready, 30, "Prometheus is ready")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def ask(server, expression):
    answer = json.loads(get(f"{server}/api/v1/query?{urllib.parse.urlencode({'query': expression})}"))
    check(answer["status"] == "success", f"{expression}: {answer}")
    return answer["data"]["result"]


def panel_queries():
    with open(os.path.join(DEPLOY, "grafana/ingero.json"), encoding="utf-8") as file:
        dashboard = json.load(file)
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            expression = target["expr"].replace("$__rate_interval", "10s").replace("$instance", ".*")
            yield panel["title"], expression


@contextlib.contextmanager
def traced_calls(build, *options, calls=4000):
    """A trace with metrics while a program makes calls the stand-ins count; yields the page's URL."""
    address = f"127.0.0.1:{free_port()}"
    library = build.stand_in(pattern="libcudart.so*")[0]
    log = build.path("calls")
    with Trace(build, "--prometheus", address, *options,
               command=[build.ground_truth, "--library", library, "--log", log, "--calls", str(calls), "--processes", "2",
                        "--threads", "2", "--linger-ms", "25000"]) as trace:
        yield trace, f"http://{address}/metrics"


def ThePageIsCleanAndCountsWhatTheRecordingHolds(build):
    tool("promtool")
    with traced_calls(build, "--prometheus-probe-cost", "--sysfs-root", trees.fabric(build.path("sys"))) as (trace, url):
        def counted():
            series = series_of(get(url))
            return series if value(series, "gpu_operations_total") >= 4000 else None
        series = until(counted, 60, "the page counts 4000 calls")
        page = get(url)
        lint(page)
        series = series_of(page)
        until(lambda: trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'") >= 4000, 20,
              "the recording holds the calls")
        rows = trace.recording.rows("SELECT call, vendor, count(*) AS n, sum(failed) AS failed, sum(duration) AS ns, "
                                    "count(CASE WHEN outcome = 'returned' THEN duration END) AS timed "
                                    "FROM events WHERE kind <> 'host' GROUP BY 1, 2")
        for row in rows:
            labels = {"operation": row["call"], "vendor": row["vendor"]}
            check(value(series, "gpu_operations_total", **labels) == row["n"], f"{tuple(row)}: count")
            check(value(series, "gpu_operation_errors_total", **labels) == (row["failed"] or 0), f"{tuple(row)}: errors")
            check(value(series, "gpu_operation_duration_seconds_count", **labels) == row["timed"], f"{tuple(row)}: timed")
            seconds = value(series, "gpu_operation_duration_seconds_sum", **labels)
            check(abs(seconds - (row["ns"] or 0) / 1e9) <= 1e-9 + 1e-5 * seconds, f"{tuple(row)}: {seconds} s")
        copied = {}
        for row in trace.recording.rows("SELECT direction, bytes FROM events WHERE kind = 'memcpy' AND outcome = 'returned' "
                                        "AND NOT failed AND bytes IS NOT NULL AND coalesce(parent_call, '') NOT LIKE "
                                        "'%emcpy%'"):
            direction = row["direction"] or "unknown"
            copied[direction] = copied.get(direction, 0) + row["bytes"] % 2**64  # random sizes use all 64 bits
        check(copied, "nothing was copied")
        for direction, total in copied.items():
            shown = value(series, "gpu_memcpy_bytes_total", direction=direction)
            check(abs(shown - total) <= 1e-9 * total, f"{direction}: {shown} bytes, recorded {total}")
        check(value(series, "ingero_rdma_port_rcv_errors", rdma_device="mlx5_0", rdma_port="1",
                    rdma_transport="InfiniBand") == 3, "port_rcv_errors")
        check(value(series, "ingero_rdma_port_xmit_data_bytes", rdma_device="mlx5_0") == 4000, "data words are not bytes")
        named = {label for name in series if name.startswith("ingero_rdma") for key in series[name] for label, _ in key}
        check(not named & {"pid", "qpn", "gid", "qp_num"}, f"labels of fabric metrics: {named}")
        runs = value(series, "ingero_probe_program_runs_total", program="on_call")
        seconds = value(series, "ingero_probe_program_seconds_total", program="on_call")
        check(runs >= 4000 and 0 < seconds / runs < 1e-3, f"{runs} runs of the probe's program took {seconds} s")
        say(ns_a_run=round(seconds / runs * 1e9), series=sum(len(found) for found in series.values()), names=len(series), calls=len(rows))


STEPS = """
import ctypes, sys, time
library = ctypes.CDLL(sys.argv[1])
until = time.monotonic() + 12
while time.monotonic() < until:
    for _ in range(4):
        library.cudaLaunchKernel(ctypes.c_void_p(1), 1, 1, 1, 1, None, ctypes.c_size_t(0), None)
    library.cudaDeviceSynchronize()
    time.sleep(0.01)
"""


def WhereTheTimeWentIsOnThePage(build):
    """While the program runs the page has the budget that the recording holds; most of the time it slept."""
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-c", STEPS, os.path.join(build.timed, "libcudart.so.12")]
    with Trace(build, "--prometheus", address, command=command) as trace:
        def agreed():
            page = series_of(get(f"http://{address}/metrics"))
            rows = trace.recording.rows("SELECT pid, class, sum(ns) AS ns, sum(low) AS low FROM budget GROUP BY 1, 2")
            for row in rows:
                labels = {"pid": str(row["pid"]), "class": row["class"]}
                for name, more, ns in (("ingero_thread_time_seconds_total", {}, row["ns"]),
                                       ("ingero_thread_time_lost_seconds_total", {"bound": "low"}, row["low"])):
                    if abs(value(page, name, **labels, **more) - ns / 1e9) > 1e-6 * (1 + ns / 1e9):
                        return None  # a second is committed and counted at about the same time: asked between the two
            return (page, rows) if sum(row["ns"] for row in rows) > 3e9 else None
        page, rows = until(agreed, 30, "the page has three seconds of the budget, as the recording does")
        times = {row["class"]: row["ns"] / 1e9 for row in rows}
        steps, slow = (value(page, "ingero_steps_total", slow=slow) for slow in ("false", "true"))
        mean = value(page, "ingero_step_seconds_total") / (steps + slow)
        say(times=times, steps=steps, slow=slow, mean=mean)
        check(times["sleep"] > 0.7 * sum(times.values()), f"it slept most of the time: {times}")
        lost = value(page, "ingero_thread_time_lost_seconds_total", bound="low", **{"class": "sleep"})
        check(lost > 0.9 * times["sleep"], f"the device had nothing to do meanwhile: {lost} of {times['sleep']} s")
        check(steps >= 100 and 0.01 < mean < 0.05, f"{steps} steps of {mean} s, {slow} slow ones")
        asked = {name for _, expression in panel_queries() for name in re.findall(r"ingero_(?:thread|step)\w+", expression)}
        check(asked and asked <= set(page), f"panels ask for what is not served: {asked - set(page)}")


def ARealPrometheusScrapesItAndEveryPanelHasItsQuery(build):
    tool("prometheus")
    library = os.path.join(build.fakes, "devices/libnvidia-ml.so.1")
    with traced_calls(build, "--sysfs-root", trees.fabric(build.path("sys")), "--rdma-interval", "1s",
                      "--management-library", library, "--device-interval", "1s", calls=20000) as (_, url):
        target = url.split("/")[2]
        with prometheus(build, target) as server:
            until(lambda: ask(server, "up == 1"), 40, "Prometheus has scraped the agent")
            until(lambda: ask(server, "sum(gpu_operations_total) > 1000"), 40, "calls have been scraped")
            until(lambda: ask(server, "count_over_time(up[1m]) >= 4"), 40, "four scrapes")
            empty = []
            for title, expression in panel_queries():
                if not ask(server, expression):
                    empty.append(f"{title}: {expression}")
            rules = json.loads(get(f"{server}/api/v1/rules"))["data"]["groups"]
            bad = [rule["name"] for group in rules for rule in group["rules"] if rule["health"] == "err"]
            check(rules and not bad, f"rules that fail: {bad}")
            targets = json.loads(get(f"{server}/api/v1/targets"))["data"]["activeTargets"]
            check(targets[0]["health"] == "up" and not targets[0]["lastError"], f"{targets}")
            say(panels=len(list(panel_queries())), empty=empty, rules=sum(len(group["rules"]) for group in rules))
            # What did not happen: no call is in flight, fails at this moment, and no driver wrote an error.
            may_be_empty = ("Errors per second", "Calls in flight", "Driver errors, last hour",
                            # of programs that wait for events of an adapter: verbs.py
                            "Asynchronous events per minute",
                            # of programs that make collectives: collectives.py
                            "Collectives per second", "Waited for, 99th", "Last to come", "Hanging now",
                            # of programs that work for seconds: WhereTheTimeWentIsOnThePage
                            "Threads that submit GPU work", "Lost: ", "Time of a step, mean", "Steps far above",
                            # of programs that serve models: inference.py
                            "Steps per second by phase", "Slow steps per second", "Time of a step", "Usual time of a step",
                            "Time to the first token", "Tokens per second")
            wrong = [line for line in empty if not line.startswith(may_be_empty)]
            check(not wrong, f"panels without data: {wrong}")


def RulesFireOnTheirCasesOnly(build):
    tool("promtool")
    folder = os.path.join(DEPLOY, "prometheus")
    done = run(tool("promtool"), "test", "rules", "ingero_rules_test.yml", cwd=folder)
    check("SUCCESS" in done.stdout, done.stdout)
    with open(os.path.join(folder, "ingero_rules.yml"), encoding="utf-8") as file:
        alerts = re.findall(r"alert: (\w+)", file.read())
    with open(os.path.join(folder, "ingero_rules_test.yml"), encoding="utf-8") as file:
        fired = set(re.findall(r"alertname: (\w+)\n", file.read()))
    check(len(alerts) >= 10 and set(alerts) == fired, f"alerts without a test: {set(alerts) ^ fired}")


def SecretsAndBadAddressesAreRefused(build):
    secret = build.path("secret")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("bearer open-sesame\n")
    os.chmod(secret, 0o600)
    address = f"127.0.0.1:{free_port()}"
    with Trace(build, "--prometheus", address, "--prometheus-auth", secret, record=False) as trace:
        url = f"http://{address}/metrics"
        try:
            get(url)
            check(False, "answered without the secret")
        except urllib.error.HTTPError as error:
            check(error.code == 401, f"status {error.code}")
        check("ingero_build_info" in get(url, Authorization="Bearer open-sesame"), "the secret does not open")
        done = run(build.agent, "trace", "--no-record", "--prometheus", address, "--duration", "1s", good=None)
        check(done.returncode != 0 and "in use" in done.stderr, f"{done.returncode}: {done.stderr}")
        trace.stop()


def DevicesAndTheirErrorsAreInRecordingAndMetrics(build):
    """A stand-in of the vendor's library, and a driver's line in a log that is a pipe."""
    library = os.path.join(build.fakes, "devices/libnvidia-ml.so.1")
    log = build.path("kmsg")
    os.mkfifo(log)
    address = f"127.0.0.1:{free_port()}"
    with Trace(build, "--prometheus", address, "--management-library", library, "--device-interval", "200ms",
               "--kernel-log", log, "--sysfs-root", build.path("nothing")) as trace:
        writer = os.open(log, os.O_WRONLY)
        stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        os.write(writer, f"4,7,{stamp},-;NVRM: Xid (PCI:0000:3b:00): 79, pid=4242, name=train, GPU has fallen off "
                         "the bus.\n".encode())
        url = f"http://{address}/metrics"
        until(lambda: value(series_of(get(url)), "gpu_device_errors_total") == 1, 20, "the Xid is counted")
        page = get(url)
        lint(page)
        series = series_of(page)
        first = {"gpu_uuid": "GPU-00000000-1111-2222-3333-444444444444"}
        for name, wanted in (("gpu_utilization_ratio", 0.87), ("gpu_memory_used_bytes", 19e9), ("gpu_power_watts", 650.5),
                             ("gpu_throttle_power_active", 1), ("gpu_throttle_thermal_active", 1),
                             ("gpu_memory_fragmentation_estimate", 1e9 / 80e9)):
            check(abs(value(series, name, **first) - wanted) < 1e-9 * wanted, f"{name}: {series.get(name)}")
        check(value(series, "gpu_memory_process_allocated_bytes", pid="4242", **first) == 1e6, "process memory")
        check(value(series, "gpu_throttle_power_event_total") == 1, "one rising edge")
        second = "GPU-10000000-1111-2222-3333-444444444444"
        named = {name for name, found in series.items() for key in found if ("gpu_uuid", second) in key}
        check(named == {"gpu_info"}, f"a device that supports nothing has {named}")
        os.close(writer)
        trace.stop()
    recording = trace.recording
    row = recording.rows("SELECT * FROM device_errors")[0]
    check((row["kind"], row["code"], row["pci_address"], row["pid"]) == ("Xid", 79, "0000:3b:00.0", 4242), f"{tuple(row)}")
    event = recording.rows("SELECT * FROM events WHERE op_name = 'device_error'")
    check(len(event) == 1 and event[0]["arg0"] == 79 and event[0]["pid"] == 4242 and event[0]["kind"] == "host",
          f"{[tuple(one) for one in event]}")
    check(abs(event[0]["timestamp"] - row["timestamp"]) < 50_000_000, "event and row at one time")
    check(recording.one("SELECT count(*) FROM devices") == 4, "three devices and a partition")
    check(recording.one("SELECT value FROM device_samples WHERE name = 'power_watts' LIMIT 1") == 650.5, "power")


def ADriverThatHangsHoldsUpNothingElse(build):
    library = os.path.join(build.fakes, "devices/libnvidia-ml.so.1")
    address = f"127.0.0.1:{free_port()}"
    os.environ["INGERO_FAKE_NVML"] = "hang"
    try:
        with Trace(build, "--prometheus", address, "--management-library", library, "--rdma-interval", "200ms",
                   "--sysfs-root", trees.fabric(build.path("sys"))) as trace:
            until(lambda: value(series_of(get(f"http://{address}/metrics")), "ingero_rdma_devices") == 7, 10,
                  "adapters are read while the devices' driver hangs")
            took = trace.stop()
    finally:
        del os.environ["INGERO_FAKE_NVML"]
    say(stop_seconds=round(took, 1))
    check(took < 10, f"the end of the trace took {took} s")
    check(trace.recording.one("SELECT count(*) FROM fabric_samples") > 50, "no samples were recorded")


TESTS = (ADriverThatHangsHoldsUpNothingElse, DevicesAndTheirErrorsAreInRecordingAndMetrics, ThePageIsCleanAndCountsWhatTheRecordingHolds, WhereTheTimeWentIsOnThePage,
         ARealPrometheusScrapesItAndEveryPanelHasItsQuery,
         RulesFireOnTheirCasesOnly, SecretsAndBadAddressesAreRefused)
SHARED = (ThePageIsCleanAndCountsWhatTheRecordingHolds, WhereTheTimeWentIsOnThePage, ARealPrometheusScrapesItAndEveryPanelHasItsQuery)
