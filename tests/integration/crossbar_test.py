#!/usr/bin/env python3
"""xbind-switch --crossbar: cells between hosts cross it in order, and its counters say so."""

import re
import socket
import struct

from gsmp_client import Branch
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from switch_process_test import cell, one_switch


class CellsThroughACrossbar(unittest.TestCase):

    CELLS = 100

    def setUp(self):
        self.hosts = [self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                      for _ in "abc"]
        for host in self.hosts:
            host.bind(("127.0.0.1", 0))
            host.settimeout(10)
        links = ",".join(f"{port}=plain:127.0.0.1:0/127.0.0.1:{host.getsockname()[1]}/uni"
                         for port, host in enumerate(self.hosts, 1))
        self.switch = self.enterContext(one_switch("--crossbar", "4x4", "--links", links))
        for port, host in enumerate(self.hosts, 1):
            line = re.search(rf"sw1 port {port}: plain:127.0.0.1:(\d+)/", self.switch.output())
            host.connect(("127.0.0.1", int(line.group(1))))

    def crossed(self, port):
        pairs = (pair.split("=") for pair in self.switch.tell(f"statistics {port}").split()[1:])
        return {name.removeprefix("crossbar_"): int(value) for name, value in pairs
                if name.startswith("crossbar_")}

    def test_cells_of_two_inputs_share_an_output_in_order(self):
        with self.switch.client() as client:
            for port in (1, 2):
                client.add(Branch(port, (0, 100), 3, (0, 200 + port)))
            for index in range(self.CELLS):
                for host in self.hosts[:2]:
                    host.send(cell(0, 100, struct.pack(">I", index) + bytes(44)))
            came = [self.hosts[2].recv(2048) for _ in range(2 * self.CELLS)]
            for port in (1, 2):
                wanted = [cell(0, 200 + port, struct.pack(">I", index) + bytes(44))
                          for index in range(self.CELLS)]
                self.assertEqual([one for one in came if one in set(wanted)], wanted)
                crossed = self.crossed(port)
                del crossed["nacks"]  # how often they met depends on when they came
                self.assertEqual(crossed, {"cells": self.CELLS, "lost": 0, "passed": self.CELLS,
                                           "waiting": 0})

    def test_a_tree_crosses_once_for_each_leaf(self):
        with self.switch.client() as client:
            client.add(Branch(1, (0, 100), 2, (0, 200)))
            client.add(Branch(1, (0, 100), 3, (0, 300)))
            self.hosts[0].send(cell(0, 100, b"x" * 48))
            self.assertEqual(self.hosts[1].recv(2048), cell(0, 200, b"x" * 48))
            self.assertEqual(self.hosts[2].recv(2048), cell(0, 300, b"x" * 48))
            self.assertEqual(self.crossed(1), {"cells": 1, "lost": 0, "passed": 2, "nacks": 0,
                                               "waiting": 0})

    def test_more_ports_than_it_has_are_refused(self):
        done = run("xbind-switch", "--crossbar", "4x4", "--ports", "5", "--check-config")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("--crossbar 4x4 has 4 ports, and --ports is 5", done.stderr)


if __name__ == "__main__":
    unittest.main()
