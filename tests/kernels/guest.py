"""A root file system for a guest, made of this machine's own programs, and the job that runs in it.

Both are archives that the kernel unpacks into memory (Documentation/driver-api/early-userspace/buffer-format.rst), one
behind the other: what is the same for all boots is made once.
"""
import os
import re
import shutil
import subprocess
import tempfile

import kernels

PROGRAMS = ["bash", "kmod", "timeout"]
LINKS = ["modprobe", "insmod"]
DISK_MODULES = ["virtio_pci", "virtio_blk"]

# The job's words go to the console as it goes, for a kernel that falls, and into /out, which is handed over at the end.
INIT = """#!/bin/busybox sh
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mkdir -p /dev/shm /dev/pts
for place in /tmp /dev/shm /run /out; do mount -t tmpfs -o size=75% tmpfs $place; done
mount -t devpts pts /dev/pts
mount -t debugfs none /sys/kernel/debug; mount -t tracefs none /sys/kernel/tracing
mount -t bpf none /sys/fs/bpf; mount -t cgroup2 none /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd; hostname guest; ip link set lo up
for module in $(cat /job/modules); do insmod $module || echo "guest: $module was not loaded"; done
preempt=$(cat /sys/kernel/debug/sched/preempt 2>/dev/null || echo fixed)
echo "guest: up, $(uname -r), $(nproc) CPUs, preempt $preempt" >/dev/console
cd /job; { bash ./run 2>&1 </dev/null; echo "guest: status $?"; } | tee /out/said >/dev/console
dmesg >/out/dmesg
tar -cf /dev/vda -C /out . ; sync
poweroff -f
"""


def libraries_of(path):
    done = subprocess.run(["ldd", path], text=True, capture_output=True)
    return re.findall(r"(/[^ ]*) \(0x", done.stdout)


def archive(root, path):
    names = subprocess.run(["find", "."], cwd=root, capture_output=True, check=True).stdout
    with open(path, "wb") as file:
        subprocess.run(["cpio", "-o", "-H", "newc", "--quiet"], cwd=root, input=names, stdout=file, check=True)


class Root:
    """A folder that becomes an archive."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="ingero-guest.")

    def add(self, source, place=None, strip=True):
        """A file at its place, with the shared libraries it needs, each where it is here."""
        place = self.folder + (place or source)
        if os.path.lexists(place):
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        shutil.copyfile(source, place)
        shutil.copymode(source, place)
        with open(source, "rb") as file:
            if file.read(4) != b"\x7fELF":
                return
        if strip:
            subprocess.run(["strip", "--strip-debug", place], stderr=subprocess.DEVNULL)
        for library in libraries_of(source):
            self.add(library)

    def write(self, place, text, mode=0o644):
        path = self.folder + place
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def archive(self, path):
        archive(self.folder, path)
        shutil.rmtree(self.folder)


def find_program(name):
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin:/bin")
    if path is None:
        raise kernels.Missing(f"{name} is not installed on this machine")
    return path


def make_base(path, files):
    """The archive of what every boot needs. `files`: (file here, place in the guest or None)."""
    root = Root()
    for folder in ("bin", "dev", "proc", "sys", "tmp", "run", "out", "etc", "root", "var/tmp", "usr/bin"):
        os.makedirs(os.path.join(root.folder, folder), exist_ok=True)
    os.symlink("bin", os.path.join(root.folder, "sbin"))
    busybox = find_program("busybox")
    root.add(busybox, "/bin/busybox")
    for name in PROGRAMS:
        root.add(find_program(name), "/bin/" + name)
    for name in LINKS:
        os.symlink("kmod", os.path.join(root.folder, "bin", name))
    for name in subprocess.run([busybox, "--list"], text=True, capture_output=True, check=True).stdout.split():
        place = os.path.join(root.folder, "bin", name)
        if not os.path.lexists(place):
            os.symlink("bash" if name == "sh" else "busybox", place)
    for source, place in files:
        root.add(source, place)
    root.write("/etc/passwd", "root:x:0:0:root:/root:/bin/bash\n")
    root.write("/etc/group", "root:x:0:\n")
    root.write("/etc/hosts", "127.0.0.1 localhost guest\n")
    root.write("/init", INIT, 0o755)
    root.archive(path)


def make_job(path, kernel, script, files, modules):
    """The archive of one boot: the job, its files, and the modules of the kernel, unpacked."""
    root = Root()
    root.add(script, "/job/run")
    for source in files:
        root.add(source, "/job/" + os.path.basename(source))
    loaded = []
    for source in kernels.module_files(kernel, [*DISK_MODULES, *modules]):
        name = re.sub(r"\.(xz|zst|gz)$", "", os.path.basename(source))
        place = "/job/module/" + name
        os.makedirs(root.folder + "/job/module", exist_ok=True)
        unpackers = {".xz": ["xz", "-dc"], ".zst": ["zstd", "-qdc"], ".gz": ["gzip", "-dc"]}
        unpack = unpackers.get(os.path.splitext(source)[1], ["cat"])
        with open(root.folder + place, "wb") as file:
            subprocess.run([*unpack, source], stdout=file, check=True)
        loaded.append(place)
    root.write("/job/modules", "\n".join(loaded) + "\n")
    root.archive(path)
