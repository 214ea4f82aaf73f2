"""A recording is whole, or says what is missing: a tracer that is killed, a full disk, programs that are over at once,
libraries that cannot be probed; a trace of one command, which no other program pays for; logs that are rotated."""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time

from harness import Late, Skip, Trace, at_best, check, run, say, tool, until

NOTHING = "Nothing was lost"
LIBRARY = """
int cudaMalloc(void** memory, unsigned long bytes) { return memory && bytes ? 2 : 1; }
int cudaFree(void* memory) { return memory ? 1 : 0; }
int cudaDeviceSynchronize(void) { return 0; }
"""
# Calls for the given milliseconds, or the given number of times, and says how many calls it made and what one took.
CALLER = r"""
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e3 + t.tv_nsec / 1e6; }
int main(int argc, char** argv) {
  void* library = dlopen(argv[1], RTLD_NOW);
  int (*call)(void*) = library ? (int (*)(void*))dlsym(library, "cudaFree") : 0;
  if (!call) { fprintf(stderr, "%s\n", dlerror()); return 1; }
  const double milliseconds = atof(argv[2]), begin = now();
  const long most = argc > 3 ? atol(argv[3]) : 1L << 62;
  long calls = 0;
  double end = begin;
  while (calls < most && (end = now()) - begin < milliseconds)
    for (int i = 0; i < 1000 && calls < most; ++i, ++calls) call(0);
  printf("{\"calls\": %ld, \"ns\": %.3f}\n", calls, (end - begin) * 1e6 / calls);
  return 0;
}
"""
# Maps a file as code, as a loader does.
MAPPER = r"""
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char** argv) {
  int file = open(argv[1], O_RDONLY);
  if (argc < 2 || file < 0 || mmap(0, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0) == MAP_FAILED) return 1;
  usleep(300000);
  return 0;
}
"""


def compiled(build, name, text, *flags):
    source, output = build.path(name + ".c"), build.path(name)
    with open(source, "w", encoding="ascii") as file:
        file.write(text)
    run(tool("cc"), "-O2", "-o", output, source, *flags)
    return output


def runtime(build, folder="lib", *flags):
    os.makedirs(build.path(folder), exist_ok=True)
    return compiled(build, os.path.join(folder, "libcudart.so.12"), LIBRARY, "-shared", "-fPIC", *flags)


def explained(build, path, good=(0,)):
    return run(build.agent, "explain", "--db", path, good=good).stdout


def report(build, path):
    return json.loads(run(build.agent, "explain", "--db", path, "--json").stdout)


def AKilledTracerNeverSaysThatNothingWasLost(build):
    caller, library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
    unreadable = 0
    for number in range(20):
        database = build.path(f"killed{number}.db")
        errors = build.path("killed.err")
        with open(errors, "wb") as file:
            trace = subprocess.Popen([build.agent, "trace", "--db", database, "--", caller, library, "1500"], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=file)
        if number % 5:  # each fifth is killed while it starts
            until(lambda: b"tracing (" in open(errors, "rb").read() or trace.poll() is not None, 30, "the trace starts")
        time.sleep(random.uniform(0, 1.2))
        trace.kill()
        trace.wait()
        done = run(build.agent, "explain", "--db", database, good=None)
        check(NOTHING not in done.stdout, f"{number}: {done.stdout}")
        if done.returncode != 0:  # killed before there was a recording: an error that names the file
            unreadable += 1
            check(database in done.stderr, done.stderr)
            continue
        check("no proper end" in done.stdout, done.stdout)
        answer = report(build, database)
        check(answer["losses"] is None and answer["recording"]["not_ended"], answer["losses"])
        tool_answer = json.loads(run(build.agent, "ask", "get_trace_stats", "--db", database).stdout)
        check(tool_answer["lost"] is None and tool_answer["recording"]["not_ended"], tool_answer["recording"])
    check(unreadable < 20, "every tracer was killed before it recorded")
    copy = build.path("copy.db")
    shutil.copy(database, copy)
    done = run(build.agent, "explain", "--db", copy, good=None)
    check(done.returncode != 0 or f"{copy}-wal" in done.stdout, done.stdout)
    say(killed=20, unreadable=unreadable)


def AFullDiskIsSaidByTheRecordingItself(build):
    disk = build.path("disk")
    os.makedirs(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=3m", "none", disk], check=False).returncode != 0:
        raise Skip("a tmpfs cannot be mounted here")
    try:
        caller, library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
        database = os.path.join(disk, "run.db")
        done = run(build.agent, "trace", "--db", database, "--", caller, library, "60000", "200000", good=None)
        answer = report(build, database)
        text = explained(build, database)
        check(NOTHING not in text, text)
        losses = {one["name"]: one["count"] for one in answer["losses_at_least"]}
        say(losses=losses, events=answer["recording"]["events"], not_ended=answer["recording"]["not_ended"])
        check(losses.get("store_failed", 0) > 0 or answer["losses"] is None, f"{losses}\n{done.stderr}")
    finally:
        subprocess.run(["umount", disk], check=False)


def ProgramsThatAreOverAtOnceAreSeenOrCounted(build):
    """20 programs of some milliseconds, each with a library file that no process has mapped before."""
    caller, made = compiled(build, "caller", CALLER, "-ldl"), 1077
    runtime(build)
    with Trace(build) as trace:
        pids = {}
        for number in range(20):
            folder = build.path(f"fresh{number}")
            os.makedirs(folder)
            library = shutil.copy(build.path("lib/libcudart.so.12"), os.path.join(folder, "libcudart.so.12"))
            program = subprocess.Popen([caller, library, "60000", str(made)], stdout=subprocess.DEVNULL)
            pids[program.pid] = program
            check(program.wait() == 0, "the program failed")
        time.sleep(1)
        trace.stop()
    counts = {row["pid"]: row["n"] for row in trace.recording.rows(
        f"SELECT pid, count(*) AS n FROM events WHERE call = 'cudaFree' AND pid IN ({','.join(map(str, pids))}) GROUP BY 1")}
    rows = {row["name"]: row for row in trace.recording.rows("SELECT name, count, sentence FROM loss")}
    missed = sum(counts.get(pid, 0) != made for pid in pids)
    accounted = rows["process_unprobed"]["count"] if "process_unprobed" in rows else 0
    partly = sum(0 < counts.get(pid, 0) < made for pid in pids)
    say(whole=20 - missed, missed=missed, process_unprobed=accounted, attach_window=rows.get("attach_window", {"count": 0})["count"])
    check(accounted + partly >= missed and accounted <= 20, f"{counts}\n{ {name: tuple(row) for name, row in rows.items()} }")
    named = rows["process_unprobed"]["sentence"] if accounted else ""
    unseen = [pid for pid in pids if counts.get(pid, 0) == 0]
    check(all(f"process {pid} with " in named for pid in unseen), f"not by name: {unseen}\n{named}")
    if missed > partly:
        check("Nothing was lost" not in explained(build, trace.recording.path), "explain says that nothing was lost")


def AnInstalledLibraryIsProbedBeforeItsFirstProgram(build):
    caller = compiled(build, "caller", CALLER, "-ldl")
    installed = "/usr/local/lib/libcudart.so.12.99.99"
    if os.path.exists(installed):
        raise Skip(f"{installed} is there already")
    shutil.copy(runtime(build), installed)
    try:
        with Trace(build) as trace:
            run(caller, installed, "60000", "1077")
            time.sleep(0.5)
            trace.stop()
        check(trace.recording.one("SELECT count(*) FROM events WHERE call = 'cudaFree' AND library LIKE '%12.99.99'") == 1077,
              trace.recording.losses())
    finally:
        os.unlink(installed)


def ALibraryThatCannotBeProbedIsOneSentence(build):
    """32-bit Arm, and the 32-bit pointers of x32: made of the header of a 64-bit one. A program maps it as code."""
    mapper = compiled(build, "mapper", MAPPER)
    for machine in (40, 62):  # EM_ARM, EM_X86_64
        library = runtime(build, f"machine{machine}")
        with open(library, "r+b") as file:
            file.seek(4)
            file.write(b"\1")  # ELFCLASS32
            file.seek(18)
            file.write(machine.to_bytes(2, "little"))
        with Trace(build, command=[mapper, library], name=f"machine{machine}") as trace:
            check(trace.wait() == 0, "the command failed")
        text = explained(build, trace.recording.path)
        check("library_unsupported: 1" in text and library in text, text)
        check("64-bit" in trace.stderr().decode(), trace.stderr())


def loop(build, caller, library, milliseconds):
    return json.loads(run(caller, library, str(milliseconds)).stdout)["ns"]


def NobodyElsePaysForTheTraceOfACommand(build):
    def once():
        caller, library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
        ratios = []
        for _ in range(5):
            before = loop(build, caller, library, 300)
            with Trace(build, command=["sleep", "1.5"]) as trace:
                during = loop(build, caller, library, 300)
                trace.wait()
            ratios.append(during / before)
            check("libcudart" not in trace.stderr().decode(), trace.stderr().decode())
        ratio = sorted(ratios)[2]
        say(ratios=[round(one, 3) for one in ratios], median=round(ratio, 3))
        if ratio > 1.02:
            raise Late(f"a call of another program takes {ratio:.3f} of before")

    at_best(build, once)


def AChildOfATracedProcessHasItsLibraryProbed(build):
    """--pid of a shell: what it starts later maps the library, and is recorded; a stranger's file is left alone."""
    caller, library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
    stranger = runtime(build, "stranger")
    gate = build.path("gate")
    shell = subprocess.Popen(["sh", "-c", f"until [ -e {gate} ]; do sleep 0.1; done; {caller} {library} 3000; exit 0"],
                             stdout=subprocess.DEVNULL)
    try:
        with Trace(build, "--pid", str(shell.pid)) as trace:
            run(caller, stranger, "300")
            with open(gate, "wb"):
                pass
            check(shell.wait() == 0, "the shell failed")
            trace.stop()
    finally:
        shell.kill()
        shell.wait()
    libraries = {row["library"] for row in trace.recording.rows("SELECT DISTINCT library FROM events WHERE call = 'cudaFree'")}
    check(libraries == {library}, libraries)
    check("stranger" not in trace.stderr().decode(), trace.stderr().decode())


def AnInterruptSaysWhatBecomesOfTheCommand(build):
    with Trace(build, command=["sleep", "30"]) as trace:
        trace.stop()
        sentence = trace.stderr().decode()
        found = re.search(r"the command \(pid (\d+)\) goes on without being traced", sentence)
        check(found, sentence)
        os.kill(int(found.group(1)), signal.SIGTERM)  # it is there


def ALogIsRotated(build):
    with Trace(build) as trace:
        os.rename(trace.log, trace.log + ".1")
        trace.process.send_signal(signal.SIGHUP)
        until(lambda: os.path.exists(trace.log), 5, "a new log is there after SIGHUP")
        check(trace.process.poll() is None, "SIGHUP ended the trace")
        os.rename(trace.log, trace.log + ".2")
        until(lambda: os.path.exists(trace.log), 5, "a new log is there without a signal")
        trace.stop()


def TheFileStaysUnderItsLimit(build):
    caller, library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
    for limit in (2, 10):
        clean_name = f"limit{limit}"
        with Trace(build, "--max-db", f"{limit}m", command=[caller, library, "4000"], name=clean_name) as trace:
            check(trace.wait() == 0, "the command failed")
        size = sum(os.path.getsize(trace.recording.path + end) for end in ("", "-wal", "-shm")
                   if os.path.exists(trace.recording.path + end))
        say(limit_mb=limit, mb=round(size / 2**20, 2), losses=trace.recording.losses())
        check(size <= limit * 2**20 * 1.1, f"{size} bytes of {limit} MiB")


TESTS = (AKilledTracerNeverSaysThatNothingWasLost, AFullDiskIsSaidByTheRecordingItself, ProgramsThatAreOverAtOnceAreSeenOrCounted,
         AnInstalledLibraryIsProbedBeforeItsFirstProgram, ALibraryThatCannotBeProbedIsOneSentence,
         NobodyElsePaysForTheTraceOfACommand, AChildOfATracedProcessHasItsLibraryProbed,
         AnInterruptSaysWhatBecomesOfTheCommand, ALogIsRotated, TheFileStaysUnderItsLimit)
SHARED = (AKilledTracerNeverSaysThatNothingWasLost, TheFileStaysUnderItsLimit)
