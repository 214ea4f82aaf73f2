"""What the agent may still do while it records, with every service on; and what the command that it traces may do.

Everything is read from /proc: each thread has its own capabilities. That the kernel refuses calls is tried on a thread
of the agent itself, which is stopped and made to ask.
"""
import contextlib
import ctypes
import errno
import json
import os
import platform
import pwd
import re
import shutil
import socket
import stat
import time
import urllib.request

import otlp
from harness import Failure, Skip, Trace, check, run, say, tool, until

# CAP_DAC_READ_SEARCH, CAP_SYS_PTRACE, CAP_PERFMON, CAP_BPF, CAP_CHECKPOINT_RESTORE
RECORDING = 1 << 2 | 1 << 19 | 1 << 38 | 1 << 39 | 1 << 40
FOREIGN_FILES = 1 << 2 | 1 << 19
READS_SOCKETS = {"ingero-http", "ingero-annotate", "ingero-otlp", "ingero-scrape"}


def status_of(path):
    with open(f"{path}/status", encoding="utf-8", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def statuses(pid):
    """Of each thread. One that ends meanwhile is left out."""
    found = []
    for tid in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found.append(status_of(f"/proc/{pid}/task/{tid}"))
    return found


def children_of(pid):
    """And theirs, that run the same program: forked, and not executed."""
    program = os.readlink(f"/proc/{pid}/exe")
    found, left = [], [pid]
    while left:
        parent = left.pop()
        for tid in os.listdir(f"/proc/{parent}/task"):
            with open(f"/proc/{parent}/task/{tid}/children", encoding="ascii") as file:
                for child in map(int, file.read().split()):
                    with contextlib.suppress(OSError):
                        if os.readlink(f"/proc/{child}/exe") == program:
                            found.append(child)
                            left.append(child)
    return found


def capabilities(status, which):
    return int(status[which], 16)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def everything(build, receiver, port, *more):
    place = build.path("sockets")
    os.mkdir(place, 0o700)
    return ["--prometheus", f"127.0.0.1:{port}", "--prometheus-probe-cost", "--annotate", "--annotate-socket",
            f"{place}/annotate.sock", "--inference", "--stack", "all", "--device-interval", "1s", "--rdma-interval", "1s",
            *otlp.otlp(build, receiver.url, "--otlp-traces"), *more]


def use_them(build, port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
        check(answer.status == 200, f"metrics: {answer.status}")
    said = run(build.agent, "annotate", "--annotate-socket", build.path("sockets/annotate.sock"), "--label", "step=1")
    check(said.returncode == 0, said.stderr)


def look_at_threads(pid):
    """Every thread, now. Returns those that have capabilities in effect."""
    seen = statuses(pid)
    check(len(seen) >= 8, f"only {len(seen)} threads")
    for one in seen:
        name = one["Name"]
        check(one["NoNewPrivs"] == "1", f"thread {name}: NoNewPrivs {one['NoNewPrivs']}")
        check(one["Seccomp"] == "2", f"thread {name}: no filter of system calls")
        allowed = 0 if name in READS_SOCKETS else RECORDING
        check(capabilities(one, "CapPrm") & ~allowed == 0, f"thread {name} may have {one['CapPrm']}")
        check(capabilities(one, "CapEff") & ~capabilities(one, "CapPrm") == 0, f"thread {name}: {one}")
        check(capabilities(one, "CapInh") == 0 and capabilities(one, "CapAmb") == 0, f"thread {name}: {one}")
    names = {one["Name"] for one in seen}
    check(READS_SOCKETS <= names, f"threads: {sorted(names)}")
    return [int(one["Pid"]) for one in seen if capabilities(one, "CapEff")]


def cpu_ns(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/schedstat", encoding="ascii") as file:
        return int(file.read().split()[0])


def used_until_lowered_ns(pid, tid):
    """The thread's CPU time from now on until it has nothing in effect: on a busy machine it may wait for a CPU."""
    end = time.monotonic() + 60
    with contextlib.suppress(OSError):
        before = cpu_ns(pid, tid)
        while capabilities(status_of(f"/proc/{pid}/task/{tid}"), "CapEff"):
            check(time.monotonic() < end, f"thread {tid} keeps them in effect")
            time.sleep(0.0002)
        return cpu_ns(pid, tid) - before
    return 0


def NoThreadKeepsMoreThanItNeeds(build):
    port = free_port()
    calls = 100_000
    with otlp.Receiver() as receiver:
        with Trace(build, *everything(build, receiver, port),
                   command=otlp.calls(build, calls, "--rate", "2500")) as trace:
            pid = trace.process.pid
            until(lambda: READS_SOCKETS <= {one["Name"] for one in statuses(pid)}, 10, "all services run")
            use_them(build, port)
            # Until then it loads programs and places probes, which takes as long as the machine needs for it.
            until(lambda: trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'") > 5_000, 60,
                  "calls are recorded")
            looks = 40
            alike, used_ns = 0, []
            for _ in range(looks):
                raised = look_at_threads(pid)
                alike += not raised
                used_ns += [used_until_lowered_ns(pid, tid) for tid in raised]
                time.sleep(0.05)
            # A thread has them in effect for the microseconds of a call that needs them.
            long = [used for used in used_ns if used > 500_000]
            check(len(long) <= looks * 0.1, f"{len(long)} of {looks} looks found them in effect for long: {long} ns")
            helpers = children_of(pid)
            names = sorted(status_of(f"/proc/{one}")["Name"] for one in helpers)
            check("ingero-helper" in names, f"processes: {names}")
            for one in helpers:
                for status in statuses(one):
                    may = capabilities(status, "CapPrm")
                    check(may & ~FOREIGN_FILES == 0, f"process {status['Name']} may have {may:x}")
                    check(status["NoNewPrivs"] == "1" and status["Seccomp"] == "2", f"process {status}")
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
        check(receiver.bodies("/v1/metrics"), "nothing was sent")
    errors = trace.stderr().decode(errors="replace")
    for word in ("not permitted", "Permission denied"):
        check(word not in errors, errors)
    recorded = trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'")
    check(recorded == calls, f"{recorded} of {calls} calls, losses: {trace.recording.losses()}")
    check(trace.recording.one("SELECT count(*) FROM annotations") == 1, "the annotation is missing")
    say(calls=calls, alike=alike, looks=looks, used_us=[one // 1000 for one in used_ns], helpers=names)


class Registers(ctypes.Structure):
    """user_regs_struct of x86-64."""
    _fields_ = [(name, ctypes.c_ulonglong) for name in (
        "r15 r14 r13 r12 rbp rbx r11 r10 r9 r8 rax rcx rdx rsi rdi orig_rax rip cs eflags rsp ss fs_base gs_base ds es "
        "fs gs").split()]


class Stopped:
    """A thread of another process, stopped while it waits in the kernel; goes on as if nothing had been."""

    def __init__(self, tid):
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.ptrace.restype = ctypes.c_long
        self.libc.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
        self.tid = tid

    def ptrace(self, request, data=None):
        if self.libc.ptrace(request, self.tid, None, data) == -1 and ctypes.get_errno() != 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request}")

    def __enter__(self):
        for _ in range(200):
            ctypes.set_errno(0)
            self.ptrace(16)  # PTRACE_ATTACH
            os.waitpid(self.tid, 0x40000000)  # __WALL
            self.before = self.registers()
            if self.is_in_a_call():
                return self
            self.ptrace(17)
            time.sleep(0.01)
        raise Failure(f"thread {self.tid} never waits in a system call")

    def is_in_a_call(self):
        """Whether the instruction before is `syscall`: it may have been stopped while it computes."""
        with open(f"/proc/{self.tid}/mem", "rb") as memory:
            memory.seek(self.before.rip - 2)
            return memory.read(2) == b"\x0f\x05"

    def __exit__(self, *_):
        self.set(self.before)
        self.ptrace(17)  # PTRACE_DETACH

    def registers(self):
        found = Registers()
        self.ptrace(12, ctypes.addressof(found))  # PTRACE_GETREGS
        return found

    def set(self, registers):
        self.ptrace(13, ctypes.addressof(registers))  # PTRACE_SETREGS

    def call(self, number, *arguments):
        """What the system call answers: the thread has just made another, so its last instruction makes one."""
        wanted = Registers.from_buffer_copy(self.before)
        wanted.rax, wanted.orig_rax, wanted.rip = number, 2 ** 64 - 1, self.before.rip - 2
        for name, value in zip(("rdi", "rsi", "rdx", "r10", "r8", "r9"), arguments):
            setattr(wanted, name, value)
        self.set(wanted)
        self.ptrace(9)  # PTRACE_SINGLESTEP
        os.waitpid(self.tid, 0x40000000)
        return ctypes.c_longlong(self.registers().rax).value


def TheAgentRunsNoOtherProgram(build):
    if platform.machine() != "x86_64":
        raise Skip("registers are set by their names on x86-64")
    calls = {"execve": 59, "execveat": 322, "ptrace": 101, "mount": 165, "unshare": 272, "init_module": 175, "bpf": 321}
    refused = {}
    with Trace(build) as trace:
        with Stopped(trace.process.pid) as thread:
            for name, number in calls.items():
                # Null pointers and nonsense: what is not refused fails otherwise.
                refused[name] = thread.call(number, 2 ** 64 - 1, 0, 0, 0, 0)
        trace.stop()
    for name, answer in refused.items():
        if name == "bpf":
            check(answer == -errno.EINVAL or answer == -errno.E2BIG or answer == -errno.EFAULT,
                  f"bpf(), which probes need: {answer}")
        else:
            check(answer == -errno.EPERM, f"{name} answers {answer}")
    say(refused=refused)


def TheCommandHasWhatItsCallerHas(build):
    own = status_of("/proc/self")
    out = build.path("status")
    with Trace(build, command=["sh", "-c", f"cat /proc/self/status > {out}; unshare --uts true"]) as trace:
        check(trace.wait() == 0, "a command of root's can do what root can: " + trace.stderr().decode(errors="replace"))
    with open(out, encoding="utf-8") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    for field in ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Uid", "Gid"):
        check(status[field] == own[field], f"{field} of the command is {status[field]}, ours is {own[field]}")
    # A set-user-id program inside, of an ordinary user's.
    program = build.path("id")
    shutil.copy(os.path.realpath(tool("id")), program)
    os.chmod(program, 0o4755)
    if os.statvfs(program).f_flag & os.ST_NOSUID:
        raise Skip("the build folder's file system knows no set-user-id programs")
    check(os.stat(program).st_mode & stat.S_ISUID, "chmod")
    with Trace(build, "--run-as", "nobody", name="second", command=["sh", "-c", f"{program} -u"]) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    check(trace.stdout().split() == ["0"], f"a set-user-id program's user is {trace.stdout()}")


def RunAsRunsTheCommandAsThatUser(build):
    nobody = run("id", "-u", "nobody").stdout.strip(), run("id", "-g", "nobody").stdout.strip()
    groups = run("id", "-G", "nobody").stdout.split()
    said = "import os, json; print(json.dumps([os.getresuid(), os.getresgid(), os.getgroups(), dict(os.environ)]))"
    with Trace(build, "--run-as", "nobody",
               command=["sh", "-c", f"python3 -c '{said}'; exec {build.scenarios} nested 3 5"]) as trace:
        status = trace.wait()
    check(status == 0, f"status {status}: {trace.stderr().decode(errors='replace')[-2000:]}")
    uids, gids, found, environment = json.loads(trace.stdout().splitlines()[0])
    check(set(map(str, uids)) == {nobody[0]} and set(map(str, gids)) == {nobody[1]}, f"ids {uids} {gids}")
    check({str(group) for group in found} == set(groups), f"groups {found}, not {groups}")
    check(environment["USER"] == environment["LOGNAME"] == "nobody", f"{environment}")
    check(environment["HOME"] != os.environ.get("HOME", "/root") and environment["SHELL"], f"{environment}")
    # Of python3, which makes no call and is gone at once, the user may be unknown. Others that used the disk are named, too.
    users = {row["uid"] for row in trace.recording.rows(
        "SELECT uid FROM processes WHERE pid NOT IN (SELECT pid FROM disk_use WHERE pid IS NOT NULL)")}
    check(int(nobody[0]) in users and users <= {int(nobody[0]), None}, f"recorded: {users}")
    callers = {row["uid"] for row in trace.recording.rows(
        "SELECT uid FROM processes WHERE pid IN (SELECT pid FROM events WHERE kind <> 'host')")}
    check(callers == {int(nobody[0])}, f"recorded of who makes calls: {callers}")
    check(trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'") > 0, "no call is recorded")
    for arguments, part in ((["--run-as", "no-such-user", "--", "true"], "no-such-user has no account"),
                            (["--run-as", "nobody"], "there is no command to run")):
        done = run(build.agent, "trace", "--no-record", *arguments, good=None)
        check(done.returncode not in (0, -11) and part in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")


def ARecordingInAnotherUsersFolderIsWhole(build):
    """As under sudo: root writes where only that user may."""
    folder = build.path("theirs")
    os.mkdir(folder)
    user = pwd.getpwnam("nobody")
    os.chown(folder, user.pw_uid, user.pw_gid)
    os.chmod(folder, 0o700)
    port = free_port()
    os.environ["SUDO_USER"] = "nobody"
    try:
        with Trace(build, "--prometheus", f"127.0.0.1:{port}", name="theirs/trace",
                   command=otlp.calls(build, 20_000, "--rate", "2500")) as trace:
            def size():
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                    return re.search(r"^ingero_trace_db_bytes (\S+)", answer.read().decode(), re.MULTILINE)

            until(size, 20, "the metrics say how large the recording is")
            for one in statuses(trace.process.pid):
                check(capabilities(one, "CapPrm") & ~(RECORDING | 1 << 1) == 0, f"thread {one['Name']}: {one['CapPrm']}")
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    finally:
        del os.environ["SUDO_USER"]
    left = sorted(name for name in os.listdir(folder) if name.startswith("trace.db"))
    check(left == ["trace.db"], f"files: {left}")
    check(os.stat(trace.recording.path).st_uid == user.pw_uid, "the recording is not that user's")
    recorded = trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'")
    check(recorded == 20_000, f"{recorded} calls")


TESTS = (NoThreadKeepsMoreThanItNeeds, TheAgentRunsNoOtherProgram, TheCommandHasWhatItsCallerHas,
         RunAsRunsTheCommandAsThatUser, ARecordingInAnotherUsersFolderIsWhole)
SHARED = TESTS
FULL = ()
