"""Calls marked_call() from places it knows, and prints where each call was made from.

  workload.py LIBRARY SCENARIO [COUNT]   prints "ready", waits for a line, works, prints one JSON object

Runs on CPython 3.9 and later. A call is made as mark(note()): note() writes down the frames of its caller, and the call
follows on the same line of the same frame.
"""
import ctypes
import json
import sys
import threading

library = ctypes.CDLL(sys.argv[1])  # releases the global lock
mark = library.marked_call
mark.argtypes = [ctypes.c_ulong]
holding = ctypes.PyDLL(sys.argv[1])  # keeps it
mark_holding = holding.marked_call
mark_holding.argtypes = [ctypes.c_ulong]

truth = {}
numbers = iter(range(1, 1 << 60))


def note():
    number = next(numbers)
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append([code.co_filename, getattr(code, "co_qualname", code.co_name), frame.f_lineno])
        frame = frame.f_back
    truth[number] = frames
    return number


class Nested:
    def inner(self):
        mark(note())
        for _ in range(2):
            mark(note())

            mark_holding(note())

    def middle(self):
        x = 1
        self.inner()
        return x


def outer():
    nested = Nested()
    # the executing line is not the function's first
    nested.middle()
    [nested.middle() for _ in range(2)]
    (lambda: nested.middle())()


def basic():
    outer()


def deep(n=None):
    n = 70 if n is None else n
    if n > 1:
        deep(n - 1)
    else:
        mark(note())


def shallow():
    for n in (1, 5, 30, 61, 62, 63):  # with this function and the module: 64 at most, then one more
        deep(n)


def produce():
    for _ in range(3):
        mark(note())
        yield
    yield from delegate()


def delegate():
    mark(note())
    yield
    mark_holding(note())


async def asynchronous():
    mark(note())
    await waited_for()
    mark(note())


async def waited_for():
    mark(note())


def generators():
    for _ in produce():
        pass
    list(produce())
    sum(mark(note()) for _ in range(3))
    coroutine = asynchronous()
    try:
        coroutine.send(None)
    except StopIteration:
        pass


def callbacks():
    prototype = ctypes.CFUNCTYPE(ctypes.c_int)

    def called_back():
        mark(note())
        return 0

    def calls_again():
        library.call_back(prototype(called_back))
        return 0

    library.call_back(prototype(called_back))
    library.call_back(prototype(calls_again))
    sorted([3, 1, 2], key=lambda _: mark(note()))


class Sortable:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        mark(note())
        return self.value < other.value


def slots():
    sorted([Sortable(2), Sortable(1), Sortable(3)])


def names():
    for file, function in (("naïve.py", "größe"), ("/tmp/漢字.py", "漢字"), ("/tmp/𐊀.py", "𐊀𐊁"),
                           ("a" * 700 + ".py", "f"), ("long.py", "g" * 300), ("漢" * 300 + ".py", "ü" * 200)):
        scope = {"mark": mark, "note": note}
        exec(compile(f"\n\ndef {function}():\n    pass\n    mark(note())\n\n\n{function}()\n", file, "exec"), scope)


def reused():
    """Code objects that live one after the other, mostly at the same address, and differ in nothing but lines."""
    for i in range(400):
        source = "\n" * (i % 7) + "a = 1\n" + "\n" * (i % 5) + "mark(note())\n" + "\n" * (i % 3) + "b = 2\nmark(note())\n"
        exec(compile(source, "reused.py", "exec"), {"mark": mark, "note": note})


def big():
    """A line table of several pages, and one longer than what is kept."""
    for lines in (900, 30000):
        source = "a = 1\n" * lines + "mark(note())\n" + "a = 1\n" * 10
        exec(compile("mark(note())\n" + source, f"big{lines}.py", "exec"), {"mark": mark, "note": note})


def climb(n, work):
    if n:
        return climb(n - 1, work)
    return work()


def threads(count):
    def one(seed):
        for i in range(count):
            climb((i * 7 + seed) % 23, lambda: mark(note()))
            if i % 5 == 0:
                Nested().middle()

    many = [threading.Thread(target=one, args=(seed,)) for seed in range(6)]
    for thread in many:
        thread.start()
    for thread in many:
        thread.join()


def short_threads():
    """Thread states come and go: those of dead threads must not be taken for living ones."""
    for i in range(200):
        thread = threading.Thread(target=lambda: climb(i % 9, lambda: mark(note())))
        thread.start()
        mark(note())
        thread.join()


def crowd():
    """As short_threads, from several threads at once: states are made and freed while others are looked for."""
    starters = [threading.Thread(target=short_threads) for _ in range(4)]
    for thread in starters:
        thread.start()
    for thread in starters:
        thread.join()


SUB = """
import ctypes, json, sys
sys.argv = {argv!r}
truth = {{}}
mark = ctypes.CDLL(sys.argv[1]).marked_call
mark.argtypes = [ctypes.c_ulong]
number = {first}
def note():
    global number
    number += 1
    frames = []
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        frames.append([code.co_filename, getattr(code, "co_qualname", code.co_name), frame.f_lineno])
        frame = frame.f_back
    truth[number] = frames
    return number
def inside():
    mark(note())
inside()

inside()
with open({out!r}, "w") as file:
    json.dump(truth, file)
"""


def subinterpreters():
    import os
    import tempfile
    try:
        import _interpreters as interpreters
    except ImportError:
        import _xxsubinterpreters as interpreters

    def create():
        if sys.version_info >= (3, 13):
            return interpreters.create("legacy")
        return interpreters.create(isolated=False)

    def run(interpreter, first):
        mark(note())
        handle, out = tempfile.mkstemp()
        os.close(handle)
        source = SUB.format(argv=sys.argv, first=first, out=out)
        if sys.version_info >= (3, 13):
            failure = interpreters.exec(interpreter, source)
            assert failure is None, failure
        else:
            interpreters.run_string(interpreter, source)
        mark(note())
        with open(out) as file:
            truth.update(json.load(file))
        os.unlink(out)

    first, second = create(), create()
    run(first, 1 << 20)
    run(second, 2 << 20)
    run(first, 3 << 20)
    thread = threading.Thread(target=run, args=(second, 4 << 20))
    thread.start()
    thread.join()
    mark(note())


def cost():
    for n in (8, 28):  # and this function and the module
        for _ in range(3000):
            climb(n - 1, lambda: mark(note()))


def main():
    scenario = sys.argv[2]
    print("ready", flush=True)
    sys.stdin.readline()
    if scenario == "threads":
        threads(int(sys.argv[3]))
    else:
        globals()[scenario]()
    json.dump(truth, sys.stdout)


main()
