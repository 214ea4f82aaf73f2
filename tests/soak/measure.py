"""What a running agent costs: memory, descriptors, threads, BPF objects and CPU, read from /proc; and what became of the
calls: programs' own counts against a recording."""
import bisect
import collections
import contextlib
import os
import sqlite3

KINDS = ("bpf_link", "bpf-prog", "bpf-map", "perf_event")


class Cost:
    """One look at a process. Memory in MiB, CPU in seconds since it began."""
    NAMES = ("resident", "anonymous", "files", "shared", "descriptors", "threads", "links", "programs", "maps",
             "perf_events", "cpu")

    def __init__(self, pid):
        status = {}
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            for line in file:
                name, _, value = line.partition(":")
                status[name] = value.split()
        for name, field in (("resident", "VmRSS"), ("anonymous", "RssAnon"), ("files", "RssFile"),
                            ("shared", "RssShmem")):
            setattr(self, name, int(status[field][0]) / 1024)
        self.threads = int(status["Threads"][0])
        kinds = collections.Counter()
        self.descriptors = 0
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):  # closed meanwhile
                kinds[os.readlink(f"/proc/{pid}/fd/{name}")] += 1
                self.descriptors += 1
        self.links, self.programs, self.maps, self.perf_events = (
            sum(count for name, count in kinds.items() if name.startswith("anon_inode:") and kind in name)
            for kind in KINDS)
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        self.cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def values(self):
        return [getattr(self, name) for name in self.NAMES]


class Life:
    """A line of caller.c: a process, or a part of one before it ran another program."""

    def __init__(self, line):
        pid, first_ns, last_ns, *counts = line.split()
        self.pid, self.first_ns, self.last_ns = int(pid), int(first_ns), int(last_ns)
        self.made = {name: int(count) for name, _, count in (one.partition("=") for one in counts)}


def logged(path):
    with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
        return [Life(line) for line in file]
    return []


def lives_in(path):
    """How many have been logged so far."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
        return file.read().count(b"\n")
    return 0


def recorded(path):
    """Both of a recording's counts by process and call: {(process, call): [aggregate, rows]}, and who the processes are:
    {pid: [(start_ns, process)]}."""
    counts = collections.defaultdict(lambda: [0, 0])
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        for process, call, count in database.execute(
                "SELECT s.process, c.name, sum(s.count) FROM call_stats s JOIN calls c ON c.id = s.call "
                "WHERE c.kind <> 'host' GROUP BY 1, 2"):
            counts[process, call][0] = count
        for process, call, count in database.execute(
                "SELECT t.process, s.name, count(*) FROM event_rows e JOIN sites s ON s.id = e.site "
                "JOIN threads t ON t.id = e.thread WHERE s.kind <> 'host' GROUP BY 1, 2"):
            counts[process, call][1] = count
        processes = collections.defaultdict(list)
        for process, pid, start in database.execute(
                "SELECT id, pid, coalesce(start_mono_ns, -1) FROM processes ORDER BY start_mono_ns"):
            processes[pid].append((start, process))
        losses = dict(database.execute("SELECT name, sum(count) FROM loss GROUP BY 1"))
    return counts, processes, losses


class Difference:
    """A process and call of which the recording has more or fewer than were made."""

    def __init__(self, text, lives=(), missing=0):
        self.text, self.lives, self.missing = text, lives, missing

    def __str__(self):
        return self.text

    def may_miss(self, from_ns, until_ns):
        """Is it only that some are missing, of a process that lived then?"""
        return self.missing > 0 and any(one.first_ns < until_ns and one.last_ns > from_ns for one in self.lives)


def differences(lives, path):
    """(calls made, what differs, losses by name). Each life is looked for by its number and its start: numbers are used
    again."""
    counts, processes, losses = recorded(path)
    expected, of = collections.Counter(), collections.defaultdict(list)
    wrong = []
    for life in lives:
        known = processes.get(life.pid, [])
        at = bisect.bisect_right(known, (life.first_ns, float("inf")))
        if at == 0 or known[at - 1][0] < 0:
            what = "is not in the recording" if at == 0 else "has no start there"
            wrong.append(Difference(f"process {life.pid} {what}", [life], sum(life.made.values())))
            continue
        process = known[at - 1][1]
        of[process].append(life)
        for call, count in life.made.items():
            expected[process, call] += count
    numbers = {process: pid for pid, some in processes.items() for _, process in some}
    # Of processes that are not in the log nothing is said: others use such libraries on this machine too.
    for key in sorted(expected.keys() | {key for key in counts if key[0] in of}):
        aggregate, rows = counts.get(key, (0, 0))
        if aggregate != expected[key] or rows != expected[key]:
            text = f"process {numbers.get(key[0])}, {key[1]}: {expected[key]} made, {aggregate} counted, {rows} rows"
            wrong.append(Difference(text, of[key[0]], expected[key] - rows if rows == aggregate else 0))
    return sum(one for life in lives for one in life.made.values()), wrong, losses
