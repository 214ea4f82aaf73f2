"""What is around a truth program: control groups, servers, slow readers, neighbours, signals. Each is a context manager
that takes back what it did.

Other work on the machine must not become a cause of its own: everything runs in a control group with many CPU shares
and short slices, so that it gets a CPU when it wants one, as on a machine of its own. On a quiet machine that changes
nothing.
"""
import contextlib
import ctypes
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CGROUPS = "/sys/fs/cgroup"
GROUP = f"ingero_truth_{os.getpid()}"
SYS_SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}.get(os.uname().machine)


def write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(str(text))


def controller(name):
    """The folder of a controller: cgroup v1 has one each."""
    path = os.path.join(CGROUPS, name)
    return path if os.path.isdir(path) else None


@contextlib.contextmanager
def group(name, limits, below=""):
    """A group of one v1 controller with {file: value}; yields its cgroup.procs, or None where there is no such controller."""
    base = controller(name)
    if base is None:
        yield None
        return
    folder = os.path.join(base, below, f"{GROUP}_{name}")
    os.makedirs(folder, exist_ok=True)
    try:
        for file, value in limits.items():
            write(os.path.join(folder, file), value)
        yield os.path.join(folder, "cgroup.procs")
    finally:
        leave(folder)


def leave(folder):
    """Moves what is left in a group to the one above, and removes it."""
    for _ in range(50):
        try:
            with open(os.path.join(folder, "cgroup.procs"), encoding="ascii") as file:
                for pid in file.read().split():
                    with contextlib.suppress(OSError):
                        write(os.path.join(os.path.dirname(folder), "cgroup.procs"), pid)
            os.rmdir(folder)
            return
        except OSError:
            time.sleep(0.1)


@contextlib.contextmanager
def own_share():
    """This process and what it starts get their CPU at once whatever else runs here."""
    base = controller("cpu")
    if SYS_SCHED_SETATTR:
        attributes = struct.pack("=IIQiIQQQII", 56, 0, 0, 0, 0, 200_000, 0, 0, 0, 1024)
        ctypes.CDLL(None, use_errno=True).syscall(SYS_SCHED_SETATTR, 0, attributes, 0)
    if base is None:
        yield ""
        return
    folder = os.path.join(base, GROUP)
    os.makedirs(folder, exist_ok=True)
    try:
        write(os.path.join(folder, "cpu.shares"), 262144)
        write(os.path.join(folder, "cgroup.procs"), os.getpid())
        yield GROUP
    finally:
        write(os.path.join(base, "cgroup.procs"), os.getpid())
        leave(folder)


def in_group(procs, command):
    """`command` as one that joins a group first."""
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', procs, *command]


@contextlib.contextmanager
def helper(*arguments, **options):
    """A process of helpers.py, which is not part of the traced program; yields its Popen."""
    child = subprocess.Popen([sys.executable, os.path.join(HERE, "helpers.py"), *map(str, arguments)],
                             stdin=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


@contextlib.contextmanager
def server(kind, *arguments):
    """A server of helpers.py; yields (its address, its pid)."""
    port = free_port()
    with helper(kind, port, *arguments) as child:
        wait_for_port(port)
        yield f"127.0.0.1:{port}", child.pid


@contextlib.contextmanager
def shard(megabytes, sparse=False):
    """A file of data on the disk."""
    with tempfile.NamedTemporaryFile(prefix="truth_shard_", dir=os.environ.get("TRUTH_SCRATCH", "/var/tmp")) as file:
        if sparse:
            os.truncate(file.name, megabytes << 20)
        else:
            block = os.urandom(1 << 20)
            for _ in range(megabytes):
                file.write(block)
            file.flush()
            os.fsync(file.fileno())
        yield file.name


def device_of(path):
    """major:minor of the disk that holds a file."""
    number = os.stat(path).st_dev
    return f"{os.major(number)}:{os.minor(number)}"


@contextlib.contextmanager
def later(seconds, deed):
    """Does something after a time."""
    timer = threading.Timer(seconds, deed)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def debug_for(pid, seconds):
    """Stops all threads as a debugger does, and lets them go again."""
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    attach, let_go = 16, 17
    threads = [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    for tid in threads:
        if ptrace(attach, tid, None, None) != 0:
            raise OSError(ctypes.get_errno(), f"ptrace of {tid}")
        os.waitpid(tid, 0x40000000)  # __WALL
    try:
        time.sleep(seconds)
    finally:
        for tid in threads:
            ptrace(let_go, tid, None, None)


def stop_for(pid, seconds):
    os.kill(pid, signal.SIGSTOP)
    try:
        time.sleep(seconds)
    finally:
        os.kill(pid, signal.SIGCONT)
