#!/usr/bin/env python3
"""Counts the probes that `ingero check --json` puts on a single-stepped instruction of one library, and names them.

single_stepped.py LIBRARY < check.json. A probe that could be moved to a cheaper instruction has been moved by the
resolver (hal/prologue.h); what is listed here is what had to stay, with the instruction that keeps it.
"""
import json
import os
import sys


def main():
    wanted = os.stat(sys.argv[1])
    for file in json.load(sys.stdin)["libraries"]:
        try:
            same = os.path.samestat(os.stat(file["path"]), wanted)
        except OSError:
            same = False
        if not same:
            continue
        probed = [row for row in file["rows"] if row["state"] == "resolved"]
        stepped = [row for row in probed if row.get("single_stepped")]
        print(f"{file['path']} ({file['library']}): {len(stepped)} of {len(probed)} probes single-stepped")
        for row in stepped:
            print(f"  {row.get('symbol') or row.get('name')}: {row.get('instruction', 'unknown')}")


if __name__ == "__main__":
    main()
