#!/usr/bin/env python3
"""HTTP peers that mean xbind-console no good: each is refused by a name, or cut off, and the others
are served as before. No daemon is needed for that."""

import contextlib
import re
import socket

from console_client import *  # pylint: disable=wildcard-import,unused-wildcard-import
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

NOBODY = "--name-service=127.0.0.1:1"
CONNECTIONS_MAX, STREAMS_MAX = 8, 2


class WithConsole(unittest.TestCase):
    OPTIONS = ()

    def setUp(self):
        lab = self.enterContext(planned_lab())
        self.console = self.enterContext(console_up(lab, NOBODY, *self.OPTIONS))

    def refused(self, octets):
        """Status and problem of the answer, which is the last of the connection."""
        problem, line = problem_in(self.console.raw(octets))
        self.assertEqual(line.split()[1], str(problem["status"]))
        Description(self.console).check_event("Problem", problem)
        return problem["status"], problem["name"], problem["value"]

    def served(self):
        self.assertEqual(self.console.ask("/api/v1")[0], 200)

    def counts(self):
        return self.console.get("/api/v1")


class Requests(WithConsole):

    def test_a_name_of_another_site_is_refused(self):
        for host in ("evil.example", "10.0.0.1:9480", "localhost.evil.example", ""):
            request = (f"GET /api/v1 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            self.assertEqual(self.refused(request.encode()), (421, "unknown-host", host))
        without = b"GET /api/v1 HTTP/1.0\r\n\r\n"
        self.assertEqual(self.refused(without)[:2], (421, "unknown-host"))
        twice = self.console.request("/api/v1", "GET", "Host: evil.example", "Connection: close")
        self.assertEqual(self.refused(twice)[:2], (421, "unknown-host"))
        self.served()

    def test_a_page_of_another_site_is_refused(self):
        for method in ("GET", "POST", "DELETE"):
            request = self.console.request("/api/v1/calls", method, "Origin: http://evil.example",
                                           "Connection: close")
            self.assertEqual(self.refused(request),
                             (403, "foreign-origin", "http://evil.example"))
        self.served()

    def test_what_is_no_http_is_refused(self):
        for octets in (b"hello\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n",
                       b"GET / HTTP/9.9\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n",
                       b"POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
            with self.subTest(octets):
                self.assertEqual(self.refused(octets)[:2], (400, "not-http"))
        self.served()

    def test_a_huge_header_is_refused(self):
        for more in (["X-Long: " + 100_000 * "a"], [f"X-{i}: {i}" for i in range(5_000)]):
            status, name, _ = self.refused(self.console.request("/", "GET", *more))
            self.assertEqual((status, name), (431, "header-too-large"))
        self.assertEqual(self.refused(self.console.request("/" + 100_000 * "a"))[:2],
                         (431, "header-too-large"))
        self.served()

    def test_a_huge_body_is_refused_before_it_is_read(self):
        head = self.console.request("/api/v1/calls", "POST", "Content-Length: 1000000000000")
        self.assertEqual(self.refused(head), (413, "body-too-large", "1000000000000"))
        chunked = self.console.request("/api/v1/calls", "POST", "Transfer-Encoding: chunked")
        chunked += 40 * (b"1000\r\n" + 4096 * b"x" + b"\r\n")
        self.assertEqual(self.refused(chunked), (413, "body-too-large", "chunked"))
        self.served()

    def test_requests_in_a_row_are_answered_in_their_order(self):
        row = (self.console.request("/api/v1") + self.console.request("/none")
               + self.console.request("/api/v1/network", "GET", "Connection: close"))
        answers = self.console.raw(row)
        self.assertEqual(re.findall(r"HTTP/1\.1 (\d+)", answers), ["200", "404", "200"])


class Peers(WithConsole):
    OPTIONS = (f"--connections-max={CONNECTIONS_MAX}", f"--streams-max={STREAMS_MAX}")

    def test_a_peer_that_reads_nothing_is_cut_off(self):
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            host, port = self.console.address.rsplit(":", 1)
            peer.connect((host, int(port)))
            peer.settimeout(20)
            peer.sendall(400 * self.console.request("/openapi.json"))  # 19 MB of answers
            self.served()
            wait_until(lambda: self.counts()["peers_cut_off"] == 1, "it is cut off")
            self.served()

    def test_a_request_that_does_not_arrive_is_given_up(self):
        with self.console.connected() as peer:
            peer.sendall(self.console.request("/")[:-4])
            self.assertEqual(peer.recv(1), b"")
        wait_until(lambda: self.counts()["peers_cut_off"] == 1, "it is counted")

    def test_a_peer_that_says_nothing_is_given_up(self):
        with self.console.connected() as peer:
            self.assertEqual(peer.recv(1), b"")
        self.assertEqual(self.counts()["peers_cut_off"], 0)  # it has asked for nothing

    def test_connections_beyond_the_bound_are_refused_by_name(self):
        with contextlib.ExitStack() as idle:
            for _ in range(CONNECTIONS_MAX):
                peer = idle.enter_context(self.console.connected())
                peer.sendall(self.console.request("/api/v1/events"))
                peer.recv(1)
            problem, line = problem_in(self.console.raw(b""))
            self.assertEqual(line.split()[1], "503")
            self.assertEqual((problem["name"], problem["value"]),
                             ("too-many-connections", str(CONNECTIONS_MAX)))
            for _ in range(200):
                idle.enter_context(self.console.connected())
        wait_until(lambda: self.console.ask("/api/v1")[0] == 200, "there is room again")

    def test_streams_beyond_the_bound_are_refused_by_name(self):
        with contextlib.ExitStack() as streams:
            for _ in range(STREAMS_MAX):
                events = streams.enter_context(self.console.events())
                self.assertEqual(next(events)[0], "snapshot")
            status, _, problem = self.console.ask("/api/v1/events")
            self.assertEqual((status, problem["name"], problem["value"]),
                             (503, "too-many-streams", str(STREAMS_MAX)))
            self.assertEqual(self.counts()["streams"], STREAMS_MAX)
        wait_until(lambda: self.counts()["streams"] == 0, "their ends are noticed")


if __name__ == "__main__":
    unittest.main()
