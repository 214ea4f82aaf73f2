"""Reads what explain said and what the program's own clock says, and decides how right the first answer is.

An answer is what stands first for a reader: the verdict with its first reason, or else the first causal chain. Whether it
is right is decided by kinds.py alone.
"""
import contextlib
import datetime
import glob
import json
import os
import re
import sqlite3
import struct

RIGHT, PARTLY, WRONG, NOTHING, HEALTHY, FALSE_ALARM, BROKEN = "right", "partly", "WRONG", "nothing", "healthy", "FALSE ALARM", "broken"
INNOCENT = ("device-bound", "device bound", "healthy", "idle", "not known", "unknown", "none")
# How the classes of a budget are held against the parts of a program's own clock. A thread that is ready to run and does
# not may be in any part, so `anywhere` is free to belong to each.
GROUPS = {
    "device": ("device_wait", "communication", "copy"),
    "submit": ("submit", "other_call"),
    "allocate": ("allocate",),
    "cpu": ("host", "page_fault", "reclaim"),
    "wait": ("pipe", "socket", "futex", "poll", "child", "sleep", "disk", "driver", "other_wait", "blocked"),
    "anywhere": ("cpu_wait", "throttled", "stopped"),
}
PARTS = {"submit": "submit", "sync": "device", "copy": "device", "allocate": "allocate", "host": "cpu", "input": "wait",
         "output": "wait", "lock": "wait", "sleep": "wait", "child": "wait", "checkpoint": "wait"}
CALLS = ("submit", "device", "allocate")  # what a program does in calls: the rest of such a part is its own code


def words(value):
    """All text and numbers of a piece of JSON, in its order."""
    if isinstance(value, dict):
        return " ".join(f"{words(part)}" for part in value.values())
    if isinstance(value, list):
        return " ".join(words(part) for part in value)
    return "" if value is None else str(value)


def budgets(said):
    """Every object with a verdict and classes, whatever it is called, in the order of the answer."""
    found = []
    if isinstance(said, dict):
        if "verdict" in said and "classes" in said:
            return [said]
        for value in said.values():
            found += budgets(value)
    elif isinstance(said, list):
        for value in said:
            found += budgets(value)
    return found


def largest_loss(budget):
    def low(entry):
        return (entry.get("lost") or {}).get("low") or 0
    return max(budget.get("classes") or [{}], key=low)


def verdict_name(budget):
    verdict = budget.get("verdict") or {}
    return str(verdict.get("name") if isinstance(verdict, dict) else verdict or "").replace("_", "-").lower()


def accusations(said, counts_verdict=False):
    """What the answer blames, first things first as its text has them: (text, share or None)."""
    found, incidents = [], said.get("incidents") or []
    critical = [one for one in incidents if str(one.get("severity")).upper() == "CRITICAL" or one.get("rule") == "process_failed"]
    if critical:  # then all of them come before the budgets
        found = incident_texts(incidents)
    for budget in budgets(said):
        name = verdict_name(budget)
        if name and (counts_verdict or not any(name.startswith(word) for word in INNOCENT)):
            text = " ".join([name, words(budget["verdict"]), words((budget.get("blame") or [])[:1]), words(largest_loss(budget)),
                             words((budget.get("slow") or [])[:1]), words(budget.get("process"))])
            found.append((text, None))
        elif budget.get("slow"):
            found.append((words(budget["slow"][:1]), 0.0))
    return found if critical else found + incident_texts(incidents)


def incident_texts(incidents):
    found = []
    for incident in incidents:
        text = " ".join(str(incident.get(key) or "") for key in ("summary", "root_cause", "explanation", "process"))
        text += " " + words(incident.get("remedies") or incident.get("fixes") or [])
        text += " " + words([{key: frame.get(key) for key in ("symbol", "function", "file", "line")}
                             for frame in incident.get("stack") or [] if isinstance(frame, dict)])
        share = re.search(r"\((\d+)% of", text)
        found.append((text, int(share.group(1)) / 100 if share else None))
    return found


def plain(text):
    """"file.py 12" and "file.py", 12 as file.py:12."""
    return re.sub(r"(\.(?:py|cc|c|h)) (\d+)\b", r"\1:\2", text)


def grade(kind, said, names):
    """(grade, the first answer). Kinds without a cause are healthy."""
    blamed = accusations(said, kind.counts_verdict)
    first = blamed[0][0] if blamed else ""
    if kind.cause is None:
        held = [text for text, share in blamed if share is None or share > kind.mild]
        return (FALSE_ALARM, held[0]) if held else (HEALTHY, first)
    if not blamed:
        return NOTHING, ""
    find = re.compile(fill(kind.cause, names), re.I)
    who = [re.compile(fill(pattern, names), re.I) for pattern in kind.who]

    def says(text):
        text = plain(text)
        if kind.never and re.search(kind.never, text, re.I):
            return 0
        if not find.search(text):
            return 0
        return 2 if all(one.search(text) for one in who) else 1
    marks = [says(text) for text, _ in blamed]
    impossible = kind.check(first) if kind.check else None
    if impossible:
        return PARTLY, f"impossible evidence: {impossible}; {first}"
    if marks[0] == 2:
        return RIGHT, first
    return (PARTLY if marks[0] == 1 or 2 in marks else WRONG), first


class Names(dict):
    """What a pattern may name. What the run did not note matches nothing."""

    def __missing__(self, key):
        return r"(?!x)x"


def plant_lines(folder):
    lines = {}
    for path in glob.glob(os.path.join(folder, "*.py")):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for tag in re.findall(r"# PLANT (\w+)", line):
                    lines["line:" + tag] = number
    return lines


def read_steps(folder):
    """The clocks that programs wrote, the main one first."""
    clocks = []
    for path in sorted(glob.glob(os.path.join(folder, "steps.*.json"))):
        with open(path, encoding="ascii") as file:
            clocks.append(json.load(file))
    return sorted(clocks, key=lambda clock: clock["role"] != "main")


def read_names(folder, given, programs):
    names = Names(plant_lines(programs))
    names.update({key: re.escape(str(value)) for key, value in given.items()})
    for clock in read_steps(folder):
        if clock.get("workers"):
            names["workers"] = r"\b(" + "|".join(map(str, clock["workers"])) + r")\b"
        if clock.get("holder_tid"):
            names["holder_tid"] = str(clock["holder_tid"])
    for path in glob.glob(os.path.join(folder, "deed.*.json")):
        with open(path, encoding="ascii") as file:
            deed = json.load(file)
        tag = os.path.basename(path).split(".")[1]
        names[tag + "_pid"], names[tag + "_tid"] = str(deed["pid"]), str(deed["tid"])
    launcher = os.path.join(folder, "launcher.json")
    if os.path.exists(launcher):
        with open(launcher, encoding="ascii") as file:
            names["rank_pid"] = rf"\b{json.load(file)['ranks'][1]}\b"
    return names



def fill(pattern, names):
    return re.sub(r"\{([a-z_]+(?::\w+)?)\}", lambda found: str(names[found.group(1)]), pattern)


def own_shares(steps):
    """{group: share of the wall} of steps by the program's own stamps."""
    total, groups = 0, {}
    for step in steps:
        wall, rest = step["end"] - step["start"], step["end"] - step["start"]
        total += wall
        for part, ns in step["parts"].items():
            group, busy = PARTS[part], step["busy"].get(part, 0)
            rest -= ns
            if group in CALLS and "inside" in step:
                inside = min(step["inside"].get(part, 0), ns)
                groups["cpu"] = groups.get("cpu", 0) + ns - inside
                ns = inside
            if group == "wait":
                groups["cpu"] = groups.get("cpu", 0) + min(busy, ns)
                ns -= min(busy, ns)
            groups[group] = groups.get(group, 0) + ns
        groups["cpu"] = groups.get("cpu", 0) + rest
    return {group: ns / total for group, ns in groups.items()} if total else None


def same_steps(budget, clock, database):
    """The program's steps that a budget is of: those in its interval, without the slow ones (the answer says how many they
    were) where it does not count them."""
    with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as recording:
        wall, mono = recording.execute("SELECT timestamp, start_mono_ns FROM events LIMIT 1").fetchone()
    start, end = (nanoseconds(budget["interval"][name]) - wall + mono for name in ("start", "end"))
    found = [step for step in clock["steps"] if start <= (step["start"] + step["end"]) // 2 < end]
    steps = budget.get("steps")
    if steps and not budget["verdict"]["of_slow_steps"]:
        found.sort(key=lambda step: step["end"] - step["start"])
        found = found[:len(found) - min(steps["slow"], len(found) // 2)]
    return found


def nanoseconds(text):
    """Of a time such as 2026-11-24T19:08:53.143232717Z."""
    whole, _, part = text.rstrip("Z").partition(".")
    seconds = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc).timestamp()
    return int(seconds) * 1_000_000_000 + int((part or "0").ljust(9, "0"))


def told_shares(budget):
    groups, total = {}, 0
    for entry in budget.get("classes") or []:
        name = str(entry.get("name", "")).replace("-", "_").replace(" ", "_")
        group = next((group for group, names in GROUPS.items() if name in names), "unknown")
        ns = entry.get("ns") or 0
        groups[group] = groups.get(group, 0) + ns
        total += ns
    return {group: ns / total for group, ns in groups.items()} if total else None


def budget_error(own, told):
    """The largest difference of a group, as a share of the wall; what cannot be placed is free to be anywhere."""
    free = told.get("anywhere", 0)
    worst = told.get("unknown", 0)
    pairs = [("device", "allocate") if own.get("allocate") else ("device",), ("submit",), ("cpu",), ("wait",)]
    for group in pairs:
        mine, theirs = sum(own.get(one, 0) for one in group), sum(told.get(one, 0) for one in group)
        worst = max(worst, theirs - mine, mine - theirs - free)
    return worst


def device_busy(folder, pid, start, end):
    """The share of [start, end) in which the device of a process had work, by the device's own log."""
    path = os.path.join(folder, f"device.{pid}")
    if not os.path.exists(path) or end <= start:
        return None
    with open(path, "rb") as file:
        data = file.read()
    count = struct.unpack_from("=Q", data, 8)[0]
    spans = sorted(struct.unpack_from("=QQ", data, 32 + 32 * at) for at in range(count))
    busy, last = 0, start
    for begin, finish in spans:
        begin, finish = max(begin, last), min(finish, end)
        if finish > begin:
            busy += finish - begin
            last = finish
    return busy / (end - start)
