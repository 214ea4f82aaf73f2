#!/usr/bin/env python3
"""Takes a listing out of a page, so that what the page shows is what is compiled.

  extract_listing.py PAGE.md NAME OUT

The listing is the code block between "<!-- listing: NAME -->" and "<!-- end of listing -->".
"""
import os
import re
import sys


def listing(page, name):
    found = re.findall(rf"<!-- listing: {re.escape(name)} -->\n```\w*\n(.*?)```\n<!-- end of listing -->", page, re.DOTALL)
    if len(found) != 1:
        raise SystemExit(f"extract_listing: the page holds {len(found)} listings of {name}, not one")
    return found[0]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source:
        text = listing(source.read(), sys.argv[2])
    os.makedirs(os.path.dirname(sys.argv[3]), exist_ok=True)
    with open(sys.argv[3], "w", encoding="utf-8") as target:
        target.write(text)
