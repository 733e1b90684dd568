#!/usr/bin/env python3
"""A SwitchServer that has stopped (not died: it reads nothing and closes nothing) must not block
the manager. Other calls are answered, calls through it are refused with the reason, and removals
owed to it are carried out when it runs again.
"""

import contextlib
import os
import signal
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
SERVER = f"xbind-switchserver/{MIDDLE}"
# Short timers, so that the test ends soon; a session's lease (15 s) does not expire.
# unknown_test.py tests what follows from silence.
MANAGER = {"xbind-cmgr": [(None, "hop-timer-ms", 300), (None, "undo-timer-ms", 300)],
           "xbind-routeobject": [(None, "switch-silent-ms", 0)]}


class OneLab(InOneLab):

    LAB = {"more": MANAGER}

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr


class RouteObjectHangs(InOneLab):

    LAB = {"more": {"xbind-routeobject": [(None, "validity-ms", 100)]}}

    def status(self, name):
        done = tool(self.lab, "xbindctl", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        return counter(done.stdout, name)

    def connect(self, *ends):
        done = tool(self.lab, "xbindctl", "connect", *ends)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_setups_go_on_while_routeobject_hangs(self):
        self.connect(CALLER, CALLEE)
        pid = self.lab.processes["xbind-routeobject"].pid
        suspend(pid)
        try:
            # The query about a route that has expired is the first one without an answer.
            wait_until(lambda: self.connect(CALLER, CALLEE) or self.status("routes_expired") > 0,
                       "an expired route serves")
            self.connect(CALLEE, CALLER)
            self.assertEqual(self.status("routes_found_here"), 1)
            # Nothing else waits for RouteObject: the answer is the QOSMapper's.
            services = tool(self.lab, "xbindctl", "services")
            self.assertEqual(services.returncode, 0, services.stdout + services.stderr)
            # What nobody knows is refused within the timer of the route.
            refused = tool(self.lab, "xbindctl", "connect", CALLER, "nobody")
            self.assertNotEqual(refused.returncode, 0)
            self.assertIn("no route object", refused.stdout + refused.stderr)
        finally:
            os.kill(pid, signal.SIGCONT)
        wait_until(lambda: "unknown endpoint" in tool(self.lab, "xbindctl", "connect", CALLER,
                                                      "nobody").stderr, "RouteObject answers")
        self.assertEqual(tool(self.lab, "xbindctl", "release", "--all").returncode, 0)
        self.assertEqual(tool(self.lab, "xbindctl", "audit").returncode, 0)


class Stopped(OneLab):

    def suspend(self):
        suspend(self.lab.processes[SERVER].pid)

    def go_on(self):
        os.kill(self.lab.processes[SERVER].pid, signal.SIGCONT)

    def status(self, name):
        done = tool(self.lab, "xbindctl", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        return counter(done.stdout, name)

    def test_a_stopped_switchserver_hurts_only_its_own_calls(self):
        made = self.status("debts_made")
        self.suspend()
        try:
            done, summary = offer(self.lab, Load(calls=2000, rate=2000), "--drain-timeout", "8")
            # Every call has its answer, and the answer names the place.
            self.assertEqual(summary["setups"]["refused"], 2000)
            self.assertEqual(summary["setups"]["unanswered"], 0)
            self.assertIn(MIDDLE, done.stdout)
            # The manager serves others and counts its debts: at most one removal for each call. On
            # a busy machine the other switches may confirm a removal too late as well; those debts
            # are settled meanwhile.
            owed = self.status("owed")
            self.assertTrue(1 <= owed <= 2000, owed)
            self.assertEqual(owed, self.status("debts_made") - self.status("debts_paid"))
            self.assertLessEqual(owed, self.status("debts_made") - made)
        finally:
            self.go_on()
        wait_until(lambda: self.status("owed") == 0, "the debts are paid")
        self.assertEqual(self.status("debts_made"), self.status("debts_paid"))
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean")
        done, summary = offer(self.lab, Load(calls=200, rate=400))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(summary["releases"]["released"], 200)

    @contextlib.contextmanager
    def while_stopped(self):
        """At the end of the block the middle SwitchServer runs again and its owed removals are
        done."""
        self.suspend()
        try:
            yield
        finally:
            self.go_on()
            wait_until(lambda: self.status("owed") == 0, "the debts are paid")

    def test_a_release_says_what_is_owed(self):
        connection = self.ctl("connect", CALLER, CALLEE).split()[0]
        with self.while_stopped():
            released = self.ctl("release", connection)
            self.assertEqual(released.strip(),
                             f"{connection} released; owed: 1 removal at {MIDDLE}")
            self.assertEqual(self.status("owed"), 1)
        self.assertIn("clean: ", self.ctl("audit"))

    def test_a_refused_call_says_what_is_owed(self):
        with self.while_stopped():
            refused = self.ctl("connect", CALLER, CALLEE, code=1)
            wait_until(lambda: self.status("owed") == 1, "its removal is owed")
            self.assertIn(f"owed: 1 removal at {MIDDLE}", refused)

    def test_the_audit_of_a_run_waits_for_its_debts(self):
        answers = []
        calls = threading.Thread(target=lambda: answers.append(offer(
            self.lab, Load(calls=60, rate=200, hold=1.5, debts_timeout=10))))
        made = self.status("debts_made")
        calls.start()
        wait_until(lambda: self.status("connections") >= 20, "calls are up")
        with self.while_stopped():
            wait_until(lambda: self.status("connections") == 0, "all are released")
            self.assertIn(self.status("owed"), range(1, 60 + 1))
        calls.join()
        _, summary = answers[0]
        self.assertGreater(self.status("debts_made"), made)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])


class OthersAttach(InOneLab):

    LAB = {"topology": RING, "more": MANAGER}

    def attached(self):
        done = tool(self.lab, "xbindctl", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        return counter(done.stdout, "switches_attached")

    def test_a_restarted_switchserver_is_attached_while_others_are_silent(self):
        *stopped, restarted = [self.lab.process_of("xbind-switchserver", f"node-{number}")
                               for number in range(1, 7)]
        for process in stopped:
            suspend(process.pid)
        try:
            wait_until(lambda: self.attached() == 1, "the leases of the stopped ones are over", 60)
            restarted.signal(signal.SIGKILL)
            wait_until(lambda: not restarted.alive(), "it is dead")
            wait_until(lambda: self.attached() == 0, "the manager knows", 60)
            self.lab.start(restarted.name)
            self.lab.wait_ready(restarted)
            # An attempt to attach to a stopped one takes 5 s. One after the other they would take
            # 25 s.
            wait_until(lambda: self.attached() == 1, "it is attached", 10)
        finally:
            for process in stopped:
                os.kill(process.pid, signal.SIGCONT)
        wait_until(lambda: self.attached() == 6, "all are attached", 60)


class GoneForGood(OneLab):

    def test_what_is_unknown_is_neither_clean_nor_leaked(self):
        connection = self.ctl("connect", CALLER, CALLEE).split()[0]
        process = self.lab.processes.pop(SERVER)
        process.signal(signal.SIGKILL)
        self.assertIn(f"owed: 1 removal at {MIDDLE}", self.ctl("release", connection))
        audit = self.ctl("audit", code=5)
        self.assertIn("UNKNOWN: 3 switches, 0 connections; ", audit)
        self.assertIn("; 1 switch unreadable", audit)


if __name__ == "__main__":
    unittest.main()
