#!/usr/bin/env python3
"""What the last run of ctest skipped, and why.

  skips.py BUILD     prints each reason once, with the number of tests that gave it

A test of Python says "... skipped 'REASON'", one of GoogleTest says REASON behind "Skipped".
"""

import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

GOOGLETEST = re.compile(r"^\S+:\d+: Skipped$")


def skips(log):
    """{reason: [names of ctest entries]} from the text of LastTest.log."""
    found = defaultdict(list)
    entry, reason_follows = "?", False
    for line in log.splitlines():
        if begun := re.match(r"^\d+/\d+ Testing: (\S+)$", line):
            entry = begun.group(1)
        elif reason_follows:
            found[line.strip() or "no reason given"].append(entry)
        elif said := re.search(r"\bskipped (['\"].*['\"])$", line):
            found[ast.literal_eval(said.group(1))].append(entry)
        reason_follows = bool(GOOGLETEST.match(line))
    return found


def lines(found):
    """A line for each reason, the commonest first."""
    for reason, entries in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        names = sorted(set(entries))
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{len(entries):4} skipped: {reason} ({names[0]}{more})"


def main(words):
    if len(words) != 1:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    log = Path(words[0]) / "Testing" / "Temporary" / "LastTest.log"
    for line in lines(skips(log.read_text(errors="replace"))):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
