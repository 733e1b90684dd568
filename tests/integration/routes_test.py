#!/usr/bin/env python3
"""RouteObject's operator interface: paths, links and drains."""

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import


class Routes(InOneLab):

    def ctl(self, *words):
        return tool(self.lab, "xbindctl", *words)

    def done(self, *words):
        done = self.ctl(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def states(self):
        """The third column of the table of links."""
        return [line.split()[2] for line in self.done("links").splitlines()[1:]]

    def test_a_path_is_shown_hop_by_hop(self):
        shown = self.done("routes", CALLER, CALLEE, "--cells-per-s", "400", "--metric", "load",
                          "--alternates", "3", "--require", MIDDLE)
        for words in ("path 1      3 switches", f"hop 1     {MIDDLE}", "to be kept for 5000 ms"):
            self.assertIn(words, shown)
        self.assertNotIn("path 2", shown)  # there is no other path

    def test_a_path_that_is_not_there_is_refused_with_its_reason(self):
        for words, said in (
                (["--cells-per-s", "353208"], "no bandwidth: asked 353208 cells/s"),
                (["--links-max", "1"], "path bound: asked at most 1 links"),
                (["--avoid", f"{MIDDLE}:1"], f"no route: no path joins '{CALLER}' and '{CALLEE}'"),
                (["--disjoint", "links"], "no route:"),
                (["--require", "switch-9:1"], "invalid request:")):
            with self.subTest(" ".join(words)):
                refused = self.ctl("routes", CALLER, CALLEE, *words)
                self.assertEqual(refused.returncode, 1, refused.stdout)
                self.assertIn(said, refused.stderr)

    def test_a_drained_link_is_on_no_path(self):
        self.assertEqual(self.states(), ["up", "up"])
        self.assertIn("drained", self.done("drain", MIDDLE, "2"))
        try:
            self.assertEqual(self.states(), ["up", "drained"])
            refused = self.ctl("routes", CALLER, CALLEE)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("no route", refused.stderr)
        finally:
            self.done("undrain", MIDDLE, "2")
        self.assertEqual(self.states(), ["up", "up"])
        self.done("routes", CALLER, CALLEE)

    def test_a_drained_switch_has_all_its_links_drained(self):
        self.done("drain", MIDDLE)
        try:
            self.assertEqual(self.states(), ["drained", "drained"])
        finally:
            self.done("undrain", MIDDLE)
        self.assertEqual(self.states(), ["up", "up"])

    def test_a_line_that_is_cut_is_on_no_path_until_it_is_mended(self):
        control = control_of(self.lab, MIDDLE)
        self.assertEqual(run("xbind-switch", "tell", control, "line", "2", "down").returncode, 0)
        try:
            # The switch sends its SwitchServer an event, and the SwitchServer reports to
            # RouteObject.
            wait_until(lambda: self.states() == ["up", "down"], "the link is down")
            refused = self.ctl("routes", CALLER, CALLEE)
            self.assertEqual(refused.returncode, 1)
            self.assertIn("no route", refused.stderr)
        finally:
            run("xbind-switch", "tell", control, "line", "2", "up")
        wait_until(lambda: self.states() == ["up", "up"], "the link is up")
        self.done("routes", CALLER, CALLEE)

    def refused(self, *words, says):
        done = self.ctl(*words)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(says, done.stderr)

    def test_a_refusal_for_a_drain_names_it(self):
        self.done("drain", MIDDLE, "2")
        try:
            self.refused("routes", CALLER, CALLEE, says=f"; drained: {MIDDLE} port 2")
            self.refused("connect", CALLER, CALLEE, says=f"no route at drained {MIDDLE} port 2")
            self.refused("prepare", CALLER, CALLEE, "--count", "3",
                         says=f"no route: no path joins '{CALLER}' and '{CALLEE}'; "
                              f"drained: {MIDDLE} port 2")
        finally:
            self.done("undrain", MIDDLE, "2")

    def listed(self):
        return self.done("list").splitlines()[1:]

    def prepared(self):
        return counter(self.done("status"), "prepared")

    def test_no_connection_prepared_in_advance_leads_through_what_is_drained(self):
        self.done("prepare", CALLER, CALLEE, "--count", "2")
        wait_until(lambda: self.prepared() == 2, "two are ready")
        self.done("drain", MIDDLE)
        try:
            wait_until(lambda: self.prepared() == 0, "the pool is empty")
            self.refused("connect", CALLER, CALLEE, says=f"no route at drained {MIDDLE}")
            self.assertEqual(self.listed(), [])
        finally:
            self.done("undrain", MIDDLE)
        wait_until(lambda: self.prepared() == 2, "the pool has filled itself again")
        self.done("prepare", CALLER, CALLEE, "--count", "0")
        wait_until(lambda: self.listed() == [], "none is kept")

    def test_names_that_are_not_there_are_refused(self):
        self.refused("prepare", CALLER, "nowhere", "--count", "3", says="unknown endpoint: ")
        self.refused("prepare", CALLER, "nowhere", "--count", "3", says="'nowhere'")
        self.refused("routes", CALLER, CALLEE, "--avoid", "nowhere",
                     says="avoid: there is no switch 'nowhere'")
        self.refused("routes", CALLER, CALLEE, "--avoid", f"{MIDDLE}:77",
                     says=f"avoid: no link leaves port 77 of '{MIDDLE}'")

    def test_links_say_how_old_what_is_free_is(self):
        wait_until(lambda: "not reported" not in self.done("links"), "all have reported")
        table = self.done("links").splitlines()
        self.assertIn("reported", table[0])
        for row in table[1:]:
            self.assertRegex(row, r" [0-9]+\.[0-9] s ago ")

    def test_status_has_words(self):
        status = self.done("status")
        self.assertRegex(status, r"(?m)^engine +xbind$")
        self.assertRegex(status, r"(?m)^aggregation_mode +(fixed|regions|adaptive)$")

    def test_what_is_not_there_cannot_be_drained(self):
        for words, said in ((["drain", "switch-9"], "switch-9"), (["undrain", MIDDLE, "77"], "77"),
                            (["links", "--routeobject", "nobody"], "nobody")):
            with self.subTest(" ".join(words)):
                refused = self.ctl(*words)
                self.assertEqual(refused.returncode, 1, refused.stdout)
                self.assertIn(said, refused.stderr)


class PreparedAtTheStart(InOneLab):
    LAB = {"more": {"xbind-cmgr": [(None, "prepare", f"{CALLER}>{CALLEE}:100:2"),
                                   (None, "prepare", f"nowhere>{CALLEE}:100:2")]}}

    def test_what_is_no_endpoint_is_named_and_the_others_are_ready(self):
        wait_until(lambda: counter(tool(self.lab, "xbindctl", "status").stdout, "prepared") == 2,
                   "two are ready")
        log = self.lab.processes["xbind-cmgr"].output()
        self.assertIn(f"--prepare nowhere>{CALLEE}: none is ready until there is a path: "
                      "unknown endpoint", log)
        self.assertNotIn(f"--prepare {CALLER}>{CALLEE}", log.split("options:")[1].split("\n", 1)[1])


if __name__ == "__main__":
    unittest.main()
