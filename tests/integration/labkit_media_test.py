#!/usr/bin/env python3
"""How a lab's cells travel (deploy/labkit/media.py). Starts no process."""

import socket

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import media, naming, quickstart
from labkit.process import LabError

MPLS = {"cells": "mpls"}
ADDRESSES = ["127.0.1.1", "127.0.1.2", "127.0.1.3"]


def chain(first=None, second=None, host_a=None, host_b=None):
    """host-a:2 - 1:switch-1:2 - 2:host-b, all over MPLS by default."""
    def link(a, a_port, b, b_port, said):
        return {"a": {"switch": a, "port": a_port}, "b": {"switch": b, "port": b_port},
                "cells_per_s": 353_207, "media": said or MPLS}
    return {
        "name": "chain", "demands": [],
        "switches": [{"name": CALLER, "endpoint": True, "ports": 2, "port_cells_per_s": [1, 1],
                      "media": host_a or MPLS},
                     {"name": MIDDLE, "endpoint": False, "ports": 2, "port_cells_per_s": [1, 1]},
                     {"name": CALLEE, "endpoint": True, "ports": 2, "port_cells_per_s": [1, 1],
                      "media": host_b or MPLS}],
        "links": [link(CALLER, 2, MIDDLE, 1, first), link(MIDDLE, 2, CALLEE, 2, second)],
    }


class Lines(unittest.TestCase):

    def test_what_the_lab_chooses(self):
        lines = media.plan(chain(), ADDRESSES)
        self.assertEqual(media.switch_links(lines, CALLER),
                         {1: "mpls:127.0.1.1:6635/127.0.1.1:16635/900001",
                          2: "mpls:127.0.1.1:6635/127.0.1.2:6635/1001"})
        self.assertEqual(media.switch_links(lines, MIDDLE),
                         {1: "mpls:127.0.1.2:6635/127.0.1.1:6635/1001",
                          2: "mpls:127.0.1.2:6635/127.0.1.3:6635/1002"})
        self.assertEqual(media.switch_links(lines, CALLEE),
                         {1: "mpls:127.0.1.3:6635/127.0.1.3:16635/900003",
                          2: "mpls:127.0.1.3:6635/127.0.1.2:6635/1002"})
        self.assertEqual(media.endpoints(lines),
                         {CALLER: "mpls:127.0.1.1:16635/127.0.1.1:6635/900001",
                          CALLEE: "mpls:127.0.1.3:16635/127.0.1.3:6635/900003"})

    def test_plain_lines_have_a_port_each(self):
        plain = {"cells": "plain"}
        lines = media.plan(chain(plain, plain, plain, plain), ADDRESSES)
        self.assertEqual(media.switch_links(lines, MIDDLE),
                         {1: "plain:127.0.1.2:20001/127.0.1.1:20001",
                          2: "plain:127.0.1.2:20002/127.0.1.3:20002"})
        self.assertEqual(media.switch_links(lines, CALLER)[1],
                         "plain:127.0.1.1:19998/127.0.1.1:19999")
        self.assertEqual(media.endpoints(lines)[CALLER], "plain:127.0.1.1:19999/127.0.1.1:19998")
        self.assertEqual(media.udp_ports(chain(plain, None, plain, None)),
                         [{19998, 19999, 20001}, {20001, 6635}, {6635, 16635}])

    def test_what_the_topology_says_stays(self):
        said = {"cells": "mpls", "addresses": ["10.0.0.1:7000", "10.0.0.2:7001"], "label": 1002}
        described = chain(said, None, {"cells": "none"}, None)
        lines = media.plan(described, ADDRESSES)
        self.assertEqual(media.switch_links(lines, CALLER),
                         {2: "mpls:10.0.0.1:7000/10.0.0.2:7001/1002"})
        self.assertEqual(media.switch_links(lines, MIDDLE)[1],
                         "mpls:10.0.0.2:7001/10.0.0.1:7000/1002")
        # 1002 was to be the second link's number, so that link gets the next one.
        self.assertEqual(media.switch_links(lines, CALLEE)[2],
                         "mpls:127.0.1.3:6635/127.0.1.2:6635/1003")
        self.assertEqual(set(media.endpoints(lines)), {CALLEE})
        self.assertEqual(media.udp_ports(described), [set(), {6635}, {6635, 16635}])

    def test_mpls_lines_have_a_port_each_and_their_ports_are_known(self):
        lsp = {"labels": "mpls", "cells": "lsp"}
        described = chain(second=lsp, host_b=lsp)
        lines = media.plan(described, ADDRESSES)
        self.assertEqual(media.switch_links(lines, CALLEE),
                         {1: "lsp:127.0.1.3:19996/127.0.1.3:19997",
                          2: "lsp:127.0.1.3:30002/127.0.1.2:30002"})
        self.assertEqual(media.endpoints(lines)[CALLEE], "lsp:127.0.1.3:19997/127.0.1.3:19996")
        self.assertEqual(media.udp_ports(described),
                         [{6635, 16635}, {6635, 30002}, {19996, 19997, 30002}])
        self.assertEqual(media.mpls_ports(described), {CALLER: [], MIDDLE: [2], CALLEE: [1, 2]})

    def test_a_ring_needs_one_process(self):
        with self.assertRaisesRegex(LabError,
                                    "host-a:2 to switch-1 .*a ring lies within one process"):
            media.plan(chain({"cells": "ring"}), ADDRESSES)
        with self.assertRaisesRegex(LabError, "host-b:1 to its host"):
            media.plan(chain(host_b={"cells": "ring"}), ADDRESSES)
        with self.assertRaisesRegex(LabError, 'say "lsp"'):
            media.plan(chain({"cells": "ring", "labels": "mpls"}), ADDRESSES)

    def test_more_plain_links_than_ports(self):
        described = chain()
        described["links"] *= 25_000
        described["links"][-1] = {**described["links"][-1], "media": {"cells": "plain"}}
        self.assertEqual(media.udp_ports(described), [{6635, 16635}, {6635}, {6635, 16635}])
        with self.assertRaisesRegex(LabError, "link 50000 .* give it addresses"):
            media.plan(described, ADDRESSES)

    def test_words_for_the_operator(self):
        words = [line.words() for line in media.plan(chain(), ADDRESSES)]
        self.assertEqual(words[0], ("host-a:2 to switch-1:1",
                                    "mpls, UDP 127.0.1.1:6635 and 127.0.1.2:6635, label 1001"))
        self.assertEqual(words[2][0], "host-a:1 to host at host-a")

    def test_a_net_whose_udp_ports_are_taken_is_not_free(self):
        net = naming.free_loopback_net(2, [{6635}, {6635}])
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind((f"{net}.2", 6635))
            self.assertNotEqual(naming.free_loopback_net(2, [{6635}, {6635}]), net)
            self.assertEqual(naming.free_loopback_net(2, [{6635}, set()]), net)


class CommandLines(unittest.TestCase):

    def planned(self, described, *words):
        load = quickstart.parse(words).load
        lab = Lab(lab_options("/nowhere", loopback_net="127.0.1"))
        lab.plan(described)
        return lab, load

    def test_switches_get_their_links_and_callgen_the_endpoints(self):
        lab, load = self.planned(chain(), "--verify-media", "--capture", "/tmp/x.erf")
        switch = lab.processes[f"xbind-switch/{MIDDLE}"].command
        self.assertEqual(switch[switch.index("--links") + 1],
                         "1=mpls:127.0.1.2:6635/127.0.1.1:6635/1001,"
                         "2=mpls:127.0.1.2:6635/127.0.1.3:6635/1002")
        command = callgen(lab, load)
        self.assertIn("--verify-media", command)
        self.assertEqual(command[command.index("--endpoints") + 1],
                         "host-a=mpls:127.0.1.1:16635/127.0.1.1:6635/900001,"
                         "host-b=mpls:127.0.1.3:16635/127.0.1.3:6635/900003")
        self.assertEqual(command[command.index("--capture") + 1], "/tmp/x.erf")

    def test_without_verify_media_callgen_opens_no_line(self):
        lab, load = self.planned(chain())
        self.assertFalse({"--verify-media", "--endpoints"} & set(callgen(lab, load)))

    def test_hosts_without_lines_cannot_be_verified(self):
        none = {"cells": "none"}
        lab, load = self.planned(chain(none, none, none, none), "--verify-media")
        self.assertNotIn("--links", lab.processes[f"xbind-switch/{MIDDLE}"].command)
        with self.assertRaisesRegex(LabError, "no endpoint of this topology has a line"):
            callgen(lab, load)

    def test_wrong_words(self):
        for words, reason in ((["--capture", "/tmp/x.erf"], "needs --verify-media"),
                              (["--verify-media", "--capture", "/tmp/x.txt"],
                               "ends in .erf or .pcap"),
                              (["--verify-media=yes"], "takes no value")):
            with self.assertRaisesRegex(quickstart.WrongUse, reason):
                quickstart.parse(words)


if __name__ == "__main__":
    unittest.main()
