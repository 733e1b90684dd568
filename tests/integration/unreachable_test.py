#!/usr/bin/env python3
"""Peers whose callback address answers nothing, and peers that stop reading: they cost nobody else
anything: of a good client beside them no more requests wait than of one that is alone (harm.py).
`Hole` is a listening socket with a full backlog: the kernel drops each SYN, as a firewall does, and
every attempt to connect runs into its timeout."""

import contextlib
import os
import signal
import socket
import threading

import giop
import harm
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

MANAGER, SERVER = "xbind/cmgr/default", f"xbind/switchserver/{MIDDLE}"
UNAVAILABLE = "IDL:openxbind/xbind/v2/Unavailable:1.0"
KEY = b"observer"


class Hole:
    """An address on which no connection can be opened. listen(0) still lets one through."""

    def __init__(self, listener=None):
        self.listener = listener or socket.create_server(("127.0.0.1", 0), backlog=0)
        self.address = self.listener.getsockname()
        self.fillers = []
        while self.connects():
            pass

    def connects(self):
        filler = socket.socket()
        filler.settimeout(0.2)
        self.fillers.append(filler)
        try:
            filler.connect(self.address)
            return True
        except TimeoutError:
            return False

    def close(self):
        for one in (*self.fillers, self.listener):
            one.close()


class Deaf:
    """An observer that accepts connections and reads nothing."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(0)
        self.address = self.listener.getsockname()
        self.connections = []

    def accept(self):
        self.listener.settimeout(20)
        self.connections.append(self.listener.accept()[0])

    def close(self):
        for one in (*self.connections, self.listener):
            one.close()


class Unreachable(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.lab = cls.enterClassContext(harm.two_networks())

    def nobody_waits(self):
        return harm.nobody_waits(self.lab)

    def remote(self, path):
        found = giop.Remote(tool(self.lab, "nameclt", "resolve", path).stdout)
        self.addCleanup(found.close)
        return found

    def kept(self, closable):
        self.addCleanup(closable.close)
        return closable

    def attach(self, peer, name, address, operation="attach_client"):
        return peer.invoke(operation, lambda out: out.string(name).ulonglong(1).ulong(
            giop.PROTOCOL).reference(*address, KEY))

    def session(self, name, address):
        """A client's session: its number and its inbox."""
        manager = self.remote(MANAGER)
        status, reader, _ = self.attach(manager, name, address)
        self.assertEqual(status, giop.NO_EXCEPTION)
        number = reader.number("Q")
        return number, self.kept(giop.Remote(reader.reference()))

    def assert_refused(self, answer, address):
        status, reader, _ = answer
        self.assertEqual(status, giop.USER_EXCEPTION)
        self.assertEqual(reader.string(), UNAVAILABLE)
        reason = reader.string()
        self.assertIn("no connection can be opened: the observer at "
                      f"{address[0]}:{address[1]} ", reason)

    @contextlib.contextmanager
    def meanwhile(self, *jobs):
        """Runs the jobs on threads beside the block, and waits for them."""
        threads = [threading.Thread(target=job) for job in jobs]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            for thread in threads:
                thread.join()

    def log_of(self, program):
        return self.lab.processes[program].output()

    def test_clients_with_an_address_that_drops_packets_are_refused(self):
        hole = self.kept(Hole())
        managers = [self.remote(MANAGER) for _ in range(5)]
        answers = []
        with self.nobody_waits(), self.meanwhile(*[
                lambda number=number, manager=manager: answers.append(self.attach(
                    manager, f"hidden-{number}", hole.address))
                for number, manager in enumerate(managers)]):
            pass
        self.assertEqual(len(answers), len(managers))
        for answer in answers:
            self.assert_refused(answer, hole.address)

    def test_a_manager_with_such_an_address_is_refused(self):
        hole = self.kept(Hole())
        server, answers = self.remote(SERVER), []
        with self.nobody_waits():
            answers.append(self.attach(server, "hidden", hole.address, "attach_manager"))
        self.assert_refused(answers[0], hole.address)

    def test_a_watcher_with_such_an_address_is_refused(self):
        hole = self.kept(Hole())
        routes = self.remote("xbind/routeobject/default")
        with self.nobody_waits():
            status, reader, _ = routes.invoke(
                "watch", lambda out: out.string("hidden").reference(*hole.address, KEY))
        self.assertEqual((status, reader.string()), (giop.USER_EXCEPTION, UNAVAILABLE))
        self.assertIn(f"no connection can be opened: watcher hidden at {hole.address[0]}",
                      reader.string())

    def test_a_session_whose_connection_broke_is_over_and_no_other_is_opened(self):
        observer = Deaf()
        with self.nobody_waits():
            session, inbox = self.session("broken", observer.address)
            observer.accept()
            hole = self.kept(Hole(observer.listener))
            observer.connections[0].setsockopt(  # RST instead of FIN
                socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            observer.connections[0].close()
            ask(inbox, session, 1, count=1)
            wait_until(lambda: f"client session {session}: " in self.log_of("xbind-cmgr"),
                       "the session is over")
        self.assertIn(f"client session {session}: the client at {hole.address[0]}:"
                      f"{hole.address[1]} has ended its connection",
                      self.log_of("xbind-cmgr"))

    def test_many_sessions_that_share_a_deaf_connection_block_no_write(self):
        observer = self.kept(Deaf())
        with self.nobody_waits():
            # Here: a session that its client does not use ends.
            sessions = [self.session(f"deaf-{number}", observer.address) for number in range(30)]
            observer.accept()
            for number, inbox in sessions:
                ask(inbox, number, 1, count=400)
            wait_until(lambda: self.status("oneways_without_room") > 0,
                       "messages to it are dropped")
        self.assertNotIn("did not answer in time", self.log_of("xbind-cmgr"))

    def status(self, name, manager="default"):
        return counter(tool(self.lab, "xbindctl", "status", "--manager", manager).stdout, name)

    def test_a_manager_that_stops_is_seen(self):
        """That the comparison sees what it is for: it stops until the twin has gone on."""
        twin = self.lab.manager_names()[1]
        process = self.lab.processes["xbind-cmgr"]
        with self.assertRaisesRegex(AssertionError, "requests waited beside the offender"):
            with self.nobody_waits():
                suspend(process.pid)
                try:
                    connected = self.status("connected", twin)
                    wait_until(lambda: self.status("connected", twin) > connected + harm.STEP,
                               "the other manager goes on")
                finally:
                    os.kill(process.pid, signal.SIGCONT)


class Counted(unittest.TestCase):
    """harm.waited(): what counts as a request that waited."""

    def test_a_request_waited_that_a_hundred_others_have_overtaken(self):
        others = [harm.Request(number, number + 0.5) for number in range(300)]
        for due, answered, waits in ((10.2, 10.9, False), (10.2, 110.6, False),
                                     (10.2, 111.6, True), (10.2, 1000, True),
                                     (-50, 100.4, False), (-50, 100.6, True)):
            found = harm.waited([harm.Request(due, answered)], others)
            self.assertEqual(len(found), waits, (due, answered))

    def test_what_delays_both_lets_neither_wait(self):
        def all_of(offset):
            return [harm.Request(number / 100 + offset, max(number / 100 + offset + 0.01, 3.0))
                    for number in range(500)]
        self.assertEqual(harm.waited(all_of(0), all_of(0.005)), [])
        self.assertEqual(harm.waited(all_of(0.005), all_of(0)), [])


def ask(inbox, session, batch, count):
    """One batch of connect requests, each of which gets a refusal of some 200 octets."""
    def write(out):
        out.ulonglong(session).ulonglong(batch).ulonglong(0).ulong(count)
        for number in range(count):
            out.ulonglong(number + 1).string("nobody-" + "x" * 50).string("no-such-end")
            giop.service(out, 1)
            out.ulong(0).octet(0).ulong(0).ulong(0)
        for _ in range(4):
            out.ulong(0)
    inbox.send("submit_requests", write, answered=False)


if __name__ == "__main__":
    unittest.main()
