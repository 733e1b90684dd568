#!/usr/bin/env python3
"""A manager or a SwitchServer ends, in order or not, and comes back: every call stands as if
nothing had happened."""

import re
import signal
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Switch

STANDING = 20  # connections


def restart(lab, name, how=signal.SIGKILL):
    """Ends the process with that signal, starts it again and waits until it is ready."""
    process = lab.processes[name]
    process.signal(how)
    wait_until(lambda: not process.alive(), f"{name} has ended")
    lab.start(name)
    lab.wait_ready(process)


class ProcessComesBack(InOneLab):

    def answer(self, *command):
        done = tool(self.lab, "xbindctl", *command)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def tables(self):
        return [Switch(switch_address(self.lab, node)).table()
                for node in self.lab.node_names()]

    def connect(self, *more):
        return self.answer("connect", CALLER, CALLEE, *more).split()[0]

    def described(self, calls):
        """Without since when they are up: a manager knows that of those that it connected."""
        return [re.sub(r"(?m)^(up since|changed) .*\n", "", self.answer("describe", call))
                for call in calls]

    def calls(self):
        return [line for line in self.answer("list").splitlines() if line[:1].isdigit()]


class ManagerComesBack(ProcessComesBack):

    def come_back(self, how):
        ids = [self.connect() for _ in range(STANDING - 1)]
        ids.append(self.connect("--both"))
        described = self.described(ids)
        listed, tables = self.calls(), self.tables()
        self.assertEqual(len(listed), STANDING)

        restart(self.lab, "xbind-cmgr", how)
        self.assertEqual(self.calls(), listed)
        self.assertEqual(self.described(ids), described)
        self.assertEqual(self.tables(), tables)
        self.answer("audit")

        fresh = self.connect()
        self.assertNotIn(fresh, ids)
        for call in [*ids, fresh]:
            self.answer("release", call)
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])
        self.answer("audit")

    def test_after_kill_9_every_call_is_listed_described_and_released(self):
        self.come_back(signal.SIGKILL)

    def test_after_an_end_in_order_as_well(self):
        self.come_back(signal.SIGTERM)

    def test_a_call_released_before_the_end_is_known_as_released(self):
        call = self.connect()
        self.answer("release", call)
        restart(self.lab, "xbind-cmgr")
        self.assertIn("released", self.answer("release", call))

    def test_the_calls_of_a_run_that_lost_its_manager_stand_and_can_be_released(self):
        standing = [self.connect() for _ in range(STANDING)]
        tables = self.tables()
        answers = []
        calls = threading.Thread(target=lambda: answers.append(
            offer(self.lab, Load(calls=20000, rate=400, hold=5))))
        calls.start()
        wait_until(lambda: len(self.calls()) > STANDING + 200, "calls are up")
        restart(self.lab, "xbind-cmgr")
        calls.join()

        left = self.calls()
        self.assertGreater(len(left), STANDING + 100, answers[0][0].stdout)
        self.assertEqual(len(self.tables()[1]), len(left))
        self.answer("audit")
        client = next(word for word in left[-1].split() if word.startswith("callgen"))
        self.answer("release", "--client", client)
        self.assertEqual(self.tables(), tables)
        for call in standing:
            self.answer("release", call)

    def test_a_run_with_reattach_goes_on_and_every_request_is_answered(self):
        answers = []
        calls = threading.Thread(target=lambda: answers.append(
            offer(self.lab, Load(calls=1200, rate=400, hold=0.5), "--reattach")))
        calls.start()
        wait_until(lambda: len(self.calls()) > 100, "calls are up")
        restart(self.lab, "xbind-cmgr")
        calls.join()

        done, summary = answers[0]
        # The load was not the offered one while the manager was away (3), but nothing failed.
        self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["attempted"], 1200)
        self.assertEqual(summary["setups"]["unanswered"], 0)
        self.assertEqual(summary["releases"]["released"], summary["setups"]["connected"])
        self.assertEqual(summary["reattached"]["sessions_lost"], 1)
        self.assertEqual(summary["reattached"]["sessions_opened"], 1)
        self.assertGreater(summary["reattached"]["requests_repeated"], 0)
        # The manager that was watched has ended, and the one that answers counts from zero: what
        # is not known is not shown as zero.
        self.assertNotIn("xbind-cmgr", summary["rss_mb"])
        self.assertIsNone(summary["processes"]["xbind-cmgr"]["rss_after_mb"])
        self.assertIn("remote_invocations", summary["unknown"])
        self.assertRegex(done.stdout, r"at least [0-9 ]+ remote invocations")
        self.assertRegex(done.stdout, r"- s +- us +- +- MB +xbind-cmgr\n")
        self.assertEqual(self.calls(), [])
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])
        self.answer("audit")


class SwitchServerComesBack(ProcessComesBack):

    # However long the processes take to come back, calls stay on their paths.
    LAB = {"more": {"xbind-routeobject": [(None, "switch-lost-ms", 60_000)]}}

    def setUp(self):
        super().setUp()
        self.node = self.lab.node_names()[1]  # the middle of three
        self.server = f"xbind-switchserver/{self.node}"

    def settled(self):
        """Waits until the manager has attached again, and the audit finds nothing."""
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean")

    def come_back(self, how):
        ids = [self.connect() for _ in range(STANDING - 1)]
        ids.append(self.connect("--both"))
        described = self.described(ids)
        listed, tables = self.calls(), self.tables()

        restart(self.lab, self.server, how)
        self.settled()
        self.assertEqual(self.calls(), listed)
        self.assertEqual(self.described(ids), described)
        self.assertEqual(self.tables(), tables)

        fresh = self.connect()
        for call in [*ids, fresh]:
            self.answer("release", call)
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])
        self.answer("audit")

    def test_after_kill_9_every_call_stands_and_can_be_released(self):
        self.come_back(signal.SIGKILL)

    def test_after_an_end_in_order_as_well(self):
        self.come_back(signal.SIGTERM)

    def test_a_call_that_was_released_meanwhile_leaves_the_switch(self):
        going, stays = self.connect(), self.connect()
        process = self.lab.processes[self.server]
        process.signal(signal.SIGKILL)
        wait_until(lambda: not process.alive(), "it has ended")
        self.assertIn("owed", self.answer("release", going))
        self.assertEqual(len(self.tables()[1]), 2)
        self.lab.start(self.server)
        self.lab.wait_ready(process)
        self.settled()
        self.assertEqual([len(table) for table in self.tables()], [1, 1, 1])
        self.answer("release", stays)

    def test_its_switch_restarts_empty_as_well(self):
        ids = [self.connect() for _ in range(STANDING)]
        tables = self.tables()
        switch = self.lab.processes[f"xbind-switch/{self.node}"]
        server = self.lab.processes[self.server]
        for process in [server, switch]:
            process.signal(signal.SIGKILL)
            wait_until(lambda process=process: not process.alive(), "it has ended")
        for name, process in [(f"xbind-switch/{self.node}", switch), (self.server, server)]:
            self.lab.start(name)
            self.lab.wait_ready(process)
        self.settled()
        wait_until(lambda: self.tables() == tables, "the cross-connects are back")
        for call in ids:
            self.answer("release", call)
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])


if __name__ == "__main__":
    unittest.main()
