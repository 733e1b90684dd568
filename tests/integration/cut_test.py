#!/usr/bin/env python3
"""Links are cut, mended and drained under connections that are up, in a ring of six switches, where
each connection has another path in the other direction.

    node-1:2 == 2:node-2:3 == 2:node-3:3 == 2:node-4:3 == 2:node-5:3 == 2:node-6:3 == 3:node-1
"""

import re
import signal
import tempfile
import threading
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control  # noqa: E402
from plain_host import Host

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
VIOLATIONS = ["lost", "duplicated", "wrong_endpoint", "wrong_label", "corrupted", "after_release"]


def cut(lab, switch, port):
    control.set_link(lab, control.link_at(lab, switch, port), False)


def mend(lab, switch, port):
    control.set_link(lab, control.link_at(lab, switch, port), True)


def xbindctl(lab, *words):
    done = tool(lab, "xbindctl", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def switches_of(lab, connection):
    """The switches of a connection's path, as its manager reports them."""
    return re.findall(r"^  hop \d+ +(\S+)", xbindctl(lab, "describe", connection), re.MULTILINE)


def metric(lab, name):
    return counter(xbindctl(lab, "status"), name)


class Ring(InOneLab):
    LAB = {"topology": RING}

    def tearDown(self):
        for switch, port in (("node-2", 3), ("node-5", 3), ("node-3", 1)):
            mend(self.lab, switch, port)
        wait_until(lambda: "down" not in xbindctl(self.lab, "links"), "all links are up again")

    def between(self, ends, condition, **load):
        """Offers a load and calls `ends` once `condition` holds; returns the load's result."""
        answers = []
        calls = threading.Thread(target=lambda: answers.append(offer(self.lab, Load(**load))))
        calls.start()
        wait_until(condition, "calls are up")
        ends()
        calls.join()
        return answers[0]

    def assert_clean(self, done, summary):
        self.assertEqual(summary["setups"]["unanswered"], 0, done.stdout)
        self.assertEqual(summary["releases"]["unanswered"], 0, done.stdout)
        self.assertTrue(summary["audit"]["clean"], done.stdout)

    def test_calls_leave_a_link_that_is_cut(self):
        connections = lambda: metric(self.lab, "connections") > 150  # noqa: E731
        done, summary = self.between(lambda: cut(self.lab, "node-2", 3), connections,
                                     calls=1500, rate=300, hold=1.0, verify_media=True)
        self.assert_clean(done, summary)
        self.assertEqual(summary["setups"]["connected"], 1500, done.stdout)
        self.assertGreater(summary["notices"]["rerouted"], 10, done.stdout)
        self.assertEqual(summary["notices"]["broken"], 0, done.stdout)
        for violation in VIOLATIONS:  # cells on the link when it was cut are lost
            if violation != "lost":
                self.assertEqual(summary["media"][violation], 0, (violation, done.stdout))
        # With the link down no cell goes there, and every cell arrives.
        done, summary = offer(self.lab, Load(calls=300, rate=300, seed=2, verify_media=True))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["media"]["cells_received"], summary["media"]["cells_sent"])
        self.assertEqual(summary["notices"]["rerouted"], 0, done.stdout)

    def test_calls_leave_a_link_that_is_drained_without_losing_a_cell(self):
        connections = lambda: metric(self.lab, "connections") > 150  # noqa: E731
        done, summary = self.between(lambda: xbindctl(self.lab, "drain", "node-5", "3"),
                                     connections, calls=1500, rate=300, hold=1.0, seed=3,
                                     verify_media=True)
        try:
            self.assert_clean(done, summary)
            self.assertEqual(summary["setups"]["connected"], 1500, done.stdout)
            self.assertGreater(summary["notices"]["rerouted"], 10, done.stdout)
            for violation in VIOLATIONS:
                self.assertEqual(summary["media"][violation], 0, (violation, done.stdout))
        finally:
            xbindctl(self.lab, "undrain", "node-5", "3")

    def test_a_tree_stays_on_a_path_that_is_down_and_is_listed(self):
        # No other test has these ends: a cached route of an earlier test may go the long way.
        tree = connection_of(tool(self.lab, "xbindctl", "connect", "node-4", "node-5"))
        xbindctl(self.lab, "add-leaf", tree, "node-6")
        other = connection_of(tool(self.lab, "xbindctl", "connect", "node-1", "node-2"))
        cut(self.lab, "node-5", 3)
        why = "a call with several destinations does not move to another path"
        wait_until(lambda: f"its path is down at node-5 port 3: {why}"
                   in xbindctl(self.lab, "explain", tree), "the tree is broken")
        self.assertIn(f"broken      node-5 port 3 is down, {why}",
                      xbindctl(self.lab, "describe", tree))
        # As the advice of the alarm calls-without-path says.
        advised = re.search(r"`xbindctl (calls [^`]+)`",
                            xbindctl(self.lab, "explain", "calls-without-path"))[1]
        self.assertEqual(xbindctl(self.lab, *advised.split(), "--ids").split(), [tree])
        mend(self.lab, "node-5", 3)
        wait_until(lambda: xbindctl(self.lab, *advised.split(), "--ids") == "", "it is mended")
        for call in (tree, other):
            xbindctl(self.lab, "release", call)

    def test_a_connection_without_another_path_is_broken_until_it_is_mended(self):
        connected = tool(self.lab, "xbindctl", "connect", "node-2", "node-3")
        connection = connection_of(connected)
        cut(self.lab, "node-5", 3)
        # Otherwise the connection may use that path for a moment, before the Router has the news.
        wait_until(lambda: "down" in xbindctl(self.lab, "links"), "RouteObject knows it")
        cut(self.lab, "node-2", 3)
        describe = lambda: xbindctl(self.lab, "describe", connection)  # noqa: E731
        wait_until(lambda: "broken      node-2 port 3 is down" in describe(), "it is broken")
        refused = tool(self.lab, "xbindctl", "connect", "node-2", "node-3")
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn("no route", refused.stdout + refused.stderr)
        mend(self.lab, "node-5", 3)
        wait_until(lambda: "rerouted    1 time" in describe(), "it goes the other way")
        self.assertNotIn("broken", describe())
        self.assertEqual(switches_of(self.lab, connection),
                         ["node-2", "node-1", "node-6", "node-5", "node-4", "node-3"])
        # There is no path around the callee's access line.
        cut(self.lab, "node-3", 1)
        wait_until(lambda: "broken      node-3 port 1 is down" in describe(), "it is broken again")
        mend(self.lab, "node-3", 1)
        wait_until(lambda: "broken" not in describe(), "it is mended")
        xbindctl(self.lab, "release", connection)
        self.assertIn("clean", xbindctl(self.lab, "audit"))

    def test_a_routeobject_that_was_started_anew_hears_of_it_too(self):
        connection = connection_of(tool(self.lab, "xbindctl", "connect", "node-2", "node-3"))
        process = self.lab.processes["xbind-routeobject"]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "it is dead")
        cut(self.lab, "node-2", 3)
        self.lab.start(process.name)
        self.lab.wait_ready(process)
        wait_until(lambda: len(switches_of(self.lab, connection)) == 6, "it goes the other way")
        xbindctl(self.lab, "release", connection)
        self.assertIn("clean", xbindctl(self.lab, "audit"))


    def test_a_drain_outlives_its_routeobject(self):
        def drained():
            return re.findall(r"(?m)^(\S+) +\S+ +drained ", xbindctl(self.lab, "links"))

        xbindctl(self.lab, "drain", "node-5", "3")
        connection = connection_of(tool(self.lab, "xbindctl", "connect", "node-4", "node-6"))
        try:
            process = self.lab.processes["xbind-routeobject"]
            process.signal(signal.SIGKILL)
            wait_until(lambda: not process.alive(), "it is dead")
            self.lab.start(process.name)
            self.lab.wait_ready(process)
            self.assertEqual(drained(), ["node-5:3"])
        finally:
            xbindctl(self.lab, "undrain", "node-5", "3")
        self.assertEqual(drained(), [])
        self.assertNotIn("node-5", switches_of(self.lab, connection))
        xbindctl(self.lab, "release", connection)


class NoCellIsLostOrDoubled(unittest.TestCase):

    def test_while_a_connection_goes_round_the_ring(self):
        """The test waits for each cell at the far end, so that no cell is late for reasons of its
        own. Meanwhile the links are drained one after the other, and the connection moves each
        time."""
        with tempfile.TemporaryDirectory() as directory:
            ring = Path(directory) / "ring.toml"
            ring.write_text(RING.read_text().replace(
                "endpoint = true", 'endpoint = true\nmedia = { cells = "plain" }'))
            with lab_up(topology=ring) as lab:
                done = tool(lab, "xbindctl", "connect", "node-1", "node-3")
                connection = connection_of(done)
                ingress, egress = [tuple(int(part) for part in label) for label in
                                   re.findall(r"label (\d+)/(\d+)", done.stdout)]
                caller, callee = Host(lab.endpoints["node-1"]), Host(lab.endpoints["node-3"])
                self.addCleanup(caller.close)
                self.addCleanup(callee.close)
                sent = 0
                reroutes = 0
                for drained, other in ((("node-2", "3"), "node-6"), (("node-6", "3"), "node-2"),
                                       (("node-1", "2"), "node-6")):
                    xbindctl(lab, "drain", *drained)
                    reroutes += 1
                    after = 0
                    # Cells that the new path carries while the old one is removed.
                    while after < 200:
                        caller.send(ingress, sent)
                        self.assertEqual(callee.receive(egress, 5.0), sent, "the next one, once")
                        sent += 1
                        if after or (sent % 20 == 0
                                     and f"rerouted    {reroutes} time"
                                     in xbindctl(lab, "describe", connection)):
                            after += 1
                    self.assertIn(other, switches_of(lab, connection))
                    xbindctl(lab, "undrain", *drained)
                self.assertIsNone(callee.receive(egress, 0.2), "and none twice")
                xbindctl(lab, "release", connection)
                caller.send(ingress, sent)
                self.assertIsNone(callee.receive(egress, 0.2), "nothing goes on after the release")
                self.assertIn("clean", xbindctl(lab, "audit"))


if __name__ == "__main__":
    unittest.main()
