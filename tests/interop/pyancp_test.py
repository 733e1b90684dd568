#!/usr/bin/env python3
"""Our adjacency with PyANCP's, a foreign implementation of the protocol that grew from GSMP's.

PyANCP is downloaded from PyPI into XBIND_INTEROP_DIR (default: a temporary folder) unless it is
there. Without the network or Python's venv the test says NOT TESTED. README.md lists the
adaptations that the two need.
"""

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "integration"))
from harness import main  # noqa: E402  # pylint: disable=wrong-import-position

BIN = Path(os.environ.get("XBIND_BIN_DIR", ROOT / "build" / "bin")).resolve()
PYANCP = "PyANCP==0.1.7"
OUR_TIMER = 1  # in 100 ms: many periods in a short time
ACKS_TO_SEE = 20  # each answers one of ours, and we send one in each period


class PyAncp(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        folder = os.environ.get("XBIND_INTEROP_DIR")
        if folder is None:
            folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="xbind-interop-"))
        cls.python = python_with_pyancp(Path(folder) / "venv")

    def test_the_adjacency_comes_up_and_stays(self):
        with Process(BIN / "adjacency_master", OUR_TIMER) as master:
            with self.node(master) as node:
                before = master.until("state ESTAB")
                self.assertIn("state SYNSENT", before)
                self.assertEqual(master.line(), "up 01:02:03:04:05:06 version 3 pflag 1")
                self.assertEqual(node.line(), "established")
                self.stays_up(master)

    def test_a_node_that_goes_without_a_word_and_comes_back(self):
        with Process(BIN / "adjacency_master", OUR_TIMER) as master:
            for _ in range(3):
                with self.node(master) as node:
                    master.until("state ESTAB")
                    self.stays_up(master, acks=3)
                    node.say("close")
                    said = master.until("closed ")
                    self.assertTrue(any(line.startswith("down ") for line in said), said)

    def test_a_node_that_resets_the_link(self):
        with Process(BIN / "adjacency_master", OUR_TIMER) as master:
            with self.node(master) as node:
                master.until("state ESTAB")
                self.stays_up(master, acks=3)
                node.say("disconnect")
                said = master.until("down ")
                self.assertTrue(any("adjacency RSTACK" in line for line in said), said)
                master.until("closed ")
            with self.node(master):
                master.until("state ESTAB")
                self.stays_up(master, acks=3)

    def test_many_nodes_one_after_another(self):
        with Process(BIN / "adjacency_master", OUR_TIMER) as master:
            for _ in range(5):
                with self.node(master) as node:
                    master.until("state ESTAB")
                    self.assertEqual(node.line(), "established")
                    node.say("close")
                    master.until("closed ")

    def stays_up(self, master, acks=ACKS_TO_SEE):
        seen = 0
        while seen < acks:
            line = master.line()
            self.assertRegex(line,
                             r"^(received adjacency (SYN|SYNACK|ACK) from 01:02:03:04:05:06 |up )",
                             "the adjacency did not stay")
            seen += line.startswith("received adjacency ACK ")

    @contextlib.contextmanager
    def node(self, master):
        host, _, port = master.address.rpartition(":")
        with Process(self.python, "-B", Path(__file__).with_name("pyancp_node.py"), host, port,
                     ready=False) as node:
            yield node


class Process:
    """A child process, its standard output as lines. The end of the block ends it."""

    def __init__(self, *command, ready=True):
        self.command = [str(word) for word in command]
        self.ready = ready
        self.address = ""

    def __enter__(self):
        self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self.read)
        self.reader.start()
        if self.ready:
            self.address = self.line().rpartition(" listening on ")[2]
        return self

    def __exit__(self, *_):
        self.child.send_signal(signal.SIGTERM)
        self.child.wait(timeout=20)
        self.reader.join()
        self.child.stdin.close()
        self.child.stdout.close()

    def read(self):
        for line in self.child.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put("(ended)")

    def line(self):
        return self.lines.get(timeout=30)

    def until(self, beginning):
        """The lines up to and including the one with that beginning."""
        seen = []
        while not (seen and seen[-1].startswith(beginning)):
            seen.append(self.line())
            if seen[-1] == "(ended)":
                raise AssertionError(f"ended before '{beginning}': {seen}")
        return seen

    def say(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()


def python_with_pyancp(venv):
    """The Python of a virtual environment that has PyANCP."""
    python = venv / "bin" / "python"
    has_it = [str(python), "-c", "import ancp.client"]
    if not (python.exists() and subprocess.run(has_it, capture_output=True,
                                               check=False).returncode == 0):
        for step in ([sys.executable, "-m", "venv", "--clear", str(venv)],
                     [str(python), "-m", "pip", "install", "--quiet", "--no-deps",
                      "--disable-pip-version-check", "--retries", "1", PYANCP]):
            try:
                done = subprocess.run(step, capture_output=True, text=True, timeout=180,
                                      check=False)
            except subprocess.TimeoutExpired:
                raise unittest.SkipTest(f"NOT TESTED: '{' '.join(step)}' took too long") from None
            if done.returncode != 0:
                last = (done.stderr.strip() or done.stdout.strip() or "no word").splitlines()[-1]
                raise unittest.SkipTest(f"NOT TESTED: PyANCP cannot be had here: {last}")
    found = subprocess.run([str(python), "-m", "pip", "show", "PyANCP"], capture_output=True,
                           text=True, timeout=60, check=True).stdout
    version = re.search(r"^Version: (.*)$", found, re.MULTILINE).group(1)
    assert PYANCP == f"PyANCP=={version}", f"{venv} has PyANCP {version}"
    return python


if __name__ == "__main__":
    main()
