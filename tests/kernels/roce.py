#!/usr/bin/env python3
"""Soft-RoCE and real faults in guests: what the kernel counted next to what the recording holds, and what explain said. One table.

roce.py JOB...      of: one (jobs/roce.sh, one guest), pair (jobs/roce_pair.sh, two guests on one wire), faults (jobs/faults.sh)
  --kernel 6.12     a folder of $KERNELS, as fetched
  --agent PATH      the program under test (build/release/cli/ingero)
  --out FOLDER      what the guests left: recordings, explanations, metrics, the table
  --loss 2          per cent that netem drops (pair)
  --what "..."      only some of the cases of one and faults
LAB names the folder with boot.sh and guest.sh (default: next to this file). Ends with 1 when a check failed, with 77 and a reason
where the machine has no QEMU, no kernel or no verbs programs.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
LAB = pathlib.Path(os.environ.get("LAB", HERE))
JOBS = HERE / "jobs"
PROGRAMS = ("qemu-system-x86_64", "cpio", "rdma", "ibv_rc_pingpong", "ibv_asyncwatch", "ib_send_bw", "nm", "readelf", "dmsetup")
CALLS = ("ibv_create_qp", "ibv_reg_mr", "ibv_reg_mr_iova2", "ibv_create_cq", "ibv_modify_qp", "ibv_destroy_qp")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def text(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def library_of(program):
    """The verbs library where the loader finds it: guests have it at the same place."""
    return re.search(r"libibverbs\S* => (\S+)", text("ldd", shutil.which(program))).group(1)


def offsets(library):
    """File offsets of the default versions of the calls: where the kernel is to count them."""
    segments = [(int(f[2], 16), int(f[1], 16), int(f[4], 16)) for f in
                (line.split() for line in text("readelf", "-lW", library).splitlines()) if f[:1] == ["LOAD"]]
    found = []
    for line in text("nm", "-D", "--with-symbol-versions", library).splitlines():
        address, _, symbol = (line.split() + ["", "", ""])[:3]
        name, _, version = symbol.partition("@@")
        if name not in CALLS or not version:
            continue
        for start, offset, size in segments:
            if start <= int(address, 16) < start + size:
                found.append(f"{name}=0x{int(address, 16) - start + offset:x}")
    return " ".join(found)


def listens(port):
    """Whether something on this machine listens there; to connect would be taken for the other guest."""
    wanted = f":{port:04X}"
    with open("/proc/net/tcp", encoding="ascii") as table:
        return any(line.split()[1].endswith(wanted) and line.split()[3] == "0A" for line in table.readlines()[1:])


class Lab:
    def __init__(self, options):
        self.options = options
        self.out = pathlib.Path(options.out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.guest = self.out / "guest.cpio"
        self.library = library_of("ibv_rc_pingpong")
        dmsetup = shutil.which("dmsetup", path="/usr/sbin:/sbin:" + os.environ["PATH"])
        subprocess.run([LAB / "guest.sh", self.guest, f"{options.agent}=/bin/ingero", f"{dmsetup}=/bin/dmsetup"], check=True, stdout=subprocess.DEVNULL)

    def boot(self, name, job, settings, modules, **environment):
        """One guest, in the background."""
        folder = self.out / name
        shutil.rmtree(folder, ignore_errors=True)
        (self.out / f"{name}.settings").mkdir(exist_ok=True)
        path = self.out / f"{name}.settings" / "settings"
        path.write_text("".join(f"{key}='{value}'\n" for key, value in settings.items()))
        files = [path, JOBS / "checks.sh", JOBS / "fabric.sh"]
        return subprocess.Popen([LAB / "boot.sh", self.options.kernel, "-", self.guest, JOBS / job, folder, *files],
                                env={**os.environ, "MODULES": modules, **environment}, stdout=subprocess.PIPE, text=True)

    def one(self):
        settings = {"PROBES": offsets(self.library), "LIBRARY": self.library}
        if self.options.what:
            settings["WHAT"] = self.options.what
        guest = self.boot("one", "roce.sh", settings, "veth ib_uverbs rdma_rxe", CPUS="2", LIMIT=str(self.options.limit))
        print(guest.communicate()[0].strip())
        return ["one"]

    def faults(self):
        settings = {"WHAT": self.options.what} if self.options.what else {}
        guest = self.boot("faults", "faults.sh", settings, "veth sch_netem null_blk dm-mod dm-flakey", CPUS="2",
                          LIMIT=str(self.options.limit))
        print(guest.communicate()[0].strip())
        return ["faults"]

    def pair(self):
        port, modules = random.randint(20000, 40000), "virtio_pci virtio_net ib_uverbs rdma_rxe sch_netem"
        common = {"CPUS": "1", "LIMIT": str(self.options.limit)}
        server = self.boot("pair.server", "roce_pair.sh", {"me": 1}, modules, NET=f"listen:{port}", **common)
        while server.poll() is None and not listens(port):  # the emulator does not try again
            time.sleep(0.2)
        client = self.boot("pair", "roce_pair.sh", {"me": 2, "LOSS": self.options.loss}, modules, NET=f"connect:{port}",
                           **common)
        for guest in (client, server):
            print(guest.communicate()[0].strip())
        return ["pair.server", "pair"]


def table(out, names):
    """Prints every check; returns how many there were and how many failed."""
    rows, total, failed = [], 0, 0
    for name in names:
        said = (out / name / "said").read_text(errors="replace")
        result = (out / name / "result").read_text().strip()
        for line in said.splitlines():
            found = re.fullmatch(r"check (ok|FAIL) (\S+) (.*?): (.*) \| (.*)", line)
            if found:
                word, case, what, kernel, recorded = found.groups()
                total, failed = total + 1, failed + (word != "ok")
                rows.append((word, f"{name} {case}", what, kernel, recorded))
            elif line.startswith("note "):
                rows.append(("", f"{name} {line.split()[1]}", line.split(" ", 2)[2], "", ""))
        if "checks: " not in said or result != "ok" and not failed:
            total, failed = total + 1, failed + 1
            rows.append(("FAIL", name, "the guest ended well", "ok", result))
    print("| | case | what | kernel | recorded |\n|---|---|---|---|---|")
    for row in rows:
        print("| " + " | ".join(cell.replace("|", "/").strip() for cell in row) + " |")
    print(f"{total} checks, {failed} failed")
    return total, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", nargs="+", choices=("one", "pair", "faults"))
    parser.add_argument("--kernel", default="6.12")
    parser.add_argument("--agent", default=str(HERE.parents[1] / "build/release/cli/ingero"))
    parser.add_argument("--out", default="/var/tmp/ingero-roce")
    parser.add_argument("--loss", default="2")
    parser.add_argument("--what", default="")
    parser.add_argument("--limit", type=int, default=300)
    options = parser.parse_args()
    for program in PROGRAMS:
        if shutil.which(program, path="/usr/sbin:/sbin:" + os.environ["PATH"]) is None:
            skip(f"{program} is not installed")
    kernels = pathlib.Path(os.environ.get("KERNELS", pathlib.Path.home() / ".cache/kernels"))
    if not (kernels / options.kernel / "vmlinuz").exists():
        skip(f"there is no kernel {options.kernel} in {kernels}")
    lab = Lab(options)
    names = [name for job in options.jobs for name in getattr(lab, job)()]
    total, failed = table(lab.out, names)
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main())
