#!/usr/bin/env python3
"""The program of docs/examples/connect.cpp in a lab: it connects, is notified when a line of its
connection is cut, and releases the connection.
"""

import os
import re
import subprocess

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control  # noqa: E402

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
SOURCE = ROOT / "docs" / "examples" / "connect.cpp"
CONNECTED = re.compile(r"connected (\d+), ingress label (\d+/\d+), egress label (\d+/\d+)\n")


class Example:
    """The running program. Killed at the end of the block unless it has ended by itself."""

    def __init__(self, lab, caller, callee):
        self.arguments = [str(BIN / "example-connect"), lab.names_address(), caller, callee]

    def __enter__(self):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(("XBIND_", "ORB", "OMNIORB_"))}
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, text=True,
                                        stderr=subprocess.PIPE, env=clean)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def rest(self):
        """Returns the exit code and the remaining output."""
        written, errors = self.process.communicate(timeout=60)
        return self.process.returncode, written, errors


def tell(lab, switch, port, up):
    control.set_link(lab, control.link_at(lab, switch, port), up)


def xbindctl(lab, *words):
    done = tool(lab, "xbindctl", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class TheExample(unittest.TestCase):

    def play(self, lab, caller, callee, cut, says):
        with Example(lab, caller, callee) as example:
            line = example.process.stdout.readline()
            connected = CONNECTED.fullmatch(line)
            self.assertTrue(connected, line + str(example.rest() if not line else ""))
            connection = connected.group(1)
            self.assertIn(caller, xbindctl(lab, "describe", connection))
            tell(lab, *cut, up=False)
            code, written, errors = example.rest()
            self.assertEqual((code, errors), (0, ""), written)
            self.assertRegex(written, rf"\A{connection} {says}\nreleased {connection}\n\Z")
        tell(lab, *cut, up=True)
        self.assertEqual(counter(xbindctl(lab, "status"), "connections"), 0)
        self.assertIn("clean", xbindctl(lab, "audit"))

    def test_a_connection_that_has_another_way_is_rerouted(self):
        with lab_up(topology=RING) as lab:
            self.play(lab, "node-1", "node-3", ("node-2", 3), r"rerouted: node-2 port 3")

    def test_a_connection_without_another_way_is_broken(self):
        with lab_up() as lab:
            self.play(lab, CALLER, CALLEE, (MIDDLE, 2), rf"broken: {CALLER} -> {CALLEE}")

    def test_refusals_and_wrong_use_have_exit_codes(self):
        with lab_up() as lab:
            with Example(lab, CALLER, "nowhere") as example:
                code, written, errors = example.rest()
                self.assertEqual((code, written), (1, ""), errors)
                self.assertIn("not connected: unknown endpoint at nowhere", errors)
            self.assertEqual(run("example-connect").returncode, 2)

    def test_it_is_short(self):
        self.assertLessEqual(len(SOURCE.read_text().splitlines()), 40)


if __name__ == "__main__":
    unittest.main()
