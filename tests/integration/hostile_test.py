#!/usr/bin/env python3
"""Hostile peers at every port of the daemons: malformed messages, idle and slow connections,
floods, forged sessions and epochs, clients that attach and vanish. Every daemon lives, memory,
descriptors and logs stay bounded, and a good client is served at the same time: no more of its
requests wait than of one whose daemons nobody attacks (harm.py).

  hostile_test.py [--messages N] [--connections N] [--attachments N] [--seed S] [--log FILE]

The seed chooses the messages; it is printed. FILE receives a line for each daemon and test.
"""

import argparse
import contextlib
import itertools
import os
import random
import re
import resource
import socket
import struct
import sys
import time

import giop
import harm
import hostile
import idl_messages
from gsmp_client import FRAME_TYPE
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import
from hostile import exchange, usage

OPTIONS = argparse.Namespace()
HIGHEST = 2**64 - 1
BAD_REQUEST = "IDL:openxbind/xbind/v2/BadRequest:1.0"
RSS_KIB, DESCRIPTORS, LOG_OCTETS = 60_000, 60, 1_000_000  # that a test may add to a daemon
PER_CONNECTION_KIB = 100
BURST = 50  # connections
MALFORMED = b"GIOP\1\0\1\0\xff\xff\xff\xff"  # ends its connection
DAEMONS_OF_OURS = (*hostile.INTERFACES, "xbind-switch")


class Hostile(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(harm.two_networks())
        cls.known = idl_messages.Contracts()
        cls.observer = hostile.Observer()
        cls.addClassCleanup(cls.observer.close)
        cls.targets = hostile.targets(cls.lab, harm.offended(cls.lab))
        for target in cls.targets:
            assert len(target.addresses) == 2, target  # requests, and batches
        cls.manager = next(one for one in cls.targets if one.process.program == "xbind-cmgr")
        cls.server = next(one for one in cls.targets
                          if one.process.name == f"xbind-switchserver/{MIDDLE}")
        cls.routes = next(one for one in cls.targets
                          if one.process.program == "xbind-routeobject")

    def daemons(self):
        return [one for one in self.lab.processes.values() if one.program in DAEMONS_OF_OURS]

    def remote(self, target, key=None, port=0):
        found = giop.Remote((*target.addresses[port], key or next(iter(target.keys.values()))[0]))
        self.addCleanup(found.close)
        return found

    def status(self, name):
        return hostile.status_counter(self.lab, name)

    def assert_served(self, calls=200):
        done, summary = offer(self.lab, Load(calls=calls, rate=200))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(summary["setups"]["connected"], calls, done.stdout)
        self.assertTrue(summary["audit"]["clean"], summary["audit"])

    @contextlib.contextmanager
    def unharmed(self, rss_kib=RSS_KIB):
        """Inside the block something hostile happens, and a good client waits no more than one
        elsewhere. Afterwards every daemon lives and uses little more than before."""
        before = {one.name: usage(one) for one in self.daemons()}
        with harm.nobody_waits(self.lab):
            yield
        self.assert_served()
        for one in self.daemons():
            self.assertTrue(one.alive(), f"{one.name}{one.exit_text()}: {one.log_tail(30)}")
            was = before[one.name]
            wait_until(lambda one=one, was=was:
                       usage(one).descriptors < was.descriptors + DESCRIPTORS,
                       f"{one.name} has closed what was opened: {was}", 60)
            now = usage(one)
            self.report(one.name, was, now)
            if MEMORY_COUNTS:
                self.assertLess(now.rss_kib - was.rss_kib, rss_kib, one.name)
            self.assertLess(now.log_octets - was.log_octets, LOG_OCTETS, one.name)
            self.assert_no_line_is_forged(one)
        self.assertEqual(tool(self.lab, "xbindctl", "status").returncode, 0)
        audit = tool(self.lab, "xbindctl", "audit")
        self.assertEqual(audit.returncode, 0, audit.stdout + audit.stderr)

    def report(self, name, before, after):
        line = f"{self._testMethodName} {name}\n  before {before}\n  after  {after}"
        print(line)
        if OPTIONS.log:
            with open(OPTIONS.log, "a", encoding="utf-8") as log:
                print(line, file=log)

    def assert_no_line_is_forged(self, process):
        for line in process.output().splitlines():
            self.assertRegex(line, hostile.LINE)

    # ----- messages -----

    def test_malformed_requests_to_every_port_harm_nobody(self):
        stranger = hostile.Stranger(self.known, OPTIONS.seed, self.observer)
        with self.unharmed():
            for number in range(OPTIONS.messages):
                mutate = stranger.rng.choice((None, *idl_messages.MUTATIONS))
                stranger.send(self.targets[number % len(self.targets)], mutate)
        print("seed", OPTIONS.seed, "sent", sum(stranger.sent.values()), stranger.sent)
        # Any number: chance decides what a mutation makes of a message.
        for name in ("malformed_messages", "unknown_objects", "unknown_operations"):
            self.assertGreater(self.status(name), 0, name)
        # Each fault of this host is logged once a minute.
        log = self.manager.process.output()
        for text in ("malformed message from 127.0.0.1", "request to an unknown object from 127",
                     "request for an unknown operation from 127"):
            self.assertIn(text, log)
            self.assertLess(log.count(text), 5, text)

    def test_a_malformed_message_is_counted_and_logged_once_a_minute(self):
        before = self.status("malformed_messages")
        logged = self.manager.process.output().count("malformed message")
        for _ in range(300):
            exchange(self.manager.addresses[0], MALFORMED)
        wait_until(lambda: self.status("malformed_messages") >= before + 300, "all are counted")
        self.assertLess(self.manager.process.output().count("malformed message") - logged, 3)
        self.assertNotIn("omniORB:", self.manager.process.output())

    def test_bodies_of_16_megabytes_are_not_kept(self):
        stranger = hostile.Stranger(self.known, OPTIONS.seed, self.observer)
        with self.unharmed():
            for target in self.targets:
                for _ in range(4):
                    stranger.send(target, idl_messages.large_body)

    def test_garbage_to_every_switch_harms_nobody(self):
        rng = random.Random(OPTIONS.seed)
        with self.unharmed():
            for number in range(OPTIONS.messages // 10):
                node = (CALLER, MIDDLE, CALLEE)[number % 3]
                octets = bytearray(rng.randbytes(rng.randrange(1, 200)))
                if rng.random() < 0.8:  # a frame of TCP, and perhaps of GSMP version 3
                    struct.pack_into(">HH", octets := octets + bytes(8), 0, FRAME_TYPE,
                                     rng.choice((len(octets) - 4, 0, 1, 0xFFFF)))
                    octets[4] = rng.choice((0x31, 0x30, 0x11, octets[4]))
                    octets[5] = rng.choice((10, 16, 17, 32, 52, 64, 65, 66, octets[5]))
                with contextlib.suppress(TimeoutError):
                    exchange((switch_address(self.lab, node), 6068), bytes(octets))

    # ----- connections -----

    def open_files(self, count):
        """Raises the limit of this process; skips the test where it cannot be raised."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count:
            try:
                resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(count, hard)))
            except (ValueError, OSError) as error:
                self.skipTest(f"NOT TESTED: this process may not open {count} files: {error}")

    def connections(self, target, count, octets):
        opened = []
        for number in range(count):
            peer = socket.create_connection(target.addresses[number % 2])
            self.addCleanup(peer.close)
            with contextlib.suppress(ConnectionError):
                peer.sendall(octets)
            opened.append(peer)
            # Each connection gets a thread. A thousand threads that begin at one moment take the
            # processors from the daemon's own (docs/performance.md, "One bad peer"): not faster
            # than it accepts them.
            if number % BURST == BURST - 1:
                for address in target.addresses:
                    exchange(address, MALFORMED)
        return opened

    def test_idle_and_half_open_connections_harm_nobody(self):
        count = OPTIONS.connections
        self.open_files(2 * count + 200)
        idle = self.status("connections_closed_idle")
        with self.unharmed(RSS_KIB + count * PER_CONNECTION_KIB):
            # Half of a header, and silence; and not a single octet.
            opened = [one for target in (self.manager, self.server)
                      for octets in (b"GIOP\1\0", b"")
                      for one in self.connections(target, count // 2, octets)]
            wait_until(lambda: usage(self.manager.process).descriptors > count // 2,
                       "the manager has accepted them")
            self.report("with connections " + self.manager.process.name,
                        usage(self.manager.process), usage(self.server.process))
            self.assert_served()
            wait_until(lambda: self.status("connections_closed_idle") >= idle + count // 2,
                       "those without an octet are closed")
            for one in opened:
                one.close()

    def test_slow_readers_harm_nobody(self):
        with self.unharmed(RSS_KIB + 60 * PER_CONNECTION_KIB):
            readers = []
            for target in self.targets:
                for _ in range(10):
                    reader = self.remote(target)
                    reader.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
                    reader.peer.settimeout(0.2)
                    with contextlib.suppress(TimeoutError, ConnectionError):
                        for _ in range(3_000):
                            reader.send("status")
                    readers.append(reader)
            self.assert_served()
            for reader in readers:
                reader.close()

    def test_a_flood_of_connections_harms_nobody(self):
        with self.unharmed():
            for number in range(OPTIONS.connections):
                socket.create_connection(self.manager.addresses[number % 2]).close()
                socket.create_connection(self.server.addresses[number % 2]).close()

    # ----- sessions -----

    def attach(self, peer, operation, name, epoch):
        """The status of the reply, and a reader of its body."""
        status, reader, _ = peer.invoke(operation, lambda out: out.string(name).ulonglong(epoch)
                                        .ulong(giop.PROTOCOL).reference(*self.observer.reference))
        return status, reader

    def assert_bad_request(self, answer, text):
        status, reader = answer
        self.assertEqual(status, giop.USER_EXCEPTION)
        self.assertEqual(reader.string(), BAD_REQUEST)
        self.assertRegex(reader.string(), text)

    def test_clients_that_attach_and_vanish_harm_nobody(self):
        displaced = self.status("clients_displaced")
        with self.unharmed():
            for name in ("same", "other-{}"):
                peer = self.remote(self.manager)
                for number in range(OPTIONS.attachments // 2):
                    self.attach(peer, "attach_client", name.format(number), number + 1)
                peer.close()
        self.assertLess(self.status("client_references"), 1_100)
        if OPTIONS.attachments > 3_000:
            self.assertGreater(self.status("clients_displaced"), displaced)

    def test_clients_with_addresses_of_their_own_leave_no_descriptors(self):
        with self.unharmed():
            peer = self.remote(self.manager)
            for number in range(min(OPTIONS.attachments // 10, 5_000)):
                with socket.create_server(("127.0.0.1", 0)) as listener:
                    status, reader, _ = peer.invoke(
                        "attach_client",
                        lambda out, at=listener.getsockname(), it=number: out.string(f"own-{it}")
                        .ulonglong(1).ulong(giop.PROTOCOL).reference(*at, b"observer"))
                    self.assertEqual(status, giop.NO_EXCEPTION)
                session = reader.number("Q")
                peer.invoke("detach_client", lambda out, it=session: out.ulonglong(it))

    def test_strangers_do_not_keep_a_new_manager_out_of_a_switchserver(self):
        with self.unharmed():
            peer = self.remote(self.server)
            for number in range(OPTIONS.attachments // 10):
                status, reader = self.attach(peer, "attach_manager", f"stranger-{number}", 1)
                if status == giop.NO_EXCEPTION:
                    session = reader.number("Q")
                    peer.invoke("detach_manager", lambda out, it=session: out.ulonglong(it))
        status, _ = self.attach(peer, "attach_manager", "a-new-manager", 1)
        self.assertEqual(status, giop.NO_EXCEPTION)

    def test_a_hoarder_leaves_labels_and_bandwidth_for_others(self):
        """Two strangers ask for everything that the ports of every switch have."""
        peers = []
        for target in (one for one in self.targets
                       if one.process.program == "xbind-switchserver"):
            for name in ("hoarder-1", "hoarder-2"):
                peer = self.remote(target)
                status, reader = self.attach(peer, "attach_manager", name, 1)
                self.assertEqual(status, giop.NO_EXCEPTION)
                peers.append((peer, reader.number("Q")))
        taken = 0
        for peer, session in peers:
            for port in range(1, 4):
                status, reader, _ = peer.invoke(
                    "grant", lambda out, port=port, session=session: out.ulonglong(session)
                    .ulong(port).ulong(65_535).ulonglong(2**32).ulonglong(2**32))
                if status == giop.NO_EXCEPTION:  # the port exists
                    taken += reader.number("I")
        self.assertGreater(taken, 1_000)
        self.assert_served()
        for peer, session in peers:
            peer.invoke("detach_manager", lambda out, session=session: out.ulonglong(session))

    def test_an_epoch_of_a_manager_that_no_id_can_have_is_refused(self):
        self.assert_bad_request(
            self.attach(self.remote(self.server), "attach_manager", "default", HIGHEST),
            f"manager default came with epoch {HIGHEST}, but 16777215 is the last one")
        self.assert_served()

    def test_an_epoch_that_none_can_exceed_keeps_no_client_out(self):
        peer = self.remote(self.manager)
        status, _ = self.attach(peer, "attach_client", "mia", HIGHEST)
        self.assertEqual(status, giop.NO_EXCEPTION)
        status, reader, _ = peer.invoke("new_client_epoch", lambda out: out.string("mia"))
        self.assertEqual(status, giop.NO_EXCEPTION)
        fresh = reader.number("Q")
        self.assertLess(fresh, HIGHEST)
        for epoch in (fresh, fresh):  # begins, and attaches again
            status, _ = self.attach(peer, "attach_client", "mia", epoch)
            self.assertEqual(status, giop.NO_EXCEPTION)

    def test_forged_reports_do_not_silence_a_switchserver(self):
        peer = self.remote(self.routes)

        def report(incarnation, number):
            """Whether it was taken, and the incarnation that counts."""
            status, reader, _ = peer.invoke("report_ports", lambda out: out.string(
                CALLER).ulonglong(incarnation).ulonglong(number).ulong(0))
            self.assertEqual(status, giop.NO_EXCEPTION)
            return reader.number("B"), reader.number("Q")
        self.assertFalse(report(HIGHEST, HIGHEST)[0])
        taken, forged = report(0, 1)
        self.assertTrue(taken, "the first report of a process is not taken")
        numbers = itertools.count(2)
        wait_until(lambda: not report(forged, next(numbers))[0],
                   "the SwitchServer begins to report anew")
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", CALLER, CALLEE,
                                "--hold", "1").returncode == 0, "calls are set up again")
        wait_until(lambda: self.status("connections") == 0, "the hold has expired")
        self.assert_served()

    def batch(self, inbox, session, seq, confirmed):
        def write(out):
            out.ulonglong(session).ulonglong(seq).ulonglong(confirmed)
            for _ in range(5):
                out.ulong(0)
        inbox.send("submit_requests", write, answered=False)

    def test_forged_batches_end_no_session_but_their_own(self):
        lost, unknown = self.status("client_sessions_lost"), self.status("unknown_session")
        with self.unharmed():
            for number, (seq, confirmed) in enumerate(((HIGHEST, 0), (10_000, 0), (0, HIGHEST),
                                                       (1, 1), (2**63, 2**63))):
                status, reader = self.attach(self.remote(self.manager), "attach_client",
                                             f"forger-{number}", 1)
                self.assertEqual(status, giop.NO_EXCEPTION)
                session = reader.number("Q")
                inbox = self.remote(self.manager, b"request_inbox", 1)
                self.batch(inbox, session, seq, confirmed)
                for other in (0, HIGHEST, session + 1_000_000, session ^ 2**63):
                    self.batch(inbox, other, seq, confirmed)
            wait_until(lambda: self.status("client_sessions_lost") >= lost + 5,
                       "the forgers' sessions are over")
            wait_until(lambda: self.status("unknown_session") >= unknown + 20, "others are unknown")
        self.assertLessEqual(self.status("client_sessions_lost"), lost + 5)
        self.assertLess(self.manager.process.output().count("is unknown; a batch of it"), 5)

    def test_results_of_commands_that_were_never_sent_are_ignored(self):
        unknown = self.status("unknown_session")

        def result(out):
            out.ulonglong(HIGHEST).ulonglong(1).ulonglong(0)
            for _ in range(4):
                out.ulong(0)
        with self.unharmed():
            for key in self.manager.keys["HopObserver"]:
                self.remote(self.manager, key, 1).send("deliver_results", result, answered=False)
            wait_until(lambda: self.status("unknown_session") > unknown, "it is counted")

    def test_a_forged_topology_notice_does_not_hide_the_real_ones(self):
        def notice(out):
            out.ulonglong(HIGHEST).ulonglong(HIGHEST).ulong(1000).ulong(1)
            out.string(MIDDLE).ulong(0).octet(0).ulong(1)
        for key in self.manager.keys["TopologyObserver"]:
            self.remote(self.manager, key).send("topology_changed", notice, answered=False)
        log = self.manager.process.output
        wait_until(lambda: f"topology version {HIGHEST}: " in log(), "the manager believes it")
        wait_until(lambda: f"a topology notice of version {HIGHEST} was not sent by" in log(),
                   "the manager looks at RouteObject again")
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", CALLER, CALLEE,
                                "--hold", "1").returncode == 0, "calls are set up again")
        self.assertEqual(tool(self.lab, "xbindctl", "drain", MIDDLE).returncode, 0)
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", CALLER, CALLEE).returncode == 1,
                   "a later notice is believed")
        self.assertEqual(tool(self.lab, "xbindctl", "undrain", MIDDLE).returncode, 0)
        wait_until(lambda: tool(self.lab, "xbindctl", "connect", CALLER, CALLEE,
                                "--hold", "1").returncode == 0, "calls are set up again")
        wait_until(lambda: self.status("connections") == 0, "the holds have expired")
        self.assert_served()


class FewConnections(unittest.TestCase):
    """A manager that accepts few connections."""

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(harm.two_networks(
            more={"xbind-cmgr": [(None, "accepted-max", 60)]}))

    def test_connections_beyond_the_limit_are_refused_and_room_is_made(self):
        address = hostile.listening(self.lab.processes["xbind-cmgr"].pid)[0]
        with harm.nobody_waits(self.lab):
            self.crowd(address)
        status = tool(self.lab, "xbindctl", "status").stdout
        self.assertGreater(counter(status, "connections_refused"), 100)
        log = self.lab.processes["xbind-cmgr"].output()
        self.assertEqual(log.count("connection refused from 127.0.0.1: "), 1, log)
        self.assertLess(usage(self.lab.processes["xbind-cmgr"]).descriptors, 150)

    def crowd(self, address):
        for octets in (b"", b"GIOP"):
            for _ in range(200):
                peer = socket.create_connection(address)
                self.addCleanup(peer.close)
                with contextlib.suppress(ConnectionError):
                    peer.sendall(octets)

            def roomy():
                done = tool(self.lab, "xbindctl", "status")
                return done.returncode == 0 and counter(done.stdout, "connections_accepted") < 56
            wait_until(roomy, "idle connections are closed before the limit is reached", 40)


def options():
    def default(name, usual):
        return int(os.environ.get(f"XBIND_HOSTILE_{name.upper()}", usual))
    parser = argparse.ArgumentParser(description=__doc__, add_help=False)
    for name, usual in (("messages", 6_000), ("connections", 2_000), ("attachments", 2_000),
                        ("seed", time.time_ns() % 2**32)):
        parser.add_argument(f"--{name}", type=int, default=default(name, usual))
    parser.add_argument("--log")
    parser.parse_known_args(namespace=OPTIONS)
    _, rest = parser.parse_known_args()
    sys.argv[1:] = rest


options()

if __name__ == "__main__":
    print("seed", OPTIONS.seed, flush=True)
    main()
