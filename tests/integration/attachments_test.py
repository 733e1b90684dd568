#!/usr/bin/env python3
"""Calls that take certain frames at an end: the label of the end says which (decision 0066).

The line of host-b has MPLS labels from 16 on. The emulated switches carry cells, so what is tested
is the control plane: who gets which label, and who is refused.
"""

import re
import signal

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

MIXED = ROOT / "deploy" / "topologies" / "mixed.toml"


class Attachments(InOneLab):

    LAB = {"topology": MIXED, "labels_per_port": 8_400}  # mpls 16 to 8415

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def tearDown(self):
        self.ctl("release", "--all")
        self.assertIn("clean", self.ctl("audit"))

    def test_the_frames_are_the_label_at_the_end(self):
        # xbindctl --> cmgr: connect, VLAN 100 at host-b
        text = self.ctl("connect", CALLER, CALLEE, "--to-traffic", "vlan 100")
        self.assertRegex(text, r"ingress label 0/\d+, egress label mpls 4196$")
        shown = self.ctl("describe", text.split()[0])
        self.assertIn(f"as frames   vlan 100 at {CALLEE}\n", shown)
        self.assertRegex(shown, r"-> port 1 label mpls 4196\n")
        # The other way, and in both directions: input and output labels are separate.
        text = self.ctl("connect", CALLEE, CALLER, "--from-traffic", "vlan 100")
        self.assertIn("ingress label mpls 4196, egress label 0/", text)
        text = self.ctl("connect", CALLER, CALLEE, "--both", "--to-traffic", "class 7")
        self.assertRegex(text, r"egress label mpls 8199; reverse ingress label mpls 8199, egress")

    def test_frames_belong_to_one_call(self):
        first = self.ctl("connect", CALLER, CALLEE, "--to-traffic", "port")
        self.assertIn("egress label mpls 16", first)
        text = self.ctl("connect", CALLER, CALLEE, "--to-traffic", "port", code=1)
        self.assertIn(f"no label at {CALLEE} port 1: the label mpls 16 of 'port' is taken", text)
        # A call that wants no frames gets another label.
        other = self.ctl("connect", CALLER, CALLEE)
        self.assertRegex(other, r"egress label mpls (?!16$)\d+")
        self.ctl("release", first.split()[0])
        self.assertIn("egress label mpls 16",
                      self.ctl("connect", CALLER, CALLEE, "--to-traffic", "port"))

    def test_a_hold_has_the_label_from_the_start(self):
        held = self.ctl("connect", CALLEE, CALLER, "--from-traffic", "vlan 5", "--hold", "60")
        text = self.ctl("connect", CALLEE, CALLER, "--from-traffic", "vlan 5", code=1)
        self.assertIn("the label mpls 4101 of 'vlan 5' is taken", text)
        self.assertIn("ingress label mpls 4101", self.ctl("commit", held.split()[0]))

    def test_a_line_without_such_labels_refuses(self):
        text = self.ctl("connect", CALLER, CALLEE, "--from-traffic", "port", code=1)
        self.assertIn(f"invalid request at {CALLER} port 1: the label mpls 16 of 'port' is none of "
                      "the port's", text)
        text = self.ctl("connect", CALLER, CALLEE, "--to-traffic", "class 4095", code=1)
        self.assertIn("the label mpls 12287 of 'class 4095' is none of the port's", text)


class RestartedManager(unittest.TestCase):

    def test_a_manager_that_comes_back_has_the_labels(self):
        with lab_up(topology=MIXED, labels_per_port=8_400) as lab:
            def ctl(*words):
                done = tool(lab, "xbindctl", *words)
                return done.stdout + done.stderr
            up = re.match(r"\d+", ctl("connect", CALLER, CALLEE, "--to-traffic", "vlan 9")).group()
            held = re.match(r"\d+", ctl("connect", CALLEE, CALLER, "--from-traffic", "vlan 9",
                                        "--hold", "600")).group()
            manager = lab.processes["xbind-cmgr"]
            manager.signal(signal.SIGKILL)
            wait_until(lambda: not manager.alive(), "the manager has ended")
            lab.start(manager.name)
            lab.wait_ready(manager)
            wait_until(lambda: f"vlan 9 at {CALLEE}" in ctl("describe", up), "the call is back")
            wait_until(lambda: "ingress label mpls 4105" in ctl("commit", held), "the hold is up")
            wait_until(lambda: "clean" in ctl("audit"), "nothing is left over")


if __name__ == "__main__":
    unittest.main()
