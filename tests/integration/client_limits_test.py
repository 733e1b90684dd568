#!/usr/bin/env python3
"""Limits for each client, and what an operator sees of clients."""

import giop
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import


class ClientLimits(InOneLab):

    LAB = {"more": {"xbind-cmgr": [(None, "client-calls-max", "2"),
                                   (None, "client-cells-per-s-max", "1000")]}}

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def tearDown(self):
        self.ctl("release", "--all")

    def reference(self, path):
        return tool(self.lab, "nameclt", "resolve", path).stdout

    def row_of(self, client):
        rows = [line for line in self.ctl("clients").splitlines() if line.startswith(client)]
        self.assertEqual(len(rows), 1, rows)
        return rows[0]

    def test_one_call_too_many_names_the_limit(self):
        before = counter(self.ctl("status"), "over_client_limit")
        for _ in range(2):
            self.ctl("connect", CALLER, CALLEE)
        refused = self.ctl("connect", CALLER, CALLEE, code=1)
        self.assertIn("busy at calls of one client: it has 2, and client-calls-max is 2", refused)
        self.assertRegex(self.row_of("(two-way)"), r" 2 +200$")
        self.assertEqual(counter(self.ctl("status"), "over_client_limit"), before + 1)

    def test_too_much_bandwidth_names_the_limit(self):
        connection = self.ctl("connect", CALLER, CALLEE, "--cells-per-s", "900").split()[0]
        refused = self.ctl("connect", CALLER, CALLEE, "--cells-per-s", "200", code=1)
        self.assertIn("busy at cells/s of one client: it has 900, asks for 200 more, and "
                      "client-cells-per-s-max is 1000", refused)
        refused = self.ctl("modify", connection, "--cells-per-s", "1001", code=1)
        self.assertIn("asks for 101 more", refused)

    def test_a_client_whose_session_was_replaced_is_listed_with_the_reason(self):
        manager = giop.Remote(self.reference("xbind/cmgr/default"))
        self.addCleanup(manager.close)
        # Any object of another process serves as the observer: it ignores what it does not know.
        observer = giop.parse_ior(self.reference("xbind/routeobject/default"))
        for epoch in (1, 2):
            status, _, _ = manager.invoke(
                "attach_client", lambda out, now=epoch: out.string("mia").ulonglong(now).ulong(
                    giop.PROTOCOL).reference(*observer))
            self.assertEqual(status, giop.NO_EXCEPTION)
        self.assertRegex(self.row_of("mia"),
                         r"^mia +attached +replaced: epoch 2 has attached +2 +0 +0 +0$")


if __name__ == "__main__":
    unittest.main()
