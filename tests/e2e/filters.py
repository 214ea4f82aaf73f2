"""Filters act in the kernel: who is wanted is recorded in full with all children, who is not leaves nothing."""
import contextlib
import os
import pwd
import signal

from harness import Program, Skip, Trace, check, compare_scenario


def pair(build, options, wanted, other):
    """Two programs, one wanted: it is recorded line for line, of the other there is nothing."""
    for program in (wanted, other):
        program.loaded("libcudart.so.12")
    with Trace(build, *options) as trace:
        for program in (other, wanted):
            program.go().end()
        trace.stop()
    compare_scenario(wanted.lines_path, trace.recording)
    strangers = {line["pid"] for line in other.lines()}
    marks = ",".join(str(pid) for pid in strangers)
    seen = trace.recording.one(f"SELECT count(*) FROM events WHERE pid IN ({marks})")
    check(strangers and seen == 0, f"{seen} events of processes that were not asked for")
    check(len(wanted.lines()) > 0, "the wanted program made no calls")
    return trace


def two(build, **of_wanted):
    stack = contextlib.ExitStack()
    wanted = stack.enter_context(Program(build, build.scenarios, "fork-children", "3", "5", name="wanted", **of_wanted))
    other = stack.enter_context(Program(build, build.scenarios, "fork-children", "3", "5", name="other"))
    return stack, wanted, other


def OnePidMeansItAndItsChildren(build):
    stack, wanted, other = two(build)
    with stack:
        pair(build, ["--pid", str(wanted.process.pid)], wanted, other)


def OneUserMeansOnlyHisProcesses(build):
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise Skip("there is no user nobody here") from None
    above = build.work
    while above != "/":
        above = os.path.dirname(above)
        if not os.stat(above).st_mode & 1:
            raise Skip(f"other users cannot reach {build.work}: {above} is closed to them")
    stack, wanted, other = two(build, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[])
    with stack:
        pair(build, ["--user", "nobody"], wanted, other)


@contextlib.contextmanager
def cgroups():
    """A cgroup and one below it: their paths, and how to start a program in the lower one."""
    root = next((path for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified")
                 if os.path.exists(os.path.join(path, "cgroup.controllers"))), None)
    if root is None:
        raise Skip("no cgroup v2 hierarchy is mounted")
    top = os.path.join(root, f"ingero_e2e_{os.getpid()}")
    below = os.path.join(top, "below")
    try:
        os.makedirs(below)
    except OSError as error:
        raise Skip(f"cannot make a cgroup: {error}") from None
    try:
        yield top, below, ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', below]
    finally:
        os.rmdir(below)
        os.rmdir(top)


def paths_of(recording, cgroup):
    return [row[0] for row in recording.rows("SELECT cgroup_path FROM cgroup_metadata WHERE cgroup_id = ?", os.stat(cgroup).st_ino)]


def OneCgroupMeansItAndWhatIsBelow(build):
    with cgroups() as (top, below, enter):
        stack, wanted, other = two(build, prefix=enter)
        with stack:
            trace = pair(build, ["--cgroup", "/" + os.path.basename(top)], wanted, other)
        ids = {row[0] for row in trace.recording.rows("SELECT DISTINCT cgroup_id FROM events WHERE kind <> 'host'")}
        check(ids == {os.stat(below).st_ino}, f"cgroup ids {ids}, the directory is {os.stat(below).st_ino}")
        paths = paths_of(trace.recording, below)
        check(paths and paths[0].endswith("/below"), f"cgroup paths {paths}")


def ACgroupIsNamedThoughItsProcessIsGone(build):
    with cgroups() as (top, below, enter), Trace(build) as trace, \
            Program(build, build.scenarios, "threads", "1", "1", name="holder") as holder:
        trace.probed("libcudart.so.12")  # the holder's: the next one's calls are seen while the agent stands still
        with Program(build, build.scenarios, "threads", "1", "1", prefix=enter, name="short") as program:
            os.kill(trace.process.pid, signal.SIGSTOP)
            try:
                program.go().end()
            finally:
                os.kill(trace.process.pid, signal.SIGCONT)
        holder.go().end()
        trace.stop()
        paths = paths_of(trace.recording, below)
        check(paths and paths[0].endswith("/below"), f"cgroup paths {paths}")
        compare_scenario(program.lines_path, trace.recording)


TESTS = (OnePidMeansItAndItsChildren, OneUserMeansOnlyHisProcesses, OneCgroupMeansItAndWhatIsBelow,
         ACgroupIsNamedThoughItsProcessIsGone)
