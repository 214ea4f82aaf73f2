#!/usr/bin/env python3
"""Files, folders and functions that the pages name exist, and links lead somewhere: a page about what is gone misleads."""
import functools
import glob
import os
import re
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOMS = ("base|hal|backends|bpf|symbols|kernelside|correlate|store|report|serve|fleet|agent|cli|tests|docs|bench|tools|cmake|"
         "deploy")
NAMED = re.compile(rf"`((?:{ROOMS})/[A-Za-z0-9_./-]*)`")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")
MEMBER = re.compile(r"`((?:\w+::)*(\w+)::(\w+))(?:\(\))?`")
FUNCTION = re.compile(r"`(\w+)\(\)`")
CODE = (".c", ".cc", ".h", ".def", ".py")
MESSAGES = re.compile(r"^<!-- messages: .*?^<!-- end of messages -->", re.DOTALL | re.MULTILINE)
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


@functools.lru_cache(maxsize=None)
def sources():
    texts = []
    for room in ROOMS.split("|"):
        for path in sorted(glob.glob(os.path.join(ROOT, room, "**", "*"), recursive=True)):
            if path.endswith(CODE) and os.path.isfile(path) and os.path.abspath(__file__) != path:
                with open(path, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
    return texts


def missing_functions_in(text):
    missing = []
    for whole, owner, member in MEMBER.findall(text):
        defined = re.compile(rf"\b{owner}::{member}\b")
        declares = re.compile(rf"\b(?:class|struct|namespace|enum) (?:\w+ )*{owner}\b")
        within = re.compile(rf"\b{member}\b")
        if not any(defined.search(one) or (declares.search(one) and within.search(one)) for one in sources()):
            missing.append(whole)
    for name in FUNCTION.findall(text):
        called = re.compile(rf"\b{name}\s*\(")
        if not any(called.search(one) for one in sources()):
            missing.append(name + "()")
    return missing


def explained_messages(text):
    """First cells of the table of messages, without the back quotes."""
    return [message for table in MESSAGES.findall(text) for message in re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)]


def missing_messages_in(messages):
    """Messages that no source file prints; "..." and brackets in them are what varies."""
    joined = [re.sub(r'"\s*"', "", one) for one in sources()]
    return [message for message in messages
            if not any(all(part in one for part in filter(None, map(str.strip, re.split(r"\.\.\.|[()]", message))))
                       for one in joined)]


def keys_missing_in(page, source):
    """Keys that a source file prints of an event, or of its collective, and the page does not name."""
    wanted = re.findall(r'out\["(\w+)"\]', source)
    named = {part for cell in re.findall(r"^\| (`[^|]*) \|", page, re.MULTILINE) for key in re.findall(r"`([^`]+)`", cell)
             for part in (key, key.removeprefix("collective."))}
    return sorted(set(wanted) - named)


class Pages(unittest.TestCase):
    def test_keys_that_trace_prints_are_in_its_page(self):
        with open(os.path.join(ROOT, "docs", "formats", "trace_json.md"), encoding="utf-8") as file:
            page = file.read()
        with open(os.path.join(ROOT, "report", "event_json.cc"), encoding="utf-8") as file:
            source = file.read()
        self.assertGreater(source.count('out["'), 30, "the pattern no longer finds what is printed")
        self.assertEqual(keys_missing_in(page, source), [])

    def test_a_key_that_the_page_lacks_is_found(self):
        self.assertEqual(keys_missing_in("| `pid`, `collective.rank` | x |", 'out["pid"] out["rank"] out["port"]'), ["port"])

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

    def test_functions_that_pages_name_exist(self):
        named = 0
        for page in pages():
            with open(page, encoding="utf-8") as file:
                text = file.read()
            named += len(MEMBER.findall(text)) + len(FUNCTION.findall(text))
            with self.subTest(page=os.path.relpath(page, ROOT)):
                self.assertEqual(missing_functions_in(text), [])
        self.assertGreater(named, 5, "the pattern no longer finds what pages name")

    def test_a_function_that_is_gone_is_found(self):
        text = ("`FunctionNames::join`, `FunctionNames::join_" + "gone`, `ingero::Gone" + "Class::join()`, `printable()`, "
                "`no_such_" + "function()`")
        self.assertEqual(missing_functions_in(text),
                         ["FunctionNames::join_gone", "ingero::GoneClass::join", "no_such_function()"])

    def test_messages_that_the_readme_explains_are_printed(self):
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            messages = explained_messages(file.read())
        self.assertGreaterEqual(len(messages), 10, "the pattern no longer finds the table of messages")
        self.assertEqual(missing_messages_in(messages), [])

    def test_a_message_that_is_gone_is_found(self):
        self.assertEqual(missing_messages_in(["not an SQLite database", "not an " + "SQLite spoon"]), ["not an SQLite spoon"])

    def test_a_file_that_is_gone_is_found(self):
        self.assertEqual(missing_in(os.path.join(ROOT, "x.md"), "see `hal/gone.cc`, `hal/loss.h`, [it](docs/no.md)"),
                         ["hal/gone.cc", "docs/no.md"])


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
