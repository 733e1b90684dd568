#!/usr/bin/env python3
"""`xbindctl ping`: loopback cells through calls in a lab of real processes, and through tables and
lines that another controller or an operator has changed behind the manager's back.
"""

import re
import socket
import tempfile
from dataclasses import replace
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from gsmp_client import Branch, Switch
from labkit import control  # noqa: E402

# A silent point costs the timeout; an answer takes far less, also on a busy machine.
QUICK = ["--count", "3", "--interval-ms", "1", "--timeout-ms", "1000"]
PATIENT = ["--count", "3", "--interval-ms", "1", "--timeout-ms", "5000"]
MIXED = ROOT / "deploy" / "topologies" / "mixed.toml"


class PingTest(InOneLab):

    def connect(self, *more):
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, *more)
        call = connection_of(done)
        self.addCleanup(tool, self.lab, "xbindctl", "release", call)
        return call

    def ping(self, call, *more):
        return tool(self.lab, "xbindctl", "ping", call, *more)

    def points(self, done):
        """{"host-a port 1 in": lost} of a table; cells sent to each must be 3."""
        found = {}
        for line in done.stdout.splitlines():
            row = re.match(r"(\S+) +(port \d+ (?:in|out)) +(?:\d+/\d+|mpls \d+) +(\d+) +(\d+) ",
                           line)
            if row:
                self.assertEqual(row[3], "3", line)
                found[f"{row[1]} {row[2]}"] = int(row[4])
        return found

    def assert_all_answer(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(self.points(done).values()), {0}, done.stdout)
        self.assertRegex(done.stdout, r"\ncells pass to host-b port \d out, .*: 18 of 18 came back")

    def assert_refused(self, done, words):
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn(words, done.stderr)

    def branch(self, node):
        """The only branch of a switch."""
        (branch,) = Switch(switch_address(self.lab, node)).table()
        return branch


class Ping(PingTest):

    # What is deleted stays away until the test adds it.
    LAB = {"more": {"xbind-switchserver": [(None, "table-round-ms", "0")]}}

    def test_every_point_of_a_call_answers(self):
        call = self.connect()
        done = self.ping(call, *PATIENT)
        self.assert_all_answer(done)
        self.assertEqual(list(self.points(done)),
                         ["host-a port 1 in", "host-a port 2 out", "switch-1 port 1 in",
                          "switch-1 port 2 out", "host-b port 2 in", "host-b port 1 out"])
        # The cells of each connection are counted: those to the five points behind host-a's input.
        label = re.search(r"host-a +port 1 in +(\S+)", done.stdout)[1]
        self.assertIn(f"port 1 label {label}: 15 cells in",
                      tool(self.lab, "xbindctl", "count", CALLER, "1", label).stdout)
        self.assert_all_answer(self.ping(self.connect("--both"), *PATIENT))

    def test_a_cross_connect_that_was_deleted(self):
        call = self.connect()
        branch = self.branch(MIDDLE)
        switch = Switch(switch_address(self.lab, MIDDLE))
        switch.delete(branch)
        done = self.ping(call, *QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertEqual(list(self.points(done).values()), [0, 0, 0, 3, 3, 3], done.stdout)
        self.assertIn("cells stop in switch-1: they come in at port 1 with label 0/", done.stdout)
        switch.add(branch)
        self.assert_all_answer(self.ping(call, *PATIENT))

    def test_a_cross_connect_with_another_label(self):
        call = self.connect()
        branch = self.branch(MIDDLE)
        wrong = replace(branch, output_label=(0, 900))
        switch = Switch(switch_address(self.lab, MIDDLE))
        switch.delete(branch)
        switch.add(wrong)
        done = self.ping(call, *QUICK)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, "cells stop in switch-1: .* and none leaves at port 2 with "
                         f"label 0/{branch.output_label[1]}\n")
        switch.delete(wrong)
        switch.add(branch)

    def test_a_cross_connect_of_the_last_switch_to_another_port(self):
        call = self.connect()
        branch = self.branch(CALLEE)
        wrong = Branch(branch.input_port, branch.input_label, 2, (0, 900))
        switch = Switch(switch_address(self.lab, CALLEE))
        switch.delete(branch)
        switch.add(wrong)
        self.assertIn("cells stop in host-b: ", self.ping(call, *QUICK).stdout)
        switch.delete(wrong)
        switch.add(branch)

    def test_a_link_that_is_cut(self):
        call = self.connect()
        link = control.link_at(self.lab, MIDDLE, 2)
        self.addCleanup(control.set_link, self.lab, link, True)
        control.set_link(self.lab, link, False)
        # No other path: the manager keeps the call, and says what is down.
        wait_until(lambda: "switch-1 port 2" in self.described(call), "the manager knows")
        done = self.ping(call, *QUICK)
        self.assertEqual(list(self.points(done).values()), [0, 0, 0, 0, 3, 3], done.stdout)
        self.assertIn("cells stop between switch-1 port 2 and host-b port 2: ", done.stdout)
        control.set_link(self.lab, link, True)
        wait_until(lambda: "switch-1 port 2" not in self.described(call), "the link is up again")
        self.assert_all_answer(self.ping(call, *PATIENT))

    def described(self, call):
        return tool(self.lab, "xbindctl", "describe", call).stdout

    def test_refusals(self):
        self.assert_refused(self.ping("4711"), "4711")
        held = self.connect_held()
        self.assert_refused(self.ping(held), f"{held} is held; ping needs a connection that is "
                                             "connected")
        call = self.connect()
        other = f"{CALLEE}={self.lab.endpoints[CALLEE]}"
        self.assert_refused(self.ping(call, "--host-lines", other),
                            "--host-lines has no line of host-a")
        self.assert_refused(
            self.ping(call, "--host-lines", f"{CALLER}=lsp:127.0.0.1:6635/127.0.0.1:6636"),
            "lsp:127.0.0.1:6635/127.0.0.1:6636, does not carry cells with label 0/")

    def connect_held(self):
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE, "--hold", "60")
        held = done.stdout.split()[0]
        self.addCleanup(tool, self.lab, "xbindctl", "release", held)
        return held

    def test_a_line_that_another_process_holds(self):
        call = self.connect()
        host, port = self.lab.endpoints[CALLER].split(":", 1)[1].split("/")[0].rsplit(":", 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as other:
            other.bind((host, int(port)))
            self.assert_refused(self.ping(call), "the line of host-a cannot be opened; does "
                                                 "another process hold it? ")
        self.assert_all_answer(self.ping(call, *PATIENT))


class PingOverMpls(PingTest):

    LAB = {"topology": MIXED}

    def test_labels_of_both_kinds(self):
        done = self.ping(self.connect(), *PATIENT)
        self.assert_all_answer(done)
        self.assertRegex(done.stdout, r"switch-1 +port 2 out +mpls \d+ ")


class LongLine(unittest.TestCase):

    def test_a_cell_takes_the_lines_delay_each_way(self):
        with tempfile.TemporaryDirectory() as directory:
            topology_file = Path(directory) / "long-line.toml"
            topology_file.write_text(
                'name = "long-line"\n'
                + "".join(f'[[switch]]\nname = "{name}"\nendpoint = true\n'
                          for name in (CALLER, CALLEE))
                + f'[[link]]\nbetween = ["{CALLER}:2", "{CALLEE}:2"]\ncells-per-s = 353207\n'
                  'delay-us = 5000\n')
            with lab_up(topology=topology_file) as lab:
                call = connection_of(tool(lab, "xbindctl", "connect", CALLER, CALLEE))
                done = tool(lab, "xbindctl", "ping", call, *PATIENT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        fastest = {f"{name} {port}": float(us) for name, port, us in re.findall(
            r"^(\S+) +(port \d in|port \d out) +\S+ +3 +0 +([0-9.]+)", done.stdout, re.MULTILINE)}
        self.assertEqual(len(fastest), 4, done.stdout)
        for near in (f"{CALLER} port 1 in", f"{CALLER} port 2 out"):
            self.assertLess(fastest[near], 10_000, done.stdout)
        for far in (f"{CALLEE} port 2 in", f"{CALLEE} port 1 out"):
            self.assertGreaterEqual(fastest[far], 10_000, done.stdout)


if __name__ == "__main__":
    unittest.main()
