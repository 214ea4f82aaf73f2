"""What disturbs a workload of the truth suite: control groups, competitors, disks, memory, networks, adapters, logs.

A disturbance is a dictionary of scenarios.json ("stress"); what must be there before the workload starts is a key of the
scenario itself ("contained", "network", "fabric", "kernel_log"). Needs root. Standard library, ip, nft and taskset only.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import trees  # noqa: E402

PORT = 5201
ECHO = f"""
import socket
server = socket.create_server(("", {PORT}))
while True:
    peer, _ = server.accept()
    while True:
        head = peer.recv(8, socket.MSG_WAITALL)
        if len(head) < 8: break
        left = int.from_bytes(head, "little")
        while left > 0:
            got = len(peer.recv(min(left, 1 << 20)))
            if got == 0: break
            left -= got
        peer.send(b"k")
"""
HOG = """
import mmap, sys
with open(sys.argv[1], "rb") as file: pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
while True:
    for at in range(0, len(pages), 4096): pages[at]
"""


def missing_for(scenario):
    """Why this machine cannot play it, or None."""
    if scenario.get("network"):
        for tool in ("ip", "nft", "nsenter"):
            if shutil.which(tool) is None and not os.path.exists(f"/usr/sbin/{tool}"):
                return f"there is no {tool}"
    if any(stress["kind"] == "hog" for stress in scenario.get("stress", [])):
        if not os.path.exists("/proc/pressure/memory"):
            return "the kernel does not account for pressure"
    return None


class Cgroup:
    """A control group of one controller, of either version, for as long as a scenario lasts."""

    def __init__(self, controller, settings, name=None):
        unified = "/sys/fs/cgroup/cgroup.controllers"
        self.version = 2 if os.path.exists(unified) else 1
        root = "/sys/fs/cgroup" if self.version == 2 else f"/sys/fs/cgroup/{controller}"
        if name is None:
            self.path = tempfile.mkdtemp(prefix="truth.", dir=root)
        else:
            self.path = os.path.join(root, name)
            os.mkdir(self.path)
        for file_name, value in settings.get(self.version, {}).items():
            with open(os.path.join(self.path, file_name), "w", encoding="ascii") as file:
                file.write(value)

    def add(self, pid):
        with open(os.path.join(self.path, "cgroup.procs"), "w", encoding="ascii") as file:
            file.write(str(pid))

    def remove(self):
        for _ in range(50):
            try:
                os.rmdir(self.path)
                return
            except OSError:
                time.sleep(0.05)


class Network:
    """Two namespaces with a cable between them; the far one answers."""

    def __init__(self):
        self.near, self.far = (f"truth-{end}-{os.getpid()}" for end in ("near", "far"))
        for name in (self.near, self.far):
            self.ip("netns", "add", name)
        self.ip("-n", self.near, "link", "add", "veth0", "type", "veth", "peer", "name", "veth0", "netns", self.far)
        for name, host in ((self.near, 1), (self.far, 2)):
            self.ip("-n", name, "address", "add", f"10.199.0.{host}/24", "dev", "veth0")
            self.ip("-n", name, "link", "set", "veth0", "up")
        self.server = subprocess.Popen([*self.inside(self.far), sys.executable, "-S", "-c", ECHO])

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True)

    @staticmethod
    def inside(name):
        return ["nsenter", f"--net=/run/netns/{name}"]

    def lose(self, percent):
        rules = f"table inet truth {{ chain i {{ type filter hook input priority 0;\n" \
                f"tcp dport {PORT} numgen random mod 100 < {percent} drop\n}}\n}}\n"
        subprocess.run([*self.inside(self.far), "nft", "-f", "-"], input=rules, text=True, check=True)

    def remove(self):
        self.server.kill()
        self.server.wait()
        for name in (self.near, self.far):
            subprocess.run(["ip", "netns", "del", name], check=False)


class World:
    """What is there around one run; what to put in front of the workload, and the agent's flags."""

    def __init__(self, scenario, work):
        self.work = work
        self.children, self.removed_last, self.stops = [], [], []
        self.prefix, self.player_options, self.agent_options = [], [], []
        self.network = self.fabric = self.log = None
        if scenario.get("contained"):
            group = self.group("cpu", {}, f"{random.getrandbits(256):064x}")
            self.prefix += ["sh", "-c", f'echo $$ >{group.path}/cgroup.procs && exec "$@"', "sh"]
        if scenario.get("network"):
            self.network = Network()
            self.removed_last.append(self.network)
            self.prefix += Network.inside(self.network.near)
            self.player_options += ["--peer", f"10.199.0.2:{PORT}"]
        if scenario.get("fabric"):
            self.fabric = trees.fabric(os.path.join(work, "sys"))
            self.agent_options += ["--sysfs-root", self.fabric, "--rdma-interval", "1s"]
        if scenario.get("kernel_log"):
            self.log = os.path.join(work, "kmsg")
            os.mkfifo(self.log)
            self.agent_options += ["--kernel-log", self.log]
            self.log_writer = None
        if "pin" in scenario:
            self.prefix += ["taskset", "-c", scenario["pin"]]

    def group(self, *words):
        group = Cgroup(*words)
        self.removed_last.append(group)
        return group

    def spawn(self, command, **more):
        self.children.append(subprocess.Popen(command, **more))
        return self.children[-1]

    def started(self):
        """The agent runs: open what it reads."""
        if self.log:
            self.log_writer = os.open(self.log, os.O_WRONLY)

    def disturb(self, stress, player):
        kind = stress["kind"]
        if kind == "spin":
            group = self.group("cpu", {}, f"{random.getrandbits(256):064x}") if stress.get("contained") else None
            for _ in range(stress["count"]):
                child = self.spawn(["taskset", "-c", stress["cpu"], "nice", "-n", str(stress.get("nice", 0)),
                                    sys.executable, "-S", "-c", "while True: pass"])
                if group:
                    group.add(child.pid)
        elif kind == "dd":
            self.spawn(["sh", "-c", f"while :; do dd if=/dev/zero of={self.work}/load bs=1M count=64 oflag=direct "
                        "status=none; done"], start_new_session=True)
        elif kind == "cpu_limit":
            limit = str(int(100000 * stress["quota"]))
            self.group("cpu", {1: {"cpu.cfs_quota_us": limit}, 2: {"cpu.max": limit + " 100000"}}).add(player)
        elif kind == "oom":
            group = self.group("memory", {1: {"memory.limit_in_bytes": "30M"}, 2: {"memory.max": "30M"}})
            child = self.spawn([sys.executable, "-S", "-c", "import sys; sys.stdin.readline(); b = bytearray(400 << 20)"],
                               stdin=subprocess.PIPE)
            group.add(child.pid)
            child.stdin.write(b"go\n")
            child.stdin.flush()
        elif kind == "hog":
            group = self.group("memory", {1: {"memory.limit_in_bytes": "24M"}, 2: {"memory.max": "24M"}})
            path = os.path.join(self.work, "hogged")
            with open(path, "wb") as file:
                for _ in range(stress["mib"]):
                    file.write(os.urandom(1 << 20))
                os.fsync(file.fileno())
                # Read anew, its pages count for who reads them.
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            for _ in range(stress["count"]):
                group.add(self.spawn(["taskset", "-c", stress["cpu"], sys.executable, "-S", "-c", HOG, path]).pid)
        elif kind == "packet_loss":
            self.network.lose(stress["percent"])
        elif kind == "kernel_line":
            stamp = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
            os.write(self.log_writer, f"4,7,{stamp},-;{stress['line']}\n".encode())
        elif kind == "counter":
            path = os.path.join(self.fabric, stress["path"])
            over = threading.Event()

            def grow():
                value = int(open(path, encoding="ascii").read())
                while not over.wait(0.2):
                    value += stress["by"]
                    with open(path, "r+", encoding="ascii") as file:
                        file.write(str(value) + "\n")
            thread = threading.Thread(target=grow)
            thread.start()
            self.stops.append((over, thread))
        else:
            raise ValueError(f"no stressor {kind}")

    def stop(self):
        for over, thread in self.stops:
            over.set()
            thread.join()
        for child in self.children:
            try:
                os.killpg(child.pid, signal.SIGKILL) if os.getpgid(child.pid) == child.pid else child.kill()
            except ProcessLookupError:
                pass
        for child in self.children:
            child.wait()
        if self.log and self.log_writer is not None:
            os.close(self.log_writer)

    def remove(self):
        for one in reversed(self.removed_last):
            one.remove()
