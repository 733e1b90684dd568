#!/usr/bin/env python3
"""Real switches, real frames: what docs/real-switches.md shows, with iperf3 between two hosts, and
the safety of what others have on the bridges.

Needs root, Open vSwitch and iperf3.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import threading

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import ovs
from labkit.process import LabError

RING = ROOT / "deploy" / "topologies" / "ovs-ring4.toml"
CELLS_PER_S = 25_000
CELL_OCTETS = 48  # of a frame
PAYLOAD = 1400
FRAME = PAYLOAD + 8 + 20 + 14  # UDP, IPv4 and Ethernet
OTHERS = "priority=100,cookie=0x7,in_port=2,dl_type=0x8847,mpls_label=900000,actions=drop"


def policed_bits_per_s(cells_per_s):
    """Of UDP payload, at a rate in cells."""
    return cells_per_s * CELL_OCTETS * 8 * PAYLOAD / FRAME


@unittest.skipUnless(os.geteuid() == 0, "NOT TESTED: needs root for network namespaces")
class RealSwitches(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        try:
            ovs.require()
        except LabError as error:
            raise unittest.SkipTest(f"NOT TESTED: {error}") from error
        if shutil.which("iperf3") is None:
            raise unittest.SkipTest("NOT TESTED: iperf3 is missing (deploy/install ovs)")
        cls.lab = cls.enterClassContext(lab_up(topology=RING))
        cls.node = {name: host["address"] for name, host in cls.lab.network.hosts.items()}

    def tearDown(self):
        """A test that failed in between leaves its calls and its cut to no other test."""
        self.cut("node-1", 2, True)
        for call in re.findall(r"^(\d{6,})\b", self.ctl("list"), re.MULTILINE):
            self.ctl("release", call)

    # ----- what a person does -----

    def ctl(self, *words, code=0):
        done = tool(self.lab, "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def connect(self, start="node-1", end="node-3", *more):
        said = self.ctl("connect", start, end, "--both", "--cells-per-s", CELLS_PER_S,
                        "--from-traffic", "port", "--to-traffic", "port", *more)
        return self.id_of(said)

    def id_of(self, said):
        return re.match(r"(\d+) connected", said).group(1)

    def release(self, call):
        self.ctl("release", call)

    def at(self, node, *words, timeout=60):
        return subprocess.run(self.lab.network.host_command(node, [str(word) for word in words]),
                              capture_output=True, text=True, check=False, timeout=timeout)

    def reaches(self, start="node-1", end="node-3"):
        return self.at(start, "ping", "-c", 2, "-i", "0.2", "-W", 1,
                       self.node[end]).returncode == 0

    def udp(self, bits_per_s, seconds, omit_s, start="node-1", end="node-3"):
        """A UDP flow from one host to another: what iperf3's server received, bits of payload a
        second without the first omit_s seconds, and its summary of the whole flow."""
        server = self.lab.network.host_command(end, ["iperf3", "-s", "-1", "-J"])
        client = ["iperf3", "-c", self.node[end], "-u", "-b", f"{bits_per_s:.0f}", "-l", PAYLOAD,
                  "-t", seconds + omit_s]
        with subprocess.Popen(server, stdout=subprocess.PIPE, text=True) as far:
            # Refused until the server listens.
            patience = seconds + omit_s + 60
            wait_until(lambda: self.at(start, *client, timeout=patience).returncode == 0,
                       "iperf3 has run")
            received = json.loads(far.communicate(timeout=60)[0])
        late = [one["sum"] for one in received["intervals"] if one["sum"]["start"] >= omit_s - 0.5]
        rate = sum(one["bytes"] for one in late) * 8 / sum(one["seconds"] for one in late)
        return rate, received["end"]["sum"]

    def flows(self, node):
        """The flows of a bridge as Open vSwitch's own tool lists them."""
        done = run("ovs-ofctl", "-O", "OpenFlow14", "dump-flows", self.lab.network.openflow(node))
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.strip() for line in done.stdout.splitlines() if "cookie=" in line]

    def ours(self, node):
        return [flow for flow in self.flows(node) if "cookie=0x5842" in flow]

    def cut(self, node, port, up):
        self.lab.network.set_port(node, port, up)

    def assert_clean(self):
        wait_until(lambda: tool(self.lab, "xbindctl", "audit").returncode == 0, "a clean audit")

    # ----- the tests -----

    def test_a_call_makes_ping_work_and_a_release_makes_it_stop(self):
        self.assertFalse(self.reaches())
        call = self.connect()
        self.assertTrue(self.reaches())
        self.assertFalse(self.reaches("node-1", "node-2"))
        self.release(call)
        self.assertFalse(self.reaches())
        for node in self.node:
            self.assertEqual(self.ours(node), [])
        self.assert_clean()

    def test_the_contract_is_policed_and_a_change_changes_the_rate(self):
        call = self.connect()
        wanted = policed_bits_per_s(CELLS_PER_S)
        first = self.udp(2 * wanted, seconds=20, omit_s=5)
        self.assert_rate(first, wanted)
        self.ctl("modify", call, "--both", "--cells-per-s", 2 * CELLS_PER_S,
                 "--reverse-cells-per-s", CELLS_PER_S)
        second = self.udp(3 * wanted, seconds=4, omit_s=2)
        self.assert_rate(second, 2 * wanted)
        self.release(call)
        self.assert_clean()

    def assert_rate(self, flow, wanted):
        rate, whole = flow
        print(f"policed to {wanted / 1e6:.2f} Mbit/s of payload, {rate / 1e6:.2f} arrive",
              flush=True)
        self.assertGreater(whole["lost_percent"], 5)  # it was policed
        self.assertAlmostEqual(rate / wanted, 1, delta=0.15, msg=str(whole))

    def test_a_cut_link_is_routed_around_while_traffic_runs(self):
        call = self.connect("node-1", "node-2")
        self.assertEqual(self.path(call), ["node-1", "node-2"])
        bits_per_s = policed_bits_per_s(CELLS_PER_S) / 4
        timer = threading.Timer(2.0, self.cut, ("node-1", 2, False))
        timer.start()
        self.addCleanup(self.cut, "node-1", 2, True)
        _, flow = self.udp(bits_per_s, seconds=6, omit_s=0, end="node-2")
        timer.join()
        lost_s = flow["lost_packets"] * PAYLOAD * 8 / bits_per_s
        print(f"a cut link: {lost_s:.3f} s of the traffic were lost", flush=True)
        self.assertLess(lost_s, 1.0, flow)
        self.assertEqual(self.path(call), ["node-1", "node-4", "node-3", "node-2"])
        self.cut("node-1", 2, True)
        self.release(call)
        self.assert_clean()

    def path(self, call):
        """The switches of a call's forward direction, in order."""
        forward = self.ctl("describe", call).partition("forward")[2].partition("reverse")[0]
        return re.findall(r"^ +hop \d+ +(\S+)", forward, re.MULTILINE)

    def test_vlans_are_different_calls(self):
        """Frames with a tag belong to the call of their VLAN; they leave with its far end's."""
        tagged = self.id_of(self.ctl(
            "connect", "node-1", "node-3", "--both", "--cells-per-s", CELLS_PER_S,
            "--from-traffic", "vlan 100", "--to-traffic", "vlan 200"))
        self.assertFalse(self.reaches())  # without a tag
        flow, = [flow for flow in self.ours("node-1") if "in_port=1" in flow]
        self.assertIn("dl_vlan=100", flow)
        back, = [flow for flow in self.ours("node-1") if "output:1" in flow]
        self.assertIn("set_field:4196->vlan_vid", back)  # 100, and the bit that says "a tag"
        self.release(tagged)

    def test_flows_of_others_stay(self):
        bridge = self.lab.network.openflow("node-2")
        self.assertEqual(run("ovs-ofctl", "-O", "OpenFlow14", "add-flow", bridge,
                             OTHERS).returncode, 0)
        call = self.connect("node-1", "node-2")
        self.lab.processes["xbind-gsmp-ovs/node-2"].signal(9)
        wait_until(lambda: not self.lab.processes["xbind-gsmp-ovs/node-2"].alive(), "killed")
        self.assertTrue(self.reaches("node-1", "node-2"))  # flows need no agent
        self.lab.start("xbind-gsmp-ovs/node-2")
        self.lab.wait_ready(self.lab.processes["xbind-gsmp-ovs/node-2"])
        self.release(call)
        self.assert_clean()
        left = self.flows("node-2")
        self.assertEqual(len(left), 1, left)
        self.assertIn("cookie=0x7", left[0])
        run("ovs-ofctl", "-O", "OpenFlow14", "del-flows", bridge, "cookie=0x7/-1")

    def test_the_audit_reads_the_bridge_and_a_repair_writes_it(self):
        call = self.connect()
        bridge = self.lab.network.openflow("node-3")
        self.assertEqual(run("ovs-ofctl", "-O", "OpenFlow14", "del-flows", bridge).returncode, 0)
        found = tool(self.lab, "xbindctl", "audit")
        self.assertEqual(found.returncode, 1, found.stdout)
        self.assertIn("node-3", found.stdout)
        self.assertFalse(self.reaches())
        tool(self.lab, "xbindctl", "repair")
        self.assert_clean()
        self.assertTrue(self.reaches())
        self.release(call)

    def test_a_bridge_that_restarts_gets_its_flows_back(self):
        call = self.connect()
        switches = self.lab.processes[ovs.SWITCHES]
        switches.signal(9)
        wait_until(lambda: not switches.alive(), "killed")
        self.lab.start(ovs.SWITCHES)
        self.lab.wait_ready(switches)
        wait_until(self.reaches, "the frames pass again")
        self.release(call)
        self.assert_clean()
        self.assertFalse(self.reaches())

    def test_the_conformance_suite_passes_on_a_bridge_of_others(self):
        """A bridge with ports and flows of its own, beside the lab's."""
        with tempfile_bridge(self.lab.network) as (bridge, flows_of):
            before = flows_of()
            self.assertEqual(len(before), 2)
            with subprocess.Popen(
                    [BIN / "xbind-gsmp-ovs", "--name", "alone", "--listen", "127.0.0.1:0",
                     "--bridge", bridge, "--ports", "4", "--edge-ports", "4"],
                    stdout=subprocess.PIPE, text=True) as agent:
                address = agent.stdout.readline().rpartition(" listening on ")[2].strip()
                suite = run("gsmp_conformance", "--gtest_brief=1", timeout=240,
                            env={"XBIND_CONFORMANCE_SWITCH": address,
                                 "XBIND_CONFORMANCE_VERSIONS": "3"})
                agent.terminate()
                self.assertEqual(agent.wait(timeout=20), 0)
            self.assertEqual(suite.returncode, 0, suite.stdout[-4000:])
            self.assertEqual(flows_of(), before)


@contextlib.contextmanager
def tempfile_bridge(network):
    """Another bridge of the lab's ovs-vswitchd, with four ports and two flows of others; its
    address, and a function that lists its flows without counters."""
    database = f"--db={network.database()}"
    words = ["add-br", "brother", "--", "set", "bridge", "brother", "datapath_type=netdev",
             "fail_mode=secure", "protocols=OpenFlow14"]
    lines = []
    for port in range(1, 5):
        lines.append(f"link add bo{port} type veth peer name bo{port}x")
        lines += [f"link set bo{port} up", f"link set bo{port}x up"]
        words += ["--", "add-port", "brother", f"bo{port}", "--", "set", "interface", f"bo{port}",
                  f"ofport_request={port}"]
    bridge = f"unix:{network.directory}/brother.mgmt"

    def flows_of():
        shown = run("ovs-ofctl", "-O", "OpenFlow14", "--no-stats", "dump-flows", bridge).stdout
        return sorted(line for line in shown.splitlines() if "cookie" in line or "actions" in line)

    ovs.run(["ip", "-n", network.prefix, "-batch", "-"], lines)
    ovs.run(["ovs-vsctl", database, *words])
    try:
        for flow in ("priority=7,in_port=1,ip,actions=output:2",
                     "priority=30000,in_port=3,dl_type=0x8847,mpls_label=17,actions=drop"):
            ovs.run(["ovs-ofctl", "-O", "OpenFlow14", "add-flow", bridge, flow])
        yield bridge, flows_of
    finally:
        ovs.run(["ovs-vsctl", database, "del-br", "brother"])


if __name__ == "__main__":
    main()
