"""What every end-to-end test needs: where the programs are, a running trace, a recording to ask, and reasons to skip.

Tests are functions that raise: Skip says why the machine cannot run one, anything else is a failure. Everything a test
starts is ended by its context managers, by process id. Times are seconds unless a name says otherwise.
"""
import contextlib
import glob
import json
import os
import shutil
import select
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(SOURCE))
COMPARE = os.path.join(SOURCE, "compare.py")
SLOW = int(os.environ.get("INGERO_TESTS_SLOW", "1"))  # how much slower the machine is (an emulated one)
LIMIT = 120 * SLOW  # nothing below takes longer but the full-size runs


class Skip(Exception):
    pass


class Failure(Exception):
    pass


def check(good, sentence):
    if not good:
        raise Failure(sentence)


def is_only_roots(folder):
    """Whether root, or who typed sudo, alone can exchange what lies there, as base/trusted_path.h asks."""
    trusted = {0, int(os.environ.get("SUDO_UID", 0))}
    while True:
        status = os.lstat(folder)
        shared = status.st_mode & stat.S_IWOTH or (status.st_mode & stat.S_IWGRP and status.st_gid >= 1000)
        if status.st_uid not in trusted or (shared and not status.st_mode & stat.S_ISVTX):
            return False
        if folder == "/":
            return True
        folder = os.path.dirname(os.path.realpath(folder))


class Build:
    """The build folder's programs, and a folder for one test's files."""

    def __init__(self, folder, sanitized):
        self.folder = os.path.abspath(folder)
        self.sanitized = sanitized  # times then prove nothing, and the agent is several times slower
        self.agent = os.path.join(self.folder, "cli/ingero")
        self.fakes = os.path.join(self.folder, "tests/fakes")
        self.scenarios = os.path.join(self.fakes, "scenarios")
        self.ground_truth = os.path.join(self.fakes, "ground_truth")
        self.timed = os.path.join(self.fakes, "timed")
        self.caller = os.path.join(self.folder, "tests/soak/caller")
        # On the build's own disk: a test reads past the page cache, which memory file systems cannot. Where others may
        # write to that folder the agent, as root, refuses to.
        above = os.path.join(self.folder, "tests/e2e")
        os.makedirs(above, exist_ok=True)
        if not is_only_roots(above):
            above = "/var/tmp"
        self.work = tempfile.mkdtemp(prefix="run.", dir=above)
        os.chmod(self.work, 0o755)

    def path(self, name):
        return os.path.join(self.work, name)

    def stand_in(self, flavour="plain", pattern="*"):
        return sorted(glob.glob(os.path.join(self.fakes, flavour, pattern)))

    def program(self, name, reason):
        """A test program that is built only where the machine has what it needs."""
        path = os.path.join(self.fakes, name)
        if not os.path.exists(path):
            raise Skip(reason)
        return path

    def remove(self):
        shutil.rmtree(self.work, ignore_errors=True)


def need_root():
    if os.geteuid() != 0:
        raise Skip("placing probes needs root: the kernel lets only the privileged watch other processes")


def real_library(*patterns):
    for pattern in patterns:
        for path in sorted(glob.glob(pattern)):
            if os.path.isfile(path):
                return os.path.realpath(path)
    raise Skip(f"no {os.path.basename(patterns[0])} on this machine")


def real_runtime():
    return real_library("/usr/local/cuda*/lib64/libcudart.so.13*", "/usr/local/cuda*/targets/*/lib/libcudart.so.13*")


def real_hip():
    return real_library("/usr/lib/x86_64-linux-gnu/libamdhip64.so.5*", "/opt/rocm*/lib/libamdhip64.so.5*")


def real_collectives():
    return real_library("/usr/local/cuda*/lib64/libnccl.so.2*", "/usr/lib/*-linux-gnu/libnccl.so.2*")


def tool(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/local/cuda/bin")
    if path is None:
        raise Skip(f"{name} is not installed")
    return path


def run(*command, good=(0,), **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=options.pop("timeout", LIMIT), **options)
    if good is not None and done.returncode not in good:
        raise Failure(f"{' '.join(command)}: exit status {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done


def until(condition, seconds, sentence):
    """Waits for condition() to be true and returns its value."""
    end = time.monotonic() + seconds * SLOW
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure(f"{sentence}: not within {seconds} s")
        time.sleep(0.005)


class Late(Failure):
    """A time that is too long: the agent's doing, or a busy machine's."""


def at_best(build, test, attempts=3):
    """Runs a test that bounds times again where they were too long: an agent that is too slow is so each time."""
    for left in reversed(range(attempts)):
        try:
            return test()
        except Late as late:
            if left == 0:
                raise
            say(too_late=str(late)[:500], attempts_left=left)
            clean(build)


def in_time(condition, sentence):
    if not condition:
        raise Late(sentence)


def clean(build):
    """Room for another run in the same folder."""
    for name in os.listdir(build.work):
        path = build.path(name)
        if os.path.isdir(path):
            for file in os.listdir(path):
                os.unlink(os.path.join(path, file))
        else:
            os.unlink(path)


class Recording:
    """Read from another process than the one that writes it, live or finished."""

    def __init__(self, path):
        self.path = path

    def rows(self, sql, *values):
        with contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, timeout=10)) as database:
            database.row_factory = sqlite3.Row
            return database.execute(sql, values).fetchall()

    def one(self, sql, *values):
        return self.rows(sql, *values)[0][0]

    def calls(self, where="1", *values):
        return self.rows(f"SELECT * FROM events WHERE kind <> 'host' AND {where} ORDER BY start_mono_ns", *values)

    def losses(self):
        return {row["name"]: row["count"] for row in self.rows("SELECT name, sum(count) AS count FROM loss GROUP BY 1")}


class Trace:
    """A running `ingero trace`. Probes are on everything mapped already when it is entered."""

    def __init__(self, build, *options, command=(), record=True, name="trace", stdout=None, verbs=True):
        self.recording = Recording(build.path(name + ".db"))
        self.errors = build.path(name + ".err")
        self.output = build.path(name + ".out")
        self.log = build.path(name + ".log")
        arguments = [build.agent, "trace", "--log", self.log]
        arguments += ["--db", self.recording.path] if record else ["--no-record"]
        if verbs:  # the stand-ins hold every backend's calls
            arguments.append("--rdma-verbs")
        arguments += options
        if command:
            arguments += ["--", *command]
        with open(self.errors, "wb") as errors, open(self.output, "wb") as output:
            self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=stdout or output,
                                            stderr=errors, cwd=build.work)

    def __enter__(self):
        def started():
            check(self.process.poll() is None or b"tracing (" in self.stderr(),
                  f"the trace ended at once: {self.stderr().decode(errors='replace')}")
            return b"tracing (" in self.stderr()

        try:
            until(started, 120, "the trace says that it started")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def probed(self, *libraries):
        """Waits until the trace says that its probes are on these files: promised within 0.1 s of the mapping, and a
        test of something else must not fail where a busy machine takes longer."""
        begin = time.monotonic()

        def is_on(library, lines):
            found = [line for line in lines if f"/{library}: " in line]
            # An installed library of the same name has its probes from the start: the stand-in is what is waited for.
            is_stand_in = any("/tests/fakes/" in line or "/tests/e2e/" in line for line in found)
            return is_stand_in or (found and time.monotonic() - begin > 2)

        def attached():
            with open(self.log, encoding="utf-8", errors="replace") as file:
                lines = [line for line in file if " probes attached" in line]
            return all(is_on(library, lines) for library in libraries)

        until(attached, 90, f"the trace says that its probes are on {', '.join(libraries)}")
        return self

    def stderr(self):
        with open(self.errors, "rb") as file:
            return file.read()

    def stdout(self):
        with open(self.output, encoding="utf-8", errors="replace") as file:
            return file.read()

    def wait(self, seconds=LIMIT):
        """For a trace of a command: its end. Returns the exit status."""
        # Popen.wait with a limit looks every 50 ms; a descriptor of the process reports the end at once.
        handle = os.pidfd_open(self.process.pid)
        try:
            if not select.select([handle], [], [], seconds)[0]:
                raise Failure(f"the trace did not end within {seconds} s")
        finally:
            os.close(handle)
        return self.process.wait()

    def stop(self, number=signal.SIGINT, seconds=LIMIT):
        """Ctrl-C; returns how long the agent took to end."""
        begin = time.monotonic()
        self.process.send_signal(number)
        status = self.wait(seconds)
        took = time.monotonic() - begin
        check(status == 0, f"the trace ended with status {status}: {self.stderr().decode(errors='replace')[-2000:]}")
        return took

    def kill(self):
        self.process.kill()
        self.process.wait()


class Program:
    """A program that is traced: held back by a file that go() makes, its lines kept."""

    def __init__(self, build, *command, name="program", hold=True, prefix=(), **options):
        self.lines_path = build.path(name + ".jsonl")
        self.gate = build.path(name + ".go")
        command = list(prefix) + list(command) + (["--wait", self.gate] if hold else [])
        with open(self.lines_path, "wb") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE,
                                            cwd=build.work, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def loaded(self, library):
        """Waits until the program maps the library."""
        def mapped():
            check(self.process.poll() is None, f"{self.process.args}: ended: {self.process.stderr}")
            try:
                with open(f"/proc/{self.process.pid}/maps", encoding="utf-8") as maps:
                    return library in maps.read()
            except OSError:
                return False

        until(mapped, 20, f"the program maps {library}")
        return self

    def go(self):
        with open(self.gate, "wb"):
            pass
        return self

    def end(self, status=0, seconds=LIMIT):
        _, errors = self.process.communicate(timeout=seconds)
        check(status is None or self.process.returncode == status,
              f"{self.process.args}: status {self.process.returncode}: {errors.decode(errors='replace')[-2000:]}")
        return self

    def lines(self):
        return json_lines(self.lines_path)


def names(paths):
    return [os.path.basename(path) for path in paths]


def json_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.startswith("{") and line.endswith("\n")]  # the last may be half there


def compare(*arguments):
    """compare.py's own word, as a dict; fails unless everything is equal."""
    done = run(sys.executable, "-B", COMPARE, *arguments, good=None, timeout=1200)
    if done.returncode != 0:
        raise Failure(f"the recording differs from what the program says:\n{done.stdout}{done.stderr}"
                      f"its losses: {Recording(arguments[-1]).losses()}")
    return json.loads(done.stdout)


def compare_scenario(lines_path, recording, *options):
    """The trace's own table may stand below the lines of its command: only the lines count."""
    only = lines_path + ".lines"
    with open(only, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in json_lines(lines_path))
    return compare("--scenario", only, *options, recording.path)


def say(**figures):
    """What was measured; ctest keeps it in the report."""
    print("measured: " + json.dumps(figures), flush=True)
