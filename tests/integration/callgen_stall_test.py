#!/usr/bin/env python3
"""A server that is stopped for half a second (SIGSTOP) makes every caller of that time wait, and
callgen's percentiles must show it. A closed loop, which sends after the last answer, would see one
slow call. Also: a run whose manager is killed ends in order.
"""

import os
import signal
import threading
import time

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from running_load import Run

MANAGER = "xbind-cmgr"
RATE = 1000.0


def slower_than(histogram, ms):
    return sum(count for highest, count in histogram["buckets"] if highest >= ms * 1e6)


class Stall(InOneLab):

    def stall(self, name, run):
        """Stops a process for half a second of the run; returns the duration in seconds."""
        pid = self.lab.processes[name].pid
        run.wait_for(0.5)
        suspend(pid)
        try:
            begin = time.monotonic()
            with run.changed:
                since = run.elapsed
            run.wait_for(since + 0.7)  # the last line may be 0.15 s old
            length = time.monotonic() - begin
        finally:
            os.kill(pid, signal.SIGCONT)
        self.assertGreaterEqual(length, 0.5)
        return length

    def test_the_percentiles_contain_a_stall(self):
        for name in (MANAGER, f"xbind-switchserver/{MIDDLE}"):
            with self.subTest(name):
                run = Run(self.lab, Load(calls=4000, rate=RATE, hold=0.05, seed=5))
                length = self.stall(name, run)
                text, summary = run.finish()
                # The verdict need not be OK: on a busy machine the generator may be late as well.
                self.assertEqual(summary["setups"]["unanswered"], 0, text)
                self.assertEqual(summary["setups"]["connected"], 4000, text)
                latency = summary["setup_latency_us"]
                self.assertGreaterEqual(latency["max"], (length - 0.05) * 1e6)
                # Callers with 400 ms of the stall left have waited at least that long.
                caught = slower_than(summary["histograms_ns"]["setup"]["latency"], 400)
                self.assertGreaterEqual(caught, 0.7 * RATE * (length - 0.4))
                # About a tenth of the calls of the four seconds waited, some only for a part of the
                # stall: the percentiles show it.
                self.assertGreaterEqual(latency["p95"], 1e5)
                self.assertGreaterEqual(latency["p99"], (length - 0.15) * 1e6)

    def test_a_closed_loop_hardly_sees_the_same_stall(self):
        run = Run(self.lab, Load(hold=0, seed=5), "--arrivals", "one-at-a-time", "--duration", "4",
                  without=["--rate", "--calls"])
        length = self.stall(MANAGER, run)
        text, summary = run.finish()
        latency = summary["setup_latency_us"]
        # One call (or its release) fell into the stall.
        kinds = summary["histograms_ns"]
        slow = (slower_than(kinds["setup"]["latency"], 400)
                + slower_than(kinds["release"]["latency"], 400))
        self.assertLessEqual(slow, 2, text)
        self.assertGreaterEqual(max(latency["max"], summary["release_latency_us"]["max"]),
                                (length - 0.05) * 1e6)
        self.assertLess(latency["p95"], 1e5)


class Killed(unittest.TestCase):

    def test_a_run_whose_manager_is_killed_ends_in_order(self):
        with planned_lab() as lab:
            lab.up()
            run = Run(lab, Load(calls=5000, rate=RATE, hold=0.3), "--drain-timeout", "5")
            run.wait_for(1.0)
            doomed = lab.processes[MANAGER]
            os.kill(doomed.pid, signal.SIGKILL)
            died = time.monotonic()
            text, summary = run.finish(timeout=30)
            took = time.monotonic() - died
            lab.processes.pop(MANAGER)
        self.assertEqual(run.process.returncode, 1, text)
        self.assertIn("the manager was lost", text)
        self.assertLess(took, 5, "the end was not prompt")
        self.assertTrue(summary["target_lost"])
        setups, releases = summary["setups"], summary["releases"]
        self.assertEqual(setups["attempted"],
                         setups["connected"] + setups["refused"] + setups["busy"]
                         + setups["unanswered"])
        self.assertEqual(releases["attempted"], setups["connected"])
        # 300 calls were up, on average.
        self.assertGreater(releases["unanswered"], 100)
        self.assertFalse(summary["audit"]["made"])

    def test_also_when_nothing_is_sent_any_more(self):
        with planned_lab() as lab:
            lab.up()
            run = Run(lab, Load(calls=100, rate=RATE, hold=600), "--drain-timeout", "5")
            run.wait_for(0.5)
            doomed = lab.processes[MANAGER]
            os.kill(doomed.pid, signal.SIGKILL)
            died = time.monotonic()
            text, summary = run.finish(timeout=60)
            took = time.monotonic() - died
            lab.processes.pop(MANAGER)
        self.assertEqual(run.process.returncode, 1, text)
        self.assertLess(took, 20, "the end was not prompt")
        self.assertEqual(summary["releases"]["unanswered"], 100)


if __name__ == "__main__":
    unittest.main()
