"""A program's own record of where its time went, by stamps of CLOCK_MONOTONIC that nothing else reads.

Each step is divided into parts that the program names itself; what lies between them is "host". Each part also notes
how long the thread was on a CPU in it, and how long inside calls of the device's libraries, by their own clock: the rest
of such a part is the interpreter's. The file TRUTH_DIR/steps.PID.json is written at the end.
"""
import contextlib
import json
import os
import sys
import threading
import time

inside_calls = [lambda: 0]  # gpu.py puts the libraries' own clock here


class Clock:
    """Stamps of one thread. `role` says what the program is to the judge: main, rank 3, worker, ..."""

    def __init__(self, role="main"):
        self.role = role
        self.steps = []
        self.parts = {}
        self.busy = {}
        self.inside = {}
        with open("/proc/thread-self/schedstat", encoding="ascii") as file:
            self.queued = int(file.read().split()[1])
        self.facts = {"pid": os.getpid(), "tid": threading.get_native_id(), "role": role, "argv": sys.argv}

    @contextlib.contextmanager
    def part(self, name):
        start, on_cpu, inside = time.monotonic_ns(), time.thread_time_ns(), inside_calls[0]()
        try:
            yield
        finally:
            self.inside[name] = self.inside.get(name, 0) + inside_calls[0]() - inside
            self.parts[name] = self.parts.get(name, 0) + time.monotonic_ns() - start
            self.busy[name] = self.busy.get(name, 0) + time.thread_time_ns() - on_cpu

    @contextlib.contextmanager
    def step(self):
        self.parts, self.busy, self.inside = {}, {}, {}
        start, on_cpu = time.monotonic_ns(), time.thread_time_ns()
        try:
            yield
        finally:
            self.steps.append({"start": start, "end": time.monotonic_ns(), "cpu": time.thread_time_ns() - on_cpu,
                               "parts": self.parts, "busy": self.busy, "inside": self.inside})

    def note(self, **facts):
        self.facts.update(facts)

    def write(self):
        """Also how long the thread was ready to run and did not: on a busy machine that is not the program's doing."""
        with open(f"/proc/self/task/{self.facts['tid']}/schedstat", encoding="ascii") as file:
            queued = int(file.read().split()[1])
        write_facts(f"steps.{os.getpid()}.json", {**self.facts, "queued_ns": queued - self.queued, "steps": self.steps})


def write_facts(name, facts):
    folder = os.environ.get("TRUTH_DIR")
    if folder:
        path = os.path.join(folder, name)
        with open(path + ".new", "w", encoding="ascii") as file:
            json.dump(facts, file)
        os.rename(path + ".new", path)


def deed(name, **facts):
    """A fact that must not be lost with the process: written at once."""
    write_facts(f"deed.{name}.{os.getpid()}.json", {"pid": os.getpid(), "tid": threading.get_native_id(),
                                                    "at": time.monotonic_ns(), **facts})


def burn(ms):
    """Keeps the CPU busy for this much CPU time of the thread: work, not a wait."""
    until = time.thread_time_ns() + int(ms * 1e6)
    total = 0
    while time.thread_time_ns() < until:
        total += sum(range(500))
    return total


def running(seconds):
    """True for this many seconds."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() < end
