"""Files and memory that do not answer: others' calls are recorded, nobody's fork() waits, Ctrl-C ends the trace, and
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


def beside(build, fs, neighbour, *options, silence=True):
    """Runs `neighbour` until it is up to no good, then another program makes CALLS calls. Returns the trace, ended, and
    the neighbour's process id."""
    before = alone(build)
    port = free_port()
    with contextlib.ExitStack() as stack, ForkLoop(build) as loop, Trace(build, "--prometheus", f"127.0.0.1:{port}", *options) as trace:
        with Program(build, os.path.join(build.fakes, "neighbour"), *neighbour, name="bad") as bad:
            ready(bad)
            time.sleep(0.3)  # probes are promised within 0.1 s
            if silence:
                fs.silence()
            bad.go()
            time.sleep(2.5)  # what waits for the file system does so by now, and has been given up
            good = stack.enter_context(Program(build, build.scenarios, "threads", "2", str(CALLS // 10), name="good"))
            trace.probed("libcudart.so.12")
            good.go()
            page = answers(port)
            until(lambda: sum("symbol" in line for line in json_lines(good.lines_path)) == CALLS, 10,
                  "the others make their calls")
            time.sleep(0.3)
            again = answers(port)
            took = trace.stop(seconds=SERVED)
            forks = loop.end()
            check(fs.process.poll() is None, "the file system ended before the test did")
            made = good.process.pid
    seen = trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host' AND pid = ?", made)
    ok = trace.recording.one("PRAGMA integrity_check")
    say(recorded=seen, of=CALLS, metrics_s=[round(page, 3), round(again, 3)], end_s=round(took, 2),
        fork_worst_ms=forks["worst_ms"], fork_worst_without_ms=before, forks=forks["forks"],
        losses=trace.recording.losses())
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
        with Silent(build, a_file(build)) as fs:
            trace, pid = beside(build, fs, ("environ", timed(build), fs.file))
            named(trace, "memory_unread", f"process {pid}")
    at_best(build, test)


def AnEnvironmentThatNobodyFillsInHarmsNobody(build):
    def test():
        with Silent(build, a_file(build)) as fs:  # not used here
            beside(build, fs, ("missing", timed(build)), silence=False)
    at_best(build, test)


def ANameThatDoesNotAnswerHarmsNobody(build):
    def test():
        with Silent(build, a_file(build)) as fs:
            library = build.stand_in("plain", "libcudart.so.13")[0]
            trace, _ = beside(build, fs, ("name", library, fs.file))
            check(trace.recording.losses().get("name_unreadable", 0) >= 1, str(trace.recording.losses()))
    at_best(build, test)


def AStackThatDoesNotAnswerHarmsNobody(build):
    def test():
        with Silent(build, a_file(build)) as fs:
            trace, pid = beside(build, fs, ("stack", timed(build), fs.file), "--hang-after", "500ms")
            hung = trace.recording.calls("pid = ? AND outcome = 'never returned'", pid)
            check(len(hung) == 1, f"{len(hung)} calls that never returned")
    at_best(build, test)


def ALibraryThatDoesNotAnswerHarmsNobodyAndIsNamed(build):
    def test():
        with Silent(build, timed(build), "--silent-to", "ingero") as fs:
            trace, _ = beside(build, fs, ("library", fs.file), silence=False)
            named(trace, "file_unread", fs.file)
            said = trace.stderr().decode()
            check(fs.file in said and "not traced" in said, f"the trace does not name it: {said}")
    at_best(build, test)


TESTS = (
    AnEnvironmentThatDoesNotAnswerHarmsNobody,
    AnEnvironmentThatNobodyFillsInHarmsNobody,
    ANameThatDoesNotAnswerHarmsNobody,
    AStackThatDoesNotAnswerHarmsNobody,
    ALibraryThatDoesNotAnswerHarmsNobodyAndIsNamed,
)
