"""Probes come back: an ordinary user's copies of a library leave others' calls whole, and a deleted file's number that
goes to a library is a library.

The programs are this file again (its last part), so that the user's needs nothing but an interpreter.
"""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import time

PYTHON = "/usr/bin/python3"
USER = 65534
CALLS = 5000


# What the programs do. The stand-in's cudaFree() takes a pointer and returns at once.
def calls_of(path, gate, count):
    """Maps a library, and calls it on request."""
    library = ctypes.CDLL(path)
    print("ready", flush=True)
    while not os.path.exists(gate):
        time.sleep(0.01)
    for _ in range(int(count)):
        library.cudaFree(None)


def unload(library):
    dlclose = ctypes.CDLL(None).dlclose
    dlclose.argtypes = [ctypes.c_void_p]
    dlclose(library._handle)


def copies_of(path, folder, one_by_one, at_once):
    """Maps copies of a library, one after the other, and then many together; all are deleted."""
    def copy(number):
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        library = ctypes.CDLL(shutil.copy(path, own))
        shutil.rmtree(own)
        return library

    for number in range(int(one_by_one)):
        library = copy(number)
        time.sleep(0.01)  # it gets its probes
        unload(library)
    kept = [copy(number) for number in range(int(at_once))]
    print("at once", flush=True)
    time.sleep(1)
    for library in kept:
        unload(library)


def numbers_of(other, path, folder, rounds, files):
    """Libraries that get the inode numbers of deleted files of no interest: ten calls each. Says how many did."""
    reused = made = 0
    for turn in range(int(rounds)):
        def names(kind):
            return [os.path.join(folder, f"{turn}-{number}-{kind}") for number in range(int(files))]

        former = []
        for name in names("other.so"):
            shutil.copyfile(other, name)
            former.append(ctypes.CDLL(name))
        inodes = {os.stat(name).st_ino for name in names("other.so")}
        time.sleep(0.5)  # they are looked at
        for library in former:
            unload(library)
        for name in names("other.so"):
            os.unlink(name)
        libraries = []
        for name in names("library.so"):
            shutil.copyfile(path, name)
            reused += os.stat(name).st_ino in inodes
            libraries.append(ctypes.CDLL(name))
        time.sleep(1.5)  # and have probes
        for library in libraries:
            for _ in range(10):
                library.cudaFree(None)
            made += 10
        for library in libraries:
            unload(library)
        for name in names("library.so"):
            os.unlink(name)
    print(json.dumps({"reused": reused, "made": made}), flush=True)


if __name__ == "__main__":
    {"calls": calls_of, "copies": copies_of, "numbers": numbers_of}[sys.argv[1]](*sys.argv[2:])
    sys.exit(0)

from harness import Skip, Trace, check, in_time, say, until  # noqa: E402


def start(*arguments, user=None):
    who = {"user": user, "group": user, "extra_groups": []} if user else {}
    if not os.access(PYTHON, os.X_OK):  # another one may be its owner's alone
        raise Skip(f"no {PYTHON}, which every user may run")
    return subprocess.Popen([PYTHON, "-B", os.path.abspath(__file__), *(str(one) for one in arguments)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, **who)


def folder_of(build, name, user=0):
    path = build.path(name)
    os.makedirs(path)
    os.chown(path, user, user)
    return path


def library(build):
    """One with as many functions as the real one."""
    return build.stand_in("plain", "libcudart.so.*")[0]


class Honest:
    """Root's program, with a copy of the library of its own."""

    def __init__(self, build, trace, name):
        self.folder = folder_of(build, name)
        self.path = shutil.copy(library(build), self.folder)
        self.gate = os.path.join(self.folder, "go")
        self.process = start("calls", self.path, self.gate, CALLS)
        check(self.process.stdout.readline() == "ready\n", "root's program did not start")

        def probed():
            with open(trace.log, encoding="utf-8", errors="replace") as log:
                return any(f"{self.path}: " in line and " probes attached" in line for line in log)

        until(probed, 10, f"probes are on {self.path}")

    def call(self):
        with open(self.gate, "wb"):
            pass

    def end(self):
        check(self.process.wait(30) == 0, "root's program failed")
        self.process.stdout.close()
        return self.process.pid


def used_by(pid):
    """Descriptors, and MiB of resident memory."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))
    return len(os.listdir(f"/proc/{pid}/fd")), resident / 1024


def while_copied(build, trace, name, one_by_one, at_once):
    """Root's programs, while a user maps copies and after that. Returns their process ids, and the agent's descriptors
    while most of the copies were mapped."""
    user = start("copies", library(build), folder_of(build, name, USER), one_by_one, at_once, user=USER)
    during = Honest(build, trace, name + "-during")
    during.call()
    check(user.stdout.readline() == "at once\n", "the user's program failed")
    pids = [during.end()]
    most, _ = used_by(trace.process.pid)
    user.communicate(timeout=60)
    after = Honest(build, trace, name + "-after")
    after.call()
    pids.append(after.end())
    for one in (during, after):
        shutil.rmtree(one.folder)
    return pids, most


def copies(build, one_by_one, at_once):
    with Trace(build) as trace:
        agent = trace.process.pid
        pids, _ = while_copied(build, trace, "first", min(one_by_one, 50), at_once)
        time.sleep(9)  # it gives back what it has freed every 5 s
        descriptors, memory = used_by(agent)
        more, most = while_copied(build, trace, "second", one_by_one, at_once)
        pids += more
        until(lambda: used_by(agent)[0] <= descriptors * 1.1, 10, f"there are {descriptors} descriptors again")
        time.sleep(6)
        last_descriptors, last_memory = used_by(agent)
        trace.stop()
    seen = [len(trace.recording.calls("pid = ?", pid)) for pid in pids]
    losses = trace.recording.losses()
    say(recorded=seen, of=CALLS, descriptors=[descriptors, most, last_descriptors],
        resident_mib=[round(memory, 1), round(last_memory, 1)], losses=losses)
    check(seen == [CALLS] * 4, f"{seen} of {CALLS} calls each: {losses}")
    if not build.sanitized:  # a sanitizer keeps what was freed
        in_time(last_memory <= memory * 1.1, f"{last_memory:.1f} MiB, {memory:.1f} before")


def AUsersCopiesTakeNoProbesFromOthersAndComeBack(build):
    copies(build, 150, 100)


def AThousandCopiesOfAUserTakeNoProbesFromOthers(build):
    copies(build, 1000, 100)


def numbers(build, rounds, files):
    other = os.path.join(build.fakes, "libstack_stripped.so")
    with Trace(build) as trace:
        program = start("numbers", other, library(build), folder_of(build, "numbers"), rounds, files)
        words = program.communicate(timeout=120)[0]
        check(program.returncode == 0, "the program failed")
        told = json.loads(words)
        trace.stop()
    seen = len(trace.recording.calls("pid = ?", program.pid))
    say(recorded=seen, **told, losses=trace.recording.losses())
    if told["reused"] < rounds * files / 2:
        raise Skip("this file system gives new files other numbers than deleted ones had")
    check(seen == told["made"], f"{seen} of {told['made']} calls: {trace.recording.losses()}")


def ANumberOfADeletedFileThatGoesToALibraryIsALibrary(build):
    numbers(build, 2, 25)


def AHundredNumbersOfDeletedFilesAreLibraries(build):
    numbers(build, 4, 25)


TESTS = (AUsersCopiesTakeNoProbesFromOthersAndComeBack, ANumberOfADeletedFileThatGoesToALibraryIsALibrary)
FULL = (AThousandCopiesOfAUserTakeNoProbesFromOthers, AHundredNumbersOfDeletedFilesAreLibraries)
