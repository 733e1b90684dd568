#!/usr/bin/env python3
"""xbind-switch as a program: its control socket, its faults as a GSMP controller sees them, several
switches in one process with cells between them, and hostile peers.
"""

import contextlib
import os
import random
import re
import select
import signal
import socket
import stat
import struct
import subprocess
import tempfile
from pathlib import Path

from gsmp_client import (ACK, INVALID_LABEL, PORT_DOWN, PORT_UP, Branch, Event, GsmpClient,
                         GsmpFailure)
from harness import *  # pylint: disable=wildcard-import,unused-wildcard-import

RECOVERED, NEW = 2, 1  # PFlag
# A framed request: All Ports Configuration, which has the longest answer.
ALL_PORTS = struct.pack(">HHBBBBIHHI", 0x880C, 16, 3, 66, 2, 0, 1, 0x8001, 16, 0)


class SwitchProcess:
    """A running xbind-switch; at the end of the block it must exit with 0."""

    def __init__(self, *options):
        self.directory = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.options = [*options]
        if "--control" not in options:
            self.options += ["--control", f"{self.directory.name}/control", "--capture-dir",
                             self.directory.name]
        self.addresses = {}  # switch: (host, port)
        self.control = None

    def __enter__(self):
        # pylint: disable=consider-using-with
        self.log = tempfile.TemporaryFile("w+")
        self.popen = subprocess.Popen(
            [BIN / "xbind-switch", *self.options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=self.log, text=True)
        wanted = 1
        if "--switches" in self.options:
            file = Path(self.options[self.options.index("--switches") + 1])
            wanted = file.read_text(encoding="utf-8").count("[[switch]]")
        while len(self.addresses) < wanted:
            line = self.popen.stdout.readline()
            assert line, f"it ended at its start: {self.output()}"
            control = re.fullmatch(r"xbind-switch control on (\S+)\n", line)
            ready = re.fullmatch(r"xbind-switch (\S+) listening on (\S+):(\d+)\n", line)
            assert control or ready, line
            if control:
                self.control = control.group(1)
            else:
                self.addresses[ready.group(1)] = (ready.group(2), int(ready.group(3)))
        return self

    def __exit__(self, kind, *_):
        self.popen.send_signal(signal.SIGTERM)
        code = self.popen.wait(timeout=20)
        self.popen.stdout.close()
        if kind is not None:
            print(self.output())
        else:
            assert code == 0, f"exit code {code}: {self.output()}"
            assert not self.control.startswith("/") or not Path(self.control).exists()
        self.log.close()
        self.directory.cleanup()

    def output(self):
        self.log.seek(0)
        return self.log.read()

    def tell(self, *words):
        """Sends a command; returns the answer. AssertionError unless the exit code is as
        expected."""
        done = run("xbind-switch", "tell", self.control, *words)
        assert (done.returncode == 0) == done.stdout.startswith("ok"), done
        assert done.stdout.endswith("\n") and done.stderr == "", done
        return done.stdout.strip()

    def operator(self):
        """A connection to the control socket, for lines of one's own."""
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(5)
        connection.connect(self.control)
        return connection

    def status(self, *at):
        return dict(pair.split("=", 1) for pair in self.tell(*at, "status").split()[1:])

    def client(self, name="sw1", **options):
        return GsmpClient(*self.addresses[name], **options)

    def resident_mb(self):
        pages = int(Path(f"/proc/{self.popen.pid}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def one_switch(*options):
    return SwitchProcess("--listen", "127.0.0.1:0", "--name", "sw1", *options)


class Controlled(unittest.TestCase):

    def test_commands_are_answered_and_refused_by_name(self):
        with one_switch("--ports", "3") as switch:
            self.assertEqual(switch.status()["ports"], "3")
            self.assertEqual(switch.tell("line 4 down"),
                             "error no-such-port: port 4 is beyond the 3 ports of sw1")
            self.assertRegex(switch.tell("explode"),
                             "^error unknown-command: 'explode'; there are: ")
            self.assertEqual(switch.tell("@sw1", "reorder", "0.5"), "ok")
            self.assertEqual(switch.status()["reorder"], "0.5")

    def test_tell_says_who_did_not_answer(self):
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            address = "%s:%d" % nobody.getsockname()
        for place in (f"tcp:{address}", "/nowhere/control"):
            done = run("xbind-switch", "tell", place, "status")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn(place.removeprefix("tcp:"), done.stderr)
        for place in ("somewhere", address, "/" + "x" * 107):
            done = run("xbind-switch", "tell", place, "status")
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(place[:40], done.stderr)

    def test_only_its_owner_may_use_the_socket(self):
        with one_switch() as switch:
            self.assertEqual(stat.S_IMODE(os.stat(switch.control).st_mode), 0o600)
            busy = subprocess.run([BIN / "xbind-switch", "--listen", "127.0.0.1:0", "--control",
                                   switch.control], capture_output=True, text=True, timeout=20,
                                  check=False)
            self.assertEqual(busy.returncode, 1)
            self.assertIn(f"{switch.control}: another process listens there", busy.stderr)
            file = Path(switch.directory.name) / "file"
            file.write_text("kept")
            refused = subprocess.run([BIN / "xbind-switch", "--listen", "127.0.0.1:0", "--control",
                                      file], capture_output=True, text=True, timeout=20,
                                     check=False)
            self.assertEqual(refused.returncode, 1)
            self.assertEqual(file.read_text(), "kept")
            self.assertEqual(switch.status()["name"], "sw1")

    def test_a_socket_that_nobody_listens_at_is_replaced(self):
        with tempfile.TemporaryDirectory() as directory:
            path = f"{directory}/control"
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(path)
            with one_switch("--control", path) as switch:
                self.assertEqual(switch.control, path)
                self.assertEqual(switch.status()["name"], "sw1")

    def test_over_tcp_when_that_is_asked_for(self):
        with one_switch("--control", "tcp:127.0.0.1:0") as switch:
            self.assertRegex(switch.control, r"^tcp:127\.0\.0\.1:\d+$")
            self.assertEqual(switch.status()["name"], "sw1")

    def test_a_browser_gives_no_orders(self):
        # A page of another origin posts what it likes; the lines behind the request's head are its.
        with one_switch("--control", "tcp:127.0.0.1:0", "--ports", "2") as switch:
            host, port = switch.control.removeprefix("tcp:").rsplit(":", 1)
            with socket.create_connection((host, int(port)), 5) as page:
                page.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\n\r\n"
                             b"line 1 down\nrestart cold\n")
                with page.makefile("rb") as answers:
                    lines = answers.read().splitlines()
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0].startswith(b"error unknown-command: 'POST'"), lines)
            self.assertIn("a line that is no order", switch.output())
            self.assertNotIn("line 1 down", switch.output())

    def test_captures_are_written_into_the_named_directory_alone(self):
        with one_switch("--ports", "2") as switch, tempfile.TemporaryDirectory() as elsewhere:
            inside = Path(switch.directory.name)
            (inside / "away").symlink_to(elsewhere)
            (inside / "link.erf").symlink_to(f"{elsewhere}/kept.erf")
            kept = Path(elsewhere) / "kept.erf"
            kept.write_text("kept")
            for name in (f"{elsewhere}/x.erf", "../x.erf", "away/x.erf", "link.erf"):
                self.assertRegex(switch.tell("capture", "1", name),
                                 "^error [a-z-]+: .*no name of a file directly below ")
            self.assertEqual(os.listdir(elsewhere), ["kept.erf"])
            self.assertEqual(kept.read_text(), "kept")
            self.assertEqual(switch.tell("capture", "1", "x.erf"), "ok")
            self.assertTrue((inside / "x.erf").exists())
        with one_switch("--control", "tcp:127.0.0.1:0") as switch:
            self.assertIn("no --capture-dir", switch.tell("capture", "1", "x.erf"))

    def test_a_line_without_end_and_random_octets_hurt_nobody(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        with one_switch() as switch:
            with switch.operator() as operator:
                operator.sendall(b"x" * 5000)
                answer = operator.recv(4096)
                self.assertTrue(answer.startswith(b"error line-too-long: "), answer)
            for _ in range(20):
                with switch.operator() as operator, contextlib.suppress(BrokenPipeError):
                    operator.sendall(chance.randbytes(500))
            self.assertEqual(switch.status()["name"], "sw1")

    def test_faults_of_the_start(self):
        with one_switch("--fault", "refuse-next 1 18", "--fault", "delay connection 100",
                        "--gsmp-versions", "3") as switch, switch.client() as client:
            with self.assertRaises(GsmpFailure) as refused:
                client.add(Branch(1, (0, 100), 2, (0, 200)))
            self.assertEqual(refused.exception.code, 18)
            client.add(Branch(1, (0, 100), 2, (0, 200)))
            self.assertEqual(switch.status()["delay_connection_us"], "100")

    def test_a_late_table(self):
        with one_switch("--fault", "delay table 20000") as switch, switch.client() as client:
            client.add(Branch(1, (0, 100), 2, (0, 200)))
            status = switch.status()
            self.assertEqual((status["delay_table_us"], status["branches"], status["open"]),
                             ("20000", "1", "0"))

    def test_a_start_that_cannot_be_is_refused_with_the_reason(self):
        for options, reason in ((["--fault", "line 9 down"], "port 9 is beyond the 4 ports"),
                                (["--captures", "1=/nowhere/x.pcap"], "/nowhere/x.pcap")):
            done = run("xbind-switch", "--listen", "127.0.0.1:0", *options)
            self.assertEqual(done.returncode, 1, done)
            self.assertIn(reason, done.stderr)
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "two.toml"
            file.write_text('[[switch]]\nname = "a"\nlisten = "127.0.0.1:0"\nprots = 3\n',
                            encoding="utf-8")
            done = run("xbind-switch", "--switches", file, "--check-config")
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("two.toml line 4: a switch has no 'prots'; did you mean ports?", done.stderr)


class PolicedCells(unittest.TestCase):

    def test_cells_beyond_the_contract_are_discarded_and_counted(self):
        hosts = [self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) for _ in "ab"]
        for host in hosts:
            host.bind(("127.0.0.1", 0))
            host.settimeout(10)
        links = ",".join(f"{port}=plain:127.0.0.1:0/127.0.0.1:{host.getsockname()[1]}/uni"
                         for port, host in enumerate(hosts, 1))
        with one_switch("--policing", "discard", "--queueing", "class",
                        "--links", links) as switch, switch.client() as client:
            line = re.search(r"sw1 port 1: plain:127.0.0.1:(\d+)/", switch.output())
            hosts[0].connect(("127.0.0.1", int(line.group(1))))
            client.add_cbr(Branch(1, (0, 100), 2, (0, 200)), 1)
            client.add(Branch(1, (0, 101), 2, (0, 201)))
            for _ in range(10):
                hosts[0].send(cell(0, 100, bytes(48)))
            last = cell(0, 201, b"z" * 48)
            hosts[0].send(cell(0, 101, b"z" * 48))
            passed = 0
            while hosts[1].recv(2048) != last:
                passed += 1
            # The first cell conforms; of the others only those that follow the last passed cell by
            # a second.
            self.assertIn(passed, range(1, 10))
            self.assertEqual(switch.status()["policed_discarded"], str(10 - passed))
            self.assertRegex(switch.tell("statistics", "1"),
                             f"input_cells=11 input_discards={10 - passed} ")


class AsAControllerSeesIt(unittest.TestCase):

    def setUp(self):
        self.switch = self.enterContext(one_switch())
        self.branch = Branch(1, (0, 100), 2, (0, 200))

    def test_a_line_goes_down_and_comes_up(self):
        with self.switch.client() as client:
            self.assertEqual(self.switch.tell("line 2 down"), "ok")
            self.assertEqual(client.await_event(PORT_DOWN).port, 2)
            self.assertEqual(self.switch.tell("line 2 up"), "ok")
            self.assertEqual(client.await_event(PORT_UP).port, 2)

    def test_tcp_reset(self):
        with self.switch.client() as client:
            self.assertEqual(self.switch.tell("tcp-reset"), "ok")
            with self.assertRaises(ConnectionResetError):
                client.await_event(PORT_UP)
        with self.switch.client() as client:
            self.assertEqual(client.table(), set())

    def test_the_adjacency_is_dropped_the_connection_stays(self):
        with self.switch.client() as client:
            client.add(self.branch)
            self.assertEqual(self.switch.tell("drop-adjacency"), "ok")
            with self.assertRaisesRegex(ConnectionError, "reset the adjacency"):
                client.await_event(PORT_UP)
            client.establish()
            self.assertEqual(client.table(), {self.branch})

    def test_hot_restart_keeps_the_table(self):
        with self.switch.client() as client:
            client.add(self.branch)
            session = client.port_session(1)
            self.assertEqual(self.switch.tell("restart hot"), "ok")
            with self.assertRaisesRegex(ConnectionError, "closed the connection"):
                client.await_event(PORT_UP)
        with self.switch.client() as client:
            self.assertEqual(client.peer_flag, RECOVERED)
            self.assertEqual(client.table(), {self.branch})
            self.assertEqual(client.port_session(1), session)

    def test_cold_restart_does_not(self):
        with self.switch.client() as client:
            client.add(self.branch)
            session = client.port_session(1)
            self.assertEqual(self.switch.tell("restart cold"), "ok")
            with self.assertRaises(ConnectionError):
                client.await_event(PORT_UP)
        with self.switch.client() as client:
            self.assertEqual(client.peer_flag, NEW)
            self.assertEqual(client.table(), set())
            self.assertNotEqual(client.port_session(1), session)

    def test_partial_frames_are_whole_messages_in_the_end(self):
        self.assertEqual(self.switch.tell("partial-frames 3"), "ok")
        with self.switch.client() as client:
            client.add(self.branch)
            self.assertEqual(client.table(), {self.branch})
        self.assertGreater(int(self.switch.status()["pieces"]), 60)

    def test_a_slow_reader_pushes_back(self):
        with self.switch.client() as client:
            self.assertEqual(self.switch.tell("slow-reader 100"), "ok")
            # At most what the two sockets buffer.
            self.assertLess(flood(client.socket, ALL_PORTS * 1000), 64_000_000)
        self.assertLess(self.switch.resident_mb(), 100)


class TwoInOneProcess(unittest.TestCase):

    SWITCHES = """
[[switch]]
name = "sw1"
listen = "127.0.0.1:0"
links = {{1 = "plain:127.0.0.1:0/127.0.0.1:{left}/uni", 2 = "ring:sw1-sw2"}}

[[switch]]
name = "sw2"
listen = "127.0.0.1:0"
links = {{1 = "ring:sw1-sw2", 2 = "plain:127.0.0.1:0/127.0.0.1:{right}/uni"}}
"""

    def setUp(self):
        self.hosts = [self.host(), self.host()]
        directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        file = directory / "switches.toml"
        left, right = (host.getsockname()[1] for host in self.hosts)
        file.write_text(self.SWITCHES.format(left=left, right=right), encoding="utf-8")
        self.switch = self.enterContext(SwitchProcess("--switches", str(file)))
        self.capture = Path(self.switch.directory.name) / "line.pcap"
        lines = dict(re.findall(r"(sw\d) port \d: plain:127.0.0.1:(\d+)/", self.switch.output()))
        for host, name in zip(self.hosts, ("sw1", "sw2")):
            host.connect(("127.0.0.1", int(lines[name])))

    def host(self):
        line = self.enterContext(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        line.bind(("127.0.0.1", 0))
        line.settimeout(10)
        return line

    def test_a_cell_goes_through_both_with_the_label_of_each_line(self):
        left, right = self.hosts
        with self.switch.client("sw1") as one, self.switch.client("sw2") as two:
            one.add(Branch(1, (0, 100), 2, (0, 200)))
            two.add(Branch(1, (0, 200), 2, (0, 300)))
            self.assertEqual(self.switch.tell("@sw2", "capture", "2", self.capture.name), "ok")
            payload = bytes(range(48))
            left.send(cell(0, 100, payload))
            self.assertEqual(right.recv(2048), cell(0, 300, payload))
            for index in range(100):
                left.send(cell(0, 100, struct.pack(">I", index) + bytes(44)))
            for index in range(100):  # in order
                self.assertEqual(right.recv(2048),
                                 cell(0, 300, struct.pack(">I", index) + bytes(44)))
            self.assertRegex(self.switch.tell("@sw1", "statistics", "1"), "input_cells=101 ")
            self.assertEqual(self.switch.tell("@sw2", "capture", "2", "off"), "ok")
        head, record = 24, 16 + 20 + 48  # pcap; pcap and ERF headers, cell header, payload
        self.assertEqual(len(self.capture.read_bytes()), head + 101 * record)

    def test_a_label_that_nobody_has_is_reported(self):
        with self.switch.client("sw1") as one:
            self.hosts[0].send(cell(0, 77, bytes(48)))
            self.assertEqual(one.await_event(INVALID_LABEL), Event(INVALID_LABEL, 1, (0, 77)))
        self.assertRegex(self.switch.tell("@sw1", "statistics", "1"), "invalid_label=1 ")

    def test_a_line_that_is_down_carries_nothing(self):
        left, right = self.hosts
        with self.switch.client("sw1") as one, self.switch.client("sw2") as two:
            one.add(Branch(1, (0, 100), 2, (0, 200)))
            two.add(Branch(1, (0, 200), 2, (0, 300)))
            self.assertEqual(self.switch.tell("@sw2", "line", "1", "down"), "ok")
            self.assertEqual(two.await_event(PORT_DOWN).port, 1)
            left.send(cell(0, 100, b"a" * 48))
            wait_until(lambda: "input_discards=1 " in self.switch.tell("@sw2", "statistics", "1"),
                       "the cell is dropped at the line that is down")
            self.assertEqual(self.switch.tell("@sw2", "line", "1", "up"), "ok")
            left.send(cell(0, 100, b"b" * 48))
            self.assertEqual(right.recv(2048), cell(0, 300, b"b" * 48))

    def test_the_switches_need_a_name_each(self):
        self.assertRegex(self.switch.tell("status"), "^error no-such-switch: 2 switches")
        self.assertEqual(self.switch.status("@sw2")["name"], "sw2")


class BadPeers(unittest.TestCase):

    def setUp(self):
        self.switch = self.enterContext(one_switch("--links", "1=ring:loop,2=ring:loop"))

    def assert_it_lives(self):
        with self.switch.client() as client:
            client.add(Branch(1, (0, 100), 2, (0, 200)))
            self.assertEqual(len(client.table()), 1)
            client.delete(Branch(1, (0, 100), 2, (0, 200)))

    def test_random_octets(self):
        seed = random.randrange(1 << 32)
        print(f"seed {seed}")
        chance = random.Random(seed)
        for turn in range(100):
            with socket.create_connection(self.switch.addresses["sw1"], 5) as peer:
                frame = struct.pack(">HH", 0x880C, 64) if turn % 2 else b""
                peer.sendall(frame + chance.randbytes(chance.randrange(1, 3000)))
        self.assert_it_lives()
        self.assertLess(self.switch.resident_mb(), 100)

    def test_a_peer_that_asks_and_does_not_read(self):
        with self.switch.client() as client:
            flood(client.socket, ALL_PORTS * 1000)
            self.assert_it_lives()
            self.assertLess(self.switch.resident_mb(), 200)

    def test_a_peer_that_acknowledges_for_ever(self):
        with self.switch.client() as client:
            before = self.switch.resident_mb()
            client.socket.settimeout(20)
            for _ in range(100_000):
                client.send_adjacency(ACK)
            self.assertEqual(client.table(), set())  # the switch has read all the messages
            self.assertLess(self.switch.resident_mb(), before + 20)
        self.assert_it_lives()


def flood(peer, octets, octets_max=64_000_000):
    """Sends the same octets repeatedly until none are accepted for a second; returns how many
    were."""
    peer.setblocking(False)
    sent = 0
    while sent < octets_max and select.select([], [peer], [], 1.0)[1]:
        sent += peer.send(memoryview(octets)[sent % len(octets):])
    return sent


def cell(vpi, vci, payload):
    """A cell of 53 octets at a UNI."""
    header = struct.pack(">I", vpi << 20 | vci << 4)
    crc = 0
    for octet in header:
        crc ^= octet
        for _ in range(8):
            crc = (crc << 1 ^ (0x107 if crc & 0x80 else 0)) & 0x1FF
    return header + bytes([(crc & 0xFF) ^ 0x55]) + payload


if __name__ == "__main__":
    unittest.main()
