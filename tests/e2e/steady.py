"""The agent stays small while programs come and go: the short form of tests/soak/short_processes.py."""
import os
import sys

import harness
from harness import check, say

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "soak"))

import short_processes  # noqa: E402

PROGRAMS = 1500
# MiB of its own memory (what it has mapped of other programs' files for their names varies with what else runs): some
# hundred programs that ended in the last seconds, and the allocator's part. Kept for ever, 1,200 programs take 75.
GROWN = 20.0


def ShortProgramsLeaveNothingBehind(build):
    """Memory, descriptors and threads after 1,500 programs of 100 calls, against those after the first 300."""
    run = short_processes.Run(build, PROGRAMS, 100, short_processes.library_of(build, False))
    run.go([short_processes.WARM])
    made, wrong, losses = run.differences()
    check(not wrong, f"{len(wrong)} differences, of {made} calls: {[str(one) for one in wrong[:5]]}, losses {losses}")
    warm, last = run.at(short_processes.WARM), run.samples[-1]
    say(calls=made, anonymous_mib=[round(one[2].anonymous, 1) for one in (run.samples[0], warm, last)], losses=losses)
    if not build.sanitized:  # a sanitizer keeps what was freed
        check(last[2].anonymous < warm[2].anonymous + GROWN,
              f"{last[2].anonymous:.1f} MiB after {PROGRAMS} programs, {warm[2].anonymous:.1f} after {warm[0]}")
    grown = short_processes.grown(run, warm, last)
    check(not grown, "; ".join(grown))


TESTS = (ShortProgramsLeaveNothingBehind,)
