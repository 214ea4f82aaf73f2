"""Files and memory that do not answer: others' calls are recorded, no fork() waits, Ctrl-C ends the trace, and
what was not read is named.

The file system is a real one (tests/fakes/silent_files.c) and ends by itself after SERVED seconds, whatever else
happens: an agent that waits for it stops fork() on the whole machine until then. So everything that is needed is started
before, and nothing here starts a process while it is silent but what is said to.
"""
import contextlib
import ctypes
import json
import os
import signal
import subprocess
import time
import urllib.request

from harness import Program, Trace, at_best, check, in_time, json_lines, say, until
from metrics import free_port

SERVED = 20
CALLS = 3000  # five a round, on two threads
FORK_MS = 50
END_S = 2
MNT_DETACH = 2
LIBC = ctypes.CDLL(None, use_errno=True)


class Silent:
    """A mounted file system that serves a copy of one file, until it is silenced."""

    def __init__(self, build, source, *options):
        self.folder = build.path("served")
        os.makedirs(self.folder, exist_ok=True)
        self.gate = build.path("silence")
        self.file = os.path.join(self.folder, os.path.basename(source))
        self.process = subprocess.Popen(
            [os.path.join(build.fakes, "silent_files"), self.folder, source, str(SERVED), "--gate", self.gate, *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        line = self.process.stdout.readline()
        check(line == b"ready\n", f"the file system does not serve: {line!r}")

    def silence(self):
        with open(self.gate, "wb"):
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()  # every wait for it ends
        self.process.wait()
        self.process.stdout.close()
        LIBC.umount2(self.folder.encode(), MNT_DETACH)
        os.rmdir(self.folder)
        if os.path.exists(self.gate):
            os.unlink(self.gate)


class ForkLoop:
    """A program that does nothing but fork(); ended, it says how long the longest took."""

    def __init__(self, build):
        self.process = subprocess.Popen([os.path.join(build.fakes, "fork_loop")], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        words = self.process.communicate(timeout=SERVED + 10)[0]
        return json.loads(words)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def alone(build):
    """The longest fork() without the agent, on this machine as it is now."""
    with ForkLoop(build) as loop:
        time.sleep(3)
        return loop.end()["worst_ms"]


def a_file(build):
    path = build.path("data.bin")
    with open(path, "wb") as file:
        file.write(os.urandom(4 << 20))
    return path


def ready(program):
    def said():
        with open(program.lines_path, "rb") as file:
            return b"ready" in file.read()

    until(said, 20, "the neighbour is ready")


def answers(port):
    begin = time.monotonic()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=2) as page:
        check(b"ingero_" in page.read(), "the page has no metrics")
    return time.monotonic() - begin


def beside(build, how, source, *served, library=None, options=(), silence=True):
    """Runs a neighbour until it is up to no good with a served copy of `source`, then another program makes CALLS calls.
    Returns the trace, ended, and the neighbour's process id."""
    before = alone(build)
    port = free_port()
    with contextlib.ExitStack() as stack:
        loop = stack.enter_context(ForkLoop(build))  # fork_loop.c: not even its end needs a fork
        trace = stack.enter_context(Trace(build, "--prometheus", f"127.0.0.1:{port}", *options))
        fs = stack.enter_context(Silent(build, source, *served))
        file = () if how == "missing" else (fs.file,)
        neighbour = (library, *file) if library else file
        with Program(build, os.path.join(build.fakes, "neighbour"), how, *neighbour, name="bad") as bad:
            ready(bad)
            if how == "library" and silence:
                trace.probed("served/libcudart.so.12")
            time.sleep(0.3)  # probes are promised within 0.1 s
            if silence:
                fs.silence()
            bad.go()
            time.sleep(2.5)  # what waits for the file system does so by now, and has been given up
            good = stack.enter_context(Program(build, build.scenarios, "threads", "2", str(CALLS // 10), name="good"))
            trace.probed("timed/libcudart.so.12")
            good.go()
            page = answers(port)
            until(lambda: sum("symbol" in line for line in json_lines(good.lines_path)) == CALLS, 10,
                  "the others make their calls")
            time.sleep(0.3)
            again = answers(port)
            took = trace.stop(seconds=SERVED)
            forks = loop.end()
            served_on = fs.process.poll() is None
            made = good.process.pid
    seen = trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host' AND pid = ?", made)
    ok = trace.recording.one("PRAGMA integrity_check")
    say(recorded=seen, of=CALLS, metrics_s=[round(page, 3), round(again, 3)], end_s=round(took, 2),
        fork_worst_ms=forks["worst_ms"], fork_worst_without_ms=before, forks=forks["forks"],
        losses=trace.recording.losses())
    check(served_on, "it took as long as the file system was there")
    check(seen == CALLS, f"{seen} of {CALLS} calls of another process: {trace.recording.losses()}")
    check(ok == "ok", f"the recording is damaged: {ok}")
    in_time(took <= END_S, f"the trace took {took:.1f} s to end")
    in_time(forks["worst_ms"] <= max(FORK_MS, 2 * before),
            f"a fork() took {forks['worst_ms']:.0f} ms ({before:.0f} ms without the agent)")
    return trace, bad.process.pid


def timed(build):
    return build.stand_in("timed", "libcudart.so.12")[0]


def named(trace, loss, text):
    sentence = trace.recording.rows("SELECT sentence FROM loss WHERE name = ?", loss)
    check(sentence and text in sentence[0][0], f"{loss} does not name {text}: {[row[0] for row in sentence]}")


def AnEnvironmentThatDoesNotAnswerHarmsNobody(build):
    def test():
        trace, pid = beside(build, "environ", a_file(build), library=timed(build))
        named(trace, "memory_unread", f"process {pid}")
    at_best(build, test)


def AnEnvironmentThatNobodyFillsInHarmsNobody(build):
    at_best(build, lambda: beside(build, "missing", a_file(build), library=timed(build), silence=False))


def ANameThatDoesNotAnswerHarmsNobody(build):
    def test():
        library = build.stand_in("plain", "libcudart.so.13")[0]
        trace, _ = beside(build, "name", a_file(build), library=library)
        check(trace.recording.losses().get("name_unreadable", 0) >= 1, str(trace.recording.losses()))
    at_best(build, test)


def AStackThatDoesNotAnswerHarmsNobody(build):
    def test():
        trace, pid = beside(build, "stack", a_file(build), library=timed(build), options=("--hang-after", "500ms"))
        hung = trace.recording.calls("pid = ? AND outcome = 'never returned'", pid)
        check(len(hung) == 1, f"{len(hung)} calls that never returned")
        check(trace.recording.losses().get("stack_cut", 0) >= 1, str(trace.recording.losses()))
    at_best(build, test)


def ALibraryThatDoesNotAnswerHarmsNobodyAndIsNamed(build):
    def test():
        trace, _ = beside(build, "library", timed(build), "--silent-to", "ingero", silence=False)
        path = os.path.join(build.path("served"), "libcudart.so.12")
        named(trace, "file_unread", path)
        said = trace.stderr().decode()
        check(path in said and "not traced" in said, f"the trace does not name it: {said}")
    at_best(build, test)


def AProbedLibraryThatAnswersNoMoreHarmsNobody(build):
    def test():
        trace, pid = beside(build, "library", timed(build))
        seen = len(trace.recording.calls("pid = ?", pid))
        check(seen == 10, f"{seen} of its 10 calls, whose pages were there: {trace.recording.losses()}")
    at_best(build, test)


def below(pid, name):
    """A process of that name among the children of this one's, and theirs; 0: not yet."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            children = [int(child) for child in file.read().split()]
        for child in children:
            with open(f"/proc/{child}/comm", encoding="utf-8") as comm:
                if comm.read() == name + "\n":
                    return child
    except OSError:
        return 0
    return next((found for found in (below(child, name) for child in children) if found), 0)


def served_calls(build, fs, *options, held=False, name="trace"):
    """How many of its 10 calls are recorded of a program whose library the file system serves; and the trace."""
    command = [os.path.join(build.fakes, "neighbour"), "library", fs.file]
    gate = build.path("bad.go")
    with contextlib.ExitStack() as stack:
        if held:
            trace = stack.enter_context(Trace(build, *options, command=command, name=name))
            pid = until(lambda: below(trace.process.pid, "neighbour"), 10, "the command runs")
            stack.callback(os.kill, pid, signal.SIGKILL)
        else:
            trace = stack.enter_context(Trace(build, *options, name=name))
            bad = stack.enter_context(Program(build, *command, name="bad"))
            ready(bad)
            time.sleep(1)
            bad.go()
            pid = bad.process.pid
        time.sleep(2)
        trace.stop()
    if os.path.exists(gate):
        os.unlink(gate)
    return len(trace.recording.calls("pid = ?", pid)), trace


def ALibraryOnAFileSystemThatAnswersIsTraced(build):
    with Silent(build, timed(build)) as fs:
        seen, trace = served_calls(build, fs)
        check(seen == 10, f"{seen} of 10 calls: {trace.stderr().decode()}")
        held, trace = served_calls(build, fs, held=True, name="held")
        check(held == 10, f"{held} of 10 calls of a held command: {trace.stderr().decode()}")


def ALibraryThatAnOrdinaryUserServesIsTracedWhereItIsNamed(build):
    with Silent(build, timed(build), "--user", "65534") as fs:
        seen, trace = served_calls(build, fs)
        check(seen == 0, f"{seen} calls: probes are where a user could stop every fork()")
        named(trace, "file_unread", fs.file)
        check("ordinary user" in trace.stderr().decode(), trace.stderr().decode())
        seen, trace = served_calls(build, fs, "--library", fs.file, name="chosen")
        check(seen == 10, f"{seen} of 10 calls: {trace.stderr().decode()}")


TESTS = (
    AProbedLibraryThatAnswersNoMoreHarmsNobody,
    ALibraryOnAFileSystemThatAnswersIsTraced,
    ALibraryThatAnOrdinaryUserServesIsTracedWhereItIsNamed,
    AnEnvironmentThatDoesNotAnswerHarmsNobody,
    AnEnvironmentThatNobodyFillsInHarmsNobody,
    ANameThatDoesNotAnswerHarmsNobody,
    AStackThatDoesNotAnswerHarmsNobody,
    ALibraryThatDoesNotAnswerHarmsNobodyAndIsNamed,
)
SHARED = (ALibraryOnAFileSystemThatAnswersIsTraced, ALibraryThatAnOrdinaryUserServesIsTracedWhereItIsNamed)
