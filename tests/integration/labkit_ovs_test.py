#!/usr/bin/env python3
"""How a lab plans its Open vSwitch nodes (deploy/labkit/ovs.py): kinds of switches, command lines,
names, addresses. Starts no process and needs no Open vSwitch."""

import json
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control, hosts, network as networks, ovs, quickstart
from labkit.options import AGENT, ovs_options
from labkit.process import LabError
from planned_labs import option, planned

FRAMES = {"labels": "mpls", "cells": "none"}
LSP = {"labels": "mpls", "cells": "lsp"}


def switch(name, kind="ovs", endpoint=True, ports=2):
    made = {"name": name, "endpoint": endpoint, "ports": ports,
            "port_cells_per_s": [1000] * ports}
    if kind == "ovs":
        made["kind"] = kind
    if endpoint:
        made["media"] = FRAMES if kind == "ovs" else {"cells": "mpls"}
    return made


def link(one, port, other, other_port, media=None):
    return {"a": {"switch": one, "port": port}, "b": {"switch": other, "port": other_port},
            "cells_per_s": 1000, "media": media or FRAMES}


def mixed():
    """host-a:2 - 2:middle:3 - 2:host-b. The last one is emulated; the middle has no host."""
    return {"name": "mixed", "demands": [],
            "switches": [switch("host-a"), switch("middle", endpoint=False, ports=3),
                         switch("host-b", kind="emulated")],
            "links": [link("host-a", 2, "middle", 2), link("host-b", 2, "middle", 3)]}


class Processes(unittest.TestCase):

    def test_a_bridge_has_an_agent_in_the_place_of_an_emulated_switch(self):
        lab = planned(mixed())
        self.assertEqual(list(lab.processes), [
            "ovsdb-server", "ovs-vswitchd", "omniNames", "xbind-gsmp-ovs/host-a",
            "xbind-gsmp-ovs/middle", "xbind-switch/host-b", "xbind-switchserver/host-a",
            "xbind-switchserver/middle", "xbind-switchserver/host-b", "xbind-routeobject",
            "xbind-qosmapper", "xbind-cmgr"])
        agent = lab.process_of(AGENT, "host-a")
        self.assertEqual(agent.command[1:], [
            "--name", "host-a", "--listen", "127.0.1.1:6068",
            "--bridge", "unix:/nowhere/ovs/br1.mgmt", "--ports", "2", "--edge-ports", "1",
            "--port-labels", "2=mpls:16-1007", "--port-cells-per-s", "1=1000,2=1000"])
        self.assertRegex("xbind-gsmp-ovs host-a listening on 127.0.1.1:6068", agent.ready)
        server = lab.process_of("xbind-switchserver", "host-a")
        self.assertEqual(option(server.command, "switch"), "127.0.1.1:6068")

    def test_a_switch_without_hosts_has_no_edge_port(self):
        middle = planned(mixed()).process_of(AGENT, "middle").command
        self.assertNotIn("--edge-ports", middle)
        self.assertEqual(option(middle, "port-labels"), "2=mpls:16-1007,3=mpls:16-1007")

    def test_the_emulated_neighbour_has_mpls_labels_and_the_frames_of_the_bridge(self):
        lab = planned(mixed())
        emulated = lab.process_of("xbind-switch", "host-b").command
        self.assertEqual(option(emulated, "port-labels"), "2=mpls:16-1007")
        own, _, to_bridge = option(emulated, "links").partition(",")
        self.assertRegex(own, "^1=mpls:", "its host's line")
        self.assertEqual(to_bridge, f"2=frames:{lab.network.prefix}t1/labels")

    def test_it_may_also_have_a_host_with_frames(self):
        described = mixed()
        topology.set_hosts(described)
        lab = planned(described)
        prefix = lab.network.prefix
        emulated = lab.process_of("xbind-switch", "host-b").command
        self.assertEqual(option(emulated, "links"),
                         f"1=frames:{prefix}h3,2=frames:{prefix}t1/labels")
        self.assertEqual(lab.network.interfaces(), [f"{prefix}h3", f"{prefix}t1"])

    def test_they_start_before_the_agents_and_end_after_them(self):
        ranks = [[process.program for process in rank] for rank in planned(mixed()).ranks()]
        self.assertEqual(ranks[:3], [["ovsdb-server"], ["ovs-vswitchd"],
                                     ["omniNames", "xbind-switch", AGENT, AGENT]])
        self.assertEqual(ranks[-1], ["xbind-cmgr"])

    def test_they_stay_in_the_foreground(self):
        # Otherwise the lab would know the pid of a process that has ended.
        for name in ("ovsdb-server", "ovs-vswitchd"):
            command = planned(mixed()).processes[name].command
            self.assertEqual(command[:3], ["ip", "netns", "exec"])
            self.assertFalse([word for word in command if "detach" in word or "monitor" in word])

    def test_other_labs_have_none_of_it(self):
        described = mixed()
        topology.set_kind(described, "emulated")
        lab = planned(described)
        self.assertIsNone(lab.network)
        self.assertEqual(lab.ranks()[0][0].program, "omniNames")

    def test_options_of_agents(self):
        lab = planned(mixed(), more={AGENT: [("middle", "log-level", "debug")]})
        self.assertIn("--log-level=debug", lab.process_of(AGENT, "middle").command)
        self.assertNotIn("--log-level=debug", lab.process_of(AGENT, "host-a").command)
        with self.assertRaisesRegex(LabError, "xbind-switch middle: there is none .* is host-b"):
            planned(mixed(), more={"xbind-switch": [("middle", "window", "3")]})
        with self.assertRaisesRegex(LabError, "host-b: there is none .* are host-a, middle"):
            planned(mixed(), more={AGENT: [("host-b", "log-level", "debug")]})

    def test_edge_ports_have_no_labels(self):
        self.assertEqual(ovs_options(switch("a", ports=1), "unix:b", [1], 16),
                         {"bridge": "unix:b", "ports": 1, "edge-ports": "1",
                          "port-cells-per-s": "1=1000"})


class Groups(unittest.TestCase):

    def test_each_bridge_has_its_own_agent(self):
        made = hosts.groups(["a", "b", "c", "d", "e", "f"], 3, alone=["c"])
        self.assertEqual([(group.first, group.names) for group in made],
                         [(1, ["a", "b"]), (3, ["c"]), (4, ["d", "e", "f"])])
        alone = hosts.groups(list("abcd"), 4, alone=list("abcd"))
        self.assertEqual([len(group.names) for group in alone], [1, 1, 1, 1])

    def test_switchservers_share_processes_all_the_same(self):
        lab = planned(mixed(), nodes_per_process=3)
        self.assertEqual([name for name in lab.processes if name.startswith("xbind-sw")],
                         ["xbind-switch/host-b", "xbind-switchserver/nodes-1-to-3"])
        self.assertEqual(len([name for name in lab.processes if name.startswith(AGENT)]), 2)


class Kinds(unittest.TestCase):

    def test_all_switches_become_real(self):
        described = {"switches": [switch("a", "emulated"), switch("b", "emulated", endpoint=False)],
                     "links": [link("a", 2, "b", 1, {"cells": "plain", "addresses": ["x", "y"]})]}
        topology.set_kind(described, "ovs")
        self.assertEqual(topology.ovs_nodes(described["switches"]), ["a", "b"])
        self.assertEqual(described["switches"][0]["media"], FRAMES)
        self.assertNotIn("media", described["switches"][1])
        self.assertEqual(described["links"][0]["media"], FRAMES)

    def test_or_emulated(self):
        described = mixed()
        described["links"].append(link("host-b", 3, "far", 1, {"cells": "plain"}))
        topology.set_kind(described, "emulated")
        self.assertEqual(topology.ovs_nodes(described["switches"]), [])
        self.assertEqual([one["media"] for one in described["links"]],
                         [LSP, LSP, {"cells": "plain"}])
        self.assertEqual(described["switches"][0]["media"], LSP)
        self.assertEqual(described["switches"][2]["media"], {"cells": "mpls"})

    def test_by_default_the_topology_decides(self):
        described = mixed()
        topology.set_kind(described, None)
        self.assertEqual(described, mixed())

    def test_the_kind_is_written_with_the_topology(self):
        written = topology.as_toml(mixed())
        self.assertEqual(written.count('kind = "ovs"'), 2)

    def test_quickstart(self):
        self.assertIsNone(quickstart.parse([]).load.switch)
        self.assertEqual(quickstart.parse(["--switch", "ovs"]).load.switch, "ovs")
        with self.assertRaisesRegex(quickstart.WrongUse, "--switch atm: .* emulated, ovs"):
            quickstart.parse(["--switch", "atm"])


class Names(unittest.TestCase):

    def setUp(self):
        self.network = ovs.plan(mixed(), "/nowhere")

    def test_interfaces_fit_the_kernel(self):
        described = {"switches": [switch(f"s{k}", endpoint=False) for k in range(16384)],
                     "links": [link("s16383", 4096, "s0", 4096)]}
        with mock.patch.object(ovs, "NODES_MAX", 16384):
            network = ovs.plan(described, "/nowhere")
        self.assertLessEqual(len(network.port("s16383", 4096)), 15)
        self.assertLessEqual(len(f"{network.prefix}t{ovs.CROSSINGS_MAX}"), 15)

    def test_they_are_the_labs_own(self):
        other = ovs.plan(mixed(), "/elsewhere")
        self.assertFalse(set(self.network.namespaces()) & set(other.namespaces()))
        self.assertEqual(self.network.namespaces(),
                         [self.network.prefix, f"{self.network.prefix}-host-a"])

    def test_sockets_have_short_paths(self):
        self.assertEqual(self.network.directory, "/nowhere/ovs")
        long = ovs.plan(mixed(), "/" + "d" * 100)
        for node in long.bridges:
            path = long.openflow(node).removeprefix("unix:")
            self.assertLessEqual(len(path), ovs.SOCKET_PATH_MAX)
        longest_that_fits = "/" + "d" * (ovs.SOCKET_PATH_MAX - 1 - 4 - 1 - ovs.SOCKET_NAME_MAX)
        self.assertEqual(ovs.plan(mixed(), longest_that_fits).directory, longest_that_fits + "/ovs")
        self.assertNotEqual(ovs.plan(mixed(), longest_that_fits + "d").directory,
                            longest_that_fits + "d/ovs")

    def test_hosts_have_the_number_of_their_node(self):
        described = {"switches": [switch(f"s{k}", "emulated") for k in range(1, 258)]
                                 + [switch("last")], "links": []}
        host = ovs.plan(described, "/nowhere").hosts["last"]
        self.assertEqual((host["address"], host["mac"]), ("10.77.1.2", "02:78:62:00:01:02"))

    def test_too_many(self):
        described = {"switches": [switch(f"s{k}") for k in range(101)], "links": []}
        with self.assertRaisesRegex(LabError, "101 switches .* more than the 100"):
            ovs.plan(described, "/nowhere")
        described = {"switches": [switch("a"), switch("b", "emulated")],
                     "links": [link("a", port, "b", port) for port in range(2, 5)]}
        with mock.patch.object(ovs, "CROSSINGS_MAX", 2):
            with self.assertRaisesRegex(LabError, "3 links between .* more than the 2 of a lab"):
                ovs.plan(described, "/nowhere")


class Made(unittest.TestCase):
    """The commands that make a network."""

    def setUp(self):
        self.network = ovs.plan(mixed(), "/nowhere")
        self.prefix = self.network.prefix

    def test_links(self):
        inside = self.network.commands_inside()[self.prefix]
        self.assertIn("link add br1p2 mtu 1600 type veth peer name br2p2 mtu 1600", inside)
        self.assertIn("link add br1p1 mtu 1500 type veth peer name eth0 address "
                      f"02:78:62:00:00:01 mtu 1500 netns {self.prefix}-host-a", inside)
        self.assertEqual(len([line for line in inside if line.startswith("link add")]), 2)
        # To an emulated switch: the other end is outside.
        self.assertIn("link set br2p3 up", inside)
        self.assertEqual(list(self.network.lines_outside()), [
            f"link add {self.prefix}t1 mtu 1600 type veth peer name br2p3 mtu 1600 "
            f"netns {self.prefix}", f"link set {self.prefix}t1 arp off"])

    def test_hosts_know_each_other(self):
        described = {"switches": [switch("a"), switch("b")], "links": [link("a", 2, "b", 2)]}
        network = ovs.plan(described, "/nowhere")
        self.assertEqual(network.commands_inside()[network.hosts["a"]["namespace"]], [
            "link set lo up", "addr add 10.77.0.1/16 dev eth0", "link set eth0 up",
            "neigh replace 10.77.0.2 lladdr 02:78:62:00:00:02 dev eth0 nud permanent"])

    def test_hosts_at_both_kinds_of_switch_know_each_other(self):
        described = mixed()
        topology.set_hosts(described)
        network = ovs.plan(described, "/nowhere")
        for here, there in (("host-a", "host-b"), ("host-b", "host-a")):
            far = network.hosts[there]
            self.assertIn(f"neigh replace {far['address']} lladdr {far['mac']} dev eth0 nud "
                          "permanent",
                          network.commands_inside()[network.hosts[here]["namespace"]])

    def test_openflow_ports_are_ours(self):
        words = " ".join(self.network.bridge_words())
        for port in (2, 3):
            self.assertIn(f"-- add-port br2 br2p{port} -- set interface br2p{port} "
                          f"ofport_request={port}", words)
        self.assertIn("datapath_type=netdev fail_mode=secure protocols=OpenFlow13,OpenFlow14",
                      words)

    def test_what_the_operator_reads(self):
        self.assertIn(("middle:3 to host-b:2", f"frames, br2p3 and {self.prefix}t1"),
                      planned(mixed()).lines)
        self.assertIn(("host-a:1 to host at host-a",
                       f"frames, 10.77.0.1 in namespace {self.prefix}-host-a"),
                      planned(mixed()).lines)


class Kept(unittest.TestCase):

    def test_the_plan_outlives_its_program(self):
        network = ovs.plan(mixed(), "/nowhere")
        self.assertIsNone(network.record(), "nothing is made yet")
        network.claimed = True
        self.assertEqual(ovs.Network.from_record(json.loads(json.dumps(network.record()))), network)

    def test_what_is_only_planned_is_not_removed(self):
        # The same names may belong to a network whose lab.json is lost.
        with mock.patch.object(networks, "run", side_effect=AssertionError):
            self.assertEqual(ovs.plan(mixed(), "/nowhere").remove(), [])

    def test_names_that_are_taken_are_refused_and_left_alone(self):
        network = ovs.plan(mixed(), "/nowhere")
        with mock.patch.object(ovs, "require"), mock.patch.object(
                networks, "namespaces", return_value={f"{network.prefix}-host-a"}):
            with self.assertRaisesRegex(LabError, "is there already, .* ip netns del"):
                network.make(lambda: self.fail("recorded"))
        self.assertFalse(network.claimed)


class Needs(unittest.TestCase):

    def test_a_missing_program_is_named_with_its_package(self):
        with mock.patch.object(networks, "CAPABILITIES", {}), mock.patch(
                "shutil.which", lambda program: None if program == "ethtool" else program):
            with self.assertRaisesRegex(LabError, "ethtool is missing: .* package ethtool"):
                ovs.require()

    def test_packages_are_listed(self):
        listed = [line.split()[1] for line in
                  (ROOT / "deploy" / "packages.txt").read_text().splitlines()
                  if line.startswith("ovs ")]
        self.assertLessEqual(set(ovs.NEEDED.values()), set(listed))

    def test_a_missing_right_is_named(self):
        with mock.patch.object(networks, "CAPABILITIES", {"CAP_NONE": 63}):
            with self.assertRaisesRegex(LabError, "need root: this process has no CAP_NONE"):
                ovs.require()


class Cuts(unittest.TestCase):

    def test_each_end_is_set_where_it_is(self):
        lab = planned(mixed())
        calls = []
        with mock.patch.object(ovs.Network, "set_port", lambda _, *words: calls.append(words)), \
                mock.patch.object(ovs.Network, "ports_up", lambda _: {("middle", 3): True}), \
                mock.patch.object(control, "tell", lambda process, lines:
                                  calls.append((process.name, *lines)) or ["ok"]):
            control.set_link(lab, control.link_at(lab, "middle", 3), False)
        self.assertIn(("middle", 3, False), calls)
        self.assertIn(("xbind-switch/host-b", "@host-b line 2 down"), calls)

    def test_states(self):
        lab = planned({"switches": [switch("a"), switch("b")], "name": "pair", "demands": [],
                       "links": [link("a", 2, "b", 2)]})
        shown = ("2: br1p1@if2: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noqueue\n"
                 "3: br1p2@br2p2: <BROADCAST> mtu 1600\n4: br2p2@br1p2: <NO-CARRIER,UP> mtu 1600\n")
        with mock.patch.object(ovs, "run", return_value=shown):
            self.assertEqual(control.line_states(lab, lab.links), [False, True, None])


if __name__ == "__main__":
    unittest.main()
