"""The page on a recording that is being written: every view, growing figures, a timeline that goes on."""
import os
import subprocess
import sys

from harness import LIMIT, ROOT, Failure, Skip, Trace, until

RUN = os.path.join(ROOT, "tests", "page", "run.py")


def ThePageFollowsALiveTrace(build):
    with Trace(build, command=[build.scenarios, "spin", "1000", "60000"]) as trace:
        until(lambda: os.path.exists(trace.recording.path) and trace.recording.one("SELECT count(*) FROM events") > 100, 30,
              "the trace has written something")
        done = subprocess.run([sys.executable, "-B", RUN, build.agent, "live.mjs", trace.recording.path], capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        print(done.stdout, flush=True)
        trace.stop()
    if done.returncode == 77:
        raise Skip(done.stdout.strip().removeprefix("SKIP: "))
    if done.returncode != 0:
        raise Failure(f"{done.stdout}{done.stderr}")


TESTS = (ThePageFollowsALiveTrace,)
SHARED = TESTS
