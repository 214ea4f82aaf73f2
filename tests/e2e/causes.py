"""Causes: what is planted next to a traced program is named, live and replayed alike."""
import json
import os
import subprocess
import time

from harness import Program, Skip, Trace, check, json_lines, run, say
from times import traced


def incidents(build, recording, *options):
    """What explain finds; and what the live engine stored."""
    found = json.loads(run(build.agent, "explain", "--db", recording.path, "--json", *options).stdout)["incidents"]
    stored = json.loads(run(build.agent, "explain", "--db", recording.path, "--chains", "--json").stdout)
    return found, stored


def ACompetitorIsNamed(build):
    _, recording = traced(build, "preempt", "100000", "12")
    found, stored = incidents(build, recording)
    causes = [chain for chain in found if chain["rule"] == "cpu_preemption"]
    say(found=[chain["summary"] for chain in found])
    check(causes and "competitor" in causes[0]["root_cause"], f"who had the CPU is not named: {found}")
    check(found[0] == causes[0], f"something else is called worse: {found[0]['summary']}")
    check(any("taskset" in fix for fix in causes[0]["recommendations"]), f"no command: {causes[0]['recommendations']}")
    evidence = causes[0]["evidence"][0]
    rows = json.loads(run(build.agent, "query", "--db", recording.path, "--json", evidence["query"]).stdout)
    check(len(rows) == 1 and rows[0]["duration"] == evidence["duration_ns"], f"{evidence}: {rows}")


def APinnedProgramIsNamedTheCpusThatItMayUse(build):
    """The program and its competitor are bound to one CPU; the others have nothing to do."""
    with open("/sys/devices/system/cpu/online", encoding="ascii") as file:
        online = file.read().strip()
    if os.cpu_count() == 1:
        raise Skip("this machine has one CPU")
    lines, recording = traced(build, "preempt", "100000", "12")
    pid = json_lines(lines)[0]["pid"]
    rows = recording.rows("SELECT pid, cpus, threads, online FROM cpu_affinity ORDER BY mono_ns")
    say(rows=[tuple(row) for row in rows])
    own = [row for row in rows if row["pid"] == pid]
    check(own and all(row["online"] == online and row["cpus"].isdigit() and row["threads"] == 1 for row in own), f"{online}")
    busy = recording.rows("SELECT max(cpu_pct) AS most FROM system_snapshots")[0]["most"]
    if busy >= 90:
        raise Skip(f"something else keeps the other CPUs busy: {busy} %")
    found, _ = incidents(build, recording)
    cause = found[0]
    say(summary=cause["summary"], root_cause=cause["root_cause"])
    only = f"may run on CPU {own[0]['cpus']} only, 1 of the machine's {os.cpu_count()}"
    check(only in cause["summary"], cause["summary"])
    check(f"taskset -acp {online} {pid}" in cause["recommendations"][0], f"{cause['recommendations']}")
    check_same(build, "preempt", recording)


def APinnedProgramThatDoesNotWaitIsNotAccused(build):
    _, recording = traced(build, "spin", "2000", "2000", prefix=("taskset", "-c", "0"))
    found, _ = incidents(build, recording)
    check(not any("may run on" in chain["summary"] for chain in found), f"{[chain['summary'] for chain in found]}")


def check_same(build, scenario, recording):
    """What explain finds is what the live engine stored."""
    def plain(chains):
        keys = ("id", "rule", "severity", "grade", "pid", "tid", "summary", "root_cause", "lost_ns", "onset", "end",
                "symptoms", "recommendations")
        return sorted(tuple(str(chain[key]) for key in keys) for chain in chains)

    found, stored = incidents(build, recording)
    check(plain(found) == plain(stored), f"{scenario}: replayed {plain(found)}\nstored {plain(stored)}")
    return found


def LiveAndReplayedCausesAreTheSame(build):
    for scenario in (("preempt", "100000", "10"), ("read", "64"), ("spin", "2000", "500")):
        _, recording = traced(build, *scenario)
        check_same(build, scenario, recording)


def LiveAndReplayedCausesAreTheSameWhereNothingFollows(build):
    with Program(build, build.scenarios, "preempt", "100000", "10") as program, Trace(build) as trace:
        trace.probed("libcudart.so.12")
        program.go().end()
        time.sleep(4)
        trace.stop()
    found = check_same(build, "preempt", trace.recording)
    check(any(chain["rule"] == "cpu_preemption" for chain in found), f"nothing was found: {found}")


def DiskWaitsAreNamed(build):
    # The rule begins at 50 ms of waits in all: the program reads until it has waited longer, however fast the disk is.
    lines, recording = traced(build, "read", "64", "300")
    inside = next(line["expect"] for line in json_lines(lines) if "expect" in line)
    found, _ = incidents(build, recording)
    say(found=[chain["summary"] for chain in found], inside=inside, stored=[dict(row) for row in recording.rows(
        "SELECT io_ns, blocked_ns, preempted_ns, duration FROM events WHERE kind = 'sync'")])
    if inside["off_cpu_ns"] < 300e6:
        raise Skip("the file system under this folder answers direct reads without a wait")
    check(any(chain["rule"] == "block_io" for chain in found), f"{found}")


def ACallThatHangsIsTold(build):
    with Trace(build, command=[build.scenarios, "hang", "13"]) as trace:
        trace.wait()
    found, _ = incidents(build, trace.recording)
    check([chain["rule"] for chain in found if chain["rule"] == "never_returned"] == ["never_returned"], f"{found}")


def FollowingTellsACauseWhileItLastsAndEndsWithTheRecording(build):
    with Trace(build, command=[build.scenarios, "preempt", "100000", "12"]) as trace:
        follower = subprocess.Popen([build.agent, "explain", "--follow", "--json", "--db", trace.recording.path],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = json.loads(follower.stdout.readline())
        check(told["change"] == "found" and told["rule"] == "cpu_preemption", f"{told}")
        check(trace.process.poll() is None, "it was told when all was over")
        trace.wait()
    rest, said = follower.communicate(timeout=20)
    changes = [json.loads(line) for line in rest.splitlines()]
    check(all(change["change"] in ("found", "worse", "resolved") for change in changes), rest)
    check(follower.returncode == 0 and "has ended" in said, f"{follower.returncode}: {said}")


TESTS = (ACompetitorIsNamed, APinnedProgramIsNamedTheCpusThatItMayUse, APinnedProgramThatDoesNotWaitIsNotAccused,
         LiveAndReplayedCausesAreTheSame,
         LiveAndReplayedCausesAreTheSameWhereNothingFollows, DiskWaitsAreNamed, ACallThatHangsIsTold,
         FollowingTellsACauseWhileItLastsAndEndsWithTheRecording)
SHARED = (ACallThatHangsIsTold,)
