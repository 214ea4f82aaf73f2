"""Where calls were made from, against a program that knows: every frame is right or said to be unknown, never wrong."""
import collections
import contextlib
import glob
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time

from harness import SLOW, Program, Skip, Trace, check, clean, json_lines, run, say, tool, until

UNKNOWN = "[unknown]"
MORE = "[more]"


def name_of(frame):
    """The function of a native frame, without its offset; UNKNOWN where none is given."""
    symbol = frame.get("s")
    if symbol is None:
        return UNKNOWN
    return symbol.split("+0x")[0]


def frames_of(recording, stack_hash):
    text = recording.one("SELECT frames FROM stack_traces WHERE hash = ?", stack_hash)
    return json.loads(text) if text else None


def exactly(frames, chain):
    """None, or what differs: frames must begin with the chain, function by function."""
    names = [name_of(frame) for frame in frames]
    if names[: len(chain)] != chain:
        return f"expected {chain}, saw {names}"
    return f"the outermost frame is missing: {names}" if MORE in names else None


# What calls the first function of every chain, where a frame pointer that is not kept may be a frame's so far out: on
# arm64 the C library's start has one.
OUTERMOST = ["go", "random_walk", "main", "__libc_start_main", "_start"] if platform.machine() == "aarch64" else []


def nothing_wrong(frames, chain):
    """None, or a frame that the chain does not have there. An unknown frame stands for one or more."""
    names = [name_of(frame) for frame in frames]
    whole = chain + (OUTERMOST if UNKNOWN in names else [])
    places = {0}  # where in the chain the next frame may be: one name may stand in several
    unknown = False
    for name in names:
        if name in (UNKNOWN, MORE):
            unknown = True
            continue
        if min(places) >= len(chain):
            return None
        # Functions, nameless ones too, may be passed over only where a frame says that it does not know.
        places = {at + 1 for at in (range(min(places), len(whole)) if unknown else places)
                  if at < len(whole) and whole[at] == name}
        if not places:
            return f"{name} is not there in {chain}: {names}"
        unknown = False
    return None


def EveryFrameOfAKnownChainIsRightOrSaidToBeUnknown(build):
    truth = build.program("stack_truth", "not built")
    library = os.path.join(build.timed, "libcudart.so.12")
    with Trace(build, "--stack", "all", command=[truth, library, "1", "200", str(300 if SLOW == 1 else 1000 * SLOW)]) as trace:
        status = trace.wait()
        check(status == 0, f"ended with {status}: {trace.stderr().decode(errors='replace')}")
    lines = json_lines(trace.output)
    recording = trace.recording
    seen = dict(recording.rows("SELECT bytes, stack_hash FROM events WHERE call = 'cudaMalloc'"))
    counts = collections.Counter()
    problems = []
    exact = ("with frame pointers", "without frame pointers", "mixed")
    for line in lines:
        stack = seen.get(line["id"])
        frames = frames_of(recording, stack) if stack is not None else None
        if not frames:
            problems.append(f"{line['case']} {line['id']}: no stack")
            continue
        check(name_of(frames[0]) == "cudaMalloc", f"the call itself is not the first frame: {frames[0]}")
        own = [frame for frame in frames[1:] if not frame.get("in")]
        problem = (exactly if line["case"] in exact else nothing_wrong)(own, line["chain"])
        counts[line["case"]] += 1
        if problem:
            problems.append(f"{line['case']} {line['id']}: {problem}")
        # What is beyond the nameless code is found again wherever something leads there.
        if line["case"] in ("stripped library", "signal handler", "code made at run time, with a frame pointer"):
            names = [name_of(frame) for frame in own]
            if "begin_walk" not in names:
                problems.append(f"{line['case']} {line['id']}: did not reach the program's own start: {names}")
    # A block request of whatever else runs on the machine has no stack.
    lost = [tuple(row) for row in recording.rows("SELECT name, count FROM loss WHERE severity <> 'info' AND count > 0 "
                                                 "AND name <> 'block_lost'")]
    check(not lost, f"something was lost: {lost}; {len(problems)} stacks: {problems[:3]}")
    say(**{case.replace(" ", "_").replace(",", ""): count for case, count in counts.items()}, problems=len(problems))
    check(len(counts) == 7, f"cases that were not run: {counts}")
    check(not problems, "\n".join(problems[:10]))


PROGRAM = """
import ctypes, sys, threading, time

library = ctypes.CDLL(sys.argv[1])
library.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]


def inner(size):
    pointer = ctypes.c_void_p()
    if size % 2:
        return library.cudaMalloc(ctypes.byref(pointer), size)  # ODD
    return library.cudaMalloc(ctypes.byref(pointer),
                              size)  # EVEN


def größe(size):
    values = [0,
              inner(size)]  # MIDDLE
    return values


def outer(size):
    return größe(size)  # OUTER


def work(first):
    for i in range(first, first + 100):
        outer(i)  # LOOP
        time.sleep(0.001)


threads = [threading.Thread(target=work, args=(1000 * n,)) for n in range(1, 4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
work(9000)  # MODULE
"""


class Interpreter:
    """A CPython, of this machine or of another system's root below a folder (which it is then started in)."""

    def __init__(self, path, root=""):
        self.path = path
        self.root = root
        self.prefix = [tool("chroot"), root] if root else []

    def version(self):
        done = subprocess.run([*self.prefix, self.path, "-c", "import ctypes, platform; print(platform.python_version())"],
                              capture_output=True, text=True, check=False)
        return done.stdout.strip() if done.returncode == 0 else ""

    @contextlib.contextmanager
    def command(self, build, name, text, library, *arguments):
        """The command that runs this text with a copy of the library, both where the interpreter can see them."""
        folder = tempfile.mkdtemp(prefix="ingero.", dir=self.root + "/tmp") if self.root else build.path("python")
        os.makedirs(folder, exist_ok=True)
        try:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
            shutil.copy(library, folder)
            inside = folder[len(self.root):]
            yield [*self.prefix, self.path, os.path.join(inside, name), os.path.join(inside, os.path.basename(library)), *arguments]
        finally:
            shutil.rmtree(folder, ignore_errors=True)


def interpreters():
    """Every CPython from 3.9 on that is here or in the roots named by INGERO_PYTHON_ROOTS (parted by ':'), by version."""
    here = (glob.glob("/root/.pyenv/versions/3.*/bin/python3") + glob.glob("/home/*/.pyenv/versions/3.*/bin/python3")
            + glob.glob("/usr/bin/python3.*") + glob.glob("/usr/local/bin/python3.*"))
    candidates = [Interpreter(path) for path in sorted(here)]
    for root in filter(None, os.environ.get("INGERO_PYTHON_ROOTS", "").split(":")):
        candidates += [Interpreter(path[len(root):], root) for path in sorted(glob.glob(root + "/usr/bin/python3.*"))]
    found = {}
    for one in candidates:
        version = "" if one.path.endswith("-config") else one.version()
        if version and int(version.split(".")[1]) >= 9:
            found.setdefault(version, one)
    if not found:
        raise Skip("no CPython of 3.9 or later with ctypes on this machine")
    return found


def lines_marked(text):
    """Line numbers by the mark in the comment at their end."""
    return {line.split("# ")[1]: number for number, line in enumerate(text.splitlines(), 1) if "# " in line}


def PythonFramesNameTheLineThatRunsOnEveryInterpreter(build):
    found = interpreters()
    at = lines_marked(PROGRAM)
    library = os.path.join(build.timed, "libcudart.so.12")
    for version, python in found.items():
        with python.command(build, "größe.py", PROGRAM, library) as command, \
                Trace(build, "--stack", "all", command=command) as trace:
            status = trace.wait()
            check(status == 0, f"{version} ended with {status}: {trace.stderr().decode(errors='replace')}")
        recording = trace.recording
        rows = recording.rows("SELECT bytes, stack_hash FROM events WHERE call = 'cudaMalloc'")
        check(len(rows) == 400, f"{version}: {len(rows)} calls")
        texts = dict(recording.rows("SELECT hash, frames FROM stack_traces"))
        wrong = []
        for size, stack in rows:
            frames = json.loads(texts.get(stack) or "[]")
            seen = [(frame["pfn"].split(".")[-1], frame.get("pl")) for frame in frames if "pfn" in frame]
            # A call over two lines: the interpreters before 3.11 know the instruction's line, not the expression's.
            call = {at["ODD"]} if size % 2 else {at["EVEN"], at["EVEN"] - 1}
            expected = [("größe", {at["MIDDLE"], at["MIDDLE"] - 1}), ("outer", {at["OUTER"]}), ("work", {at["LOOP"]})]
            good = seen[:1] and seen[0][0] == "inner" and seen[0][1] in call and len(seen) > 4
            good = good and all(name == want and line in lines for (name, line), (want, lines) in zip(seen[1:4], expected))
            if size >= 9000:
                good = good and seen[4:] == [("<module>", at["MODULE"])]
            else:
                good = good and seen[4][0] == "run"
            natives = [name_of(frame) for frame in frames if "s" in frame or "i" in frame]
            good = good and natives[0] == "cudaMalloc" and MORE not in natives and all(
                frame["pf"].endswith("größe.py") for frame in frames if frame.get("pfn", "").split(".")[-1] in ("inner", "größe", "outer"))
            if not good:
                wrong.append((size, seen, natives[-1:]))
        check(not wrong, f"Python {version}: {len(wrong)} of {len(rows)} stacks are wrong, such as {wrong[:3]}")
        say(python=version, stacks=len(rows), distinct=len(texts))
        clean(build)


HANGING = """
import ctypes, sys

SLEEPS, SPINS = 0, 1  # words of a timed_control

library = ctypes.CDLL(sys.argv[1])
library.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
library.timed_runtime_control.restype = ctypes.POINTER(ctypes.c_uint64)


def wait():
    library.timed_runtime_control()[SPINS if sys.argv[3] == "spin" else SLEEPS] = int(float(sys.argv[2]) * 1e9)
    library.cudaStreamSynchronize(None)  # WAIT


def step():
    wait()  # STEP


step()  # MODULE
"""


def hangs(build, version, python, how, seconds, while_it_hangs):
    """The stack of one call that hangs: looked at while it does, or after it has returned from elsewhere."""
    at = lines_marked(HANGING)
    library = os.path.join(build.timed, "libcudart.so.12")
    seconds = str(int(seconds) * min(SLOW, 4))
    with python.command(build, "hanging.py", HANGING, library, seconds, how) as command, \
            Trace(build, "--hang-after", "500ms", command=command) as trace:
        if while_it_hangs:
            where = f"from wait() at hanging.py:{at['WAIT']}".encode()
            until(lambda: b"has not returned" in trace.stderr(), 20, "the call hangs")
            check(where in trace.stderr(), trace.stderr().decode())
            trace.stop()
        else:
            trace.wait()
    rows = trace.recording.rows("SELECT outcome, stack_hash FROM events WHERE call = 'cudaStreamSynchronize'")
    wanted = "never returned" if while_it_hangs else "returned"
    check(len(rows) == 1 and rows[0][0] == wanted, f"{version}: {[tuple(row) for row in rows]}")
    frames = frames_of(trace.recording, rows[0][1])
    check(frames, f"{version}: no stack")
    natives = [name_of(frame) for frame in frames if "s" in frame]
    seen = [(frame["pfn"].split(".")[-1], frame.get("pl")) for frame in frames if "pfn" in frame]
    say(python=version, how=how, native=natives[:4])
    # Where it spins, the timer may have fired in any function that the loop calls, or in none.
    check(how == "spin" or "sleep" in natives[0], f"{version}: {natives}")
    check("work" in natives and "cudaStreamSynchronize" in natives, f"{version}: {natives}")
    check(seen == [("wait", at["WAIT"]), ("step", at["STEP"]), ("<module>", at["MODULE"])], f"{version}: {seen}")
    check(MORE not in natives, f"{version}: {natives}")
    clean(build)


def ACallThatHangsHasTheStackWhereItWaits(build):
    found = interpreters()
    for number, (version, python) in enumerate(found.items()):
        hangs(build, version, python, "sleep", "8" if number == 0 else "3", number == 0)


def ACallThatHangsSpinningHasTheStackWhereItSpins(build):
    found = interpreters()
    for number, (version, python) in enumerate(found.items()):
        hangs(build, version, python, "spin", "8" if number == 0 else "3", number == 0)


OFTEN = """
import ctypes, sys

library = ctypes.CDLL(sys.argv[1])
library.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
library.timed_runtime_control.restype = ctypes.POINTER(ctypes.c_uint64)
for i in range(10):
    library.timed_runtime_control()[1] = 1600000000  # it spins
    library.cudaStreamSynchronize(None)
"""


def ACallThatSpinsOnACrowdedCpuHasTheStackWhereItSpins(build):
    """It has a quarter of its CPU, and others may get that while it is looked at."""
    python = next(iter(interpreters().values()))
    library = os.path.join(build.timed, "libcudart.so.12")
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            other = stack.enter_context(subprocess.Popen(["taskset", "-c", "0", "sh", "-c", "while :; do :; done"]))
            stack.callback(other.kill)
        command = stack.enter_context(python.command(build, "often.py", OFTEN, library))
        with Trace(build, "--hang-after", "500ms", command=["taskset", "-c", "0", *command]) as trace:
            trace.wait()
    rows = trace.recording.rows("SELECT stack_hash FROM events WHERE call = 'cudaStreamSynchronize'")
    natives = [[name_of(frame) for frame in frames_of(trace.recording, row[0]) or []] for row in rows]
    elsewhere = [names for names in natives if "work" not in names]
    check(len(natives) == 10 and not elsewhere, f"{len(elsewhere)} of {len(natives)} outside of the loop: {elsewhere[:1]}")


FEW = """
import ctypes, os, sys, time

library = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p()
while sys.argv[2:] and not os.path.exists(sys.argv[3]):
    time.sleep(0.01)
for i in range(3):
    library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(4096))  # CALL
"""


def lines_of(recording):
    """Of each cudaMalloc, by process: the line of its innermost Python frame; None: it has none."""
    texts = dict(recording.rows("SELECT hash, frames FROM stack_traces"))
    found = collections.defaultdict(list)
    for pid, stack in recording.rows("SELECT pid, stack_hash FROM events WHERE call = 'cudaMalloc'"):
        lines = [frame.get("pl") for frame in json.loads(texts.get(stack) or "[]") if "pfn" in frame]
        found[pid].append(lines[0] if lines else None)
    return found


def EveryCallOfProgramsThatLiveForMillisecondsHasItsPythonLine(build):
    """Each is held before it maps the library: by its first call the agent knows where its frames are."""
    found = interpreters()
    library = os.path.join(build.timed, "libcudart.so.12")
    line = lines_marked(FEW)["CALL"]
    again = 'i=0; while [ $i -lt 15 ]; do "$@" || exit 1; i=$((i+1)); done'

    for version, python in found.items():
        with python.command(build, "few.py", FEW, library) as command, \
                Trace(build, "--stack", "all", command=["sh", "-c", again, "sh", *command]) as trace:
            check(trace.wait() == 0, f"{version}: {trace.stderr().decode(errors='replace')}")
        if b"is not held" in trace.stderr():
            raise Skip("this kernel cannot hold a command")
        lines = lines_of(trace.recording)
        wrong = {pid: of for pid, of in lines.items() if of != [line] * 3}
        say(python=version, processes=len(lines), wrong=len(wrong))
        check(len(lines) == 15 and not wrong, f"{version}: {len(wrong)} of {len(lines)} processes: {wrong}, not line {line}")
        clean(build)


# $1: a program. It runs once, and again while the agent that holds this shell sleeps.
WHILE_IT_SLEEPS = """
"$@" && sleep 0 && read -r _ _ _ agent _ < /proc/$PPID/stat || exit 1
kill -STOP $agent
(sleep 1; kill -CONT $agent) &
"$@"
wait
"""


def AProgramThatMapsALibraryMappedBeforeWaitsForTheAgent(build):
    version, python = next(iter(interpreters().items()))
    library = os.path.join(build.timed, "libcudart.so.12")
    line = lines_marked(FEW)["CALL"]
    with python.command(build, "few.py", FEW, library) as command, \
            Trace(build, "--stack", "all", command=["sh", "-c", WHILE_IT_SLEEPS, "sh", *command]) as trace:
        check(trace.wait() == 0, f"{version}: {trace.stderr().decode(errors='replace')}")
    if b"is not held" in trace.stderr():
        raise Skip("this kernel cannot hold a command")
    lines = list(lines_of(trace.recording).values())
    say(python=version, lines=lines)
    check(lines == [[line] * 3] * 2, f"{version}: {lines}, not line {line}")


def TheFirstCallOfAProgramThatHadTheLibraryBeforeHasItsPythonLine(build):
    version, python = next(iter(interpreters().items()))
    library = os.path.join(build.timed, "libcudart.so.12")
    line = lines_marked(FEW)["CALL"]
    with python.command(build, "few.py", FEW, library) as command, Program(build, *command, name="first") as first, \
            Program(build, *command, name="second") as second:
        first.loaded("libcudart"), second.loaded("libcudart")
        with Trace(build, "--stack", "all") as trace, \
                Trace(build, "--stack", "all", "--pid", str(first.process.pid), name="filtered") as filtered:
            with Program(build, *command, name="later") as later:
                later.loaded("libcudart")
                trace.probed("libcudart.so.12")
                time.sleep(1)  # a program imports for longer than the agent looks
                for program in (first, second, later):
                    program.go().end()
            trace.stop(), filtered.stop()
    seen, only = lines_of(trace.recording), lines_of(filtered.recording)
    say(python=version, seen=dict(seen), only=dict(only))
    check(seen == {program.process.pid: [line] * 3 for program in (first, second, later)}, f"{dict(seen)}, not line {line}")
    check(only == {first.process.pid: [line] * 3}, f"with --pid: {dict(only)}, not line {line}")


MANY = """
import ctypes, sys

SLEEPS, SPINS = 0, 1  # words of a timed_control

library = ctypes.CDLL(sys.argv[1])
library.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
library.timed_runtime_control.restype = ctypes.POINTER(ctypes.c_uint64)
control = library.timed_runtime_control()


def wait(stream):
    library.cudaStreamSynchronize(stream)


for i in range(1000):
    control[SPINS], control[SLEEPS] = (0, 3000000) if i % 50 == 49 else (20000, 0)
    if i % 50 == 49:
        wait(2)  # SLOW
    else:
        wait(1)  # QUICK
"""


def SlowCallsAmongManyFromTheSamePlaceHaveTheirStacks(build):
    """To the kernel side every call from Python is from one place: the instruction behind the call, in libffi."""
    version, python = next(iter(interpreters().items()))
    library = os.path.join(build.timed, "libcudart.so.12")
    with python.command(build, "many.py", MANY, library) as command, Trace(build, command=command) as trace:
        check(trace.wait() == 0, f"{version}: {trace.stderr().decode(errors='replace')}")
    rows = trace.recording.rows("SELECT stream, stack_hash FROM events WHERE call = 'cudaStreamSynchronize'")
    slow = [stack for stream, stack in rows if stream == 2]
    taken = sum(stack is not None for stream, stack in rows if stream == 1)
    bare = sum(stack is None for stack in slow)
    say(python=version, slow=len(slow), bare=bare, quick=len(rows) - len(slow), of_which_with_stack=taken)
    check(len(slow) == 20 and len(rows) == 1000, f"{len(slow)} slow calls of {len(rows)}")
    check(bare == 0, f"{bare} of {len(slow)} slow calls have no stack")
    line = lines_marked(MANY)["SLOW"]
    for stack in set(slow):
        seen = [(frame["pfn"], frame.get("pl")) for frame in frames_of(trace.recording, stack) if "pfn" in frame]
        check(seen[-1] == ("<module>", line), f"{version}: {seen}, not line {line}")
    clean(build)


WORTH_KEEPING = """
import ctypes, sys

SLEEPS, RETURNS = 0, 5  # words of a timed_control

library = ctypes.CDLL(sys.argv[1])
library.timed_runtime_control.restype = ctypes.POINTER(ctypes.c_uint64)
control = library.timed_runtime_control()
pointer = ctypes.c_void_p()

for i in range(30):  # all as slow as the others
    control[SLEEPS] = 1500000
    library.cudaMemcpyAsync(None, None, ctypes.c_size_t(1), 1, None)
for i in range(30):
    control[RETURNS] = 719
    library.cudaFree(None)
for i in range(100):
    library.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(64))
for i in range(300):
    library.cudaFree(None)
"""


def EverySlowFailedAndAllocatingCallHasItsStackFromTheFirstOn(build):
    version, python = next(iter(interpreters().items()))
    library = os.path.join(build.timed, "libcudart.so.12")
    with python.command(build, "worth.py", WORTH_KEEPING, library) as command, Trace(build, command=command) as trace:
        check(trace.wait() == 0, f"{version}: {trace.stderr().decode(errors='replace')}")
    found = {}
    for what, where, count in (("slow", "call = 'cudaMemcpyAsync' AND duration >= 1000000", 30),
                               ("failed", "call = 'cudaFree' AND failed", 30), ("allocations", "call = 'cudaMalloc'", 100)):
        rows = trace.recording.rows(f"SELECT stack_hash FROM events WHERE {where}")
        found[what] = sum(stack is not None for (stack,) in rows)
        check(len(rows) == count, f"{len(rows)} {what}")
    quick = trace.recording.rows("SELECT stack_hash FROM events WHERE call = 'cudaFree' AND NOT failed")
    found["of_300_quick"] = sum(stack is not None for (stack,) in quick)
    say(python=version, **found)
    check((found["slow"], found["failed"], found["allocations"]) == (30, 30, 100), f"with stacks: {found}")
    check(4 <= found["of_300_quick"] <= 100, f"of 300 calls that are nothing special {found['of_300_quick']} have a stack")
    clean(build)


IN_TURNS = """
import ctypes, sys

SPINS = 1  # a word of a timed_control

library = ctypes.CDLL(sys.argv[1])
library.timed_runtime_control.restype = ctypes.POINTER(ctypes.c_uint64)
control = library.timed_runtime_control()


def often():
    control[SPINS] = 5000
    library.cudaMemcpyAsync(None, None, ctypes.c_size_t(1), 1, None)


def rarely():
    control[SPINS] = 15000
    library.cudaMemcpyAsync(None, None, ctypes.c_size_t(2), 1, None)


for i in range(20000):
    rarely() if i % 4 == 3 else often()
"""


def SampledStacksStandForTheOtherCallsOfTheirCallSite(build):
    version, python = next(iter(interpreters().items()))
    library = os.path.join(build.timed, "libcudart.so.12")
    with python.command(build, "turns.py", IN_TURNS, library) as command, Trace(build, command=command) as trace:
        check(trace.wait() == 0, f"{version}: {trace.stderr().decode(errors='replace')}")
    recording = trace.recording
    truth = dict((("often", "rarely")[size - 1], (calls, ns)) for size, calls, ns in recording.rows(
        "SELECT bytes, count(*), sum(duration) FROM events WHERE call = 'cudaMemcpyAsync' GROUP BY 1"))
    answer = json.loads(run(build.agent, "ask", "get_stacks", "--db", recording.path, "--json",
                            json.dumps({"op": "cudaMemcpyAsync", "limit": 100})).stdout)
    folded = run(build.agent, "explain", "--db", recording.path, "--folded").stdout
    taken = sum(stack["taken"] for stack in answer["stacks"])
    say(python=version, taken=taken, covered=answer["calls_covered"], calls=answer["calls"])
    check(taken < 2000 and answer["calls_with_stack"] == taken, f"{taken} stacks: that is not a sample")
    check(answer["calls"] == 20000 and answer["calls_covered"] >= 19800, f"{answer['calls_covered']} of {answer['calls']} covered")
    for name, (calls, ns) in truth.items():
        stacks = [stack for stack in answer["stacks"] if any(f"in {name}()" in frame for frame in stack["frames"])]
        n, total_ns = (sum(stack[key] for stack in stacks) for key in ("n", "total_ns"))
        drawn_us = sum(int(line.rsplit(" ", 1)[1]) for line in folded.splitlines() if f";{name} (turns.py)" in line)
        say(function=name, calls=calls, shown=n, ms=ns // 1000000, ms_shown=total_ns // 1000000, ms_drawn=drawn_us // 1000)
        check(abs(n - calls) < 0.25 * calls, f"{name}: {calls} calls, shown as {n}")
        check(abs(total_ns - ns) < 0.25 * ns, f"{name}: {ns} ns, shown as {total_ns}")
        check(abs(drawn_us * 1000 - ns) < 0.25 * ns, f"{name}: {ns} ns, drawn as {drawn_us} us")
    clean(build)


TESTS = (EverySlowFailedAndAllocatingCallHasItsStackFromTheFirstOn, SampledStacksStandForTheOtherCallsOfTheirCallSite,
         EveryCallOfProgramsThatLiveForMillisecondsHasItsPythonLine,
         AProgramThatMapsALibraryMappedBeforeWaitsForTheAgent,
         TheFirstCallOfAProgramThatHadTheLibraryBeforeHasItsPythonLine, SlowCallsAmongManyFromTheSamePlaceHaveTheirStacks, ACallThatHangsHasTheStackWhereItWaits, ACallThatHangsSpinningHasTheStackWhereItSpins,
         ACallThatSpinsOnACrowdedCpuHasTheStackWhereItSpins,
         PythonFramesNameTheLineThatRunsOnEveryInterpreter, EveryFrameOfAKnownChainIsRightOrSaidToBeUnknown,)
SHARED = (PythonFramesNameTheLineThatRunsOnEveryInterpreter, ACallThatHangsHasTheStackWhereItWaits)
