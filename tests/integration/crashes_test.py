#!/usr/bin/env python3
"""A manager or a SwitchServer ends, in order or not, and comes back: every call stands as if
nothing had happened."""

import json
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

    def document(self, *command):
        return json.loads(self.answer(*command, "--json"))

    def left_of_hold(self, call):
        """For each hop the milliseconds until the hold ends, as its ledger counts them."""
        return [hop["hold_left_ms"] for ledger in self.document("call", call)["ledgers"]
                for hop in ledger["hops"]]

    def option(self, daemon, name):
        """(value, source) of an option that is in use."""
        document = self.document("options", *daemon)
        return next((option["value"], option["source"])
                    for option in document.get("daemons", [document])[0]["options"]
                    if option["option"] == name)

    def pool(self):
        """(ready, wanted) of the connections prepared in advance."""
        pools = [cache for cache in self.document("caches")["caches"]
                 if cache["cache"].startswith("prepared")]
        return sum(pool["size"] for pool in pools), sum(pool["wanted"] for pool in pools)

    def calls(self):
        return [line for line in self.answer("list").splitlines() if line[:1].isdigit()]


class BeforeASwitchServer(ProcessComesBack):
    """The manager comes back while a SwitchServer does not answer."""

    LAB = {"more": {"xbind-cmgr": [(None, "startup-patience-ms", 1000)]}}

    def refused(self, *command):
        done = tool(self.lab, "xbindctl", *command)
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def state_of(self, call):
        return self.document("describe", call)["state"]

    def metric(self, name):
        return self.document("status")["metrics"][name]

    def alarm(self):
        # Exit code 1: the SwitchServer does not answer.
        said = tool(self.lab, "xbindctl", "alarms", "--kind", "calls-incomplete", "--json").stdout
        alarms = json.loads(said)["alarms"]
        return next((one["cause"] for one in alarms if one["id"] and not one["cleared_ms"]), None)

    def test_its_calls_are_incomplete_and_stand_when_the_switchserver_answers(self):
        ids = [self.connect() for _ in range(4)]
        described = self.described(ids)
        tables = self.tables()
        server = self.lab.processes[f"xbind-switchserver/{MIDDLE}"]
        suspend(server.pid)
        try:
            restart(self.lab, "xbind-cmgr")
            self.assertEqual(self.answer("calls", "--state", "incomplete", "--ids").split(), ids)
            self.assertEqual(len(self.calls()), 4)
            self.assertEqual(self.metric("incomplete_calls"), 4)
            self.assertEqual(self.metric("connections"), 0)
            state = self.document("describe", ids[0])
            self.assertEqual((state["state"], state["from"], state["to"]),
                             ("incomplete", CALLER, CALLEE))
            self.assertEqual({hop["switch"] for hop in state["hops"]}, {CALLER, CALLEE})
            self.assertIn("its SwitchServer has not been read", state["missing"])
            explained = self.answer("explain", ids[0])
            self.assertIn(f"call {ids[0]} is incomplete", explained)
            self.assertIn(f"missing      {state['missing']}", explained)
            self.assertIn("what to do   start the SwitchServer", explained)
            self.assertIn(state["missing"], self.answer("call", ids[0]))

            checked = tool(self.lab, "xbindctl", "validate", ids[0])
            self.assertEqual(checked.returncode, 5, checked.stdout + checked.stderr)
            self.assertIn(f"INCOMPLETE: connection {ids[0]}, incomplete, 2 hops, not judged",
                          checked.stdout)
            for command in (("modify", ids[0], "--cells-per-s", "50"), ("commit", ids[0]),
                            ("add-leaf", ids[0], MIDDLE), ("drop-leaf", ids[0], CALLEE)):
                self.assertIn(f"refused: incomplete: {state['missing']}", self.refused(*command))
            self.assertIn("incomplete", self.refused("ping", ids[0]))
            self.assertIn("nothing is recorded", self.refused("trace", ids[0]))

            cause = wait_until(self.alarm, "the alarm is raised")
            self.assertIn("4 earlier calls are incomplete: 4 at ", cause)
            self.assertIn("1 switch has not been read", cause)
            released = self.answer("release", ids[3])
            self.assertIn("released; owed: 2 removals at", released)
            self.assertIn("released", self.answer("clear", ids[2], "--force"))
            unknown = self.refused("release", ids[3])
            self.assertIn("unknown connection", unknown)
            self.assertIn("alarm calls-incomplete", unknown)
        finally:
            server.signal(signal.SIGCONT)
        wait_until(lambda: [self.state_of(call) for call in ids[:2]] == ["connected"] * 2,
                   "they stand")
        self.assertEqual(self.described(ids[:2]), described[:2])
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean")
        self.assertEqual([len(table) for table in self.tables()], [2, 2, 2])
        for table, before in zip(self.tables(), tables):
            self.assertLessEqual(set(table), set(before))
        wait_until(lambda: self.alarm() is None, "the alarm is cleared")
        self.assertEqual(self.metric("incomplete_calls"), 0)
        self.assertIn("released", self.answer("release", ids[3]))
        for call in ids[:2]:
            self.answer("release", call)


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

    def test_a_hold_ends_when_it_would_have_ended(self):
        long, short = self.connect("--hold", "600"), self.connect("--hold", "8")
        restart(self.lab, "xbind-cmgr")
        # A new minute would not be over by then.
        wait_until(lambda: not any(call.startswith(short) for call in self.calls()),
                   "the short hold has ended", timeout_s=30)
        self.assertIn("the hold was not committed in time",
                      self.answer("events", "--kind", "calls", "--limit", "1000"))
        self.assertTrue(all(500_000 < left <= 600_000 for left in self.left_of_hold(long)))
        self.answer("commit", long)
        self.answer("release", long)

    def test_pools_and_settings_come_back(self):
        tuned = {
            ("manager",): ("hop-timer-ms", "2345"),
            ("routeobject",): ("accepted-max", "4321"),
            ("qosmapper",): ("accepted-max", "4322"),
            ("switchserver", MIDDLE): ("report-interval-ms", "234"),
        }
        programs = ["xbind-cmgr", "xbind-routeobject", "xbind-qosmapper",
                    f"xbind-switchserver/{MIDDLE}"]
        for daemon, (name, value) in tuned.items():
            self.answer("tune", *daemon, f"{name}={value}")
        gathered = self.answer("aggregation", "--mode", "fixed", "--threshold", "7",
                               "--flush-timeout-ms", "1.5")
        self.answer("prepare", CALLER, CALLEE, "--cells-per-s", "77", "--count", "3")
        wait_until(lambda: self.pool() == (3, 3), "the pool is full")
        tables = [sorted(map(str, table)) for table in self.tables()]

        for program in programs:
            restart(self.lab, program)
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0, "all is attached")
        for daemon, (name, value) in tuned.items():
            self.assertEqual(self.option(daemon, name), (value, "operator"), daemon)
        self.assertEqual(self.answer("aggregation"), gathered)
        self.assertEqual(self.option(["manager"], "threshold"), ("7", "operator"))
        wait_until(lambda: self.pool() == (3, 3), "the pool is full again")
        wait_until(lambda: [sorted(map(str, table)) for table in self.tables()] == tables,
                   "its connections are those of before")
        self.assertIn("state_kept               yes", self.answer("status"))

        # What is taken back does not return.
        for daemon, (name, _) in tuned.items():
            self.answer("tune", *daemon, name)
        self.answer("prepare", CALLER, CALLEE, "--cells-per-s", "77", "--count", "0")
        self.answer("aggregation", "--mode", "adaptive")
        restart(self.lab, "xbind-cmgr")
        self.assertEqual(self.option(["manager"], "hop-timer-ms")[1], "")
        self.assertEqual(self.option(["manager"], "threshold")[1], "")
        self.assertEqual(self.pool(), (0, 0))
        wait_until(lambda: [len(table) for table in self.tables()] == [0, 0, 0],
                   "its connections are released")

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
        self.assertIn(summary["reattached"]["requests_repeated"], range(1, 2 * 1200 + 1))
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

    def test_a_hold_keeps_its_time(self):
        call = self.connect("--hold", "600")
        for process in (self.server, "xbind-cmgr"):
            restart(self.lab, process)
            self.settled()
            left = self.left_of_hold(call)
            self.assertEqual(len(left), 3)
            self.assertTrue(all(500_000 < ms <= 600_000 for ms in left), (process, left))
        self.answer("release", call)

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


class WithoutStateDir(ProcessComesBack):
    """What docs/reliability.md promises of daemons as they run by default, and what not."""

    LAB = {"keep_state": False}
    NOT_KEPT = {
        "xbind-cmgr": "the manager's epoch, which SwitchServers know as well; pools and options "
                      "that operators set at run time",
        "xbind-routeobject": "drains, changes of the network, and options that operators set at "
                             "run time",
        "xbind-qosmapper": "options that operators set at run time",
        f"xbind-switchserver/{MIDDLE}": "whose claims a restarted SwitchServer waits for, and "
                                        "which epochs are fenced off; options that operators set "
                                        "at run time",
    }

    def settled(self):
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0,
                   "the audit is clean", timeout_s=40)

    def test_a_each_says_what_is_not_kept(self):
        for name, what in self.NOT_KEPT.items():
            lines = [line for line in self.lab.processes[name].output().splitlines()
                     if "without --state-dir" in line]
            self.assertEqual(len(lines), 1, name)
            self.assertTrue(lines[0].endswith(f"these end with this process: {what}"), lines[0])
        self.assertRegex(self.answer("status"), r"state_kept +no: without --state-dir its epoch,")

    def test_b_calls_and_holds_survive_the_manager_and_settings_do_not(self):
        calls = [self.connect() for _ in range(STANDING)]
        hold = self.connect("--hold", "600")
        self.answer("tune", "manager", "hop-timer-ms=2345")
        self.answer("aggregation", "--mode", "fixed", "--threshold", "7")
        self.answer("prepare", CALLER, CALLEE, "--cells-per-s", "77", "--count", "3")
        wait_until(lambda: self.pool() == (3, 3), "the pool is full")
        restart(self.lab, "xbind-cmgr")
        self.assertEqual(len(self.calls()), STANDING + 1)
        self.assertTrue(all(500_000 < left <= 600_000 for left in self.left_of_hold(hold)))
        self.assertEqual(self.option(["manager"], "hop-timer-ms")[1], "")
        self.assertEqual(self.option(["manager"], "aggregation"), ("adaptive", ""))
        self.assertEqual(self.pool(), (0, 0))
        self.settled()
        wait_until(lambda: len(self.tables()[1]) == STANDING, "the prepared ones are released")
        for call in [*calls, hold, self.connect()]:
            self.answer("release", call)
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])

    def test_c_calls_survive_a_switchserver(self):
        calls = [self.connect() for _ in range(STANDING)]
        tables = self.tables()
        restart(self.lab, f"xbind-switchserver/{MIDDLE}")
        self.settled()  # it does not know whom to wait for, and waits for all its time
        self.assertEqual(self.tables(), tables)
        for call in [*calls, self.connect()]:
            self.answer("release", call)
        self.assertEqual([len(table) for table in self.tables()], [0, 0, 0])

    def test_d_a_drain_ends_with_its_routeobject(self):
        self.answer("drain", MIDDLE, "2")
        self.assertIn("drained", self.answer("links"))
        restart(self.lab, "xbind-routeobject")
        wait_until(lambda: "up" in self.answer("links"), "the links are reported")
        self.assertNotIn("drained", self.answer("links"))


if __name__ == "__main__":
    unittest.main()
