#!/usr/bin/env python3
"""The reckoning of deploy/labkit, without any process: does a load fit, which labels, which addresses."""

import os
import socket
import time

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import naming
from labkit.process import LabError, start_ticks


def network(*links, demands=(), labels_of_ends=("a", "z")):
    """Links are (one switch, the other, cells/s)."""
    names = sorted({name for link in links for name in link[:2]})
    return {
        "switches": [{"name": name, "endpoint": name in labels_of_ends} for name in names],
        "links": [{"a": {"switch": one}, "b": {"switch": other}, "cells_per_s": rate}
                  for one, other, rate in links],
        "demands": [{"from": one, "to": other, "weight": weight} for one, other, weight in demands],
    }


CHAIN = network(("a", "m", 353_207), ("m", "z", 353_207), demands=[("a", "z", 1.0)])


class LoadThatFits(unittest.TestCase):

    def refusal(self, described, rate, hold, cells=100, labels=992):
        return topology.load_refusal(described, rate, hold, cells, labels)

    def test_the_usual_runs_fit(self):
        self.assertIsNone(self.refusal(CHAIN, 200, 0.1))
        self.assertIsNone(self.refusal(CHAIN, 2000, 0.1))
        self.assertIsNone(self.refusal(CHAIN, 992, 1))

    def test_labels_run_out(self):
        self.assertIn("room for 992 calls", self.refusal(CHAIN, 1000, 1))
        self.assertIsNone(self.refusal(CHAIN, 1000, 1, labels=1000))

    def test_bandwidth_runs_out(self):
        self.assertIsNone(self.refusal(CHAIN, 3532, 1, labels=60_000))
        self.assertIn("room for 3532 calls", self.refusal(CHAIN, 3533, 1, labels=60_000))

    def test_one_call_is_too_much(self):
        self.assertIn("353207", self.refusal(CHAIN, 0.001, 0.1, cells=353_208))
        self.assertIsNone(self.refusal(CHAIN, 1, 0.1, cells=353_207))

    def test_the_busiest_link_decides(self):
        # Both a and b call z: the link m - z carries all of it, the others half.
        star = network(("a", "m", 353_207), ("b", "m", 353_207), ("m", "z", 353_207),
                       demands=[("a", "z", 1.0), ("b", "z", 1.0)])
        self.assertIn("between m and z", self.refusal(star, 1000, 1))

    def test_without_demands_every_pair_calls_alike(self):
        # Each direction of the chain carries half of the calls.
        chain = network(("a", "m", 353_207), ("m", "z", 353_207))
        self.assertIsNone(self.refusal(chain, 1984, 1))
        self.assertIsNotNone(self.refusal(chain, 1986, 1))

    def test_where_there_is_a_choice_only_the_impossible_is_refused(self):
        ring = network(("a", "m", 353_207), ("m", "z", 353_207), ("z", "a", 353_207))
        self.assertIsNone(self.refusal(ring, 3000, 1))
        self.assertIn("all links together", self.refusal(ring, 6000, 1))


class Labels(unittest.TestCase):

    def test_ranges(self):
        self.assertEqual(topology.label_range(992), (0, 32, 1023))
        self.assertEqual(topology.label_range(1), (0, 32, 32))
        self.assertEqual(topology.label_range(65_504), (0, 32, 65_535))
        self.assertEqual(topology.label_range(65_505), (1, 32, 65_535))
        self.assertEqual(topology.label_range(topology.LABELS_MAX), (4095, 32, 65_535))

    def test_a_range_offers_at_least_what_was_asked(self):
        for labels in (1, 992, 65_504, 65_505, 131_008, 131_009):
            self.assertGreaterEqual(topology.label_count(labels), labels)


class Addresses(unittest.TestCase):

    def test_switches_go_on_in_the_next_net(self):
        addresses = naming.switch_addresses("127.0.1", 256)
        self.assertEqual(addresses[0], "127.0.1.1")
        self.assertEqual(addresses[253], "127.0.1.254")
        self.assertEqual(addresses[254], "127.0.2.1")
        with self.assertRaises(LabError):
            naming.switch_addresses("127.0.255", 255)

    def test_a_net_with_one_address_taken_is_not_free(self):
        net = naming.free_loopback_net(3)
        with socket.create_server((f"{net}.2", naming.GSMP_PORT)):
            self.assertNotEqual(naming.free_loopback_net(3), net)
            self.assertEqual(naming.free_loopback_net(1), net)

    def test_a_listener_that_is_no_name_service(self):
        with socket.create_server(("127.0.0.1", 0)) as deaf:
            port = deaf.getsockname()[1]
            self.assertFalse(naming.name_service_answers("127.0.0.1", port, timeout_s=0.05))
        self.assertFalse(naming.name_service_answers("127.0.0.1", port))


class Pids(unittest.TestCase):

    def test_a_process_is_known_by_its_start_too(self):
        mine = start_ticks(os.getpid())
        self.assertEqual(start_ticks(os.getpid()), mine)
        child = os.fork()
        if child == 0:
            os._exit(0)
        time.sleep(0.05)
        self.assertIsNone(start_ticks(child))  # a corpse, not yet buried
        os.waitpid(child, 0)
        self.assertIsNone(start_ticks(child))


if __name__ == "__main__":
    unittest.main()
