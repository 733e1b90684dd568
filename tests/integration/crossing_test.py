#!/usr/bin/env python3
"""Hosts at bridges of Open vSwitch and at emulated switches reach each other: MPLS frames on the
links between the two kinds of switch.

Needs root and Open vSwitch.
"""

import json
import os
import re
import shutil
import signal
import socket
import struct
import tempfile
from pathlib import Path

from frame_hosts import Ethernet, inside
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks, ovs
from labkit.process import LabError
from scraping import Scrape, get

LAB = ROOT / "deploy" / "lab"
MIXED = ROOT / "deploy" / "topologies" / "ovs-mixed.toml"
# A bridge between two emulated switches; at the end of the row one with cells.
BETWEEN = """
name = "between"

[[switch]]
name = "left"
endpoint = true

[[switch]]
name = "middle"
kind = "ovs"

[[switch]]
name = "right"
endpoint = true

[[link]]
between = ["left:2", "middle:1"]
cells-per-s = 353207

[[link]]
between = ["middle:2", "right:2"]
cells-per-s = 353207
"""
BROADCAST, ANYBODY = bytes([0xFF] * 6), bytes.fromhex("027862000063")
TYPE_IPV4 = 0x0800
IPV4 = bytes.fromhex("4500001c00004000401100000a4d00010a4d0004") + bytes(8)


def lacking():
    """Why no bridge can be made here, or None."""
    try:
        ovs.require()
    except LabError as error:
        return f"NOT TESTED: {error}"
    return None if os.geteuid() == 0 else "NOT TESTED: needs root for network namespaces"


def mpls(*entries):
    """A stack of labels: (label, TTL), the last one at the bottom."""
    return b"".join(struct.pack("!I", label << 12 | (number == len(entries)) << 8 | ttl)
                    for number, (label, ttl) in enumerate(entries, start=1))


def ethernet(kind, body):
    return (BROADCAST + ANYBODY + struct.pack("!H", kind) + body).ljust(60, b"\0")


@unittest.skipIf(lacking(), lacking())
class Crossing(unittest.TestCase):

    def setUp(self):
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="xbind-cross-")))
        self.state_dir = self.directory / "state"
        self.prefix = networks.prefix_of(self.state_dir)
        self.addCleanup(self.lab_command, "down", timeout=60)  # also after a failed test

    def lab_command(self, *words, **options):
        return run(LAB, words[0], "--state-dir", self.state_dir, *words[1:], **options)

    def up(self, topology=MIXED, *words):
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

    def connect(self, caller, callee, *words):
        return self.ctl("connect", caller, callee, "--both", "--cells-per-s", "25000",
                        "--from-traffic", "port", "--to-traffic", "port", "--quiet",
                        *words).strip()

    def ping(self, node, far, *words):
        """How many of three answers came."""
        done = self.lab_command("host", node, "--", "ping", "-c", "3", "-i", "0.1", "-W", "1",
                                *words, self.lab().network.hosts[far]["address"])
        return int(re.search(r"(\d+) received", done.stdout)[1])

    def assert_nothing_is_left(self):
        self.assertEqual(processes_of(self.state_dir), [])
        self.assertEqual([name for name in networks.namespaces()
                          if name.startswith(self.prefix)], [])
        self.assertEqual([name for name in os.listdir("/sys/class/net")
                          if name.startswith(self.prefix)], [])
        self.assertFalse((self.state_dir / "lab.json").exists())

    # Calls between the two kinds of host

    def test_pings_cross_while_a_call_is_up_and_end_with_it(self):
        printed = self.up()
        self.assertNotIn("note:", printed)
        self.assertEqual(self.ping("host-a", "host-c"), 0, "no call yet")
        connection = self.connect("host-a", "host-c")
        self.assertEqual(self.ping("host-a", "host-c"), 3)
        self.assertEqual(self.ping("host-c", "host-a"), 3)
        self.assertEqual(self.ping("host-a", "switch-1"), 0, "another host has no call")
        # The longest frame, and fragments.
        for size in (1472, 5000):
            self.assertEqual(self.ping("host-a", "host-c", "-s", str(size)), 3)
        self.assertIn("clean", self.ctl("audit"))
        # A second call of other ends beside it, with one switch of each kind.
        beside = self.connect("switch-1", "host-b")
        self.assertEqual(self.ping("host-b", "switch-1"), 3)

        self.ctl("release", connection)
        self.assertEqual(self.ping("host-a", "host-c"), 0)
        self.assertEqual(self.ping("host-b", "switch-1"), 3)
        self.ctl("release", beside)
        self.assertEqual(self.ping("host-b", "switch-1"), 0)
        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def test_a_vlan_leaves_as_the_vlan_of_the_other_end(self):
        self.up()
        self.ctl("connect", "host-a", "host-c", "--both", "--cells-per-s", "1000",
                 "--from-traffic", "vlan 7", "--to-traffic", "vlan 8")
        here, there = (Ethernet(self.lab().network.hosts[node]) for node in ("host-a", "host-c"))
        self.addCleanup(here.close)
        self.addCleanup(there.close)
        for vlan in (6, None, 7):
            here.send(there, IPV4[:-1] + bytes([vlan or 0]) + b"end", vlan, kind=TYPE_IPV4)
        self.assertEqual(there.receive(TYPE_IPV4), (IPV4[:-1] + b"\x07end", 8))
        there.send(here, IPV4 + b"back", 8, kind=TYPE_IPV4)
        self.assertEqual(here.receive(TYPE_IPV4), (IPV4 + b"back", 7))

    def test_a_cut_stops_them_and_a_mend_lets_them_pass(self):
        self.up()
        self.connect("host-a", "host-c")
        self.assertEqual(self.ping("host-a", "host-c"), 3)
        self.assertEqual(self.lab_command("cut", "switch-1:2").stdout,
                         "host-b:3 to switch-1:2 is down\n")
        self.assertEqual(self.ping("host-a", "host-c"), 0)
        self.assertIn("lines down: 1 of 7", self.lab_command("status").stdout)
        self.lab_command("mend", "host-b:3")
        wait_until(lambda: self.ping("host-a", "host-c") == 3, "frames pass again")
        self.assertIn("lines down: 0 of 7", self.lab_command("status").stdout)

    def test_killed_daemons_come_back_with_their_frames(self):
        self.up()
        self.connect("host-a", "host-c")
        self.assertEqual(self.ping("host-c", "host-a"), 3)
        self.lab_command("kill", "ovs-vswitchd", "xbind-switch/switch-1")
        self.assertEqual(self.ping("host-c", "host-a"), 0)
        self.lab_command("start", "ovs-vswitchd", "xbind-switch/switch-1")
        wait_until(lambda: self.ping("host-c", "host-a") == 3, "frames pass again")

    def test_a_bridge_between_two_emulated_switches(self):
        file = self.directory / "between.toml"
        file.write_text(BETWEEN)
        capture = self.directory / "left.erf"
        self.up(file, "--hosts", "--switch-option", f"left:captures=2={capture}")
        connection = self.connect("left", "right")
        self.assertEqual(self.ping("left", "right"), 3, "without ARP")
        self.ctl("release", connection)
        self.assertEqual(self.ping("left", "right"), 0)
        self.lab_command("down")  # writes the end of the file
        self.assert_nothing_is_left()
        if shutil.which("tshark") is None:
            self.skipTest("NOT TESTED: tshark is not installed: no independent reader")
        read = run("tshark", "-r", capture, "-V").stdout
        self.assertRegex(read, r"AAL5 CRC: 0x[0-9a-f]+ \(correct\)")
        self.assertNotIn("(incorrect", read)
        for within in ("Src: 10.77.0.1, Dst: 10.77.0.3", "Type: 8 (Echo (ping) request)",
                       "Type: 0 (Echo (ping) reply)"):
            self.assertIn(within, read)

    # Bad input

    def test_bad_frames_are_dropped_counted_and_logged_once(self):
        self.up(MIXED, "--metrics")
        # Its host sends frames of IPv6 at any time, which count as well.
        quiet = self.lab_command("host", "host-c", "--", "sh", "-c",
                                 "echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6")
        self.assertEqual(quiet.returncode, 0, quiet.stderr)
        self.connect("host-a", "host-c")
        self.assertEqual(self.ping("host-a", "host-c"), 3)
        self.assertEqual(self.dropped(), {})
        label = self.label_in()
        # At the bridge's end of the line, beside its own frames. It may send what is too long for
        # the switch by less than a tag, which a veth lets pass.
        bridge_end = self.lab().network.port("host-b", 3)
        networks.run(["ip", "-n", self.prefix, "link", "set", bridge_end, "mtu", "1700"])
        beside = inside(self.prefix, lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
        self.addCleanup(beside.close)
        beside.bind((bridge_end, 0))
        bad = {"not_mpls": ethernet(0x0806, bytes(28)),
               "label": ethernet(0x8847, mpls((label, 64), (label, 64)) + IPV4),
               "expired": ethernet(0x8847, mpls((label, 0)) + IPV4),
               "not_ipv4": ethernet(0x8847, mpls((label, 64)) + b"\x60" + bytes(39)),
               "too_short": ethernet(0x8847, mpls((label, 64)))[:30],
               "tag": ethernet(0x8100, struct.pack("!HH", 7, 0x8847) + mpls((label, 64)) + IPV4),
               "no_call": ethernet(0x8847, mpls((label + 1, 64)) + IPV4),
               "too_long": ethernet(0x8847, mpls((label, 64)) + IPV4).ljust(1616, b"\0")}
        for frame in bad.values():
            for _ in range(2):
                beside.send(frame)
        expected = dict.fromkeys(bad, 2)
        wait_until(lambda: self.dropped() == expected, f"{expected} are counted")
        self.assertEqual(self.ping("host-a", "host-c"), 3, "good frames pass")
        ports = json.loads(self.ctl("ports", "switch-1", "--json"))
        row = next(one for one in ports["ports"] if one["port"] == 2)["cells"]
        self.assertGreaterEqual(row["input_cell_discards"], 2 * 7 + 2 * 34, row)
        self.assertEqual(row["invalid_labels"], 0, "the controller gets an event for these")
        log = "".join(line for line in self.lab().process_of("xbind-switch", "switch-1").output()
                      .splitlines() if f"interface {self.prefix}t1" in line)
        for words in ("no MPLS label", "more than one MPLS label", "its time to live is over",
                      "it is not IPv4", "shorter than", "longer than", "its VLAN tag",
                      "no call has its label"):
            self.assertEqual(log.count(words), 1, words)

        # Into the bridge: what the host sends beside IPv4.
        here = inside(self.lab().network.hosts["host-c"]["namespace"],
                      lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
        self.addCleanup(here.close)
        here.bind(("eth0", 0))
        here.send(ethernet(0x88B5, bytes(60)))
        expected["not_ipv4"] += 1
        wait_until(lambda: self.dropped() == expected, f"{expected} are counted")

    def label_in(self):
        """The label of the only connection that comes in at port 2 of switch-1."""
        call = re.search(r"^(\d{6,})\b", self.ctl("list"), re.MULTILINE)[1]
        return int(re.search(r"switch-1 +port 2 label mpls (\d+)", self.ctl("describe", call))[1])

    def dropped(self):
        """{reason: frames} of port 2 of switch-1, as a scrape shows them."""
        process = self.lab().process_of("xbind-switch", "switch-1")
        address = re.search(r"^xbind-switch metrics on (\S+)$", process.output(), re.MULTILINE)[1]
        samples = Scrape(get(address, "/metrics")[2]).of(
            "xbind_emulator_port_dropped_frames_total")
        return {dict(labels)["reason"]: value for labels, value in samples.items()
                if dict(labels)["port"] == "2" and value}

    def test_cells_of_oam_do_not_cross(self):
        file = self.directory / "between.toml"
        file.write_text(BETWEEN.replace('name = "left"\nendpoint = true', 'name = "left"\n'
                                        'endpoint = true\nmedia = { labels = "mpls" }'))
        self.up(file)
        call = connection_of(tool(self.lab(), "xbindctl", "connect", "left", "right",
                                  "--cells-per-s", "1000"))
        refused = tool(self.lab(), "xbindctl", "ping", call)
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn(f"{call} passes middle, a bridge of Open vSwitch, which carries no OAM cells",
                      refused.stderr)

    # What stays behind

    def test_down_and_up_after_all_was_killed(self):
        self.up()
        self.kill_all()
        self.up()  # removes what is left
        self.connect("host-a", "host-c")
        self.assertEqual(self.ping("host-a", "host-c"), 3)
        self.kill_all()
        down = self.lab_command("down")
        self.assertEqual((down.returncode, down.stderr), (0, ""))
        self.assert_nothing_is_left()

    def kill_all(self):
        killed = list(self.lab().processes.values())
        for process in killed:
            process.signal(signal.SIGKILL)
        wait_until(lambda: not any(process.alive() for process in killed), "all have ended")


if __name__ == "__main__":
    main()
