"""What is run, what is around it, and which answers are right. Written from what the issue and users ask of the answer, not
from what any rule says today.

A kind's `want` is what the first answer must say for it to be right: `cause` names the family in any of the usual words;
each of `who` must be there too (a process, a line, an address). With the cause and without the who the answer is only
"partly". {pid}, {addr} and the like come from the run; {line:TAG} is the line of the comment "# PLANT TAG". A kind
without a plant wants no accusation at all.
"""
import contextlib
import dataclasses
import glob
import json
import os
import re
import signal
import stat
import sys
import time
from typing import Callable, Optional

import world

PYTHON = sys.executable


@dataclasses.dataclass
class Run:
    """One run of a kind as it is prepared: the command, its environment, and what the answer may name."""
    command: list
    environment: dict = dataclasses.field(default_factory=dict)
    names: dict = dataclasses.field(default_factory=dict)
    stack: contextlib.ExitStack = dataclasses.field(default_factory=contextlib.ExitStack)
    folder: str = ""
    output: Optional[str] = None  # a file or fifo for the program's standard output
    after_start: Optional[Callable] = None  # called with the program's pid, after its first steps


@dataclasses.dataclass
class Kind:
    name: str
    command: list
    prepare: Optional[Callable] = None
    cause: Optional[str] = None
    who: tuple = ()
    never: Optional[str] = None     # what an answer must not say
    attach: Optional[str] = None    # main, launcher, all: the tracer comes when the program runs
    seconds: float = 5
    budget: bool = True             # the program's own clock is held against the budget
    healthy_cpu: bool = True        # its threads have their CPU: else waiting for one is part of the plant
    check: Optional[Callable] = None  # (answer) -> what in its evidence cannot be
    counts_verdict: bool = False    # an answer that accuses nothing is one too: what the issue asks of this kind at least
    mild: float = 0.0               # an accusation of at most this share of the time is not a false alarm


def program(name, *arguments):
    return [PYTHON, "{programs}/" + name, *arguments]


def native(name, *arguments):
    return ["{libraries}/" + name, *arguments]


# -- what is around a program --------------------------------------------------------------------------------------------
def slow_disk(run):
    """The container may read 8 MB a second from the disk."""
    path = run.stack.enter_context(world.shard(192))
    device = world.device_of(path)
    procs = run.stack.enter_context(world.group("blkio", {"blkio.throttle.read_bps_device": f"{device} {8 << 20}"}))
    run.command = world.in_group(procs, [*run.command, path])
    run.names["path"] = path


def slow_server(run):
    address, pid = run.stack.enter_context(world.server("serve", 45))
    run.command = [*run.command, address]
    run.names.update(addr=address, server=pid)


def bad_link(run):
    address, pid = run.stack.enter_context(world.server("link", 0.9, 0.6))
    run.command = [*run.command, address]
    run.names.update(addr=address, server=pid)


def tracking_server(run):
    address, pid = run.stack.enter_context(world.server("serve", 14))
    run.command = [*run.command, address]
    run.names.update(addr=address, server=pid)


def upload_server(run):
    address, _ = run.stack.enter_context(world.server("serve", 1))
    run.command = [*run.command, address]


def slow_reader(run):
    fifo = os.path.join(run.folder, "out")
    os.mkfifo(fifo)
    reader = run.stack.enter_context(world.helper("read", fifo, 240000))
    run.output = fifo
    run.names["reader"] = reader.pid


def scratch(run):
    run.command = [*run.command, run.folder]


def cold_file(run):
    run.command = [*run.command, run.stack.enter_context(world.shard(128))]


def small_memory(run):
    path = run.stack.enter_context(world.shard(2048, sparse=True))
    procs = run.stack.enter_context(world.group("memory", {"memory.limit_in_bytes": 96 << 20}))
    run.command = world.in_group(procs, [*run.command, path])


def less_memory_than_data(run):
    """A file that is read again and again, in a container that it does not fit into."""
    path = run.stack.enter_context(world.shard(160))
    with open(path, "rb") as file:  # who reads it anew has it on its own account
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    procs = run.stack.enter_context(world.group("memory", {"memory.limit_in_bytes": 96 << 20}))
    run.command = world.in_group(procs, [*run.command, path])


def filled_disk(run):
    cold_file(run)
    path = run.stack.enter_context(world.shard(64))
    filler = run.stack.enter_context(world.helper("fill", path))
    run.names["filler"] = filler.pid


def resolver(run):
    port = world.free_port()
    helper = run.stack.enter_context(world.helper("resolve", port, 20))
    time.sleep(0.3)
    run.command = [*run.command, f"127.0.0.1:{port}"]
    run.names["server"] = helper.pid


def no_memory(run):
    procs = run.stack.enter_context(world.group("memory", {"memory.limit_in_bytes": 400 << 20}))
    run.command = world.in_group(procs, run.command)


def cpu_limit(run):
    procs = run.stack.enter_context(world.group("cpu", {"cpu.cfs_period_us": 100000, "cpu.cfs_quota_us": 30000},
                                                world.GROUP))
    run.command = world.in_group(procs, run.command)


def held_lock(run):
    path = os.path.join(run.folder, "shared.log")
    holder = run.stack.enter_context(world.helper("lock", path, 16, 4))
    run.command = [*run.command, path]
    run.names.update(holder=holder.pid, path="shared.log")


def slow_tool(run):
    path = os.path.join(run.folder, "gpu-temperature")
    world.write(path, "#!/bin/sh\nexec sleep 0.02\n")
    os.chmod(path, stat.S_IRWXU)
    run.command = [*run.command, path]


def stopped(run):
    run.after_start = lambda pid: world.stop_for(pid, 1.6)


def debugged(run):
    run.after_start = lambda pid: world.debug_for(pid, 1.6)


def deed_of(run, name):
    """What a program wrote of itself by now."""
    path = glob.glob(os.path.join(run.folder, f"deed.{name}.*.json"))[0]
    with open(path, encoding="ascii") as file:
        return json.load(file)


def stopped_worker(run):
    def stop(_):
        run.names["victim"] = deed_of(run, "worker")["worker"]
        world.stop_for(run.names["victim"], 1.6)
    run.after_start = stop


def killed_worker(run):
    def kill(_):
        run.names["victim"] = deed_of(run, "worker")["worker"]
        os.kill(run.names["victim"], signal.SIGKILL)
    run.after_start = kill


def ranks_of(run):
    with open(os.path.join(run.folder, "launcher.json"), encoding="ascii") as file:
        return json.load(file)["ranks"]


def stopped_rank(run):
    run.after_start = lambda _: world.stop_for(ranks_of(run)[1], 1.6)


def killed_rank(run):
    run.after_start = lambda _: os.kill(ranks_of(run)[1], signal.SIGKILL)


def frozen(run):
    folder = os.path.join(world.CGROUPS, "freezer", world.GROUP + "_freezer")
    procs = run.stack.enter_context(world.group("freezer", {"freezer.state": "THAWED"}))
    run.command = world.in_group(procs, run.command)

    def freeze(_):
        world.write(folder + "/freezer.state", "FROZEN")
        try:
            time.sleep(1.6)
        finally:
            world.write(folder + "/freezer.state", "THAWED")
    run.after_start = freeze


def neighbour(run):
    """Two spinning processes on the CPU that the program is bound to."""
    child = run.stack.enter_context(world.helper("spin", 2, 1))
    run.names["neighbour"] = child.pid
    if run.command[0] != "taskset":
        run.command = ["taskset", "-c", "1", *run.command]


def pinned(run):
    """The program and all that it starts may run on one CPU."""
    run.command = ["taskset", "-c", "1", *run.command]


def rank_neighbour(run):
    child = run.stack.enter_context(world.helper("spin", 2, 1))
    run.names["neighbour"] = child.pid


def mild_neighbour(run):
    """A spinning process on each CPU with little weight: it takes a few percent."""
    child = run.stack.enter_context(world.helper("spin", 2))
    os.setpriority(os.PRIO_PROCESS, child.pid, 10)
    run.names["neighbour"] = child.pid


def blocking(run):
    run.environment["CUDA_LAUNCH_BLOCKING"] = "1"


def hip_blocking(run):
    run.environment["HIP_LAUNCH_BLOCKING"] = "1"


def sixteen(run):
    run.environment["OMP_NUM_THREADS"] = "16"


def small_device(run):
    run.environment["TRUTH_DEVICE_MB"] = "2560"


def cold_launches(run):
    run.environment["TRUTH_LAUNCH_NS"] = "6000"


def clients(per_second):
    def prepare(run):
        path = os.path.join(run.folder, "s")
        run.command = [*run.command, path]
        run.stack.enter_context(world.helper("clients", path, per_second))
    return prepare


def periods_hold_the_loss(answer):
    """A period of 100 ms cannot lose more than 100 ms."""
    found = re.search(r"([\d.]+) ?(ms|s)\b[^.;]{0,40}? in (\d+) (?:throttled )?periods", answer)
    if found and float(found.group(1)) * (1 if found.group(2) == "s" else 0.001) > 0.1 * int(found.group(3)):
        return found.group(0)
    return None


INPUT = r"input[- ]bound|data ?loader|loader|waited .{0,60} for .{0,40}worker"
HOST = r"host[- ]bound|host code|python code|on the cpu"
RANK = r"rank 1\b"

FAULTS = [
    Kind("loader_cpu", program("train_loader.py", "cpu", "{seconds}"), cause=INPUT,
         who=(r"worker|{workers}", r"train_loader.py:{line:cpu}|decode|on the cpu")),
    Kind("loader_disk", program("train_loader.py", "disk", "{seconds}"), slow_disk, cause=INPUT,
         who=(r"worker|{workers}", r"disk|truth_shard|vda|i/o")),
    Kind("mapped_file", program("train_host.py", "mapped", "{seconds}"), cold_file, cause=INPUT + r"|disk",
         who=(r"truth_shard", r"train_host.py:{line:mapped}|train_mapped")),
    Kind("loader_server", program("train_loader.py", "server", "{seconds}"), slow_server, cause=INPUT,
         who=(r"{addr}|pid {server}\b",)),
    Kind("loader_link", program("train_loader.py", "link", "{seconds}"), bad_link, cause=INPUT, who=(r"{addr}|pid {server}\b",),
         seconds=6),
    Kind("python_gap", program("train_host.py", "gap", "{seconds}"), cause=HOST,
         who=(r"train_host.py:{line:gap}|train_gap|clock.py:\d+|burn",)),
    Kind("gil_holder", program("train_host.py", "gil", "{seconds}"), cause=r"\bGIL\b|interpreter lock|a lock|futex",
         who=(r"logger|train_host.py:{line:gil}|json|{gil_tid}",)),
    Kind("gc_pauses", program("train_host.py", "gc", "{seconds}"), cause=r"garbage|\bgc\b|gc_collect",
         who=(r"gc_collect|garbage collect|train_host.py:{line:gc}|train_gc",)),
    Kind("mutex", native("loops", "mutex", "{seconds}"), cause=r"\block\b|mutex|futex",
         who=(r"cache-evict|evict_samples|{holder_tid}",)),
    Kind("stdout_blocked", program("train_host.py", "stdout", "{seconds}"), slow_reader,
         cause=r"pipe|standard output|stdout|its reader", who=(r"pid {reader}\b|\b{reader}\b",)),
    Kind("checkpoint_fsync", program("train_host.py", "checkpoint", "{seconds}"), scratch, cause=r"fsync|checkpoint|ckpt",
         who=(r"ckpt.bin|train_host.py:({line:checkpoint}|{line:save})",), seconds=6),
    Kind("first_touch", program("train_host.py", "first_touch", "{seconds}"),
         cause=r"first touch|page[- ]fault|touched (for the first time|first)|fresh memory"),
    Kind("reclaim", program("train_host.py", "reclaim", "{seconds}"), small_memory, cause=r"reclaim|memory limit"),
    Kind("sigstop", program("train_host.py", "plain", "{seconds}"), stopped, cause=r"SIGSTOP|stopped (by|for)|by a signal",
         never=r"stopped submitting", budget=False, seconds=6),
    Kind("freezer", program("train_host.py", "plain", "{seconds}"), frozen, cause=r"freezer|frozen|froze", budget=False, seconds=6),
    Kind("sticky_700", program("train_host.py", "fault", "{seconds}"), cause=r"illegal", who=(r"700|IllegalAddress",), budget=False),
    Kind("segv", program("train_host.py", "segv", "{seconds}"), cause=r"SIGSEGV|signal 11|segmentation", budget=False),
    Kind("pageable_async", program("train_host.py", "pageable", "{seconds}"), cause=r"pageable|not pinned|unpinned|pinned"),
    Kind("sync_copies", program("train_host.py", "copies", "{seconds}"), cause=r"cop(y|ies)[- ]bound|synchronous cop|cop(y|ies)"),
    Kind("slow_device_rank", program("ranks.py", "slow_device", "{seconds}", "4"), cause=r"device[- ]bound",
         who=(r"slowest device", r"which rank|rank (is )?(not known|unknown)"), never=r"lost \d+%? .* to ", budget=False,
         counts_verdict=True),
    Kind("late_rank_loader", program("ranks.py", "late_loader", "{seconds}", "3"), cause=RANK,
         who=(r"loader|worker|pipe|input", r"{rank_pid}")),
    Kind("late_rank_neighbour", program("ranks.py", "late_neighbour", "{seconds}", "3"), rank_neighbour, cause=RANK,
         who=(r"cpu|preempt|{neighbour}", r"{rank_pid}"), healthy_cpu=False),
    Kind("late_rank_python", program("ranks.py", "late_python", "{seconds}", "3"), cause=RANK,
         who=(r"host|python|ranks.py:|clock.py:|burn|on the cpu", r"{rank_pid}")),
    Kind("collective_skip", program("ranks.py", "skip", "4", "3"), cause=RANK,
         who=(r"skip|did not (enter|call|come)|never (entered|came|called)|has not (entered|come)|missing|wait", r"{rank_pid}"),
         budget=False),
    Kind("collective_mismatch", program("ranks.py", "mismatch", "4", "3"), cause=RANK,
         who=(r"mismatch|differ|disagree|131,?072|524,?288|half", r"{rank_pid}"), budget=False),
    Kind("crossed", program("ranks.py", "crossed", "6", "2"), cause=r"deadlock", who=(r"opposite orders", r"{rank_pid}"), budget=False),
    Kind("crossed_queued", program("ranks.py", "crossed_queued", "14", "2"), cause=r"deadlock",
         who=(r"opposite orders", r"{rank_pid}"), budget=False),
    Kind("collective_abort", program("ranks.py", "abort", "4", "3"), cause=RANK + r"|{rank_pid}",
         who=(r"exit|abort|died|dead|ended|gone",), budget=False),
    Kind("attach_loader", program("train_loader.py", "cpu", "10"), cause=INPUT,
         who=(r"worker|{workers}", r"train_loader.py:{line:cpu}|decode|on the cpu"), attach="main", seconds=5),
    Kind("attach_gap", program("train_host.py", "gap", "10"), cause=HOST,
         who=(r"train_host.py:{line:gap}|train_gap|clock.py:\d+|burn",), attach="main", seconds=5),
    Kind("attach_late_rank", program("ranks.py", "late_python", "10", "3"), cause=RANK + r"|{rank_pid}",
         who=(r"host|python|ranks.py:|clock.py:|burn|on the cpu", r"{rank_pid}"), attach="all", seconds=5),
    Kind("attach_launcher", program("ranks.py", "late_python", "10", "3"), cause=RANK + r"|{rank_pid}",
         who=(r"host|python|ranks.py:|clock.py:|burn|on the cpu", r"{rank_pid}"), attach="launcher", seconds=5),
    Kind("launch_blocking", program("train_host.py", "plain", "{seconds}"), blocking, cause=r"CUDA_LAUNCH_BLOCKING"),
    Kind("own_threads", native("loops", "threads", "{seconds}"), sixteen,
         cause=r"own threads|16 threads|OMP_NUM_THREADS|oversubscri|more threads", healthy_cpu=False),
    Kind("overloaded_server", program("serve.py", "{seconds}"), clients(260), budget=False,
         counts_verdict=True, cause=r"overload|faster than|more (requests|work) than|queue (grows|grew|keeps growing)|backlog"),
    Kind("cpu_quota", program("train_host.py", "quota", "{seconds}"), cpu_limit, cause=r"quota|throttl|CPU limit", healthy_cpu=False,
         check=periods_hold_the_loss),
    Kind("cpu_neighbour", program("train_host.py", "pinned_cpu", "{seconds}"), neighbour,
         cause=r"preempt|waits? for (a )?cpu|cpu wait|starved of cpu|lost .* to|renice", who=(r"{neighbour}|helpers|python",), healthy_cpu=False),
    Kind("tiny_launches", program("train_host.py", "tiny", "{seconds}"), cause=r"launch[- ]bound|tiny|small kernels|short kernels|launches"),
    Kind("alloc_churn", program("train_host.py", "churn", "{seconds}"), cause=r"alloc"),
    Kind("device_oom", program("train_host.py", "device_oom", "{seconds}"), small_device, cause=r"out of (device )?memory|MemoryAllocation",
         who=(r"cudaMalloc|allocat",), budget=False),
    Kind("host_oom", program("train_loader.py", "oom", "{seconds}"), no_memory, cause=r"\bOOM|killed .*memory|out of memory",
         who=(r"{oom_pid}",), budget=False),
    Kind("item_sync", program("train_host.py", "item", "{seconds}"), cause=r"sync[- ]bound|synchroni[sz]"),
    Kind("sleep", program("train_host.py", "sleep", "{seconds}"), cause=r"sleep|slept", who=(r"train_host.py:{line:sleep}|train_sleep|sleep",)),
    Kind("tracking_server", program("train_host.py", "tracking", "{seconds}"), tracking_server, cause=r"socket|server|waited for|network",
         who=(r"{addr}|pid {server}\b",)),
    Kind("resolver", program("train_host.py", "resolve", "{seconds}"), resolver, cause=INPUT + r"|socket|waited for|slept",
         who=(r"pid {server}\b", r"train_host.py:{line:resolve}|train_resolve")),
    Kind("memory_limit", program("train_host.py", "mapped_again", "{seconds}"), less_memory_than_data,
         cause=r"memory limit|limit on memory|memory\.(limit|max)"),
    Kind("disk_neighbour", program("train_host.py", "mapped", "{seconds}"), filled_disk, cause=INPUT + r"|disk",
         who=(r"pid {filler}\b",)),
    Kind("file_lock", program("train_host.py", "file_lock", "{seconds}"), held_lock, cause=r"\block\b|flock", who=(r"{holder}|shared.log|flock",)),
    Kind("child_process", program("train_host.py", "child", "{seconds}"), slow_tool, cause=r"child|subprocess|gpu-temperature|process",
         who=(r"gpu-temperature|sleep|child",)),
    Kind("default_stream", native("loops", "default_stream", "{seconds}"), cause=r"default stream|legacy stream|one stream|same stream"),
    Kind("hip_launch_blocking", native("loops_hip", "blocking", "{seconds}"), hip_blocking, cause=r"HIP_LAUNCH_BLOCKING"),
    Kind("debugger", program("train_host.py", "plain", "{seconds}"), debugged, cause=r"debugger|ptrace", never=r"stopped submitting",
         budget=False, seconds=6),
    Kind("worker_stopped", program("train_loader.py", "one", "{seconds}"), stopped_worker, cause=r"\bstopped\b(?! submitting)",
         who=(r"\b{victim}\b",), budget=False, seconds=6),
    Kind("worker_killed", program("train_loader.py", "one", "{seconds}"), killed_worker, cause=r"SIGKILL|signal 9|was killed",
         who=(r"\b{victim}\b", r"\b{worker_pid}\b"), budget=False, seconds=6),
    Kind("layer_sync", program("train_host.py", "layers", "{seconds}"), cause=r"sync[- ]bound|synchroni[sz]"),
    Kind("collective_other", program("ranks.py", "other", "4", "3"), cause=RANK,
         who=(r"mismatch|differ|disagree|all_?gather", r"{rank_pid}"), budget=False),
    Kind("rank_stopped", program("ranks.py", "healthy", "{seconds}", "3"), stopped_rank, cause=r"\bstopped\b(?! submitting)",
         who=(RANK + r"|{rank_pid}",), budget=False, seconds=6),
    Kind("rank_killed", program("ranks.py", "healthy", "4", "3"), killed_rank, cause=r"SIGKILL|signal 9|killed", who=(r"{rank_pid}",),
         budget=False),
    Kind("late_rank_saving", program("ranks.py", "late_saving", "{seconds}", "3"), cause=RANK,
         who=(r"disk|fsync|write|gradients|host", r"{rank_pid}")),
    Kind("decoder_thread", native("loops", "decoder", "{seconds}"), cause=INPUT + r"|waited .{0,80}decoder",
         who=(r"decoder|decode_batch",)),
    Kind("fresh_buffers", native("loops", "buffers", "{seconds}"),
         cause=r"first touch|page[- ]fault|touched (for the first time|first)|fresh memory"),
    Kind("timer", program("train_host.py", "timer", "{seconds}"), cause=r"sleep|slept|timer", who=(r"train_host.py:\d+|train_timer",)),
    Kind("connections", program("train_host.py", "connections", "{seconds}"), tracking_server,
         cause=r"input[- ]bound|host[- ]bound|waited", who=(r"{addr}|pid {server}\b",)),
    Kind("dead_loader", program("train_host.py", "dead_loader", "{seconds}"), cause=r"waited for a lock|hangs?\b|hung|for ever",
         who=(r"nothing ended|exit status 9",), never=r"stopped submitting", budget=False, seconds=6),
    Kind("pinning", program("train_host.py", "pinning", "{seconds}"), cause=r"alloc|pin", who=(r"cudaHostRegister",)),
    Kind("rank_evaluating", program("ranks.py", "evaluating", "{seconds}", "3"), cause=RANK,
         who=(r"late|last", r"{rank_pid}"), never=r"which rank has it is not", budget=False),
    Kind("pinned_loader", program("train_loader.py", "cpu", "{seconds}"), pinned, cause=INPUT + r"|starved of cpu|waited .{0,80}cpu",
         who=(r"may run on CPU 1 only|affinity",), healthy_cpu=False),
    Kind("deadlock", native("loops", "deadlock", "{seconds}"), cause=r"deadlock", who=(r"waited for a lock",), budget=False, seconds=6),
]

HEALTHY = [
    Kind("steady", program("healthy.py", "steady", "{seconds}")),
    Kind("pipelined", program("healthy.py", "pipelined", "{seconds}")),
    Kind("pinned_steady", program("healthy.py", "steady", "{seconds}"), pinned),
    Kind("bursty", program("healthy.py", "bursty", "{seconds}"), budget=False),
    Kind("compile_first", program("healthy.py", "compile_first", "{seconds}"), seconds=6),
    Kind("evaluating", program("healthy.py", "evaluating", "{seconds}")),
    Kind("serving", program("serve.py", "{seconds}"), clients(40), budget=False),
    Kind("spinning", native("loops", "spin", "{seconds}")),
    Kind("uploads", program("healthy.py", "uploads", "{seconds}"), upload_server, seconds=7, budget=False),
    Kind("accumulating", program("healthy.py", "accumulating", "{seconds}")),
    Kind("two_streams", program("healthy.py", "graphs_of_streams", "{seconds}")),
    Kind("fed_loader", program("train_loader.py", "enough", "{seconds}")),
    Kind("ranks", program("ranks.py", "healthy", "{seconds}", "3")),
    Kind("saving_beside", program("healthy.py", "saving_beside", "{seconds}"), scratch),
    Kind("fed_decoder", native("loops", "fed", "{seconds}")),
    Kind("hip_steady", native("loops_hip", "blocking", "{seconds}")),
    Kind("attach_steady", program("healthy.py", "steady", "10"), attach="main", seconds=5),
    Kind("spin_neighbour", native("loops", "spin", "{seconds}"), mild_neighbour, mild=0.08, healthy_cpu=False),
]

ALL = {kind.name: kind for kind in FAULTS + HEALTHY}
SHORT = ("loader_cpu", "python_gap", "sticky_700", "sync_copies", "steady", "pipelined")
NOISY = ("steady", "pipelined", "bursty", "evaluating", "serving", "spinning", "accumulating", "two_streams", "fed_loader", "ranks")
