#!/usr/bin/env python3
"""The audit, second part: a ledger that has lost a label, and one with a wrong port account. The
middle SwitchServer is tampered-switchserver, which falsifies its ledger on a signal.
"""

import os
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVER = f"xbind-switchserver/{MIDDLE}"


class Tamper(unittest.TestCase):

    def setUp(self):
        self.lab = self.enterContext(planned_lab())
        with planning(self.lab):
            self.lab.processes[SERVER].command[0] = str(BIN / "tampered-switchserver")
            self.lab.start_all(lambda text: None)
        done = tool(self.lab, "xbindctl", "audit")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def tamper(self, number):
        server = self.lab.processes[SERVER]
        os.kill(server.pid, number)
        wait_until(lambda: "tampered: " in server.log_tail(50), "the ledger is tampered with")

    def run_is_unclean(self, key, amount, words):
        done, summary = offer(self.lab, Load(calls=50, rate=500))
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(summary["setups"]["connected"], 50)
        self.assertFalse(summary["audit"]["clean"])
        self.assertEqual(summary["audit"][key], amount)
        for word in words:
            self.assertIn(word, done.stdout)
        done = tool(self.lab, "xbindctl", "audit")
        self.assertEqual(done.returncode, 1, done.stdout)
        for word in words:
            self.assertIn(word, done.stdout)

    def repair(self):
        done = tool(self.lab, "xbindctl", "repair")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done, summary = offer(self.lab, Load(calls=50, rate=500))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(summary["audit"]["clean"])

    def test_a_withheld_label_is_named_and_repaired(self):
        self.tamper(signal.SIGUSR1)
        self.run_is_unclean("leaked_labels", 1, ["leaked label", f"{MIDDLE} port 2"])
        self.repair()

    def test_a_falsified_bandwidth_is_named_and_repaired(self):
        self.tamper(signal.SIGUSR2)
        self.run_is_unclean("leaked_bandwidth_cells_per_s", 1234,
                            ["leaked bandwidth", f"{MIDDLE} port 2", "1234"])
        self.repair()


if __name__ == "__main__":
    unittest.main()
