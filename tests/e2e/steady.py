"""The agent stays small while programs come and go: the short form of tests/soak/short_processes.py."""
import os
import sys

import harness
from harness import check, say

sys.path.insert(0, os.path.join(harness.ROOT, "tests", "soak"))

import short_processes  # noqa: E402

PROGRAMS = 1500
GROWN = 16.0  # MiB: what is kept of some hundred programs that ended in the last seconds, and the allocator's own


def short_programs(build, *options):
    run = short_processes.Run(build, PROGRAMS, 100, short_processes.library_of(build, False), options)
    run.go([short_processes.WARM])
    made, wrong, losses = run.differences()
    check(not wrong, f"{len(wrong)} differences, of {made} calls: {[str(one) for one in wrong[:5]]}, losses {losses}")
    warm, last = run.at(short_processes.WARM)[2], run.samples[-1][2]
    say(calls=made, resident_mib=[round(one.resident, 1) for one in (run.samples[0][2], warm, last)], losses=losses)
    return warm, last


def ShortProgramsLeaveNothingBehind(build):
    """Resident memory, descriptors and threads after 1,500 programs of 100 calls, against those after the first 300."""
    warm, last = short_programs(build)
    if not build.sanitized:  # a sanitizer keeps what was freed
        check(last.resident < warm.resident + GROWN,
              f"{last.resident:.1f} MiB after {PROGRAMS} programs, {warm.resident:.1f} after {short_processes.WARM}")
    for name in ("descriptors", "threads", "links"):
        check(getattr(last, name) <= getattr(warm, name),
              f"{name}: {getattr(last, name)} after {PROGRAMS} programs, {getattr(warm, name)} before")


TESTS = (ShortProgramsLeaveNothingBehind,)
