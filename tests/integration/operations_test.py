#!/usr/bin/env python3
"""Every call operation, by xbindctl, on a ring of six switches, with each engine.

    node-1 ─ node-2 ─ node-3
      │                 │
    node-6 ─ node-5 ─ node-4
"""

import os
import re
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RING = ROOT / "deploy" / "topologies" / "ring6.toml"
LINK_RATE = 353207  # cells/s
# SwitchServers do not report free resources to RouteObject: it returns the shortest routes,
# whatever earlier tests have filled, and the switches refuse.
UNTOLD = {"xbind-switchserver": [(None, "route-object", "")]}


class OnARing(InOneLab):

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def connect(self, *words):
        text = self.ctl("connect", *words)
        return re_id(text)

    def hops(self, connection):
        return [line.split() for line in self.ctl("describe", connection).splitlines()
                if line.strip().startswith("hop ")]

    def audit(self):
        text = self.ctl("audit")
        self.assertIn("clean", text)
        return text

    def counter(self, name):
        return counter(self.ctl("status"), name)

    def tearDown(self):
        listed = self.ctl("list")
        for connection in {line.split()[0] for line in listed.splitlines()
                           if " connected " in line or " held " in line}:
            self.ctl("release", connection)
        self.audit()
        self.assertEqual(self.counter("owed"), 0)


def re_id(text):
    return text.split()[0]


class Operations:
    """The same for every engine."""

    def test_another_contract_keeps_the_connection_or_leaves_it_alone(self):
        connection = self.connect("node-1", "node-4", "--cells-per-s", "100")
        before = self.hops(connection)
        self.ctl("modify", connection, "--cells-per-s", "500")
        self.assertIn("takes       500 cells/s", self.ctl("describe", connection))
        self.assertEqual(self.hops(connection), before)
        refused = self.ctl("modify", connection, "--cells-per-s", str(LINK_RATE + 1), code=1)
        # All hops get their command at once; the refusal names the first one to answer.
        self.assertRegex(refused,
                         rf"no bandwidth at node-\d port \d: asked {LINK_RATE + 1} cells/s, "
                         rf"free {LINK_RATE}")
        self.assertIn("takes       500 cells/s", self.ctl("describe", connection))
        self.audit()
        self.ctl("modify", connection, "--cells-per-s", "50", "--buffer-cells", "10")
        self.assertIn("takes       50 cells/s, 10 cells", self.ctl("describe", connection))
        self.audit()

    def test_a_tree_grows_and_shrinks_leaf_by_leaf(self):
        connection = self.connect("node-1", "node-3")
        alone = len(self.hops(connection))
        for leaf, more in (("node-2", 1), ("node-4", 2), ("node-6", 2)):
            self.assertIn("leaf added, egress label", self.ctl("add-leaf", connection, leaf))
            now = len(self.hops(connection))
            self.assertEqual(now, alone + more, leaf)
            alone = now
        self.assertIn("leaf exists at node-3", self.ctl("add-leaf", connection, "node-3", code=1))
        self.audit()
        self.ctl("modify", connection, "--cells-per-s", "70")
        self.audit()
        for leaf in ("node-3", "node-6", "node-4"):
            self.ctl("drop-leaf", connection, leaf)
            self.audit()
        self.assertIn("last leaf", self.ctl("drop-leaf", connection, "node-2", code=1))
        self.assertIn("unknown leaf", self.ctl("drop-leaf", connection, "node-5", code=1))
        self.assertEqual(len(self.hops(connection)), 2)

    def test_both_directions_live_and_die_together(self):
        text = self.ctl("connect", "node-1", "node-3", "--both", "--cells-per-s", "100",
                        "--reverse-cells-per-s", "7")
        self.assertIn("reverse ingress label", text)
        connection = re_id(text)
        self.assertEqual(len(self.hops(connection)), 6)
        described = self.ctl("describe", connection)
        self.assertIn("reverse     7 cells/s", described)
        self.ctl("modify", connection, "--cells-per-s", "10", "--both",
                 "--reverse-cells-per-s", "900")
        self.audit()
        one_way = self.ctl("modify", connection, "--cells-per-s", "10", code=1)
        self.assertIn("a bidirectional connection needs a service for the other direction", one_way)
        leaf = self.ctl("add-leaf", connection, "node-2", code=1)
        self.assertIn("invalid request", leaf)

    def test_a_hold_takes_the_bandwidth_and_no_switch(self):
        held = self.ctl("connect", "node-1", "node-2", "--hold", "600",
                        "--cells-per-s", str(LINK_RATE))
        self.assertIn("held", held)
        # Nothing is in the switches, but the link is reserved: the next call takes the long path.
        self.assertIn("0 stray cross-connects", self.audit())
        other = self.connect("node-1", "node-2", "--cells-per-s", "1")
        self.assertEqual([hop[2] for hop in self.hops(other)],
                         ["node-1", "node-6", "node-5", "node-4", "node-3", "node-2"])
        self.assertIn("not connected",
                      self.ctl("modify", re_id(held), "--cells-per-s", "1", code=1))
        connected = self.ctl("commit", re_id(held))
        self.assertIn("connected, ingress label", connected)
        # Its answer may have been lost: a second commit has the same result.
        self.assertEqual(self.ctl("commit", re_id(held)), connected)

    def test_a_hold_that_nobody_commits_ends_by_itself(self):
        held = self.ctl("connect", "node-1", "node-2", "--hold", "0.3",
                        "--cells-per-s", str(LINK_RATE))
        wait_until(lambda: self.counter("connections") == 0, "the hold is over")
        self.assertIn("hold expired", self.ctl("commit", re_id(held), code=1))
        self.connect("node-1", "node-2", "--cells-per-s", str(LINK_RATE))

    def test_a_refusal_on_the_way_is_avoided(self):
        # The short path between node-2 and node-3 is full.
        self.connect("node-2", "node-3", "--cells-per-s", str(LINK_RATE - 50))
        before = self.counter("crankbacks")
        connection = self.connect("node-1", "node-3", "--cells-per-s", "100")
        nodes = [hop[2] for hop in self.hops(connection)]
        self.assertEqual(nodes, ["node-1", "node-6", "node-5", "node-4", "node-3"])
        self.assertEqual(self.counter("crankbacks"), before + 1)

    def test_what_cannot_be_has_a_name_and_a_number(self):
        connection = self.connect("node-1", "node-2")
        self.ctl("release", connection)
        for words, says in (
                (("release", connection),
                 f"unknown connection at manager: connection {connection}"),
                (("modify", connection, "--cells-per-s", "1"), "unknown connection"),
                (("commit", connection), "unknown connection"),
                (("add-leaf", connection, "node-3"), "unknown connection"),
                (("connect", "node-1", "nowhere"), "unknown endpoint at nowhere"),
                (("connect", "node-1", "node-1"), "invalid request at node-1 -> node-1: source and "
                                                  "destination are both 'node-1'\n")):
            self.assertIn(says, self.ctl(*words, code=1))


class Xbind(Operations, OnARing):

    LAB = {"topology": RING, "more": UNTOLD}

    def test_connections_prepared_in_advance_are_taken_without_a_setup(self):
        self.ctl("prepare", "node-1", "node-3", "--count", "2")
        wait_until(lambda: self.counter("prepared") == 2, "two connections are ready")
        commands = self.counter("commands")
        first = self.connect("node-1", "node-3")
        # A replacement is being prepared. For the call itself the first and the last switch get a
        # command each.
        wait_until(lambda: self.counter("prepared") == 2, "the pool is full again")
        self.assertEqual(self.counter("commands"), commands + 5)  # two handovers
        self.ctl("prepare", "node-1", "node-3", "--count", "3")
        wait_until(lambda: self.counter("prepared") == 3, "three are ready")
        self.ctl("prepare", "node-1", "node-3", "--count", "4")
        self.ctl("release", first)
        wait_until(lambda: self.counter("prepared") == 4, "four are ready")
        self.assertIn("node-1 -> node-3", self.ctl("caches"))
        self.audit()
        self.ctl("prepare", "node-1", "node-3", "--count", "0")
        wait_until(lambda: self.counter("connections") == 0, "none is kept")

    def test_aggregation_changes_while_calls_run(self):
        self.assertIn("mode adaptive", self.ctl("aggregation"))
        for words, threshold in ((("--mode", "fixed", "--threshold", "4"), 4),
                                 (("--mode", "adaptive"), 1),
                                 (("--mode", "fixed", "--threshold", "1"), 1)):
            self.ctl("aggregation", *words)
            done, summary = offer(self.lab, Load(calls=100, rate=400, topology=RING))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 100)
            self.assertEqual(summary["aggregation"], words[1])
            self.assertEqual(summary["threshold"], threshold, words)

    def test_the_threshold_of_regions_follows_the_rate(self):
        def few_calls():
            self.ctl("release", self.connect("node-1", "node-2"))
            return "mode regions, threshold 1" in self.ctl("aggregation")

        self.addCleanup(self.ctl, "aggregation", "--mode", "adaptive")
        self.ctl("aggregation", "--mode", "regions")
        wait_until(few_calls, "below 50 calls/s T is 1")
        done, summary = offer(self.lab, Load(calls=800, rate=400, topology=RING))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["aggregation"], "regions")
        self.assertEqual(summary["threshold"], 10, "above 100 calls/s")
        self.assertIn("mode regions, threshold 10", self.ctl("aggregation"))
        wait_until(few_calls, "T is 1 again")


class Sequential(Operations, OnARing):

    LAB = {"topology": RING, "more": {**UNTOLD, "xbind-cmgr": [(None, "engine", "sequential")]}}


class Threaded(Operations, OnARing):

    LAB = {"topology": RING, "more": {**UNTOLD, "xbind-cmgr": [(None, "engine", "threaded")]}}


class OverVersion1(Operations, OnARing):

    LAB = {"topology": RING, "more": {**UNTOLD, "xbind-switch": [(None, "gsmp-versions", "1")]}}


class WithQuotas(Operations, OnARing):

    LAB = {"topology": RING, "more": {**UNTOLD, "xbind-cmgr": [(None, "quotas", "on"),
                                                     (None, "label-policy", "competitive"),
                                                     (None, "qos", "remote"),
                                                     (None, "aggregation", "adaptive")]}}

    def test_quotas_are_taken_in_advance_and_spent_here(self):
        names = ("quota_hits", "quota_misses", "service_queries")
        before = [self.counter(name) for name in names]
        for _ in range(8):
            self.connect("node-1", "node-2", "--cells-per-s", "173")
        hits, misses, queries = (self.counter(name) - was for name, was in zip(names, before))
        # Two ports for each call. The first call may find too little and request quota for the next
        # ones too.
        self.assertEqual(hits + misses, 16)
        self.assertGreaterEqual(hits, 14)
        self.assertEqual(queries, 1, "the QOSMapper is asked once for one service")
        for node, port in (("node-1", "2"), ("node-2", "1")):
            rows = [line.split() for line in self.ctl("caches").splitlines()
                    if re.match(rf"quota +{node} port {port} ", line)]
            self.assertEqual(len(rows), 1, rows)
            size, wanted = int(rows[0][-4]), int(rows[0][-3])
            self.assertEqual(wanted, 8 * 173, rows)
            self.assertGreaterEqual(size, wanted, rows)


class AManagerThatIsGone(unittest.TestCase):

    def test_is_forgotten_and_another_has_its_labels(self):
        with lab_up(topology=PAPER_TOPOLOGY, managers=2, labels_per_port=40,
                    more={"xbind-cmgr": [("default", "label-cache", "30")]}) as lab:
            def ctl(*words, code=0):
                done = tool(lab, "xbindctl", *words)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                return done.stdout + done.stderr

            first, second, third = (connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE))
                                    for _ in range(3))
            self.assertIn("released", ctl("clear", second, "--force"))
            self.assertIn("unknown connection", ctl("clear", second, "--force", code=1))
            early = tool(lab, "xbindctl", "forget-manager", "all", "default")
            self.assertEqual(early.returncode, 1)
            self.assertIn("is attached", early.stderr)
            self.assertEqual(early.stderr.count("advice: if the manager was killed, repeat this "
                                                "when its lease is over"), 1, early.stderr)
            # The manager is killed. The SwitchServers see that its connection is gone, or its lease
            # expires.
            process = lab.processes.pop("xbind-cmgr")
            os.kill(process.pid, signal.SIGKILL)
            wait_until(lambda: "absent" in tool(lab, "xbindctl", "managers", MIDDLE).stdout,
                       "its session is over", 40)
            wait_until(lambda: tool(lab, "xbindctl", "clear", third, "--force").returncode == 0,
                       "a call of it is cleared", 40)
            self.assertRegex(ctl("managers", MIDDLE), rf"{MIDDLE} +default +absent +1 ")
            wait_until(lambda: tool(lab, "xbindctl", "forget-manager", "all",
                                    "default").returncode == 0, "it can be forgotten", 40)
            # One of 40 labels carries the dead manager's call; the other manager can use the rest.
            lab.manager_names = lambda: ["manager-2"]
            done, summary = offer(lab, Load(calls=60, rate=400, hold=20), timeout=150)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 39, summary["refusals"])
            self.assertEqual(summary["refusals"], {"no label": 21})
            self.assertRegex(ctl("managers", MIDDLE), rf"{MIDDLE} +default +forgotten +1 ")
            self.assertIn("1 hop of manager 'default' removed",
                          ctl("forget-manager", "all", "default", "--release"))
            self.assertNotIn("default", ctl("managers", "all"))
            self.assertNotIn(first, ctl("list", "--manager", "manager-2"))
            ctl("audit", "--manager", "manager-2")


# The base class is no test by itself.
del OnARing

if __name__ == "__main__":
    unittest.main()
