#!/usr/bin/env python3
"""Follows docs/adding_a_backend.md to the letter: the library is built, the listings are used as they stand, and what the
page says one sees is what is seen.

  walkthrough_test.py INGERO INGERO_WITH_TOY COMPILER

INGERO_WITH_TOY is the program with the page's table compiled in: the same libraries, and backends.def with the page's
line added. Needs no privilege but for the traces, which are skipped without it.
"""
import os
import re
import subprocess
import sys
import tempfile

from extract_listing import listing

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SKIPPED = 77


def run(*command, good=0, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)
    assert done.returncode == good, f"{command}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def shown(page, name):
    """The commands of a shell listing, and what stands below the last of them."""
    lines = listing(page, name).splitlines()
    last = max(i for i, line in enumerate(lines) if line.startswith("$ "))
    return [line[2:] for line in lines if line.startswith("$ ")], lines[last + 1:]


def one_line_outside_its_folder():
    """Nothing outside a backend's folder names it but its line in backends.def; tests, pages and benchmarks may."""
    with open(os.path.join(ROOT, "backends", "backends.def"), encoding="utf-8") as file:
        names = re.findall(r"(?m)^BACKEND\((\w+)\)", file.read())
    assert names
    files = run("git", "-C", ROOT, "ls-files", "-z").stdout.split("\0") if os.path.exists(os.path.join(ROOT, ".git")) else []
    for path in files:
        if not path.endswith((".cc", ".h", ".c", ".txt", ".cmake", ".def")) or path.startswith(("tests/", "docs/", "bench/")):
            continue
        if not os.path.isfile(os.path.join(ROOT, path)):
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            text = file.read()
        for name in names:
            if path.startswith(f"backends/{name}/"):
                continue
            assert f"backends/{name}/" not in text and not re.search(rf"backends::{name}\b", text), f"{path} names {name}"


def main(ingero, with_toy, compiler):
    ingero, with_toy = os.path.abspath(ingero), os.path.abspath(with_toy)
    with open(os.path.join(ROOT, "docs", "adding_a_backend.md"), encoding="utf-8") as file:
        page = file.read()
    one_line_outside_its_folder()
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        for name, text in (("libtoy.c", listing(page, "toy/libtoy.c")), ("program.c", listing(page, "toy/program.c")),
                           ("toy.yaml", listing(page, "toy.yaml"))):
            with open(path(name), "w", encoding="utf-8") as file:
                file.write(text)
        strict = ("-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1")
        run(compiler, *strict, "-shared", "-fPIC", "-Wl,-soname,libtoy.so.1", "-o", path("libtoy.so.1"), path("libtoy.c"))
        run(compiler, *strict, "-o", path("program"), path("program.c"), path("libtoy.so.1"), "-Wl,-rpath," + folder)

        _, names = shown(page, "nm")
        symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", path("libtoy.so.1")).stdout.splitlines()]
        assert sorted(symbols) == names, f"nm says {sorted(symbols)}"
        described = set(re.findall(r"\{name: (\w+)", listing(page, "toy.yaml")))
        assert described < set(symbols) and described == set(symbols) - {"toyVersion"}, sorted(described)

        (change, command), said = shown(page, "mistake")
        run("sh", "-c", change, cwd=folder)
        done = run(ingero, *command.split()[1:], good=2, cwd=folder)
        assert len(said) == 1 and done.stderr.startswith(said[0].removesuffix("...")), done.stderr

        if os.geteuid() != 0 or subprocess.run([ingero, "check"], stdout=subprocess.DEVNULL, check=False).returncode != 0:
            print("tracing needs root and a kernel that can: the traces of the page were left out")
            return SKIPPED
        (trace, query), table = shown(page, "recording")
        assert trace.startswith("sudo ingero ")
        statement = re.search(r'"(.*)"', query).group(1)
        by_manifest = trace.split()[2:]
        compiled = [word for word in by_manifest if word not in ("--backend", "toy.yaml")]
        for program, arguments, database in ((ingero, by_manifest, "toy.db"), (with_toy, compiled, "toy.db")):
            if os.path.exists(path(database)):
                os.remove(path(database))
            run(program, *arguments, cwd=folder)
            seen = run(ingero, "query", database, statement, cwd=folder).stdout.splitlines()
            assert seen == table, "\n".join([" ".join(arguments), *seen])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
