"""Where a thread's time goes between its calls: what it waited for, who it waited for, and what it computed, next to the
program's own clock."""
import os
import socket
import subprocess
import sys

from harness import Trace, check, json_lines, say, tool

# Steps of a training loop whose batches come from a worker through multiprocessing.Queue. Its own clock around each wait.
LOADER = """
import ctypes, json, multiprocessing, os, sys, threading, time

def say(**values):
    # One write: print() makes two where the output is unbuffered, and another process's line may come between them.
    sys.stdout.write(json.dumps(values) + chr(10))
    sys.stdout.flush()

def work(queue, steps):
    for step in range(steps):
        time.sleep(0.03)
        queue.put(bytes(1000))
    say(worker=os.getpid())
    time.sleep(0.3)

library = ctypes.CDLL(sys.argv[1])
steps = int(sys.argv[2])
queue = multiprocessing.Queue(2)
library.cudaDeviceSynchronize()
time.sleep(1.2)
worker = multiprocessing.Process(target=work, args=(queue, steps))
worker.start()
waited = 0
for step in range(steps):
    begin = time.monotonic_ns()
    queue.get()
    end = time.monotonic_ns()
    if step >= 5:
        waited += end - begin
    else:
        first = end
    library.cudaDeviceSynchronize()
say(**{"pid": os.getpid(), "tid": threading.get_native_id(), "waited_ns": waited, "from": first,
       "to": time.monotonic_ns()})
worker.join()
"""

# A loop that computes in one function, outside of the calls.
HOST = """
import ctypes, json, os, sys, threading, time

def collate(ns):
    end = time.thread_time_ns() + ns
    total = 0
    while time.thread_time_ns() < end:
        for i in range(2000):
            total += i * i
    return total

library = ctypes.CDLL(sys.argv[1])
library.cudaDeviceSynchronize()
begin = time.monotonic()
computed = 0
while time.monotonic() - begin < 6:
    if time.monotonic() - begin > 3:
        computed += 20_000_000
    elif computed == 0:
        since = time.monotonic_ns()
    collate(20_000_000)
    library.cudaDeviceSynchronize()
print(json.dumps({"pid": os.getpid(), "tid": threading.get_native_id(), "computed_ns": computed}), flush=True)
"""


# A server that waits for any of its descriptors, for a client that asks ten times a second.
SERVER = """
import ctypes, json, os, select, socket, sys

library = ctypes.CDLL(sys.argv[1])
if sys.argv[2].isdigit():
    listening = socket.create_server(("127.0.0.1", int(sys.argv[2])))
else:
    listening = socket.create_server(sys.argv[2], family=socket.AF_UNIX)
waits = select.epoll()
waits.register(listening, select.EPOLLIN)
client = None
for round in range(40):
    library.cudaDeviceSynchronize()
    waits.poll()
    if client is None:
        client, _ = listening.accept()
        waits.register(client, select.EPOLLIN)
    else:
        client.recv(16)
print(json.dumps({"pid": os.getpid()}), flush=True)
"""
CLIENT = """
import socket, sys, time

while True:
    try:
        if sys.argv[1].isdigit():
            server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        else:
            server = socket.socket(socket.AF_UNIX)
            server.connect(sys.argv[1])
        break
    except OSError:
        time.sleep(0.1)
try:
    while True:
        time.sleep(0.1)
        server.sendall(b"work")
except OSError:
    pass
"""


# A loop that another process lets go on, by a signal and by a semaphore, each after 40 ms.
LET_ON = """
import ctypes, json, os, signal, sys, time

class Operation(ctypes.Structure):
    _fields_ = [("number", ctypes.c_ushort), ("change", ctypes.c_short), ("flags", ctypes.c_short)]

library, libc = ctypes.CDLL(sys.argv[1]), ctypes.CDLL(None)
semaphore = libc.semget(0, 1, 0o1600)
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
library.cudaDeviceSynchronize()
time.sleep(1.2)
other = os.fork()
if other == 0:
    for step in range(30):
        time.sleep(0.04)
        os.kill(os.getppid(), signal.SIGUSR1)
        time.sleep(0.04)
        libc.semop(semaphore, ctypes.byref(Operation(0, 1, 0)), 1)
    os._exit(0)
for step in range(30):
    signal.sigwait({signal.SIGUSR1})
    library.cudaDeviceSynchronize()
    libc.semop(semaphore, ctypes.byref(Operation(0, -1, 0)), 1)
    library.cudaDeviceSynchronize()
libc.semctl(semaphore, 0, 0)
print(json.dumps({"pid": os.getpid(), "other": other}), flush=True)
"""


# Two loops, each of which waits for the lock on a file that has the other's inode number, on another file system. The
# last argument is the folder of the second.
LOCKS = """
import ctypes, fcntl, json, os, sys, time

library = ctypes.CDLL(sys.argv[1])
paths = [os.path.join(folder, name) for folder, name in zip(sys.argv[2:], ("first", "second"))]
files = [open(path, "w") for path in paths]
inodes = [os.fstat(file.fileno()).st_ino for file in files]
loops = []
for path in paths:
    loops.append(os.fork())
    if loops[-1] == 0:
        break
    if (holder := os.fork()) == 0:
        with open(path) as own:
            for step in range(60):
                fcntl.flock(own, fcntl.LOCK_EX)
                time.sleep(0.04)
                fcntl.flock(own, fcntl.LOCK_UN)
                time.sleep(0.01)
        os._exit(0)
if loops[-1] != 0:
    for _ in range(4):
        os.wait()
    print(json.dumps({"inodes": inodes, "paths": paths, "loops": loops}), flush=True)
else:
    with open(path) as own:
        library.cudaDeviceSynchronize()
        for step in range(50):
            fcntl.flock(own, fcntl.LOCK_EX)
            fcntl.flock(own, fcntl.LOCK_UN)
            library.cudaDeviceSynchronize()
            time.sleep(0.02)
"""


def runtime(build):
    return build.stand_in("plain", "libcudart*")[0]


def ALoopThatWaitsForItsLoaderIsFollowedIntoTheWorker(build):
    with Trace(build, command=[sys.executable, "-c", LOADER, runtime(build), "60"]) as trace:
        check(trace.wait() == 0, "the command failed")
    said = {key: value for line in json_lines(trace.output) for key, value in line.items()}
    waits = trace.recording.rows("SELECT * FROM thread_waits WHERE tid = ? AND start_mono_ns BETWEEN ? AND ?",
                                 said["tid"], said["from"], said["to"])
    check(waits, "not one wait of the loop was recorded")
    by_kind, by_waker = {}, {}
    for wait in waits:
        asleep = wait["blocked_ns"] + wait["io_ns"]
        by_kind[wait["kind"]] = by_kind.get(wait["kind"], 0) + asleep
        by_waker[wait["waker_pid"]] = by_waker.get(wait["waker_pid"], 0) + asleep
    say(own_clock_ms=said["waited_ns"] / 1e6, by_kind={k: v / 1e6 for k, v in by_kind.items()}, by_waker=by_waker,
        losses=trace.recording.losses())
    asleep = sum(by_kind.values())
    check(0.9 * said["waited_ns"] <= asleep <= 1.01 * said["waited_ns"],
          f"asleep for {asleep / 1e6} ms, by its own clock {said['waited_ns'] / 1e6} ms")
    check(by_kind.get("pipe", 0) >= 0.9 * asleep, f"the loop waits for a pipe: {by_kind}")
    check(by_waker.get(said["worker"], 0) >= 0.9 * asleep, f"the worker {said['worker']} ends its waits: {by_waker}")
    # One link further: the worker's feeder thread waits for its main thread, which sleeps.
    feeder = trace.recording.rows("SELECT waker_pid, waker_tid, sum(blocked_ns) AS ns FROM thread_waits WHERE pid = ? AND "
                                  "tid <> pid AND kind = 'futex' AND start_mono_ns BETWEEN ? AND ? GROUP BY 1, 2 ORDER BY "
                                  "3 DESC", said["worker"], said["from"], said["to"])
    check(feeder and feeder[0]["waker_tid"] == said["worker"],
          f"the feeder waits for the worker's main thread: {[tuple(row) for row in feeder]}")
    slept = trace.recording.one("SELECT coalesce(sum(blocked_ns), 0) FROM thread_waits WHERE tid = ? AND kind = 'sleep' AND "
                                "start_mono_ns BETWEEN ? AND ?", said["worker"], said["from"], said["to"])
    check(slept >= 0.8 * asleep, f"the worker slept for {slept / 1e6} of {asleep / 1e6} ms")


def WhatAThreadComputesOutsideCallsHasItsLines(build):
    with Trace(build, command=[sys.executable, "-c", HOST, runtime(build)]) as trace:
        check(trace.wait() == 0, "the command failed")
    said = json_lines(trace.output)[0]
    rows = trace.recording.rows(
        "SELECT c.weight_ns AS ns, c.start + k.mono_ns AS at, t.frames AS frames FROM cpu_samples c JOIN threads h ON "
        "h.id = c.thread JOIN clocks k ON k.id = c.clock LEFT JOIN stacks s ON s.id = c.stack LEFT JOIN stack_traces t ON "
        "t.hash = s.hash WHERE h.tid = ? ORDER BY 2", said["tid"])
    check(rows, f"not one sample: {trace.recording.losses()}")
    last = [row for row in rows if row["at"] >= rows[-1]["at"] - 2_900_000_000]
    total = sum(row["ns"] for row in last)
    here = sum(row["ns"] for row in last if row["frames"] and '"collate"' in row["frames"])
    say(samples=len(rows), sampled_ms=total / 1e6, in_collate_ms=here / 1e6, own_clock_ms=said["computed_ns"] / 1e6,
        losses=trace.recording.losses())
    check(here >= 0.9 * total, f"{here / 1e6} of {total / 1e6} ms were sampled where the program computes")
    check(0.75 * said["computed_ns"] <= total <= 1.25 * said["computed_ns"],
          f"sampled {total / 1e6} ms, computed {said['computed_ns'] / 1e6} ms")


def AWaitForAnyOfSeveralIsForTheClientThatEndedIt(build):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    for address in (port, build.path("server.socket")):
        with subprocess.Popen([sys.executable, "-c", CLIENT, address]) as client:
            try:
                with Trace(build, command=[sys.executable, "-c", SERVER, runtime(build), address]) as trace:
                    check(trace.wait() == 0, "the command failed")
            finally:
                client.kill()
        pid = json_lines(trace.output)[0]["pid"]
        waits = trace.recording.rows("SELECT waker_pid, accepted, local_port FROM thread_waits WHERE pid = ? AND "
                                     "kind = 'poll' AND blocked_ns > 50000000", pid)
        ended = [wait for wait in waits if wait["waker_pid"] == client.pid]
        say(address=address, waits=len(waits), ended_by_client=len(ended))
        check(len(ended) >= 10, f"{len(ended)} of {len(waits)} waits were ended by the client {client.pid}")
        expected = int(port) if address == port else None
        check(all(wait["accepted"] == 1 and wait["local_port"] == expected for wait in ended),
              f"a client's connection to {address}: {[tuple(wait) for wait in ended]}")


def WaitsOfOtherKindsHaveWhoEndedThem(build):
    with Trace(build, command=[sys.executable, "-c", LET_ON, runtime(build)]) as trace:
        check(trace.wait() == 0, "the command failed")
    said = json_lines(trace.output)[0]
    waits = trace.recording.rows("SELECT syscall, count(*) AS all_of, sum(coalesce(waker_pid, 0) = ?) AS ended FROM "
                                 "thread_waits WHERE pid = ? AND kind = 'other' AND blocked_ns > 20000000 GROUP BY 1",
                                 said["other"], said["pid"])
    say(waits=[tuple(wait) for wait in waits])
    known = [wait for wait in waits if wait["all_of"] >= 20]
    check(len(known) == 2, "a loop that waits for signals and semaphores waits in two system calls")
    check(all(wait["ended"] >= 0.9 * wait["all_of"] for wait in known), "the other process ended its waits")


def FilesWithOneInodeNumberOnTwoFileSystemsHaveTheirOwnNames(build):
    folders = [build.path("one"), build.path("two")]
    mounts = "mount -t tmpfs none {} && mount -t tmpfs none {} && ".format(*(f"'{folder}'" for folder in folders))
    for folder in folders:
        os.mkdir(folder)
    with Trace(build, command=[tool("unshare"), "--mount", "sh", "-c", mounts + 'exec "$@"', "sh", sys.executable, "-c",
                               LOCKS, runtime(build), *folders]) as trace:
        check(trace.wait() == 0, "the command failed: " + trace.stderr().decode())
    said = json_lines(trace.output)[0]
    check(len(set(said["inodes"])) == 1, f"the files have inodes {said['inodes']}: this would prove nothing")
    names = trace.recording.rows("SELECT pid, object_name AS name, count(*) AS waits FROM thread_waits WHERE kind = 'file' "
                                 "AND object = ? AND blocked_ns > 10000000 GROUP BY 1, 2", said["inodes"][0])
    say(names=[tuple(row) for row in names], losses=trace.recording.losses())
    for pid, path in zip(said["loops"], said["paths"]):
        found = {row["name"]: row["waits"] for row in names if row["pid"] == pid}
        check(set(found) == {path} and found[path] >= 10, f"process {pid} waited for {path}, and recorded is {found}")


TESTS = (AWaitForAnyOfSeveralIsForTheClientThatEndedIt, ALoopThatWaitsForItsLoaderIsFollowedIntoTheWorker,
         FilesWithOneInodeNumberOnTwoFileSystemsHaveTheirOwnNames, WaitsOfOtherKindsHaveWhoEndedThem,
         WhatAThreadComputesOutsideCallsHasItsLines)
