"""Vendors other than the first: HIP's mangled variants and every call it exports, and backends from files (OpenCL, Level Zero).

OpenCL with a CPU driver is the one interface of this kind whose calls succeed without a GPU: a program that counts its
own calls is held against the recording.
"""
import ctypes
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from exactness import MANIFESTS, exact, ground_truth, manifest, stand_ins
from mixed_host import COLLECTIVES
from harness import Program, Skip, Trace, check, clean, compare, json_lines, real_hip, real_library, run, say, tool

ASKS_DEVICE = 65536  # hal::RowFlag

# hip::hipExtModuleLaunchKernel and its older variant as a C++ compiler spells them, and their parameters behind the sizes.
MANGLED = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
p, u = ctypes.c_void_p, ctypes.c_uint
sizes = (1000, 7, 1, 256, 2, 1)
for name, more in (("_Z24hipExtModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_j", [u]),
                   ("_Z24hipHccModuleLaunchKernelP18ihipModuleSymbol_tjjjjjjmP12ihipStream_tPPvS4_P11ihipEvent_tS6_", [])):
    call = library[name]
    call.argtypes = [p] + [u] * 6 + [ctypes.c_size_t] + [p] * 5 + more
    print(name, call(None, *sizes, 64, None, None, None, None, None, *([0] * len(more))))
"""

# What compiled code does for a kernel: registers its host stub's name, then launches the stub.
NAMED = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
p, u = ctypes.c_void_p, ctypes.c_uint
class Dim3(ctypes.Structure):
    _fields_ = [("x", u), ("y", u), ("z", u)]
modules, stub = ctypes.create_string_buffer(4096), ctypes.create_string_buffer(16)
register, launch = library["__hipRegisterFunction"], library["hipLaunchKernel"]
register.restype = None
register.argtypes = [p, p, ctypes.c_char_p, ctypes.c_char_p, u, p, p, p, p, p]
name = b"_Z6squarePf"
register(ctypes.addressof(modules), ctypes.addressof(stub), name, name, 0, None, None, None, None, None)
launch.argtypes = [p, Dim3, Dim3, p, ctypes.c_size_t, p]
print("launched", launch(ctypes.addressof(stub), Dim3(4, 2, 1), Dim3(64, 1, 1), None, 32, None))
"""


def EveryExportedHipCallFires(build):
    """Each described symbol that the real file exports was called and recorded, the mangled ones included."""
    library = real_hip()
    exported = ctypes.CDLL(library)
    log = build.path("truth")
    command = ground_truth(build, [library], log, 20_000, 1, 2)
    with Trace(build, command=command) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    with open(os.path.join(log, "rows.json"), encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row["library"] == "libamdhip64"]
    wanted = {row["symbol"] for row in rows if hasattr(exported, row["symbol"]) and not row["symbol"].startswith("_Z")
              and not row["flags"] & ASKS_DEVICE}
    seen = {row["symbol"] for row in trace.recording.rows("SELECT DISTINCT symbol FROM events WHERE vendor = 'amd'")}
    check(len(wanted) > 150, f"only {len(wanted)} described symbols are exported by {library}")
    check(seen == wanted, f"not seen: {sorted(wanted - seen)}, not expected: {sorted(seen - wanted)}")

    command = [sys.executable, "-c", MANGLED, library]
    with Trace(build, command=command, name="mangled") as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    made = dict(re.findall(r"(?m)^(_Z\w+) (\d+)$", trace.stdout()))
    check(len(made) == 2, f"the calls were not made: {trace.stdout()}")
    events = {row["symbol"]: dict(row) for row in trace.recording.calls("vendor = 'amd'")}
    check(set(events) == set(made), f"recorded {sorted(events)}")
    for symbol, event in events.items():
        # 1000 by 7 work-items in blocks of 256 by 2: a partial last block is a block.
        grid = [event[f"grid_{a}"] for a in "xyz"]
        check(grid == [4, 4, 1] and event["block_x"] == 256 and event["shared_bytes"] == 64 and
              event["ret_code"] == int(made[symbol]), str(event))
    say(symbols=len(seen) + len(made))


def ARegisteredHipKernelHasItsName(build):
    """On the real runtime: the name given to __hipRegisterFunction is the launch's, with two sizes and a failure."""
    with Trace(build, command=[sys.executable, "-c", NAMED, real_hip()]) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    returned = re.search(r"(?m)^launched (\d+)$", trace.stdout())
    check(returned is not None, f"the launch was not made: {trace.stdout()}")
    launch = dict(trace.recording.calls("call = 'hipLaunchKernel'")[0])
    check(launch["kernel"] == "_Z6squarePf" and (launch["grid_x"], launch["grid_y"], launch["block_x"]) == (4, 2, 64) and
          launch["shared_bytes"] == 32 and launch["ret_code"] == int(returned[1]), str(launch))


def WorkItemsOfASuccessfulLaunchBecomeAGrid(build):
    """The stand-in's hipExtModuleLaunchKernel, C and mangled spelling, among calls that succeed."""
    libraries = build.stand_in("plain", "libamdhip64.so*")
    exact(build, "session", libraries, 20_000, first=False,
          more=("--only", "hipExtModuleLaunchKernel,_Z24hipExtModuleLaunchKernel*,hipHccModuleLaunchKernel"))


def OpenClKernelsOnTheCpuAreRecordedExactly(build):
    program_path = os.path.join(build.folder, "tests/workload/opencl_workload")
    tried = subprocess.run([program_path], capture_output=True, text=True, timeout=60, check=False)
    if tried.returncode == 77:
        raise Skip(f"no OpenCL driver here: {tried.stderr.strip()}")
    check(tried.returncode == 0, tried.stderr)
    with Trace(build, command=[program_path, "--with-error"]) as trace:  # the shipped manifests need no flag
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    said = json_lines(trace.output)[0]
    pid = said.pop("pid")
    recorded = {row["call"]: dict(row) for row in trace.recording.rows(
        "SELECT call, count(*) AS calls, sum(coalesce(failed, 0)) AS failed, sum(coalesce(bytes, 0)) AS bytes, "
        "sum(outcome <> 'returned') AS left, count(ret_code) AS codes, min(ret_code) AS worst FROM events "
        "WHERE vendor = 'khronos' AND pid = ? GROUP BY call", pid)}
    made = {name: counts for name, counts in said.items() if counts["calls"]}
    check(set(recorded) == set(made), f"recorded {sorted(recorded)}, made {sorted(made)}")
    for name, counts in made.items():
        row = recorded[name]
        check({key: row[key] for key in counts} == counts and row["left"] == 0, f"{name}: {row} instead of {counts}")
    check(recorded["clEnqueueReadBuffer"]["worst"] == -30, "the failed read has not its own code")
    directions = {row["call"]: row["direction"] for row in trace.recording.rows(
        "SELECT DISTINCT call, direction FROM events WHERE kind = 'memcpy' AND pid = ?", pid)}
    check(directions == {"clEnqueueWriteBuffer (non-blocking)": "h2d", "clEnqueueReadBuffer": "d2h", "clEnqueueCopyBuffer": "d2d"},
          str(directions))
    waits = trace.recording.rows("SELECT handle FROM events WHERE call = 'clWaitForEvents' AND pid = ? ORDER BY seq", pid)
    released = trace.recording.rows("SELECT handle FROM events WHERE call = 'clReleaseEvent' AND pid = ? ORDER BY seq", pid)
    check([row["handle"] for row in waits] == [row["handle"] for row in released],
          "the events waited for are not those released after it")
    def column(name, call):
        return [row[name] for row in trace.recording.rows(
            f"SELECT {name} FROM events WHERE call = ? AND pid = ? ORDER BY seq", call, pid)]

    made_buffers = column("address", "clCreateBuffer")
    check(len(set(made_buffers)) == 2 and made_buffers == column("address", "clReleaseMemObject"),
          "the buffers released are not those created")
    check(set(column("stream", "clEnqueueNDRangeKernel")) == set(column("stream", "clCreateCommandQueue")),
          "the launches are not on the queue that was created")
    check(column("kernel", "clEnqueueNDRangeKernel") == ["twice"] * 20, "the launches do not name their kernel")
    say(calls=sum(counts["calls"] for counts in made.values()), losses=trace.recording.losses())


def LevelZeroLoaderIsRecordedExactly(build):
    """No device: every call returns an error code, through the real loader."""
    exact(build, "session", [real_library("/usr/lib/*/libze_loader.so.1")], 50_000, first=False)


def ABackendFromTheFolderIsUsedAndABrokenOneIsSaid(build):
    folder = build.path("backends.d")
    os.mkdir(folder)
    with open(manifest("level_zero"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(folder, "level_zero.yaml"), "w", encoding="utf-8") as file:
        file.write(text)
    with open(os.path.join(folder, "broken.yaml"), "w", encoding="utf-8") as file:
        file.write(text.replace("kind: launch", "kind: lunch"))
    library = build.stand_in("plain", "libze_loader.so*")[0]
    with Trace(build, "--backends-dir", folder, command=ground_truth(build, [library], build.path("truth"), 100, 1, 1)) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    said = trace.stderr().decode(errors="replace")
    check("broken.yaml:" in said and "'lunch' is not a known kind" in said, said)
    check(trace.recording.one("SELECT count(*) FROM events WHERE vendor = 'intel'") == 100, "not the hundred calls")
    done = run(build.agent, "trace", "--backend", os.path.join(folder, "broken.yaml"), "--", "true", good=None)
    check(done.returncode == 2 and "'lunch' is not a known kind" in done.stderr, f"{done.returncode}: {done.stderr}")


def OneHostWithEveryVendorIsOneRecording(build):
    """A process per vendor at once; one recording, grouped by vendor, equals what each program logged."""
    programs, counts = [], {}
    vendors = {"cuda": ("libcudart.so*", "nvidia"), "hip": ("libamdhip64.so*", "amd"),
               "level_zero": ("libze_loader.so*", "intel"), "opencl": ("libOpenCL.so*", "khronos")}
    with Trace(build, "--ringbuf-size", "64m", "--backend", manifest("opencl"), "--backend", manifest("level_zero")) as trace:
        for name, (pattern, vendor) in vendors.items():
            libraries = build.stand_in("plain", pattern)[:1]
            counts[vendor] = 5000 + 1000 * len(counts)
            programs.append(Program(build, *ground_truth(build, libraries, build.path("truth." + name), counts[vendor], 1, 2),
                                    name=name).__enter__())
            trace.probed(os.path.basename(libraries[0]))
        for program in programs:
            program.go()
        for program in programs:
            program.end()
        trace.stop()
    ours = "kind <> 'host' AND pid IN ({})".format(", ".join(str(program.process.pid) for program in programs))
    recorded = {row["vendor"]: row["calls"] for row in trace.recording.rows(
        f"SELECT vendor, count(*) AS calls FROM events WHERE {ours} GROUP BY vendor")}
    check(recorded == counts, f"recorded {recorded}, called {counts}")
    kinds = trace.recording.rows(f"SELECT vendor, kind, count(*) AS calls FROM events WHERE {ours} GROUP BY 1, 2")
    check({row["vendor"] for row in kinds if row["kind"] == "launch"} == set(counts), "a vendor has no launches")
    explained = run(build.agent, "explain", "--db", trace.recording.path).stdout
    check(all(name in explained for name in ("CUDA", "HIP", "OPENCL", "LEVEL_ZERO")), explained)
    say(**recorded)


def EveryRowOfEveryBackendIsAttachedAndDetachedInTime(build):
    """To a program that runs already: 300 ms more than a trace that finds nothing needs, and one second at the end."""
    if build.sanitized:
        raise Skip("times prove nothing with a sanitized agent")
    figures = {}
    for attach in ("session", "multi"):
        empty, full, stops, probes = [], [], [], 0
        for _ in range(3):
            begin = time.monotonic()
            with Trace(build, "--attach", attach, *MANIFESTS, record=False) as trace:
                empty.append(time.monotonic() - begin)
                trace.stop()
            libraries = stand_ins(build)
            log = build.path(f"truth.{attach}.{len(full)}")
            with Program(build, *ground_truth(build, libraries, log, 0, 1, 1), name=f"all.{attach}.{len(full)}") as program:
                for library in libraries:
                    program.loaded(os.path.basename(library))
                begin = time.monotonic()
                with Trace(build, "--attach", attach, *MANIFESTS, record=False) as trace:
                    full.append(time.monotonic() - begin)
                    stops.append(trace.stop())
                    probes = sum(int(n) for n in re.findall(r": (\d+) probes", trace.stderr().decode()))
                program.go().end()
        check(probes > 500, f"only {probes} probes were attached: {trace.stderr().decode()}")
        figures[attach] = {"probes": probes, "attach_ms": round(1000 * (min(full) - min(empty)), 1),
                           "stop_ms": round(1000 * min(stops), 1)}
    say(**figures)
    for attach, took in figures.items():
        check(took["attach_ms"] < 300, f"{attach}: {took}")
        check(took["stop_ms"] < 1000, f"{attach}: {took}")


FOREIGN_CALLS = 50_000
FOREIGN = ("libamdhip64.so.*", "librccl.so.*", "libnccl.so.*", "libcudart.so.*", "libcuda.so.*")
FOREIGN_ROUNDS = 2000


def collectives_of(build, root, python, inside, folder):
    """A library of collectives crashes on arguments that mean nothing: it is called with those it refuses."""
    with open(folder + "/collectives.py", "w", encoding="utf-8") as file:
        file.write(COLLECTIVES)
    command = [tool("chroot"), root, python[len(root):], folder[len(root):] + "/collectives.py", inside, str(FOREIGN_ROUNDS)]
    with Trace(build, command=command) as trace:
        check(trace.wait() == 0, trace.stderr().decode(errors="replace")[-2000:])
    rows = trace.recording.rows("SELECT e.call, min(c.count), max(c.count), count(*), min(e.bytes), max(e.bytes), max(c.peer) "
                                "FROM events e JOIN collectives c USING (id) "
                                "WHERE e.call <> 'ncclBroadcast' GROUP BY 1")  # which the older spelling may make in turn
    # float16 is the type numbered 6 and float32 that numbered 7
    wanted = [("ncclAllReduce", 1000, 1000, FOREIGN_ROUNDS, 4000, 4000, None),
              ("ncclBcast", 500, 500, FOREIGN_ROUNDS, 1000, 1000, None),
              ("ncclSend", 10, 10, FOREIGN_ROUNDS, 20, 20, 0)]
    check([tuple(row) for row in rows] == wanted, f"{inside}: {[tuple(row) for row in rows]}")
    return 4


def LibrariesOfOtherSystemsAreRecordedExactly(build):
    """Newer and older vendor libraries than this system's, in roots of other systems named by INGERO_VENDOR_ROOTS (parted
    by ':'): each is called by a program started in its root."""
    found = {}
    for root in filter(None, os.environ.get("INGERO_VENDOR_ROOTS", "").split(":")):
        for pattern in FOREIGN:
            for path in sorted(glob.glob(f"{root}/usr/lib/*/{pattern}") + glob.glob(f"{root}/opt/*/lib/{pattern}")):
                found.setdefault(os.path.realpath(path), (root, path))
    if not found:
        raise Skip("INGERO_VENDOR_ROOTS names no root with a vendor library")
    for root, path in found.values():
        inside = path[len(root):]
        pythons = sorted(glob.glob(root + "/usr/bin/python3.*[0-9]"))
        with tempfile.TemporaryDirectory(prefix="ingero.", dir=root + "/tmp") as folder:
            if "ccl" in os.path.basename(path):
                if pythons:
                    symbols = collectives_of(build, root, pythons[0], inside, folder)
                    say(library=os.path.basename(os.path.realpath(path)), calls=4 * FOREIGN_ROUNDS, symbols=symbols)
                clean(build)
                continue
            shutil.copy(build.ground_truth, folder)
            command = ground_truth(build, [inside], folder[len(root):] + "/truth", FOREIGN_CALLS, 2, 2)
            command[0] = os.path.join(folder[len(root):], os.path.basename(build.ground_truth))
            with Trace(build, "--ringbuf-size", "64m", command=[tool("chroot"), root, *command]) as trace:
                check(trace.wait() == 0, trace.stderr().decode(errors="replace")[-2000:])
            result = compare(folder + "/truth", trace.recording.path)
            check(result["counts"]["equal"] == FOREIGN_CALLS, f"{path}: {result['counts']}")
            symbols = trace.recording.one("SELECT count(DISTINCT symbol) FROM events WHERE vendor IN ('amd', 'nvidia')")
            say(library=os.path.basename(os.path.realpath(path)), calls=FOREIGN_CALLS, symbols=symbols)
        clean(build)


TESTS = (EveryExportedHipCallFires, LibrariesOfOtherSystemsAreRecordedExactly, ARegisteredHipKernelHasItsName, WorkItemsOfASuccessfulLaunchBecomeAGrid,
         OpenClKernelsOnTheCpuAreRecordedExactly,
         LevelZeroLoaderIsRecordedExactly, ABackendFromTheFolderIsUsedAndABrokenOneIsSaid,
         OneHostWithEveryVendorIsOneRecording, EveryRowOfEveryBackendIsAttachedAndDetachedInTime)
SHARED = tuple(test for test in TESTS if test is not EveryRowOfEveryBackendIsAttachedAndDetachedInTime)
