#!/usr/bin/env python3
"""Clients that use idl/ alone, with ORBs by others: JacORB, OpenJDK's ORB and omniORBpy.

java/Connect.java and python/connect.py are the same program and must print the same lines. The test
downloads the ORBs into XBIND_FOREIGN_DIR (default: a temporary folder) unless they are there. It
skips an ORB that it cannot download or run, and says NOT TESTED with the reason (README.md).
"""

import os
import queue
import re
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "integration"))
# pylint: disable=wrong-import-position
import orbs  # noqa: E402
from cut_test import RING, cut, mend, metric, xbindctl  # noqa: E402
from harness import InOneLab, main  # noqa: E402

LABEL = r"\d+/\d+"
ENDS = rf"ingress {LABEL} egress {LABEL}"
PROTOCOL = 14

# The lines that a client prints in the lab of the paper, as regular expressions.
PLAINLY = [
    rf"protocol version {PROTOCOL}",
    r"route over host-a, switch-1, host-b",
    r'no route: cause 2 at "nowhere", asked 0, free 0: .*',
    r"video takes \d+ cells/s and \d+ cells of buffer",
    r"voice: loss ratio \d+, delay \d+",
    r"unknown service",
    rf"connected, {ENDS}",
    *(line for rate in (100, 200) for line in (
        rf"phase 4, condition 0, host-a -> host-b, {rate} cells/s",
        rf"leg 0 hop 0 host-a: port 1 label {LABEL} -> port 2 label {LABEL}",
        rf"leg 0 hop 1 switch-1: port 1 label {LABEL} -> port 2 label {LABEL}",
        rf"leg 0 hop 2 host-b: port 2 label {LABEL} -> port 1 label {LABEL}")),
    r"listed true",
    r"released, 0 removals owed",
    r"unknown connection true",
    rf"connected, {ENDS}, back {ENDS}",
    r"remembered true",
    r"released, 0 removals owed",
    r"held true, ingress none egress none",
    rf"held false, {ENDS}",
    r"released, 0 removals owed",
    r'refused, cause 2 at "nowhere", asked 0, free 0: .*',
    r'refused, cause 4 at "host-a -> host-b", asked 16777215, free 353207: .*',
    r"bad request: .*\b0\b.*",
    r"audit clean, 0 connections",
]


def in_a_session(calls, noticed=()):
    """The lines of a session with `calls` connections; `noticed`: the lines about notices."""
    return [
        rf"version mismatch, offered {PROTOCOL + 1}, supported {PROTOCOL}",
        r"attached",
        rf"{calls} connections, {calls // 5} both ways, {calls} ingress labels, "
        rf"{calls} egress labels",
        r'refused true, cause 2 at "nowhere", asked 0, free 0: .*',
        *noticed,
        rf"{calls} released, 0 removals owed",
        r"detached",
    ]


class OfEachOrb(InOneLab):
    """Runs the same check with each client."""

    clients = {}  # function of orbs.py: its Client, or the SkipTest that it has raised

    def test_jacorb(self):
        self.check(self.client(orbs.jacorb))

    def test_openjdk(self):
        self.check(self.client(orbs.openjdk))

    def test_omniorbpy(self):
        self.check(self.client(orbs.omniorbpy))

    def client(self, build):
        if build not in self.clients:
            try:
                self.clients[build] = build(FOLDER)
            except unittest.SkipTest as reason:
                self.clients[build] = reason
        if isinstance(self.clients[build], unittest.SkipTest):
            raise self.clients[build]
        return self.clients[build]

    def check(self, client):
        raise NotImplementedError

    def assert_lines(self, lines, expected):
        for line, pattern in zip(lines, expected):
            self.assertRegex(line, rf"^{pattern}$", "\n".join(lines))
        self.assertEqual(len(lines), len(expected), "\n".join(lines))

    def assert_nothing_is_left(self):
        self.assertEqual(metric(self.lab, "connections"), 0)
        self.assertIn("clean", xbindctl(self.lab, "audit"))


class Plainly(OfEachOrb):
    """Two-way calls, one after the other."""

    def check(self, client):
        with Running(client, self.lab, "host-a", "host-b", "plain") as running:
            lines = running.to_its_end()
        self.assert_lines(lines, PLAINLY)
        connected = lines.index(next(line for line in lines if line.startswith("connected, ")))
        ingress, egress = re.findall(LABEL, lines[connected])
        self.assertIn(f": port 1 label {ingress} -> ", lines[connected + 2])
        self.assertTrue(lines[connected + 4].endswith(f" -> port 1 label {egress}"), lines)
        self.assert_nothing_is_left()

    def test_refusals_have_a_reason(self):
        """Refusal.reason is "a sentence for people": a client has no other source of one."""
        client = self.client(orbs.omniorbpy)
        with Running(client, self.lab, "host-a", "host-b", "plain") as running:
            lines = running.to_its_end()
        refusals = [line for line in lines if line.startswith(("refused, ", "no route: "))]
        self.assertEqual(len(refusals), 3, lines)
        for line in refusals:
            self.assertRegex(line, r", free \d+: \w+")


class InSessions(OfEachOrb):
    """Sessions with batches both ways, while links go down and come up."""

    LAB = {"topology": RING}
    CALLS = 100

    def tearDown(self):
        mend(self.lab, "node-2", 3)
        mend(self.lab, "node-3", 1)

    def check(self, client):
        noticed = [
            r"waiting for rerouted", r'rerouted: "node-2 port 3"',
            r"waiting for broken", r'broken: cause 30 at "node-3 port 1", asked 0, free 0: .*',
            r"waiting for mended", r'mended: ""',
        ]
        with Running(client, self.lab, "node-2", "node-3", "session", self.CALLS,
                     "rerouted", "broken", "mended") as running:
            lines = running.until("waiting for rerouted")
            cut(self.lab, "node-2", 3)
            lines += running.until("waiting for broken")
            cut(self.lab, "node-3", 1)  # the callee's access line: no other path exists
            lines += running.until("waiting for mended")
            mend(self.lab, "node-3", 1)
            lines += running.to_its_end()
        self.assert_lines(lines, in_a_session(self.CALLS, noticed))
        self.assert_nothing_is_left()


class WithFaults(OfEachOrb):
    """Sessions whose manager drops, repeats and reorders what it sends to the client."""

    FAULTS = {"loss": 0.3, "duplicate": 0.5, "reorder": 0.3, "fault-legs": "manager_to_client"}
    LAB = {"more": {"xbind-cmgr": [(None, name, value) for name, value in FAULTS.items()]}}
    CALLS = 200  # of the 992 labels of a port: released labels stay in quarantine for seconds

    def check(self, client):
        with Running(client, self.lab, "host-a", "host-b", "session", self.CALLS) as running:
            lines = running.to_its_end()
        self.assert_lines(lines, in_a_session(self.CALLS))
        held_back, repeats, again = re.search(
            r"(\d+) held back, (\d+) repeats dropped, (\d+) sent again", running.errors).groups()
        print(f"{held_back} held back, {repeats} repeats dropped, {again} sent again")
        # Any number: chance decides which messages are lost.
        self.assertGreater(int(held_back) + int(repeats) + int(again), 0, "no fault was injected")
        self.assert_nothing_is_left()


class Running:
    """A client process, its standard output as lines. The end of the block kills it."""

    def __init__(self, client, lab, *words):
        self.command = [str(word) for word in [*client.command, lab.names_address(), *words]]
        self.environment = {**{name: value for name, value in os.environ.items()
                               if not name.startswith(("XBIND_", "ORB", "OMNIORB_"))},
                            **client.environment}
        self.lines = queue.Queue()
        self.errors = ""

    def __enter__(self):
        self.child = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=self.environment)
        self.readers = [threading.Thread(target=self.read_lines),
                        threading.Thread(target=self.read_errors)]
        for reader in self.readers:
            reader.start()
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        for reader in self.readers:
            reader.join()
        self.child.stdout.close()
        self.child.stderr.close()

    def read_lines(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def read_errors(self):
        self.errors = self.child.stderr.read()

    def until(self, last):
        """Reads the lines up to and including `last`."""
        lines = []
        while not (lines and lines[-1] == last):
            lines.append(self.next_line())
            assert lines[-1] is not None, self.trouble(f"ended before '{last}'", lines[:-1])
        return lines

    def to_its_end(self):
        """Reads the remaining lines; asserts the exit code 0."""
        lines = list(iter(self.next_line, None))
        code = self.child.wait(timeout=20)
        assert code == 0, self.trouble(f"ended with {code}", lines)
        return lines

    def next_line(self):
        return self.lines.get(timeout=90)

    def trouble(self, what, lines):
        self.readers[1].join()
        return "\n".join([f"{self.command[-4:]} {what}:", *lines, self.errors])


def setUpModule():
    global FOLDER  # pylint: disable=global-statement
    folder = os.environ.get("XBIND_FOREIGN_DIR")
    if folder is None:
        folder = unittest.enterModuleContext(tempfile.TemporaryDirectory(prefix="xbind-foreign-"))
    FOLDER = Path(folder).resolve()


FOLDER = None
del OfEachOrb  # abstract: unittest must not collect it


if __name__ == "__main__":
    main()
