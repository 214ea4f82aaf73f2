"""Boots one kernel under QEMU with one job and brings back what the job left in /out.

Emulated (TCG): a nested machine has seldom a KVM that runs stock kernels, and times inside are not measurements anyway.
"""
import contextlib
import dataclasses
import os
import re
import shutil
import socket
import subprocess
import tarfile
import tempfile
import time

import guest
import kernels

OUT_BYTES = 512 << 20
CONSOLE_LINES = 120  # of a boot that failed
# What a kernel says when something is wrong with it.
WRONG = re.compile(r"Oops|BUG: |Kernel panic|general protection|WARNING: |refcount_t|INFO: (rcu|task)|double fault|"
                   r"Unable to handle kernel|scheduling while atomic|\bint3: \d{4} \[#")
# The emulator's threads see patched code late: a breakpoint that the kernel writes while it patches is then hit in
# earnest (arch/x86/kernel/alternative.c, text_poke_bp_batch()). Never excused inside a BPF program.
EMULATOR = re.compile(r"\bint3: \d{4} \[#")
# With kprobes the kernel takes it for one that was just removed, and runs the instruction again (kprobe_int3_handler()):
# the processor stays there until the emulator looks at the code anew, which may be never. Seen on 6.1 at nops of
# __schedule() and __alloc_pages() that were whole in memory. The stall, if the kernel notices it, is in the entry of int3.
STALLED = re.compile(r"rcu: INFO: .* stalls|soft lockup")
LOOK_EVERY_S = 20

MACHINES = {
    "amd64": {"program": "qemu-system-x86_64", "machine": [], "cpu": "max", "console": "ttyS0"},
    # pauth-impdef: signing pointers by the architecture's own hash would be most of the time of an emulated program.
    # lpa2: kernels before 5.12 do not survive it.
    "arm64": {"program": "qemu-system-aarch64", "machine": ["-M", "virt,gic-version=3"],
              "cpu": "max,pauth-impdef=on,lpa2=off", "console": "ttyAMA0"},
}


@dataclasses.dataclass
class Boot:
    """What came of it. `fault`: the kernel's own words, `said`: the job's; folder: the job's /out."""
    status: int | None
    fault: str
    said: str
    console: str
    folder: str
    is_emulators: bool = False
    emulator_said: str = ""

    @property
    def is_up(self):
        """Whether the job began: what comes before is the kernel's and the emulator's."""
        return "guest: up, " in self.console

    @property
    def last_lines(self):
        """What the console said last, and the emulator: for a boot that did not end as it should."""
        return "\n".join((self.console.splitlines()[-CONSOLE_LINES:]) + self.emulator_said.splitlines()[-5:])

    @property
    def words(self):
        if self.fault:
            return self.fault
        return "ended without an answer" if self.status is None else f"status {self.status}"


def preempt_of(console):
    found = re.search(r"^guest: up, (\S+), (\d+) CPUs, preempt (.*?)\s*$", console, re.M)
    return found[3] if found else "unknown"


def fault_in(text):
    for line in text.splitlines():
        if WRONG.search(line):
            return re.sub(r"^\[[^]]*\] *", "", line.strip())
    return ""


@contextlib.contextmanager
def monitor_at(path):
    """What asks the emulator's monitor at `path` a question, and returns its answer behind the echo of the question."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(5)
        line.connect(path)

        def ask(question):
            line.sendall(question.encode() + b"\n")
            time.sleep(0.5)
            return line.recv(1 << 20).decode(errors="replace")
        ask("")  # its greeting
        yield ask


def is_patched_jump(code):
    """What a static key or a static call is, patched or not (arch/x86/kernel/jump_label.c), but for the short jump, which
    a loop of any kind may have."""
    return code[:5] == [0x0f, 0x1f, 0x44, 0, 0] or code[:2] == [0x66, 0x90] or code[:1] == [0xe9]


def stays_at_patched_code(ask):
    """Whether a processor stays at such an instruction, which nothing can make it stay at. `ask`: of the monitor (x86)."""
    seen = []
    for _ in range(5):
        seen += [rip for rip, flags in re.findall(r"RIP=(\w+) RFL=(\w+)", ask("info registers -a")) if not int(flags, 16) & 0x200]
    for rip in set(seen):
        if seen.count(rip) < 3:
            continue
        answer = re.search(r"^[0-9a-f]+:((?: 0x[0-9a-f]{2}){5})", ask(f"x /5xb 0x{rip}"), re.M)  # not the echo
        if answer and is_patched_jump([int(byte, 16) for byte in answer[1].split()]):
            return True
    return False


def is_stale(monitor):
    try:
        with monitor_at(monitor) as ask:
            return stays_at_patched_code(ask)
    except OSError:
        return False


def processors(monitor):
    """Where each of the guest's processors is, twice: a guest that gives no answer may spin, sleep, or be the emulator's."""
    said = []
    try:
        with monitor_at(monitor) as ask:
            for _ in range(2):
                said += re.findall(r"CPU#\d+|(?:RIP|PC)=\w+ RFL=\w+.*HLT=\d|PC=\w+", ask("info registers -a"))
    except OSError as error:
        said.append(f"the emulator's monitor: {error}")
    return "emulator: " + " ".join(said)


def boot(kernel, base, script, out, *, arch="amd64", preempt=None, cpus=2, memory_mb=2048, limit_s=600, files=(),
         modules=(), append="", network=()):
    """`kernel`: a folder of kernels.fetch(); `base`: an archive of guest.make_base(). The folder `out` is made anew."""
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    machine = MACHINES[arch]
    with tempfile.TemporaryDirectory(prefix="ingero-boot.") as work:
        job, root, disk, monitor = (os.path.join(work, name) for name in ("job", "root", "disk", "monitor"))
        guest.make_job(job, kernel, script, files, modules)
        with open(root, "wb") as whole:
            for part in (base, job):
                with open(part, "rb") as file:
                    shutil.copyfileobj(file, whole)
        with open(disk, "wb") as file:
            file.truncate(OUT_BYTES)
        console = os.path.join(out, "console")
        # no_timer_check: an emulator that gets little CPU fails the kernel's test of the timer interrupt (x86).
        # A CPU that is stuck ends the guest, with what every CPU does and all that was not shown before (panic_print: 32).
        words = [f"console={machine['console']}", "panic=-1", "oops=panic", "quiet", "loglevel=4",
                 "softlockup_panic=1", "softlockup_all_cpu_backtrace=1", "panic_print=32",
                 "random.trust_cpu=on", "no_timer_check", append]
        if preempt:
            words.append(f"preempt={preempt}")
        command = [guest.find_program(machine["program"]), *machine["machine"], "-accel", "tcg,thread=multi",
                   "-cpu", machine["cpu"], "-m", str(memory_mb), "-smp", str(cpus), "-display", "none",
                   "-monitor", f"unix:{monitor},server,nowait",
                   "-no-reboot", *(network or ("-nic", "none")), "-serial", f"file:{console}",
                   "-drive", f"file={disk},format=raw,if=none,id=out,cache=unsafe",
                   "-device", "virtio-blk-pci,drive=out",
                   "-kernel", os.path.join(kernel, "vmlinuz"), "-initrd", root, "-append", " ".join(words)]
        late = stale = False
        end = time.monotonic() + limit_s
        with open(os.path.join(out, "qemu"), "wb") as said:
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said) as emulator:
                try:
                    while emulator.poll() is None and not (late or stale):
                        try:
                            emulator.wait(min(LOOK_EVERY_S, max(0, end - time.monotonic())))
                        except subprocess.TimeoutExpired:
                            late = time.monotonic() >= end
                            stale = arch == "amd64" and is_stale(monitor)
                    if late or stale:
                        said.write(processors(monitor).encode())
                finally:
                    emulator.kill()
        folder = os.path.join(out, "files")
        os.makedirs(folder)
        try:
            with tarfile.open(disk) as archive:
                archive.extractall(folder)
        except (tarfile.TarError, EOFError):
            pass
    with open(console, encoding="utf-8", errors="replace") as file:
        text = file.read()
    dmesg = os.path.join(folder, "dmesg")
    if os.path.exists(dmesg):
        with open(dmesg, encoding="utf-8", errors="replace") as file:
            text_of_kernel = file.read()
    else:
        text_of_kernel = ""
    status = re.findall(r"^guest: status (\d+)", text, re.M)
    result = Boot(int(status[-1]) if status else None, fault_in(text) or fault_in(text_of_kernel), "", text, folder)
    if (late or stale) and not result.fault and result.status is None:
        result.fault = "a processor stays at code that the kernel patched" if stale else f"no answer within {limit_s} s"
    said = os.path.join(folder, "said")
    if os.path.exists(said):
        with open(said, encoding="utf-8", errors="replace") as file:
            result.said = file.read()
    where = re.search(r"RIP: 0010:(.*)", text)
    with open(os.path.join(out, "qemu"), encoding="utf-8", errors="replace") as file:
        result.emulator_said = file.read()
    is_breakpoint = EMULATOR.search(result.fault) or STALLED.search(result.fault) and "RIP: 0010:asm_exc_int3" in text
    result.is_emulators = not result.is_up or stale or bool(is_breakpoint) and not (where and "bpf" in where[1])
    if where:
        result.fault += f" at {where[1].strip()}"
    return result


def boot_again(times, *arguments, **named):
    """boot(), again where the emulator was at fault: its known fault, or no guest came up."""
    for _ in range(times):
        result = boot(*arguments, **named)
        if not result.is_emulators:
            break
    return result


__all__ = ["Boot", "boot", "boot_again", "preempt_of", "kernels"]
