#!/usr/bin/env python3
"""Checks that each promise of docs/reliability.md names a test, and that each named test exists."""

import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "reliability.md"
HEADING = "Held by:"
PROMISE = re.compile(r"^\*\*(.+?)\*\*\n(.*?)(?:\n\n|\Z)", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:unit|sim|integration)/[\w/]+\.(?:cpp|py)$")


def promises(text):
    """Yields each promise (bold) with what holds it: a list of (file, name)."""
    for bold, rest in PROMISE.findall(text):
        held, file = [], None
        if rest.startswith(HEADING):
            for word in re.findall(r"`([^`]+)`", rest):
                if FILE.match(word):
                    file = word
                else:
                    held.append((file, word))
        yield " ".join(bold.split()), held


def has_test(source, name):
    """Whether a test file has `test_x`, `Suite.Name`, or a simulator's check `check_x`."""
    suite, dot, test = name.partition(".")
    if dot:
        return re.search(rf"\bTEST(_[FP])?\(\s*{suite},\s*{test}\)", source) is not None
    return re.search(rf"(\bdef |::){name}\(", source) is not None


def faults(text, read):
    """Sentences about promises without a test and tests that do not exist. `read` returns the text
    of a file below tests/, or None."""
    found = list(promises(text))
    if len(found) < 15:
        yield f"{len(found)} promises were read; has the form of the document changed?"
    for promise, held in found:
        if not held:
            yield f"nothing holds the promise '{promise}'"
        for file, name in held:
            source = read(file) if file else None
            if source is None:
                yield f"there is no tests/{file}, which is to hold '{promise}'"
            elif not has_test(source, name):
                yield f"tests/{file} has no {name}"


def read_test(file):
    path = ROOT / "tests" / file
    return path.read_text() if path.is_file() else None


class Promises(unittest.TestCase):

    def test_each_names_tests_that_exist(self):
        self.assertEqual(list(faults(DOCUMENT.read_text(), read_test)), [])

    def test_a_missing_test_is_reported(self):
        document = ("**One.**\nHeld by: `unit/a_test.cpp` `Suite.Name`,\n`Suite.Other`, "
                    "`integration/b_test.py`\n`test_x`.\n\n**Two.**\nText.\n\n"
                    "**Three.**\nHeld by: `sim/c.cpp` `check_y`.\n")
        files = {"unit/a_test.cpp": "TEST_F(Suite,\n       Name) {", "integration/b_test.py":
                 "    def test_x(self):", "sim/d.cpp": ""}
        self.assertEqual(list(faults(document, files.get))[1:], [
            "tests/unit/a_test.cpp has no Suite.Other",
            "nothing holds the promise 'Two.'",
            "there is no tests/sim/c.cpp, which is to hold 'Three.'"])

    def test_a_name_is_a_whole_one(self):
        self.assertTrue(has_test("void World::check_y() {", "check_y"))
        self.assertFalse(has_test("  check_y();", "check_y"))
        self.assertFalse(has_test("TEST(Suite, NameOfMore) {", "Suite.Name"))


if __name__ == "__main__":
    sys.exit(unittest.main())
