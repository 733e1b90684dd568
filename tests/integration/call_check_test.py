#!/usr/bin/env python3
"""One call is validated and mended, hop by hop; other calls are left alone.

A second controller deletes and changes cross-connects of the switches without the knowledge of
their SwitchServers.
"""

import json

import xbindctl_schemas
from gsmp_client import Branch, Switch
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import


class OneCall(InOneLab):

    # What is deleted stays away until somebody acts.
    LAB = {"more": {"xbind-switchserver": [(None, "table-round-ms", "0")]}}

    def setUp(self):
        self.switch = Switch(switch_address(self.lab, MIDDLE))
        self.connection, self.branch = self.connect()
        self.other, self.other_branch = self.connect()

    def tearDown(self):
        tool(self.lab, "xbindctl", "release", "--all")
        for branch in self.switch.table():
            self.switch.delete(branch)

    def connect(self):
        """A call, and its branch in the middle switch."""
        before = self.switch.table()
        done = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE)
        self.assertEqual(done.returncode, 0, done.stderr)
        [branch] = self.switch.table() - before
        return connection_of(done), branch

    def document(self, code, *words):
        done = tool(self.lab, "xbindctl", *map(str, words), "--json")
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return xbindctl_schemas.checked(words[0], done.stdout)

    def wrong_hops(self, document):
        """Switch and kinds of findings of each hop that has some."""
        return [(hop["switch"], [finding["kind"] for finding in hop["findings"]])
                for hop in document["hops"] if hop["findings"]]

    def test_a_call_that_is_right(self):
        done = tool(self.lab, "xbindctl", "validate", self.connection)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^right: ")
        self.assertEqual(done.stdout.count("manager yes, ledger yes, switch yes"), 3, done.stdout)
        checked = self.document(0, "validate", self.connection)
        self.assertEqual((checked["verdict"], self.wrong_hops(checked)), ("right", []))
        synced = self.document(0, "sync", self.connection)
        self.assertIsNone(synced["after"])

    def test_exactly_the_hop_that_is_gone_is_found_and_put_back(self):
        self.switch.delete(self.branch)
        checked = self.document(1, "validate", self.connection)
        self.assertEqual(checked["verdict"], "DIFFERS")
        self.assertEqual(self.wrong_hops(checked), [(MIDDLE, ["missing cross-connect"])])
        [hop] = [hop for hop in checked["hops"] if hop["switch"] == MIDDLE]
        self.assertEqual((hop["in_manager"], hop["in_ledger"], hop["in_switch"]),
                         (True, True, False))
        self.document(0, "validate", self.other)
        planned = self.document(1, "sync", self.connection, "--dry-run")
        self.assertIsNone(planned["after"])
        self.assertEqual(self.switch.table(), {self.other_branch}, "nothing is done yet")
        done = tool(self.lab, "xbindctl", "sync", self.connection)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("-> is put back into the switch", done.stdout)
        self.assertEqual(self.switch.table(), {self.branch, self.other_branch})
        self.document(0, "validate", self.connection)

    def test_cells_pass_again(self):
        self.switch.delete(self.branch)
        self.assertEqual(self.ping("--timeout-ms", 1000).returncode, 1)
        self.document(0, "sync", self.connection)
        done = self.ping("--timeout-ms", 5000)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def ping(self, *more):
        return tool(self.lab, "xbindctl", "ping", self.connection, "--count", "3",
                    "--interval-ms", "1", *map(str, more))

    def test_the_other_calls_stay_as_they_are(self):
        self.switch.delete(self.branch)
        self.switch.delete(self.other_branch)
        self.document(0, "sync", self.connection)
        self.assertEqual(self.switch.table(), {self.branch})
        checked = self.document(1, "validate", self.other)
        self.assertEqual(self.wrong_hops(checked), [(MIDDLE, ["missing cross-connect"])])

    def test_a_hop_that_leads_elsewhere_is_led_back(self):
        self.switch.delete(self.branch)
        self.switch.add(Branch(self.branch.input_port, self.branch.input_label,
                               self.branch.output_port, (0, 997)))
        checked = self.document(1, "validate", self.connection)
        self.assertEqual(self.wrong_hops(checked), [(MIDDLE, ["changed cross-connect"])])
        synced = self.document(0, "sync", self.connection)
        self.assertEqual(synced["after"]["verdict"], "right")
        self.assertEqual(self.switch.table(), {self.branch, self.other_branch})

    def test_a_branch_too_many_is_removed_and_a_stranger_stays(self):
        stranger = Branch(1, (0, 999), 2, (0, 998))
        self.switch.add(stranger)
        self.document(0, "validate", self.connection)
        self.switch.add(Branch(self.branch.input_port, self.branch.input_label, 1, (0, 997)))
        checked = self.document(1, "validate", self.connection)
        self.assertEqual(self.wrong_hops(checked), [(MIDDLE, ["stray cross-connect"])])
        self.document(0, "sync", self.connection)
        self.assertEqual(self.switch.table(), {self.branch, self.other_branch, stranger})

    def test_a_hold_is_in_the_ledgers_alone(self):
        held = self.document(0, "connect", CALLER, CALLEE, "--hold", 60)["id"]
        checked = self.document(0, "validate", held)
        self.assertEqual([hop["in_switch"] for hop in checked["hops"]], [False] * 3)
        self.assertEqual([hop["in_ledger"] for hop in checked["hops"]], [True] * 3)

    def test_no_such_call(self):
        for command in ("validate", "sync"):
            done = tool(self.lab, "xbindctl", command, "7", "--json")
            self.assertEqual(done.returncode, 1)
            self.assertEqual(json.loads(done.stdout)["error"]["name"], "not found")
        done = tool(self.lab, "xbindctl", "validate")
        self.assertEqual(done.returncode, 2)


class OneCallOverVersion1(OneCall):
    """Activity of single labels shows their entries. The second controller uses version 3."""

    LAB = {"more": {"xbind-switchserver": [(None, "gsmp-versions", "1"),
                                           (None, "table-round-ms", "0")]}}

    # Version 1.1 shows neither where entries lead nor their branches.
    test_a_hop_that_leads_elsewhere_is_led_back = None
    test_a_branch_too_many_is_removed_and_a_stranger_stays = None


if __name__ == "__main__":
    unittest.main()
