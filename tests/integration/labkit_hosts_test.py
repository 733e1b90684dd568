#!/usr/bin/env python3
"""Which switches of a lab share a process (deploy/labkit/hosts.py), and the lab's links for cut and
mend. Starts no process."""

import contextlib
import re
import tempfile
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import console, control, hosts, metrics, options, quickstart
from labkit.process import LabError
from planned_labs import planned


def chain(count, cells=None):
    """s1:2 - 2:s2:3 - 2:s3 ...; a host at each."""
    media = {"cells": cells or "mpls"}
    return {
        "name": "chain", "demands": [],
        "switches": [{"name": f"s{k}", "endpoint": True, "ports": 3,
                      "port_cells_per_s": [0, 1000, 1000], "media": {"cells": "none"}}
                     for k in range(1, count + 1)],
        "links": [{"a": {"switch": f"s{k}", "port": 3 if k > 1 else 2},
                   "b": {"switch": f"s{k + 1}", "port": 2}, "cells_per_s": 1000, "media": media}
                  for k in range(1, count)],
    }


@contextlib.contextmanager
def tempfile_of(text):
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "switches.toml"
        file.write_text(text)
        yield file


class Groups(unittest.TestCase):

    def sizes(self, count, wanted=None):
        return [len(group.names) for group in hosts.groups([f"s{k}" for k in range(count)], wanted)]

    def test_small_labs_have_a_process_for_each(self):
        self.assertEqual(self.sizes(3), [1, 1, 1])
        self.assertEqual(self.sizes(12), [1] * 12)

    def test_large_ones_have_four(self):
        self.assertEqual(self.sizes(13), [4, 4, 4, 1])
        self.assertEqual(self.sizes(100), [25] * 4)
        self.assertEqual(self.sizes(754), [189, 189, 189, 187])

    def test_what_is_wanted(self):
        self.assertEqual(self.sizes(5, 2), [2, 2, 1])
        self.assertEqual(self.sizes(100, 1), [1] * 100)
        self.assertEqual(self.sizes(5, 99), [5])

    def test_names_of_processes(self):
        groups = hosts.groups(["a", "b", "c"], 2)
        self.assertEqual([group.process("xbind-switch") for group in groups],
                         ["xbind-switch/nodes-1-to-2", "xbind-switch/c"])


class Files(unittest.TestCase):

    def test_every_node_has_its_address_and_its_options(self):
        lab = planned(chain(3), nodes_per_process=3, labels_per_port=64, more={
            "xbind-switch": [(None, "window", "16"), ("s2", "fault", "reorder 0.1"),
                             ("s2", "fault", "delay message 5"), (None, "log-level", "debug")],
            "xbind-switchserver": [("s3", "overbooking", "1.5"), (None, "loss", "0.1")]})
        self.assertEqual(list(lab.processes)[1:3],
                         ["xbind-switch/nodes-1-to-3", "xbind-switchserver/nodes-1-to-3"])
        switch, server = (lab.processes[name] for name in list(lab.processes)[1:3])
        self.assertEqual(switch.nodes, ["s1", "s2", "s3"])
        self.assertIn("--log-level=debug", switch.command)
        self.assertIn("--loss=0.1", server.command)
        self.assertNotIn("--overbooking=1.5", server.command)
        files = {path.name: text for path, text in lab.files.items()}
        self.assertEqual(files["xbind-switch-nodes-1-to-3.toml"].split("\n\n")[1], "\n".join([
            '[[switch]]', 'name = "s2"', 'listen = "127.0.1.2:6068"', 'ports = "3"',
            'vpi-max = "0"', 'vci-min = "32"', 'vci-max = "95"',
            'port-cells-per-s = "2=1000,3=1000"',
            'links = "2=mpls:127.0.1.2:6635/127.0.1.1:6635/1001,'
            '3=mpls:127.0.1.2:6635/127.0.1.3:6635/1002"',
            'window = "16"', 'fault = "reorder 0.1,delay message 5"']))
        self.assertEqual(files["xbind-switchserver-nodes-1-to-3.toml"].split("\n\n")[2], "\n".join([
            '[[switch]]', 'name = "s3"', 'switch = "127.0.1.3:6068"', 'overbooking = "1.5"', '']))

    def test_what_belongs_to_the_process_is_no_node_s_alone(self):
        more = {"xbind-switchserver": [("s2", "loss", "0.1")]}
        with self.assertRaisesRegex(LabError,
                                    "--loss is of a whole xbind-switchserver, which s2 shares "
                                    "with 2 more: --nodes-per-process 1"):
            planned(chain(3), nodes_per_process=3, more=more)
        alone = planned(chain(3), more=more)
        self.assertIn("--loss=0.1", alone.processes["xbind-switchserver/s2"].command)
        self.assertNotIn("--loss=0.1", alone.processes["xbind-switchserver/s1"].command)

    def test_an_option_of_nobody(self):
        for program, only in (("xbind-switch", "s4"), ("xbind-switchserver", "s4"),
                              ("xbind-cmgr", "m")):
            with self.assertRaisesRegex(LabError,
                                        f"--log-level of {program} {only}: there is none"):
                planned(chain(3), more={program: [(only, "log-level", "debug")]})

    def test_quotes_and_the_like_stay_what_they_are(self):
        self.assertEqual(hosts.tables([{"name": 'a"b\\c'}]), '[[switch]]\nname = "a\\"b\\\\c"\n')

    def test_every_option_of_the_programs_is_of_a_switch_or_of_the_process(self):
        for program in hosts.HOSTS:
            printed = run(program, "--print-options").stdout
            options = set(re.findall(r"^\| `--([a-z0-9-]+)` \|", printed, re.MULTILINE))
            with tempfile_of('[[switch]]\nno-such-key = 1\n') as file:
                said = run(program, "--switches", file, "--check-config").stderr
            of_a_switch = set(re.search(r"known are (.*)", said).group(1).split(", "))
            self.assertEqual(options - of_a_switch - {"switches", "config"},
                             hosts.PROCESS_OPTIONS[program], program)


class Ports(unittest.TestCase):
    """Where the processes of a lab serve browsers and Prometheus: one address, a port each."""

    def test_no_two_share_one_however_many_nodes(self):
        for nodes in range(2, 13):
            lab = planned(chain(nodes), metrics=True, console=True)
            ports = [word.rpartition(":")[2] for process in lab.processes.values()
                     for word in process.command if word.startswith("--metrics=")]
            self.assertEqual(len(ports), 2 * nodes + 4)
            command = lab.processes["xbind-console"].command
            ports.append(command[command.index("--http") + 1].rpartition(":")[2])
            self.assertEqual(len(ports), len(set(ports)), nodes)

    def test_a_console_that_joins_is_where_up_would_have_put_it(self):
        at_once = planned(chain(6), metrics=True, console=True)
        self.assertEqual(at_once.first_address(), "127.0.1.1")
        with tempfile.TemporaryDirectory() as directory:
            lab = Lab(lab_options(directory, loopback_net="127.0.1", metrics=True))
            lab.plan(chain(6))
            lab.write_files()
            console.plan(lab, lab.first_address())
            joined = lab.processes["xbind-console"]
            metrics.add(lab, joined, lab.first_address())
            lab.write_files()
            targets = metrics.targets(directory)
            self.assertEqual(joined.address, at_once.processes["xbind-console"].address)
            self.assertIn(f"--metrics={targets['xbind-console']}", joined.command)
            self.assertEqual(len(set(targets.values())), 2 * 6 + 4)
            self.assertNotIn(joined.address, targets.values())

    def test_a_lab_without_metrics_stays_so(self):
        with tempfile.TemporaryDirectory() as directory:
            lab = Lab(lab_options(directory, loopback_net="127.0.1"))
            lab.plan(chain(2))
            console.plan(lab, lab.first_address())
            metrics.add(lab, lab.processes["xbind-console"], lab.first_address())
            self.assertEqual(lab.files, {})
            self.assertNotIn("--metrics", " ".join(lab.processes["xbind-console"].command))


class Buffers(unittest.TestCase):
    """A SwitchServer promises the buffer that its switch has."""

    def default(self, program):
        printed = run(program, "--print-options").stdout
        return re.search(r"^\| `--buffer-cells` \| `(\d+)` \|", printed, re.MULTILINE)[1]

    def test_the_programs_have_one_default(self):
        self.assertEqual(*(self.default(program) for program in hosts.HOSTS))

    def buffers(self, more, nodes=2):
        lab = planned(chain(nodes), more=more)
        return {name: [word for word in process.command if word.startswith("--buffer-cells")]
                for name, process in lab.processes.items() if process.program in hosts.HOSTS}

    def test_what_one_of_them_is_given_the_other_has_too(self):
        for program in hosts.HOSTS:
            self.assertEqual(
                set(map(tuple, self.buffers({program: [(None, "buffer-cells", "77")]}).values())),
                {("--buffer-cells=77",)})
            self.assertEqual(self.buffers({program: [("s2", "buffer-cells", "77")]}), {
                "xbind-switch/s1": [], "xbind-switchserver/s1": [],
                "xbind-switch/s2": ["--buffer-cells=77"],
                "xbind-switchserver/s2": ["--buffer-cells=77"]})
        self.assertEqual(set(map(tuple, self.buffers({}).values())), {()})

    def test_both_may_be_given_on_purpose(self):
        said = self.buffers({"xbind-switch": [(None, "buffer-cells", "1")],
                             "xbind-switchserver": [(None, "buffer-cells", "2")]})
        self.assertEqual(said["xbind-switch/s1"], ["--buffer-cells=1"])
        self.assertEqual(said["xbind-switchserver/s1"], ["--buffer-cells=2"])

    def test_a_switchserver_that_promises_no_buffer_says_nothing_of_the_switch(self):
        said = self.buffers({"xbind-switchserver": [(None, "buffer-cells", "0")]})
        self.assertEqual(said["xbind-switch/s1"], [])

    def test_a_bridge_has_no_such_option(self):
        described = chain(2)
        described["switches"][0]["kind"] = "ovs"
        more = options.with_one_buffer(
            {"xbind-switchserver": [("s1", "buffer-cells", "5"), ("s2", "buffer-cells", "6")]},
            described["switches"])
        self.assertEqual(more["xbind-switch"], [("s2", "buffer-cells", "6")])


class Lines(unittest.TestCase):

    def test_a_ring_is_memory_of_one_process(self):
        lab = planned(chain(3, "ring"), nodes_per_process=3)
        text = next(text for path, text in lab.files.items()
                    if path.name.startswith("xbind-switch-"))
        self.assertIn('links = "2=ring:link-1,3=ring:link-2"', text)
        self.assertEqual(lab.lines,
                         [("s1:2 to s2:2", "ring, in memory"), ("s2:3 to s3:2", "ring, in memory")])
        with self.assertRaisesRegex(LabError,
                                    "s2:3 to s3 has cells = \"ring\".*--nodes-per-process"):
            planned(chain(3, "ring"), nodes_per_process=2)

    def test_the_ends_of_a_link(self):
        lab = planned(chain(3))
        self.assertEqual(control.link_at(lab, "s2", 2), (("s1", 2), ("s2", 2)))
        self.assertEqual(control.words(control.link_at(lab, "s2", 3)), "s2:3 to s3:2")
        self.assertEqual(control.words(control.link_at(lab, "s3", 1)), "s3:1 to its host")

    def test_ends_that_are_none(self):
        lab = planned(chain(3))
        for switch, port, reason in (
                ("s22", 1, r"no switch 's22' in this lab; did you mean s2\?"),
                ("nowhere", 1, "no switch 'nowhere' in this lab; it has s1, s2, s3"),
                ("s1", 3, "no line is at port 3 of s1; it has 1 to its host, 2 to s2:2")):
            with self.assertRaisesRegex(LabError, reason):
                control.link_at(lab, switch, port)


class Quickstart(unittest.TestCase):

    def test_nodes_per_process(self):
        self.assertEqual(quickstart.parse(["--nodes-per-process", "25"]).load.nodes_per_process, 25)
        self.assertIsNone(quickstart.parse([]).load.nodes_per_process)
        for wrong in ("0", "1025", "many"):
            with self.assertRaisesRegex(quickstart.WrongUse, "from 1 to 1024"):
                quickstart.parse(["--nodes-per-process", wrong])


if __name__ == "__main__":
    unittest.main()
