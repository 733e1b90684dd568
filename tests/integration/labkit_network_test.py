#!/usr/bin/env python3
"""How a lab plans the hosts of emulated switches (deploy/labkit/network.py): namespaces, lines,
addresses. Starts no process and needs no rights."""

import json
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks, ovs
from labkit.process import LabError
from planned_labs import option, planned

FRAMES = {"labels": "mpls", "cells": "frames"}


def switch(name, media=None, ports=2, **keys):
    return {"name": name, "endpoint": media is not None, "ports": ports,
            "port_cells_per_s": [1000] * ports, **({"media": media} if media else {}), **keys}


def link(one, port, other, other_port):
    return {"a": {"switch": one, "port": port}, "b": {"switch": other, "port": other_port},
            "cells_per_s": 1000, "media": {"cells": "mpls"}}


def pair():
    """host-a:2 - 2:host-b, the first one with frames."""
    return {"name": "pair", "demands": [],
            "switches": [switch("host-a", FRAMES), switch("host-b", {"cells": "mpls"})],
            "links": [link("host-a", 2, "host-b", 2)]}


class Processes(unittest.TestCase):

    def test_the_switch_has_its_hosts_line(self):
        lab = planned(pair())
        command = lab.process_of("xbind-switch", "host-a").command
        links = dict(one.split("=") for one in option(command, "links").split(","))
        self.assertEqual(links["1"], f"frames:{lab.network.hosts['host-a']['interface']}")
        self.assertRegex(links["2"], "^mpls:")
        # The labels of such a port are the frames; those of the other are the lab's choice.
        self.assertNotIn("--port-labels", command)

    def test_a_host_with_frames_has_no_line_for_cells(self):
        lab = planned(pair())
        self.assertEqual(list(lab.endpoints), ["host-b"])
        self.assertNotIn("host-a=", lab.client_environment()["XBIND_HOST_LINES"])

    def test_no_process_is_added(self):
        self.assertEqual(list(planned(pair()).processes)[0], "omniNames")

    def test_every_endpoint_gets_one_by_an_option(self):
        described = pair()
        described["switches"] += [switch("middle"), switch("bridge", {"cells": "none"}, kind="ovs")]
        topology.set_hosts(described)
        self.assertEqual([one.get("media") for one in described["switches"]],
                         [FRAMES, FRAMES, None, {"cells": "none"}])

    def test_the_media_are_written_with_the_topology(self):
        self.assertIn('media = { labels = "mpls", cells = "frames" }', topology.as_toml(pair()))

    def test_a_lab_without_hosts_has_no_network(self):
        described = pair()
        described["switches"][0]["media"] = {"cells": "mpls"}
        self.assertIsNone(planned(described).network)


class Names(unittest.TestCase):

    def test_interfaces_fit_the_kernel(self):
        many = {"switches": [*(switch(f"s{k}") for k in range(1, networks.POSITION_MAX)),
                             switch("last", FRAMES)], "links": []}
        host = networks.plan(many, "/nowhere").hosts["last"]
        self.assertLessEqual(len(host["interface"]), 15)
        self.assertEqual(host["address"], "10.77.39.15")
        many["switches"].insert(0, switch("one-more"))
        with self.assertRaisesRegex(LabError, "last is node 10000 of the topology: only the first"):
            networks.plan(many, "/nowhere")

    def test_they_are_the_labs_own(self):
        one, other = (networks.plan(pair(), place) for place in ("/nowhere", "/elsewhere"))
        self.assertFalse(set(one.namespaces() + one.interfaces())
                         & set(other.namespaces() + other.interfaces()))

    def test_addresses_are_of_the_position(self):
        host = networks.plan(pair(), "/nowhere").hosts["host-a"]
        self.assertEqual((host["address"], host["address6"], host["mac"]),
                         ("10.77.0.1", "fd78:6200::1", "02:78:62:00:00:01"))


class Made(unittest.TestCase):

    def setUp(self):
        self.network = networks.plan(pair(), "/nowhere")
        self.interface, = self.network.interfaces()
        self.namespace, = self.network.namespaces()

    def test_the_line(self):
        self.assertEqual(list(self.network.lines_outside()), [
            f"link add {self.interface} mtu 1500 type veth peer name eth0 address "
            f"02:78:62:00:00:01 mtu 1500 netns {self.namespace}",
            f"link set {self.interface} arp off"])
        self.assertEqual(self.network.commands_inside(), {self.namespace: [
            "link set lo up", "addr add 10.77.0.1/16 dev eth0",
            "addr add fd78:6200::1/64 dev eth0 nodad", "link set eth0 up"]})

    def test_beside_bridges(self):
        described = pair()
        described["switches"][1] = switch("host-b", {"labels": "mpls", "cells": "none"}, kind="ovs")
        both = ovs.plan(described, "/nowhere")
        self.assertEqual(set(both.hosts), {"host-a", "host-b"})
        self.assertEqual(both.interfaces(), [self.interface, f"{both.prefix}t1"])
        self.assertEqual(both.links("host-a"), {1: f"frames:{self.interface}",
                                                2: f"frames:{both.prefix}t1/labels"})
        inside = both.commands_inside()
        self.assertEqual(list(inside)[0], both.prefix, "lines before the hosts at their ends")
        # Questions for neighbours do not pass a bridge.
        self.assertIn(f"neigh replace {both.hosts['host-b']['address']} lladdr "
                      f"{both.hosts['host-b']['mac']} dev eth0 nud permanent",
                      inside[self.namespace])
        self.assertIn(("host-a:1 to host at host-a",
                       f"frames, 10.77.0.1 in namespace {self.namespace}"), both.described_lines())

    def test_the_plan_outlives_its_program(self):
        self.assertIsNone(self.network.record(), "nothing is made yet")
        self.network.claimed = True
        self.assertEqual(ovs.from_record(json.loads(json.dumps(self.network.record()))),
                         self.network)
        self.assertIsNone(ovs.from_record(None))

    def test_what_is_only_planned_is_not_removed(self):
        with mock.patch.object(networks, "run", side_effect=AssertionError):
            self.assertEqual(self.network.remove(), [])

    def test_what_is_missing_is_named(self):
        with mock.patch.object(networks, "CAPABILITIES", {"CAP_NONE": 63}):
            with self.assertRaisesRegex(LabError, "hosts with frames need root: .* no CAP_NONE"):
                self.network.make(lambda: self.fail("recorded"))
        self.assertFalse(self.network.claimed)

    def test_a_host_that_is_not_there(self):
        self.assertEqual(self.network.host_command("host-a", ["true"]),
                         ["ip", "netns", "exec", self.namespace, "true"])
        with self.assertRaisesRegex(LabError, "no host .* 'host-b'; there are hosts at host-a"):
            self.network.host_command("host-b", ["true"])


if __name__ == "__main__":
    unittest.main()
