#!/usr/bin/env python3
"""Reports functions of headers that no program calls.

  test_only_members.py

What no program calls is not the program's: a test that needs it tests its own window. A name counts
as used if it stands anywhere in our sources beside its own declaration.
"""

import re
import sys
from collections import Counter

import class_guard
import tidy_test
from weak_tests import blank_comments

# Why a test may have it for itself.
ALLOWED = {
    "has_output": "the peer of tests/interop, a program, asks before it writes",
    "take_due": "core/event_queue.hpp serves simulators, and those of tests deliver what is due",
    "open_calls": "a run's report exists at its end only, and its tests look before",
    "profiles": "memory that is never given back shows only in the count of what is in use",
}
# Breaks a ledger on purpose; a program of tests/integration is linked with it.
ALLOWED_FILES = {"switchserver/ledger_tamper.hpp"}


def names_in(text):
    return Counter(re.findall(r"[A-Za-z_]\w*", blank_comments(text)))


def offences(sources):
    """(path, line, name, whether tests call it) for each function. `sources`: path -> text."""
    ours, of_tests = Counter(), Counter()
    for path, text in sources.items():
        (of_tests if path.startswith("tests/") else ours).update(names_in(text))
    headers = {path: text for path, text in sources.items()
               if path.endswith(".hpp") and not path.startswith("tests/")}
    for tag in class_guard.read_tags(headers):
        name = tag["name"]
        if (tag["kind"] in ("function", "prototype") and re.fullmatch(r"[a-z]\w*", name)
                and ours[name] == 1 and tag["path"] not in ALLOWED_FILES and name not in ALLOWED):
            yield tag["path"], tag["line"], name, of_tests[name] > 0


def main():
    sources = {name: tidy_test.read(name) for name in tidy_test.code_files()
               if name.endswith((".hpp", ".cpp"))}
    wrong = list(offences(sources))
    for path, line, name, tested in wrong:
        print(f"{path}:{line}: {name}() is called by {'tests alone' if tested else 'nobody'}")
    declared = Counter()
    for path, text in sources.items():
        if not path.startswith("tests/"):
            declared.update(names_in(text))
    stale = [name for name in ALLOWED if declared[name] != 1]
    for name in stale:
        print(f"tests/tidy/test_only_members.py: {name} needs no exception")
    return 1 if wrong or stale else 0


if __name__ == "__main__":
    sys.exit(main())
