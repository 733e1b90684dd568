#!/usr/bin/env python3
"""An emulated switch dies in the middle of a run and comes back with an empty table (a cold restart).

Every call has an answer all the same, the connections that were up are put back into the switch, and
the audit finds nothing astray.
"""

import signal
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Switch

STANDING = 20  # connections that nobody releases


class ColdRestart(InOneLab):

    def switch(self):
        return Switch(switch_address(self.lab, MIDDLE))

    def test_the_connections_of_a_switch_that_died_are_put_back(self):
        for _ in range(STANDING):
            done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE)
            self.assertEqual(done.returncode, 0, done.stderr)
        standing = self.switch().table()
        self.assertEqual(len(standing), STANDING)

        answers = []
        calls = threading.Thread(
            target=lambda: answers.append(offer(self.lab, Load(calls=2000, rate=400, hold=0.5))))
        calls.start()
        wait_until(lambda: len(self.switch().table()) > STANDING + 50, "calls are up")
        process = self.lab.processes[f"xbind-switch/{MIDDLE}"]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "the switch is dead")
        self.lab.start(process.name)
        self.lab.wait_ready(process)
        calls.join()

        done, summary = answers[0]
        setups, releases = summary["setups"], summary["releases"]
        self.assertEqual(setups["attempted"], 2000, done.stdout)
        self.assertEqual(setups["unanswered"], 0, done.stdout)
        # Whoever came while the switch was away was told so; the others got through.
        self.assertGreater(setups["connected"], 100, done.stdout)
        # A release whose delete the switch could not confirm has its answer too.
        self.assertEqual(releases["unanswered"], 0, done.stdout)
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0, "the audit is clean")
        self.assertEqual(self.switch().table(), standing)


if __name__ == "__main__":
    unittest.main()
