#!/usr/bin/env python3
"""The keys of trace_json.md, explain.md and check_json.md (docs/formats/) are those that the commands print.

  json_keys_test.py INGERO STEPPED_LIBRARY WORKLOAD

The commands record and read real calls, one of a function of STEPPED_LIBRARY whose probe the kernel must single-step among
them: whether a real runtime has such a function depends on its version. Both ways: a printed key the page does not name fails, and so does a key the page names that is never printed, unless
MAY_BE_ABSENT says why a plain recording has none.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
GPU = os.path.join(ROOT, "tests", "gpu")
sys.path.insert(0, GPU)
import pipeline_test  # noqa: E402

# What is traced: a call whose probe is single-stepped, then the stand-in in the same process.
BEFORE_THE_STAND_IN = """
import ctypes, os, sys
ctypes.CDLL(sys.argv[1]).cudaFree(None)
os.execv(sys.executable, [sys.executable, "-B", *sys.argv[2:]])
"""

# The stand-in makes plain calls that return at once: nothing hangs, nests, or is certainly blocked, and no kernel it launches
# has a name.
MAY_BE_ABSENT = {
    "trace": {*("collective." + key for key in ("comm_id_hash", "rank", "nranks", "seq", "count", "datatype", "reduce_op",
                                                "root", "peer", "communicator", "new_communicator", "group_mono_ns",
                                                "is_part")), "gpu_uuid", "gpu_pci_address", "device_ordinal", "outcome", "handle", "address", "async_event", "port",
              "parent_call", "culprit_pid", "culprit", "culprit_ns", "direction",
              "stack[].ip", "stack[].inlined", "stack[].source_file", "stack[].line", "stack[].py_file", "stack[].py_func",
              "stack[].py_line"},
    "query": {"stack[].i", "stack[].in", "stack[].sf", "stack[].l", "stack[].pf", "stack[].pfn", "stack[].pl"},
    "explain": {"devices[].vendor", "devices[].gpu_id", "devices[].uuid", "devices[].pci_address", "devices[].calls",
                "devices[].errors", "devices[].total_ns", "devices[].processes", "slowest[].culprit.pid", "slowest[].culprit.comm", "slowest[].culprit.ns", "losses[].name",
                *("kernels[]." + key for key in ("kernel", "launches", "failed", "launch_ns", "waits", "wait_ns", "copied_bytes")),
                # Of one node there is nothing to put in order.
                *("recording.clocks" + key for key in ("", "[].node", "[].offset_ns", "[].within_ns")),
                *("order" + key for key in ("", "[].node", "[].id", "[].onset", "[].within_ns", "[].is_certain")),
                # One thread submits.
                *("time[].threads." + key for key in ("submitting", "lost_ns.low", "lost_ns.high")),
                # Too few steps for a pattern, so none is slow; nothing is lost to anybody for certain.
                "time[].steps.count", "time[].steps.evaluated", "time[].steps.found_by", "time[].steps.other",
                "time[].steps.slow", "time[].steps.slow_every", "time[].steps.usual_ns",
                *("time[].slow[]." + key for key in ("blame", "class", "duration_ns", "has_other_content", "more_ns", "start",
                                                     "step", "usual_ns")),
                *("time[].blame[]." + key for key in ("high_ns", "low_ns", "ns", "path", "path[].class", "path[].line",
                                                      "path[].object", "path[].pids", "path[].role")),
                "losses[].severity", "losses[].count", "losses[].sentence",
                *("losses_at_least[]." + key for key in ("name", "severity", "count", "sentence")),
                *("lost_calls[]." + key for key in ("pid", "process", "calls", "first", "last"))},
    "check": {"libraries[].rows[].reason", "libraries[].rows[].single_stepped", "libraries[].rows[].instruction",
              "libraries[].rows[].remedy"},
}


def documented(page, command):
    """Keys of the section's tables: every word in backticks in a first column, [] of containers dropped."""
    section = re.search(rf"^## `{command} --json`\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE).group(1)
    keys = set()
    for line in section.splitlines():
        if line.startswith("| `"):
            keys.update(key.removesuffix("[]") for key in re.findall(r"`([^`]+)`", line.split("|")[1]))
    return keys


def printed(value, prefix=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            path = f"{prefix}.{key}" if prefix else key
            yield path
            yield from printed(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from printed(inner, prefix + "[]")


def same_keys(page, command, values):
    found = {key.removeprefix("[].") for value in values for key in printed(value)}
    wanted = documented(page, command)
    # host[] has the keys of calls[], unfinished[] those of slowest[], its stack[] those of trace; those of incidents[]
    # and earlier_chains[] are in the page's text.
    found = {key for key in found if not key.startswith(("host[].", "unfinished[].", "incidents[].", "earlier_chains[].",
                                                                "slowest[].stack[]."))}
    # An object whose members are named needs no line of its own.
    found -= {key for key in found - wanted if any(other.startswith((key + ".", key + "[].")) for other in wanted)}
    assert not found - wanted, f"{command}: not in the page: {sorted(found - wanted)}"
    unseen = wanted - found - MAY_BE_ABSENT[command]
    assert not unseen, f"{command}: in the page, but never printed: {sorted(unseen)}"


def main(ingero, stepped_library, workload):
    if os.geteuid() != 0:
        pipeline_test.skip("tracing needs root")
    if not pipeline_test.runtime_is_here():
        pipeline_test.skip("no GPU runtime library on this machine")
    if subprocess.run([ingero, "check"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        pipeline_test.skip("this machine cannot be traced (ingero check)")
    with open(os.path.join(ROOT, "docs", "formats", "trace_json.md"), encoding="utf-8") as file:
        page = file.read()
    with open(os.path.join(ROOT, "docs", "formats", "explain.md"), encoding="utf-8") as file:
        explain_page = file.read()
    with open(os.path.join(ROOT, "docs", "formats", "check_json.md"), encoding="utf-8") as file:
        check_page = file.read()
    with tempfile.TemporaryDirectory() as folder:
        database = os.path.join(folder, "run.db")

        def ask(*arguments):
            return subprocess.run([ingero, *arguments], stdout=subprocess.PIPE, text=True, check=True).stdout

        stand_in = [sys.executable, "-c", BEFORE_THE_STAND_IN, stepped_library, os.path.join(GPU, "stand_in.py"), "right", "--profile",
                    os.path.join(folder, "profile"), "--window", os.path.join(folder, "window")]
        events = [json.loads(line) for line in ask("trace", "--json", "--db", database, "--", *stand_in).splitlines()]
        always = set.intersection(*(set(event) for event in events))
        described = documented(page.split("Keys of some events")[0], "trace")
        assert always >= described, f"not in every event: {sorted(described - always)}"
        assert not [event for event in events if event["kind"] == "host" and "library" in event]
        same_keys(page, "trace", events)
        same_keys(explain_page, "query", [json.loads(ask("query", "--db", database, "--json"))])
        # Without a device no call of the real runtime succeeds, and then there is no time of a device to divide.
        succeeding = os.path.join(folder, "succeeding.db")
        subprocess.run([ingero, "trace", "--db", succeeding, "--", workload], stdout=subprocess.DEVNULL, check=False)
        same_keys(explain_page, "explain", [json.loads(ask("explain", "--db", one, "--json")) for one in (database, succeeding)])
        per_process = json.loads(ask("explain", "--db", database, "--json", "--per-process"))
        wanted = {key.removeprefix("calls[].") for key in documented(explain_page, "explain") if key.startswith("calls[].")}
        assert set(printed(per_process)) == {f"[].{key}" for key in wanted | {"pid", "process", "node"}}
        libraries = {event["library"] for event in events if "library" in event}
        assert stepped_library in libraries, f"no call of {stepped_library}: {sorted(libraries)}"
        library = next(event["library"] for event in events if event.get("library", stepped_library) != stepped_library)
        same_keys(check_page, "check", [json.loads(ask("check", "--json", "--library", library))])


if __name__ == "__main__":
    main(*sys.argv[1:])
