#!/usr/bin/env python3
"""A switch that its SwitchServer has lost, or whose SwitchServer is gone, is *unknown*: its lines
may carry cells, but new calls avoid it. The ring of six gives each pair of nodes a second path:

    node-1:2 == 2:node-2:3 == 2:node-3:3 == 2:node-4:3 == 2:node-5:3 == 2:node-6:3 == 3:node-1
"""

import os
import re
import signal
import subprocess
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control  # noqa: E402

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
# Short timers, so that the test is over soon.
TIMERS = {
    "xbind-routeobject": [(None, "switch-lost-ms", 300), (None, "switch-silent-ms", 4000),
                          (None, "switch-trust-ms", 1000)],
    "xbind-switchserver": [(None, "report-refresh-ms", 500)],
    "xbind-cmgr": [(None, "hop-timer-ms", 500), (None, "undo-timer-ms", 500)],
}
NOBODY_THERE = ["127.0.0.1:1", "no-such-switch.invalid:6068"]


class Unknown(InOneLab):

    LAB = {"topology": RING, "more": TIMERS}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.lonely = [cls.start_lonely(number, switch)
                      for number, switch in enumerate(NOBODY_THERE)]

    @classmethod
    def start_lonely(cls, number, switch):
        """Starts a SwitchServer whose switch never appears; returns its log."""
        log = cls.lab.options.state_dir / f"lonely-{number}.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                [BIN / "xbind-switchserver", "--name", f"lonely-{number}", "--switch", switch,
                 "--name-service", cls.lab.names_address()],
                stdout=output, stderr=output, stdin=subprocess.DEVNULL,
                env=cls.lab.daemon_environment())
        cls.addClassCleanup(process.wait)
        cls.addClassCleanup(process.terminate)
        return log

    def ctl(self, *words):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def connect(self, *ends):
        return connection_of(tool(self.lab, "xbindctl", "connect", *ends))

    def describe(self, connection):
        return self.ctl("describe", connection)

    def way(self, connection):
        return re.findall(r"^  hop \d+ +(\S+)", self.describe(connection), re.MULTILINE)

    def status(self, name):
        return counter(self.ctl("status"), name)

    def links(self, node=None):
        """The states of all links, or of one node's links."""
        rows = re.findall(r"^(\S+):\d+ +(\S+):\d+ +(\w+)", self.ctl("links"), re.MULTILINE)
        return {state for first, second, state in rows if node in (None, first, second)}

    def kill(self, process):
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), f"{process.name} is dead")

    def start_again(self, process):
        self.lab.start(process.name)
        self.lab.wait_ready(process)

    def assert_refused(self, from_end, to_end, switch):
        refused = tool(self.lab, "xbindctl", "connect", from_end, to_end)
        self.assertEqual(refused.returncode, 1, refused.stdout)
        self.assertIn(f"switch unreachable at {switch}", refused.stdout + refused.stderr)

    def line(self, switch, port, state):
        """Changes one end of a line: only this switch notices."""
        process = self.lab.process_of("xbind-switch", switch)
        self.assertEqual(control.tell(process, [f"@{switch} line {port} {state}"]), ["ok"])

    def all_is_well(self):
        wait_until(lambda: self.links() == {"up"}, "all links are up")

    def test_a_stopped_switch_is_left_and_comes_back(self):
        over = self.connect("node-1", "node-3")
        at_end = self.connect("node-2", "node-5")
        by_itself = self.connect("node-2", "node-1")
        self.assertIn("node-2", self.way(over))
        for connection in (at_end, by_itself):
            self.assertNotIn("unknown", self.describe(connection))
        before = {name: self.status(name) for name in ("unknown", "broken", "connections")}
        answers = []
        calls = threading.Thread(target=lambda: answers.append(
            offer(self.lab, Load(calls=150, rate=150, hold=12.0), "--drain-timeout", "30")))
        calls.start()
        wait_until(lambda: self.status("connections") == before["connections"] + 150,
                   "calls are up")
        switch = self.lab.process_of("xbind-switch", "node-2")
        suspend(switch.pid)
        try:
            wait_until(lambda: self.links("node-2") == {"unknown"}, "its links are unknown")
            self.assertRegex(self.ctl("links"),
                             "node-2: state unknown, no SwitchServer has controlled it "
                             r"for \d+\.\d s")
            self.assertEqual(self.links("node-5"), {"up"})
            # Connections with another path leave the switch.
            wait_until(lambda: "node-2" not in self.way(over), "the connection goes round it")
            self.assertIn("rerouted    1 time", self.describe(over))
            self.assertEqual(self.way(self.connect("node-1", "node-3")),
                             ["node-1", "node-6", "node-5", "node-4", "node-3"])
            # Connections without one are unknown, but not broken.
            wait_until(lambda: "unknown     node-2: " in self.describe(at_end),
                       "its own connection is unknown")
            self.assertNotIn("broken", self.describe(at_end))
            self.assertGreater(self.status("unknown"), before["unknown"])
            self.assertEqual(self.status("broken"), before["broken"])
            self.assert_refused("node-2", "node-5", "node-2")
            shown = self.ctl("ports", "node-2")
            self.assertEqual({line.split()[1] for line in shown.splitlines()[1:4]}, {"unknown"})
            self.assertIn("node-2 is unknown: its SwitchServer has not controlled it for", shown)
            # A neighbour reports its line as down, so the line is down.
            self.line("node-1", 2, "down")
            wait_until(lambda: self.links("node-2") == {"unknown", "down"}, "one link is down")
            down = "port 2 is down, no other path was found"
            wait_until(lambda: down in self.describe(by_itself),
                       "the connection over it is broken")
            self.line("node-1", 2, "up")
            wait_until(lambda: "unknown     node-2: " in self.describe(by_itself),
                       "it is unknown again")
        finally:
            os.kill(switch.pid, signal.SIGCONT)
        self.all_is_well()
        for connection in (at_end, by_itself):
            wait_until(lambda: "unknown" not in self.describe(connection), "nothing is unknown")
        calls.join()
        done, summary = answers[0]
        self.assertEqual(summary["setups"]["connected"], 150, done.stdout)
        self.assertEqual(summary["releases"]["unanswered"], 0, done.stdout)
        # Any number: it depends on which calls are up at that moment.
        for notice in ("rerouted", "broken", "mended", "unknown"):
            self.assertGreater(summary["notices"][notice], 0, done.stdout)
        # The removals owed at the switch are done.
        wait_until(lambda: self.status("owed") == 0, "the debts are paid")
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean")

    def test_b_killed_switch_is_left_and_comes_back_empty(self):
        over = self.connect("node-4", "node-6")
        self.assertIn("node-5", self.way(over))
        switch = self.lab.process_of("xbind-switch", "node-5")
        self.kill(switch)
        wait_until(lambda: self.links("node-5") == {"unknown"}, "its links are unknown")
        wait_until(lambda: "node-5" not in self.way(over), "the connection goes round it")
        self.start_again(switch)
        self.all_is_well()
        wait_until(lambda: self.status("owed") == 0, "the debts are paid")
        # Other ends than before: managers keep the detour until its validity time is over.
        self.assertEqual(self.way(self.connect("node-6", "node-4")), ["node-6", "node-5", "node-4"])
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean")

    def test_c_killed_switchserver_leaves_its_switch_unknown(self):
        over = self.connect("node-2", "node-4")
        at_end = self.connect("node-3", "node-6")
        self.assertIn("node-3", self.way(over))
        server = self.lab.process_of("xbind-switchserver", "node-3")
        self.kill(server)
        wait_until(lambda: self.links("node-3") == {"unknown"}, "its links are unknown")
        wait_until(lambda: "node-3" not in self.way(over), "the connection goes round it")
        wait_until(lambda: "unknown     node-3: " in self.describe(at_end), "the other cannot")
        self.assert_refused("node-6", "node-3", "node-3")
        ports = tool(self.lab, "xbindctl", "ports", "node-3")
        self.assertEqual(ports.returncode, 1, ports.stdout)
        self.assertIn("the ports of node-3 are unknown", ports.stderr)
        self.start_again(server)
        self.all_is_well()
        wait_until(lambda: "unknown" not in self.describe(at_end), "nothing is unknown")

    def test_a_switch_that_is_never_met_is_logged_again_and_again(self):
        for number, switch in enumerate(NOBODY_THERE):
            with self.subTest(switch):
                said = lambda: re.findall(  # noqa: E731
                    rf"the switch at {re.escape(switch)} has not been reached for (\S+) s: (.*); "
                    "retrying", self.lonely[number].read_text())
                wait_until(lambda: len(said()) > 1, "it has been said twice")
                self.assertRegex(said()[0][1], "refused|resolve")
                shown = self.ctl("ports", f"lonely-{number}")
                self.assertRegex(shown, f"lonely-{number} is unknown: its SwitchServer has not "
                                        r"reached it for \d+\.\d s")


class WithoutAField(unittest.TestCase):

    def test_unknown_is_a_word_of_the_contracts(self):
        """A client with the IDL alone can distinguish it from "broken" and "drained"."""
        manager = (ROOT / "idl" / "connection_manager.idl").read_text()
        router = (ROOT / "idl" / "route_object.idl").read_text()
        self.assertIn("notice_unknown", manager)
        self.assertRegex(router, r"struct LinkState \{[^}]*\bunknown;")
        self.assertRegex(router, r"const UnusableReason unusable_unknown = \d;")


if __name__ == "__main__":
    unittest.main()
