#!/usr/bin/env python3
"""An emulated switch dies during a run and returns with an empty table (a cold restart).

Every call gets an answer nevertheless. Connections that were up are put back into the switch, the
audit finds no stray entry, and no cell is misdirected.
"""

import signal
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Switch

STANDING = 20  # connections that are never released
CHECKED, CHECK_CELLS = 100, 8  # calls of a run whose cells are checked, and cells of each


def restart_cold(lab):
    """Kills and restarts the middle switch."""
    process = lab.processes[f"xbind-switch/{MIDDLE}"]
    process.signal(signal.SIGKILL)
    wait_until(lambda: not process.alive(), "the switch is dead")
    lab.start(process.name)
    lab.wait_ready(process)


def wait_for_a_clean_audit(lab):
    wait_until(lambda: tool(lab, "xbindctl", "audit").returncode == 0, "the audit is clean")


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
        restart_cold(self.lab)
        calls.join()

        done, summary = answers[0]
        setups, releases = summary["setups"], summary["releases"]
        self.assertEqual(setups["attempted"], 2000, done.stdout)
        self.assertEqual(setups["unanswered"], 0, done.stdout)
        # Calls that came while the switch was away were refused with that reason; the others
        # succeeded.
        self.assertGreater(setups["connected"], 100, done.stdout)
        # A release gets its answer even if the switch could not confirm the removal.
        self.assertEqual(releases["unanswered"], 0, done.stdout)
        wait_for_a_clean_audit(self.lab)
        self.assertEqual(self.switch().table(), standing)


class ColdRestartOverVersion1(ColdRestart):
    """The SwitchServer checks label by label which connections are gone."""

    LAB = {"more": {"xbind-switchserver": [(None, "gsmp-versions", "1")]}}


class CellsOverAColdRestart(InOneLab):

    def cells_in(self):
        """Number of cells that have reached the middle switch from the caller."""
        done = tool(self.lab, "xbindctl", "ports", MIDDLE)
        self.assertEqual(done.returncode, 0, done.stderr)
        row = next(line.split() for line in done.stdout.splitlines() if line.startswith("1 "))
        return int(row[7])

    def test_cells_go_through_a_switch_that_died(self):
        answers = []
        calls = threading.Thread(target=lambda: answers.append(offer(
            self.lab, Load(calls=1500, rate=300, hold=0.5, verify_media=True))))
        calls.start()
        wait_until(lambda: self.cells_in() >= CHECKED * CHECK_CELLS, "the first checks are over")
        restart_cold(self.lab)
        calls.join()

        done, summary = answers[0]
        media = summary["media"]
        self.assertEqual(summary["setups"]["unanswered"], 0, done.stdout)
        self.assertGreaterEqual(media["calls_checked"], CHECKED, done.stdout)
        # Cells in flight to the switch while it was away are lost, but no cell is misdirected.
        for violation in ("wrong_endpoint", "wrong_label", "corrupted", "duplicated",
                          "out_of_order", "after_release"):
            self.assertEqual(media[violation], 0, (violation, done.stdout))
        wait_for_a_clean_audit(self.lab)

        done, summary = offer(self.lab, Load(calls=200, rate=200, seed=2, verify_media=True))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["media"]["cells_received"], summary["media"]["cells_sent"])
        self.assertGreaterEqual(summary["media"]["calls_checked"], CHECKED)
        self.assertTrue(summary["audit"]["clean"])


if __name__ == "__main__":
    unittest.main()
