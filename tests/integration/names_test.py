#!/usr/bin/env python3
"""The name service: what is bound there, and daemons that were there before it."""

import shutil
import time

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

BOUND = ["xbind/cmgr/default", "xbind/qosmapper/default", "xbind/routeobject/default",
         f"xbind/switchserver/{CALLER}", f"xbind/switchserver/{CALLEE}",
         f"xbind/switchserver/{MIDDLE}"]


class Names(InOneLab):

    def test_omniorbs_own_tool_lists_the_servants(self):
        listed = tool(self.lab, "nameclt", "list", "xbind/switchserver")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(set(listed.stdout.split()), {CALLER, MIDDLE, CALLEE})
        for kind in ("cmgr", "routeobject", "qosmapper"):
            self.assertEqual(tool(self.lab, "nameclt", "list", f"xbind/{kind}").stdout.split(),
                             ["default"])

    def test_our_tool_lists_and_waits(self):
        listed = tool(self.lab, "xbind-names", "list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        for name in BOUND:
            self.assertIn(name, listed.stdout)
        waited = tool(self.lab, "xbind-names", "wait", *BOUND, "--timeout", "5")
        self.assertEqual(waited.returncode, 0, waited.stderr)

    def test_waiting_for_what_never_comes_ends_with_its_name(self):
        waited = tool(self.lab, "xbind-names", "wait", "xbind/cmgr/nobody", "--timeout", "0.3")
        self.assertEqual(waited.returncode, 1)
        self.assertIn("xbind/cmgr/nobody", waited.stderr)


class Clearing(unittest.TestCase):

    def test_clear_takes_away_what_is_named(self):
        with lab_up() as lab:
            cleared = tool(lab, "xbind-names", "clear", f"xbind/switchserver/{CALLEE}")
            self.assertEqual(cleared.returncode, 0, cleared.stderr)
            left = tool(lab, "nameclt", "list", "xbind/switchserver").stdout.split()
            self.assertEqual(set(left), {CALLER, MIDDLE})


class NameServiceComesAndGoes(unittest.TestCase):

    def test_daemons_wait_for_it(self):
        with planned_lab() as lab:
            lab.clean()
            lab.plan(topology.describe(BIN, PAPER_TOPOLOGY))
            servants = [name for name in lab.processes if name != "omniNames"]
            lab.start(*servants)
            time.sleep(1.0)  # long enough to have given up
            for name in servants:
                self.assertTrue(lab.processes[name].alive(), name)
                if not name.startswith("xbind-switch/"):
                    self.assertNotIn(" ready\n", lab.processes[name].output(), name)
            lab.start("omniNames")
            for name in servants:
                lab.wait_ready(lab.processes[name])
            self.assertEqual(bound(lab), set(BOUND))

    def test_daemons_bind_again_when_it_has_lost_its_memory(self):
        with lab_up() as lab:
            self.assertEqual(end([lab.processes["omniNames"]]), [])
            names = lab.state_dir / "names"
            shutil.rmtree(names)
            names.mkdir()
            lab.start("omniNames")
            lab.wait_ready(lab.processes["omniNames"])
            wait_until(lambda: bound(lab) == set(BOUND), "all servants are bound again")
            done, summary = offer(lab, Load(calls=50, rate=200))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 50)


def bound(lab):
    listed = tool(lab, "xbind-names", "list").stdout
    return {name for name in BOUND if name in listed}


if __name__ == "__main__":
    unittest.main()
