#!/usr/bin/env python3
"""Networks in SNDlib's native format and GraphML in a lab: from the file to answered calls."""

import contextlib
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit.process import LabError

PUBLISHED = ROOT.parent / "shared" / "data"

SNDLIB = """?SNDlib native format; type: network; version: 1.0
NODES (
  North ( 10.0 54.0 )
  South ( 10.0 48.0 )
  East ( 14.0 51.0 )
)
LINKS (
  L1 ( North South ) 0.00 0.00 0.00 1.00 ( 155.00 1.00 622.00 3.00 )
  L2 ( South East ) 155.00 0.00 0.00 1.00 ( 622.00 3.00 )
)
DEMANDS (
  D1 ( North East ) 1 7.00 UNLIMITED
)
"""

GRAPHML = """<graphml><key id="l" for="edge" attr.name="label"/><graph edgedefault="undirected">
<node id="a"/><node id="b"/><node id="c"/>
<edge source="a" target="b"><data key="l">OC-3</data></edge>
<edge source="b" target="c"/>
</graph></graphml>
"""


@contextlib.contextmanager
def network_file(name, text):
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / name
        file.write_text(text)
        yield file


class Described(unittest.TestCase):

    def test_the_rate_that_a_file_leaves_open_is_the_option_s(self):
        with network_file("net.graphml", GRAPHML) as file:
            for options, rate in (([], 365_566), (["--default-rate=4.24"], 10_000)):
                described = topology.describe(BIN, file, options)
                self.assertEqual([link["cells_per_s"] for link in described["links"]],
                                 [353_207, rate])
                self.assertIn(f"{rate} cells/s (b:3 to c:2)", "\n".join(described["notes"]))

    def test_an_option_that_is_wrong_and_a_file_that_is_none(self):
        with network_file("net.graphml", GRAPHML) as file:
            with self.assertRaisesRegex(LabError, "--default-rate.*0 is out of the range"):
                topology.describe(BIN, file, ["--default-rate=0"])
        with network_file("net.gml", "graph [\n") as file:
            with self.assertRaisesRegex(LabError, "net.gml line 1: .*it begins with 'graph \\['"):
                topology.describe(BIN, file)

    def test_a_file_of_our_own_has_no_notes(self):
        self.assertEqual(topology.describe(BIN, PAPER_TOPOLOGY)["notes"], [])


class Converted(unittest.TestCase):

    def test_a_network_in_our_own_form_is_the_same_network(self):
        with contextlib.ExitStack() as files:
            named = [files.enter_context(network_file("net.txt", SNDLIB)),
                     files.enter_context(network_file("net.graphml", GRAPHML)),
                     *(ROOT / "deploy" / "topologies").glob("*.toml")]
            self.assertGreater(len(named), 8)
            for file in named:
                with self.subTest(file.name):
                    done = run(ROOT / "deploy" / "lab", "convert", file, "--bin-dir", BIN)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    with network_file("made.toml", done.stdout) as made:
                        described = topology.describe(BIN, made)
                        self.assertEqual({**described, "notes": []},
                                         {**topology.describe(BIN, file), "notes": []})

    def test_without_demands_and_with_another_rate(self):
        with network_file("net.txt", SNDLIB) as file:
            described = topology.describe(BIN, file)
            self.assertNotIn("[[demand]]", topology.as_toml(described, demands=False))
        with network_file("net.graphml", GRAPHML) as file:
            done = run(ROOT / "deploy" / "lab", "convert", file, "--default-rate", "4.24",
                       "--bin-dir", BIN)
            self.assertIn("cells-per-s = 10000\n", done.stdout)
            self.assertIn("# GraphML: 3 nodes", done.stdout)
        refused = run(ROOT / "deploy" / "lab", "convert", "no-such-file", "--bin-dir", BIN)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no-such-file", refused.stderr)

    def test_the_published_networks_that_are_here(self):
        for name, *counts in (("polska", 12, 18), ("nobel-germany", 17, 26), ("abilene", 11, 14)):
            file = ROOT / "deploy" / "topologies" / f"{name}.toml"
            described = topology.describe(BIN, file)
            self.assertEqual(described["name"], name)
            self.assertEqual([len(described["switches"]), len(described["links"])], counts)
            self.assertTrue(all(switch["endpoint"] for switch in described["switches"]))
            delays = [link.get("delay_us", 0) for link in described["links"]]
            self.assertEqual(all(delays), name != "abilene")  # its source has no coordinates
            self.assertIn("# Source: ", file.read_text())


class InALab(unittest.TestCase):

    def answered(self, file, calls, **changes):
        """The lab's switches and notes, after calls that were all connected and released."""
        with lab_up(topology=file, **changes) as lab:
            done, summary = offer(lab, Load(topology=file, calls=calls, rate=200.0, hold=0.1))
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(summary["setups"]["connected"], calls, summary)
            audit = tool(lab, "xbindctl", "audit")
            self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)
            log = lab.processes["xbind-routeobject"].output()
            for note in lab.topology_notes:
                self.assertIn(f"topology: {note}", log)
            return lab.switches, lab.topology_notes

    def test_sndlib(self):
        with network_file("three.txt", SNDLIB) as file:
            switches, notes = self.answered(file, 60)
        self.assertEqual([switch["name"] for switch in switches], ["north", "south", "east"])
        self.assertEqual(switches[1]["port_cells_per_s"], [1_832_547, 1_466_981, 365_566])
        self.assertIn("1 link: largest module 622 Mbit/s: 1466981 cells/s (north:2 to south:2)",
                      notes)

    def test_graphml_with_a_default_rate(self):
        with network_file("three.graphml", GRAPHML) as file:
            switches, _ = self.answered(
                file, 60, more={"xbind-routeobject": [(None, "default-rate", "622")]})
        self.assertEqual(switches[2]["port_cells_per_s"], [1_466_981, 1_466_981])

    def test_a_published_network(self):
        file = PUBLISHED / "sndlib" / "polska.txt"
        if not file.exists():
            self.skipTest(f"NOT TESTED: {file}, a published network, is not there")
        switches, _ = self.answered(file, 300)
        self.assertEqual(len(switches), 12)


if __name__ == "__main__":
    main()
