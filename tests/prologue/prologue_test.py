#!/usr/bin/env python3
"""Holds the place of every probe against a disassembler, over every function that real vendor libraries export.

  prologue_test.py PROBE_POINTS [LIBRARY...]     without libraries: those that this machine has

For each function whose probe moved past its first instruction: what was moved over (by objdump's reading) leaves the
stack, the captured argument registers and the callee's registers alone, loads only what the library itself holds, and is
nowhere branched to within the function (P1 to P3 of hal/prologue.cc); and the kernel emulates what the probe stands on.
Prints by library how many functions are single-stepped, and by which instruction.
Exit status 77: no such library here.
"""
import collections
import glob
import os
import re
import subprocess
import sys

LIBRARIES = ["libOpenCL.so.1", "libze_loader.so.1", "libamdhip64.so.[0-9]", "librccl.so.1", "libcudart.so.[0-9]*",
             "libcuda.so.1", "libnccl.so.2", "libibverbs.so.1", "libnvidia-ml.so.1"]
FOLDERS = ["/usr/lib/x86_64-linux-gnu", "/usr/lib", "/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib"]
SCRATCH = {"rax", "eax", "ax", "al", "r10", "r10d", "r10w", "r10b", "r11", "r11d", "r11w", "r11b"}
# What else may be written where the capture reads no argument register.
ARGUMENTS = {f"{prefix}{name}" for name in ("di", "si", "dx", "cx") for prefix in ("r", "e", "")} | \
    {f"r{number}{suffix}" for number in (8, 9) for suffix in ("", "d", "w", "b")} | {"dil", "sil", "dl", "cl"}
COMPARES = {"cmp", "test"}
FILLS = {"mov", "movabs", "lea", "xor", "movzx", "movsx", "movsxd"}
NOPS = {"endbr64", "nop", "nopw", "nopl"}
MEMORY = re.compile(r"\[([^\]]*)\]")
LARGE = 64 << 20  # a library whose code is read for a sample of its functions only
SAMPLE = 200
SKIPPED = 77


def found_libraries():
    seen = {}
    for pattern in LIBRARIES:
        for folder in FOLDERS:
            for path in sorted(glob.glob(os.path.join(folder, pattern))):
                seen.setdefault(os.path.realpath(path), path)
    return list(seen.values())


def probe_points(program, library, captured):
    done = subprocess.run([program, library, captured], text=True, capture_output=True, check=True)
    for line in done.stdout.splitlines():
        address, delta, how, instruction, name = line.split(" ", 4)
        yield int(address, 16), int(delta, 16), how, instruction, name


def disassemble(library, start=None, stop=None):
    """address -> (mnemonic, operands, target of a direct branch)"""
    command = ["objdump", "-d", "-w", "-M", "intel", "--no-show-raw-insn", library]
    if start is not None:
        command += [f"--start-address={start:#x}", f"--stop-address={stop:#x}"]
    text = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    code = {}
    for line in text.splitlines():
        found = re.match(r"\s+([0-9a-f]+):\t(.*)$", line)
        if not found:
            continue
        words = re.sub(r"^(?:(?:data16|cs|ds|notrack|bnd|rep|repz|repnz|lock)\s+)+", "", found[2].split("#")[0].strip())
        mnemonic, _, operands = words.partition(" ")
        target = re.match(r"\s*([0-9a-f]+)(?:\s|$)", operands) if mnemonic.startswith("j") or mnemonic == "call" else None
        code[int(found[1], 16)] = (mnemonic, operands.strip(), int(target[1], 16) if target else None)
    return code


def family(register):
    """The 64-bit register that this one is a part of."""
    register = register.lower()
    if re.fullmatch(r"r\d+[dwb]?", register):
        return register.rstrip("dwb")
    return "r" + register.lstrip("re").rstrip("l") + ("x" if len(register) == 2 and register[1] == "l" and
                                                      register[0] in "abcd" else "")


def why_not_movable(mnemonic, operands, writable, own):
    """A reason why a tracer would miss something if it moved over this, or None. `own`: the registers that hold what came
    from the library's own data, kept from one instruction to the next."""
    if mnemonic in NOPS:
        return None
    destination = operands.split(",")[0].strip()
    for inside in MEMORY.findall(operands):
        base = re.split(r"[+\-*]", inside)
        if mnemonic == "lea":
            continue
        if re.search(r"[fg]s:", operands):
            return "reads thread-local data"
        plain = len(base) == 1 or (len(base) == 2 and re.fullmatch(r"0x[0-9a-f]+", base[1]))
        if not plain or not (base[0] in ("rip", "rsp") or family(base[0]) in own):
            return f"reads [{inside}]"
    if mnemonic in COMPARES:
        return None
    if mnemonic not in FILLS:
        return f"{mnemonic} is not one of those that may be moved over"
    if destination not in writable:
        return f"writes {destination}"
    inside = MEMORY.findall(operands)
    is_own = inside and (inside[0].startswith("rip") or (mnemonic != "lea" and not inside[0].startswith("rsp")))
    (own.add if is_own else own.discard)(family(destination))
    return None


def is_emulated(mnemonic, operands):
    return mnemonic in ("push", "jmp", "call", "nop", "nopw", "nopl", "xchg") or \
        (mnemonic.startswith("j") and "[" not in operands)


def faults_in(points, code, next_of, writable):
    starts = sorted({address for address, *_ in points})
    following = dict(zip(starts, starts[1:]))
    for address, delta, how, instruction, name in points:
        if how != "EMULATED":
            continue
        at, own = address, set()
        while at < address + delta:
            if at not in code:
                yield f"{name}: no instruction begins at +{at - address}"
                break
            why = why_not_movable(*code[at][:2], writable, own)
            if why:
                yield f"{name}+{at - address}: {' '.join(code[at][:2])}: {why}"
            at = next_of[at]
        if at != address + delta or at not in code:
            yield f"{name}: the probe at +{delta} is inside an instruction"
            continue
        if not is_emulated(*code[at][:2]):
            yield f"{name}+{delta}: {' '.join(code[at][:2])} is not emulated, and said to be"
        end = following.get(address, address + (1 << 16))
        here = address
        while delta and here in code and here < end:
            target = code[here][2]
            if target is not None and address < target <= address + delta:
                yield f"{name}: branched to at +{target - address}, moved over to +{delta}"
            here = next_of[here]


def check(program, library):
    """(functions, faults, and of the functions of which nothing is captured: Counter of the single-stepped by
    instruction, number refused; likewise where all argument registers are)"""
    faults, result = [], []
    code = {}
    for captured, writable in (("none", SCRATCH | ARGUMENTS), ("all", SCRATCH)):
        points = list(probe_points(program, library, captured))
        if os.path.getsize(library) > LARGE:
            points = points[:: max(1, len(points) // SAMPLE)]
            for address, *_ in points:
                if address not in code:
                    code.update(disassemble(library, address, address + 512))
        elif not code:
            code = disassemble(library)
        addresses = sorted(code)
        next_of = dict(zip(addresses, addresses[1:] + [1 << 64]))
        faults += [f"{fault} (captured: {captured})" for fault in faults_in(points, code, next_of, writable)]
        stepped = collections.Counter(instruction for _, _, how, instruction, _ in points if how == "STEPPED")
        result.append((stepped, sum(how == "REFUSED" for _, _, how, *_ in points)))
    return len(points), faults, *result


def main(arguments):
    program, libraries = arguments[0], arguments[1:] or found_libraries()
    if not libraries:
        print("SKIP: none of the vendors' libraries is installed here")
        return SKIPPED
    bad = 0
    print("| library | functions | single-stepped, no argument captured | all captured | refused by the kernel |\n"
          "|---|---|---|---|---|")
    for library in libraries:
        functions, faults, (free, refused), (kept, _) = check(program, library)
        said = [", ".join([str(sum(stepped.values()))] + [f"`{name}` {number}" for name, number in stepped.most_common(4)])
                for stepped in (free, kept)]
        print(f"| {os.path.basename(os.path.realpath(library))} | {functions} | {said[0]} | {said[1]} | {refused} |",
              flush=True)
        for fault in faults[:20]:
            print(f"  {library}: {fault}", file=sys.stderr)
        bad += len(faults)
    print(f"{bad} faults")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
