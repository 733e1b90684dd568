#!/usr/bin/env python3
"""The second controller encodes and decodes the protocol's worked vectors (no switch needed)."""

import socket
import threading
import unittest

from gsmp_client import Branch, GsmpClient, GsmpFailure

SESSION = 0x5EED0001


def octets(text):
    return bytes.fromhex(text.replace(" ", ""))


def reframed(frame, transaction):
    """A vector with the given transaction identifier."""
    return frame[:8] + transaction.to_bytes(4, "big") + frame[12:]


class Vectors(unittest.TestCase):

    def setUp(self):
        listener = self.enterContext(socket.create_server(("127.0.0.1", 0)))
        self.client = GsmpClient(*listener.getsockname())
        self.addCleanup(self.client.socket.close)
        self.switch = self.enterContext(listener.accept()[0])
        self.switch.settimeout(5)
        self.client.port_session = lambda port: SESSION

    def exchange(self, action, request, answer):
        """Runs `action`; the switch must receive `request` and sends `answer`. Returns the
        result."""
        result = []

        def act():
            try:
                result.append(action())
            except GsmpFailure as failure:
                result.append(failure)

        client = threading.Thread(target=act)
        client.start()
        seen = self.switch.recv(4096)
        self.assertEqual(seen.hex(" ", 4), reframed(request, 1).hex(" ", 4))
        self.switch.sendall(reframed(answer, 1))
        client.join()
        return result[0]

    def test_add_branch(self):
        body = """80010038 5eed0001 00000000 00000001 00000000 00000002 00000000 02000000
                  01000004 00000064 01000004 000000c8"""
        branch = Branch(1, (0, 100), 2, (0, 200))
        self.exchange(lambda: self.client.add(branch), octets("880c0038 03100200 00000101" + body),
                      octets("880c0038 03100300 00000101" + body))

    def test_a_failure_is_raised_with_its_code(self):
        body = """80010038 5eed0001 00000000 00000001 00000000 00000002 00000000 02000000
                  01000004 00000064 01000004 000000c8"""
        failure = self.exchange(lambda: self.client.add(Branch(1, (0, 100), 2, (0, 200))),
                                octets("880c0038 03100200 00000101" + body),
                                octets("880c0038 03100405 00000101" + body))
        self.assertEqual(failure.code, 5)

    def test_delete_branches(self):
        self.exchange(lambda: self.client.delete(Branch(1, (0, 100), 2, (0, 200))),
                      octets("""880c0030 03110200 00000201 80010030 00000001 00000020 5eed0001
                                00000001 00000002 01000004 00000064 01000004 000000c8"""),
                      octets("880c0010 03110300 00000201 80010010 00000000"))

    def test_report_connection_state(self):
        found = self.exchange(
            lambda: self.client.branches(1),
            octets("880c0018 03340200 00000602 80010018 00000001 21000004 00000000"),
            octets("""880c002c 03340300 00000602 8001002c 00000001 00000000 8004000c 01000004
                      00000064 00000002 01000004 000000c8"""))
        self.assertEqual(found, {Branch(1, (0, 100), 2, (0, 200))})

    def test_a_port_without_connections(self):
        request = octets("880c0018 03340200 00000602 80010018 00000001 21000004 00000000")
        self.assertEqual(self.exchange(lambda: self.client.branches(1), request,
                                       request[:6] + b"\x04\x0a" + request[8:]), set())


if __name__ == "__main__":
    unittest.main()
