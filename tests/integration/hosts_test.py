#!/usr/bin/env python3
"""Hosts at emulated switches: their Ethernet frames travel while a call joins them, and nothing of
them stays behind. Needs root, for network namespaces; no Open vSwitch.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from frame_hosts import Ethernet, aal5_payloads
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks
from labkit.process import LabError
from plain_host import Host, header
from scraping import Scrape, get

LAB = ROOT / "deploy" / "lab"
GERMANY = ROOT / "deploy" / "topologies" / "nobel-germany.toml"
LOST_MAX_S = 1.0  # while a call moves to another path
PING_S = 0.05  # between two pings meanwhile
# An ATM host beside one with frames: what a test puts into cells leaves as frames, or does not.
CELLS_AND_FRAMES = """
name = "cells-and-frames"

[[switch]]
name = "host-a"
endpoint = true
media = { cells = "plain" }

[[switch]]
name = "host-b"
endpoint = true
media = { cells = "frames" }

[[link]]
between = ["host-a:2", "host-b:2"]
cells-per-s = 353207
"""


def lacking():
    """Why no host can be made here, or None."""
    try:
        networks.require("hosts", networks.NEEDED)
    except LabError as error:
        return f"NOT TESTED: {error}"
    return None if os.geteuid() == 0 else "NOT TESTED: needs root for network namespaces"


@unittest.skipIf(lacking(), lacking())
class Hosts(unittest.TestCase):

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-hosts-")))
        self.state_dir = self.directory / "state"
        self.prefix = networks.prefix_of(self.state_dir)
        self.addCleanup(self.lab_command, "down", timeout=60)  # also after a failed test

    def lab_command(self, *words, **options):
        return run(LAB, words[0], "--state-dir", self.state_dir, *words[1:], **options)

    def up(self, topology, *words):
        done = self.lab_command("up", topology, "--bin-dir", BIN, "--names-port", "0",
                                "--no-omniorb-config", *words, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def lab(self):
        return Lab.find(self.state_dir)

    def ctl(self, *words, code=0):
        done = tool(self.lab(), "xbindctl", *words)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def connect(self, caller, callee, *words, traffic="port"):
        return self.ctl("connect", caller, callee, "--both", "--from-traffic", traffic,
                        "--to-traffic", traffic, "--quiet", *words).strip()

    def host(self, node):
        return self.lab().network.hosts[node]

    def ethernet(self, node):
        opened = Ethernet(self.host(node))
        self.addCleanup(opened.close)
        return opened

    def ping(self, node, address, *words):
        """How many of three answers came."""
        done = self.lab_command("host", node, "--", "ping", "-c", "3", "-i", "0.1", "-W", "1",
                                *words, address)
        return int(re.search(r"(\d+) received", done.stdout)[1])

    def log_of(self, switch):
        return self.lab().process_of("xbind-switch", switch).output()

    def interface(self, node):
        return self.host(node)["interface"]

    def assert_nothing_is_left(self):
        self.assertEqual(processes_of(self.state_dir), [])
        self.assertEqual([name for name in networks.namespaces()
                          if name.startswith(self.prefix)], [])
        self.assertEqual([name for name in os.listdir("/sys/class/net")
                          if name.startswith(self.prefix)], [])
        self.assertFalse((self.state_dir / "lab.json").exists())

    # A network of 17 nodes

    def test_pings_follow_a_call_around_a_cut_and_end_with_it(self):
        printed = self.up(GERMANY, "--hosts")
        self.assertIn("host at muenchen: 10.77.0.7, deploy/lab host", printed)
        there = self.host("muenchen")
        self.assertEqual(self.ping("hannover", there["address"]), 0, "no call yet")

        connection = self.connect("hannover", "muenchen")
        self.assertEqual(self.ping("hannover", there["address"]), 3)
        self.assertEqual(self.ping("hannover", there["address6"], "-6"), 3)
        self.assertEqual(self.ping("muenchen", self.host("hannover")["address"]), 3)
        neighbours = self.lab_command("host", "hannover", "--", "ip", "neigh").stdout
        self.assertRegex(neighbours, rf"{there['address']} .*{there['mac']} (?!PERM)")
        self.assertIn("clean", self.ctl("audit"))
        # The longest frame, and fragments.
        for size in (1472, 5000):
            self.assertEqual(self.ping("hannover", there["address"], "-s", str(size)), 3)

        self.cut_under_pings(connection, there["address"])
        self.assertEqual(self.ping("hannover", there["address"]), 3)
        self.assertIn("clean", self.ctl("audit"))

        self.ctl("release", connection)
        self.assertEqual(self.ping("hannover", there["address"]), 0)
        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def cut_under_pings(self, connection, address):
        """Cuts the first link of the call's path while its host pings: little may be lost."""
        before = self.ctl("describe", connection)
        port = re.search(r"hannover .*-> port (\d+)", before)[1]
        words = [LAB, "host", "--state-dir", self.state_dir, "hannover", "--", "ping", "-n", "-O",
                 "-i", str(PING_S), "-c", "80", "-W", "1", address]
        with subprocess.Popen([str(word) for word in words], text=True,
                              stdout=subprocess.PIPE) as pings:
            for line in pings.stdout:
                if "icmp_seq=5 " in line:
                    break
            cut = self.lab_command("cut", f"hannover:{port}")
            self.assertEqual(cut.returncode, 0, cut.stderr)
            sent, received = map(int, re.search(
                r"(\d+) packets transmitted, (\d+) received", pings.stdout.read()).groups())
        self.assertLessEqual((sent - received) * PING_S, LOST_MAX_S)
        self.assertNotIn(f"-> port {port} ", re.search(r"hannover .*", self.ctl(
            "describe", connection))[0])

    # VLANs

    def test_a_call_of_a_vlan_carries_that_vlan_alone(self):
        self.up(PAPER_TOPOLOGY, "--hosts")
        self.connect("host-a", "host-b", traffic="vlan 5")
        here, there = self.ethernet("host-a"), self.ethernet("host-b")
        for number, vlan in enumerate((5, None, 6, 0, 5)):
            here.send(there, b"%d" % number, vlan)
        self.assertEqual([there.receive(), there.receive()], [(b"0", 5), (b"4", 5)])
        there.send(here, b"back", 5)
        self.assertEqual(here.receive(), (b"back", 5))

        # Beside it the untagged frames, and a VLAN that has no tag at the other end.
        self.connect("host-a", "host-b")
        self.ctl("connect", "host-a", "host-b", "--from-traffic", "vlan 7", "--to-traffic",
                 "vlan 8")
        for vlan in (None, 7, 0):
            here.send(there, b"x", vlan)
        self.assertEqual([there.receive() for _ in range(3)],
                         [(b"x", None), (b"x", 8), (b"x", None)])
        self.assertIn("clean", self.ctl("audit"))

    def test_a_capture_has_the_frames(self):
        if shutil.which("tshark") is None:
            self.skipTest("NOT TESTED: tshark is not installed: no independent reader")
        file = self.directory / "host-a.erf"
        self.up(PAPER_TOPOLOGY, "--hosts", "--switch-option", f"host-a:captures=1={file}")
        self.connect("host-a", "host-b")
        self.assertEqual(self.ping("host-a", self.host("host-b")["address"]), 3)
        self.lab_command("down")  # writes the end of the file
        read = run("tshark", "-r", file, "-V").stdout
        self.assertRegex(read, r"AAL5 CRC: 0x[0-9a-f]+ \(correct\)")
        self.assertNotIn("(incorrect", read)
        for inside in ("Target IP address: 10.77.0.3", "Type: 8 (Echo (ping) request)",
                       "Type: 0 (Echo (ping) reply)"):
            self.assertIn(inside, read)

    def test_a_class_takes_its_prefix_while_it_has_a_call(self):
        self.up(PAPER_TOPOLOGY, "--hosts", "--switch-option",
                "host-a:classes=7=10.77.0.3/32", "--switch-option", "host-b:classes=7=10.77.0.1/32")
        there = self.host("host-b")["address"]
        self.connect("host-a", "host-b")
        self.assertEqual(self.ping("host-a", there), 3)
        connection = self.connect("host-a", "host-b", traffic="class 7")
        self.assertEqual(self.ping("host-a", there), 3)
        counted = self.ctl("count", "host-a", "1", "mpls:8199")
        # Any number: hosts send more than the ping's three frames.
        self.assertGreater(int(re.search(r"(\d+) cells in", counted)[1]), 0, counted)
        # Without its call the port's has the prefix again.
        self.ctl("release", connection)
        self.assertEqual(self.ping("host-a", there), 3)

    # Bad input

    def test_bad_frames_are_dropped_counted_and_logged_once(self):
        topology = self.directory / "cells-and-frames.toml"
        topology.write_text(CELLS_AND_FRAMES)
        self.up(topology, "--metrics")
        text = self.ctl("connect", "host-a", "host-b", "--to-traffic", "port", "--both",
                        "--cells-per-s", "1000")
        label = int(re.search(r"ingress label 0/(\d+)", text)[1])
        # The host has sent frames of its own before the call.
        before = self.dropped("host-b").get("no_call", 0)
        there = self.ethernet("host-b")
        cells = Host(self.lab().endpoints["host-a"])
        self.addCleanup(cells.close)

        def send(payloads):
            for number, payload in enumerate(payloads, start=1):
                last = 2 if number == len(payloads) else 0  # PT: the user-user bit
                head = bytearray(header(0, label)[:4])
                head[3] |= last
                cells.socket.sendto(with_hec(bytes(head)) + payload, cells.peer)

        def frame(body, size=60):
            return (there.mac + there.mac + bytes.fromhex("88b5") + body).ljust(size, b"\0")

        send(aal5_payloads(frame(b"good")))
        self.assertEqual(there.receive(), (b"good", None))
        broken = aal5_payloads(frame(b"broken"))
        broken[-1] = broken[-1][:-1] + bytes([broken[-1][-1] ^ 1])
        for _ in range(2):
            send(broken)
            send(aal5_payloads(frame(b"long", 1515)))
        send(aal5_payloads(frame(b"good")))
        self.assertEqual(there.receive(), (b"good", None))

        # From the host: longer than the switch's MTU by less than a tag, which a veth lets pass;
        # and of a VLAN that has no call.
        networks.run(["ip", "-n", self.host("host-b")["namespace"], "link", "set", "eth0", "mtu",
                      "1600"])
        there.send(there, b"long", size=1516)
        there.send(there, b"vlan", vlan=9)
        there.send(there, b"end")
        reasons = {"bad_trailer": 2, "too_long": 3, "no_call": before + 1}
        wait_until(lambda: self.dropped("host-b") == reasons, f"{reasons} are counted")
        ports = json.loads(self.ctl("ports", "host-b", "--json"))
        row = next(one for one in ports["ports"] if one["port"] == 1)["cells"]
        self.assertGreater(row["output_cell_discards"], 2 * len(broken), row)
        self.assertGreater(row["input_cell_discards"], 30, row)
        self.assertEqual(row["invalid_labels"], 0, "the controller gets an event for these")
        for words in ("its cells are no whole AAL5 frame", "longer than the interface's MTU",
                      "no call has its label"):
            self.assertEqual(self.log_of("host-b").count(words), 1, words)

    def dropped(self, switch):
        """{reason: frames} of port 1, as a scrape shows them."""
        lab = self.lab()
        process = lab.process_of("xbind-switch", switch)
        address = re.search(r"^xbind-switch metrics on (\S+)$", process.output(), re.MULTILINE)[1]
        samples = Scrape(get(address, "/metrics")[2]).of(
            "xbind_emulator_port_dropped_frames_total")
        return {dict(labels)["reason"]: value for labels, value in samples.items()
                if dict(labels)["port"] == "1" and value}

    def test_an_interface_that_vanishes_and_returns(self):
        self.up(PAPER_TOPOLOGY, "--hosts")
        self.connect("host-a", "host-b")
        there = self.host("host-b")
        self.assertEqual(self.ping("host-a", there["address"]), 3)
        networks.run(["ip", "link", "del", there["interface"]])
        self.assertEqual(self.ping("host-a", there["address"]), 0)
        self.assertIn(f"interface {there['interface']} is away", self.log_of("host-b"))
        network = self.lab().network
        lines = [line for line in network.lines_outside() if there["interface"] in line]
        networks.run(["ip", "-batch", "-"], [*lines, f"link set {there['interface']} up"])
        networks.run(["ip", "-n", there["namespace"], "-batch", "-"],
                     network.commands_inside()[there["namespace"]])
        self.assertEqual(self.ping("host-a", there["address"]), 3)
        wait_until(lambda: f"interface {there['interface']} is there again" in
                   self.log_of("host-b"), "its return is logged")
        # Down and up again, it keeps its number.
        networks.run(["ip", "link", "set", there["interface"], "down"])
        self.assertEqual(self.ping("host-a", there["address"]), 0)
        networks.run(["ip", "link", "set", there["interface"], "up"])
        self.assertEqual(self.ping("host-a", there["address"]), 3)

    # What stays behind

    def test_down_and_up_after_all_was_killed(self):
        self.up(PAPER_TOPOLOGY, "--hosts")
        self.kill_all()
        again = self.up(PAPER_TOPOLOGY, "--hosts")
        self.assertIn("host at host-b", again)
        with subprocess.Popen([sys.executable, "-B", LAB, "host", "--state-dir", self.state_dir,
                               "host-a", "--", "sleep", "600"]) as left:
            namespace = self.host("host-a")["namespace"]
            wait_until(lambda: networks.run(["ip", "netns", "pids", namespace]).split(),
                       "a program runs at the host")
            self.kill_all()
            left.kill()  # the program itself goes on
        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def kill_all(self):
        killed = list(self.lab().processes.values())
        for process in killed:
            process.signal(signal.SIGKILL)
        wait_until(lambda: not any(process.alive() for process in killed), "all have ended")

    def test_an_up_that_is_killed_while_it_makes_the_hosts(self):
        command = [sys.executable, "-B", LAB, "up", "--state-dir", self.state_dir, PAPER_TOPOLOGY,
                   "--hosts", "--bin-dir", BIN, "--names-port", "0", "--no-omniorb-config"]
        steps = {
            "a namespace is made": lambda: f"{self.prefix}-host-a" in networks.namespaces(),
            "a line is made": lambda: os.path.exists(f"/sys/class/net/{self.prefix}h1")}
        for words, reached in steps.items():
            with self.subTest(words), subprocess.Popen(
                    [str(word) for word in command], stdout=subprocess.DEVNULL,
                    process_group=0) as killed:
                try:
                    wait_until(reached, words)
                finally:
                    os.killpg(killed.pid, signal.SIGKILL)
                    killed.wait()
                down = self.lab_command("down")
                self.assertEqual(down.returncode, 0, down.stderr)
                self.assert_nothing_is_left()

    def test_an_interface_of_that_name_is_left_alone(self):
        name = f"{self.prefix}h1"
        networks.run(["ip", "link", "add", name, "type", "veth", "peer", "name", f"{name}x"])
        try:
            failed = self.lab_command("up", PAPER_TOPOLOGY, "--hosts", "--bin-dir", BIN,
                                      "--names-port", "0")
            self.assertEqual(failed.returncode, 1)
            self.assertIn(f"remove it with: ip link del {name}", failed.stderr)
            self.assertTrue(os.path.exists(f"/sys/class/net/{name}"))
        finally:
            networks.run(["ip", "link", "del", name])
        self.assert_nothing_is_left()


def with_hec(head):
    """Four octets of a cell's header, and their HEC."""
    remainder = 0
    for octet in head:
        remainder ^= octet
        for _ in range(8):
            remainder = (remainder << 1 ^ (0x107 if remainder & 0x80 else 0)) & 0x1ff
    return head + bytes([remainder & 255 ^ 0x55])


if __name__ == "__main__":
    main()
