#!/usr/bin/env python3
"""xbind-wan as a program between two network namespaces: packets cross it, orders change it, and
what is no packet for it is dropped by name. Needs root, for namespaces and TUN devices.
"""

import contextlib
import json
import signal
import socket
import stat
import struct
import tempfile
import time
from pathlib import Path

from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from labkit import network as networks
from scraping import Scrape, get
from wan_world import TWO, Wan, lacking, namespaces, packet_socket, udp

A, SECOND_A, B = "10.78.1.1", "10.78.1.2", "10.78.2.1"


def checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def packet(octets=60, first=0x45, total=None, fragment=0, source=A, to=B, right=True):
    """An IPv4 packet; what differs from a good one is said."""
    header = struct.pack(">BBHHHBBH4s4s", first, 0, octets if total is None else total, 1, fragment,
                         64, 17, 0, socket.inet_aton(source), socket.inet_aton(to))
    return (header[:10] + struct.pack(">H", checksum(header) ^ (not right)) + header[12:]
            + bytes(octets - 20))


class Refused(unittest.TestCase):
    """What needs no namespace."""

    def refusal(self, text, *options):
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "sites.toml"
            file.write_text(text, encoding="utf-8")
            return run("xbind-wan", "--sites", file, *options)

    def test_mistakes_of_the_file_have_their_line(self):
        for text, said in ((TWO + "octets-per-s = 0\n", "line 14: option --octets-per-s"),
                           (TWO + "rate = 1\n", "line 14: a path has no 'rate'"),
                           (TWO + '[[path]]\nfrom = "b"\nto = "a"\n', "line 15: a second rule"),
                           (TWO.replace("10.78.2.1", "fd78::1"), "line 8: --addresses: 'fd78::1'"),
                           (TWO.replace('to = "b"', 'to = "c"'), "line 12: 'c' is neither")):
            done = self.refusal(text)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(said, done.stderr)
        done = run("xbind-wan")
        self.assertEqual((done.returncode, "--sites" in done.stderr), (2, True), done)

    def test_a_file_is_described(self):
        done = self.refusal(TWO, "--describe", "--namespace-prefix", "lab-")
        self.assertEqual(done.returncode, 0, done)
        site = json.loads(done.stdout)["sites"][0]
        self.assertEqual(site, {"name": "a", "namespace": "lab-a", "interface": "wan0",
                                "addresses": [A, SECOND_A], "nodes": [], "programs": []})

    def test_a_namespace_that_is_not_there_is_named(self):
        done = self.refusal(TWO, "--namespace-prefix", "nowhere-")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("site a: network namespace nowhere-a: No such file", done.stderr)

    def test_without_an_answer_tell_fails(self):
        done = run("xbind-wan", "tell", "/nonexistent/control", "status")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("/nonexistent/control: connect", done.stderr)


@unittest.skipIf(lacking(), lacking())
class BetweenNamespaces(unittest.TestCase):

    def setUp(self):
        self.prefix = self.enterContext(namespaces("a", "b"))
        self.a, self.b = self.prefix + "a", self.prefix + "b"

    def wan(self, text=TWO, *options):
        return Wan(text, *options, prefix=self.prefix)

    def arrives(self, wan, source=A):
        """Sends until a datagram comes, or the WAN has counted ten as lost."""
        sender, _ = udp(self.a, source)
        receiver, to = udp(self.b, B)
        with sender, receiver:
            for number in range(10):
                sender.sendto(bytes([number]), to)
            def lost():
                return int(wan.numbers("statistics", source, "b")["lost"]) >= 10
            def come():
                receiver.setblocking(False)
                with contextlib.suppress(BlockingIOError):
                    return bool(receiver.recv(10))
                return False
            found = []
            wait_until(lambda: found.append(come()) or found[-1] or lost(), "a datagram or a loss")
            return found[-1]

    def test_orders_change_one_pair_while_it_runs(self):
        with self.wan() as wan:
            self.assertTrue(self.arrives(wan))
            self.assertEqual(wan.tell("path", SECOND_A, "b", "loss=1"), "ok pairs=1")
            self.assertFalse(self.arrives(wan, SECOND_A))
            self.assertTrue(self.arrives(wan, A))
            self.assertEqual(wan.numbers("statistics", SECOND_A, B)["lost"], "10")
            self.assertTrue(wan.tell("path", "a", "b", "octets-per-s=0").startswith(
                "error bad-value: "))
            self.assertTrue(wan.tell("path", "a", "c", "loss=0").startswith("error no-such-path: "))

    def test_a_delay_is_at_least_what_the_rule_says(self):
        with self.wan(TWO + "delay-us = 40000\n"):
            sender, _ = udp(self.a, A)
            receiver, to = udp(self.b, B)
            with sender, receiver:
                begun = time.monotonic()
                sender.sendto(b"x", to)
                receiver.recv(10)
                self.assertGreaterEqual(time.monotonic() - begun, 0.040)

    def test_what_is_no_packet_for_it_is_dropped_by_name(self):
        bad = {"empty": [], "ipv6": [packet(first=0x65)], "not-ipv4": [packet(first=0x05), b"\0"],
               "truncated": [packet()[:19], packet(total=61), packet(first=0x4f)[:40], b"\x45"],
               "bad-header": [packet(first=0x44), packet(total=19), packet(total=59),
                              packet(right=False)],
               "above-mtu": [packet(601)],
               "fragment": [packet(fragment=0x2000), packet(fragment=9)],
               "foreign-source": [packet(source="10.1.1.1"), packet(source=B)],
               "no-destination": [packet(to="10.1.1.1"), packet(to="224.0.0.1")],
               "no-path": [packet(to=SECOND_A)]}
        with self.wan(TWO, "--mtu", "600") as wan:
            networks.run(["ip", "-n", self.a, "link", "set", "wan0", "mtu", "1500"])
            with packet_socket(self.a) as stranger:
                for octets in (one for many in bad.values() for one in many):
                    stranger.sendto(octets, ("wan0", 0x0800))
                stranger.sendto(packet(600), ("wan0", 0x0800))
            count = 1 + sum(len(many) for many in bad.values())
            wait_until(lambda: int(wan.numbers("status")["packets-in"]) >= count, "all are read")
            wait_until(lambda: wan.numbers("status")["packets-out"] == "1", "the good one is out")
            status = wan.numbers("status")
            self.assertEqual({name: int(status[name]) for name in bad},
                             {name: len(many) for name, many in bad.items()})
            self.assertEqual(status["held-packets"], "0")
            self.assertTrue(self.arrives(wan))

    def test_a_killed_one_leaves_nothing_and_another_takes_its_place(self):
        with self.wan() as wan:
            wan.stop(signal.SIGKILL)
            for name in (self.a, self.b):
                self.assertNotIn("wan0", networks.run(["ip", "-n", name, "link", "show"]))
            wan.start()  # at the socket that the killed one has left
            self.assertTrue(self.arrives(wan))

    def test_addresses_of_the_namespace_stay_where_they_are(self):
        networks.run(["ip", "-n", self.a, "addr", "add", f"{A}/32", "dev", "lo"])
        with self.wan() as wan:
            shown = networks.run(["ip", "-n", self.a, "-o", "addr", "show"])
            self.assertRegex(shown, rf"lo\s+inet {A}/32")
            self.assertNotRegex(shown, rf"wan0\s+inet {A}/32")
            self.assertRegex(shown, rf"wan0\s+inet {SECOND_A}/32")
            self.assertTrue(self.arrives(wan))

    def test_a_second_one_at_the_same_sites_is_refused(self):
        with self.wan() as wan:
            done = run(*[word for word in wan.command if word not in ("--control", wan.control)])
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(f"device wan0 in network namespace {self.a}: the device cannot be made",
                          done.stderr)

    def test_it_ends_with_its_device(self):
        with self.wan() as wan:
            networks.run(["ip", "-n", self.b, "link", "del", "wan0"])
            self.assertEqual(wan.popen.wait(timeout=20), 1)
            self.assertIn("the device of site b is gone", wan.output())

    def test_a_reload_takes_over_what_changed_in_the_file(self):
        with self.wan(TWO + "delay-us = 1000\n") as wan:
            wan.tell("path", SECOND_A, "b", "delay-us=7")
            wan.file.write_text(TWO + "delay-us = 2000\n", encoding="utf-8")
            wan.popen.send_signal(signal.SIGHUP)
            wait_until(lambda: wan.numbers("statistics", "a", "b").get("delay-us") == "2000",
                       "reloaded")
            wan.tell("path", SECOND_A, "b", "loss=0.5")
            wan.tell("tune", "log-level=debug")  # loads the same file again
            self.assertEqual(wan.numbers("statistics", SECOND_A, "b")["loss"], "0.5")
            wan.file.write_text(TWO.replace("10.78.1.2", "10.78.1.3"), encoding="utf-8")
            wan.popen.send_signal(signal.SIGHUP)
            wait_until(lambda: "needs a restart" in wan.output(), "refused")
            self.assertEqual(wan.numbers("statistics", SECOND_A, "b")["delay-us"], "2000")

    def test_orders_come_from_the_owner_alone_and_are_bounded(self):
        with self.wan() as wan:
            self.assertEqual(stat.S_IMODE(Path(wan.control).stat().st_mode), 0o600)
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(5)
                peer.connect(wan.control)
                peer.sendall(b"x" * 2000 + b"\n")
                self.assertTrue(peer.recv(200).startswith(b"error line-too-long: "))
                self.assertEqual(peer.recv(10), b"")
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(5)
                peer.connect(wan.control)
                peer.sendall(b"GET / HTTP/1.1\n")
                self.assertTrue(peer.recv(200).startswith(b"error unknown-command: "))
                self.assertEqual(peer.recv(10), b"")
            self.assertTrue(wan.tell("status").startswith("ok sites=2 pairs=4 "))

    def test_metrics_are_those_of_each_site(self):
        with self.wan(TWO, "--metrics", "127.0.0.1:0") as wan:
            self.assertTrue(self.arrives(wan))
            wan.tell("path", "a", "b", "loss=1")
            self.assertFalse(self.arrives(wan))
            scrape = Scrape(get(wan.metrics, "/metrics")[2])
            self.assertEqual(scrape.value("xbind_wan_drops_total", site="a", reason="lost"), 10)
            self.assertEqual(scrape.value("xbind_wan_packets_in_total", site="a"), 20)
            self.assertIn(scrape.value("xbind_wan_packets_out_total", site="b"), range(1, 11))
            self.assertEqual(get(wan.metrics, "/-/ready")[0], 200)


if __name__ == "__main__":
    main()
