"""Where calls were made from, against a program that knows: every frame is right or said to be unknown, never wrong."""
import collections
import json
import os

from harness import Trace, check, json_lines, say

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


def nothing_wrong(frames, chain):
    """None, or a frame that the chain does not have there. An unknown frame stands for one or more."""
    names = [name_of(frame) for frame in frames]
    at = 0
    unknown = False
    for name in names:
        if name in (UNKNOWN, MORE):
            unknown = True
            continue
        if unknown:
            # Only nameless functions may be passed over where a frame says that it does not know.
            while at < len(chain) and chain[at] != name:
                at += 1
        elif at < len(chain) and chain[at] == "?":
            return f"{name} stands for code without a name in {names}"
        if at == len(chain):
            return None if chain[-1] in names else f"{name} is not in {chain}: {names}"
        if chain[at] != name:
            return f"{name} where {chain[at]} is: {names}"
        unknown = False
        at += 1
        if at == len(chain):
            return None
    return None


def EveryFrameOfAKnownChainIsRightOrSaidToBeUnknown(build):
    truth = build.program("stack_truth", "not built")
    library = os.path.join(build.timed, "libcudart.so.12")
    with Trace(build, "--stack", "all", command=[truth, library, "1", "200"]) as trace:
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
    check(not recording.rows("SELECT name, count FROM loss WHERE severity <> 'info' AND count > 0"), "something was lost")
    say(**{case.replace(" ", "_").replace(",", ""): count for case, count in counts.items()}, problems=len(problems))
    check(len(counts) == 7, f"cases that were not run: {counts}")
    check(not problems, "\n".join(problems[:10]))


TESTS = (EveryFrameOfAKnownChainIsRightOrSaidToBeUnknown,)
