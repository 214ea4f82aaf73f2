#!/usr/bin/env python3
"""Runs programs with one planted cause, or none, under "ingero trace", and asks "ingero explain" what it was.

  run.py --build DIR [--short | --noisy | NAME...] [--ingero FILE] [--keep] [--results FILE]

The programs know nothing of the tracer and the judge nothing of its rules (kinds.py says what a right answer is). Prints
a table: the grade, how far the budget is from the program's own clock (share of the wall), and the first answer.
--noisy runs 20 healthy programs next to other load and counts false alarms. Status 1 when an answer was not right, a budget
was more than 3 % off, or a healthy program was accused. Needs root. Standard library only.
"""
import argparse
import contextlib
import glob
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

import judge
import kinds
import world

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "programs")
QUEUED_TOO_LONG = 0.06  # of the wall: the machine, and not the plant, took the program's CPU
TRIES = 3
BUDGET = 0.03


class Result:
    def __init__(self, kind):
        self.kind, self.grade, self.answer, self.error, self.note, self.said = kind, judge.BROKEN, "", None, "", {}


def device_files(folder, operations=150):
    """The processes whose device has done that many operations, the first one first."""
    pids = []
    for path in glob.glob(os.path.join(folder, "device.*")):
        with open(path, "rb") as file:
            header = file.read(16)
        if len(header) == 16 and struct.unpack_from("=Q", header, 8)[0] >= operations:
            pids.append((os.stat(path).st_ctime, int(path.rsplit(".", 1)[1])))
    return [pid for _, pid in sorted(pids)]


def wait_for_work(folder, child, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end and child.poll() is None:
        found = device_files(folder)
        if found:
            return found[0]
        time.sleep(0.02)
    return None


def kill_group(child):
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def traced(run, options, kind, database):
    """Starts the program under the tracer and waits for both. Returns what went wrong, or None."""
    environment = {**os.environ, **run.environment}
    with contextlib.ExitStack() as files:
        errors = files.enter_context(open(os.path.join(run.folder, "errors"), "w", encoding="utf-8"))
        output = files.enter_context(open(run.output or os.devnull, "w", encoding="utf-8")) if run.output else subprocess.DEVNULL
        child = subprocess.Popen([options.ingero, "trace", "--db", database, "--", *run.command], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=output, stderr=errors, start_new_session=True)
        try:
            if run.after_start:
                pid = wait_for_work(run.folder, child)
                if pid is None:
                    return "the program made no calls"
                time.sleep(1.5)
                run.after_start(pid)
            try:
                child.wait(kind.seconds + 40)
            except subprocess.TimeoutExpired:  # a program that hangs: its user would interrupt
                child.send_signal(signal.SIGINT)
                child.wait(20)
        except subprocess.TimeoutExpired:
            return "the tracer did not end"
        finally:
            kill_group(child)
    return None


def attached(run, options, kind, database):
    """The program runs already when the tracer comes."""
    environment = {**os.environ, **run.environment}
    with open(os.path.join(run.folder, "errors"), "w", encoding="utf-8") as errors:
        child = subprocess.Popen(run.command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                                 start_new_session=True)
        try:
            pid = wait_for_work(run.folder, child)
            if pid is None:
                return "the program made no calls"
            who = {"main": ["--pid", str(pid)], "launcher": ["--pid", str(child.pid)], "all": []}[kind.attach]
            try:
                tracer = subprocess.run([options.ingero, "trace", "--db", database, "--duration", f"{kind.seconds}s", *who],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, timeout=kind.seconds + 60,
                                        check=False)
            except subprocess.TimeoutExpired:
                return "the tracer did not end"
            if tracer.returncode != 0:
                return f"the tracer ended with status {tracer.returncode}"
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(15)  # its clock is written at the end
        finally:
            kill_group(child)
    return None


def explain(options, database, folder):
    said = {}
    for name, extra in (("explain.txt", []), ("explain.json", ["--json"])):
        done = subprocess.run([options.ingero, "explain", "--db", database, *extra], capture_output=True, text=True, timeout=120, check=False)
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(done.stdout + done.stderr)
        if extra:
            said = json.loads(done.stdout) if done.returncode == 0 else {}
    return said


def disturbed(kind, folder):
    """The share of its time in which the first program was ready and did not run, where that is not the plant."""
    clocks = judge.read_steps(folder)
    if not kind.healthy_cpu or not clocks or not clocks[0]["steps"]:
        return 0
    steps = clocks[0]["steps"]
    return clocks[0].get("queued_ns", 0) / max(1, steps[-1]["end"] - steps[0]["start"])


def judge_budget(kind, result, folder, database):
    clocks = [clock for clock in judge.read_steps(folder) if clock["steps"]]
    if not kind.budget or not clocks:
        return
    for budget in judge.budgets(result.said):
        pid = (budget.get("process") or {}).get("pid")
        for clock in clocks:
            if clock["pid"] != pid:
                continue
            own = judge.own_shares(judge.same_steps(budget, clock, database))
            told = judge.told_shares(budget)
            if own and told:
                error = judge.budget_error(own, told)
                result.error = max(result.error or 0, error)


def run_once(kind, options, noise=None):
    result = Result(kind)
    folder = tempfile.mkdtemp(prefix=f"{kind.name}.", dir=options.work)
    os.environ["TRUTH_DIR"] = folder
    seconds = str(kind.seconds)
    command = [part.format(programs=PROGRAMS, libraries=options.libraries, seconds=seconds) for part in kind.command]
    run, database = kinds.Run(command=command, folder=folder), os.path.join(folder, "run.db")
    with run.stack:
        if noise:
            noise(run)
        if kind.prepare:
            kind.prepare(run)
        result.note = (attached if kind.attach else traced)(run, options, kind, database) or ""
    if result.note or not os.path.exists(database):
        return result, folder
    result.said = explain(options, database, folder)
    names = judge.read_names(folder, run.names, PROGRAMS)
    result.grade, result.answer = judge.grade(kind, result.said, names)
    judge_budget(kind, result, folder, database)
    share = disturbed(kind, folder)
    if share > QUEUED_TOO_LONG:
        result.note = f"disturbed: waited {share:.0%} for a CPU"
    return result, folder


def run_kind(kind, options, noise=None):
    """Again while the machine disturbs the run: a cause that was not planted is not a mistake of the answer."""
    for _ in range(TRIES):
        result, folder = run_once(kind, options, noise)
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        if not result.note.startswith("disturbed"):
            break
    return result


def show(result):
    error = "" if result.error is None else f"{100 * result.error:.1f} %"
    answer = " ".join(result.answer.split())
    print(f"{result.kind.name:20} {result.grade:12} {error:>8}  {(result.note + ' ' + answer).strip()[:150]}", flush=True)


def noises():
    """Two sorts of noise; neither takes a CPU from a program that wants one for long."""
    def busy(run):
        child = run.stack.enter_context(world.helper("spin", 2))
        for pid in children(child.pid):
            os.setpriority(os.PRIO_PROCESS, pid, 19)

    def traffic(run):
        run.stack.enter_context(world.helper("traffic"))
    return {"busy": busy, "traffic": traffic}


def children(pid):
    time.sleep(0.3)
    found = [pid]
    for task in glob.glob(f"/proc/{pid}/task/*/children"):
        with open(task, encoding="ascii") as file:
            found += [int(word) for word in file.read().split()]
    return found


def run_all(options):
    results = []
    if options.noisy:
        for noise_name, noise in noises().items():
            for name in kinds.NOISY:
                result = run_kind(kinds.ALL[name], options, noise)
                result.note = (noise_name + " " + result.note).strip()
                results.append(result)
                show(result)
        return results
    names = options.names or (kinds.SHORT if options.short else kinds.ALL)
    for name in names:
        try:
            result = run_kind(kinds.ALL[name], options)
        except (OSError, RuntimeError, subprocess.SubprocessError, ValueError) as error:
            result = Result(kinds.ALL[name])
            result.note = f"{type(error).__name__}: {error}"
        results.append(result)
        show(result)
    return results


def summary(results):
    """Prints the totals; returns whether everything was right."""
    faults = [result for result in results if result.kind.cause is not None]
    healthy = [result for result in results if result.kind.cause is None]
    errors = [result.error for result in results if result.error is not None]
    count = {name: sum(result.grade == name for result in faults) for name in
             (judge.RIGHT, judge.PARTLY, judge.WRONG, judge.NOTHING, judge.BROKEN)}
    alarms = sum(result.grade == judge.FALSE_ALARM for result in healthy)
    broken = sum(result.grade == judge.BROKEN for result in results)
    if faults:
        print(f"first cause right {count[judge.RIGHT]} of {len(faults)}" +
              "".join(f", {number} {name}" for name, number in count.items() if name != judge.RIGHT and number))
    if healthy:
        print(f"false alarms {alarms} of {len(healthy)} healthy runs")
    if errors:
        print(f"budgets compared {len(errors)}, {sum(error > BUDGET for error in errors)} more than {BUDGET:.0%} of the wall off, "
              f"largest {max(errors):.1%}")
    return count[judge.RIGHT] == len(faults) and alarms == 0 and broken == 0 and all(error <= BUDGET for error in errors)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[[], *kinds.ALL], metavar="NAME", help="only these kinds")
    parser.add_argument("--build", required=True, help="the build folder")
    parser.add_argument("--ingero", help="another ingero than the build's")
    parser.add_argument("--short", action="store_true", help="a few kinds, under a minute")
    parser.add_argument("--noisy", action="store_true", help="20 healthy runs beside other load")
    parser.add_argument("--keep", action="store_true", help="keep the recordings and answers (in the build folder)")
    parser.add_argument("--results", help="write the results here, as JSON")
    options = parser.parse_args()
    if os.geteuid() != 0:
        print("tracing needs root")
        return 77
    options.ingero = options.ingero or os.path.join(options.build, "cli/ingero")
    options.libraries = os.path.abspath(os.path.join(options.build, "tests/truth"))
    os.environ["TRUTH_LIBRARIES"] = options.libraries
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    options.work = tempfile.mkdtemp(prefix="truth_programs.", dir=options.build)
    try:
        with world.own_share():
            results = run_all(options)
    finally:
        if not options.keep:
            shutil.rmtree(options.work, ignore_errors=True)
        else:
            print(f"kept in {options.work}")
    good = summary(results)
    if options.results:
        with open(options.results, "w", encoding="utf-8") as file:
            json.dump([{"kind": one.kind.name, "grade": one.grade, "error": one.error, "note": one.note, "answer": one.answer}
                       for one in results], file, indent=1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
