#!/usr/bin/env python3
"""Files and folders that the pages name exist, and links lead somewhere: a page about a file that is gone misleads."""
import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = "base|hal|backends|bpf|symbols|kernelside|correlate|store|serve|fleet|cli|tests|docs|bench|tools|cmake|deploy"
NAMED = re.compile(rf"`((?:{ROOMS})/[A-Za-z0-9_./-]*)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
# The worked example is written by the reader, not kept in the tree; the rule that names deploy/ came before the folder.
NOT_IN_THE_TREE = ("backends/toy/", "deploy/")


def pages():
    found = glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    return sorted(found + glob.glob(os.path.join(ROOT, "*.md")))


def missing_in(page, text):
    missing = []
    for named in NAMED.findall(text):
        if not named.startswith(NOT_IN_THE_TREE) and not os.path.exists(os.path.join(ROOT, named)):
            missing.append(named)
    for link in LINK.findall(text):
        if not os.path.exists(os.path.join(os.path.dirname(page), link)):
            missing.append(link)
    return missing


class Pages(unittest.TestCase):
    def test_files_that_pages_name_exist(self):
        self.assertGreaterEqual(len(pages()), 5)
        named = 0
        for page in pages():
            with open(page, encoding="utf-8") as file:
                text = file.read()
            named += len(NAMED.findall(text))
            with self.subTest(page=os.path.relpath(page, ROOT)):
                self.assertEqual(missing_in(page, text), [])
        self.assertGreater(named, 30, "the pattern no longer finds what pages name")

    def test_a_file_that_is_gone_is_found(self):
        self.assertEqual(missing_in(os.path.join(ROOT, "x.md"), "see `hal/gone.cc`, `hal/loss.h`, [it](docs/no.md)"),
                         ["hal/gone.cc", "docs/no.md"])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
