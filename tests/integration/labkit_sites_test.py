#!/usr/bin/env python3
"""The plan of a lab with sites (deploy/labkit/sites.py): which process is where, with which
addresses. Starts no process of a lab."""

import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import hosts, sites
from labkit.process import LabError
from planned_labs import planned

TWO = ROOT / "deploy" / "sites" / "two.toml"
PAPER = {
    "name": "paper", "demands": [],
    "switches": [{"name": name, "endpoint": name.startswith("host"), "ports": 2,
                  "port_cells_per_s": [1000, 1000],
                  **({"media": {"cells": "mpls"}} if name.startswith("host") else {})}
                 for name in ("host-a", "switch-1", "host-b")],
    "links": [{"a": {"switch": one, "port": 2}, "b": {"switch": "switch-1", "port": port},
               "cells_per_s": 1000, "media": {"cells": "mpls"}}
              for port, one in ((1, "host-a"), (2, "host-b"))],
}


class Sites(unittest.TestCase):

    def file(self, text):
        file = Path(self.enterContext(tempfile.TemporaryDirectory())) / "sites.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def plan(self, file=TWO, **changes):
        return planned(PAPER, sites=file, **changes)

    def refused(self, file, *words, **changes):
        with self.assertRaises(LabError) as refused:
            self.plan(file, **changes)
        for word in words:
            self.assertIn(word, str(refused.exception))

    def place(self, lab, name):
        """(site, the words of the program) of a planned process."""
        command = lab.processes[name].command
        self.assertEqual(command[:3], ["ip", "netns", "exec"])
        return command[3].removeprefix(lab.network.prefix + "-"), command[4:]

    def test_each_process_is_at_its_site(self):
        lab = self.plan()
        at = {name: self.place(lab, name)[0] for name in lab.processes}
        self.assertEqual({name for name, site in at.items() if site == "paris"},
                         {"xbind-switch/switch-1", "xbind-switch/host-b",
                          "xbind-switchserver/switch-1", "xbind-switchserver/host-b"})
        self.assertEqual(set(at.values()), {"london", "paris"})
        self.assertEqual(next(iter(lab.ranks()))[0].name, "xbind-wan")

    def test_addresses_are_those_of_the_sites(self):
        lab = self.plan()
        self.assertEqual(lab.names_address(), "10.78.1.1:2809")
        self.assertEqual(self.place(lab, "omniNames")[1][-1], "giop:tcp:10.78.1.1:2809")
        switch = self.place(lab, "xbind-switch/host-b")[1]
        self.assertEqual(switch[switch.index("--listen") + 1], "10.78.2.3:6068")
        server = self.place(lab, "xbind-switchserver/host-b")[1]
        self.assertEqual(server[server.index("--switch") + 1], "10.78.2.3:6068")
        self.assertEqual(server[server.index("--listen-address") + 1], "10.78.2.1")
        self.assertEqual(lab.client_environment()["XBIND_LISTEN_ADDRESS"], "10.78.1.1")
        self.assertNotIn("--listen-address", switch)

    def test_lines_between_sites_use_addresses_of_the_nodes(self):
        lab = self.plan()
        self.assertIn("mpls, UDP 10.78.1.2:6635 and 10.78.2.2:6635, label 1001",
                      [how for _, how in lab.lines])
        self.assertEqual(set(lab.endpoints), {"host-a"})  # no client is at host-b's site

    def test_clients_run_at_their_site_or_at_a_named_one(self):
        lab = self.plan()
        prefix = ["ip", "netns", "exec"]
        name = lab.network.prefix
        self.assertEqual(lab.client_command(["x"]), [*prefix, f"{name}-london", "x"])
        self.assertEqual(lab.client_command(["x"], "paris"), [*prefix, f"{name}-paris", "x"])
        with self.assertRaisesRegex(LabError, "no site of this lab is 'rome'; there are london"):
            lab.client_command(["x"], "rome")
        with self.assertRaisesRegex(LabError, "this lab has no sites"):
            planned(PAPER).client_command(["x"], "london")
        self.assertEqual(planned(PAPER).client_command(["x"]), ["x"])

    def test_programs_have_a_site_also(self):
        text = TWO.read_text().replace('nodes = ["switch-1", "host-b"]',
                                       'nodes = ["switch-1", "host-b"]\n'
                                       'programs = ["xbind-cmgr/manager-2", "clients"]')
        lab = self.plan(self.file(text), managers=2)
        self.assertEqual(self.place(lab, "xbind-cmgr/manager-2")[0], "paris")
        self.assertEqual(self.place(lab, "xbind-cmgr")[0], "london")
        self.assertEqual(set(lab.endpoints), {"host-b"})
        self.refused(self.file(text), "xbind-cmgr/manager-2", "omniNames, xbind-switch/host-a")

    def test_options_of_the_wan(self):
        words = self.place(self.plan(more={"xbind-wan": [(None, "seed", "7")]}), "xbind-wan")[1]
        self.assertIn("--seed=7", words)
        self.assertEqual(Path(words[words.index("--sites") + 1]), TWO)
        with self.assertRaisesRegex(LabError, "--wan-option goes with --sites"):
            planned(PAPER, more={"xbind-wan": [(None, "seed", "7")]})

    def test_what_does_not_fit(self):
        text = TWO.read_text()
        self.refused(self.file(text.replace('"host-b"', '"host-c"')), "the node host-c, which the "
                     "topology does not have")
        self.refused(self.file(text.replace(', "host-b"', "")), "no site has the node host-b")
        self.refused(self.file(text.replace("0.02", "2")), "sites.toml line 19: option --loss")
        self.refused(self.file("x = 1\n"), "sites.toml line 1")
        for option in ("console", "metrics", "hosts"):
            self.refused(TWO, f"--{option} does not go with --sites", **{option: True})

    def test_switches_that_share_a_process_are_at_one_site(self):
        at = {"a": 1, "b": 1, "c": 2, "d": 2, "e": 2}
        groups = hosts.groups(list(at), 4, (), at.get)
        self.assertEqual([group.names for group in groups], [["a", "b"], ["c", "d", "e"]])
        lab = self.plan(nodes_per_process=3)
        self.assertEqual([name for name in lab.processes if name.startswith("xbind-switch/")],
                         ["xbind-switch/host-a", "xbind-switch/nodes-2-to-3"])

    def test_a_record_is_read_back(self):
        network = self.plan().network
        self.assertIsNone(network.record())  # nothing is made
        network.claimed = True
        again = sites.from_record(network.record())
        self.assertEqual(again, network)
        self.assertEqual(again.namespaces(), [f"{network.prefix}-london",
                                              f"{network.prefix}-paris"])


if __name__ == "__main__":
    unittest.main()
