#!/usr/bin/env python3
"""Many switches in few processes: a network of sixty nodes, and how one node's trouble affects the
others; cut lines, as the SwitchServers and the Router see them."""

import contextlib
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control

RING6 = ROOT / "deploy" / "topologies" / "ring6.toml"


def ring_with_chords(count, step):
    """A topology file: each node is linked to the next one and the one `step` further; all may
    call."""
    links = ([(k, (k + 1) % count) for k in range(count)]
             + [(k, (k + step) % count) for k in range(count)])
    return "\n".join(
        ['name = "many"', *(f'[[switch]]\nname = "n{k}"\nendpoint = true' for k in range(count)),
         *(f'[[link]]\nbetween = ["n{a}", "n{b}"]\ncells-per-s = 353207' for a, b in links)])


@contextlib.contextmanager
def topology_file(text):
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "network.toml"
        file.write_text(text)
        yield file


def node_status(lab, node):
    """{port: line} of a node, as its SwitchServer reports them."""
    reported = tool(lab, "xbindctl", "ports", node)
    rows = [line.split() for line in reported.stdout.splitlines()[1:]]
    return {int(row[0]): row[1] for row in rows if row and row[0].isdigit()}


class SixtyNodes(unittest.TestCase):

    def test_calls_all_over_a_network_in_eight_processes(self):
        with topology_file(ring_with_chords(60, 11)) as file, lab_up(topology=file) as lab:
            hosts = [process for process in lab.processes.values() if process.nodes]
            self.assertEqual(sorted(len(process.nodes) for process in hosts), [15] * 8)
            listed = tool(lab, "xbind-names", "list")
            self.assertEqual({line.split()[0] for line in listed.stdout.splitlines()
                              if line.startswith("xbind/switchserver/")},
                             {f"xbind/switchserver/{node}" for node in lab.node_names()})

            load = Load(topology=file, calls=500, rate=200.0, hold=0.1)
            done, summary = offer(lab, load)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 500, summary)
            self.assertEqual(summary["releases"]["released"], 500, summary)
            # Memory is measured for a process, so each process has one entry, however many nodes it
            # hosts.
            self.assertEqual({name for name in summary["rss_mb"] if "/" in name},
                             {process.name for process in hosts})
            audit = tool(lab, "xbindctl", "audit")
            self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
            self.assertIn("clean: 60 switches", audit.stdout)


class NodesOfOneProcess(InOneLab):
    """Six nodes in a ring, three in a process."""

    LAB = {"topology": RING6, "nodes_per_process": 3}

    def connect(self, caller, callee):
        return tool(self.lab, "xbindctl", "connect", caller, callee)

    def log_of(self, node):
        return self.lab.process_of("xbind-switchserver", node).output()

    def test_a_switch_that_is_away_is_no_matter_to_the_others(self):
        def order(*words):
            return control.tell(self.lab.process_of("xbind-switch", "node-2"),
                                [f"@node-2 {' '.join(words)}"])
        self.assertEqual(order("drop-adjacency", "silent"), ["ok"])
        wait_until(lambda: "node-2: adjacency with the switch is lost" in self.log_of("node-2"),
                   "node-2 has lost its switch")
        self.assertNotIn("node-1: adjacency with the switch is lost", self.log_of("node-1"))
        connected = self.connect("node-1", "node-6")  # node-1 and node-2 are in the same processes
        self.assertEqual(connected.returncode, 0, connected.stdout + connected.stderr)
        away = self.connect("node-1", "node-2")
        self.assertNotEqual(away.returncode, 0, away.stdout)
        self.assertEqual(order("drop-adjacency", "off"), ["ok"])
        back = wait_until(
            lambda: (done := self.connect("node-1", "node-2")).returncode == 0 and done,
            "node-2 is back")
        for done in (connected, back):
            released = tool(self.lab, "xbindctl", "release", connection_of(done))
            self.assertEqual(released.returncode, 0, released.stdout + released.stderr)

    def test_a_line_that_is_cut_is_reported_to_the_router_and_mended_again(self):
        links = [ends for ends in self.lab.links if len(ends) == 2]
        cut = control.link_at(self.lab, "node-3", 3)  # its ends are in two processes
        self.assertEqual(control.words(cut), "node-3:3 to node-4:2")
        self.assertFalse(control.set_link(self.lab, cut, up=False))
        self.assertTrue(control.set_link(self.lab, cut, up=False))  # it was down before
        self.assertEqual([ends for ends, up in zip(links, control.line_states(self.lab, links))
                          if up is not True], [cut])
        wait_until(lambda: (node_status(self.lab, "node-3")[3],
                            node_status(self.lab, "node-4")[2]) == ("down", "down"),
                   "both SwitchServers have seen it")
        self.router_says("node-3:3", "down")
        self.assertFalse(control.set_link(self.lab, cut, up=True))
        self.router_says("node-3:3", "up")

    def test_a_host_that_is_cut_off_cannot_be_called(self):
        line = control.link_at(self.lab, "node-5", 1)
        control.set_link(self.lab, line, up=False)
        refused = wait_until(
            lambda: (done := self.connect("node-4", "node-5")).returncode != 0 and done,
            "nobody reaches node-5's host any more")
        self.assertIn("link down at node-5 port 1", refused.stderr)
        control.set_link(self.lab, line, up=True)
        wait_until(lambda: self.connect("node-4", "node-5").returncode == 0,
                   "node-5's host is back")

    def router_says(self, end, state):
        def seen():
            rows = [line.split()
                    for line in tool(self.lab, "xbindctl", "links").stdout.splitlines()]
            return [row for row in rows if row and row[0] == end and row[2] == state]
        wait_until(seen, f"RouteObject knows that {end} is {state}")


class ReportsToTheRouter(unittest.TestCase):

    def test_a_router_that_was_away_hears_the_whole_again(self):
        more = {"xbind-switchserver": [(None, "report-refresh-ms", "300")]}
        with lab_up(topology=RING6, nodes_per_process=6, more=more) as lab:
            self.assertEqual(end([lab.processes["xbind-routeobject"]]), [])
            cut = control.link_at(lab, "node-1", 2)
            control.set_link(lab, cut, up=False)
            lab.start("xbind-routeobject")  # it has only the topology file, where every line is up
            lab.wait_ready(lab.processes["xbind-routeobject"])
            wait_until(lambda: any(row.split()[:3] == ["node-1:2", "node-2:2", "down"] for row in
                                   tool(lab, "xbindctl", "links").stdout.splitlines()),
                       "the new RouteObject knows of the cut")

    def test_nobody_is_told_when_nobody_is_named(self):
        more = {"xbind-switchserver": [(None, "route-object", ""), (None, "log-level", "debug")]}
        with lab_up(topology=RING6, nodes_per_process=6, more=more) as lab:
            cut = control.link_at(lab, "node-1", 2)
            control.set_link(lab, cut, up=False)
            wait_until(lambda: node_status(lab, "node-1")[2] == "down",
                       "the SwitchServer has seen it")
            self.assertRegex(tool(lab, "xbindctl", "links").stdout, r"(?m)^node-1:2 +node-2:2 +up ")


class MediaRoundACycle(unittest.TestCase):
    """Six switches whose links form a ring: cells reach their destination and nothing else."""

    def verified(self, file, **changes):
        with lab_up(topology=file, **changes) as lab:
            load = Load(topology=file, calls=120, rate=100.0, hold=0.2, verify_media=True)
            done, summary = offer(lab, load)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], 120, summary)
            media = summary["media"]
            self.assertGreaterEqual(media["calls_checked"], 100)
            self.assertEqual((media["calls_failed"], media["violations"]), (0, 0), media)
            self.assertEqual(media["cells_received"], media["cells_sent"])
            return dict(lab.lines)

    def test_over_udp_between_processes(self):
        lines = self.verified(RING6, nodes_per_process=2)
        self.assertRegex(lines["node-1:2 to node-2:2"], "^mpls, UDP")

    def test_in_memory_within_one(self):
        text = RING6.read_text().replace("[[link]]", '[[link]]\ncells = "ring"')
        with topology_file(text) as file:
            lines = self.verified(file, nodes_per_process=6)
        self.assertEqual(lines["node-1:2 to node-2:2"], "ring, in memory")


if __name__ == "__main__":
    unittest.main()
