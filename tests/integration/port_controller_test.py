#!/usr/bin/env python3
"""A port controller in front of a switch's port: what it forwards keeps its order, and what its
full buffer loses is counted, by GSMP's counters as well as by its own. No claim about rates: those
are tested on virtual time (tests/unit/dataplane/port_controller_test.cpp).
"""

import json
import re
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import metrics
from plain_host import Host
from scraping import Scrape, get

CELLS = 100
# 50 ms a cell: the sender would have to take five seconds for none to be lost.
SLOW = "burst-us:0/cell-us:50000/buffer:10"
NETWORK = f"""
name = "slow-controller"

[[switch]]
name = "{CALLER}"
endpoint = true
port-controller = "{SLOW}"
media = {{ cells = "plain" }}

[[switch]]
name = "{CALLEE}"
endpoint = true
port-controller = "fpc3"
media = {{ cells = "plain" }}

[[link]]
between = ["{CALLER}:2", "{CALLEE}:2"]
cells-per-s = 227272
"""


class PortController(unittest.TestCase):

    def setUp(self):
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        file = directory / "slow.toml"
        file.write_text(NETWORK)
        self.lab = self.enterContext(lab_up(topology=file, metrics=True))
        text = tool(self.lab, "xbindctl", "connect", CALLER, CALLEE).stdout
        vcis = re.search(r"ingress label 0/(\d+), egress label 0/(\d+)", text)
        self.assertIsNotNone(vcis, text)
        self.labels = [(0, int(vci)) for vci in vcis.groups()]
        self.caller, self.callee = (Host(self.lab.endpoints[name]) for name in (CALLER, CALLEE))
        self.addCleanup(self.caller.close)
        self.addCleanup(self.callee.close)

    def ports(self, node):
        ports = json.loads(tool(self.lab, "xbindctl", "ports", node, "--json").stdout)
        return next(one for one in ports["ports"] if one["port"] == 1)["cells"]

    def controller(self, node):
        """{name: value} of its metrics at port 1; a lost cell's reason is part of the name."""
        code, _, text = get(metrics.targets(self.lab.state_dir)[f"xbind-switch/{node}"], "/metrics")
        self.assertEqual(code, 200, text)
        prefix = "xbind_emulator_port_controller_"
        values = {}
        for (name, labels), value in Scrape(text).samples.items():
            if name.startswith(prefix) and dict(labels)["port"] == "1":
                reason = dict(labels).get("reason", "")
                values[f"{name.removeprefix(prefix)} {reason}".rstrip()] = value
        return values

    # caller --> callee: 100 cells at once; the processor forwards one at a time.
    def test_what_is_lost_is_counted_and_the_rest_keeps_its_order(self):
        for number in range(CELLS):
            self.caller.send(self.labels[0], number)

        arrived = []

        def all_are_accounted_for():
            while (number := self.callee.receive(self.labels[1], 0.01)) is not None:
                arrived.append(number)
            return len(arrived) + self.ports(CALLER)["input_cell_discards"] == CELLS

        wait_until(all_are_accounted_for, f"{CELLS} cells arrived or lost; so far {arrived}")
        self.assertEqual(arrived, sorted(arrived))
        self.assertEqual(arrived[0], 0)
        self.assertLess(len(arrived), CELLS)
        seen = self.controller(CALLER)
        self.assertEqual(seen["lost_cells_total buffer"], CELLS - len(arrived))
        self.assertEqual(seen["lost_cells_total line"], 0)
        self.assertEqual(seen["waiting_cells"], 0)
        self.assertEqual(round(seen["busy_seconds_total"] * 1000), 50 * len(arrived))
        self.assertIn("interrupts_total", self.controller(CALLEE))
        print(f"{len(arrived)} of {CELLS} cells forwarded")


if __name__ == "__main__":
    main()
