#!/usr/bin/env python3
"""Runs the end-to-end tests: real probes, real programs, a real recording.

  run.py --list [--shared]            the tests' names, one a line (those of --exactness are left out); or only of those that
                                      others may run next to
  run.py --build DIR [--sanitized] [--keep] NAME...   runs them; status 0 passed, 1 failed, 77 skipped (one name)
  run.py --build DIR --exactness      the full-size runs: a million calls and more for each attach mechanism

A skipped test prints a line "SKIP: reason". Standard library only.
"""
import argparse
import sys
import time
import traceback

import annotations
import causes
import cluster
import collectives
import devices
import discovery
import exactness
import filters
import foreign
import harness
import hostside
import inference
import lifetime
import merging
import metrics
import mixed_host
import otlp
import page
import privileges
import programs_32bit
import released
import stacks
import steady
import timelines
import times
import vendors
import verbs
import waits
import whole

MODULES = (exactness, times, lifetime, discovery, foreign, filters, hostside, metrics, devices, mixed_host, vendors, verbs,
           collectives, cluster, stacks, steady, causes, annotations, inference, timelines, merging, otlp, page, privileges,
           programs_32bit, released, waits, whole)
SKIPPED = 77


def tests(which):
    """By name. TESTS are a module's tests; SHARED those of them that count and compare, and neither bound a time nor ask who
    had a CPU: other tests may run next to them. FULL are too long for a test run."""
    return {test.__name__: test for module in MODULES for test in getattr(module, which, ())}


def run_one(name, test, options):
    build = harness.Build(options.build, options.sanitized)
    begin = time.monotonic()
    result = 1
    try:
        harness.need_root()
        test(build)
        print(f"PASS: {name} ({time.monotonic() - begin:.1f} s)")
        result = 0
    except harness.Skip as reason:
        print(f"SKIP: {reason}")
        result = SKIPPED
    except harness.Failure as failure:
        print(f"FAIL: {name}: {failure}")
    except Exception:  # noqa: a broken test is a failed test
        print(f"FAIL: {name}: {traceback.format_exc()}")
    sys.stdout.flush()
    if not options.keep:
        build.remove()
    return result


def main():
    parser = argparse.ArgumentParser(description="End-to-end tests of ingero.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build")
    parser.add_argument("--sanitized", action="store_true", help="the agent is slow: do not judge its times")
    parser.add_argument("--keep", action="store_true", help="leave the tests' files in BUILD/tests/e2e")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--shared", action="store_true")
    parser.add_argument("--exactness", action="store_true")
    options = parser.parse_args()
    found = tests("FULL" if options.exactness else "SHARED" if options.shared else "TESTS")
    if options.list:
        print("\n".join(found))
        return 0
    if options.build is None:
        parser.error("--build is missing")
    names = options.names or list(found)
    unknown = [name for name in names if name not in found]
    if unknown:
        parser.error(f"no such test: {' '.join(unknown)}")
    results = [run_one(name, found[name], options) for name in names]
    if len(results) > 1:
        print(f"{results.count(0)} passed, {results.count(1)} failed, {results.count(SKIPPED)} skipped")
    if 1 in results:
        return 1
    return SKIPPED if 0 not in results else 0


if __name__ == "__main__":
    sys.exit(main())
