#!/usr/bin/env python3
"""The transcripts of the documents are what their commands print.

A fence that begins with ```console holds commands behind "$ " and, below each, its output. The test
types them one after another, and compares output and exit code with what is written
(transcripts.py says what is not compared). A line of "..." stands for any lines. An output that
takes a moment to come is asked for again.

    transcript_test.py --write   writes into the documents what the commands print now
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

from documents import documents, fences
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from reader import Reader
from transcripts import *  # pylint: disable=wildcard-import,unused-wildcard-import

PATIENCE_S = 40  # for an output that is asked for again


def transcripts():
    """(document, fence) of every transcript."""
    return [(name, fence) for name in documents(ROOT)
            for fence in FENCE.findall((ROOT / name).read_text())]


def types_until(reader, step, good):
    """Types the command; where the document says so, again until good(code, output), for a while.
    Returns its last exit code and output."""
    last = [0, ""]

    def typed():
        last[:] = reader.types(step.command)
        return step.until is None or good(*last)
    with contextlib.suppress(AssertionError):
        wait_until(typed, step.command, PATIENCE_S)
    return last


class Transcripts(unittest.TestCase):

    def reader(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-reader-")))
        self.addCleanup(run, ROOT / "deploy" / "lab", "down", "--state-dir", folder / "lab")
        return Reader(folder)

    def test_what_is_written_is_printed(self):
        self.assertNotEqual(transcripts(), [])
        for document, fence in transcripts():
            reader = self.reader()
            for step in steps_of(fence):
                code, printed = types_until(reader, step, step.is_printed)
                self.assertTrue(step.is_printed(code, printed),
                                f"{document}: $ {step.line}\nends with {code} and prints\n{printed}"
                                f"and not with {step.code} and\n" + "\n".join(step.written))

    def test_a_prompt_stands_in_no_other_fence(self):
        wrong = [f"{name}:{first}" for name in documents(ROOT)
                 for first, language, lines in fences((ROOT / name).read_text())
                 if language != "console" and any(line.startswith("$ ") for line in lines)]
        self.assertEqual(wrong, [])


class Comparison(unittest.TestCase):

    def test_a_difference_is_seen(self):
        written = [alike(line) for line in ["3 calls", "...", "the last  0.5 us"]]
        self.assertTrue(matches(lines_of("3 calls\none\nthe last 12.0 us\n"), written))
        self.assertTrue(matches(lines_of("3 calls\nthe last 1.0 us\n"), written))
        self.assertFalse(matches(lines_of("20 calls\none\nthe last 1.0 us\n"), written))
        self.assertFalse(matches(lines_of("3 calls\none\nthe first 1.0 us\n"), written))
        self.assertFalse(matches(lines_of("3 calls up\nthe last 1.0 us\n"), written))
        self.assertFalse(matches(lines_of(""), written))

    def test_facts_are_compared(self):
        for printed, written in (
                ("3 of 20 calls; the next page: --after 1099511627779",
                 "3 of 0 calls; the next page: --after 1099511627779"),
                ("3 of 20 calls; the next page: --after 1099511627779",
                 "3 of 20 calls; the next page: --after 1099511627778"),
                ("switches    6, of them 0 unknown", "switches    6, of them 6 unknown"),
                ("clean: 6 switches, 20 connections", "clean: 0 switches, 20 connections"),
                ("links       6, of them 0 not up", "links       6, of them 1 not up"),
                ("connections 20, in the last 2.0 s:", "connections 0, in the last 2.0 s:"),
                ("rates       setups 0.0/s, connected 0.0/s", "rates       setups 9.0/s, "
                 "connected 0.0/s"),
                ("The lab is down: 17 processes ended.", "The lab is down: 0 processes ended."),
                ("20", "0"),
                ("Console: http://127.0.1.1:9480/", "Console: http://127.0.1.1:9481/"),
                ("1  node-3  up  100  3  0", "1  node-3  up  100  2  0"),
                ("done, batch of 1 command  527.0  425.4", "done, batch of 2 commands 527.0 425.4"),
        ):
            self.assertNotEqual(alike(printed), alike(written))

    def test_what_differs_from_run_to_run_is_not(self):
        for one, other in (
                ("up since 2026-11-26 10:20:19 UTC", "up since 2027-01-02 03:04:05 UTC"),
                ("call 1099511627796, trace f81e0f74bd79961b0000010000000014, since "
                 "2026-11-26 10:20:19.564432 UTC",
                 "call 2199023255572, trace 081e0f74bd79961b0000020000000014, since "
                 "2026-11-27 11:20:19.000000 UTC"),
                ("cmgr/default#1795688418: acknowledged", "cmgr/default#1795864740: acknowledged"),
                ("Console: http://127.0.1.1:9480/", "Console: http://127.0.7.1:9480/"),
                ("20 connected, ingress label 0/51", "20 connected, ingress label 0/32"),
                ("xbind-switch/a (pid 7) is ready", "xbind-switch/a (pid 28624) is ready"),
                ("ledger node-3   527.0     16.2", "ledger node-3 1527.0 6.2"),
                ("done   1014.2 us   1116.6 us", "done   1.2 us   116.6 us")):
            self.assertEqual(alike(one), alike(other))

    def test_exit_codes_are_compared(self):
        step, = steps_of("$ false  # exit code 1\n")
        self.assertEqual((step.command, step.code, step.until), ("false", 1, None))
        self.assertTrue(step.is_printed(1, ""))
        self.assertFalse(step.is_printed(0, ""))
        step, = steps_of("$ audit | cut -f 1  # until: UNKNOWN  # exit code 5\nUNKNOWN\n")
        self.assertEqual((step.command, step.code, step.until), ("audit | cut -f 1", 5, "UNKNOWN"))
        self.assertFalse(step.is_printed(0, "UNKNOWN\n"))
        self.assertFalse(steps_of("$ true\n")[0].is_printed(1, ""))

    def test_a_reader_sees_the_code_of_a_program_in_a_pipe(self):
        with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
            reader = Reader(Path(folder))
            self.assertEqual(reader.types("(echo one; exit 5) | cut -c 1"), (5, "o\n"))
            self.assertEqual(reader.types("yes | head -1"), (0, "y\n"))
            self.assertEqual(reader.types("VALUE=7"), (0, ""))
            self.assertEqual(reader.types('test "$VALUE" = 8')[0], 1)

    def test_a_reader_writes_into_no_home(self):
        with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
            reader = Reader(Path(folder))
            home = reader.types("echo $HOME")[1]
            self.assertEqual(reader.types("echo ~/here"), (0, f"{folder}/here\n"))
            self.assertEqual(reader.types("echo $HOME")[1], home)


def rewritten(fence, reader):
    """The fence with what its commands print now. Lines that "..." stands for stay out."""
    out = []
    for step in steps_of(fence):
        code, printed = types_until(reader, step, lambda _, text, step=step: step.until in text)
        lines = printed.rstrip("\n").splitlines()
        keep = step.written.index("...") if "..." in step.written else None
        if keep is not None:
            tail = len(step.written) - keep - 1
            lines = [*lines[:keep], "...", *(lines[len(lines) - tail:] if tail else [])]
        ended = f"  # exit code {code}" if code else ""
        out += [f"$ {step.line}{ended}", *(line.rstrip() for line in lines)]
    return "\n".join(out) + "\n"


def write():
    for document in sorted({name for name, _ in transcripts()}):
        path = ROOT / document

        def shown(found):
            with tempfile.TemporaryDirectory(prefix="xbind-reader-") as folder:
                try:
                    return f"```console\n{rewritten(found.group(1), Reader(Path(folder)))}```"
                finally:
                    run(ROOT / "deploy" / "lab", "down", "--state-dir", Path(folder) / "lab")
        path.write_text(FENCE.sub(shown, path.read_text()))


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write()
    else:
        unittest.main()
