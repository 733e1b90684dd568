#!/usr/bin/env python3
"""The transcripts of the documents are what their commands print.

A fence that begins with ```console holds commands behind "$ " and, below each, its output. The test
types them one after another, and compares what is printed with what is written. Numbers that differ
from run to run (times, ids, ports, percentages) compare as "#", blanks as one blank; a line of
"..." stands for any lines. An output that takes a moment to come is asked for again.

    transcript_test.py --write   writes into the documents what the commands print now
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from reader import Reader

DOCUMENTS = ["docs/operating.md"]
PATIENCE_S = 40  # for an output that is asked for again
# A command whose output is asked for again until it contains this. By the comment behind it.
UNTIL = re.compile(r"# until: (.*)$")
FENCE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step:
    """A command and the output that is written below it."""

    def __init__(self, command):
        self.command = command
        self.written = []

    def until(self):
        found = UNTIL.search(self.command)
        return found.group(1) if found else None


def steps_of(text):
    steps = []
    for line in text.splitlines():
        if line.startswith("$ "):
            steps.append(Step(line[2:]))
        else:
            steps[-1].written.append(line)
    return steps


def alike(line):
    """The line without what differs from run to run."""
    line = re.sub(r"\d[\d.,:T-]*Z?", "#", line)
    return re.sub(r"\s+", " ", line).strip()


def matches(printed, written):
    """Whether the lines are as they are written; "..." stands for any lines, also for none."""
    if not written:
        return not printed
    if written[0] == "...":
        return any(matches(printed[skip:], written[1:]) for skip in range(len(printed) + 1))
    return bool(printed) and printed[0] == written[0] and matches(printed[1:], written[1:])


def lines_of(text):
    return [alike(line) for line in text.rstrip("\n").splitlines()]


def types_until(reader, command, good):
    """Types the command until good(output), for a while; returns its last output."""
    command, printed = UNTIL.sub("", command).strip(), []

    def typed():
        printed[:] = [reader.types(command)[1]]
        return good(printed[0])
    with contextlib.suppress(AssertionError):
        wait_until(typed, command, PATIENCE_S)
    return printed[0]


class Transcripts(unittest.TestCase):

    def reader(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-reader-")))
        self.addCleanup(run, ROOT / "deploy" / "lab", "down", "--state-dir", folder / "lab")
        return Reader(folder)

    def test_what_is_written_is_printed(self):
        for document in DOCUMENTS:
            fences = FENCE.findall((ROOT / document).read_text())
            self.assertNotEqual(fences, [], document)
            for fence in fences:
                reader = self.reader()
                for step in steps_of(fence):
                    written = [alike(line) for line in step.written]
                    printed = types_until(
                        reader, step.command,
                        lambda text, step=step, written=written:
                        step.until() is None or matches(lines_of(text), written))
                    self.assertTrue(matches(lines_of(printed), written),
                                    f"{document}: $ {step.command}\nprints\n{printed}"
                                    f"and not\n" + "\n".join(step.written))

    def test_a_difference_is_seen(self):
        written = [alike(line) for line in ["3 calls", "...", "the last  12:30"]]
        self.assertTrue(matches(lines_of("20 calls\none\nthe last 1\n"), written))
        self.assertTrue(matches(lines_of("20 calls\nthe last 1\n"), written))
        self.assertFalse(matches(lines_of("20 calls\none\nthe first 1\n"), written))
        self.assertFalse(matches(lines_of("20 calls up\nthe last 1\n"), written))
        self.assertFalse(matches(lines_of(""), written))


def rewritten(fence, reader):
    """The fence with what its commands print now. Lines that "..." stands for stay out."""
    out = []
    for step in steps_of(fence):
        wanted = step.until()
        printed = types_until(reader, step.command,
                              lambda text, wanted=wanted: wanted is None or wanted in text)
        lines = printed.rstrip("\n").splitlines()
        keep = step.written.index("...") if "..." in step.written else None
        if keep is not None:
            tail = len(step.written) - keep - 1
            lines = [*lines[:keep], "...", *(lines[len(lines) - tail:] if tail else [])]
        out += [f"$ {step.command}", *(line.rstrip() for line in lines)]
    return "\n".join(out) + "\n"


def write():
    for document in DOCUMENTS:
        path = ROOT / document
        with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
            reader = Reader(Path(folder))
            try:
                text = FENCE.sub(
                    lambda found, reader=reader:
                    f"```console\n{rewritten(found.group(1), reader)}```", path.read_text())
            finally:
                run(ROOT / "deploy" / "lab", "down", "--state-dir", Path(folder) / "lab")
        path.write_text(text)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
