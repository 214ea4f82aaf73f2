"""Which device a call was about: as programs choose devices and as their environment numbers them, on stand-ins."""
import contextlib
import json
import os
import subprocess
import sys

import trees
from harness import Program, Trace, check, json_lines, real_runtime, run, say, until
from metrics import free_port, get, lint, series_of, value

# Chooses devices as programs do, in two threads, and prints each call with the device it chose itself: by the process's
# own numbers, null where it cannot be known. Variables given as arguments are set by the program, before its first call.
CHOOSER = """
import ctypes, json, os, sys, threading, time
library, prefix, gate, stay = sys.argv[1:5]
library = ctypes.CDLL(library)
for setting in sys.argv[5:]:
    name, text = setting.split("=", 1)
    os.environ[name] = text
class Control(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("ret", "out", "spin_ns", "sleep_ns", "calls")]
library.fake_control.restype = ctypes.POINTER(Control)
while gate != "-" and not os.path.exists(gate):
    time.sleep(0.005)
lines = []
def call(name, device, *arguments, ret=0, out=0):
    control = library.fake_control().contents
    control.ret, control.out = ret, out
    library[prefix + name](*arguments)
    lines.append({"call": prefix + name, "tid": threading.get_native_id(), "device": device})
stream = ctypes.c_void_p()
def other():
    call("DeviceSynchronize", 0)
    call("SetDevice", 2, 2)
    call("DeviceSynchronize", 2)
    call("StreamSynchronize", 1, stream)
    call("SetDevice", None, 5)
    call("DeviceSynchronize", None)
call("DeviceSynchronize", 0)
call("SetDevice", 1, 1)
call("DeviceSynchronize", 1)
call("SetDevice", None, 2, ret=101)
call("DeviceSynchronize", 1)
call("StreamCreate", 1, ctypes.byref(stream), out=0x7f0012340000)
if gate == "-":
    call("SetDevice", 0, 0)
else:  # what is asked counts only in a process that runs before the trace
    call("GetDevice", 0, ctypes.byref(ctypes.c_int()), out=0)
call("DeviceSynchronize", 0)
call("StreamSynchronize", 1, stream)
call("StreamSynchronize", None, ctypes.c_void_p(0x7f0055550000))
thread = threading.Thread(target=other)
thread.start()
thread.join()
for line in lines:
    print(json.dumps(line), flush=True)
time.sleep(float(stay))
"""

UUIDS = [f"GPU-{n}0000000-1111-2222-3333-444444444444" for n in range(3)]
ADDRESSES = [f"0000:{0x3b + n:x}:00.0" for n in range(3)]


@contextlib.contextmanager
def environment(**variables):
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def sampler(build):
    return "--management-library", os.path.join(build.fakes, "devices/libnvidia-ml.so.1")


def library(build, pattern="libcudart.so*"):
    return build.stand_in("plain", pattern)[0]


def chooser(build, gate="-", stay="0.5", settings=(), pattern="libcudart.so*", prefix="cuda"):
    return [sys.executable, "-c", CHOOSER, library(build, pattern), prefix, gate, stay, *settings]


def compare(trace, lines, visible):
    """`visible`: what each of the process's numbers is on the machine, as (index, uuid, address)."""
    wrong = []
    for tid in {line["tid"] for line in lines}:
        made = [line for line in lines if line["tid"] == tid]
        events = trace.recording.calls("tid = ?", tid)
        check([event["call"] for event in events] == [line["call"] for line in made],
              f"{[event['call'] for event in events]} instead of {made}")
        for line, event in zip(made, events):
            want = (None, None, None)
            if line["device"] is not None and line["device"] < len(visible):
                want = visible[line["device"]]
            got = tuple(event[column] for column in ("gpu_id", "gpu_uuid", "gpu_pci_address"))
            if got != tuple(want):
                wrong.append(f"{line}: {got} instead of {want}")
    check(not wrong, "\n".join(wrong))


def traced(build, visible, *options, name="trace", mode="whole", variables=None, **which):
    """The command of a trace: its threads wait until the probes are there, so all of its calls are seen."""
    with environment(INGERO_FAKE_NVML=mode, **(variables or {})):
        with Trace(build, *(options or sampler(build)), name=name, command=chooser(build, **which)) as trace:
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    # With --json the command's own lines are on standard error.
    own = trace.errors if "--json" in options else trace.output
    lines = [line for line in json_lines(own) if "device" in line]
    check(len(lines) == 16, f"{lines}")
    if visible is not None:
        compare(trace, lines, visible)
    return trace


def whole(*order):
    return [(n, UUIDS[n], ADDRESSES[n]) if n is not None else (None, None, None) for n in order]


def EventsNameTheMachinesDevice(build):
    """Threads that choose, ask, fail to choose, and use another device's stream; three devices of one model."""
    trace = traced(build, whole(0, 1, 2))
    ordinals = [row["device_ordinal"] for row in trace.recording.calls("call = 'cudaSetDevice'")]
    check(ordinals == [1, 2, 0, 2, 5], f"the numbers that calls named: {ordinals}")
    by_device = {row["gpu_id"]: (row["calls"], row["errors"]) for row in trace.recording.rows(
        "SELECT gpu_id, sum(calls) AS calls, sum(errors) AS errors FROM calls_by_device GROUP BY 1")}
    check(by_device == {0: (4, 0), 1: (6, 0), 2: (2, 0)}, str(by_device))
    explained = run(build.agent, "explain", "--db", trace.recording.path).stdout
    check(all(uuid in explained for uuid in UUIDS) and "on GPU 1" in explained, explained)
    report = json.loads(run(build.agent, "explain", "--json", "--db", trace.recording.path).stdout)
    check([(d["gpu_id"], d["uuid"], d["pci_address"], d["calls"]) for d in report["devices"]] ==
          [(n, UUIDS[n], ADDRESSES[n], by_device[n][0]) for n in range(3)], str(report["devices"]))


def VisibleDevicesAreMapped(build):
    """By number, by UUID, by what the program itself has set; an order that is not known; a partition."""
    traced(build, whole(2, 0), variables={"CUDA_VISIBLE_DEVICES": "2,0,-1,1"}, name="numbers")
    traced(build, whole(1, 2), variables={"CUDA_VISIBLE_DEVICES": "0"}, name="own",
           settings=["CUDA_VISIBLE_DEVICES=1,2"])
    traced(build, whole(None, None, None), mode="mixed", name="mixed")
    traced(build, whole(0, 1, 2), mode="mixed", variables={"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}, name="bus")
    traced(build, whole(1, 0), mode="mixed", variables={"CUDA_VISIBLE_DEVICES": f"GPU-1,{UUIDS[0]}"}, name="uuid")
    partition = "MIG-30000000-1111-2222-3333-444444444444"
    trace = traced(build, None, mode="", variables={"CUDA_VISIBLE_DEVICES": partition}, name="part")
    seen = {tuple(row) for row in trace.recording.rows(
        "SELECT DISTINCT gpu_id, gpu_uuid, gpu_pci_address FROM events WHERE call = 'cudaDeviceSynchronize'")}
    check(seen == {(2, partition, ADDRESSES[2])}, f"the only device there is: {seen}")


def ATraceThatComesLateKnowsADeviceOnceItIsChosen(build):
    """The first calls of threads that had been running: what they chose before is unknown."""
    with environment(INGERO_FAKE_NVML="whole"):
        with Program(build, *chooser(build, gate=build.path("late.go")), name="late", hold=False) as program:
            program.loaded(os.path.basename(library(build)))
            with Trace(build, *sampler(build)) as trace:
                program.go().end()
                trace.stop()
    lines = program.lines()
    first = {}
    for line in lines:
        if first.setdefault(line["tid"], line) is line:
            check(line["device"] == 0, f"{line}")
            line["device"] = None
    compare(trace, lines, whole(0, 1, 2))


def TheDeviceIsAskedForOnlyAtFirst(build):
    """Frameworks ask around every launch: that probe goes after a while, and no other call is missed for that."""
    program = f"""
import ctypes, time
library = ctypes.CDLL({library(build)!r})
device = ctypes.byref(ctypes.c_int())
library.cudaDeviceSynchronize()
print("ready", flush=True)
input()
for _ in range(1000):
    for _ in range(20):
        library.cudaGetDevice(device)
    library.cudaDeviceSynchronize()
    time.sleep(0.01)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        check(process.stdout.readline() == "ready\n", "the program did not start")
        with Trace(build, *sampler(build)) as trace:
            process.communicate("\n")
            trace.stop()
    own = f"FROM events WHERE pid = {process.pid}"  # other programs make calls as well
    begin, end = trace.recording.rows(f"SELECT min(start_mono_ns), max(start_mono_ns) {own} AND call = 'cudaDeviceSynchronize'")[0]
    count = {row["call"]: row["n"] for row in trace.recording.rows(f"SELECT call, count(*) AS n {own} GROUP BY 1")}
    last = trace.recording.rows(f"SELECT max(start_mono_ns) {own} AND call = 'cudaGetDevice'")[0][0]
    check(count["cudaDeviceSynchronize"] == 1000 and 0 < count["cudaGetDevice"] < 20 * 1000, str(count))
    check(1e9 < last - begin < 6e9 < end - begin, f"asked for until {last - begin} of {end - begin}")
    odd = trace.recording.rows(f"SELECT call, outcome {own} AND outcome <> 'returned' AND kind <> 'host'")
    check(not odd, str([tuple(row) for row in odd]))


def LinesOfATraceNameTheDevice(build):
    # It goes on for a while: what a program sets in its own environment is read while it lives.
    trace = traced(build, None, *sampler(build), "--json", settings=["CUDA_VISIBLE_DEVICES=2"], stay="3")
    said = [line for line in json_lines(trace.output) if line.get("op") == "cudaDeviceSync"]
    check(len(said) == 7 and all(line["gpu_id"] == 2 and line["gpu_uuid"] == UUIDS[2] and
                                 line["gpu_pci_address"] == ADDRESSES[2] for line in said), str(said))


def MetricsCountCallsByDevice(build):
    address = f"127.0.0.1:{free_port()}"
    with environment(INGERO_FAKE_NVML="whole"):
        with Trace(build, *sampler(build), "--prometheus", address, command=chooser(build, stay="20")) as trace:
            def counted():
                series = series_of(get(f"http://{address}/metrics"))
                return series if value(series, "gpu_device_operations_total") >= 12 else None

            series = until(counted, 20, "the calls are counted")
            lint(get(f"http://{address}/metrics"))
            trace.kill()
    for n, calls in enumerate((4, 6, 2)):
        found = value(series, "gpu_device_operations_total", gpu_id=str(n), gpu_uuid=UUIDS[n], vendor="nvidia",
                      pci_address=ADDRESSES[n])
        check(found == calls, f"device {n}: {found} instead of {calls}")
    check(value(series, "gpu_info", gpu_id="1", gpu_uuid=UUIDS[1]) == 1, "gpu_info has no index")


def ListsOfTwoLayersCompose(build):
    """The second vendor: its runtime's list chooses from what the list below it left."""
    root = trees.cards(build.path("sys"), 4)
    cards = [(n, f"GPU-{n:016x}", f"0000:{0x41 + n:x}:00.0") for n in (1, 3)]
    traced(build, cards, "--sysfs-root", root, pattern="libamdhip64.so*", prefix="hip",
           variables={"ROCR_VISIBLE_DEVICES": "3,1,2", "HIP_VISIBLE_DEVICES": "1,0", "CUDA_VISIBLE_DEVICES": "2"})


def TheRealRuntimeWithoutADeviceChoosesNone(build):
    """Every call fails there: no call of it is on a device, whatever it named."""
    program = f"""
import ctypes
library = ctypes.CDLL({real_runtime()!r})
print([library.cudaSetDevice(n) for n in (0, 1)], library.cudaDeviceSynchronize(), library.cudaFree(None))
"""
    with environment(INGERO_FAKE_NVML="whole"):
        with Trace(build, *sampler(build), command=[sys.executable, "-c", program]) as trace:
            check(trace.wait() == 0, trace.stderr().decode(errors="replace"))
    rows = trace.recording.calls("vendor = 'nvidia'")
    check(len(rows) >= 4 and all(row["failed"] and row["gpu_id"] is None for row in rows),
          str([dict(row) for row in rows]))
    check([row["device_ordinal"] for row in rows if row["call"] == "cudaSetDevice"] == [0, 1], "the numbers it named")
    say(calls=len(rows), said=trace.stdout().strip())


TESTS = (EventsNameTheMachinesDevice, VisibleDevicesAreMapped, ATraceThatComesLateKnowsADeviceOnceItIsChosen,
         TheDeviceIsAskedForOnlyAtFirst, LinesOfATraceNameTheDevice, MetricsCountCallsByDevice, ListsOfTwoLayersCompose,
         TheRealRuntimeWithoutADeviceChoosesNone)
SHARED = TESTS
