"""Prints the line tables of every code object of some modules, and what the interpreter reads in them, as JSON:
[[first line, table in hex, [[start, end, line or null], ...]], ...]; offsets in bytes. CPython 3.9 and later.
"""
import argparse
import dataclasses
import dis
import enum
import inspect
import json
import subprocess
import sys
import threading
import types
import typing

EDGES = '''
def far():
    x = 1
{gap}
    y = (x +
         2 +
         far(
         ))
    return [i for i in range(
        y) if
        i]
class C: pass
async def a():
    async with b() as c, \\
            d():
        await c
    try:
        raise X
    except Y as e:
        pass
    finally:
        z()
match = lambda: (yield)
'''


def all_code(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from all_code(constant)


def lines_of(code):
    if sys.version_info >= (3, 10):
        return [list(part) for part in code.co_lines() if part[0] != part[1]]
    starts = list(dis.findlinestarts(code))
    ends = [start for start, _ in starts[1:]] + [len(code.co_code)]
    lines = [[start, end, line] for (start, line), end in zip(starts, ends)]
    if lines and lines[0][0] > 0:
        lines.insert(0, [0, lines[0][0], code.co_firstlineno])
    return lines


def main():
    found = []
    sources = [(EDGES.format(gap="\n" * gap), f"edges{gap}") for gap in (0, 100, 1000, 70000)]
    for module in (argparse, dataclasses, enum, inspect, subprocess, threading, typing):
        with open(module.__file__, encoding="utf-8") as file:
            sources.append((file.read(), module.__file__))
    for source, name in sources:
        for code in all_code(compile(source, name, "exec")):
            table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
            found.append([code.co_firstlineno, table.hex(), lines_of(code)])
    json.dump(found, sys.stdout)


main()
