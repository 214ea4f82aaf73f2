#!/usr/bin/env python3
"""Runs one of this folder's browser tests, or says why it cannot: run.py INGERO TEST [ARGUMENTS].

Status 77, after a line "SKIP: reason", where node, the browser, what drives it, or the recordings are missing.
"""
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def missing(node_only):
    if shutil.which("node") is None:
        return "node is not installed (make page)"
    if node_only:
        return None
    if not os.path.isdir(os.path.join(HERE, "node_modules", "playwright-core")):
        return "playwright-core is not installed (make page)"
    if not os.path.exists(os.environ.get("CHROMIUM", "/usr/bin/chromium")):
        return "chromium is not installed (make page)"
    return None


def samples():
    given = os.environ.get("INGERO_SAMPLES") or os.path.join(HERE, "..", "..", "..", "shared", "data")
    return given if os.path.exists(os.path.join(given, "sample-cluster.db")) else None


def main():
    ingero, test, *arguments = sys.argv[1:]
    reason = missing("NODE_ONLY" in arguments)
    if reason is None and "SAMPLES" in arguments and samples() is None:
        reason = "the published recordings are not here (set INGERO_SAMPLES)"
    if reason is not None:
        print(f"SKIP: {reason}")
        return 77
    arguments = [samples() if one == "SAMPLES" else one for one in arguments]
    return subprocess.run(["node", os.path.join(HERE, test), ingero, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
