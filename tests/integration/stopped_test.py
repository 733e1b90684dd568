#!/usr/bin/env python3
"""A SwitchServer that has stopped (not died: it reads nothing and closes nothing) must not take the
manager with it: everybody else is answered, calls over it are refused with the reason, what it could not
be told is owed and paid when it runs again.
"""

import os
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

SERVER = f"xbind-switchserver/{MIDDLE}"
# Short timers, so that the test is over soon; the lease of a session (15 s) stays far away.
MANAGER = {"xbind-cmgr": [(None, "hop-timer-ms", 300), (None, "undo-timer-ms", 300)]}


class Stopped(InOneLab):

    LAB = {"more": MANAGER}

    def signal(self, number):
        os.kill(self.lab.processes[SERVER].pid, number)

    def status(self, name):
        done = tool(self.lab, "xbindctl", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        return counter(done.stdout, name)

    def test_a_stopped_switchserver_hurts_only_its_own_calls(self):
        self.signal(signal.SIGSTOP)
        try:
            done, summary = offer(self.lab, Load(calls=2000, rate=2000), "--drain-timeout", "8")
            # Every call has its answer, and the answer says where.
            self.assertEqual(summary["setups"]["refused"], 2000)
            self.assertEqual(summary["setups"]["unanswered"], 0)
            self.assertIn(MIDDLE, done.stdout)
            # The manager answers others, and knows what it owes.
            self.assertGreater(self.status("owed"), 0)
        finally:
            self.signal(signal.SIGCONT)
        wait_until(lambda: self.status("owed") == 0, "the debts are paid")
        self.assertEqual(self.status("debts_made"), self.status("debts_paid"))
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0, "the audit is clean")
        done, summary = offer(self.lab, Load(calls=200, rate=400))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(summary["releases"]["released"], 200)


if __name__ == "__main__":
    unittest.main()
