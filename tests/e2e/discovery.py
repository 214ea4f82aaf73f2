"""Every file of a described library that anyone maps is found: late, linked in, deleted, twice, in a container."""
import contextlib
import glob
import json
import os
import re
import shutil
import time

from exactness import ground_truth
from harness import (Program, Recording, Skip, Trace, at_best, check, compare, compare_scenario, in_time, json_lines,
                     names, real_runtime, run, say, tool, until)
from times import traced

SETTLE = 0.3  # probes are promised within 0.1 s of the mapping


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return path


def ThreadsAreTold(build):
    lines, recording = traced(build, "threads", "6", "30")
    compare_scenario(lines, recording)


def ChildrenOfACommandAreTraced(build):
    lines, recording = traced(build, "fork-children", "5", "10")
    compare_scenario(lines, recording)


def ACommandThatLoadsLateMissesNoCall(build):
    lines, recording = traced(build, "dlopen-late", "300", "100")
    result = compare_scenario(lines, recording)
    check(result["lines"] == 100, str(result))


def ALibraryLoadedLateIsAttachedWithin100msAndTheWindowIsSaid(build):
    if build.sanitized:
        raise Skip("times prove nothing with a sanitized agent")
    at_best(build, lambda: load_late(build))


def load_late(build):
    with Trace(build) as trace:
        with Program(build, build.scenarios, "dlopen-late", "700", "300", hold=False) as program:
            program.end()
        trace.stop()
    lines = program.lines()
    loaded = next(line for line in lines if line.get("note") == "loaded")
    made = [line for line in lines if "symbol" in line]
    seen = trace.recording.calls("pid = ? AND call = 'cudaStreamSynchronize'", loaded["pid"])
    check(seen, "not one call was recorded")
    first = seen[0]["start_mono_ns"]
    window_ms = (first - loaded["before_ns"]) / 1e6
    caught = [line for line in made if line["end_ns"] >= first]
    compare_scenario(write_lines(build.path("caught.jsonl"), caught), trace.recording)
    said = [line for line in trace.stderr().decode().splitlines() if f"process {loaded['pid']} mapped it" in line]
    say(first_call_after_ms=round(window_ms, 2), missed=len(made) - len(caught), said=said)
    check(any("libcudart.so.12" in line for line in said), f"the window is not said: {trace.stderr().decode()}")
    check(trace.recording.losses().get("attach_window", 0) >= 1, f"no attach_window in {trace.recording.losses()}")
    in_time(window_ms <= 100, f"the first call recorded was {window_ms:.1f} ms after the library was loaded")


def StaticCopiesAreTracedByTheirLocalSymbols(build):
    with Trace(build, command=[os.path.join(build.fakes, "scenario_static"), "10"]) as trace:
        check(trace.wait() == 0, "the command failed")
    compare_scenario(trace.output, trace.recording, "--allow-extra")  # it registers its image without a line
    extra = trace.recording.calls("call NOT IN ('cudaMalloc', 'cuMemAlloc', 'cudaLaunchKernel', 'cudaStreamSynchronize')")
    check([row["call"] for row in extra] == ["__cudaRegisterFatBinary"], f"more calls: {[row['call'] for row in extra]}")
    check("statically linked" in said_late(trace), "the trace does not say that the runtime is linked in")


def said_late(trace):
    return trace.stderr().decode(errors="replace")


def AStrippedStaticCopyIsReportedAndItsDriverCallsAreTraced(build):
    gate = build.path("static.go")
    with Program(build, os.path.join(build.fakes, "scenario_static_stripped"), "10", gate, hold=False) as program:
        program.loaded("libcuda.so.1")
        report = run(build.agent, "check", "--json", good=(0, 1, 2)).stdout
        check("scenario_static_stripped" in report, f"check does not name the stripped program: {report[:3000]}")
        with Trace(build) as trace:
            with open(gate, "wb"):
                pass
            program.end()
            trace.stop()
    said = said_late(trace)
    check("scenario_static_stripped" in said, f"the trace does not name the stripped program: {said}")
    allocations = [line for line in program.lines() if line.get("symbol") == "cudaMalloc"]
    seen = trace.recording.calls("pid = ? ", allocations[0]["pid"])
    check(len(seen) == len(allocations) == 10 and all(row["symbol"] == "cuMemAlloc_v2" for row in seen),
          f"{len(allocations)} driver calls were made, recorded: {[row['symbol'] for row in seen]}")
    say(said=[line.strip() for line in said.splitlines() if "stripped" in line])


def ADeletedLibraryIsTraced(build):
    with Program(build, build.scenarios, "deleted", "20") as program:
        until(lambda: any(line.get("note") == "deleted" for line in program.lines()), 10, "the library is deleted")
        with Trace(build) as trace:
            program.go().end()
            trace.stop()
    said = said_late(trace)
    compare_scenario(program.lines_path, trace.recording)
    check("(deleted)" in said, f"the trace does not say that the file is gone: {said}")


def TwoVersionsOfALibraryAreTracedAtOnce(build):
    runtime, log = real_runtime(), build.path("truth")
    with Program(build, build.scenarios, "threads", "2", "30", name="old") as old, \
            Program(build, *ground_truth(build, [runtime], log, 20000, 1, 2), name="new") as new:
        old.loaded("libcudart.so.12")
        new.loaded("libcudart.so.13")
        with Trace(build, "--ringbuf-size", "64m") as trace:
            old.go()
            new.go()
            old.end()
            new.end()
            trace.stop()
    compare_scenario(old.lines_path, trace.recording)
    compare(log, trace.recording.path)
    versions = trace.recording.rows("SELECT DISTINCT library_version FROM events WHERE pid IN (?, ?) AND kind <> 'host' "
                                    "AND library LIKE '%libcudart%' ORDER BY 1", old.process.pid, new.process.pid)
    found = [row[0] for row in versions]
    check(len(found) == 2 and found[0].startswith("12") and found[1].startswith("13"), f"versions {found}")


def AnotherMountNamespaceIsSeenThrough(build):
    """The libraries lie on a file system that only the program's own namespace has."""
    inside = build.path("inside")
    os.mkdir(inside)
    prefix = [tool("unshare"), "--mount", "sh", "-c",
              'mount -t tmpfs none "$0" && cp "$1"/*.so* "$0" && shift && exec "$@"', inside, build.timed]
    with Program(build, build.scenarios, "threads", "2", "30", "--library", inside, prefix=prefix) as program:
        program.loaded("libcudart.so.12")
        check(not os.listdir(inside), "the libraries can be seen from outside: this would prove nothing")
        with Trace(build) as trace:
            program.go().end()
            trace.stop()
    compare_scenario(program.lines_path, trace.recording)


def ACommandInAnotherMountNamespaceMissesNoCall(build):
    inside = build.path("inside")
    os.mkdir(inside)
    with Trace(build, command=[tool("unshare"), "--mount", "sh", "-c",
                               'mount -t tmpfs none "$0" && cp "$1"/*.so* "$0" && shift && exec "$@"', inside,
                               build.timed, build.scenarios, "threads", "2", "30", "--library", inside]) as trace:
        check(trace.wait() == 0, "the command failed: " + trace.stderr().decode())
    compare_scenario(trace.output, trace.recording)


@contextlib.contextmanager
def overlays(build, count):
    """Folders that show the same files through layers, as containers of one image do."""
    mount = tool("mount")
    lower = build.path("lower")
    shutil.copytree(build.timed, lower)
    mounted = []
    try:
        for i in range(count):
            parts = [build.path(f"{name}{i}") for name in ("upper", "layer", "merged")]
            for part in parts:
                os.mkdir(part)
            done = run(mount, "-t", "overlay", "overlay", "-o",
                       f"lowerdir={lower},upperdir={parts[0]},workdir={parts[1]}", parts[2], good=None)
            if done.returncode != 0:
                raise Skip(f"no overlay file system here: {done.stderr.strip()}")
            mounted.append(parts[2])
        yield mounted
    finally:
        for folder in mounted:
            run(tool("umount"), "-l", folder, good=None)


def ContainersOfOneImageAreNotTracedTwice(build):
    """One file seen through two overlays is one file: the kernel's probes go by the file below."""
    with overlays(build, 2) as (one, two), \
            Program(build, build.scenarios, "threads", "2", "20", "--library", one, name="one") as first, \
            Program(build, build.scenarios, "threads", "2", "20", "--library", two, name="two") as second:
        first.loaded("libcudart.so.12")
        second.loaded("libcudart.so.12")
        with Trace(build) as trace:
            for program in (first, second):
                program.go().end()
            trace.stop()
        for program in (first, second):
            compare_scenario(program.lines_path, trace.recording)


def ACommandOnAnOverlayIsNotTracedTwice(build):
    with overlays(build, 1) as (folder,):
        with Trace(build, command=[build.scenarios, "threads", "2", "20", "--library", folder]) as trace:
            check(trace.wait() == 0, "the command failed")
        compare_scenario(trace.output, trace.recording)


# A root of layers, as a container's: what is below it cannot be seen from inside.
INSIDE = """
set -e
mount --make-rprivate /
mount -t tmpfs none "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
for folder in proc sys dev; do mount --rbind "/$folder" "$1/root/$folder"; done
mount --bind "$2" "$1/root$2"
root="$1/root"
shift 2
exec chroot "$root" "$@"
"""


def InsideAContainerACommandIsNotTracedTwice(build):
    layers, results = build.path("layers"), build.path("results")
    os.mkdir(layers)
    os.mkdir(results)
    recording = Recording(os.path.join(results, "inside.db"))
    done = run(tool("unshare"), "--mount", "sh", "-c", INSIDE, "inside", layers, results, build.agent, "trace", "--db",
               recording.path, "--", build.scenarios, "threads", "2", "20", "--library", build.timed, good=None)
    if "overlay" in done.stderr and "mount" in done.stderr:
        raise Skip(f"no overlay over the root here: {done.stderr.strip()}")
    check(done.returncode == 0, f"status {done.returncode}: {done.stderr}")
    # The program is over before a second set of probes is on.
    for library in names(glob.glob(os.path.join(build.timed, "*.so*"))):
        found = re.findall(rf"/{re.escape(library)} [^\n]*probes[^\n]*", done.stderr)
        check(len(found) <= 1, f"{library} is probed {len(found)} times: {found}")
    check("process_unprobed" not in done.stderr, done.stderr)
    lines = build.path("inside.jsonl")
    with open(lines, "w", encoding="utf-8") as file:
        file.write(done.stdout)
    compare_scenario(lines, recording)


def ASecondNameOfAFileIsNotASecondFile(build):
    """Hard and symbolic links, as pip and conda make them."""
    linked = build.path("linked")
    os.mkdir(linked)
    for name in os.listdir(build.timed):
        shutil.copy(os.path.join(build.timed, name), os.path.join(linked, name + ".copy"))
        os.link(os.path.join(linked, name + ".copy"), os.path.join(linked, name))
    with Trace(build, command=["sh", "-c", f'"$0" threads 1 5 --library {linked}', build.scenarios]) as trace:
        check(trace.wait() == 0, "the command failed")
    compare_scenario(trace.output, trace.recording)
    calls = trace.recording.one("SELECT count(*) FROM events WHERE kind <> 'host'")
    check(calls == len(json_lines(trace.output)) and not re.search(b"Lost:\n", trace.stderr()), trace.stderr())


def KernelsAreNamed(build):
    """A program of the vendor's own compiler: each launch shows the name of the kernel it launched."""
    nvcc, runtime = tool("nvcc"), real_runtime()
    source, program = build.path("kernels.cu"), build.path("kernels")
    with open(source, "w", encoding="utf-8") as file:
        file.write("#include <unistd.h>\n"
                   "__global__ void add_numbers(float *a) { a[threadIdx.x] += 1; }\n"
                   "template <typename T> __global__ void scale(T *a, T by) { a[threadIdx.x] *= by; }\n"
                   "template <int...> struct Sizes {};\n"
                   f"using Many = Sizes<{', '.join(str(1000 + i) for i in range(100))}>;\n"
                   "template <typename T> __global__ void of_many(T, float *a) { a[threadIdx.x] += 1; }\n"
                   "int main() {\n"
                   "  for (int i = 0; i < 5; ++i) add_numbers<<<2, 32>>>(nullptr);\n"
                   "  for (int i = 0; i < 3; ++i) scale<double><<<4, 64>>>(nullptr, 2.0);\n"
                   "  for (int i = 0; i < 2; ++i) of_many<<<1, 32>>>(Many(), nullptr);\n"
                   "  usleep(500000);\n"  # the rest of a long name is read while the program runs
                   "}\n")
    run(nvcc, "-cudart=shared", "-o", program, source, cwd=build.work)
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.dirname(runtime))
    with Trace(build, command=["env", f"LD_LIBRARY_PATH={environment['LD_LIBRARY_PATH']}", program]) as trace:
        trace.wait()  # without a device the program's own status is its own business
    found = {row[0]: row[1] for row in trace.recording.rows(
        "SELECT kernel, count(*) FROM events WHERE kind = 'launch' GROUP BY 1")}
    say(kernels=found)
    check(sum(found.values()) == 10 and sum(n for name, n in found.items() if name and "add_numbers" in name) == 5 and
          sum(n for name, n in found.items() if name and "scale" in name) == 3, f"launches by kernel: {found}")
    check(sum(n for name, n in found.items() if name and "of_many" in name and "1000" in name and "1099" in name) == 2,
          f"a long name is not whole: {found}")


TESTS = (ThreadsAreTold, ChildrenOfACommandAreTraced, ACommandThatLoadsLateMissesNoCall,
         ALibraryLoadedLateIsAttachedWithin100msAndTheWindowIsSaid, StaticCopiesAreTracedByTheirLocalSymbols,
         AStrippedStaticCopyIsReportedAndItsDriverCallsAreTraced, ADeletedLibraryIsTraced,
         TwoVersionsOfALibraryAreTracedAtOnce, AnotherMountNamespaceIsSeenThrough,
         ACommandInAnotherMountNamespaceMissesNoCall, ContainersOfOneImageAreNotTracedTwice,
         ACommandOnAnOverlayIsNotTracedTwice, InsideAContainerACommandIsNotTracedTwice,
         ASecondNameOfAFileIsNotASecondFile, KernelsAreNamed)
SHARED = tuple(test for test in TESTS if test is not ALibraryLoadedLateIsAttachedWithin100msAndTheWindowIsSaid)
