#!/usr/bin/env python3
"""Proves a recording against what the traced programs say they did.

  compare.py LOG_DIRECTORY RECORDING.db      the ground_truth program's log, call for call
  compare.py --scenario LINES.jsonl RECORDING.db   what a scenario program printed, line for line

Every logged call must be one event of its thread, started inside the call's own interval, with the arguments the row
captures, the return code and the outcome; nothing may be there twice or without a logged call. What the arguments mean
is worked out here from the row's field words, on purpose apart from the project's own decoder.
With --expect-loss NAME,... the calls missing must be exactly as many as those counters of table `loss` admit.
Prints one JSON object; exit status 0 equal, 1 not, 2 usage. Standard library only; reads the recording, never writes.
"""
import argparse
import json
import os
import re
import sqlite3
import struct
import sys

MAGIC = b"ITRUTH01"
JUMPS = 1 << 31
ENTRY_IS_ENOUGH, ALIASES_FUNCTION = 8, 256  # hal::RowFlag
MOST_BYTES = (1 << 63) - 1
U64 = (1 << 64) - 1

# enum cudaMemcpyKind and hipMemcpyKind agree.
DIRECTIONS = {0: "h2h", 1: "h2d", 2: "d2h", 3: "d2d", 4: "default"}
# Memory types of the driver's copy structures, by backend: host, device, either.
PLACES = {"cuda": {1: "h", 2: "d", 3: "d", 4: "e"}, "hip": {1: "h", 2: "d", 3: "e", 10: "d", 11: "e"}}
NOT_FAILURES = {"cuda": {600}, "hip": {600}, "level_zero": {1}, "nccl": {7}}  # not ready, in progress: an answer
ACCEPTED = {"nccl": {7}}  # and what is given out is there
# ncclDataType_t and ncclRedOp_t.
TYPES = {"nccl": [("int8", 1), ("uint8", 1), ("int32", 4), ("uint32", 4), ("int64", 8), ("uint64", 8), ("float16", 2),
                  ("float32", 4), ("float64", 8), ("bfloat16", 2), ("float8e4m3", 1), ("float8e5m2", 1)]}
REDUCTIONS = {"nccl": ["sum", "prod", "max", "min", "avg"]}
SIZE_FIELDS = {"bytes", "width", "height", "depth", "element_bytes", "in_elements"}

# Column of the events view: field of the vocabulary.
PLAIN = {"stream": "stream", "address": "address", "source_address": "source", "function": "function",
         "handle": "handle", "handle2": "handle2", "flags": "flags", "shared_bytes": "shared_bytes",
         "device_ordinal": "device", "peer_device": "peer_device"}
# Column of table `exchanges`: field of the vocabulary, for the kinds that have a row there.
EXCHANGE_KINDS = {"collective", "p2p", "communicator"}
EXCHANGE = {"handle": "communicator", "new_handle": "new_communicator", "count": "count", "root": "root",
            "peer": "peer", "color": "color", "key": "key", "datatype": "datatype", "reduce_op": "reduce_op"}
RANKS = {"root", "peer", "color", "key"}
COLUMNS = ["pid", "tid", "start_mono_ns", "call", "symbol", "duration", "ret_code", "outcome", "failed", "direction",
           "bytes", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "kernel"] + list(PLAIN)


def low32(value):
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def signed(value, size):
    bits = size * 8
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def product(*factors):
    total = 1
    for factor in factors:
        total = min(total * factor, MOST_BYTES)
    return total


def product_direction(source, destination):
    if source is None or destination is None:
        return None
    if "e" in (source, destination):
        return "default"
    return source + "2" + destination


def three(values, name):
    """A dim3 from its parts; None unless all three are known."""
    xy = values.get(name + "_xy")
    x, y = (values.get(name + "_x"), values.get(name + "_y")) if xy is None else (xy & 0xFFFFFFFF, xy >> 32)
    z = values.get(name + "_z")
    return None if None in (x, y, z) else [v & 0xFFFFFFFF for v in (x, y, z)]


def expected_exchange(row, values):
    want = {"x_" + column: None for column in EXCHANGE}
    for column, field in EXCHANGE.items():
        value = values.get(field)
        if value is None:
            continue
        if field == "datatype":
            value &= 0xFFFFFFFF
            types = TYPES[row["backend"]]
            value = types[value][0] if value < len(types) else str(value)
        elif field == "reduce_op":
            value &= 0xFFFFFFFF
            reductions = REDUCTIONS[row["backend"]]
            value = reductions[value] if value < len(reductions) else str(value)
        elif field in RANKS:
            value = low32(value)
        want["x_" + column] = value
    return want


def expected_event(row, ret, readable, items):
    """The columns a call must show. None means absent."""
    want = {column: None for column in COLUMNS[6:]}
    want["outcome"] = "returned"
    entry_only = bool(row["flags"] & ENTRY_IS_ENOUGH)
    good = True
    if not entry_only:
        if row["returns"] == "status":
            want["ret_code"] = low32(ret)
            good = want["ret_code"] == 0 or want["ret_code"] in ACCEPTED.get(row["backend"], ())
            want["failed"] = int(want["ret_code"] != 0 and want["ret_code"] not in NOT_FAILURES.get(row["backend"], ()))
        elif row["returns"] == "pointer":
            good = ret != 0
            want["failed"] = None if good else 1  # without a code only failure itself is shown
    values, size_known, in_elements = {}, True, False
    for i, item in enumerate(row["items"]):
        field = item["field"]
        if not readable >> i & 1 or (item["at_return"] and (not good or entry_only)):
            size_known &= field not in SIZE_FIELDS
            continue
        value = signed(items[i], item["bytes"]) & U64 if item["signed"] else items[i]
        if field == "in_elements":
            in_elements |= value != 0
        else:
            values[field] = value
    if row["result"] != "none" and good:
        values[row["result"]] = ret
    for column, field in PLAIN.items():
        if field in values:
            want[column] = low32(values[field]) if field in ("device", "peer_device") else values[field]
    if size_known and not in_elements and ("bytes" in values or "width" in values):
        size = values["bytes"] if "bytes" in values else product(
            values["width"], values.get("height", 1), values.get("depth", 1))
        want["bytes"] = product(min(size, MOST_BYTES), row["element_bytes"], values.get("element_bytes", 1))
    types = TYPES.get(row["backend"], [])
    if "count" in values and "datatype" in values and values["datatype"] & 0xFFFFFFFF < len(types):
        want["bytes"] = product(min(values["count"], MOST_BYTES), types[values["datatype"] & 0xFFFFFFFF][1])
    if row["kind"] in EXCHANGE_KINDS:
        want.update(expected_exchange(row, values))
    grid, block, threads = three(values, "grid"), three(values, "block"), three(values, "threads")
    if grid is None and threads is not None and block is not None and all(block):
        grid = [-(-threads[i] // block[i]) for i in range(3)]
    for name, dims in (("grid", grid), ("block", block)):
        for axis, value in zip("xyz", dims or ()):
            want[name + "_" + axis] = value
    if "direction" in values:
        want["direction"] = DIRECTIONS.get(values["direction"])
    places = PLACES.get(row["backend"], {})
    between = product_direction(places.get(values.get("source_place")), places.get(values.get("destination_place")))
    want["direction"] = between or want["direction"]
    if row["direction"] != "unknown":
        want["direction"] = row["direction"]
    return want


def expected_name(row, readable, items):
    """A function that a parameter makes blocking or not is two calls."""
    for i, item in enumerate(row["items"]):
        if item["field"] == "blocking" and readable >> i & 1 and items[i] & 0xFFFFFFFF == 0:
            return row["name"] + " (non-blocking)"
    return row["name"]


class Report:
    def __init__(self, most):
        self.most = most
        self.counts = {"equal": 0, "missing": 0, "extra": 0, "different": 0}
        self.examples = {"missing": [], "extra": [], "different": []}
        self.columns = {}  # column: how often it differed
        self.by_symbol = {}
        self.missing_of = {}  # by pid

    def add(self, kind, symbol, text, columns=()):
        self.counts[kind] += 1
        self.by_symbol.setdefault(symbol, {}).setdefault(kind, 0)
        self.by_symbol[symbol][kind] += 1
        for column in columns:
            self.columns[column] = self.columns.get(column, 0) + 1
        if len(self.examples[kind]) < self.most:
            self.examples[kind].append(text)


def truth_calls(path):
    """The bytes of one thread's log."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != MAGIC:
        sys.exit(f"compare: {path}: not a ground-truth log")
    return data


def each_call(data, rows):
    at, head = 16, struct.Struct("<IIQQQ")
    while at < len(data):
        index, readable, start, end, ret = head.unpack_from(data, at)
        row = rows[index & ~JUMPS]
        items = struct.unpack_from(f"<{len(row['items'])}Q", data, at + head.size)
        at += head.size + 8 * len(items)
        yield row, bool(index & JUMPS), readable, start, end, ret, items


def open_recording(path):
    if not os.path.exists(path):
        sys.exit(f"compare: {path}: no such recording")
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    database.execute("PRAGMA temp_store = FILE")
    return database


def differences(want, event):
    found = []
    for column, value in want.items():
        if column == "kernel" or column not in event:
            continue
        seen = event[column]
        if isinstance(seen, int) and isinstance(value, int):
            if (seen - value) & U64 != 0:
                found.append((column, value, seen))
        elif seen != value:
            found.append((column, value, seen))
    return found


def compare_thread(report, rows_by_symbol, rows, data, events, options):
    """Both sides in time order; a call owns the events that start inside its interval."""
    pending = next(events, None)
    aliases = set()
    for row, jumps, readable, start, end, ret, items in each_call(data, rows):
        recorded = rows_by_symbol[row["jumps_to"]] if jumps else row
        symbol = row["jumps_to"] if jumps else row["symbol"]
        while pending is not None and pending["start_mono_ns"] < start:
            report.add("extra", pending["symbol"], describe(pending))
            pending = next(events, None)
        if pending is None or pending["start_mono_ns"] > end:
            report.add("missing", symbol, f"{symbol} at {start}..{end} ret {ret:#x}")
            continue
        event, pending = pending, next(events, None)
        want = expected_event(recorded, ret, readable, items)
        found = differences(want, event)
        name = expected_name(recorded, readable, items)
        if event["call"] != name:
            found.append(("call", name, event["call"]))
        if not options.ignore_symbol and (event["symbol"] or "").split("@")[0] != symbol:
            found.append(("symbol", symbol, event["symbol"]))
        if recorded["flags"] & ENTRY_IS_ENOUGH:
            if event["duration"] is not None:
                found.append(("duration", None, event["duration"]))
        elif event["duration"] is None or event["start_mono_ns"] + event["duration"] > end:
            found.append(("duration", f"at most {end - start}", event["duration"]))
        if recorded["flags"] & ALIASES_FUNCTION and event["handle"] is not None:
            aliases.add(event["handle"] & U64)
        kernel = event["kernel"] or ""
        if kernel.startswith("fn_") and event["function"] is not None:
            handle = event["function"] & U64
            if handle not in aliases and kernel != f"fn_{handle:x}":
                found.append(("kernel", f"fn_{handle:x}", kernel))
        if found:
            report.add("different", symbol, f"{symbol} at {start}: " + "; ".join(
                f"{c} is {s} instead of {w}" for c, w, s in found), [c for c, _, _ in found])
        else:
            report.counts["equal"] += 1
    while pending is not None:
        report.add("extra", pending["symbol"], describe(pending))
        pending = next(events, None)


def describe(event):
    return f"{event['symbol']} at {event['start_mono_ns']} pid {event['pid']} tid {event['tid']}"


def compare_log(options):
    with open(os.path.join(options.truth, "rows.json"), encoding="utf-8") as file:
        rows = json.load(file)
    rows_by_symbol = {}
    for row in rows:
        rows_by_symbol.setdefault(row["symbol"], row)
    logs = {}
    for name in os.listdir(options.truth):
        match = re.fullmatch(r"(\d+)\.(\d+)\.truth", name)
        if match:
            logs[int(match[1]), int(match[2])] = os.path.join(options.truth, name)
    if not logs:
        sys.exit(f"compare: {options.truth}: no logs")
    pids = {pid for pid, _ in logs}
    report = Report(options.examples)
    database = open_recording(options.recording)
    marks = ",".join(str(pid) for pid in sorted(pids))
    has_exchanges = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'exchanges'").fetchone()[0] == 1
    columns = COLUMNS + (["x_" + column for column in EXCHANGE] if has_exchanges else [])
    source = "events e"
    if has_exchanges:
        source = "(SELECT events.*, " + ", ".join(f"x.{column} AS x_{column}" for column in EXCHANGE) + \
            " FROM events LEFT JOIN exchanges x ON x.seq = events.seq)"
    cursor = database.execute(f"SELECT {','.join(columns)} FROM {source} WHERE kind <> 'host' AND pid IN ({marks}) "
                              "ORDER BY pid, tid, start_mono_ns")
    held = []

    def next_event():
        if held:
            return held.pop()
        line = cursor.fetchone()
        return None if line is None else dict(zip(columns, line))

    def events_of(key):
        while True:
            event = next_event()
            if event is None:
                return
            if (event["pid"], event["tid"]) != key:
                held.append(event)
                return
            yield event

    def drop_before(key):
        while True:
            event = next_event()
            if event is None:
                return
            if key is not None and (event["pid"], event["tid"]) >= key:
                held.append(event)
                return
            report.add("extra", event["symbol"], describe(event) + " (a thread without a log)")

    for key in sorted(logs):
        drop_before(key)
        missing = report.counts["missing"]
        compare_thread(report, rows_by_symbol, rows, truth_calls(logs[key]), events_of(key), options)
        report.missing_of[key[0]] = report.missing_of.get(key[0], 0) + report.counts["missing"] - missing
    drop_before(None)

    admitted = 0
    if options.expect_loss:
        names = options.expect_loss.split(",")
        admitted = database.execute(f"SELECT coalesce(sum(count), 0) FROM loss WHERE name IN "
                                    f"({','.join('?' * len(names))})", names).fetchone()[0]
    equal = (report.counts["extra"] == 0 and report.counts["different"] == 0 and
             report.counts["missing"] == admitted and report.counts["equal"] > 0)
    print(json.dumps({"equal": equal, "counts": report.counts, "admitted_loss": admitted, "missing_of": report.missing_of,
                      "columns": report.columns, "by_symbol": dict(list(report.by_symbol.items())[:options.examples]),
                      "examples": {k: v for k, v in report.examples.items() if v}}, indent=1))
    return 0 if equal else 1


SCENARIO_COLUMNS = COLUMNS + ["preempted_ns", "runqueue_ns", "blocked_ns", "io_ns", "culprit_pid", "culprit_comm",
                              "depth", "parent_call", "timestamp", "parent_timestamp"]


def within(seen, wanted, share, floor_ns):
    return seen is not None and abs(seen - wanted) <= max(share * wanted, floor_ns)


def check_line(line, event):
    """What a scenario's line says against the event it became; returns sentences."""
    wrong = []

    def check(good, sentence):
        if not good:
            wrong.append(f"{line['symbol']} at {line['start_ns']}: {sentence}")

    check(event["outcome"] == line["outcome"], f"outcome is {event['outcome']} instead of {line['outcome']}")
    if line["end_ns"] is not None:
        check(event["ret_code"] == line["ret"], f"ret_code is {event['ret_code']} instead of {line['ret']}")
        begin, end = event["start_mono_ns"], event["start_mono_ns"] + (event["duration"] or 0)
        check(event["duration"] is not None and end <= line["end_ns"],
              f"duration is {event['duration']}, the program saw {line['end_ns'] - line['start_ns']}")
        if "inside" in line:
            # However long the CPU was taken away, and wherever: the call was there already, and was there still.
            check(begin <= line["inside"][0] and line["inside"][1] <= end,
                  f"recorded from {begin} to {end}, was there from {line['inside'][0]} to {line['inside'][1]}")
    for name, value in line["args"].items():
        seen = [event[f"{name}_{a}"] for a in "xyz"] if isinstance(value, list) else event[name]
        if isinstance(seen, int):
            seen &= U64
        check(seen == value, f"{name} is {seen} instead of {value}")
    expect, duration = line["expect"], event["duration"] or 0
    if "duration_ns" in expect:
        # It may take longer: a timer is late, the CPU is another's. How much longer is checked above.
        check(duration >= expect["duration_ns"], f"duration is {duration}, at least {expect['duration_ns']} wanted")
    for name in ("blocked_ns", "preempted_ns"):
        if name not in expect or event[name] is None:
            check(name not in expect, f"{name} is absent")
            continue
        seen = event[name]
        if name == "preempted_ns" and expect[name] > 0:
            seen += event["runqueue_ns"]  # the kernel's own account does not tell the two apart
        if expect[name] == 0:
            check(seen <= max(0.1 * duration, 50000), f"{name} is {seen} of {duration} where none was planted")
        elif name == "blocked_ns" and expect[name] <= seen <= duration:
            pass  # a late timer lets it sleep on; how long the call took is checked above, against the program's clock
        else:
            check(within(seen, expect[name], 0.1, 20000), f"{name} is {seen}, {expect[name]} was planted")
    if "culprit" in expect:
        check(event["culprit_comm"] == expect["culprit"] and event["culprit_pid"] == expect["culprit_pid"],
              f"culprit is {event['culprit_comm']} ({event['culprit_pid']})")
    if "off_cpu_ns" in expect:
        check(event["io_ns"] is not None and event["io_ns"] > 0.5 * expect["off_cpu_ns"],
              f"io_ns is {event['io_ns']}, {expect['off_cpu_ns']} was off the CPU")
    if "depth" in expect:
        check(event["depth"] == expect["depth"], f"depth is {event['depth']} instead of {expect['depth']}")
    if "parent" in expect:
        check(event["parent_call"] is not None and expect["parent"].startswith(event["parent_call"]),
              f"parent is {event['parent_call']} instead of {expect['parent']}")
        if event["parent_timestamp"] is not None:
            parent = event["start_mono_ns"] - (event["timestamp"] - event["parent_timestamp"])
            # After the program's own stamp, however long the CPU was taken away behind it, and before the child.
            check(expect["parent_start_ns"] <= parent <= event["start_mono_ns"],
                  f"the parent started at {parent}, not between {expect['parent_start_ns']} and the child")
    return wrong


def compare_scenario(options):
    with open(options.scenario, encoding="utf-8") as file:
        lines = [json.loads(text) for text in file if text.strip()]
    calls = [line for line in lines if "symbol" in line]
    if not calls:
        print(json.dumps({"equal": None, "skipped": [line for line in lines if line.get("note") == "skipped"]}))
        return 0 if any(line.get("note") == "skipped" for line in lines) else 1
    database = open_recording(options.recording)
    wrong, used = [], set()
    for line in calls:
        found = [dict(zip(SCENARIO_COLUMNS + ["seq"], event)) for event in database.execute(
            f"SELECT {','.join(SCENARIO_COLUMNS)}, seq FROM events WHERE kind <> 'host' AND pid = ? AND tid = ? "
            "AND symbol = ? AND start_mono_ns BETWEEN ? AND ? ORDER BY start_mono_ns",
            (line["pid"], line["tid"], line["symbol"], line["start_ns"], line["end_ns"] or line["start_ns"] + 1000000))]
        # A call nested in one of the same name starts inside it too; the outermost comes first.
        found = [event for event in found if event["seq"] not in used]
        if not found:
            wrong.append(f"{line['symbol']} at {line['start_ns']} pid {line['pid']} tid {line['tid']}: missing")
            continue
        used.add(found[0]["seq"])
        wrong += check_line(line, found[0])
        if "child" in line["expect"]:
            children = database.execute(
                "SELECT seq FROM events WHERE pid = ? AND tid = ? AND symbol = ? AND depth > 0 AND start_mono_ns "
                "BETWEEN ? AND ?", (line["pid"], line["tid"], line["expect"]["child"], line["start_ns"],
                                    line["end_ns"])).fetchall()
            used.update(seq for seq, in children)
            if len(children) != 1:
                wrong.append(f"{line['symbol']} at {line['start_ns']}: {len(children)} calls of "
                             f"{line['expect']['child']} inside")
    marks = ",".join(str(pid) for pid in {line["pid"] for line in calls})
    extra = [seq for seq, in database.execute(
        f"SELECT seq FROM events WHERE kind <> 'host' AND pid IN ({marks})") if seq not in used]
    if extra and not options.allow_extra:
        wrong.append(f"{len(extra)} events without a line, the first is seq {extra[0]}")
    print(json.dumps({"equal": not wrong, "lines": len(calls), "extra": len(extra), "wrong": wrong[:options.examples]},
                     indent=1))
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description="Compares a recording with what the traced programs logged.")
    parser.add_argument("truth", nargs="?", help="log directory of ground_truth")
    parser.add_argument("recording")
    parser.add_argument("--scenario", help="output of a scenario program instead of a log directory")
    parser.add_argument("--expect-loss", default="", help="loss counters whose sum must equal the missing calls")
    parser.add_argument("--ignore-symbol", action="store_true", help="aliases: do not compare the probed spelling")
    parser.add_argument("--allow-extra", action="store_true", help="scenario: other calls of those processes are fine")
    parser.add_argument("--examples", type=int, default=10)
    options = parser.parse_args()
    if (options.truth is None) == (options.scenario is None):
        parser.error("give a log directory or --scenario")
    return compare_log(options) if options.scenario is None else compare_scenario(options)


if __name__ == "__main__":
    sys.exit(main())
