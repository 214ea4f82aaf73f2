#!/usr/bin/env python3
"""A recording gives the same report, byte for byte, until a change is intended: one golden file a case.

Recordings: the fixtures in tests/unit/cli/recordings, and those published with the legacy agent where they are
(INGERO_SAMPLES). Each is asked for its report as text and as JSON. An intended change is written with
  INGERO=.../ingero python3 tests/replay/replay_test.py --write
and read in the diff before it is committed.
"""
import glob
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
FIXTURES = os.path.join(os.path.dirname(HERE), "unit", "cli", "recordings")
SAMPLES = os.environ.get("INGERO_SAMPLES", "")
PUBLISHED = ("sample-gpu-node-01", "sample-gpu-node-02", "sample-gpu-node-03", "sample-cluster",
             "pytorch-dataloader-starvation")
INGERO = os.environ.get("INGERO", "ingero")
FORMS = {"golden": ["explain", "--per-process"], "json": ["explain", "--json"]}


def fixtures():
    return sorted(os.path.basename(path)[:-4] for path in glob.glob(os.path.join(FIXTURES, "*.sql")))


def make(name, folder):
    """The recording `name` in `folder`; None: it is not here."""
    path = os.path.join(folder, name + ".db")
    script = os.path.join(FIXTURES, name + ".sql")
    if os.path.exists(script):
        with open(script, encoding="utf-8") as file, sqlite3.connect(path) as database:
            database.executescript(file.read())
        return path
    published = os.path.join(SAMPLES, name + ".db")
    if SAMPLES and os.path.exists(published):
        return shutil.copyfile(published, path)
    return None


def report(name, form, folder):
    # From within the folder: a report names the file as it was given.
    done = subprocess.run([INGERO, *FORMS[form], "--db", name + ".db"], cwd=folder, capture_output=True, check=False,
                          env={"PATH": os.environ.get("PATH", ""), "HOME": folder, "TZ": "UTC"})
    if done.returncode != 0:
        raise AssertionError(f"explain {name}: {done.returncode}, {done.stderr.decode(errors='replace')}")
    return done.stdout


class Replay(unittest.TestCase):
    maxDiff = None

    def compare(self, name):
        with tempfile.TemporaryDirectory(prefix="ingero-replay.") as folder:
            if make(name, folder) is None:
                self.skipTest(f"the recording {name}.db is not here (set INGERO_SAMPLES)")
            for form in FORMS:
                with open(os.path.join(GOLDEN, f"{name}.{form}"), "rb") as file:
                    expected = file.read()
                first, again = report(name, form, folder), report(name, form, folder)
                self.assertEqual(first, again, "the same question, answered differently")
                self.assertEqual(first.decode(), expected.decode())


def add(name):
    setattr(Replay, "test_" + name.replace("-", "_"), lambda self: self.compare(name))


for case in [*fixtures(), *PUBLISHED]:
    add(case)


class Golden(unittest.TestCase):
    def test_every_golden_file_has_its_recording(self):
        cases = {os.path.splitext(name)[0] for name in os.listdir(GOLDEN)}
        self.assertEqual(cases - {*fixtures(), *PUBLISHED}, set())
        self.assertGreaterEqual(len(fixtures()), 4)


def write():
    for name in [*fixtures(), *PUBLISHED]:
        with tempfile.TemporaryDirectory(prefix="ingero-replay.") as folder:
            if make(name, folder) is None:
                print(f"{name}: not here, left as it is")
                continue
            for form in FORMS:
                with open(os.path.join(GOLDEN, f"{name}.{form}"), "wb") as file:
                    file.write(report(name, form, folder))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
