"""The control path of the real libibverbs, driven without an adapter: the default versions fire, values are exact."""
import json
import sys

from harness import Skip, Trace, check, json_lines, run, say, until
from metrics import free_port, get, lint, series_of, value

NAMES = {8: "IBV_EVENT_DEVICE_FATAL", 9: "IBV_EVENT_PORT_ACTIVE", 10: "IBV_EVENT_PORT_ERR", 11: "IBV_EVENT_LID_CHANGE",
         1: "IBV_EVENT_QP_FATAL"}
ERRORS = ("IBV_EVENT_DEVICE_FATAL", "IBV_EVENT_PORT_ERR", "IBV_EVENT_QP_FATAL")


def AsynchronousEventsOfTheRealLibraryAreExact(build):
    program = build.program("verbs_events", "infiniband/verbs.h was not there to build the test program with")
    with Trace(build, command=[program, "40"], verbs=True) as trace:
        status = trace.wait()
        check(status == 0, f"the program ended with {status}: {trace.stdout()}{trace.stderr().decode(errors='replace')}")
    told = json_lines(trace.output)
    events = [line for line in told if line["call"] == "ibv_get_async_event"]
    rows = trace.recording.calls("call = 'ibv_get_async_event'")
    check(len(rows) == len(events) == 42, f"{len(rows)} rows of {len(events)} calls")
    for line, row in zip(events, rows):
        check(row["pid"] == line["pid"] and row["ret_code"] == line["returned"], f"{line}: {tuple(row)}")
        check(row["vendor"] == "rdma" and row["kind"] == "fabric" and bool(row["failed"]) == (line["returned"] != 0),
              f"{line}: {tuple(row)}")
        if line["returned"] != 0:
            check(row["flags"] is None and row["handle2"] is None, f"nothing was written: {tuple(row)}")
            continue
        check(row["flags"] == line["type"], f"type {row['flags']} instead of {line['type']}")
        if line["port"]:
            check(row["handle2"] & 0xffffffff == line["port"], f"port {row['handle2']} instead of {line['port']}")
    acknowledged = trace.recording.one("SELECT count(*) FROM events WHERE call = 'ibv_ack_async_event'")
    check(acknowledged == 41, f"{acknowledged} acknowledgements of 41")
    modified = trace.recording.calls("call = 'ibv_modify_qp'")
    check(len(modified) == 1 and modified[0]["handle2"] == 4242 and modified[0]["flags"] == 3 and
          modified[0]["ret_code"] == 0, f"queue pair 4242 to state 3: {[tuple(row) for row in modified]}")
    made = [(row["handle2"], row["flags"], row["failed"]) for row in trace.recording.calls("call = 'ibv_create_qp'")]
    check(made == [(777, 2, None), (None, 2, 1)], f"queue pair 777 of type 2, then none: {made}")
    queue = next(line for line in told if line["call"] == "srq")
    shared = [(row["call"], row["handle"], row["ret_code"], row["failed"])
              for row in trace.recording.calls("call LIKE '%srq'")]
    check(sorted(shared, key=str) == sorted([("ibv_create_srq", queue["pd"], None, None)] + [
        (f"ibv_{what}_srq", queue["srq"], code, 0) for what, code in zip(("modify", "query", "destroy"), queue["returned"])],
        key=str), f"{shared}, told {queue}")
    say(events=len(rows), library=rows[0]["library"], symbol=rows[0]["symbol"])


def EventTypesAreCountedAndNothingElseOfThem(build):
    program = build.program("verbs_events", "infiniband/verbs.h was not there to build the test program with")
    address = f"127.0.0.1:{free_port()}"
    with Trace(build, "--prometheus", address, "--sysfs-root", build.path("none"), verbs=True,
               command=["sh", "-c", '"$0" 40 && sleep 20', program]) as trace:
        url = f"http://{address}/metrics"
        until(lambda: value(series_of(get(url)), "ingero_rdma_async_event_total") >= 41, 20, "41 events are counted")
        page = get(url)
        lint(page)
        series = series_of(page)
        found = {dict(key)["rdma_event_type"]: (dict(key)["rdma_fabric_error"], number)
                 for key, number in series["ingero_rdma_async_event_total"].items()}
        check({name: entry for name, entry in found.items() if entry[1]} ==
              {name: (str(name in ERRORS).lower(), 1 if name == "IBV_EVENT_QP_FATAL" else 10) for name in NAMES.values()},
              f"{found}")
        labels = {label for key in series["ingero_rdma_async_event_total"] for label, _ in key}
        check(labels == {"rdma_event_type", "rdma_fabric_error"}, f"labels {labels}")
        trace.kill()


def VerbsAreNotProbedUnlessAskedFor(build):
    program = build.program("verbs_events", "infiniband/verbs.h was not there to build the test program with")
    with Trace(build, command=[program, "8"], verbs=False) as trace:
        check(trace.wait() == 0, "the program failed")
    check(trace.recording.one("SELECT count(*) FROM events WHERE vendor = 'rdma'") == 0, "verbs were recorded unasked")
    for text in (run(build.agent, "explain", "--db", trace.recording.path).stdout, trace.stderr().decode()):
        check("recorded only with a flag" in text and "libibverbs" in text and "--rdma-verbs" in text, text)


def CheckSaysWhatOfTheVerbsCannotBeProbed(build):
    text = run(build.agent, "check", good=(0, 1, 2)).stdout
    check("ibv_post_send" in text and "inline" in text, text)
    check("recorded with --rdma-verbs only" in text or "libibverbs: not installed" in text, text)
    check("cuda: devices" in text and "hip: devices" in text and "rdma: " in text, f"samplers are not told of: {text}")


LISTING = """
import ctypes
library = ctypes.CDLL("libibverbs.so.1")
library.ibv_get_device_list.restype = ctypes.c_void_p
print(library.ibv_get_device_list(None))
"""


def AListOfAdaptersThatCannotBeHadIsAFailedCall(build):
    """Where the kernel has no support for adapters, the library's first call fails; it returns a pointer, not a code."""
    with Trace(build, command=[sys.executable, "-c", LISTING], verbs=True) as trace:
        status = trace.wait()
    if status != 0 or "None" not in trace.stdout().split():
        raise Skip("libibverbs is not installed, or this machine has adapters")
    rows = trace.recording.calls("call = 'ibv_get_device_list'")
    check(len(rows) == 1 and rows[0]["failed"] == 1 and rows[0]["ret_code"] is None, f"{[tuple(row) for row in rows]}")
    explained = json.loads(run(build.agent, "explain", "--db", trace.recording.path, "--json").stdout)
    failed = [one for one in explained["failures"] if one["op"] == "ibv_get_device_list"]
    check(len(failed) == 1 and failed[0]["count"] == 1 and failed[0]["return_code"] is None, f"{explained['failures']}")
    text = run(build.agent, "explain", "--db", trace.recording.path).stdout
    check("ibv_get_device_list returned nothing" in text, text)


TESTS = (AListOfAdaptersThatCannotBeHadIsAFailedCall, AsynchronousEventsOfTheRealLibraryAreExact, EventTypesAreCountedAndNothingElseOfThem,
         VerbsAreNotProbedUnlessAskedFor, CheckSaysWhatOfTheVerbsCannotBeProbed)
SHARED = TESTS
