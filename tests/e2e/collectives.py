"""Collectives: eight ranks on stand-in libraries, held against what each of them says it called.

Identity, rank, size and sequence number of every call, children of a split, a handle that is used again, groups, the
waits, who came last and by how much, and who is missing while the others wait.
"""
import collections
import contextlib
import glob
import json
import os
import re
import signal
import time

from harness import Program, Recording, Skip, Trace, at_best, check, in_time, json_lines, real_collectives, run, say, until
from metrics import free_port, get, lint, panel_queries, series_of, value

RANKS = 8
LATE, LATE_MS = 5, 120
U64 = (1 << 64) - 1


def mix(value):
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & U64
    value = (value ^ value >> 27) * 0x94D049BB133111EB & U64
    return value ^ value >> 31


def fold(which):
    """The identity that ranks.cc passes, folded as docs/formats/store.md says of comm_id_hash: worked out here apart from the agent."""
    identity = bytes([0x2A] * 8 + [(i * 7 + which * 31) & 0xFF for i in range(8, 128)])
    value = 0x9E3779B97F4A7C15
    for at in range(0, 128, 8):
        value = mix((value ^ int.from_bytes(identity[at:at + 8], "little")) + 0x9E3779B97F4A7C15 & U64)
    return value - (1 << 64) if value >> 63 else value


def ranks(build, *more, name="ranks"):
    return Program(build, os.path.join(build.fakes, "ranks"), "--collectives", build.stand_in("plain", "libnccl.so.2")[0],
                   "--runtime", build.stand_in("plain", "libcudart.so.13")[0], "--ranks", str(RANKS), *more, name=name)


def expected_calls(lines):
    return [line for line in lines if line["on"] and line["call"] in
            ("ncclAllReduce", "ncclBroadcast", "ncclSend", "ncclRecv")]


def rows_of_calls(recording, lines):
    """Each logged call's one row, by (pid, start)."""
    rows = collections.defaultdict(list)
    for row in recording.rows("SELECT * FROM nccl_events n JOIN collectives c ON c.id = n.id"):
        rows[row["pid"]].append(row)
    pairs = []
    for line in lines:
        found = [row for row in rows[line["pid"]] if line["start_ns"] <= row["start_mono_ns"] <= line["end_ns"]]
        check(len(found) == 1, f"{line}: {len(found)} rows")
        pairs.append((line, found[0]))
    count = sum(len(of_pid) for of_pid in rows.values())
    check(count == len(lines), f"{count} rows for {len(lines)} calls")
    return pairs


def check_identities(pairs):
    hashes = collections.defaultdict(set)
    for line, row in pairs:
        for column in ("rank", "nranks"):
            check(row[column] == line[column], f"{column} is {row[column]} in {line}")
        seq = line["seq"] if line["seq"] >= 0 else None
        check(row["seq"] == seq, f"seq is {row['seq']} in {line}")
        hashes[line["on"]].add(row["comm_id_hash"])
    for name, found in hashes.items():
        check(len(found) == 1 and None not in found, f"communicator {name} has the identities {found}")
    every = [next(iter(found)) for found in hashes.values()]
    check(len(set(every)) == 4, f"four communicators, identities {hashes}")
    check(hashes["world"] == {fold(0)} and hashes["second"] == {fold(1)}, f"{hashes}, not {fold(0)} and {fold(1)}")


def check_arrivals(recording, pairs):
    arrivals = {(row["comm_id_hash"], row["seq"]): row for row in recording.rows("SELECT * FROM collective_arrivals")}
    lateness = {}
    for mark, who in (("late", LATE), ("half late", None)):
        groups = collections.defaultdict(list)
        for line, row in pairs:
            if line["mark"] == mark:
                groups[row["comm_id_hash"], row["seq"]].append(line)
        for key, lines in groups.items():
            lines.sort(key=lambda line: line["start_ns"])
            row = arrivals[key]
            check(row["ranks"] == len(lines), f"{key}: {row['ranks']} ranks of {len(lines)}")
            last, before = lines[-1], lines[-2]
            planted = LATE if who is not None else 2
            if last["job_rank"] != planted:
                continue  # the half in which no rank was to be late
            check(row["last_pid"] == last["pid"] and row["last_rank"] == last["rank"], f"{dict(row)}: {last} was last")
            least, most = last["start_ns"] - before["end_ns"], last["end_ns"] - before["start_ns"]
            check(least <= row["late_ns"] <= most, f"late by {row['late_ns']}, which is not in {least}..{most}")
            lateness[mark] = row["late_ns"]
            check(lines[0]["start_ns"] <= row["first_mono_ns"] <= lines[0]["end_ns"], f"{dict(row)}: first {lines[0]}")
    check(set(lateness) == {"late", "half late"}, f"no planted rank was last: {lateness}")
    return lateness


def check_waits(recording, pairs, lines):
    seen = collections.Counter()
    for line, row in pairs:
        mark, wait = line["mark"], row["barrier_wait_ns"]
        if mark in ("waited", "waited through a mark"):
            end = min((other for other in lines if other["pid"] == line["pid"] and other["mark"] == mark and
                       other["call"] == "cudaStreamSynchronize"), key=lambda other: other["end_ns"])
            least, most = end["start_ns"] - line["end_ns"], end["end_ns"] - line["start_ns"]
            check(wait is not None and least <= wait <= most, f"{line}: waited {wait}, which is not in {least}..{most}")
            seen[mark] += 1
        elif mark == "kept for a graph" or line["call"] in ("ncclSend", "ncclRecv"):
            check(wait is None, f"{line}: waited {wait}, but nothing waited for it")
            seen[mark] += 1
    for mark in ("waited", "waited through a mark", "kept for a graph"):
        check(seen[mark] == RANKS, f"{seen}")


def check_groups(recording, pairs):
    for line, row in pairs:
        inside = line["mark"] == "group"
        check((row["group_mono_ns"] is not None) == inside, f"{line}: group {row['group_mono_ns']}")
        if inside:
            step = 1 if line["call"] == "ncclSend" else RANKS - 1
            check(row["peer"] == (line["job_rank"] + step) % RANKS, f"{line}: peer {row['peer']}")
            check(row["group_mono_ns"] < row["start_mono_ns"], f"{line}: {dict(row)}")
    check(sum(row["peer"] == 0 for _, row in pairs) == 2, "rank 0 is a peer of two")


def eight_ranks(build, *options):
    with Trace(build, *options) as trace:
        with ranks(build, "--late", str(LATE), "--late-ms", str(LATE_MS)) as program:
            program.go().end()
            lines = program.lines()
        trace.stop()
    recording = trace.recording
    pairs = rows_of_calls(recording, expected_calls(lines))
    check(len(pairs) == RANKS * (20 + 2 + 5 + 3 + 1 + 1), f"{len(pairs)} calls")
    check_identities(pairs)
    lateness = check_arrivals(recording, pairs)
    check_waits(recording, pairs, lines)
    check_groups(recording, pairs)
    ends = recording.one("SELECT count(*) FROM communicators WHERE ended_mono_ns IS NOT NULL")
    check(ends == 3 * RANKS, f"{ends} of {3 * RANKS} communicators ended")
    hangs = recording.one("SELECT count(*) FROM collective_hangs")
    check(hangs == 0, f"{hangs} hangs")
    # The published query, as written.
    slow = recording.rows("""
WITH slow_collectives AS (
  SELECT timestamp_ns, duration_ns, rank, nranks, comm_id_hash, pid FROM nccl_events WHERE op = 'ALL_REDUCE' AND duration_ns > 50000000)
SELECT s.rank, s.duration_ns/1e6 AS ms, COUNT(t.timestamp_ns) AS retransmits_in_window
  FROM slow_collectives s LEFT JOIN tcp_events t
    ON t.timestamp_ns BETWEEN s.timestamp_ns AND s.timestamp_ns + s.duration_ns AND t.event = 'tcp_retransmit_skb'
 GROUP BY s.rank, s.duration_ns, s.timestamp_ns ORDER BY ms DESC LIMIT 20;""")
    # A busy machine can make others slow, too.
    planted = [row for row in slow if row["rank"] == 3 and 60 <= row["ms"] < 1000]
    check(planted and planted[0]["retransmits_in_window"] == 0, f"slow: {[dict(row) for row in slow]}")
    say(calls=len(pairs), late_ms={mark: round(ns / 1e6, 2) for mark, ns in lateness.items()}, losses=recording.losses())


def EightRanksAreWhoTheySayTheyAre(build):
    eight_ranks(build)


def EightRanksAreWhoTheySayTheyAreWithMultiLinks(build):
    eight_ranks(build, "--attach", "multi")


def CallsAreKeptWhereSwitchesFillTheRing(build):
    """Ranks that wait for each other yield in turns, ten thousands of times; an agent that is held up loses of those."""
    with Trace(build, "--ringbuf-size", "1m") as trace, ranks(build, "--missing", "3", name="holder") as holder:
        trace.probed("libnccl.so.2", "libcudart.so.13")  # the holder's: its ranks stay where they are
        with ranks(build, "--late", str(LATE), "--late-ms", str(LATE_MS)) as program:
            os.kill(trace.process.pid, signal.SIGSTOP)
            try:
                program.go().end()
            finally:
                os.kill(trace.process.pid, signal.SIGCONT)
            lines = program.lines()
        holder.go().end()
        trace.stop()
    losses = trace.recording.losses()
    if not losses.get("host_ring_full"):
        raise Skip("a ring of 1 MiB held every switch: there was nothing to give way")
    check(losses.get("ring_full", 0) == 0, f"calls were lost: {losses}")
    pids = {line["pid"] for line in lines}
    rows = trace.recording.rows("SELECT pid FROM nccl_events")
    seen = collections.Counter(row["pid"] for row in rows if row["pid"] in pids)
    made = collections.Counter(line["pid"] for line in expected_calls(lines))
    check(made and seen == made, f"recorded {seen}, made {made}")
    say(switches_lost=losses["host_ring_full"], calls=trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'"))


LIVE_RANKS = 4


@contextlib.contextmanager
def live_job(build):
    """Ranks that have their communicator, and use it once record_live_job() lets them."""
    with Program(build, os.path.join(build.fakes, "late_ranks"), os.path.join(build.fakes, "live", "libnccl.so.2"),
                 str(LIVE_RANKS), build.path("start"), hold=False) as job:
        until(lambda: len(job.lines()) == LIVE_RANKS, 10, "all ranks have their communicator")
        yield job


def record_live_job(build, job, trace):
    """Until they have made all of their collectives, and ended."""
    trace.probed("libnccl.so.2")
    with open(build.path("start"), "w", encoding="ascii"):
        pass
    until(lambda: trace.recording.one("SELECT count(*) FROM collectives WHERE bytes IS NOT NULL") == (200 + 20) * LIVE_RANKS,
          20, "all collectives are recorded")
    os.remove(build.path("start"))
    job.end()
    trace.stop()


def ACommunicatorOlderThanItsTraceIsKnown(build):
    """As the library has it in memory: rank, size and an identity that all ranks share; and so are its children. Its
    collectives have the numbers that the library's count makes known, seven more than were recorded."""
    count = LIVE_RANKS
    with live_job(build) as job, Trace(build) as trace:
        record_live_job(build, job, trace)
    made = trace.recording.rows("SELECT rank, nranks, comm_id_hash AS identity, made_by FROM communicators")
    world = [one for one in made if one["made_by"] is None]
    halves = [one for one in made if one["made_by"] is not None]
    check(sorted((one["rank"], one["nranks"]) for one in world) == [(rank, count) for rank in range(count)], f"{world}")
    check(len({one["identity"] for one in world}) == 1 and world[0]["identity"] is not None, f"{world}")
    check(sorted((one["rank"], one["nranks"]) for one in halves) == [(0, 2), (0, 2), (1, 2), (1, 2)], f"{halves}")
    check(len({one["identity"] for one in halves}) == 2, f"two halves: {halves}")
    calls = trace.recording.rows("SELECT rank, nranks, seq FROM collectives WHERE bytes IS NOT NULL ORDER BY start_mono_ns")
    check(collections.Counter((row["rank"], row["nranks"]) for row in calls) ==
          {(0, 4): 200, (1, 4): 200, (2, 4): 200, (3, 4): 200, (0, 2): 40, (1, 2): 40}, f"{calls}")
    for rank in range(count):
        numbers = [row["seq"] for row in calls if (row["rank"], row["nranks"]) == (rank, count)]
        unknown = numbers.count(None)
        check(unknown < 150, f"rank {rank}: {unknown} of {len(numbers)} collectives have no number")
        check(numbers[unknown:] == list(range(7 + unknown + 1, 7 + 200 + 1)), f"rank {rank}: {numbers}")
    check("communicator_unknown" not in trace.recording.losses(), f"{trace.recording.losses()}")


def ANodeThatCameLateHasTheCommunicatorsOfTheOthers(build):
    """Two traces of one job, as two nodes: one is there before it, one comes when its communicator is made."""
    library = os.path.join(build.fakes, "live", "libnccl.so.2")
    with Trace(build, "--node", "made", name="made") as made, Program(build, build.caller, "hold", library, name="holder", hold=False):
        made.probed("libnccl.so.2")
        with live_job(build) as job, Trace(build, "--node", "late", name="late") as late:
            record_live_job(build, job, late)
        made.stop()
    merged = Recording(build.path("cluster.db"))
    run(build.agent, "merge", made.recording.path, late.recording.path, "-o", merged.path)
    for one in (made.recording, late.recording, merged):
        unknown = one.rows("SELECT * FROM communicators WHERE library_hash IS NULL")
        check(not unknown, f"{one.path}: {[dict(row) for row in unknown]}")
    sides = {name: {row["comm_id_hash"] for row in one.rows("SELECT comm_id_hash FROM communicators")}
             for name, one in (("made", made.recording), ("late", late.recording), ("merged", merged))}
    check(len(sides["made"]) == len(sides["late"]) == 3 and not sides["made"] & sides["late"], f"{sides}")
    check(sides["merged"] == sides["made"], f"{sides}")
    # A collective is the same one on both, by its number.
    pairs = merged.one("SELECT count(*) FROM collectives a JOIN collectives b USING (comm_id_hash, seq, rank) WHERE a.node = 'made' "
                       "AND b.node = 'late' AND a.nranks = 4")
    check(pairs >= 50 * LIVE_RANKS, f"{pairs} collectives of {200 * LIVE_RANKS} are on both nodes")
    say(pairs=pairs)


def CommunicatorsMadeInEveryWayAreKnown(build):
    with Trace(build) as trace:
        with ranks(build, "--lives") as program:
            program.go().end()
            lines = program.lines()
        trace.stop()
    pairs = rows_of_calls(trace.recording, expected_calls(lines))
    check(len(pairs) == 12 + 6, f"{len(pairs)} calls")
    hashes = collections.defaultdict(set)
    for line, row in pairs:
        for column in ("rank", "nranks"):
            want = line[column] if line[column] >= 0 else None
            check(row[column] == want, f"{column} is {row[column]} in {line}")
        check(row["seq"] == 1, f"seq {row['seq']} in {line}")
        check(row["comm_id_hash"] is not None, f"no identity: {line}")
        hashes[line["on"]].add(row["comm_id_hash"])
    check(all(len(found) == 1 for found in hashes.values()), f"{hashes}")
    check(hashes["scalable"] == {fold(2)} and hashes["configured"] == {fold(4)}, f"{hashes}")
    check(hashes["grown"] == hashes["joined"] == {fold(3)}, f"{hashes}")
    check(len(set.union(*hashes.values())) == len(hashes) - 1, f"{hashes}")
    made = {row["made_by"] for row in trace.recording.rows("SELECT made_by FROM communicators")}
    check(made == {"init", "init all", "shrink", "grow", "split"}, f"{made}")
    check(trace.recording.losses().get("communicator_unknown", 0) == 0, f"{trace.recording.losses()}")


def ALateAttachSaysWhatItDoesNotKnow(build):
    """The trace comes after the communicators: no identity, no number, and each is counted."""
    with ranks(build, "--missing", "3", name="early") as program:
        def all_wait():
            with open(program.lines_path, encoding="utf-8") as file:
                return file.read().count("waiting") == RANKS

        until(all_wait, 60, "every rank waits")
        with Trace(build) as trace:
            program.go().end()
            trace.stop()
    rows = trace.recording.rows("SELECT * FROM nccl_events")
    check(len(rows) == 1 and rows[0]["op"] == "ALL_REDUCE", f"{[dict(row) for row in rows]}")
    for column in ("rank", "nranks", "comm_id_hash", "seq"):
        check(rows[0][column] is None, f"{column} is {rows[0][column]}")
    check(rows[0]["count"] == 1000 and rows[0]["count_bytes"] == 4000, f"{dict(rows[0])}")
    check(trace.recording.losses()["communicator_unknown"] == 1, f"{trace.recording.losses()}")


def MissingRanksAreNamedWhileTheOthersWait(build):
    at_best(build, lambda: name_missing_ranks(build))


def name_missing_ranks(build):
    hang_after, missing = 2, (3, 6)
    with Trace(build, "--hang-after", f"{hang_after}s") as trace:
        with ranks(build, "--missing", ",".join(map(str, missing))) as program:
            until(lambda: b"waiting for" in trace.stderr(), 30, "the trace names the missing ranks")
            told_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            text = trace.stderr().decode()
            live = until(lambda: trace.recording.rows("SELECT * FROM collective_hangs"), 5, "the recording has it")[0]
            check(not live["is_over"], "it is over while it lasts")
            program.go().end()
            lines = program.lines()
        trace.stop()
    told = next(line for line in text.splitlines() if "waiting for" in line)
    waiting, absent = told.split(" waiting for ")
    for rank in range(RANKS):
        check((f"rank {rank} " in absent) == (rank in missing), f"rank {rank}: {told}")
        check((f"rank {rank} " in waiting) == (rank not in missing), f"rank {rank}: {told}")
    last = [line for line in lines if line["mark"] == "last"]
    first_ns = min(line["start_ns"] for line in last)
    took = (told_ns - first_ns) / 1e9
    check(took >= hang_after, f"named after {took} s")
    hangs = trace.recording.rows("SELECT * FROM collective_hangs")
    check(len(hangs) == 1, f"{len(hangs)} hangs")
    hang = hangs[0]
    check(hang["comm_id_hash"] == fold(0) and hang["number"] == 24 and hang["call"] == "ncclAllReduce", f"{dict(hang)}")
    # As it was last looked at while it lasted: one of the two may have come by then.
    absent, present = (set(hang[column].split(",")) for column in ("missing", "present"))
    check(absent and absent <= set(map(str, missing)) and not absent & present, f"{dict(hang)}")
    check(absent | present == set(map(str, range(RANKS))), f"{dict(hang)}")
    check(live["missing"] == ",".join(map(str, missing)) and live["present"] == "0,1,2,4,5,7", f"{dict(live)}")
    check(hang["is_over"] == 1 and hang["waited_ns"] >= hang_after * 1e9, f"{dict(hang)}")
    check(first_ns <= hang["entered_mono_ns"], f"{dict(hang)}, first {first_ns}")
    in_time(hang["entered_mono_ns"] <= first_ns + 1_000_000, f"{dict(hang)}, first {first_ns}")
    in_time(took <= hang_after + 1, f"named after {took} s")
    say(named_after_s=round(took, 3), told=told)


def MetricsOfCollectivesAreWhatTheRecordingHolds(build):
    """Counts, bytes, waits, who came last and by how much, and what hangs while it does: page and recording agree."""
    address = f"127.0.0.1:{free_port()}"
    with Trace(build, "--prometheus", address, "--hang-after", "1s") as trace:
        with ranks(build, "--missing", "3") as program:
            def hangs():
                series = series_of(get(f"http://{address}/metrics"))
                return series if value(series, "gpu_collectives_hanging") else None

            series = until(hangs, 30, "the page shows a hang")
            check(value(series, "gpu_collective_hangs_total", vendor="nvidia", op_type="ALL_REDUCE") == 1, "one hang")
            program.go().end()
        time.sleep(2.5)
        page = get(f"http://{address}/metrics")
        trace.stop()
    lint(page)
    series = series_of(page)
    check(value(series, "gpu_collectives_hanging") == 0, "nothing hangs any more")
    for row in trace.recording.rows("SELECT op, count(*) AS calls, sum(count_bytes) AS bytes, count(barrier_wait_ns) AS "
                                    "waits, sum(barrier_wait_ns) AS waited_ns, sum(ret_code <> 0) AS failed "
                                    "FROM nccl_events GROUP BY op"):
        labels = {"op_type": row["op"], "vendor": "nvidia"}
        seen = {"gpu_collectives_total": row["calls"], "gpu_collective_errors_total": row["failed"],
                "gpu_collective_bytes_total": row["bytes"] or 0}
        if row["waits"]:
            seen["gpu_collective_barrier_wait_seconds_count"] = row["waits"]
            seen["gpu_collective_barrier_wait_seconds_sum"] = row["waited_ns"] / 1e9
        for name, want in seen.items():
            found = value(series, name, **labels)
            check(abs(found - want) <= 1e-6 * want, f"{name} of {row['op']}: {found}, recorded {want}")
        for name, want in (("count", row["calls"]), ("bytes_total", row["bytes"] or 0), ("barrier_events", row["waits"])):
            found = value(series, f"gpu_nccl_collective_{name}", op_type=row["op"])
            check(found == want, f"gpu_nccl_collective_{name} of {row['op']}: {found}, recorded {want}")
    arrivals = trace.recording.rows("SELECT * FROM collective_arrivals WHERE ranks = nranks")
    check(len(arrivals) > 20, f"{len(arrivals)} arrivals")
    name = "gpu_collective_last_arrival_lateness_seconds"
    check(value(series, name + "_count") == len(arrivals), f"{value(series, name + '_count')} of {len(arrivals)}")
    late = sum(row["late_ns"] for row in arrivals) / 1e9
    check(abs(value(series, name + "_sum") - late) < 1e-5 * late, f"{value(series, name + '_sum')} instead of {late}")
    last = collections.Counter(str(row["last_rank"]) for row in arrivals)
    shown = {rank: value(series, "gpu_collective_last_arrivals_total", rank=rank) for rank in last}
    check(shown == last, f"{shown} instead of {last}")
    # The panels that show them ask for what is on the page.
    asked = {name for _, expression in panel_queries() for name in re.findall(r"gpu_collective\w+", expression)}
    check(len(asked) == 4 and asked <= set(series), f"panels ask for {sorted(asked - set(series))}")
    say(calls=value(series, "gpu_collectives_total"), arrivals=len(arrivals), late_s=round(late, 3))


def LinesOfATraceSayTheCollective(build):
    """What --json prints of a collective is what the recording holds of it."""
    with Trace(build, "--json") as trace:
        with ranks(build) as program:
            program.go().end()
        trace.stop()
    printed = collections.defaultdict(list)
    for line in json_lines(trace.output):
        if line.get("kind") in ("collective", "p2p") and line.get("outcome") != "in flight":
            printed[line["tid"]].append(line)
    compared, every = 0, trace.recording.rows("SELECT * FROM collectives ORDER BY start_mono_ns")
    for tid, lines in printed.items():
        lines.sort(key=lambda line: line["timestamp"])
        rows = [row for row in every if row["tid"] == tid]
        check(len(rows) == len(lines), f"{len(lines)} lines of {len(rows)} calls")
        for line, row in zip(lines, rows):
            said = line["collective"]
            for key in ("comm_id_hash", "rank", "nranks", "seq", "count", "datatype", "reduce_op", "root", "peer"):
                check(said[key] == row[key], f"{key} is {said[key]} instead of {row[key]}: {line}")
            check(said["is_part"] == bool(row["is_part"]) and line["bytes"] == row["bytes"], f"{line}")
            compared += 1
    check(compared >= 200, f"{compared} lines")
    say(lines=compared)


REAL = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
typedef struct { char bytes[128]; } id;
int main(int argc, char **argv) {
  void *h = dlopen(argv[1], RTLD_NOW);
  if (!h || argc != 2) { puts("no library"); return 1; }
#define F(name, ...) int (*name)(__VA_ARGS__) = dlsym(h, #name)
  F(ncclCommInitRank, void **, int, id, int);
  F(ncclAllReduce, void *, void *, size_t, int, int, void *, void *);
  F(ncclBcast, void *, size_t, int, int, void *, void *);
  F(ncclSend, void *, size_t, int, int, void *, void *);
  F(ncclCommSplit, void *, int, int, void **, void *);
  F(ncclGroupStart, void);
  F(ncclGroupEnd, void);
  id one; memset(&one, 7, sizeof one);
  void *c = 0;
  printf("{\"ncclCommInitRank\":%d,", ncclCommInitRank(&c, 4, one, 2));
  printf("\"ncclAllReduce\":%d,", ncclAllReduce(0, 0, 1000, 7, 2, 0, (void *)0x77));
  printf("\"ncclBcast\":%d,", ncclBcast(0, 500, 6, 1, 0, (void *)0x78));
  printf("\"ncclCommSplit\":%d,", ncclCommSplit(0, 3, 4, &c, 0));
  ncclGroupStart();
  printf("\"ncclSend\":%d,", ncclSend(0, 10, 6, 0, 0, (void *)0x79));
  printf("\"ncclGroupEnd\":%d}\n", ncclGroupEnd());
  return 0;
}
"""


def TheRealLibraryIsReadRight(build):
    """Its calls return errors without a device; what they were given and returned is recorded all the same."""
    library = real_collectives()
    source, program = build.path("real.c"), build.path("real")
    with open(source, "w", encoding="utf-8") as file:
        file.write(REAL)
    run("cc", "-o", program, source, "-ldl")
    with Trace(build, command=[program, library]) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    returned = json.loads(next(line for line in trace.stdout().splitlines() if line.startswith("{")))
    rows = {row["call"]: row for row in trace.recording.rows(
        "SELECT e.*, x.* FROM events e JOIN exchanges x ON x.seq = e.seq WHERE backend = 'nccl'")}
    for call, code in returned.items():
        check(rows[call]["ret_code"] == code, f"{call} returned {code}: {dict(rows[call])}")
    want = {"ncclAllReduce": {"stream": 0x77, "bytes": 4000, "datatype": "float32", "reduce_op": "max", "is_part": 0},
            "ncclBcast": {"stream": 0x78, "bytes": 1000, "datatype": "float16", "root": 1, "is_part": 0},
            "ncclBroadcast": {"root": 1, "is_part": 1, "parent_call": "ncclBcast"},
            "ncclSend": {"stream": 0x79, "bytes": 20, "peer": 0},
            "ncclCommSplit": {"color": 3, "key": 4, "new_handle": None}}
    for call, columns in want.items():
        for column, value in columns.items():
            check(rows[call][column] == value, f"{call}: {column} is {rows[call][column]} instead of {value}")
    check(rows["ncclSend"]["group"] is not None and rows["ncclAllReduce"]["group"] is None, "the group is one")
    check(trace.recording.one("SELECT count(*) FROM communicators") == 0, "a communicator that was never made")
    once = trace.recording.one("SELECT count(*) FROM nccl_events WHERE op = 'BROADCAST'")
    check(once == 1, f"one broadcast is {once}")


# What frameworks do: workers are started first and given their rank then, through os.environ; one kind of them has made a
# call by then, another never makes a communicator. The program itself was given another rank.
WORKERS = """
import ctypes, json, multiprocessing, os, sys, time
SIZE = 4

class Id(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 128)]

class Control(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("ret", "out", "spin_ns", "sleep_ns", "calls")]

def load(path, out=0):
    library = ctypes.CDLL(path)
    library.fake_control.restype = ctypes.POINTER(Control)
    library.fake_control().contents.out = out
    return library

def worker(kind, rank, collectives, runtime):
    calls_first, communicates = kind != "silent", kind != "alone"
    runtime, collectives = load(runtime), load(collectives, 0x700000001000)
    if calls_first and communicates:
        runtime.cudaDeviceSynchronize()
        time.sleep(0.5)  # that call is recorded before the rank is known
    for name, value in (("RANK", rank), ("LOCAL_RANK", rank % 2), ("WORLD_SIZE", SIZE)):
        os.environ[name] = str(value)
    if communicates:
        made = ctypes.c_void_p()
        collectives.ncclCommInitRank(ctypes.byref(made), SIZE, Id(), rank)
        collectives.ncclAllReduce(None, None, ctypes.c_size_t(8), 7, 0, made, None)
    else:
        runtime.cudaDeviceSynchronize()
    sys.stdout.write(json.dumps({"kind": kind, "pid": os.getpid(), "rank": rank, "local_rank": rank % 2}) + "\\n")
    sys.stdout.flush()
    time.sleep(1)  # it is there when its calls are looked at

if __name__ == "__main__":
    _, collectives, runtime, _, gate = sys.argv
    load(runtime).cudaDeviceSynchronize()
    load(collectives)
    while not os.path.exists(gate):
        time.sleep(0.01)
    load(runtime).cudaDeviceSynchronize()
    workers = []
    for way in ("fork", "spawn"):
        for rank in range(SIZE):
            kind = ("called", "silent", "alone", "called")[rank]
            arguments = (kind, rank, collectives, runtime)
            workers.append(multiprocessing.get_context(way).Process(target=worker, args=arguments))
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    sys.exit(any(one.exitcode for one in workers))
"""


def WorkersThatAreToldTheirRankAfterTheirStartHaveIt(build):
    script = build.path("workers.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(WORKERS)
    libraries = [build.stand_in("plain", name)[0] for name in ("libnccl.so.2", "libcudart.so.13")]
    pythons = ["/usr/bin/python3"] + sorted(glob.glob("/root/.pyenv/versions/3.1[0-9]*/bin/python3"))[-1:]
    environment = {**os.environ, "RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "1", "SLURM_PROCID": "9"}
    with Trace(build) as trace:
        told = []
        for number, python in enumerate(pythons):
            with Program(build, python, script, *libraries, name=f"workers{number}", env=environment) as program:
                trace.probed("libnccl.so.2", "libcudart.so.13")
                program.go().end()
                told += program.lines()
                parent = trace.recording.rows("SELECT DISTINCT rank, local_rank, world_size FROM events WHERE pid = ? AND "
                                              "kind <> 'host'", program.process.pid)
                check([tuple(row) for row in parent] == [(0, 0, 1)], f"the program itself: {[tuple(row) for row in parent]}")
        trace.stop()
    check(len(told) == 8 * len(pythons), f"{told}")
    for line in told:
        found = [tuple(row) for row in trace.recording.rows(
            "SELECT DISTINCT rank, local_rank, world_size FROM events WHERE pid = ? AND kind <> 'host'", line["pid"])]
        check(found == [(line["rank"], line["local_rank"], 4)], f"{line}: {found}")
        calls = trace.recording.one("SELECT count(*) FROM events WHERE pid = ? AND kind <> 'host'", line["pid"])
        check(calls == {"called": 3, "silent": 2, "alone": 1}[line["kind"]], f"{line}: {calls} calls")
        global_ranks = {row["global_rank"] for row in trace.recording.rows(
            "SELECT global_rank FROM collectives WHERE pid = ?", line["pid"])}
        check(global_ranks == (set() if line["kind"] == "alone" else {line["rank"]}), f"{line}: {global_ranks}")
    say(workers=len(told), pythons=pythons)


TESTS = (EightRanksAreWhoTheySayTheyAre, EightRanksAreWhoTheySayTheyAreWithMultiLinks,
         CallsAreKeptWhereSwitchesFillTheRing, WorkersThatAreToldTheirRankAfterTheirStartHaveIt,
         CommunicatorsMadeInEveryWayAreKnown, ACommunicatorOlderThanItsTraceIsKnown,
         ANodeThatCameLateHasTheCommunicatorsOfTheOthers, ALateAttachSaysWhatItDoesNotKnow,
         MissingRanksAreNamedWhileTheOthersWait, MetricsOfCollectivesAreWhatTheRecordingHolds,
         LinesOfATraceSayTheCollective, TheRealLibraryIsReadRight)
