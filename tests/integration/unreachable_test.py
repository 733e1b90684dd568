#!/usr/bin/env python3
"""Peers whose callback address answers nothing, and peers that stop reading: they cost nobody else
anything. `Hole` is a listening socket with a full backlog: the kernel drops each SYN, as a firewall
does, and every attempt to connect runs into its timeout."""

import contextlib
import socket
import threading

import giop
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


class Unreachable(InOneLab):

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

    def assert_served(self):
        done, summary = offer(self.lab, Load(calls=200, rate=400))
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual(summary["setups"]["connected"], 200)

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
        with self.meanwhile(*[lambda number=number, manager=manager: answers.append(self.attach(
                manager, f"hidden-{number}", hole.address))
                              for number, manager in enumerate(managers)]):
            self.assert_served()
        self.assertEqual(len(answers), len(managers))
        for answer in answers:
            self.assert_refused(answer, hole.address)

    def test_a_manager_with_such_an_address_is_refused(self):
        hole = self.kept(Hole())
        server, answers = self.remote(SERVER), []
        with self.meanwhile(lambda: answers.append(
                self.attach(server, "hidden", hole.address, "attach_manager"))):
            self.assert_served()
        self.assert_refused(answers[0], hole.address)

    def test_a_watcher_with_such_an_address_is_refused(self):
        hole = self.kept(Hole())
        routes = self.remote("xbind/routeobject/default")
        status, reader, _ = routes.invoke(
            "watch", lambda out: out.string("hidden").reference(*hole.address, KEY))
        self.assertEqual((status, reader.string()), (giop.USER_EXCEPTION, UNAVAILABLE))
        self.assertIn(f"no connection can be opened: watcher hidden at {hole.address[0]}",
                      reader.string())

    def test_a_session_whose_connection_broke_is_over_and_no_other_is_opened(self):
        observer = Deaf()
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
        self.assert_served()

    def test_many_sessions_that_share_a_deaf_connection_block_no_write(self):
        observer = self.kept(Deaf())
        sessions = [self.session(f"deaf-{number}", observer.address) for number in range(30)]
        observer.accept()
        for number, inbox in sessions:
            ask(inbox, number, 1, count=400)
        wait_until(lambda: counter(tool(self.lab, "xbindctl", "status").stdout,
                                   "oneways_without_room") > 0, "messages to it are dropped")
        self.assert_served()
        self.assertNotIn("did not answer in time", self.log_of("xbind-cmgr"))


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
