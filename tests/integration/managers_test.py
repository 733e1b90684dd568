#!/usr/bin/env python3
"""Several managers on the same switches, called in turn by one callgen."""

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

CALLS = 401  # one manager gets one more


class Managers(InOneLab):

    LAB = {"managers": 2}

    def status(self, manager, name):
        return counter(tool(self.lab, "xbindctl", "--manager", manager, "status").stdout, name)

    def test_share_the_calls(self):
        before = {name: self.status(name, "setups") for name in ("default", "manager-2")}
        done, summary = offer(self.lab, Load(calls=CALLS, rate=400))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("through 2 managers, 3 switches", done.stdout)
        self.assertEqual(summary["managers"], 2)
        self.assertEqual(summary["setups"]["connected"], CALLS, summary["refusals_by_place"])
        self.assertEqual(summary["releases"]["released"], CALLS)
        self.assertTrue(summary["audit"]["clean"], summary["audits"])
        self.assertEqual(set(summary["audits"]), {"default", "manager-2"})
        for audit in summary["audits"].values():
            self.assertTrue(audit["clean"], audit)
        self.assertEqual(self.status("default", "setups") - before["default"], 201)
        self.assertEqual(self.status("manager-2", "setups") - before["manager-2"], 200)
        for name in ("default", "manager-2"):
            self.assertEqual(self.status(name, "connections"), 0)

    def test_all_their_invocations_and_memory_are_counted(self):
        def invocations():
            return sum(self.status(name, "giop_requests") for name in ("default", "manager-2"))
        before = invocations()
        _, summary = offer(self.lab, Load(calls=200, rate=400))
        self.assertLessEqual(summary["remote_invocations"], invocations() - before)
        # Both directions and both managers: more than one of them alone could have.
        self.assertGreater(summary["remote_invocations"], 200)
        for name in ("xbind-cmgr", "xbind-cmgr/manager-2"):
            self.assertGreater(summary["rss_mb"][name], 1.0)
        self.assertTrue(0 < summary["label_cache_hit_ratio"] <= 1)

    def test_each_knows_its_own_connections(self):
        connected = tool(self.lab, "xbindctl", "--manager", "manager-2", "connect", CALLER, CALLEE)
        self.assertEqual(connected.returncode, 0, connected.stderr)
        connection = connection_of(connected)
        self.assertEqual(self.status("manager-2", "connections"), 1)
        self.assertEqual(self.status("default", "connections"), 0)
        # A run at another manager ends clean: connections of the first manager are no leak.
        done, summary = offer(self.lab, Load(calls=50, rate=400))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(summary["audit"]["clean"], summary["audits"])
        released = tool(self.lab, "xbindctl", "--manager", "manager-2", "release", connection)
        self.assertEqual(released.returncode, 0, released.stderr)

    def test_one_alone_can_be_called(self):
        before = self.status("default", "setups")
        done = tool(self.lab, "xbind-callgen", "run", "--manager", "manager-2", "--calls", "20",
                    "--rate", "200", timeout=60)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.status("default", "setups"), before)

    def test_a_manager_that_is_not_there_is_named(self):
        done = tool(self.lab, "xbind-callgen", "run", "--manager", "default,manager-9",
                    "--calls", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("manager-9", done.stderr)


if __name__ == "__main__":
    unittest.main()
