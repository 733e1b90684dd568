#!/usr/bin/env python3
"""The network of a lab with Open vSwitch: frames travel, and nothing of it stays behind.

Needs root and Open vSwitch. In most tests a stand-in takes the place of xbind-gsmp-ovs: an
xbind-switch, which sets no flow in a bridge. These tests set the flows, as far as they need them.
"""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from unittest import mock

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import control, network as networks, ovs
from labkit.process import LabError

RING = ROOT / "deploy" / "topologies" / "ovs-ring4.toml"
MIXED = ROOT / "deploy" / "topologies" / "ovs-mixed.toml"
LAB = ROOT / "deploy" / "lab"
KNOWN = ("--name", "--listen", "--ports", "--port-labels", "--port-cells-per-s")
STAND_IN = f"""#!{sys.executable}
import os, sys
words = sys.argv[1:]
said = dict(zip(words[::2], words[1::2]))
print("xbind-gsmp-ovs", said["--name"], "listening on", said["--listen"], flush=True)
known = [word for name in {KNOWN} if name in said for word in (name, said[name])]
os.execv({str(BIN / "xbind-switch")!r}, ["xbind-switch", *known])
"""


def bins(directory, stand_in=STAND_IN):
    """A folder with our programs and the stand-in."""
    folder = Path(directory) / "bin"
    folder.mkdir()
    for program in BIN.iterdir():
        if program.name != "xbind-gsmp-ovs":
            (folder / program.name).symlink_to(program)
    agent = folder / "xbind-gsmp-ovs"
    agent.write_text(stand_in)
    agent.chmod(agent.stat().st_mode | stat.S_IXUSR)
    return folder


@unittest.skipUnless(os.geteuid() == 0, "NOT TESTED: needs root for network namespaces")
class OvsLab(unittest.TestCase):

    def setUp(self):
        try:
            ovs.require()
        except LabError as error:
            self.skipTest(f"NOT TESTED: {error}")
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-ovs-")))
        self.state_dir = self.directory / "state"
        self.planned = ovs.plan(topology.describe(BIN, RING), self.state_dir)
        self.addCleanup(self.lab_command, "down", timeout=60)  # also after a failed test

    def lab_command(self, *words, **options):
        words = [words[0], "--state-dir", self.state_dir, *words[1:]]
        return run(LAB, *words, **options)

    def up(self, topology=RING, bin_dir=None):
        done = self.start(topology, bin_dir)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def start(self, topology=RING, bin_dir=None):
        return self.lab_command("up", topology, "--bin-dir", bin_dir or bins(self.directory),
                                "--names-port", "0", "--no-omniorb-config")

    def assert_nothing_is_left(self):
        self.assertEqual(processes_of(self.state_dir), [])
        # Others on this host may make namespaces and interfaces of their own meanwhile.
        prefix = self.planned.prefix
        self.assertEqual([name for name in networks.namespaces() if name.startswith(prefix)], [])
        self.assertEqual(self.interfaces_outside(), [])
        self.assertFalse((self.state_dir / "ovs").exists())
        self.assertFalse((self.state_dir / "lab.json").exists())

    def interfaces_outside(self):
        """The lab's interfaces in the namespace of this test."""
        here = os.listdir("/sys/class/net")
        return [port for node in self.planned.bridges for number in self.planned.ports(node)
                if (port := self.planned.port(node, number)) in here]

    def network(self):
        return Lab.find(self.state_dir).network

    def add_flows(self, path):
        """Lets IPv4 pass both ways over consecutive nodes: [(node, port in, port out), ...]."""
        network = self.network()
        for way, label in ((path, 1000), ([(n, out, at) for n, at, out in reversed(path)], 2000)):
            for node, at, out in way:
                if (node, at, out) == way[0]:
                    flow = f"in_port={at},ip,actions=push_mpls:0x8847,set_field:{label}->mpls_label"
                elif (node, at, out) == way[-1]:
                    flow = f"in_port={at},dl_type=0x8847,mpls_label={label},actions=pop_mpls:0x0800"
                else:
                    flow = f"in_port={at},dl_type=0x8847,mpls_label={label},actions=dec_mpls_ttl"
                ovs.run(["ovs-ofctl", "-O", "OpenFlow14", "add-flow", network.openflow(node),
                         f"priority=100,{flow},output:{out}"])

    def ping(self, node, address, count=3):
        return self.lab_command("host", node, "--", "ping", "-c", str(count), "-i", "0.1", "-W",
                                "2", address)

    def test_a_ring_is_up_is_cut_is_mended_and_leaves_nothing(self):
        up = self.up()
        self.assertIn("host at node-2: 10.77.0.2, deploy/lab host", up.stdout)
        self.assertEqual(self.interfaces_outside(), [], "all are in namespaces")

        # No bridge forwards anything by itself.
        self.assertEqual(self.ping("node-1", "10.77.0.2", 1).returncode, 1)
        self.add_flows([("node-1", 1, 2), ("node-2", 3, 1)])
        self.add_flows([("node-2", 1, 2), ("node-3", 3, 2), ("node-4", 3, 1)])
        self.assertIn("3 received", self.ping("node-2", "10.77.0.4").stdout)
        status = json.loads(self.lab_command("status", "--json").stdout)
        self.assertEqual(status["hosts"]["node-4"], "10.77.0.4")
        self.assertEqual([link["up"] for link in status["links"]], [True] * 8)

        # Either end names the line; both go down.
        self.assertEqual(self.lab_command("cut", "node-3:3").stdout,
                         "node-2:2 to node-3:3 is down\n")
        self.assertEqual(self.ping("node-2", "10.77.0.4", 1).returncode, 1)
        self.assertIn("lines down: 1 of 8", self.lab_command("status").stdout)
        down = self.network().ports_up()
        self.assertFalse(down["node-2", 2] or down["node-3", 3])
        self.lab_command("mend", "node-2", "2")
        wait_until(lambda: self.ping("node-2", "10.77.0.4", 1).returncode == 0, "frames pass again")
        for wrong in (("node-2:2", "2"), ("node-2",), ("node-2:0",), ("node-2:",)):
            self.assertEqual(self.lab_command("cut", *wrong).returncode, 2, wrong)
        # A host keeps its addresses and neighbours while its line is down.
        self.lab_command("cut", "node-4:1")
        self.lab_command("mend", "node-4:1")
        wait_until(lambda: self.ping("node-2", "10.77.0.4", 1).returncode == 0, "frames pass again")

        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def test_calls_carry_frames_around_a_cut_and_over_a_restarted_bridge(self):
        self.up(bin_dir=BIN)  # with xbind-gsmp-ovs itself
        lab = Lab.find(self.state_dir)
        for ends in (("node-1", "node-2"), ("node-2", "node-1")):
            done = tool(lab, "xbindctl", "connect", *ends)
            self.assertEqual(done.returncode, 0, done.stderr)
        pings = lambda: self.ping("node-1", "10.77.0.2", 1).returncode == 0  # noqa: E731
        wait_until(pings, "frames travel over the short way")
        self.lab_command("cut", "node-1:2")
        wait_until(pings, "frames travel over the long way")
        self.lab_command("kill", "ovs-vswitchd")
        self.assertFalse(pings(), "no bridge forwards now")
        self.lab_command("start", "ovs-vswitchd")
        wait_until(pings, "the agents have written the flows again")
        audit = tool(lab, "xbindctl", "audit")
        self.assertIn("clean", audit.stdout, audit.stderr)

    def test_killed_daemons_come_back_with_their_bridges(self):
        self.up()
        bridges = ovs.run(["ovs-vsctl", f"--db={self.network().database()}", "show"])
        names = ["ovs-vswitchd", "ovsdb-server", "xbind-gsmp-ovs/node-3"]
        killed = self.lab_command("kill", *names)
        self.assertEqual(killed.returncode, 0, killed.stderr)
        self.assertEqual(self.lab_command("status").returncode, 1)
        started = self.lab_command("start", *names)
        self.assertEqual(started.returncode, 0, started.stderr)
        self.assertEqual(self.lab_command("status").returncode, 0)
        self.assertEqual(ovs.run(["ovs-vsctl", f"--db={self.network().database()}", "show"]),
                         bridges)
        self.add_flows([("node-4", 1, 2), ("node-1", 3, 1)])
        self.assertIn("3 received", self.ping("node-4", "10.77.0.1").stdout)

    def test_bridges_beside_emulated_switches(self):
        up = self.up(MIXED)
        self.assertIn("host at switch-1: 10.77.0.3, deploy/lab host", up.stdout)
        lab = Lab.find(self.state_dir)
        ends = control.link_at(lab, "switch-1", 2)
        for wanted in (False, True):
            control.set_link(lab, ends, wanted)
            self.assertEqual(control.line_states(lab, [ends]), [wanted])
            self.assertEqual(lab.network.ports_up()["host-b", 3], wanted)
        refused = self.lab_command("host", "switch-2", "--", "true")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no host of this lab is at 'switch-2'", refused.stderr)
        # The program decides the exit code.
        self.assertEqual(self.lab_command("host", "host-a", "--", "false").returncode, 1)
        self.assertEqual(self.lab_command("host", "host-a", "--", "true").returncode, 0)

    def test_down_after_all_was_killed(self):
        self.up()
        with subprocess.Popen([sys.executable, "-B", LAB, "host", "--state-dir", self.state_dir,
                               "node-1", "--", "sleep", "600"]) as left:
            wait_until(lambda: len(self.pids_at("node-1")) == 1, "a program runs at the host")
            for process in Lab.find(self.state_dir).processes.values():
                process.signal(signal.SIGKILL)
            left.kill()  # the program itself goes on
        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def pids_at(self, node):
        return ovs.run(["ip", "netns", "pids", self.network().hosts[node]["namespace"]]).split()

    def test_up_after_all_was_killed(self):
        self.up()
        killed = list(Lab.find(self.state_dir).processes.values())
        for process in killed:
            process.signal(signal.SIGKILL)
        wait_until(lambda: not any(process.alive() for process in killed), "all have ended")
        again = self.lab_command("up", RING, "--bin-dir", self.directory / "bin", "--names-port",
                                 "0", "--no-omniorb-config")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.lab_command("down").returncode, 0)
        self.assert_nothing_is_left()

    def test_an_up_that_is_killed_while_it_makes_the_network(self):
        folder = bins(self.directory)
        # Does its work and does not end: so `up` goes no further than to the bridges.
        waits = self.directory / "waits"
        waits.mkdir()
        (waits / "ovs-vsctl").write_text(
            f"#!/bin/sh\n{shutil.which('ovs-vsctl')} \"$@\"\nexec sleep 600\n")
        (waits / "ovs-vsctl").chmod(0o755)
        environment = {**os.environ, "PATH": f"{waits}:{os.environ['PATH']}"}
        command = [sys.executable, "-B", LAB, "up", "--state-dir", self.state_dir, RING,
                   "--bin-dir", folder, "--names-port", "0", "--no-omniorb-config"]
        prefix = self.planned.prefix
        steps = {
            "a namespace is made": lambda: prefix in networks.namespaces(),
            "hosts are made": lambda: f"{prefix}-node-4" in networks.namespaces(),
            "the daemons run": lambda: (self.state_dir / "ovs" / "db.sock").exists(),
            "bridges are made": lambda: (self.state_dir / "ovs" / "br4.mgmt").exists(),
        }
        for words, reached in steps.items():
            with self.subTest(words), subprocess.Popen(
                    command, stdout=subprocess.DEVNULL, process_group=0,
                    env=environment) as killed:
                try:
                    wait_until(reached, words)
                finally:
                    os.killpg(killed.pid, signal.SIGKILL)  # with the commands that it runs
                    killed.wait()
                down = self.lab_command("down")
                self.assertEqual(down.returncode, 0, down.stderr)
                self.assert_nothing_is_left()

    def test_a_failed_up(self):
        folder = bins(self.directory, "#!/bin/sh\nexit 3\n")
        failed = self.lab_command("up", RING, "--bin-dir", folder, "--names-port", "0")
        self.assertEqual(failed.returncode, 1)
        self.assertRegex(failed.stderr, "xbind-gsmp-ovs/node-. ended at its start with exit code 3")
        self.assert_nothing_is_left()

    def test_a_namespace_of_that_name_is_left_alone(self):
        prefix = self.planned.prefix
        ovs.run(["ip", "netns", "add", prefix])
        try:
            failed = self.start()
            self.assertEqual(failed.returncode, 1)
            self.assertIn(f"remove it with: ip netns del {prefix}", failed.stderr)
            self.assertIn(prefix, networks.namespaces())
        finally:
            ovs.run(["ip", "netns", "del", prefix])
        self.assert_nothing_is_left()

    def test_two_labs_do_not_meet(self):
        self.up()
        other = ["--state-dir", self.directory / "other"]
        second = run(LAB, "up", *other, MIXED, "--bin-dir", self.directory / "bin", "--names-port",
                     "0", "--no-omniorb-config")
        try:
            self.assertEqual(second.returncode, 0, second.stderr)
        finally:
            self.assertEqual(run(LAB, "down", *other).returncode, 0)
        self.assertEqual(self.lab_command("status").returncode, 0)
        self.add_flows([("node-1", 1, 2), ("node-2", 3, 1)])
        self.assertIn("3 received", self.ping("node-1", "10.77.0.2").stdout)


class WithoutRights(unittest.TestCase):

    def test_a_lab_of_bridges_is_refused_before_anything_starts(self):
        with tempfile.TemporaryDirectory() as directory:
            lab = Lab(lab_options(directory, topology=RING, bin_dir=bins(directory)))
            with mock.patch.object(networks, "CAPABILITIES", {"CAP_NONE": 63}):
                with self.assertRaisesRegex(LabError, "this process has no CAP_NONE"):
                    lab.up()
            self.assertEqual([one.name for one in lab.processes.values() if one.pid], [])


if __name__ == "__main__":
    main()
