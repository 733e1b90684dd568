#!/usr/bin/env python3
"""Calls through name service, manager, SwitchServers, GSMP and switches, each its own process."""

import os
import signal
import subprocess

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

LATENCY_KEYS = {"count", "min", "mean", "p5", "p50", "p95", "p99", "p999", "max"}
KEYS = {"schema", "engine", "threshold", "adaptive", "switches", "offered_setups_per_s",
        "duration_s", "setups_per_s", "call_operations_per_s", "setups", "releases",
        "setup_latency_us", "release_latency_us", "remote_invocations", "label_cache_hit_ratio",
        "rss_mb", "faults", "audit", "managers", "aggregation", "audits", "refusals"}


class Calls(InOneLab):

    def test_every_call_is_accounted_for_in_the_summary(self):
        done, summary = offer(self.lab, Load(calls=500, rate=200))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertLessEqual(KEYS, set(summary))
        self.assertEqual(summary["schema"], "xbind.callgen/1")
        self.assertEqual(summary["engine"], "xbind")
        self.assertEqual(summary["switches"], 3)
        self.assertEqual(summary["managers"], 1)
        self.assertEqual(summary["refusals"], {})
        self.assertEqual(summary["setups"], {"attempted": 500, "connected": 500, "refused": 0,
                                             "busy": 0, "unanswered": 0})
        self.assertEqual(summary["releases"], {"attempted": 500, "released": 500, "failed": 0,
                                               "unanswered": 0})
        for direction in ("setup_latency_us", "release_latency_us"):
            latency = summary[direction]
            self.assertLessEqual(LATENCY_KEYS, set(latency))
            self.assertEqual(latency["count"], 500)
            self.assertLess(0, latency["min"])
            self.assertLessEqual(latency["p50"], latency["p99"])
        # At least two batches for each hop and direction; far more with T = 1.
        self.assertGreater(summary["remote_invocations"], 500)
        self.assertTrue(0 < summary["label_cache_hit_ratio"] <= 1)
        self.assertEqual(summary["faults"],
                         {"dropped": 0, "repeated": 0, "reordered": 0, "delayed": 0})
        audit = summary["audit"]
        self.assertTrue(audit["clean"], audit)
        for count in ("stray_cross_connects", "leaked_labels", "leaked_bandwidth_cells_per_s",
                      "owed"):
            self.assertEqual(audit[count], 0)

    def test_the_summary_has_the_memory_of_every_process(self):
        _, summary = offer(self.lab, Load(calls=20, rate=200))
        for name in self.lab.processes:
            self.assertGreater(summary["rss_mb"].get(name, 0), 1.0, name)

    def test_the_same_seed_offers_the_same_calls(self):
        spans = [offer(self.lab, Load(calls=100, rate=500, seed=seed))[1] for seed in (5, 5, 6)]
        gaps = [span["model_checks"]["mean_inter_arrival_us"]["planned"] for span in spans]
        self.assertEqual(gaps[0], gaps[1])
        self.assertNotEqual(gaps[0], gaps[2])

    def test_a_client_that_starts_anew_gets_no_old_outcomes(self):
        """It numbers its requests from 1 in each life. The outcomes of the killed life have numbers
        that now mean other requests."""
        def status(name):
            return counter(tool(self.lab, "xbindctl", "status").stdout, name)

        def unchanged():
            earlier = status("setups")
            return status("setups") == earlier

        load = Load(calls=10_000, rate=2000, hold=0.02)
        before = status("setups")
        with subprocess.Popen(callgen(self.lab, load, ["--client-name", "twice"]),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
            wait_until(lambda: status("setups") > before + 50, "calls are up")
            # The stopped client receives outcomes that it cannot confirm.
            first.send_signal(signal.SIGSTOP)
            wait_until(unchanged, "nothing new comes")
            first.kill()
        left = status("connections")
        done, summary = offer(self.lab, Load(calls=2000, rate=1000, hold=0.02, cells_per_s=101),
                              "--client-name", "twice")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], 2000)
        self.assertEqual(summary["releases"]["released"], 2000)
        self.assertEqual(status("connections"), left, "what was answered 'released' is gone")
        released = tool(self.lab, "xbindctl", "release", "--client", "twice")
        self.assertEqual(released.returncode, 0, released.stderr)
        self.assertIn("released", released.stdout)
        listed = tool(self.lab, "xbindctl", "list", "--client", "twice").stdout.splitlines()
        self.assertEqual(len(listed), 1, listed)  # only the header

    def test_what_the_manager_is_called_for_is_counted(self):
        """In its own process, since calls within one do not pass through orb/dispatch.hpp."""
        def upcalls(operation):
            for line in tool(self.lab, "xbindctl", "status").stdout.splitlines():
                words = line.split()  # the mean time has a unit
                if words[:1] == [operation] and len(words) == 6:
                    return [float(word) for word in (*words[1:3], *words[-2:])]
            return [0, 0, 0, 0]

        times, _, refused, failed = upcalls("describe")
        unknown = tool(self.lab, "xbindctl", "describe", "99")
        self.assertEqual(unknown.returncode, 1, unknown.stdout)
        self.assertIn("connection 99 is not known", unknown.stderr)
        now = upcalls("describe")
        self.assertEqual((now[0], now[2], now[3]), (times + 1, refused + 1, failed))
        # Any number: a mean time depends on the machine.
        self.assertGreater(now[1], 0)

        attached = upcalls("attach_client")[0]
        offer(self.lab, Load(calls=20, rate=200))
        self.assertGreaterEqual(upcalls("attach_client")[0], attached + 1)
        # At this rate at least one for each setup
        self.assertGreaterEqual(upcalls("submit_requests")[0], 20)
        self.assertGreaterEqual(upcalls("deliver_results")[0], 20)

    def test_a_call_by_hand(self):
        connected = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE)
        self.assertEqual(connected.returncode, 0, connected.stderr)
        connection = connection_of(connected)
        listed = tool(self.lab, "xbindctl", "list")
        self.assertIn(connection, listed.stdout)
        described = tool(self.lab, "xbindctl", "describe", connection)
        for node in (CALLER, MIDDLE, CALLEE):
            self.assertIn(node, described.stdout)
        released = tool(self.lab, "xbindctl", "release", connection)
        self.assertEqual(released.returncode, 0, released.stderr)
        self.assertNotIn(connection, tool(self.lab, "xbindctl", "list").stdout)
        again = tool(self.lab, "xbindctl", "release", connection)
        self.assertEqual(again.returncode, 1, again.stdout)
        audited = tool(self.lab, "xbindctl", "audit")
        self.assertEqual(audited.returncode, 0, audited.stdout + audited.stderr)


class ClientThatDies(unittest.TestCase):

    def test_it_does_not_disturb_another_client(self):
        with lab_up(more={"xbind-cmgr": [(None, "threshold", "10")]},
                    labels_per_port=20_000) as lab:
            def connected():
                return counter(tool(lab, "xbindctl", "status").stdout, "connected")

            # Each has 1000/s x 0.1 s; with the calls that the dead one leaves up, this is far below
            # any limit.
            doomed = subprocess.Popen(callgen(lab, Load(calls=1_000_000, rate=1000, seed=3)),
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                wait_until(lambda: connected() > 200, "the first client is at speed")
                survivor = subprocess.Popen(callgen(lab, Load(calls=5000, rate=1000, seed=4)),
                                            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                            text=True)
                before = connected()
                wait_until(lambda: connected() > before + 500, "both are at speed")
                self.assertIsNone(doomed.poll())
                self.assertIsNone(survivor.poll())
            finally:
                os.kill(doomed.pid, signal.SIGKILL)
                doomed.wait()
            output, errors = survivor.communicate(timeout=90)
            self.assertIn("5 000 attempted = 5 000 connected + 0 refused + 0 busy + 0 unanswered",
                          output, errors)
            self.assertIn("5 000 attempted = 5 000 released", output)
            self.assertIn("clean", output)
            # The dead client's calls stay up, because media outlive signalling. They are no leak.
            left = counter(tool(lab, "xbindctl", "status").stdout, "connections")
            listed = [line for line in tool(lab, "xbindctl", "list").stdout.splitlines()
                      if " connected " in line]
            self.assertEqual(left, len(listed))
            # The calls that were up when it died: 1000 calls/s for 0.1 s each, and those under way.
            self.assertTrue(20 <= left <= 1000, left)
            audited = tool(lab, "xbindctl", "audit")
            self.assertEqual(audited.returncode, 0, audited.stdout + audited.stderr)
            for process in lab.processes.values():
                self.assertTrue(process.alive(), process.name)


if __name__ == "__main__":
    unittest.main()
